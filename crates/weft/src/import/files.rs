//! Stores that are a file of lines: messages of jwz, issues of tissue and beads.

use std::borrow::Cow;
use std::fs::File;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use weft_event::Dialect;
use weft_event::input::{Ending, Fault, Item, Line, Lines};
use weft_event::problem::Code;
use weft_log::query::{QueryError, Records};
use weft_log::{Filter, Store, TopicKey};
use weft_runtime::issues::parse_source;
use weft_runtime::topics::{self, Chosen, Posted, REGISTRY, Snapshot, Tracker, jwz};

use super::rows::RowError;
use super::{Import, Made};
use crate::Outcome;
use crate::gauge::{Gauge, Unit};
use crate::issue::Desk;
use crate::output::{plural, tell};
use crate::records;
use crate::stores::StoreArgs;

const NS_PER_MS: i64 = 1_000_000;

/// Imports topics and messages.
pub(super) fn messages(store: &StoreArgs, path: &Path) -> anyhow::Result<Outcome> {
    let file = file_of(path, &[jwz::FILE])?;
    let mut records = match Store::open(&store.folder()?) {
        Ok(_) => Some(records::open(store, &Filter::all())?),
        Err(_) => None,
    };
    // A topic may come behind the messages that are posted to it.
    let mut topics = known_topics(records.as_mut())?;
    let mut told = Told::default();
    each_line(&file, &mut Told::default(), &mut |_, text| {
        if let Ok(Ok(jwz::Line::Topic(known))) = text.good.map(|good| jwz::line(&good)) {
            topics.add(known);
        }
        Ok(())
    })?;
    let mut import = Import::open(store)?;
    let mut n_needless = 0;
    each_line(&file, &mut told, &mut |origin, Text { came, good }| {
        let good = match good {
            Ok(good) => good,
            Err(refused) => return import.take(origin, came, Err(refused)),
        };
        let topic = match jwz::line(&good) {
            Ok(jwz::Line::Topic(known)) => match jwz::Topics::mark_of_topic(&known) {
                Some(mark) => mark,
                None => {
                    n_needless += 1;
                    return Ok(());
                }
            },
            Ok(jwz::Line::Message { topic_id, created_ms, session }) => {
                let newest = |mark: &TopicKey| newest_ms(records.as_mut(), mark);
                topics.mark(&topic_id, created_ms, session.as_deref(), newest)?
            }
            Ok(jwz::Line::Other) | Err(_) => return import.take(origin, came, Err(no_record())),
        };
        let made = Made { line: good.into_owned(), dialect: Dialect::Idle, topic: Some(topic) };
        import.take(origin, came, Ok(made))
    })?;
    let outcome = import.finish("line")?;
    told.tell(n_needless);
    Ok(outcome)
}

/// Imports issues.
pub(super) fn issues(store: &StoreArgs, path: &Path, tracker: Tracker) -> anyhow::Result<Outcome> {
    let file = file_of(path, tracker.files())?;
    let mut import = Import::open(store)?;
    let mut told = Told::default();
    each_line(&file, &mut told, &mut |origin, Text { came, good }| {
        let made = good.and_then(|good| match tracker.snapshot(&good) {
            Ok(Snapshot { line, mark }) => {
                Ok(Made { line, dialect: Dialect::Idle, topic: Some(mark) })
            }
            Err(error) => Err(refused(Code::Missing, error.to_string())),
        });
        import.take(origin, came, made)
    })?;
    let outcome = import.finish("line")?;
    told.tell(0);
    let bytes = std::fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
    let (n_new, n_newer) = Desk::open(store)?.adopt(parse_source(&bytes).issues)?;
    if n_new + n_newer > 0 {
        tell(format_args!("note: issues that are new here: {n_new}; that have changed: {n_newer}"));
    }
    Ok(outcome)
}

/// What is told beside the counts.
#[derive(Default)]
struct Told {
    n_mended: u64,
    is_torn: bool,
}

