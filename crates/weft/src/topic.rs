//! `weft topic`: making and listing topics; and what the commands on topics have in common.

pub(crate) mod from;
pub(crate) mod shown;

use anyhow::Context as _;
use uuid::Uuid;
use weft_event::idle::TopicKind;
use weft_event::json::{Json, Object};
use weft_event::{Dialect, digest_parts};
use weft_log::log::Condition;
use weft_log::query::Records;
use weft_log::{Filter, Position, Store};
use weft_runtime::topics::{self, Known, Posted as Message, Ulid, Ulids, WhichError};

use crate::Outcome;
use crate::columns::{Columns, terminal_columns};
use crate::output::{self, Marked, tell};
use crate::posting::{Post, Posted, post};
use crate::records;
use crate::stores::StoreArgs;
use crate::times::{Clock, TimeArgs, now_ns};

/// The way in, as records have it.
pub(crate) const VIA: &str = "topic";

const NS_PER_MS: i64 = 1_000_000;

const EXAMPLES: &str = "\
Examples:
  weft topic new tasks -d 'What is to be done'     make a topic that keeps every message
  weft topic new status --last-value               make one whose newest message counts
  weft topic list                                  see all topics, and when something was posted last
  weft topic list --json | jq -r '.[].name'

Topics of loops and issues need not be made: loop:current, loop:anchor, loop:trace, loop:control, issue:ID, project:NAME, agent:NAME.
Exit codes: 0, or 2 wrong use, a topic that is there already, or an unreadable store.";

/// Make topics, and list them
///
/// A topic is a named channel in the log. `weft post`, `weft read` and `weft watch` use it.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    store: StoreArgs,
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Make a topic
    New {
        /// Its name, such as tasks or research:auth
        name: String,
        /// What it is for
        #[arg(
            long,
            short = 'd',
            value_name = "TEXT",
            default_value = "",
            hide_default_value = true
        )]
        description: String,
        /// Only the newest message counts, or with --key of `weft post` the newest of each key
        #[arg(long)]
        last_value: bool,
        #[command(flatten)]
        print: Print,
    },
    /// List the topics
    List {
        /// Print one JSON array
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        time: TimeArgs,
    },
}

/// What is printed of something that was made.
#[derive(clap::Args, Clone, Copy, Debug)]
#[group(multiple = false)]
pub(crate) struct Print {
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Print the id and nothing else
    #[arg(long, short = 'q')]
    pub(crate) quiet: bool,
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    match args.command {
        Command::New { name, description, last_value, print } => {
            let kind = if last_value { TopicKind::LastValue } else { TopicKind::AppendOnly };
            new(&args.store, &name, &description, kind, print)
        }
        Command::List { json, time } => list(&args.store, json, &Clock::new(time)),
    }
}

fn new(
    args: &StoreArgs,
    name: &str,
    description: &str,
    kind: TopicKind,
    print: Print,
) -> anyhow::Result<Outcome> {
    topics::check(name)?;
    let kind = match Known::seed(name) {
        Some(seed) if kind == TopicKind::LastValue && seed.kind != kind => {
            anyhow::bail!("`{name}` is {} by its name", seed.kind.as_str())
        }
        Some(seed) => seed.kind,
        None => kind,
    };
    let (id, now_ms) = new_id();
    let (line, mark) = topics::new_topic(id, name, description, kind, now_ms);
    let conditions = [Condition { topic: mark.clone(), last: None }];
    let one = [Post { line, dialect: Dialect::Idle, topic: Some(mark) }];
    let position = match post(&args.make()?, VIA, &one, &conditions)? {
        Posted::Kept(outcomes) => outcomes[0].position(),
        Posted::Condition { topic, actual } => {
            let name = topic.key.unwrap_or_default();
            let place = actual.map(|at| format!(": weft show {at}")).unwrap_or_default();
            anyhow::bail!("there is a topic `{name}` already{place}")
        }
    };
    let text = match print {
        Print { json: true, .. } => made_json(&id, position, |object| {
            object.text("name", name);
            object.text("description", description);
            object.text("kind", kind.as_str());
        }),
        Print { quiet: true, .. } => format!("{id}\n"),
        Print { .. } => format!("made topic {name}\n"),
    };
    output::print(text.as_bytes())?;
    Ok(Outcome::Fine)
}

