//! What a person does to a loop: at once, and in the log as what was asked and what was answered.

use std::env;

use anyhow::Context as _;
use uuid::Uuid;
use weft_event::idle::Command as Wish;
use weft_log::log::Condition;
use weft_log::query::Records;
use weft_log::{Store, TopicKey};
use weft_runtime::git::Git;
use weft_runtime::loops::control::Asked;
use weft_runtime::loops::decide::{self, Review};
use weft_runtime::loops::events::{self, About, Posting};
use weft_runtime::loops::{Current, State, words};

use super::{Newest, SessionArgs, VIA, current_of, posts};
use crate::Outcome;
use crate::output::{print, tell};
use crate::posting::{Post, Posted, post};
use crate::stores::StoreArgs;
use crate::times::now_ns;
use crate::topic;

/// How often a change is tried again that others came before.
const TRIES_MAX: usize = 10;

/// Where reviews are, by commit.
const REVIEWS: &str = "loop:review";

/// Which loop.
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    session: SessionArgs,
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
    let request_id = Uuid::now_v7().to_string();
    change(&args.session, store, |state, now_ns| {
        let run_id = Some(state.run_id.clone());
        let asked = Asked { request_id: request_id.clone(), wish, run_id, at_ns: now_ns };
        let decision = decide::obey(state, &asked, now_ns);
        let session_id = state.session_id.as_deref();
        let about = About { run_id: &state.run_id, session_id, now_ns, judged: None };
        let current = Current::Running(Box::new(state.clone()));
        let mut postings = events::of_decision(&decision, &current, &about);
        postings.push(Posting::request(&asked, &about));
        let is_refused = decision.answered.as_ref().is_some_and(|it| it.refusal.is_some());
        let outcome = if is_refused { Outcome::Found } else { Outcome::Fine };
        (postings, format!("{}: {}", state.run_id, words::shown(&decision.why)), outcome)
    })
}

pub(super) fn extend(args: &ExtendArgs, store: &StoreArgs) -> anyhow::Result<Outcome> {
    change(&args.session, store, |state, now_ns| {
        let mut state = state.clone();
        let top = state.stack.last_mut().expect("a loop that runs has a frame");
        top.max = top.max.saturating_add(args.n);
        let told = format!("{}: iteration {}", state.run_id, top.iteration());
        state.updated_at_ns = now_ns;
        (vec![Posting::state(&state)], told, Outcome::Fine)
    })
}

/// Changes the loop that is meant; tries again where somebody else changed it meanwhile.
fn change(
    session: &SessionArgs,
    store: &StoreArgs,
    how: impl Fn(&State, i64) -> (Vec<Posting>, String, Outcome),
) -> anyhow::Result<Outcome> {
    let store = store.store()?;
    for _ in 0..TRIES_MAX {
        let mut records = Records::open(store.clone())?;
        let newest = Newest::meant(&mut records, session)?;
        let Current::Running(state) = &newest.current else {
            tell(format_args!("no loop runs: `weft loop start` begins one"));
            return Ok(Outcome::Found);
        };
        let now_ns = now_ns();
        let (postings, told, outcome) = how(state, now_ns);
        let condition = Condition { topic: current_of(&newest.key), last: newest.last };
        match post(&store, VIA, &posts(postings, &newest.key), &[condition])? {
            Posted::Kept(_) => {
                print(format!("{told}\n").as_bytes())?;
                return Ok(outcome);
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
