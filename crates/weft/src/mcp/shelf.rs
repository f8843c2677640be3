//! The log for one call: through the server that runs on the store, or on its folder where none does. Nothing is held between calls,
//! so that a server may come and go meanwhile.

use std::time::Duration;

use uuid::Uuid;
use weft_event::Dialect;
use weft_log::admit::Admitted;
use weft_log::disk::RealDisk;
use weft_log::log::{Batch, Durability, Log};
use weft_log::query::{Found, Page, Records};
use weft_log::rejected::Rejected;
use weft_log::spool::{self, Entry};
use weft_log::{Filter, Position, Store, reader};
use weft_server::mcp::{Kept, NotAdmitted, Seen, Shelf, ShelfError, VIA, admit, aside};
use weft_server::reads::{self, Question};
use weft_server::socket::answer::{Appended, Fate};
use weft_server::socket::client::Client;
use weft_server::socket::request::{Append, Sent};
use weft_server::views::{self, Ask, Judgement, Moment, fold_at};

use crate::emit::may_pass;
use crate::output::tell_error;
use crate::records;
use crate::stores::{self, StoreArgs};
use crate::writing::is_gone;

/// How long an event waits for another process to let go of the store before it goes to the spool.
const PATIENCE: Duration = Duration::from_secs(2);

/// How long the server may take for its answer before the event goes another way.
const ANSWER_PATIENCE: Duration = Duration::from_secs(10);

/// A store that commands would use.
#[derive(Clone)]
pub(super) struct CommandShelf {
    pub(super) store: StoreArgs,
}

impl Shelf for CommandShelf {
    async fn put(&self, lines: Vec<String>) -> Result<Vec<Kept>, ShelfError> {
        let args = self.store.clone();
        aside(move || put(&args, &lines)).await
    }

    async fn find(&self, question: Question) -> Result<Seen<Page>, ShelfError> {
        let args = self.store.clone();
        aside(move || {
            let filter = question.filter.clone();
            let found = see(&args, &filter, |records, _| Ok(reads::page(records, question)?));
            found.map_err(ShelfError::failed)
        })
        .await
    }

    async fn get(&self, position: Position) -> Result<Seen<Option<Found>>, ShelfError> {
        let args = self.store.clone();
        aside(move || {
            let found = see(&args, &Filter::all(), |records, first| {
                Ok(if position.get() < first { None } else { records.get(position)? })
            });
            found.map_err(ShelfError::failed)
        })
        .await
    }

    async fn view(&self, ask: Ask) -> Result<views::Seen, ShelfError> {
        let args = self.store.clone();
        aside(move || view(&args, &ask).map_err(ShelfError::failed)).await
    }
}

/// Folds the views of the store. One that nobody has made yet is empty.
fn view(args: &StoreArgs, ask: &Ask) -> anyhow::Result<views::Seen> {
    if Store::open(&args.folder()?).is_err() {
        return Ok(views::Seen::default());
    }
    let (fold, _) = fold_at(&args.store()?, Moment::Now, ask.now_ns)?;
    Ok(views::Seen::of(&fold, ask, &Judgement::default()))
}

/// Looks into the store. One that nobody has made yet is empty.
fn see<T: Default>(
    args: &StoreArgs,
    filter: &Filter,
    look: impl FnOnce(&mut Records, u64) -> anyhow::Result<T>,
) -> anyhow::Result<Seen<T>> {
    let folder = args.folder()?;
    if Store::open(&folder).is_err() {
        return Ok(Seen { store_id: String::new(), first: 1, found: T::default() });
    }
    let mut records = records::open(args, filter)?;
    let store_id = records.head().store.clone();
    let first = reader::first_kept(RealDisk, &folder)?.map_or(1, Position::get);
    Ok(Seen { store_id, first, found: look(&mut records, first)? })
}

