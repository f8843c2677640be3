//! Queries and tails for the socket. Blocking reads run beside the tasks, and only so many at a time.

use std::sync::Arc;

use tokio::sync::Semaphore;
use weft_event::json::Tape;
use weft_event::problem::Problems;
use weft_log::disk::RealDisk;
use weft_log::query::{Ask, Found, Page, QueryError, Records, is_match};
use weft_log::reader::{self, ReadError};
use weft_log::{Filter, Position, Store};
use weft_runtime::loops::Briefing;

use super::answer::{Answer, Failure};
use super::request::{LoopAsk, PageAsk, Scope, TailAsk};
use super::server::Connection;
use crate::Core;
use crate::feed::Chunk;
use crate::writer::chain;

/// Records that are asked for at a time, so that a page of large ones is not in memory at once.
const TOGETHER: usize = 64;

/// Bytes of lines after which a page ends early; `next` says where the rest begins.
const PAGE_BYTES: usize = 4 << 20;

/// Records that the index may lack where a question is answered at once: they are read from the log.
const UNINDEXED_MAX: u64 = 1024;

/// Runs work that blocks beside the tasks.
pub(super) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))
}

/// Answers with a page of records.
pub(super) async fn page(core: &Core, reads: &Arc<Semaphore>, ask: PageAsk) -> Answer {
    let filter = match parse(&ask.filter, ask.scope) {
        Ok(filter) => filter,
        Err(failure) => return Answer::Failed(failure),
    };
    let n_max = core.limits().page_records_max;
    let store = core.store().clone();
    let found = in_turn(reads, move || find(store, &filter, &ask, n_max)).await;
    match found {
        Ok(page) => Answer::Records(page),
        Err(error) => Answer::Failed(Failure::Store { message: chain(&error) }),
    }
}

/// Answers with one record.
pub(super) async fn get(core: &Core, reads: &Arc<Semaphore>, position: Position) -> Answer {
    let store = core.store().clone();
    match in_turn(reads, move || Records::open(store)?.get(position)).await {
        Ok(found) => Answer::Record(found),
        Err(error) => Answer::Failed(Failure::Store { message: chain(&error) }),
    }
}

/// Answers with what the log says of a session's loop.
pub(super) async fn briefing(core: &Core, reads: &Arc<Semaphore>, ask: LoopAsk) -> Answer {
    let store = core.store().clone();
    let find = move || Briefing::of(&mut Records::open(store)?, &ask.session_id, ask.now_ns);
    briefed(in_turn(reads, find).await)
}

/// Does the same on the calling thread, which others wait for; `None` if that may take long.
pub(super) fn briefing_soon(store: &Store, ask: &LoopAsk) -> Option<Answer> {
    let find = || -> Result<Option<Briefing>, QueryError> {
        let mut records = Records::open(store.clone())?;
        match records.is_indexed_but_for(UNINDEXED_MAX)? {
            true => Briefing::of(&mut records, &ask.session_id, ask.now_ns).map(Some),
            false => Ok(None),
        }
    };
    find().transpose().map(briefed)
}

fn briefed(found: Result<Briefing, QueryError>) -> Answer {
    match found {
        Ok(briefing) => Answer::Loop(Box::new(briefing)),
        Err(error) => Answer::Failed(Failure::Store { message: chain(&error) }),
    }
}

/// Sends records as they come until the other end closes or the server ends; returns why it could not begin or go on.
pub(super) async fn tail(
    connection: &mut Connection,
    core: &Core,
    ask: TailAsk,
) -> std::io::Result<Option<Failure>> {
    let filter = match parse(&ask.filter, ask.scope) {
        Ok(filter) => filter,
        Err(failure) => return Ok(Some(failure)),
    };
    let store = core.store().clone();
    if let Err(error) = blocking(move || check_start(&store, ask.from)).await {
        return Ok(Some(Failure::Store { message: chain(&error) }));
    }
    let mut cursor = core.feed().cursor(ask.from);
    let (mut tape, mut problems) = (Tape::new(), Problems::new());
    loop {
        tokio::select! {
            () = connection.closed() => return Ok(None),
            () = core.ended() => return Ok(None),
            is_more = cursor.ready() => if !is_more { return Ok(None) },
        }
        let chunk = match cursor.read().await {
            Ok(chunk) => chunk,
            Err(error) => return Ok(Some(Failure::Store { message: chain(&error) })),
        };
        let page = matching(chunk, &filter, &mut tape, &mut problems);
        if !page.records.is_empty() || !page.lost.is_empty() {
            connection.send(&Answer::Records(page)).await?;
        }
        tokio::task::yield_now().await;
    }
}

fn parse(text: &str, scope: Scope) -> Result<Filter, Failure> {
    let now_ns = i64::try_from(jiff::Timestamp::now().as_nanosecond()).unwrap_or(i64::MAX);
    let filter = Filter::parse(text, now_ns);
    let filter = filter.map_err(|error| Failure::Request { message: error.render(text) })?;
    Ok(match scope {
        Scope::Events => filter.without_bookkeeping(),
        Scope::Everything => filter,
    })
}

/// Runs a query when it is its turn.
async fn in_turn<T: Send + 'static>(
    reads: &Arc<Semaphore>,
    work: impl FnOnce() -> T + Send + 'static,
) -> T {
    let turn = Arc::clone(reads).acquire_owned().await.expect("it is never closed");
    let done = blocking(work).await;
    drop(turn);
    done
}

fn find(store: Store, filter: &Filter, ask: &PageAsk, n_max: usize) -> Result<Page, QueryError> {
    use weft_log::query::Order;
    let mut records = Records::open(store)?;
    let (limit, order) = (ask.limit.min(n_max), ask.order);
    let (mut range, mut all, mut bytes) = (ask.range.clone(), Page::default(), 0);
    loop {
        let n = (limit - all.records.len()).min(TOGETHER);
        let page = records.page(&Ask { filter, range: range.clone(), order, limit: n })?;
        bytes += page.records.iter().map(|found| found.line.len()).sum::<usize>();
        all.records.extend(page.records);
        all.lost.extend(page.lost);
        let Some(next) = page.next else { break };
        if all.records.len() >= limit || bytes >= PAGE_BYTES {
            all.next = Some(next);
            break;
        }
        range = match order {
            Order::Ascending => next..=*range.end(),
            Order::Descending => *range.start()..=next,
        };
    }
    all.lost.sort_unstable();
    all.lost.dedup();
    Ok(all)
}

fn check_start(store: &Store, from: Position) -> Result<(), ReadError> {
    match reader::first_kept(RealDisk, store.root())? {
        Some(first) if Position::FIRST < from && from < first => {
            Err(ReadError::Pruned { position: from, first })
        }
        Some(_) | None => Ok(()),
    }
}

fn matching(chunk: Chunk, filter: &Filter, tape: &mut Tape, problems: &mut Problems) -> Page {
    let Chunk { records, lost } = chunk;
    let found = records
        .into_iter()
        .filter(|live| is_match(filter, &live.meta, &live.line, tape, problems))
        .map(|live| Found { meta: live.meta.clone(), line: live.line.to_vec() });
    Page { records: found.collect(), lost, next: None }
}
