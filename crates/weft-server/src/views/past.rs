//! Views of the past that were asked for last: all panels of a page that shows one position cost one fold, and the next position
//! costs what lies between the two.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use weft_log::{Position, Store};

use super::fold::{fold_at, fold_on};
use super::{Fold, FoldError, Moment};

/// Folds that are kept, those asked for last.
const PASTS_MAX: usize = 4;

/// How long one is kept that nobody asks for.
const UNASKED_MAX: Duration = Duration::from_secs(120);

/// The folds.
#[derive(Default)]
pub(super) struct Pasts {
    /// The last asked for first.
    slots: Mutex<VecDeque<Slot>>,
}

struct Slot {
    end: Position,
    asked: Instant,
    /// Whoever folds holds it, and all others who ask for the same position wait for that.
    fold: Arc<Mutex<Option<Arc<Fold>>>>,
}

impl Pasts {
    /// Returns the views at a moment, and what time it was then: `now_ns` now.
    pub(super) fn fold_at(
        &self,
        store: &Store,
        moment: Moment,
        now_ns: i64,
    ) -> Result<(Arc<Fold>, i64), FoldError> {
        let Some(end) = moment.position(store)? else {
            return fold_at(store, moment, now_ns).map(|(fold, ns)| (Arc::new(fold), ns));
        };
        let slot = self.slot(end);
        let mut kept = lock(&slot);
        let fold = match kept.take().filter(|fold| fold.is_current(store)) {
            Some(fold) => fold,
            None => Arc::new(fold_on(store, end, self.nearest(store, end).as_deref())?),
        };
        let then_ns = fold.time_ns(moment, now_ns);
        *kept = Some(Arc::clone(&fold));
        Ok((fold, then_ns))
    }

    /// Lets those go that nobody has asked for in a while.
    pub(super) fn forget_old(&self) {
        lock(&self.slots).retain(|slot| slot.asked.elapsed() < UNASKED_MAX);
    }

    /// Returns where the fold of a position is kept, which is the last one asked for from now on.
    fn slot(&self, end: Position) -> Arc<Mutex<Option<Arc<Fold>>>> {
        let mut slots = lock(&self.slots);
        let known = slots.iter().position(|slot| slot.end == end);
        let fold =
            known.and_then(|idx| slots.remove(idx)).map(|slot| slot.fold).unwrap_or_default();
        slots.push_front(Slot { end, asked: Instant::now(), fold: Arc::clone(&fold) });
        slots.truncate(PASTS_MAX);
        fold
    }

    /// Returns the last fold before a position that is kept and not being made.
    fn nearest(&self, store: &Store, end: Position) -> Option<Arc<Fold>> {
        let slots = lock(&self.slots);
        let earlier = slots.iter().filter(|slot| slot.end < end).filter_map(|slot| {
            let fold = match slot.fold.try_lock() {
                Ok(fold) => fold,
                Err(TryLockError::Poisoned(fold)) => fold.into_inner(),
                Err(TryLockError::WouldBlock) => return None,
            };
            fold.clone()
        });
        earlier.filter(|fold| fold.is_current(store)).max_by_key(|fold| fold.upto())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
