//! What is in the log, as it comes: one thread reads new records once for every stream and subscription, and keeps the newest in
//! memory. Whoever is further behind reads the log itself.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::watch;
use weft_log::disk::RealDisk;
use weft_log::reader::{ReadError, Reader};
use weft_log::{Meta, Position, Store};

/// How long at most a record of another process goes unnoticed.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// Bytes that are read from the log for one reader at a time.
const HISTORY_BYTES: usize = 256 << 10;

/// A record as streams and subscriptions are given it.
#[derive(Clone, Debug)]
pub struct Live {
    /// What Weft adds.
    pub meta: Meta,
    /// The event, as it came.
    pub line: Bytes,
}

/// Records that follow each other.
#[derive(Clone, Debug, Default)]
pub struct Chunk {
    /// The records, in order.
    pub records: Vec<Arc<Live>>,
    /// Positions among them whose records are damaged or gone.
    pub lost: Vec<(Position, Position)>,
}

/// Wakes the feed when something was written. Cheap to clone.
#[derive(Clone)]
pub struct Waker(SyncSender<()>);

impl Waker {
    /// Says that there may be more in the log.
    pub fn wake(&self) {
        match self.0.try_send(()) {
            // One call that waits says all that a second could; a feed that ended needs none.
            Ok(()) | Err(TrySendError::Full(()) | TrySendError::Disconnected(())) => {}
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
    recent_bytes_max: usize,
}

/// The newest records. All from `first` on are here but those that are lost.
struct Recent {
    first: u64,
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
    let head = weft_log::reader::read_head(&RealDisk, store.root())?;
    let reader = Reader::open(RealDisk, store.root().to_owned(), head.next)?;
    let (tell, last) = watch::channel(head.next.get() - 1);
    let recent = Recent {
        first: head.next.get(),
        records: VecDeque::new(),
        lost: VecDeque::new(),
        bytes: 0,
    };
    let shared = Arc::new(Shared { store, recent: Mutex::new(recent), recent_bytes_max });
    let (wake, woken) = sync_channel(1);
    let feed = Feed { shared: Arc::clone(&shared), last };
    let thread = thread::spawn(move || follow(reader, &shared, &tell, &woken));
    Ok((feed, Waker(wake), FeedThread(thread)))
}

fn follow(
    mut reader: Reader<RealDisk>,
    shared: &Shared,
    tell: &watch::Sender<u64>,
    woken: &Receiver<()>,
) {
    use std::sync::mpsc::RecvTimeoutError;
    loop {
        match read_on(&mut reader, shared) {
            Ok(Some(last)) => drop(tell.send_replace(last)),
            Ok(None) => {}
            // The store is read again at the next look; what cannot be read now stays unread, and nothing is skipped.
            Err(error) => tracing::warn!("cannot follow the log: {error}"),
        }
        match woken.recv_timeout(LOOK_EVERY) {
            Ok(()) | Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

/// Reads everything that is new; returns the last position if there was anything.
fn read_on(reader: &mut Reader<RealDisk>, shared: &Shared) -> Result<Option<u64>, ReadError> {
    let mut last = None;
    while let Some(batch) = reader.read()? {
        let chunk = Chunk::of(batch.records(), batch.lost());
        lock(&shared.recent).add(chunk, shared.recent_bytes_max);
        last = Some(batch.mileage.next.get() - 1);
    }
    Ok(last)
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
}

impl Recent {
    fn add(&mut self, chunk: Chunk, bytes_max: usize) {
        self.bytes += chunk.bytes();
        self.records.extend(chunk.records);
        self.lost.extend(chunk.lost);
        while self.bytes > bytes_max
            && let Some(oldest) = self.records.pop_front()
        {
            self.bytes -= oldest.line.len();
            self.first = oldest.meta.position.get() + 1;
        }
        while self.lost.pop_front_if(|(_, last)| last.get() < self.first).is_some() {}
    }

    /// Returns the records from a position on, up to about so many bytes; `None` if they are no longer here.
    fn from(&self, next: Position, bytes_max: usize) -> Option<Chunk> {
        if next.get() < self.first {
            return None;
        }
        let start = self.records.partition_point(|record| record.meta.position < next);
        let mut bytes = 0;
        let fits = |record: &&Arc<Live>| {
            let before = bytes;
            bytes += record.line.len();
            before < bytes_max
        };
        let records: Vec<_> = self.records.range(start..).take_while(fits).cloned().collect();
        let upto = records.last().map_or(u64::MAX, |record| record.meta.position.get());
        let lost = self.lost.iter().copied();
        let lost = lost.filter(|(first, last)| *last >= next && first.get() <= upto).collect();
        Some(Chunk { records, lost })
    }
}

impl Feed {
    /// Returns the last position that is durable; 0 in an empty log.
    pub fn last(&self) -> u64 {
        *self.last.borrow()
    }

    /// Returns a reader from a position on.
    pub fn cursor(&self, next: Position) -> Cursor {
        Cursor { feed: self.clone(), next, history: None }
    }
}

/// A reader of the feed at its own pace.
pub struct Cursor {
    feed: Feed,
    next: Position,
    /// The log itself, while the cursor is behind what is kept in memory.
    history: Option<Box<Reader<RealDisk>>>,
}

impl Cursor {
    /// Returns the position of the next record.
    pub fn next(&self) -> Position {
        self.next
    }

    /// Waits until there is something to read; returns whether there will ever be.
    pub async fn ready(&mut self) -> bool {
        let next = self.next.get();
        self.feed.last.wait_for(|last| *last >= next).await.is_ok()
    }

    /// Returns what comes next, in portions; empty where there is nothing yet. May be dropped half-way without losing anything.
    pub async fn read(&mut self) -> Result<Chunk, ReadError> {
        let last = self.feed.last();
        if self.next.get() > last {
            return Ok(Chunk::default());
        }
        let recent = lock(&self.feed.shared.recent).from(self.next, HISTORY_BYTES);
        let (chunk, next) = match recent {
            Some(chunk) => {
                self.history = None;
                let read = chunk.records.last().map(|record| record.meta.position.plus(1));
                (chunk, read.or(Position::new(last + 1)))
            }
            None => self.read_history().await?,
        };
        if let Some(next) = next {
            self.next = self.next.max(next);
        }
        Ok(chunk)
    }

    async fn read_history(&mut self) -> Result<(Chunk, Option<Position>), ReadError> {
        let (from, root) = (self.next, self.feed.shared.store.root().to_owned());
        let reader = self.history.take();
        let read = tokio::task::spawn_blocking(move || {
            let mut reader = match reader {
                Some(reader) => reader,
                None => Box::new(Reader::open(RealDisk, root, from)?),
            };
            let (mut all, mut next, mut bytes) = (Chunk::default(), None, 0);
            while bytes < HISTORY_BYTES
                && let Some(batch) = reader.read()?
            {
                let mut chunk = Chunk::of(batch.records(), batch.lost());
                bytes += chunk.bytes();
                all.records.append(&mut chunk.records);
                all.lost.append(&mut chunk.lost);
                next = Some(batch.mileage.next);
            }
            Ok::<_, ReadError>((reader, all, next))
        });
        let (reader, chunk, next) =
            read.await.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))?;
        self.history = Some(reader);
        Ok((chunk, next))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
