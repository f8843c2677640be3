//! What a deletion is about to do, written down before its first step: `pruning` in the store's folder, one JSON object.

use std::fs;
use std::io::{self, Write as _};
use std::path::PathBuf;

use weft_event::json::{Json, Tape, Value};

use super::{Plan, PruneError, at, record_again, record_of, runs};
use crate::segment::{Form, SegmentName};
use crate::spool::durable;
use crate::{Position, Store};

const FILE: &str = "pruning";

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Journal {
    pub(super) runs: Vec<Run>,
    pub(super) has_blobs: bool,
}

/// Segments that follow each other; none where only something is said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Run {
    /// The prune record, so that it is the same each time it is tried.
    pub(super) record: String,
    pub(super) segments: Vec<Gone>,
}

/// One segment that goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Gone {
    pub(super) name: SegmentName,
    pub(super) number: u64,
    pub(super) first: Position,
    pub(super) next: Position,
}

/// Returns whether a deletion was begun and not ended.
pub(super) fn exists(store: &Store) -> bool {
    path(store).exists()
}

/// Writes down what a plan is about to do.
pub(super) fn write(store: &Store, plan: &Plan) -> Result<(), PruneError> {
    let runs = runs(&plan.segments).map(|run| {
        let segments = run.iter().map(|segment| {
            Json::object(|gone| {
                gone.text("name", &segment.name.file(Form::Plain));
                gone.json("number", &Json::integer(segment.number));
                gone.json("first", &Json::integer(segment.first.get()));
                gone.json("next", &Json::integer(segment.next.get()));
            })
        });
        Json::object(|object| {
            object.text("record", &record_of(run, plan.mode));
            object.json("segments", &Json::array(segments));
        })
    });
    let said_again = plan.said_again.iter().map(|pruned| {
        Json::object(|object| {
            object.text("record", &record_again(pruned));
            object.json("segments", &Json::array([]));
        })
    });
    let journal = Json::object(|journal| {
        journal.json("blobs", &Json::bool(plan.has_blobs));
        journal.json("runs", &Json::array(runs.chain(said_again)));
    });
    let path = path(store);
    at(&path, durable::replace(&path, |out| out.write_all(journal.as_str().as_bytes())))
}

/// Reads what is left to do; `None` if nothing is.
pub(super) fn read(store: &Store) -> Result<Option<Journal>, PruneError> {
    let path = path(store);
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(PruneError::Io { path, source }),
    };
    let mut tape = Tape::new();
    let journal = tape.parse(&text).ok().and_then(decode);
    journal.map(Some).ok_or(PruneError::Journal { path })
}

/// Says that all is done.
pub(super) fn remove(store: &Store) -> Result<(), PruneError> {
    let path = path(store);
    at(&path, fs::remove_file(&path))?;
    at(store.root(), durable::sync_folder(store.root()))
}

fn path(store: &Store) -> PathBuf {
    store.root().join(FILE)
}

fn decode(journal: Value<'_>) -> Option<Journal> {
    let gone = |gone: Value<'_>| {
        let position = |name| Position::new(gone.get(name)?.as_u64()?);
        Some(Gone {
            name: SegmentName::parse(&gone.text_at("name")?)?.0,
            number: gone.get("number")?.as_u64()?,
            first: position("first")?,
            next: position("next")?,
        })
    };
    let run = |run: Value<'_>| {
        let record = run.text_at("record")?.into_owned();
        let segments = run.get("segments")?.items().map(gone).collect::<Option<_>>()?;
        Some(Run { record, segments })
    };
    let runs = journal.get("runs")?.items().map(run).collect::<Option<_>>()?;
    Some(Journal { runs, has_blobs: journal.get("blobs")?.as_bool()? })
}
