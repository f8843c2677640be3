//! What a person does to a loop: at once, and in the log as what was asked and what was answered.

use std::env;

use anyhow::Context as _;
use uuid::Uuid;
use weft_event::idle::{Command as Wish, Refusal};
use weft_log::log::Condition;
use weft_log::query::Records;
use weft_log::{Store, TopicKey};
use weft_runtime::git::Git;
use weft_runtime::loops::Current;
use weft_runtime::loops::control::{Answer, REQUEST_ID_BYTES_MAX, RequestId};
use weft_runtime::loops::decide::Review;
use weft_runtime::loops::events::Posting;
use weft_runtime::loops::obey::{Obeyed, Request, TRIES_MAX, Writing, obey};

use super::{Newest, SessionArgs, VIA, current_of, posts};
use crate::Outcome;
use crate::output::{Shown, print, tell};
use crate::posting::{Post, Posted, post};
use crate::stores::StoreArgs;
use crate::times::now_ns;
use crate::topic;

/// Where reviews are, by commit.
const REVIEWS: &str = "loop:review";

/// Which loop.
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    session: SessionArgs,
    /// What the answer names: asked again within five minutes, it is answered as the first time, and not done again
    #[arg(long, value_name = "ID")]
    request_id: Option<String>,
}

/// Allow it more iterations
#[derive(clap::Args)]
pub(super) struct ExtendArgs {
    /// How many more
    #[arg(value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    n: u64,
    #[command(flatten)]
    session: SessionArgs,
}

/// Say whether a commit may be taken
#[derive(clap::Args)]
pub(super) struct ReviewArgs {
    /// It may
    #[arg(long, required_unless_present = "changes")]
    approve: bool,
    /// It may not: say what has to be changed
    #[arg(long, value_name = "TEXT", conflicts_with = "approve")]
    changes: Option<String>,
    /// The commit [default: the one that is checked out here]
    #[arg(long, value_name = "COMMIT")]
    commit: Option<String>,
}

pub(super) fn run(wish: Wish, args: &Args, store: &StoreArgs) -> anyhow::Result<Outcome> {
    let id = match &args.request_id {
        Some(text) => RequestId::parse(text).with_context(|| {
            format!("--request-id has to be plain text of at most {REQUEST_ID_BYTES_MAX} bytes")
        })?,
        None => new_id(),
    };
    let store = store.store()?;
    let request = Request { id, wish, run_id: None };
    let answer = obeyed(&store, &request, |records| args.session.newest(records))?;
    match (&answer.run_id, answer.refusal) {
        (_, Some(Refusal::NotFound)) => {
            tell(format_args!("no loop runs: `weft loop start` begins one"));
        }
        (None, _) | (Some(_), Some(Refusal::Duplicate)) => {
            tell(format_args!("{}", Shown(&answer.why)));
        }
        (Some(run_id), None | Some(Refusal::InvalidState | Refusal::BadRequest)) => {
            print(format!("{}: {}\n", Shown(run_id), Shown(&answer.why)).as_bytes())?;
        }
    }
    Ok(if answer.refusal.is_some() { Outcome::Found } else { Outcome::Fine })
}

/// Does what is wished of a run of a session.
pub(crate) fn wish(
    store: &Store,
    session: &str,
    run_id: &str,
    wish: Wish,
) -> anyhow::Result<Answer> {
    let request = Request { id: new_id(), wish, run_id: Some(run_id.to_owned()) };
    obeyed(store, &request, |records| Ok(Newest::of(records, session)?))
}

fn new_id() -> RequestId {
    RequestId::parse(&Uuid::now_v7().to_string()).expect("it is short and plain")
}

/// Does what is wished of a loop; tries again where somebody else changed it meanwhile.
fn obeyed(
    store: &Store,
    request: &Request,
    newest: impl Fn(&mut Records) -> anyhow::Result<Newest>,
) -> anyhow::Result<Answer> {
    for _ in 0..TRIES_MAX {
        let mut records = Records::open(store.clone())?;
        let newest = newest(&mut records)?;
        let Writing { postings, condition, answer } =
            match obey(&mut records, &newest, request, now_ns())? {
                Obeyed::Answered(answer) => return Ok(answer),
                Obeyed::Write(writing) => *writing,
            };
        match post(store, VIA, &posts(postings, &newest.key), &[condition])? {
            Posted::Kept(_) => return Ok(answer),
            Posted::Condition { .. } => {}
        }
    }
    anyhow::bail!("the loop changes all the time: try again")
}

