//! What is in the log, as it comes: the newest records are kept in memory once for every stream and subscription. The writer hands
//! over what it wrote; a thread reads the rest, such as what other processes wrote. Whoever is further behind reads the log itself,
//! and where all are, nothing is kept for them.

use std::cmp::Ordering;
use std::collections::VecDeque;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::{Semaphore, watch};
use weft_log::disk::RealDisk;
use weft_log::log::Written;
use weft_log::reader::{Mileage, ReadError, Reader, read_head};
use weft_log::{Meta, Position, Store};

/// How long at most a record of another process goes unnoticed.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// Bytes that a reader is given at a time where it does not say.
const CHUNK_BYTES: usize = 256 << 10;

/// A reader of the log itself that lacks fewer records than this is about to be near.
const NEAR_RECORDS: u64 = 1000;

/// Readers that read the log itself at a time. Each needs memory for a group of it while it does.
const HISTORIES_MAX: usize = 8;

/// A record as streams and subscriptions are given it.
#[derive(Clone, Debug)]
pub struct Live {
    /// What Weft adds.
    pub meta: Meta,
    /// The event, as it came.
    pub line: Bytes,
}

impl Live {
    /// Returns it for whoever keeps it longer than those around it, with which it shares memory.
    pub(crate) fn apart(&self) -> Arc<Self> {
        let Self { meta, line } = self;
        Arc::new(Self { meta: meta.clone(), line: Bytes::copy_from_slice(line) })
    }
}

/// Records that follow each other.
#[derive(Clone, Debug, Default)]
pub struct Chunk {
    /// The records, in order.
    pub records: Vec<Arc<Live>>,
    /// Positions among them whose records are damaged or gone.
    pub lost: Vec<(Position, Position)>,
}

/// Tells the feed what was written. Cheap to clone.
#[derive(Clone)]
pub struct Waker {
    shared: Arc<Shared>,
    wake: SyncSender<()>,
}

impl Waker {
    /// Says that there may be more in the log.
    pub fn wake(&self) {
        match self.wake.try_send(()) {
            // One call that waits says all that a second could; a feed that ended needs none.
            Ok(()) | Err(TrySendError::Full(()) | TrySendError::Disconnected(())) => {}
        }
    }

    /// Hands over what was written. What stands in the log before it and did not come this way is read there first.
    pub fn give(&self, written: Written) {
        let mut recent = lock(&self.shared.recent);
        match written.first().cmp(&recent.mileage.next) {
            Ordering::Equal => {
                let last = recent.take(written, self.shared.keep_bytes());
                drop(recent);
                self.shared.tell(last);
            }
            Ordering::Greater => {
                drop(recent);
                self.wake();
            }
            // The thread was faster.
            Ordering::Less => {}
        }
    }
}

/// The newest records, and how far the log goes. Cheap to clone.
#[derive(Clone)]
pub struct Feed {
    shared: Arc<Shared>,
    last: watch::Receiver<u64>,
}

struct Shared {
    store: Store,
    recent: Mutex<Recent>,
    /// The last position that is durable.
    last: watch::Sender<u64>,
    recent_bytes_max: usize,
    /// Readers that are given the newest records, or wait for what comes.
    n_near: AtomicUsize,
    histories: Arc<Semaphore>,
}

/// The newest records. All from `first` on are here but those that are lost.
struct Recent {
    first: u64,
    /// Up to where the log is known.
    mileage: Mileage,
    records: VecDeque<Arc<Live>>,
    lost: VecDeque<(Position, Position)>,
    bytes: usize,
}

/// The feed's thread. It ends when its [`Waker`]s are dropped.
pub struct FeedThread(JoinHandle<()>);

impl FeedThread {
    /// Waits for the end of the thread.
    pub fn join(self) {
        if let Err(panic) = self.0.join() {
            std::panic::resume_unwind(panic);
        }
    }
}

