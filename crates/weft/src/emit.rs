//! `weft emit`: one event into the log, or into the spool where the log cannot be had at once.

mod answer;
mod build;

use std::borrow::Cow;
use std::io::{self, IsTerminal as _};
use std::time::Duration;

use anyhow::Context as _;
use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use uuid::Uuid;
use weft_event::event::Expect;
use weft_event::input::{Item, Lines};
use weft_event::{Dialect, digest_parts};
use weft_log::admit::{Admitted, Arrival, Gate, Refusal, Strictness};
use weft_log::blobs::{ShrinkError, Which};
use weft_log::lock::LockError;
use weft_log::log::{AppendError, Batch, BeginError, Condition, Durability, Log};
use weft_log::recover;
use weft_log::rejected::{self, Rejected};
use weft_log::spool::{self, Entry};
use weft_log::{Position, Store, TopicKey};
use weft_server::socket::answer::{self as sent, Failure, Fate};
use weft_server::socket::client::{Client, ClientError};
use weft_server::socket::request::{Append, Sent};

use crate::output::{self, Format};
use crate::stores::{self, StoreArgs};
use crate::writing::is_gone;
use crate::{Outcome, cli};
use answer::Answer;
use build::Said;

/// How long an event waits for another process to let go of the store before it goes to the spool.
const PATIENCE: Duration = Duration::from_millis(200);

/// How long the server may take for its answer before the event goes another way.
const ANSWER_PATIENCE: Duration = Duration::from_secs(10);

/// The way in, as records and refusals have it.
const VIA: &str = "emit";

const EXAMPLES: &str = "\
Examples:
  weft emit --type lifecycle.started --agent builder --message 'Building'
  weft emit --type activity.tool_use --agent builder --field tool.tool_name=Bash
  weft emit < event.json                        an event of any dialect
  weft emit --json < event.json | jq .position  let a program read the answer
  weft emit --topic plan --key main --expect-last none < event.json

What the flags say becomes an event of the collector dialect. When another process holds the store, or its index is far behind, \
the event goes to the spool, and whoever opens the store next moves it into the log.
Exit codes: 0 the event is durable, in the log or in the spool; 1 it was refused; 2 wrong use, or it could not be kept.";

/// Put one event into the log
///
/// Reads it from standard input, or makes one from flags. What is refused is kept with the reason: see `weft rejects`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// - for standard input, which is also read when there is no --type
    #[arg(value_name = "-", value_parser = ["-"], conflicts_with = "event_type", hide_possible_values = true)]
    input: Option<String>,
    #[command(flatten)]
    store: StoreArgs,
    /// Take the event for one of this dialect instead of telling it by its shape
    #[arg(long, value_name = "DIALECT", value_parser = cli::dialect_parser())]
    dialect: Option<Dialect>,
    /// Make an event of this type, such as lifecycle.started; `weft types collector` lists them
    #[arg(long = "type", value_name = "TYPE", requires = "agent")]
    event_type: Option<String>,
    /// Who the event is about
    #[arg(long, value_name = "ID", requires = "event_type")]
    agent: Option<String>,
    /// The session it belongs to
    #[arg(long, value_name = "ID", requires = "event_type")]
    session: Option<String>,
    /// What it says to a person
    #[arg(long, value_name = "TEXT", requires = "event_type")]
    message: Option<String>,
    /// Another field, such as progress=0.5 or metadata.branch=main; text unless the field takes other JSON
    #[arg(long = "field", value_name = "PATH=VALUE", requires = "event_type")]
    fields: Vec<String>,
    /// Post it to this topic
    #[arg(long)]
    topic: Option<String>,
    /// The key in the topic whose newest value it is
    #[arg(long, requires = "topic")]
    key: Option<String>,
    /// Refuse it unless the newest record of its topic and key is at this position
    #[arg(long, value_name = "POSITION|none", value_parser = expected)]
    expect_last: Option<Expected>,
    /// What the answer promises: synced survives a power cut, written the end of the process
    #[arg(long, value_name = "LEVEL", default_value = "synced", value_parser = PossibleValuesParser::new(["synced", "written"]).map(durability))]
    durability: Durability,
    /// What tells this delivery from another: a second try with the same id is recognised
    #[arg(long)]
    id: Option<String>,
    /// Print the answer as one JSON object
    #[arg(long)]
    json: bool,
}

/// What `--expect-last` asks for.
#[derive(Clone, Copy)]
struct Expected(Option<Position>);

fn expected(text: &str) -> Result<Expected, &'static str> {
    match text {
        "none" => Ok(Expected(None)),
        number => match number.parse().ok().and_then(Position::new) {
            Some(position) => Ok(Expected(Some(position))),
            None => Err("neither a position, such as 12, nor none"),
        },
    }
}