pub(super) fn extend(args: &ExtendArgs, store: &StoreArgs) -> anyhow::Result<Outcome> {
    let store = store.store()?;
    for _ in 0..TRIES_MAX {
        let mut records = Records::open(store.clone())?;
        let newest = args.session.newest(&mut records)?;
        let Current::Running(state) = newest.current else {
            tell(format_args!("no loop runs: `weft loop start` begins one"));
            return Ok(Outcome::Found);
        };
        let mut state = *state;
        let top = state.stack.last_mut().expect("a loop that runs has a frame");
        top.max = top.max.saturating_add(args.n);
        let told = format!("{}: iteration {}\n", state.run_id, top.iteration());
        state.updated_at_ns = now_ns();
        let condition = Condition { topic: current_of(&newest.key), last: newest.last };
        let postings = vec![Posting::state(&state)];
        match post(&store, VIA, &posts(postings, &newest.key), &[condition])? {
            Posted::Kept(_) => {
                print(told.as_bytes())?;
                return Ok(Outcome::Fine);
            }
            Posted::Condition { .. } => {}
        }
    }
    anyhow::bail!("the loop changes all the time: try again")
}

pub(super) fn review(args: &ReviewArgs, store: &StoreArgs) -> anyhow::Result<Outcome> {
    let here = env::current_dir().context("cannot tell the current folder")?;
    let named = args.commit.as_deref().unwrap_or("HEAD");
    let commit = Git::at(&here).ask(&["rev-parse", "--verify", &format!("{named}^{{commit}}")])?;
    let body = serde_json::json!({
        "commit": commit,
        "verdict": if args.approve { "approve" } else { "changes" },
        "notes": args.changes,
    });
    let now = jiff::Timestamp::now();
    let message = serde_json::json!({
        "type": "message",
        "id": topic::new_id().0.to_string(),
        "topic_id": REVIEWS,
        "parent_id": null,
        "body": body.to_string(),
        "created_at": now.as_millisecond(),
        "sender": null,
        "git": null,
    });
    let topic = review_of(&commit);
    let dialect = weft_event::Dialect::Idle;
    let line = message.to_string();
    let store = store.make()?;
    post(&store, VIA, &[Post { line, dialect, topic: Some(topic) }], &[])?;
    let word = if args.approve { "approved" } else { "sent back" };
    print(format!("{commit} is {word}\n").as_bytes())?;
    Ok(Outcome::Fine)
}

/// Returns where the review of a commit is.
fn review_of(commit: &str) -> TopicKey {
    TopicKey { topic: REVIEWS.to_owned(), key: Some(commit.to_owned()) }
}

/// Returns what was said of the commit that is checked out in a folder.
pub(crate) fn reviewed(store: &Store, git: &Git) -> anyhow::Result<Review> {
    let commit = git.ask(&["rev-parse", "--verify", "HEAD^{commit}"])?;
    if !git.ask(&["status", "--porcelain=v1"])?.is_empty() {
        return Ok(Review::Missing("there are changes that are not committed".to_owned()));
    }
    let found = Records::open(store.clone())?.latest(&review_of(&commit))?;
    let message: Option<serde_json::Value> =
        found.and_then(|found| serde_json::from_slice(&found.line).ok());
    let body = message.as_ref().and_then(|message| message.get("body")?.as_str());
    let body: Option<serde_json::Value> = body.and_then(|body| serde_json::from_str(body).ok());
    let text = |name: &str| body.as_ref()?.get(name)?.as_str().map(str::to_owned);
    let short: String = commit.chars().take(12).collect();
    Ok(match text("verdict").as_deref() {
        Some("approve") => Review::Approved,
        Some(_) => {
            let notes = text("notes").unwrap_or_default();
            Review::Missing(format!("the review of {short} asks for changes: {notes}"))
        }
        None => Review::Missing(format!(
            "nobody has reviewed {short}: have it reviewed, with `weft loop review`"
        )),
    })
}
