//! The views of a running server: one thread takes in what the feed gives, and whoever asks sees a state between two of its steps.
//!
//! The thread begins at the newest snapshot, and again where the log was pruned or redacted. Until it has caught up, every answer
//! says how far behind it is.

use std::borrow::Borrow;
use std::collections::VecDeque;
use std::sync::{
    Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard,
};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::MissedTickBehavior;
use weft_log::disk::RealDisk;
use weft_log::priority::{step_back, step_far_back, yield_turn};
use weft_log::reader::{ReadError, Reader};
use weft_log::{Meta, Position, Store};
use weft_view::Views;
use weft_view::inbox::{Need, needs};

use super::past::Pasts;
use super::{Ask, Fold, FoldError, Judgement, Moment, Page};
use crate::Core;
use crate::feed::{Chunk, Cursor};

/// How often it is looked whether the log was pruned or redacted.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Steps that wait for the thread that folds.
const STEPS_MAX: usize = 2;

/// Pages that are remembered for those who follow views.
const RECENT_MAX: usize = 64;

/// How long an answer waits for what was just stored.
const CATCH_UP: Duration = Duration::from_millis(500);

/// Further behind than this, as after a start without a snapshot, it would not get there: it waits for anything at all.
const CATCH_UP_RECORDS_MAX: u64 = 20_000;

/// How long records gather that nobody waits for, so that the thread that folds is not woken for each.
const GATHER: Duration = Duration::from_millis(40);

/// So many records are taken in without waiting for more.
const GATHER_RECORDS_MAX: u64 = 1000;

/// How long the thread that folds lets others go before it, at a time.
const LET_IN: Duration = Duration::from_millis(100);

/// The views of a server. Cheap to clone.
#[derive(Clone)]
pub struct Live {
    shared: Arc<Shared>,
    upto: watch::Receiver<u64>,
}

struct Shared {
    /// `None` until the first snapshot was looked for.
    fold: RwLock<Option<Fold>>,
    /// How many wait to look at it, and what is told when one of them does.
    n_waiting: Mutex<usize>,
    is_let_in: Condvar,
    upto: watch::Sender<u64>,
    /// The last position that anybody waits for.
    wanted: watch::Sender<u64>,
    judgement: Judgement,
    /// Pages that were made a moment ago: all who follow a view are told the same.
    recent: Mutex<VecDeque<Recent>>,
    /// What was asked for of the past: all panels of one page are of one position.
    pasts: Pasts,
}

/// A page that was made a moment ago.
struct Recent {
    ask: Ask,
    made: Instant,
    seen: Arc<Seen>,
}

/// Rows of a view, and where in the log that was so.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// The position up to which the log was taken in; 0 before the first.
    pub upto: u64,
    /// When the last record up to there was received, in nanoseconds since 1970.
    pub received_ns: i64,
    /// The rows.
    pub page: Page,
}

impl Seen {
    /// Returns the rows of a fold.
    pub fn of(fold: &Fold, ask: &Ask, judgement: &Judgement) -> Self {
        let page = Page::of(fold.views(), ask, judgement);
        Self { upto: fold.upto(), received_ns: fold.views().received_ns(), page }
    }
}

impl Live {
    /// Returns views that nothing was taken into yet.
    pub fn new(judgement: Judgement) -> Self {
        let (tell, upto) = watch::channel(0);
        let shared = Shared {
            fold: RwLock::new(None),
            n_waiting: Mutex::default(),
            is_let_in: Condvar::new(),
            upto: tell,
            wanted: watch::Sender::new(0),
            judgement,
            recent: Mutex::default(),
            pasts: Pasts::default(),
        };
        Self { shared: Arc::new(shared), upto }
    }

    /// Returns the position up to which the log was taken in; 0 before the first.
    pub fn upto(&self) -> u64 {
        *self.upto.borrow()
    }

    /// Waits until the log is taken in up to a position, which is seen to at once; returns whether it ever will be.
    pub async fn reached(&self, position: u64) -> bool {
        self.shared.wanted.send_if_modified(|wanted| {
            let is_more = position > *wanted;
            *wanted = position.max(*wanted);
            is_more
        });
        self.upto.clone().wait_for(|upto| *upto >= position).await.is_ok()
    }

    /// Waits until more is taken in than when this handle last waited; returns whether it ever will be.
    pub async fn changed(&mut self) -> bool {
        self.upto.changed().await.is_ok()
    }

    /// Returns rows as they are now. It takes a moment, for which nothing is taken in.
    pub fn page(&self, ask: &Ask) -> Seen {
        let fold = self.read();
        fold.as_ref().map_or_else(Seen::default, |fold| Seen::of(fold, ask, self.judgement()))
    }