/// Begins to follow a store from its end.
pub fn start(
    store: Store,
    recent_bytes_max: usize,
) -> Result<(Feed, Waker, FeedThread), ReadError> {
    let head = read_head(&RealDisk, store.root())?;
    let (tell, last) = watch::channel(head.next.get() - 1);
    let (next, segment, offset, hash) = (head.next, head.number, head.end, Some(head.hash));
    let recent = Recent {
        first: head.next.get(),
        mileage: Mileage { next, segment, offset, hash },
        records: VecDeque::new(),
        lost: VecDeque::new(),
        bytes: 0,
    };
    let (recent, histories) = (Mutex::new(recent), Arc::new(Semaphore::new(HISTORIES_MAX)));
    let n_near = AtomicUsize::new(0);
    let shared = Shared { store, recent, last: tell, recent_bytes_max, n_near, histories };
    let shared = Arc::new(shared);
    let (wake, woken) = sync_channel(1);
    let feed = Feed { shared: Arc::clone(&shared), last };
    let waker = Waker { shared: Arc::clone(&shared), wake };
    let thread = thread::spawn(move || follow(&shared, &woken));
    Ok((feed, waker, FeedThread(thread)))
}

fn follow(shared: &Shared, woken: &Receiver<()>) {
    use std::sync::mpsc::RecvTimeoutError;
    loop {
        // The store is read again at the next look; what cannot be read now stays unread, and nothing is skipped.
        if let Err(error) = read_on(shared) {
            tracing::warn!("cannot follow the log: {error}");
        }
        match woken.recv_timeout(LOOK_EVERY) {
            Ok(()) | Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

/// Reads everything that is new in the log and was not handed over.
fn read_on(shared: &Shared) -> Result<(), ReadError> {
    let root = || shared.store.root().to_owned();
    let head = read_head(&RealDisk, shared.store.root())?;
    let known = lock(&shared.recent).mileage;
    if head.next <= known.next {
        return Ok(());
    }
    let mut reader = match Reader::resume(RealDisk, root(), known)? {
        Some(reader) => reader,
        None => Reader::open(RealDisk, root(), known.next)?,
    };
    while let Some(batch) = reader.read()? {
        let chunk = Chunk::of(batch.records(), batch.lost());
        let last = lock(&shared.recent).add(chunk, batch.mileage, shared.keep_bytes());
        shared.tell(last);
    }
    Ok(())
}

impl Shared {
    /// Returns how many bytes of the newest records are kept: none where nobody reads them. Who comes near at this moment finds that
    /// they are gone, and reads the log.
    fn keep_bytes(&self) -> usize {
        if self.n_near.load(Relaxed) == 0 { 0 } else { self.recent_bytes_max }
    }

    /// Says how far the log is known, unless somebody has told of more meanwhile.
    fn tell(&self, known: u64) {
        self.last.send_if_modified(|last| {
            let is_more = known > *last;
            *last = known.max(*last);
            is_more
        });
    }
}

impl Chunk {
    fn of<'b>(
        records: impl Iterator<Item = (weft_log::Record<'b>, weft_log::reader::Place)>,
        lost: impl Iterator<Item = (Position, Position)>,
    ) -> Self {
        let live = |(record, _): (weft_log::Record<'b>, _)| {
            Arc::new(Live { meta: record.meta, line: Bytes::copy_from_slice(record.line) })
        };
        Self { records: records.map(live).collect(), lost: lost.collect() }
    }

    fn bytes(&self) -> usize {
        self.records.iter().map(|record| record.line.len()).sum()
    }

    /// Leaves out what is before a position.
    fn begin_at(&mut self, from: Position) {
        self.records.retain(|record| record.meta.position >= from);
        self.lost.retain(|(_, last)| *last >= from);
    }

    /// Leaves out what is behind a position. Of what is lost, only what begins behind it is: a run is told whole.
    fn end_at(&mut self, upto: Position) {
        self.records.retain(|record| record.meta.position <= upto);
        self.lost.retain(|(first, _)| *first <= upto);
    }

    /// Cuts it off where it is larger than so many bytes; returns the last position that is left if it was.
    fn cut(&mut self, bytes_max: usize) -> Option<Position> {
        let n = n_within(self.records.iter(), bytes_max);
        if n == self.records.len() {
            return None;
        }
        let upto = self.records[n - 1].meta.position;
        self.end_at(upto);
        Some(upto)
    }
}

impl Recent {
    /// Adds what was read, as far as it was not handed over meanwhile; returns the last position that is known.
    fn add(&mut self, mut chunk: Chunk, upto: Mileage, bytes_max: usize) -> u64 {
        if upto.next > self.mileage.next {
            chunk.begin_at(self.mileage.next);
            self.bytes += chunk.bytes();
            self.records.extend(chunk.records);
            self.lost.extend(chunk.lost);
            self.mileage = upto;
            self.forget(bytes_max);
        }
        self.mileage.next.get() - 1
    }

    /// Adds what was handed over; returns the last position of it.
    fn take(&mut self, written: Written, bytes_max: usize) -> u64 {
        self.mileage = written.mileage;
        if bytes_max == 0 {
            self.forget_all();
            return self.mileage.next.get() - 1;
        }
        for (meta, line) in written.into_records() {
            self.bytes += line.len();
            self.records.push_back(Arc::new(Live { meta, line }));
        }
        self.forget(bytes_max);
        self.mileage.next.get() - 1
    }

    /// Lets go of all records, also of those that were never here.
    fn forget_all(&mut self) {
        (self.records, self.lost, self.bytes) = (VecDeque::new(), VecDeque::new(), 0);
        self.first = self.mileage.next.get();
    }

    /// Lets go of the oldest records.
    fn forget(&mut self, bytes_max: usize) {
        while self.bytes > bytes_max
            && let Some(oldest) = self.records.pop_front()
        {
            self.bytes -= oldest.line.len();
            self.first = oldest.meta.position.get() + 1;
        }
        while self.lost.pop_front_if(|(_, last)| last.get() < self.first).is_some() {}
    }

    /// Returns the records from a position on, up to about so many bytes, and the last position that this tells of: `last` where there
    /// are none; `None` if they are no longer here.
    fn from(&self, next: Position, last: Position, bytes_max: usize) -> Option<(Chunk, Position)> {
        if next.get() < self.first {
            return None;
        }
        let start = self.records.partition_point(|record| record.meta.position < next);
        let n = n_within(self.records.range(start..), bytes_max);
        let records: Vec<_> = self.records.range(start..start + n).cloned().collect();
        let upto = records.last().map_or(last, |record| record.meta.position);
        let lost = self.lost.iter().copied().filter(|(_, last)| *last >= next).collect();
        let mut chunk = Chunk { records, lost };
        chunk.end_at(upto);
        Some((chunk, upto))
    }
}

impl Feed {
    /// Returns the last position that is durable; 0 in an empty log.
    pub fn last(&self) -> u64 {
        *self.last.borrow()
    }

    /// Returns whether the records from a position on are in memory.
    pub fn keeps(&self, next: Position) -> bool {
        lock(&self.shared.recent).first <= next.get()
    }

    /// Returns a reader from a position on.
    pub fn cursor(&self, next: Position) -> Cursor {
        Cursor { feed: self.clone(), next, history: None, near: None }
    }
}

/// A reader that is given the newest records, as long as it is.
struct Near(Arc<Shared>);

impl Near {
    fn new(feed: &Feed) -> Self {
        feed.shared.n_near.fetch_add(1, Relaxed);
        Self(Arc::clone(&feed.shared))
    }
}

impl Drop for Near {
    fn drop(&mut self) {
        self.0.n_near.fetch_sub(1, Relaxed);
    }
}

/// A reader of the feed at its own pace.
pub struct Cursor {
    feed: Feed,
    next: Position,
    /// Up to where groups of the log were read whole, while the cursor is behind what is kept in memory.
    history: Option<Mileage>,
    near: Option<Near>,
}

impl Cursor {
    /// Returns the position of the next record.
    pub fn next(&self) -> Position {
        self.next
    }

    /// Waits until there is something to read; returns whether there will ever be.
    pub async fn ready(&mut self) -> bool {
        let next = self.next.get();
        if self.feed.last() < next {
            self.come_near();
        }
        self.feed.last.wait_for(|last| *last >= next).await.is_ok()
    }

    /// Returns what comes next, in portions; empty where there is nothing yet. May be dropped half-way without losing anything.
    pub async fn read(&mut self) -> Result<Chunk, ReadError> {
        self.read_upto(CHUNK_BYTES).await
    }

    /// Returns what comes next, up to about so many bytes: one record more than fit, at least one.
    pub async fn read_upto(&mut self, bytes_max: usize) -> Result<Chunk, ReadError> {
        let last = Position::new(self.feed.last()).filter(|last| *last >= self.next);
        let Some(last) = last else {
            self.come_near();
            return Ok(Chunk::default());
        };
        let recent = lock(&self.feed.shared.recent).from(self.next, last, bytes_max);
        let (chunk, next) = match recent {
            Some((chunk, upto)) => {
                self.history = None;
                self.come_near();
                (chunk, Some(upto.plus(1)))
            }
            None => {
                // What is written while it reads the little that is left is to be there when it has.
                if last.get() - self.next.get() < NEAR_RECORDS {
                    self.come_near();
                } else {
                    self.near = None;
                }
                self.read_history(bytes_max).await?
            }
        };
        if let Some(next) = next {
            self.next = self.next.max(next);
        }
        Ok(chunk)
    }

    fn come_near(&mut self) {
        if self.near.is_none() {
            self.near = Some(Near::new(&self.feed));
        }
    }

    async fn read_history(
        &mut self,
        bytes_max: usize,
    ) -> Result<(Chunk, Option<Position>), ReadError> {
        let shared = Arc::clone(&self.feed.shared);
        let turn = Arc::clone(&shared.histories).acquire_owned().await;
        let (from, history) = (self.next, self.history);
        let read = tokio::task::spawn_blocking(move || {
            let read = read_log(&shared.store, from, history, bytes_max);
            drop(turn);
            read
        });
        let (chunk, next, history) =
            read.await.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))?;
        self.history = history;
        Ok((chunk, next))
    }
}

/// Reads the log from a position on, up to about so many bytes; returns what comes next, and from where to read it.
fn read_log(
    store: &Store,
    from: Position,
    history: Option<Mileage>,
    bytes_max: usize,
) -> Result<(Chunk, Option<Position>, Option<Mileage>), ReadError> {
    let root = || store.root().to_owned();
    let resumed = history.map(|mileage| Reader::resume(RealDisk, root(), mileage)).transpose()?;
    let mut reader = match resumed.flatten() {
        Some(reader) => reader,
        None => Reader::open(RealDisk, root(), from)?,
    };
    let (mut all, mut next, mut history, mut bytes) = (Chunk::default(), None, history, 0);
    while bytes < bytes_max
        && let Some(batch) = reader.read()?
    {
        let mut chunk = Chunk::of(batch.records(), batch.lost());
        chunk.begin_at(from);
        let cut = chunk.cut(bytes_max - bytes);
        bytes += chunk.bytes();
        all.records.append(&mut chunk.records);
        all.lost.append(&mut chunk.lost);
        if let Some(upto) = cut {
            // The group is read again for the rest of it, so that nobody holds it in memory meanwhile.
            return Ok((all, Some(upto.plus(1)), history));
        }
        (next, history) = (Some(batch.mileage.next), Some(batch.mileage));
    }
    Ok((all, next, history))
}

/// Returns how many records come to so many bytes: one more than fit, unless there are no more.
fn n_within<'l>(records: impl Iterator<Item = &'l Arc<Live>>, bytes_max: usize) -> usize {
    let mut bytes = 0;
    let fits = |record: &&Arc<Live>| {
        let before = bytes;
        bytes += record.line.len();
        before < bytes_max
    };
    records.take_while(fits).count()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
