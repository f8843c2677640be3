//! Walking over the records that match, page by page, so that memory does not depend on how many there are.

use std::ops::RangeInclusive;

use weft_log::disk::RealDisk;
use weft_log::query::{Ask, Found, Order, Page, Records};
use weft_log::{Filter, Position, reader};

use super::{Limit, Lost};

/// Records in memory at a time.
const PAGE_RECORDS: usize = 1000;

/// Most records that are put into another order than the log's: all of them are in memory at once.
pub(crate) const SORTED_MAX: usize = 200_000;

/// Which of the matching records are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The first ones.
    Oldest,
    /// The last ones.
    Newest,
}

impl End {
    fn order(self) -> Order {
        match self {
            End::Oldest => Order::Ascending,
            End::Newest => Order::Descending,
        }
    }
}

/// What is asked for.
#[derive(Clone, Debug)]
pub(crate) struct Choice<'f> {
    /// Which records.
    pub(crate) filter: &'f Filter,
    /// Between which positions.
    pub(crate) range: RangeInclusive<Position>,
    /// From which end of them.
    pub(crate) end: End,
    /// How many.
    pub(crate) limit: Limit,
    /// In which order they are given.
    pub(crate) order: Order,
}

/// What a walk came by.
#[derive(Debug, Default)]
pub(crate) struct Walked {
    /// Whether more match than were taken.
    pub(crate) has_more: bool,
    /// The first and the last position taken.
    pub(crate) taken: Option<(Position, Position)>,
    /// Positions whose records are damaged or gone.
    pub(crate) lost: Lost,
}

/// Hands the chosen records to `each`, a page at a time.
pub(crate) fn walk(
    records: &mut Records,
    choice: &Choice<'_>,
    each: &mut dyn FnMut(&[Found]) -> anyhow::Result<()>,
) -> anyhow::Result<Walked> {
    let mut walked = Walked::default();
    match choice.limit {
        Limit::Count(n) if choice.order != choice.end.order() && n <= PAGE_RECORDS => {
            let (filter, range) = (choice.filter, choice.range.clone());
            let ask = Ask { filter, range, order: choice.end.order(), limit: n };
            let mut page = records.page(&ask)?;
            page.records.reverse();
            walked.note(&mut page);
            walked.has_more = page.next.is_some();
            each(&page.records)?;
        }
        // How far the chosen ones reach is found first; then they are read from the other end.
        Limit::Count(_) if choice.order != choice.end.order() => {
            let mut counted = Walked::default();
            let there = Choice { order: choice.end.order(), ..choice.clone() };
            stream(records, &there, &mut counted, &mut |_| Ok(()))?;
            if let Some((first, last)) = counted.taken {
                let back = Choice { range: first..=last, limit: Limit::All, ..choice.clone() };
                stream(records, &back, &mut walked, each)?;
            }
            walked.has_more = counted.has_more;
            walked.lost = counted.lost;
        }
        Limit::All | Limit::Count(_) => stream(records, choice, &mut walked, each)?,
    }
    note_pruned(records, &choice.range, &mut walked)?;
    Ok(walked)
}

/// Returns every record that matches, to be put into another order; an error if there are too many.
pub(crate) fn collect(
    records: &mut Records,
    choice: &Choice<'_>,
) -> anyhow::Result<(Vec<Found>, Walked)> {
    let mut all = Vec::new();
    let walked = walk(records, choice, &mut |page| {
        all.extend_from_slice(page);
        if all.len() > SORTED_MAX {
            anyhow::bail!(
                "more than {SORTED_MAX} records cannot be put into their producers' order at once: \
                 ask for fewer, or use --order position"
            );
        }
        Ok(())
    })?;
    Ok((all, walked))
}

/// Notes what was pruned of positions that somebody named, or that a page before it ended at. Those from the first position on are
/// whatever the log begins with.
fn note_pruned(
    records: &Records,
    range: &RangeInclusive<Position>,
    walked: &mut Walked,
) -> anyhow::Result<()> {
    if *range.start() == Position::FIRST {
        return Ok(());
    }
    let first_kept = reader::first_kept(RealDisk, records.store().root())?;
    if let Some(first_kept) = first_kept.filter(|first_kept| range.start() < first_kept)
        && let Some(last) = Position::new(first_kept.get() - 1)
    {
        walked.lost.add_pruned(*range.start(), last.min(*range.end()));
    }
    Ok(())
}

/// Hands records to `each` from the end that their order begins at.
fn stream(
    records: &mut Records,
    choice: &Choice<'_>,
    walked: &mut Walked,
    each: &mut dyn FnMut(&[Found]) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let (filter, order) = (choice.filter, choice.order);
    let mut rest = Some(choice.range.clone());
    let mut n_taken = 0;
    while let Some(range) = rest.take() {
        let limit = match choice.limit {
            Limit::All => PAGE_RECORDS,
            Limit::Count(n) => PAGE_RECORDS.min(n - n_taken),
        };
        let mut page = records.page(&Ask { filter, range: range.clone(), order, limit })?;
        n_taken += page.records.len();
        walked.note(&mut page);
        if order == Order::Ascending {
            note_pruned(records, &range, walked)?;
        }
        each(&page.records)?;
        let is_enough = choice.limit == Limit::Count(n_taken);
        walked.has_more = is_enough && page.next.is_some();
        rest = page.next.filter(|_| !is_enough).map(|next| match order {
            Order::Ascending => next..=*range.end(),
            Order::Descending => *range.start()..=next,
        });
    }
    Ok(())
}

impl Walked {
    fn note(&mut self, page: &mut Page) {
        self.lost.add(std::mem::take(&mut page.lost));
        for position in page.records.iter().map(|found| found.meta.position) {
            let (first, last) = self.taken.get_or_insert((position, position));
            (*first, *last) = ((*first).min(position), (*last).max(position));
        }
    }
}
