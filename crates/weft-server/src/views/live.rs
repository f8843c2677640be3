//! The views of a running server: one thread takes in what the feed gives, and whoever asks sees a state between two of its steps.
//!
//! The thread begins at the newest snapshot, and again where the log was pruned or redacted. Until it has caught up, every answer
//! says how far behind it is.

use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::{Duration, Instant};

use tokio::runtime::Handle;
use tokio::sync::watch;
use weft_log::Position;
use weft_log::reader::ReadError;

use super::{Ask, Fold, Judgement, Page};
use crate::Core;
use crate::feed::Cursor;

/// How often it is looked whether the log was pruned or redacted.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// How long an answer waits for what was just stored.
const CATCH_UP: Duration = Duration::from_millis(500);

/// The views of a server. Cheap to clone.
#[derive(Clone)]
pub struct Live {
    shared: Arc<Shared>,
    upto: watch::Receiver<u64>,
}

struct Shared {
    /// `None` until the first snapshot was looked for.
    fold: RwLock<Option<Fold>>,
    upto: watch::Sender<u64>,
    judgement: Judgement,
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

impl Default for Live {
    fn default() -> Self {
        let (tell, upto) = watch::channel(0);
        let judgement = Judgement::default();
        Self { shared: Arc::new(Shared { fold: RwLock::new(None), upto: tell, judgement }), upto }
    }
}

impl Live {
    /// Returns the position up to which the log was taken in; 0 before the first.
    pub fn upto(&self) -> u64 {
        *self.upto.borrow()
    }

    /// Waits until the log is taken in up to a position; returns whether it ever will be.
    pub async fn reached(&self, position: u64) -> bool {
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

    /// Returns what views are judged by.
    pub fn judgement(&self) -> &Judgement {
        &self.shared.judgement
    }

    fn read(&self) -> RwLockReadGuard<'_, Option<Fold>> {
        self.shared.fold.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Option<Fold>> {
        self.shared.fold.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, fold: Fold) {
        let upto = fold.upto();
        *self.write() = Some(fold);
        self.shared.upto.send_replace(upto);
    }
}

/// Returns rows as they are, with what was stored before they were asked for if that does not take long.
pub(crate) async fn now(core: &Core, ask: Ask) -> Seen {
    let live = core.views().clone();
    drop(tokio::time::timeout(CATCH_UP, live.reached(core.last())).await);
    core.reads().aside(move |_| live.page(&ask)).await
}

/// Keeps the views of a server up to date until it ends.
pub async fn follow(core: Core) {
    let runtime = Handle::current();
    let followed = tokio::task::spawn_blocking(move || {
        while !core.is_ended() {
            // The log is read again a moment later; what cannot be read now stays unread.
            if let Err(error) = follow_blocking(&core, &runtime) {
                tracing::warn!("cannot keep the views up to date: {error}");
                runtime.block_on(async {
                    drop(tokio::time::timeout(LOOK_EVERY, core.ended()).await);
                });
            }
        }
    });
    if let Err(error) = followed.await {
        std::panic::resume_unwind(error.into_panic());
    }
}

/// Takes in everything from a snapshot on, until the server ends or the log is no longer what it was.
fn follow_blocking(core: &Core, runtime: &Handle) -> Result<(), ReadError> {
    let live = core.views();
    let end = Position::new(core.feed().last()).unwrap_or(Position::FIRST);
    let fold = Fold::usual(core.store(), end)?;
    let mut cursor = core.feed().cursor(Position::FIRST.plus(fold.upto()));
    live.put(fold);
    let mut looked = Instant::now();
    while !core.is_ended() {
        if runtime.block_on(is_ready(core, &mut cursor)) {
            let chunk = runtime.block_on(cursor.read())?;
            let mut fold = live.write();
            let Some(fold) = fold.as_mut() else { return Ok(()) };
            fold.leave_snapshots(cursor.next());
            chunk.records.iter().for_each(|record| fold.take(&record.meta, &record.line));
            fold.pass(cursor.next());
            live.shared.upto.send_replace(fold.upto());
        }
        if looked.elapsed() >= LOOK_EVERY {
            looked = Instant::now();
            if live.read().as_ref().is_some_and(|fold| !fold.is_current(core.store())) {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// Waits for more, but not for long; returns whether there is.
async fn is_ready(core: &Core, cursor: &mut Cursor) -> bool {
    tokio::select! {
        is_ready = cursor.ready() => is_ready,
        () = core.ended() => false,
        () = tokio::time::sleep(LOOK_EVERY) => false,
    }
}
