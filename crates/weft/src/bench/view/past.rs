//! How long the state of the past takes: of a position just before a snapshot, and of the end, before and after there are any.

use std::path::Path;
use std::time::Duration;

use weft_log::Position;
use weft_log::snapshots::SPACING;
use weft_server::views::fold;

use super::Args;
use crate::bench::log::weft::Weft;
use crate::bench::measured::{median, timed};

/// What was measured.
pub(super) struct Past {
    /// The state at the end, folded from the first record on.
    pub(super) first: Duration,
    /// The state at the end, once there are snapshots.
    pub(super) now: Duration,
    /// The state at a past position, as far from a snapshot as one can be.
    pub(super) then: Duration,
}

pub(super) fn measure(args: &Args, folder: &Path) -> anyhow::Result<Past> {
    let weft = Weft::open(folder)?;
    weft.store_world(args.seed, args.stored)?;
    let store = weft.store();
    let (views, first) = timed(|| Ok(fold(store, None)?))?;
    let middle = views.position() / 2;
    let just_before = SPACING.last_due(middle).checked_sub(1).and_then(Position::new);
    let then = just_before.or(Position::new(middle)).unwrap_or(Position::FIRST);
    let middle_of = |at: Option<Position>| -> anyhow::Result<Duration> {
        let took = (0..args.iterations).map(|_| Ok(timed(|| Ok(fold(store, at)?))?.1));
        let took = took.collect::<anyhow::Result<Vec<Duration>>>()?;
        let median = median(took.iter().map(Duration::as_secs_f64));
        Ok(Duration::from_secs_f64(median.unwrap_or_default()))
    };
    Ok(Past { first, now: middle_of(None)?, then: middle_of(Some(then))? })
}
