//! `weft loop`: an agent is told to go on until its work is done.

mod change;
mod grind;
mod prompt;
mod spent;
mod start;
mod status;

use std::env;
use std::path::{Path, PathBuf};

use weft_event::idle::Command as Wish;
use weft_log::query::Records;
use weft_runtime::loops::events::Posting;
use weft_runtime::loops::newest::place_of;
use weft_runtime::loops::{Kind, State};

use crate::Outcome;
use crate::posting::Post;
use crate::stores::StoreArgs;

pub(crate) use change::{reviewed, wish};
pub(crate) use grind::{GrindArgs, StartArgs, grind, next_issue, renew, start_issue};
pub(crate) use prompt::{
    commits_of, has_any as may_have_loops, read as read_prompt, restore as restore_prompt,
};
pub(crate) use spent::spent;
pub(crate) use start::Begun;
pub(crate) use weft_runtime::loops::Newest;
pub(crate) use weft_runtime::loops::newest::{current_of, whole};

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
  weft loop pause --session s1 --request-id night-1     asked again with the same id, it is answered and not done again
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

    /// Reads the state of the session that is meant: the named one's, else the one that was told of last.
    pub(crate) fn newest(&self, records: &mut Records) -> anyhow::Result<Newest> {
        match self.id() {
            Some(session) => Ok(Newest::of(records, &session)?),
            None => Ok(Newest::told_last(records)?),
        }
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

/// Returns what is posted, with the key that a state is the newest of.
pub(crate) fn posts(postings: Vec<Posting>, session: &str) -> Vec<Post> {
    let post = |posting: Posting| {
        let topic = place_of(&posting, session);
        Post { line: posting.line, dialect: weft_event::Dialect::Idle, topic: Some(topic) }
    };
    postings.into_iter().map(post).collect()
}