    /// Returns rows as they are now, or as they were no longer ago than `age_max`; as many as have so many bytes.
    pub(crate) fn recent_page(&self, ask: &Ask, age_max: Duration, bytes_max: usize) -> Arc<Seen> {
        let mut recent = lock(&self.shared.recent);
        recent.retain(|page| page.made.elapsed() < age_max);
        let is_same = |page: &&Recent| Ask { now_ns: ask.now_ns, ..page.ask } == *ask;
        if let Some(page) = recent.iter().find(is_same) {
            return Arc::clone(&page.seen);
        }
        let mut seen = self.page(ask);
        seen.page.cut(bytes_max);
        let seen = Arc::new(seen);
        recent.truncate(RECENT_MAX - 1);
        recent.push_front(Recent { ask: *ask, made: Instant::now(), seen: Arc::clone(&seen) });
        seen
    }

    /// Returns the views at a moment of the log, and what time it was then: `now_ns` now. What was asked for a moment ago is not
    /// folded again. Reads the disk.
    pub fn then(
        &self,
        store: &Store,
        moment: Moment,
        now_ns: i64,
    ) -> Result<(Arc<Fold>, i64), FoldError> {
        self.shared.pasts.fold_at(store, moment, now_ns)
    }

    /// Looks at the views as they are now; `None` before any were folded. For as long as it takes nothing is taken in.
    pub(crate) fn look<T>(&self, look: impl FnOnce(&Views, &Judgement) -> T) -> Option<T> {
        self.read().as_ref().map(|fold| look(fold.views(), self.judgement()))
    }

    /// Returns what needs a person now, the worst first. It takes a moment, for which nothing is taken in.
    pub fn needs(&self, now_ns: i64) -> Vec<Need> {
        self.look(|views, judgement| needs(views, now_ns, judgement)).unwrap_or_default()
    }

    /// Returns what views are judged by.
    pub fn judgement(&self) -> &Judgement {
        &self.shared.judgement
    }

    fn read(&self) -> RwLockReadGuard<'_, Option<Fold>> {
        *lock(&self.shared.n_waiting) += 1;
        let fold = self.shared.fold.read().unwrap_or_else(PoisonError::into_inner);
        *lock(&self.shared.n_waiting) -= 1;
        self.shared.is_let_in.notify_all();
        fold
    }

    /// Waits for the fold until all who waited for it before look at it: whoever lets a lock go and takes it again at once is there
    /// before those who have to be woken for it, and while there is much to take in they would get it a few times a minute.
    fn write(&self) -> RwLockWriteGuard<'_, Option<Fold>> {
        let n_waiting = lock(&self.shared.n_waiting);
        let let_in = self.shared.is_let_in.wait_timeout_while(n_waiting, LET_IN, |n| *n > 0);
        drop(let_in.unwrap_or_else(PoisonError::into_inner));
        self.shared.fold.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, fold: Fold) {
        let upto = fold.upto();
        *self.write() = Some(fold);
        self.shared.upto.send_replace(upto);
    }
}

/// Waits until what was just stored is taken in, for a moment at most.
pub(crate) async fn caught_up(core: &Core) {
    let (live, last) = (core.views(), core.last());
    let is_far = last.saturating_sub(live.upto()) > CATCH_UP_RECORDS_MAX;
    let wanted = if is_far { 1 } else { last };
    drop(tokio::time::timeout(CATCH_UP, live.reached(wanted)).await);
}

/// Returns rows as they are, with what was stored before they were asked for if that does not take long.
pub(crate) async fn now(core: &Core, ask: Ask) -> Seen {
    let live = core.views().clone();
    caught_up(core).await;
    core.reads().aside(move |_| live.page(&ask)).await
}

/// What the thread that folds is given.
enum Step {
    /// Records, and the position after them.
    Take(Chunk, Position),
    /// More than the feed has, up to a position: it is read from the log.
    Read(Position),
    /// A moment has passed: the log may be another than it was.
    Look,
}

/// Keeps the views of a server up to date until it ends.
pub async fn follow(core: Core) {
    while !core.is_ended() {
        // The log is read again a moment later; what cannot be read now stays unread.
        if let Err(error) = follow_once(&core).await {
            tracing::warn!("cannot keep the views up to date: {error}");
            drop(tokio::time::timeout(LOOK_EVERY, core.ended()).await);
        }
    }
}

/// Takes in everything from a snapshot on, until the server ends or the log is no longer what it was.
async fn follow_once(core: &Core) -> Result<(), ReadError> {
    let (begin, begun) = oneshot::channel();
    let (steps, todo) = mpsc::channel(STEPS_MAX);
    let (live, store) = (core.views().clone(), core.store().clone());
    let end = Position::new(core.feed().last()).unwrap_or(Position::FIRST);
    // A thread of its own: it steps back behind those that somebody waits for.
    let thread = thread::spawn(move || fold_steps(&live, &store, end, begin, todo));
    let Ok(next) = begun.await else { return ended(thread) };
    let mut cursor = core.feed().cursor(next?);
    let mut ticks = tokio::time::interval(LOOK_EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let step = tokio::select! {
            () = core.ended() => return Ok(()),
            _ = ticks.tick() => Step::Look,
            is_ready = gathered(core, &mut cursor) => {
                if !is_ready {
                    return Ok(());
                }
                let last = Position::new(core.feed().last());
                match last.filter(|_| !core.feed().keeps(cursor.next())) {
                    Some(last) => {
                        cursor = core.feed().cursor(last.plus(1));
                        Step::Read(last)
                    }
                    None => {
                        let chunk = cursor.read().await?;
                        Step::Take(chunk, cursor.next())
                    }
                }
            }
        };
        tokio::select! {
            () = core.ended() => return Ok(()),
            sent = steps.send(step) => if sent.is_err() {
                return ended(thread);
            },
        }
    }
}

