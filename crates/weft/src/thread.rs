//! `weft thread`: a message with everything that answers it.

use weft_event::json::{Json, Tape};
use weft_runtime::topics::{self, Reply, THREAD_MESSAGES_MAX};

use crate::Outcome;
use crate::output::{self, tell};
use crate::records;
use crate::stores::StoreArgs;
use crate::times::{Clock, TimeArgs};
use crate::topic::shown::{self, Body};
use crate::topic::{id_filter, message};

/// Most levels that answers are indented by.
const DEPTH_SHOWN_MAX: usize = 12;

const EXAMPLES: &str = "\
Examples:
  weft thread 01M7H1FW                 a message and its answers, oldest first
  weft thread 01M7H1FW -s              one line each
  weft thread 01M7H1FW --json | jq '.[] | [.depth, .body]'

The beginning of an id is enough where only one message begins so.
Exit codes: 0, or 2 wrong use, no such message, or an unreadable store.";

/// Show a message and all its answers, oldest first
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Id of the message, or the beginning of it
    id: String,
    /// Show the first line of each message
    #[arg(long, short = 's')]
    summary: bool,
    #[command(flatten)]
    store: StoreArgs,
    /// Print one JSON array; `depth` says how far below the first message each is
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    time: TimeArgs,
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    let clock = Clock::new(args.time);
    let mut records = records::open(&args.store, &id_filter(&args.id))?;
    let root = message(&mut records, &args.id)?;
    let thread = topics::thread(&mut records, root)?;
    let n_answers = |reply: &Reply| {
        let id = reply.posted.name();
        let is_answer = |other: &&Reply| {
            other.posted.message.as_ref().is_some_and(|it| it.parent.as_ref() == Some(&id))
        };
        thread.replies.iter().filter(is_answer).count() as u64
    };
    let text = if args.json {
        let row = |reply: &Reply| {
            let message = shown::json(&reply.posted, Some(n_answers(reply)), &clock);
            with_depth(&message, reply.depth)
        };
        let all = Json::array(thread.replies.iter().map(row));
        format!("{}\n", all.as_str())
    } else {
        let body = Body::of(args.summary);
        let text = |reply: &Reply| {
            shown::text(&reply.posted, reply.depth.min(DEPTH_SHOWN_MAX), body, &clock)
        };
        let between = if args.summary { "" } else { "\n" };
        thread.replies.iter().map(text).collect::<Vec<_>>().join(between)
    };
    output::print(text.as_bytes())?;
    if thread.is_cut {
        tell(format_args!("note: there are more than {THREAD_MESSAGES_MAX} messages in it"));
    }
    Ok(Outcome::Fine)
}

/// Returns a message with its depth.
fn with_depth(message: &Json<'_>, depth: usize) -> Json<'static> {
    let mut tape = Tape::new();
    let value = tape.parse(message.as_str()).expect("what we write is JSON");
    Json::object(|object| {
        for (key, member) in value.members() {
            object.json(&key.as_text().unwrap_or_default(), &Json::of(member));
        }
        object.json("depth", &Json::integer(depth as u64));
    })
}