impl Told {
    fn tell(&self, n_needless: u64) {
        if self.n_mended > 0 {
            let lines = plural(self.n_mended, "line");
            tell(format_args!("note: {lines} with raw control characters made good"));
        }
        if n_needless > 0 {
            tell(format_args!("note: topics that need no record are left out: {n_needless}"));
        }
        if self.is_torn {
            tell(format_args!("note: the last line is torn, and left out until it is whole"));
        }
    }
}

/// A line of a file.
struct Text<'l> {
    /// As it came, for whoever looks at what was refused.
    came: String,
    /// As JSON, made good where it has to be; or why it is none.
    good: Result<Cow<'l, str>, RowError>,
}

impl<'l> Text<'l> {
    fn of(bytes: &'l [u8]) -> Self {
        let came = String::from_utf8_lossy(bytes).into_owned();
        let good = match std::str::from_utf8(bytes) {
            Ok(text) => {
                let good = jwz::mend(text);
                match jwz::line(&good) {
                    Ok(_) => Ok(good),
                    Err(error) => Err(refused(Code::Json, error.to_string())),
                }
            }
            Err(error) => Err(refused(Code::Utf8, error.to_string())),
        };
        Self { came, good }
    }
}

/// Hands every line of a file to `each`, with where it stands. A last line that is not whole yet is left out.
fn each_line(
    file: &Path,
    told: &mut Told,
    each: &mut dyn FnMut(String, Text<'_>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let cannot = || format!("cannot read {}", file.display());
    let opened = File::open(file).with_context(cannot)?;
    let n_bytes = opened.metadata().with_context(cannot)?.len();
    let mut gauge = Gauge::new("importing", Unit::Bytes);
    let mut lines = Lines::new(opened);
    while let Some(item) = lines.read().with_context(cannot)? {
        match item {
            Item::Line(Line { number, offset, bytes, ending }) => {
                let text = Text::of(bytes);
                if text.good.is_err() && ending == Ending::EndOfInput {
                    told.is_torn = true;
                    continue;
                }
                told.n_mended += u64::from(matches!(text.good, Ok(Cow::Owned(_))));
                each(format!("{}:{number}", file.display()), text)?;
                gauge.set(offset, n_bytes);
            }
            Item::Fault(Fault { number, kind, .. }) if kind.replaces_line() => {
                anyhow::bail!("{}:{number}: {kind}", file.display())
            }
            Item::Fault(_) => {}
        }
    }
    Ok(())
}

/// Returns the file that a store is in.
fn file_of(path: &Path, names: &[&str]) -> anyhow::Result<PathBuf> {
    if !path.is_dir() {
        return Ok(path.to_owned());
    }
    let there = names.iter().map(|name| path.join(name)).find(|file| file.is_file());
    there.with_context(|| format!("there is no {} in {}", names.join(" or "), path.display()))
}

/// Returns the topics that the log has records of.
fn known_topics(records: Option<&mut Records>) -> anyhow::Result<jwz::Topics> {
    let mut known = jwz::Topics::default();
    let Some(records) = records else { return Ok(known) };
    for found in topics::read(records, REGISTRY, Chosen::Values, usize::MAX - 1)? {
        let mut tape = weft_event::json::Tape::new();
        let record = found.read(&mut tape).and_then(|event| topics::of_record(event.value()));
        record.into_iter().for_each(|record| known.add(record));
    }
    Ok(known)
}

/// Returns when the value that the log has of a key was posted.
fn newest_ms(records: Option<&mut Records>, mark: &TopicKey) -> Result<Option<i64>, QueryError> {
    let (Some(records), Some(key)) = (records, &mark.key) else { return Ok(None) };
    let newest = topics::read(records, &mark.topic, Chosen::Key(key), 1)?;
    let posted = newest.first().and_then(Posted::of);
    Ok(posted.map(|posted| posted.posted_ns.div_euclid(NS_PER_MS)))
}

fn refused(code: Code, message: String) -> RowError {
    RowError { code, field: "", message }
}

fn no_record() -> RowError {
    refused(Code::UnknownDialect, "neither a topic nor a message".to_owned())
}