fn durability(word: String) -> Durability {
    if word == "written" { Durability::Written } else { Durability::Synced }
}

/// One event to put into the log.
struct Emission {
    line: Vec<u8>,
    dialect: Option<Dialect>,
    topic: Option<TopicKey>,
    id: Uuid,
    expected: Option<Expected>,
    durability: Durability,
}

impl Emission {
    fn resolve(args: Args) -> anyhow::Result<Self> {
        let given = args.id.as_deref().map(id_of);
        let line = match (args.event_type, args.agent) {
            (Some(event_type), Some(agent)) => {
                if let Some(dialect) = args.dialect.filter(|named| *named != Dialect::Collector) {
                    let name = dialect.as_str();
                    anyhow::bail!("flags make collector events: pipe one of {name} in instead");
                }
                // With an id of the delivery the event has none of its own, because a second try would be made at another time:
                // the same id with other content.
                let event_id = given.is_none().then(|| Uuid::now_v7().to_string());
                let Args { session, message, fields, .. } = args;
                build::event(Said { event_type, agent, session, message, event_id }, &fields)?
            }
            (_, _) => read_stdin()?,
        };
        Ok(Self {
            line,
            dialect: args.dialect,
            topic: args.topic.map(|topic| TopicKey { topic, key: args.key }),
            id: given.unwrap_or_else(Uuid::now_v7),
            expected: args.expect_last,
            durability: args.durability,
        })
    }
}

/// Returns the id for what a client calls its delivery, whatever that is.
fn id_of(text: &str) -> Uuid {
    let digest = || Uuid::from_bytes(digest_parts(&[b"client id", text.as_bytes()]));
    Uuid::try_parse(text).unwrap_or_else(|_| digest())
}

/// Reads the one event on standard input, as one line.
fn read_stdin() -> anyhow::Result<Vec<u8>> {
    if io::stdin().is_terminal() {
        anyhow::bail!("nothing to emit: pipe an event in, or give --type and --agent");
    }
    let mut lines = Lines::new(io::stdin().lock());
    let mut event = None;
    while let Some(item) = lines.read().context("cannot read standard input")? {
        match item {
            Item::Line(line) if event.is_none() => event = Some(line.on_one_line().into_owned()),
            Item::Line(_) => anyhow::bail!("more than one event: weft ingest takes many"),
            Item::Fault(fault) if fault.kind.replaces_line() => anyhow::bail!("{}", fault.kind),
            Item::Fault(fault) => output::tell(format_args!("note: {}", fault.kind)),
        }
    }
    event.context("there is no event on standard input")
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    let format = if args.json { Format::Json } else { Format::Text };
    let store = args.store.clone();
    let emission = Emission::resolve(args)?;
    let store = store.make()?;
    let delivery = Entry::delivery(emission.id);
    let arrival = Arrival {
        line: &emission.line,
        expect: emission.dialect.map_or(Expect::Any, Expect::Dialect),
        via: VIA,
        delivery: Some(&delivery),
        topic: emission.topic.as_ref(),
    };
    let mut gate = Gate::new(&store, Which::Largest, Strictness::Lenient);
    let event = match gate.admit(&arrival) {
        Ok(event) => event,
        Err(Refusal::Large(ShrinkError::Blob(error))) => return Err(error.into()),
        Err(refusal) => {
            let at_us = jiff::Timestamp::now().as_microsecond();
            let origin = format!("emit:{}", emission.id);
            let kept = rejected::Refusal::of(&arrival, &refusal, origin, at_us);
            let ids = Rejected::new(&store).put(&[kept])?;
            answer::refused(&refusal, ids.first(), format)?;
            return Ok(Outcome::Found);
        }
    };
    for problem in &event.warnings {
        let severity = problem.severity();
        output::tell(format_args!("{}", output::problem_text(problem, severity)));
    }
    let answer = match append(&store, &emission, event, format)? {
        Appended::Answered(outcome) => return Ok(outcome),
        Appended::Busy(_) if emission.expected.is_some() => {
            anyhow::bail!("--expect-last needs the log, which cannot be written now")
        }
        Appended::Busy(why) => {
            spool(&store, &emission)?;
            Answer::Spooled { why: format!("{why:#}") }
        }
    };
    answer.print(format)?;
    Ok(Outcome::Fine)
}

/// What came of an attempt to write the log.
enum Appended {
    /// The answer is printed.
    Answered(Outcome),
    /// The log cannot be written now.
    Busy(anyhow::Error),
}