/// Waits until there is something to take in, and for a moment for what comes with it. Returns whether there ever will be.
async fn gathered(core: &Core, cursor: &mut Cursor) -> bool {
    if !cursor.ready().await {
        return false;
    }
    let next = cursor.next().get();
    let n_there = (core.feed().last() + 1).saturating_sub(next);
    gather(n_there, next, core.views().shared.wanted.subscribe()).await;
    true
}

/// Lets records gather beside those that are there, unless these are many or somebody waits for the next of them.
async fn gather(n_there: u64, next: u64, mut wanted: watch::Receiver<u64>) {
    if n_there < GATHER_RECORDS_MAX {
        let waited_for = wanted.wait_for(|wanted| *wanted >= next);
        // Whether somebody waits, or nobody for this long, it is time.
        drop(tokio::time::timeout(GATHER, waited_for).await);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Passes on why a thread has ended.
fn ended(thread: JoinHandle<Result<(), ReadError>>) -> Result<(), ReadError> {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// Folds the log up to its `end`, tells the position after it, and goes on with what it is given for as long as the log is what it
/// was.
fn fold_steps(
    live: &Live,
    store: &Store,
    end: Position,
    begin: oneshot::Sender<Result<Position, ReadError>>,
    mut todo: mpsc::Receiver<Step>,
) -> Result<(), ReadError> {
    step_back();
    let next = Fold::usual(store, end).map(|fold| {
        let next = Position::FIRST.plus(fold.upto());
        live.put(fold);
        next
    });
    let is_folded = next.is_ok();
    if begin.send(next).is_err() || !is_folded {
        return Ok(());
    }
    while let Some(step) = todo.blocking_recv() {
        match step {
            Step::Take(chunk, next) => {
                let records = chunk.records.iter().map(|record| (&record.meta, &record.line[..]));
                take(live, records, next, next);
            }
            // Far behind it is the only one that has work for seconds: whoever else has some goes before it.
            Step::Read(end) => thread::scope(|scope| {
                let reading = scope.spawn(|| {
                    step_far_back();
                    read(live, store, end, || !todo.is_closed())
                });
                reading.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            })?,
            Step::Look => {
                live.shared.pasts.forget_old();
                if live.read().as_ref().is_some_and(|fold| !fold.is_current(store)) {
                    return Ok(());
                }
            }
        }
    }
    Ok(())
}

/// Takes in what the log has up to a position, as long as it is wanted.
fn read(
    live: &Live,
    store: &Store,
    end: Position,
    is_wanted: impl Fn() -> bool,
) -> Result<(), ReadError> {
    let next = Position::FIRST.plus(live.upto());
    let mut reader = Reader::open(RealDisk, store.root().to_owned(), next)?;
    while is_wanted()
        && let Some(batch) = reader.read()?
    {
        let next = batch.mileage.next;
        let records = batch.records().map(|(record, _)| (record.meta, record.line));
        take(live, records, next, end.max(next));
        if next > end {
            break;
        }
    }
    Ok(())
}

/// Takes records in, up to `next`, of a log that goes up to `end`. While a snapshot is written, whoever asks for rows is answered.
fn take<'l, M: Borrow<Meta>>(
    live: &Live,
    records: impl Iterator<Item = (M, &'l [u8])>,
    next: Position,
    end: Position,
) {
    let mut records = records.peekable();
    loop {
        let mut guard = live.write();
        let Some(fold) = guard.as_mut() else { return };
        fold.leave_snapshots(end);
        while let Some((meta, line)) =
            records.next_if(|(meta, _)| fold.owed(meta.borrow().position).is_none())
        {
            fold.take(meta.borrow(), line);
            yield_turn();
        }
        let upcoming = records.peek().map_or(next, |(meta, _)| meta.borrow().position);
        let Some(due) = fold.owed(upcoming) else {
            fold.pass(next);
            live.shared.upto.send_replace(fold.upto());
            return;
        };
        drop(guard);
        if let Some(fold) = live.read().as_ref() {
            fold.leave(due);
        }
        if let Some(fold) = live.write().as_mut() {
            fold.settle(due);
        }
    }
}

#[cfg(test)]
mod tests;
