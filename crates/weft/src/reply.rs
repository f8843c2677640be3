//! `weft reply`: an answer to a message, on its topic.

use anyhow::Context as _;
use weft_event::idle::TopicKind;
use weft_runtime::topics::{self, Known};

use crate::Outcome;
use crate::output;
use crate::stores::StoreArgs;
use crate::topic::from::{BodyArgs, Letter, SenderArgs, send};
use crate::topic::{Print, id_filter, made_json, message, open_to_post};

const EXAMPLES: &str = "\
Examples:
  weft reply 01M7H1FW -m 'Done in 8b7c0fe'
  weft reply 01M7H1FW --file report.md --as reviewer-2

The beginning of an id is enough where only one message begins so.
Exit codes: 0 it is in the log, 2 wrong use, no such message, or a store that cannot be written.";

/// Answer a message
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Id of the message, or the beginning of it
    id: String,
    #[command(flatten)]
    body: BodyArgs,
    #[command(flatten)]
    sender: SenderArgs,
    #[command(flatten)]
    store: StoreArgs,
    #[command(flatten)]
    print: Print,
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    let (store, mut records) = open_to_post(&args.store, &id_filter(&args.id))?;
    let to = message(&mut records, &args.id)?;
    let parent = to.message.as_ref().context("an event that is no message cannot be answered")?;
    let topic = topics::find(&mut records, &to.topic)?.unwrap_or_else(|| Known {
        name: to.topic.clone(),
        id: Some(parent.topic_id.clone()),
        kind: TopicKind::AppendOnly,
        description: String::new(),
        created_ms: None,
    });
    drop(records);
    let (key, answered) = (to.key.clone().unwrap_or_default(), Some(parent.id.as_str()));
    let letter =
        Letter { topic: &topic, key: &key, parent: answered, body: args.body, sender: args.sender };
    let (id, position) = send(&store, letter)?;
    let text = match args.print {
        Print { json: true, .. } => made_json(&id, position, |object| {
            object.text("topic", &topic.name);
            object.text("parent_id", &parent.id);
        }),
        Print { quiet: true, .. } => format!("{id}\n"),
        Print { .. } => format!("posted {id}\n"),
    };
    output::print(text.as_bytes())?;
    Ok(Outcome::Fine)
}