fn put(args: &StoreArgs, lines: &[String]) -> Result<Vec<Kept>, ShelfError> {
    let store = args.make().map_err(ShelfError::failed)?;
    let events = match admit(&store, lines) {
        Ok(events) => events,
        Err(NotAdmitted::Failed(error)) => return Err(ShelfError::failed(error)),
        Err(NotAdmitted::Refused { problems, refusal }) => {
            if let Err(error) = Rejected::new(&store).put(&[*refusal]) {
                tell_error(&anyhow::Error::new(error).context("cannot keep what was refused"));
            }
            return Err(ShelfError::Refused { problems });
        }
    };
    let ids: Vec<Uuid> = lines.iter().map(|_| Uuid::now_v7()).collect();
    let kept = match through_server(&store, lines, &ids).map_err(ShelfError::failed)? {
        Way::Done(kept) => return Ok(kept),
        Way::NoServer => into_folder(&store, events).map_err(ShelfError::failed)?,
        Way::Busy => None,
    };
    match kept {
        Some(kept) => Ok(kept),
        None => into_spool(&store, lines, &ids).map_err(ShelfError::failed),
    }
}

/// What came of the way through the server.
enum Way {
    Done(Vec<Kept>),
    NoServer,
    Busy,
}

fn through_server(store: &Store, lines: &[String], ids: &[Uuid]) -> anyhow::Result<Way> {
    let sent = lines.iter().zip(ids).map(|(line, id)| Sent {
        line: line.as_bytes(),
        via: None,
        dialect: Some(Dialect::Collector),
        delivery: Some(Entry::delivery(*id).into()),
        topic: None,
    });
    let append = Append {
        via: VIA.into(),
        durability: Durability::Synced,
        patience: Some(PATIENCE),
        conditions: Vec::new(),
        events: sent.collect(),
    };
    let appended = Client::of_store(store.root(), ANSWER_PATIENCE)
        .and_then(|mut client| client.append(&append));
    match appended {
        Ok(Appended { fates, .. }) => {
            let kept = fates.into_iter().map(|fate| match fate {
                Fate::Kept { outcome, .. } => Ok(Kept::Logged(outcome)),
                Fate::Refused { id, reasons } => {
                    let why = reasons.first().map_or("", |reason| reason.message.as_str());
                    anyhow::bail!(
                        "the server refuses the event ({why}); it is kept: weft rejects show {id}"
                    )
                }
            });
            Ok(Way::Done(kept.collect::<anyhow::Result<_>>()?))
        }
        Err(error) if is_gone(&error) => Ok(Way::NoServer),
        Err(error) => {
            tell_error(&error.into());
            Ok(Way::Busy)
        }
    }
}

/// Appends to the log itself; `None` if that cannot be had now.
fn into_folder(store: &Store, events: Vec<Admitted>) -> anyhow::Result<Option<Vec<Kept>>> {
    let log = match Log::open(store.clone(), stores::briefly(PATIENCE), &mut |_| {}) {
        Ok(log) => log,
        Err(error) if may_pass(&error) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    stores::tell_findings(&log.take_findings());
    let batch = Batch { events, conditions: Vec::new(), durability: Durability::Synced };
    let answer = match log.append(batch) {
        Ok(answer) => answer,
        // Whether the events are in the log or not, the spool is safe: a repeat is recognised.
        Err(error) => {
            tell_error(&error.into());
            return Ok(None);
        }
    };
    if let Err(error) = log.close() {
        let error = anyhow::Error::new(error);
        tell_error(&error.context("the event is stored, and not indexed yet"));
    }
    Ok(Some(answer.outcomes.into_iter().map(Kept::Logged).collect()))
}

fn into_spool(store: &Store, lines: &[String], ids: &[Uuid]) -> anyhow::Result<Vec<Kept>> {
    let at_us = jiff::Timestamp::now().as_microsecond();
    for (line, id) in lines.iter().zip(ids) {
        let (via, line) = (VIA.into(), line.as_bytes());
        let dialect = Some(Dialect::Collector);
        spool::put(store, &Entry { at_us, via, id: *id, dialect, topic: None, line })?;
    }
    Ok(vec![Kept::Spooled; lines.len()])
}