fn append(
    store: &Store,
    emission: &Emission,
    event: Admitted,
    format: Format,
) -> anyhow::Result<Appended> {
    let conditions = match emission.expected {
        None => Vec::new(),
        Some(Expected(last)) => {
            let topic = event.entry.mark.topic.clone().filter(|topic| topic.key.is_some());
            let topic = topic.context("--expect-last needs a --topic and a --key")?;
            vec![Condition { topic, last }]
        }
    };
    if let Some(appended) = through_server(store, emission, &conditions, format)? {
        return Ok(appended);
    }
    let options = stores::briefly(PATIENCE);
    let log = match Log::open(store.clone(), options, &mut |_| {}) {
        Ok(log) => log,
        Err(error) if may_pass(&error) => return Ok(Appended::Busy(error.into())),
        Err(error) => {
            let context = format!("cannot write to the store {}", store.root().display());
            return Err(anyhow::Error::new(error).context(context));
        }
    };
    stores::tell_findings(&log.take_findings());
    let batch = Batch { events: vec![event], conditions, durability: emission.durability };
    let (answer, outcome) = match log.append(batch) {
        Ok(answer) => (Answer::of(&answer), Outcome::Fine),
        Err(AppendError::Condition { topic, actual }) => {
            (Answer::Condition { topic, actual }, Outcome::Found)
        }
        // Whether the event is in the log or not, the spool is safe: a repeat is recognised.
        Err(
            error @ (AppendError::Write(_)
            | AppendError::Begin(_)
            | AppendError::Identity(_)
            | AppendError::Left),
        ) => return Ok(Appended::Busy(error.into())),
    };
    answer.print(format)?;
    if let Err(error) = log.close() {
        let error = anyhow::Error::new(error);
        output::tell(format_args!("note: the event is stored, and not indexed yet: {error:#}"));
    }
    Ok(Appended::Answered(outcome))
}

/// Appends through the server that runs on the store; `None` if none does.
fn through_server(
    store: &Store,
    emission: &Emission,
    conditions: &[Condition],
    format: Format,
) -> anyhow::Result<Option<Appended>> {
    let mut client = match Client::of_store(store.root(), ANSWER_PATIENCE) {
        Ok(client) => client,
        Err(error) if is_gone(&error) => return Ok(None),
        Err(error) => return Ok(Some(Appended::Busy(error.into()))),
    };
    let sent = Sent {
        line: &emission.line,
        via: None,
        dialect: emission.dialect,
        delivery: Some(Entry::delivery(emission.id).into()),
        topic: emission.topic.as_ref().map(Cow::Borrowed),
    };
    let appended = client.append(&Append {
        via: VIA.into(),
        durability: emission.durability,
        patience: Some(PATIENCE),
        conditions: conditions.to_vec(),
        events: vec![sent],
    });
    let answer = match appended {
        Ok(sent::Appended { mut fates, durability }) => match fates.pop() {
            Some(Fate::Kept { outcome, .. }) => Answer::Kept { outcome, durability },
            Some(Fate::Refused { id, reasons }) => {
                let why = reasons.first().map_or("", |reason| reason.message.as_str());
                anyhow::bail!(
                    "the server refuses the event ({why}); it is kept: weft rejects show {id}"
                )
            }
            None => anyhow::bail!("the server said nothing of the event"),
        },
        Err(ClientError::Failed(Failure::Condition { topic, actual })) => {
            Answer::Condition { topic, actual }
        }
        Err(error) if is_gone(&error) => return Ok(None),
        Err(error) => return Ok(Some(Appended::Busy(error.into()))),
    };
    answer.print(format)?;
    if emission.durability == Durability::Written {
        // Whoever reads next finds it. If the server cannot, it is no less than was promised.
        drop(client.settle());
    }
    let is_kept = matches!(answer, Answer::Kept { .. });
    Ok(Some(Appended::Answered(if is_kept { Outcome::Fine } else { Outcome::Found })))
}

/// Returns whether the event can wait in the spool for what is wrong to pass. A store that cannot be written at all, or only by a
/// newer version, is the producer's to know.
fn may_pass(error: &BeginError) -> bool {
    match error {
        BeginError::Lock(LockError::Held { .. })
        | BeginError::Behind { .. }
        | BeginError::Follow(_)
        | BeginError::Prune(_)
        | BeginError::Redaction(_)
        | BeginError::Index(_)
        | BeginError::Identity(_) => true,
        BeginError::Recover(recover::Error::Newer { .. } | recover::Error::Io { .. })
        | BeginError::Lock(LockError::Io { .. })
        | BeginError::Spool(_)
        | BeginError::SpoolWrite(_)
        | BeginError::Sync(_)
        | BeginError::Blob(_)
        | BeginError::Rejected(_) => false,
    }
}

fn spool(store: &Store, emission: &Emission) -> anyhow::Result<()> {
    let entry = Entry {
        at_us: jiff::Timestamp::now().as_microsecond(),
        via: VIA.into(),
        id: emission.id,
        dialect: emission.dialect,
        topic: emission.topic.clone(),
        line: &emission.line,
    };
    Ok(spool::put(store, &entry)?)
}
