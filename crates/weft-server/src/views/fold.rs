//! Records of the log taken into the views, from the newest snapshot on.

use weft_log::disk::RealDisk;
use weft_log::reader::{ReadError, Reader, first_kept, read_head};
use weft_log::snapshots::{SPACING, Snapshots, Spacing};
use weft_log::{Meta, Position, Store};
use weft_view::{VERSIONS, Views};

use super::{Moment, Reading};

/// Changes whenever records are read otherwise before views take them.
const READING: u32 = 1;

/// Why there is no state.
#[derive(Debug, thiserror::Error)]
pub enum FoldError {
    /// The log cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The log does not go so far.
    #[error("there is no position {position} yet: the log ends at {last}")]
    Beyond {
        /// The position.
        position: Position,
        /// The last one.
        last: u64,
    },
}

/// Views, and how far the log was taken into them.
#[derive(Debug)]
pub struct Fold {
    views: Views,
    /// Up to where the log was read, whether or not there was a record of use.
    upto: u64,
    /// The last position at which a snapshot was due.
    due: u64,
    snapshots: Snapshots,
    /// `None` while none are left.
    leaving: Option<Position>,
    reading: Reading,
}

/// Returns the views as they are at the end of the log, or as they were at a position.
///
/// Whoever folds more records than there are between two snapshots leaves some.
pub fn fold(store: &Store, at: Option<Position>) -> Result<Views, FoldError> {
    fold_spaced(store, at, SPACING).map(|fold| fold.views)
}

/// Returns the views at a moment, and what time it was then: `now_ns` now.
///
/// A fold at the end of the log can be taken on from there.
pub fn fold_at(store: &Store, moment: Moment, now_ns: i64) -> Result<(Fold, i64), FoldError> {
    let Some(end) = moment.position(store)? else {
        let fold = Fold::begin(store, Position::FIRST, SPACING)?;
        return Ok((fold, moment.time_ns().unwrap_or(now_ns)));
    };
    let fold = fold_spaced(store, Some(end), SPACING)?;
    let then_ns = fold.time_ns(moment, now_ns);
    Ok((fold, then_ns))
}

/// Returns the views at a position, taken on from a fold that is not after it unless a snapshot is nearer.
pub(super) fn fold_on(
    store: &Store,
    end: Position,
    from: Option<&Fold>,
) -> Result<Fold, FoldError> {
    let Some(from) = from else { return fold_spaced(store, Some(end), SPACING) };
    let snapshots = from.snapshots.list();
    if snapshots.iter().any(|position| *position <= end && position.get() > from.upto) {
        return fold_spaced(store, Some(end), SPACING);
    }
    let last = read_head(&RealDisk, store.root())?.last().map_or(0, Position::get);
    if end.get() > last {
        return Err(FoldError::Beyond { position: end, last });
    }
    let (views, snapshots) = (from.views.clone(), from.snapshots.clone());
    let (upto, due, leaving) = (from.upto, from.due, None);
    let mut fold = Fold { views, upto, due, snapshots, leaving, reading: Reading::default() };
    fold.read_upto(store, end, || true)?;
    Ok(fold)
}

fn fold_spaced(store: &Store, at: Option<Position>, spacing: Spacing) -> Result<Fold, FoldError> {
    let head = read_head(&RealDisk, store.root())?;
    let last = head.last().map_or(0, Position::get);
    let end = match at {
        Some(position) if position.get() > last => {
            return Err(FoldError::Beyond { position, last });
        }
        Some(position) => Some(position),
        None => head.last(),
    };
    let Some(end) = end else { return Ok(Fold::begin(store, Position::FIRST, spacing)?) };
    if let Some(first) = first_kept(RealDisk, store.root())?.filter(|first| end < *first) {
        return Err(ReadError::Pruned { position: end, first }.into());
    }
    let mut fold = Fold::begin(store, end, spacing)?;
    if end.get() - fold.upto() > spacing.every {
        fold.leave_snapshots(Position::new(last).unwrap_or(end));
    }
    fold.read_upto(store, end, || true)?;
    Ok(fold)
}