fn list(args: &StoreArgs, json: bool, clock: &Clock) -> anyhow::Result<Outcome> {
    let mut records = records::open(args, &Filter::all())?;
    let listed = topics::list(&mut records)?;
    let posted_ns = |newest: Option<&weft_log::query::Found>| {
        newest.and_then(Message::of).map(|newest| newest.posted_ns)
    };
    if json {
        let row = |(topic, newest): &(Known, Option<weft_log::query::Found>)| {
            Json::object(|object| {
                object.text("name", &topic.name);
                object.json("id", &topic.id.as_deref().map_or(Json::null(), Json::text));
                object.text("kind", topic.kind.as_str());
                object.text("description", &topic.description);
                let time = |ms: Option<i64>| ms.map_or(Json::null(), Json::integer);
                object.json("created_at", &time(topic.created_ms));
                let posted_ms = posted_ns(newest.as_ref()).map(|ns| ns.div_euclid(NS_PER_MS));
                object.json("last_at", &time(posted_ms));
            })
        };
        let all = Json::array(listed.iter().map(row));
        output::print(format!("{}\n", all.as_str()).as_bytes())?;
        return Ok(Outcome::Fine);
    }
    if listed.is_empty() {
        tell(format_args!("note: there are no topics: make one with `weft topic new NAME`"));
        return Ok(Outcome::Fine);
    }
    let rows = listed.iter().map(|(topic, newest)| {
        let posted = posted_ns(newest.as_ref()).map(|ns| clock.brief(ns));
        let kind = topic.kind.as_str().to_owned();
        vec![topic.name.clone(), kind, posted.unwrap_or("-".to_owned()), topic.description.clone()]
    });
    let mut table = Columns::new(["NAME", "KIND", "LAST", "DESCRIPTION"], terminal_columns());
    output::print(table.render(rows.collect()).as_bytes())?;
    Ok(Outcome::Fine)
}

/// Returns a new id, and the time that it has, in milliseconds since 1970.
pub(crate) fn new_id() -> (Ulid, i64) {
    let now_ms = now_ns() / NS_PER_MS;
    let random = digest_parts(&[Uuid::now_v7().as_bytes()]);
    (Ulids::default().next(now_ms, random), now_ms)
}

/// Returns what is printed of something that was made, for a program.
pub(crate) fn made_json(
    id: &Ulid,
    position: Position,
    fill: impl FnOnce(&mut Object<'_>),
) -> String {
    let made = Json::object(|object| {
        object.text("id", &id.to_string());
        fill(object);
        object.json("position", &Json::integer(position.get()));
    });
    format!("{}\n", made.as_str())
}

/// Returns the topic to post to; an error that names those that may be meant if there is none.
pub(crate) fn to_post_to(records: &mut Records, name: &str) -> anyhow::Result<Known> {
    topics::check(name)?;
    match topics::find(records, name)? {
        Some(known) => Ok(known),
        None => Err(unknown(records, name)?),
    }
}

/// Returns the topic to read; one that something was posted to counts, whoever made it.
pub(crate) fn to_read(records: &mut Records, name: &str) -> anyhow::Result<Known> {
    if let Some(known) = topics::find(records, name)? {
        return Ok(known);
    }
    let listed = topics::list(records)?;
    match listed.into_iter().find(|(known, _)| known.name == name) {
        Some((known, _)) => Ok(known),
        None => Err(unknown(records, name)?),
    }
}

fn unknown(records: &mut Records, name: &str) -> anyhow::Result<anyhow::Error> {
    let listed = topics::list(records)?;
    let near = topics::near(name, listed.iter().map(|(known, _)| known.name.as_str()));
    let mut text = format!("there is no topic `{name}`");
    if !near.is_empty() {
        text += &format!("\n  near to it: {}", near.join(", "));
    }
    text += &format!("\n  to make it: weft topic new {name}");
    Ok(Marked(text).into())
}

/// Returns the one message whose id is or begins so.
pub(crate) fn message(records: &mut Records, prefix: &str) -> anyhow::Result<Message> {
    topics::message(records, prefix).map_err(which_error)
}

/// Returns an error that lists what may be meant.
pub(crate) fn which_error(error: WhichError) -> anyhow::Error {
    match error {
        WhichError::Several { .. } => Marked(error.listing()).into(),
        error @ (WhichError::None { .. } | WhichError::Query(_)) => error.into(),
    }
}

/// Returns a filter that the messages with this id, or this beginning of one, are found by.
pub(crate) fn id_filter(prefix: &str) -> Filter {
    let text = format!("{}*", weft_log::filter::quoted(prefix));
    Filter::parse(&text, 0).unwrap_or_else(|_no_words| Filter::all())
}

/// Opens a store to post to it; makes it if there is none.
pub(crate) fn open_to_post(args: &StoreArgs, filter: &Filter) -> anyhow::Result<(Store, Records)> {
    let store = args.make()?;
    let records = records::open(args, filter).context("cannot look for the topic")?;
    Ok((store, records))
}
