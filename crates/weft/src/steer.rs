//! `weft loop`: an agent is told to go on until its work is done.

mod change;
mod grind;
mod prompt;
mod spent;
mod start;
mod status;

use std::env;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use weft_event::idle::{Command as Wish, Topic};
use weft_log::query::{Ask, Order, Records};
use weft_log::{Filter, Position, TopicKey};
use weft_runtime::loops::events::Posting;
use weft_runtime::loops::{Current, Kind, State};

use crate::Outcome;
use crate::posting::Post;
use crate::stores::StoreArgs;

pub(crate) use change::reviewed;
pub(crate) use grind::{GrindArgs, StartArgs, grind, next_issue, renew, start_issue};
pub(crate) use prompt::{read as read_prompt, restore as restore_prompt};
pub(crate) use spent::spent;
pub(crate) use start::Begun;

/// The way in, as records have it.
pub(crate) const VIA: &str = "loop";

const EXAMPLES: &str = "\
Examples:
  weft loop start 'Port the parser to the new lexer'   ten iterations at most, in this session
  weft loop start --max 30 --until 'cargo test' --until 'cargo clippy' - < task.md
  weft loop start --time 2h --cost 5 --patience 4 'Make the tests pass'
  weft loop status                                      where it is, and why it went on last
  weft loop extend 5                                    five more iterations
  weft loop pause                                       let the agent stop, and keep the loop
  weft loop resume                                      go on at its next stop
  weft loop cancel                                      end it
  weft loop review --approve                            say that the commit here may be taken

When the agent is about to stop, its Stop hook asks Weft (`weft hooks install --loops`). It goes on until the work is done: until \
the agent says so and every --until rule holds, or a limit is reached. Without --session the loop belongs to the session that the \
command runs in, else to the first one of this folder that stops.
Exit codes: 0 it is done; 1 there is no such loop, or it is not as it should be; 2 wrong use, or the store cannot be written.";

/// Tell an agent to go on until its work is done
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
    #[command(flatten)]
    store: StoreArgs,
}

#[derive(clap::Subcommand)]
enum Action {
    Start(Box<start::Args>),
    Status(status::Args),
    /// Let the agent stop, and keep the loop as it is
    Pause(change::Args),
    /// Go on at the next stop
    Resume(change::Args),
    /// End it
    Cancel(change::Args),
    /// Ask a person to look at it; the agent may stop until then
    Escalate(change::Args),
    Extend(change::ExtendArgs),
    Review(change::ReviewArgs),
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    match args.action {
        Action::Start(start) => start::run(*start, &args.store),
        Action::Status(status) => status::run(&status, &args.store),
        Action::Pause(change) => change::run(Wish::Pause, &change, &args.store),
        Action::Resume(change) => change::run(Wish::Resume, &change, &args.store),
        Action::Cancel(change) => change::run(Wish::Cancel, &change, &args.store),
        Action::Escalate(change) => change::run(Wish::Escalate, &change, &args.store),
        Action::Extend(extend) => change::extend(&extend, &args.store),
        Action::Review(review) => change::review(&review, &args.store),
    }
}

/// Whose loop is meant.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct SessionArgs {
    /// The session whose loop is meant [default: the one that the command runs in]
    #[arg(long, value_name = "ID", global = true)]
    session: Option<String>,
}

impl SessionArgs {
    /// Returns the session, if one is named or the command runs in one.
    pub(crate) fn id(&self) -> Option<String> {
        let named = |name| env::var(name).ok().filter(|id: &String| !id.is_empty());
        let around = || named("WEFT_SESSION").or_else(|| named("CLAUDE_CODE_SESSION_ID"));
        self.session.clone().or_else(around)
    }
}

/// The newest state of a session, and where it is.
pub(crate) struct Newest {
    pub(crate) current: Current,
    pub(crate) last: Option<Position>,
    /// The key that it is the newest of.
    pub(crate) key: String,
}

impl Newest {
    /// Reads it.
    pub(crate) fn of(records: &mut Records, session: &str) -> anyhow::Result<Self> {
        let topic = current_of(session);
        let found = records.latest(&topic)?;
        let current = found.as_ref().map_or(Current::None, |found| read(&found.line));
        let last = found.map(|found| found.meta.position);
        Ok(Self { current, last, key: session.to_owned() })
    }

    /// Reads that of the session that is meant: the named one's, else the one that was told of last.
    pub(crate) fn meant(records: &mut Records, args: &SessionArgs) -> anyhow::Result<Self> {
        if let Some(session) = args.id() {
            return Self::of(records, &session);
        }
        let filter = Filter::parse("topic=loop:current", 0).expect("it is a filter");
        let (range, order) = (whole(records), Order::Descending);
        let page = records.page(&Ask { filter: &filter, range, order, limit: 1 })?;
        let mark = page.records.first().and_then(|found| found.meta.mark.as_ref());
        let key = mark.and_then(|mark| mark.topic.as_ref()).and_then(|topic| topic.key.clone());
        Self::of(records, &key.unwrap_or_default())
    }
}

/// Reads a record of `loop:current`: the event itself, or a message whose body it is.
fn read(line: &[u8]) -> Current {
    let text = String::from_utf8_lossy(line);
    let message: Option<serde_json::Value> = serde_json::from_str(&text).ok();
    let is_message = |it: &serde_json::Value| it.get("type").is_some_and(|it| it == "message");
    match message.filter(is_message) {
        Some(message) => {
            let body = message.get("body").and_then(serde_json::Value::as_str);
            Current::read(body.unwrap_or_default())
        }
        None => Current::read(&text),
    }
}

/// Returns the folder that the work of a loop is done in: that of its issue, else the one that the agent is in.
pub(crate) fn work_folder(state: &State, cwd: Option<&Path>) -> PathBuf {
    match state.top().map(|frame| &frame.kind) {
        Some(Kind::Issue { worktree_path, .. }) => worktree_path.clone(),
        Some(Kind::Loop | Kind::Grind { .. }) | None => {
            let cwd = cwd.map(Path::to_owned).or_else(|| state.project.clone());
            cwd.unwrap_or_else(|| PathBuf::from("."))
        }
    }
}

/// Returns all positions that there are.
pub(crate) fn whole(records: &Records) -> RangeInclusive<Position> {
    Position::FIRST..=records.head().last().unwrap_or(Position::FIRST)
}

/// Returns where the state of a session's loop is.
pub(crate) fn current_of(session: &str) -> TopicKey {
    TopicKey { topic: Topic::LoopCurrent.to_string(), key: Some(session.to_owned()) }
}

/// Returns what is posted, with the key that a state is the newest of.
pub(crate) fn posts(postings: Vec<Posting>, session: &str) -> Vec<Post> {
    let post = |posting: Posting| {
        let topic = match posting.topic {
            Topic::LoopCurrent => current_of(session),
            other => TopicKey { topic: other.to_string(), key: posting.key },
        };
        Post { line: posting.line, dialect: weft_event::Dialect::Idle, topic: Some(topic) }
    };
    postings.into_iter().map(post).collect()
}