impl Fold {
    /// Begins with the newest snapshot that is not after a position, or with nothing.
    fn begin(store: &Store, end: Position, spacing: Spacing) -> Result<Self, ReadError> {
        let snapshots = Snapshots::open(store, &version(), spacing)?;
        let mut before = Some(end);
        let mut found = None;
        // What cannot be read although it is whole is of a form that its version does not tell.
        while let Some((position, saved)) = before.and_then(|before| snapshots.nearest(before)) {
            if let Ok(views) = serde_json::from_slice(&saved) {
                found = Some((views, position.get()));
                break;
            }
            before = Position::new(position.get() - 1);
        }
        let (views, upto) = found.unwrap_or_default();
        let reading = Reading::default();
        Ok(Self { views, upto, due: upto, snapshots, leaving: None, reading })
    }

    /// Begins as every store's folds do: with the newest snapshot that is not after a position, or with nothing.
    pub fn usual(store: &Store, end: Position) -> Result<Self, ReadError> {
        Self::begin(store, end, SPACING)
    }

    /// Returns whether nothing was pruned or redacted since it began. What cannot be read now is no reason to doubt it.
    pub(super) fn is_current(&self, store: &Store) -> bool {
        self.snapshots.is_current(store).unwrap_or(true)
    }

    /// Returns what time it was at the moment that this is the fold of: `now_ns` now.
    pub(super) fn time_ns(&self, moment: Moment, now_ns: i64) -> i64 {
        match moment {
            Moment::Now => now_ns,
            Moment::Position(_) => self.views.received_ns(),
            Moment::Time(ns) => ns,
        }
    }

    /// Returns the views.
    pub fn views(&self) -> &Views {
        &self.views
    }

    /// Returns the views, for whoever takes nothing more in.
    pub fn into_views(self) -> Views {
        self.views
    }

    /// Returns the position up to which the log was taken in; 0 before the first.
    pub fn upto(&self) -> u64 {
        self.upto
    }

    /// Leaves snapshots from now on, as a log is given them that ends there.
    pub fn leave_snapshots(&mut self, last: Position) {
        self.leaving = Some(last);
    }

    /// Takes in what the log has up to a position, as long as it is wanted.
    pub fn read_upto(
        &mut self,
        store: &Store,
        end: Position,
        is_wanted: impl Fn() -> bool,
    ) -> Result<(), ReadError> {
        let root = || store.root().to_owned();
        let next = Position::FIRST.plus(self.upto);
        let mut reader = Reader::open(RealDisk, root(), next)?;
        while is_wanted()
            && let Some(batch) = reader.read()?
        {
            let records = batch.records().map(|(record, _)| record);
            for record in records.take_while(|record| record.meta.position <= end) {
                self.take(&record.meta, record.line);
            }
            self.pass(batch.mileage.next.min(end.plus(1)));
            if batch.mileage.next > end {
                break;
            }
        }
        Ok(())
    }

    /// Takes in the next record. One that is damaged, or was taken in before, changes nothing.
    pub fn take(&mut self, meta: &Meta, line: &[u8]) {
        if meta.position.get() <= self.upto {
            return;
        }
        self.pass(meta.position);
        self.upto = meta.position.get();
        self.reading.entry(meta, line, |entry| self.views.apply(entry));
    }

    /// Says that nothing more comes before a position, and leaves a snapshot if one is due there.
    pub fn pass(&mut self, next: Position) {
        if let Some(due) = self.due_before(next) {
            self.leave(due);
            self.due = due.get();
        }
        self.upto = self.upto.max(next.get() - 1);
    }

    /// Returns where a snapshot is due before a position, if none was left there.
    pub(super) fn due_before(&self, next: Position) -> Option<Position> {
        let due = self.snapshots.spacing().last_due(next.get() - 1);
        Position::new(due).filter(|_| due > self.due)
    }

    /// Leaves a snapshot if one is due before a position, of which nothing else is taken in: [`Fold::pass`] finds it left.
    pub(super) fn leave_due(&self, next: Position) {
        if let Some(due) = self.due_before(next) {
            self.leave(due);
        }
    }

    fn leave(&self, due: Position) {
        if self.leaving.is_some_and(|last| self.snapshots.is_wanted(due, last)) {
            let saved =
                self.snapshots.save(due, |out| Ok(serde_json::to_writer(out, &self.views)?));
            if let Err(error) = saved {
                tracing::debug!("left no snapshot at {due}: {error}");
            }
        }
    }
}

/// Returns the version that snapshots are saved under: another program may read records otherwise.
fn version() -> String {
    let mut version = format!("weft={} reading={READING}", env!("CARGO_PKG_VERSION"));
    for (name, number) in VERSIONS {
        version.push_str(&format!(" {name}={number}"));
    }
    version
}

#[cfg(test)]
pub(super) mod tests;
