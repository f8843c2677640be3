//! `weft show`: one record whole, by its position or the beginning of its event's id.

use std::borrow::Cow;

use weft_event::event::Expect;
use weft_event::input::{Ending, Item, Line};
use weft_event::json::{Tape, pretty};
use weft_event::problem::Problems;
use weft_event::time::parse_rfc3339;
use weft_log::blobs::{self, Blobs};
use weft_log::filter::quoted;
use weft_log::query::{Found, Records};
use weft_log::{Filter, Position, Store};
use weft_runtime::topics::{Posted, WhichError, by_id};

use crate::Outcome;
use crate::explain::show::{Page, write_rows};
use crate::output::{self, Shown, tell};
use crate::records;
use crate::stores::StoreArgs;
use crate::times::{Clock, TimeArgs};
use crate::topic::{shown, which_error};

const EXAMPLES: &str = "\
Examples:
  weft show 42                       the record at position 42
  weft show 0b9c1f9e                 the record whose event's id begins so
  weft show 01M7H1FW                 a message of a topic, by its id
  weft show 42 --blobs               with the large values that were moved out of the event
  weft show 42 --json | jq .event    let a program read it

Exit codes: 0, or 2 if there is no such record, several ids begin so, or the store cannot be read.";

/// Show one record whole: what the log knows of it, its facts, its event
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The record's position, or its event's id or the beginning of that
    #[arg(value_name = "POSITION|ID")]
    which: String,
    #[command(flatten)]
    store: StoreArgs,
    /// Put large values back that were moved out of the event
    #[arg(long)]
    blobs: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    time: TimeArgs,
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    let search = Filter::parse(&format!("{}*", quoted(&args.which)), 0);
    // No position is written with a zero before it, and many ids are.
    let digits = Some(&args.which).filter(|which| !which.starts_with('0'));
    let position = digits.and_then(|digits| digits.parse().ok()).and_then(Position::new);
    let used = search.clone().ok().filter(|_| position.is_none()).unwrap_or_else(Filter::all);
    let mut records = records::open(&args.store, &used)?;
    let by_position = position.map(|position| records.get(position)).transpose()?.flatten();
    let mut found = match (by_position, search) {
        (Some(found), _) => found,
        (None, Ok(search)) => match by_id(&mut records, "event", &search, &args.which) {
            Ok(found) => found,
            Err(WhichError::None { .. }) => {
                return Err(no_such_record(&records, &args.which, position));
            }
            Err(error) => return Err(which_error(error)),
        },
        (None, Err(_)) => return Err(no_such_record(&records, &args.which, position)),
    };
    if args.blobs {
        found.line = restore(&args.store.store()?, &found.line)?;
    }
    let text = if args.json {
        let mut text = String::new();
        records::write_record(&mut text, &found, &mut Tape::new());
        text + "\n"
    } else {
        page(&found, &Clock::new(args.time))
    };
    output::print(text.as_bytes())?;
    Ok(Outcome::Fine)
}

fn no_such_record(records: &Records, which: &str, position: Option<Position>) -> anyhow::Error {
    let last = records.head().last();
    match (position, last) {
        (Some(position), Some(last)) if position <= last => {
            anyhow::anyhow!("record {position} is damaged or gone: see `weft gaps`")
        }
        (Some(position), Some(last)) => {
            anyhow::anyhow!("there is no record {position}: the log ends at {last}")
        }
        (Some(_), None) => anyhow::anyhow!("the log is empty"),
        (None, _) => anyhow::anyhow!("no event has an id that begins with `{which}`"),
    }
}

/// Returns a line with its large values back; those that are not there are told and stay references.
fn restore(store: &Store, line: &[u8]) -> anyhow::Result<Vec<u8>> {
    let restored = blobs::restore(line, &Blobs::new(store.blobs()))?;
    for (reference, error) in &restored.left {
        let hash = reference.hash.to_string();
        tell(format_args!("note: {}", Shown(&format!("value {hash} stays out: {error}"))));
    }
    Ok(restored.line.into_owned())
}

/// Returns a record for a person.
fn page(found: &Found, clock: &Clock) -> String {
    let mark = found.meta.mark.as_ref();
    let expect = mark.map_or(Expect::Any, |mark| Expect::Dialect(mark.dialect));
    let (number, bytes) = (found.meta.position.get(), found.line.as_slice());
    let line = Line { number, offset: 0, bytes, ending: Ending::Newline };
    let page = Page::of("record", Item::Line(line), expect, Problems::new());
    let mut rows = record_rows(found, clock);
    rows.extend(page.rows().into_iter().map(|(name, value)| match parse_rfc3339(&value) {
        Some(ns) if name == "time" => (name, clock.whole(ns)),
        Some(_) | None => (name, value),
    }));
    let posted = Posted::of(found).filter(|posted| !posted.topic.is_empty());
    rows.extend(posted.iter().flat_map(|posted| message_rows(posted, clock)));
    let mut text = format!("record {}\n", found.meta.position);
    write_rows(&mut text, &rows);
    text += &page.problems_text();
    let mut tape = Tape::new();
    let event = match tape.parse_bytes(&found.line) {
        Ok(event) => Cow::Owned(pretty(event)),
        Err(_) => String::from_utf8_lossy(&found.line),
    };
    for line in event.lines() {
        text += &format!("{}\n", Shown(line));
    }
    // A body of several lines cannot be read with its line breaks escaped.
    let body = posted.filter(|it| it.message.is_some()).map(|it| it.body);
    if let Some(body) = body.filter(|body| body.trim_end().contains('\n')) {
        text += "body\n";
        body.lines().for_each(|line| text += &format!("  {}\n", Shown(line)));
    }
    text
}

/// Returns what is known of a message beside its facts, and how long what was posted counts.
fn message_rows(posted: &Posted, clock: &Clock) -> Vec<(&'static str, String)> {
    let message = posted.message.as_ref();
    let mut rows = Vec::new();
    rows.extend(message.and_then(|it| it.by()).map(|by| ("sender", by)));
    rows.extend(message.and_then(|it| it.at()).map(|at| ("git", at)));
    rows.extend(message.and_then(|it| it.parent.clone()).map(|parent| ("in reply to", parent)));
    rows.extend(posted.expiry().map(|_| ("age", shown::age(posted, clock))));
    rows
}

/// Returns what the log knows of a record, by name.
fn record_rows(found: &Found, clock: &Clock) -> Vec<(&'static str, String)> {
    let whole = |at_us: i64| clock.whole(at_us.saturating_mul(1000));
    let mut rows = Vec::new();
    rows.extend(found.meta.at_us.map(|at_us| ("received", whole(at_us))));
    let Some(mark) = &found.meta.mark else {
        rows.push(("unverified", "its seal is damaged, so that nothing vouches for it".to_owned()));
        return rows;
    };
    rows.push(("via", mark.via.to_string()));
    rows.extend(mark.delivery.clone().map(|delivery| ("delivery", delivery)));
    if let Some(topic) = &mark.topic {
        rows.push(("posted to", topic.topic.clone()));
        rows.extend(topic.key.clone().map(|key| ("key", key)));
    }
    rows.extend(
        mark.carried.map(|carried| ("carried", format!("from position {}", carried.position))),
    );
    let conflict = |other| format!("record {other} has the same identity and other content");
    rows.extend(mark.conflict.map(|other| ("conflict", conflict(other))));
    rows.push(("dialect", mark.dialect.as_str().to_owned()));
    rows
}
