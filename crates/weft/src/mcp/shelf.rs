//! The log for one call: through the server that runs on the store, or on its folder where none does. Nothing is held between calls,
//! so that a server may come and go meanwhile.

use std::borrow::Cow;
use std::time::Duration;

use uuid::Uuid;
use weft_log::admit::Admitted;
use weft_log::disk::RealDisk;
use weft_log::log::{Batch, Durability, Log};
use weft_log::query::{Found, Page, QueryError, Records};
use weft_log::rejected::Rejected;
use weft_log::spool::{self, Entry};
use weft_log::{Filter, Position, Store, reader};
use weft_server::mcp::{Kept, NotAdmitted, Put, Seen, Shelf, ShelfError, VIA, admit, aside};
use weft_server::reads::{self, Question};
use weft_server::socket::answer::{Appended, Fate};
use weft_server::socket::client::Client;
use weft_server::socket::request::{Append, Sent};
use weft_server::views::{self, Ask, Moment, fold_at};

use crate::config;
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
    async fn put(&self, events: Vec<Put>) -> Result<Vec<Kept>, ShelfError> {
        let args = self.store.clone();
        aside(move || put(&args, &events)).await
    }

    async fn look<T: Default + Send + 'static>(
        &self,
        work: impl FnOnce(&mut Records) -> Result<T, QueryError> + Send + 'static,
    ) -> Result<T, ShelfError> {
        let args = self.store.clone();
        aside(move || {
            let seen = see(&args, &Filter::all(), |records, _| Ok(work(records)?));
            seen.map(|seen| seen.found).map_err(ShelfError::failed)
        })
        .await
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
    let store = args.store()?;
    let (fold, _) = fold_at(&store, Moment::Now, ask.now_ns)?;
    Ok(views::Seen::of(&fold, ask, &config::judgement(&store)))
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

fn put(args: &StoreArgs, events: &[Put]) -> Result<Vec<Kept>, ShelfError> {
    let store = args.make().map_err(ShelfError::failed)?;
    let admitted = match admit(&store, events) {
        Ok(admitted) => admitted,
        Err(NotAdmitted::Failed(error)) => return Err(ShelfError::failed(error)),
        Err(NotAdmitted::Refused { problems, refusal }) => {
            if let Err(error) = Rejected::new(&store).put(&[*refusal]) {
                tell_error(&anyhow::Error::new(error).context("cannot keep what was refused"));
            }
            return Err(ShelfError::Refused { problems });
        }
    };
    let ids: Vec<Uuid> = events.iter().map(|_| Uuid::now_v7()).collect();
    let kept = match through_server(&store, events, &ids).map_err(ShelfError::failed)? {
        Way::Done(kept) => return Ok(kept),
        Way::NoServer => into_folder(&store, admitted).map_err(ShelfError::failed)?,
        Way::Busy => None,
    };
    match kept {
        Some(kept) => Ok(kept),
        None => into_spool(&store, events, &ids).map_err(ShelfError::failed),
    }
}

/// What came of the way through the server.
enum Way {
    Done(Vec<Kept>),
    NoServer,
    Busy,
}

fn through_server(store: &Store, events: &[Put], ids: &[Uuid]) -> anyhow::Result<Way> {
    let sent = events.iter().zip(ids).map(|(put, id)| Sent {
        line: put.line.as_bytes(),
        via: None,
        dialect: Some(put.dialect),
        delivery: Some(Entry::delivery(*id).into()),
        topic: put.topic.as_ref().map(Cow::Borrowed),
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

fn into_spool(store: &Store, events: &[Put], ids: &[Uuid]) -> anyhow::Result<Vec<Kept>> {
    let at_us = jiff::Timestamp::now().as_microsecond();
    for (put, id) in events.iter().zip(ids) {
        let (via, line, topic) = (VIA.into(), put.line.as_bytes(), put.topic.clone());
        let dialect = Some(put.dialect);
        spool::put(store, &Entry { at_us, via, id: *id, dialect, topic, line })?;
    }
    Ok(vec![Kept::Spooled; events.len()])
}
