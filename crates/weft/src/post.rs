//! `weft post`: a message to a topic.

use weft_event::idle::TopicKind;
use weft_log::Filter;

use crate::Outcome;
use crate::output;
use crate::stores::StoreArgs;
use crate::topic::from::{BodyArgs, Letter, SenderArgs, send};
use crate::topic::{Print, made_json, open_to_post, to_post_to};

const EXAMPLES: &str = "\
Examples:
  weft post tasks -m 'Review the auth module' --role reviewer
  weft post issue:auth-12 -m 'Reproduced on main'
  git diff | weft post project:shop -
  weft post status --file status.json --key builder      in a last-value topic: the value of a key
  id=$(weft post tasks --quiet -m 'Look at this')

The message says where the repository stands: commit, branch, whether anything is uncommitted, folder. docs/topics.md says more.
Exit codes: 0 it is in the log, 2 wrong use, no such topic, or a store that cannot be written.";

/// Post a message to a topic
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The topic, by name
    topic: String,
    #[command(flatten)]
    body: BodyArgs,
    /// In a last-value topic, what it is the newest value of
    #[arg(long, value_name = "KEY")]
    key: Option<String>,
    #[command(flatten)]
    sender: SenderArgs,
    #[command(flatten)]
    store: StoreArgs,
    #[command(flatten)]
    print: Print,
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    let (store, mut records) = open_to_post(&args.store, &Filter::all())?;
    let topic = to_post_to(&mut records, &args.topic)?;
    drop(records);
    if args.key.is_some() && topic.kind == TopicKind::AppendOnly {
        anyhow::bail!("`{}` keeps every message: only last-value topics have keys", topic.name);
    }
    let (key, parent) = (args.key.unwrap_or_default(), None);
    let letter = Letter { topic: &topic, key: &key, parent, body: args.body, sender: args.sender };
    let (id, position) = send(&store, letter)?;
    let text = match args.print {
        Print { json: true, .. } => made_json(&id, position, |object| {
            object.text("topic", &topic.name);
        }),
        Print { quiet: true, .. } => format!("{id}\n"),
        Print { .. } => format!("posted {id}\n"),
    };
    output::print(text.as_bytes())?;
    Ok(Outcome::Fine)
}
