//! The same order and findings, made in memory by looking at everything again for each question.

use std::collections::{BTreeMap, BTreeSet};

use super::super::{Finding, Kind, Place, Summary};
use super::{Merged, Sample};
use crate::Dialect;
use crate::order::Producer;

struct Item<'s> {
    place: Place,
    producer: Producer<'static>,
    number: Option<u64>,
    time_ns: i64,
    sample: &'s Sample,
}

pub(super) fn merge(inputs: &[Vec<Sample>]) -> Merged {
    let items: Vec<Item<'_>> =
        inputs.iter().enumerate().flat_map(|(n, input)| settle(n as u32, input)).collect();
    let mut findings = Vec::new();
    let dropped = repeats(&items, &mut findings);
    conflicts(&items, &dropped, &mut findings);
    backward(inputs.len(), &items, &mut findings);
    let kept: Vec<&Item<'_>> = items.iter().filter(|item| !dropped.contains(&item.place)).collect();
    gaps(&kept, &mut findings);

    let starts = session_starts(&items);
    let mut ordered: Vec<_> = kept
        .iter()
        .map(|item| {
            let start =
                item.number.and_then(|_| starts.get(&item.producer)).map_or(i64::MIN, |s| s.0);
            let Producer { dialect, actor, session, .. } = item.producer.clone();
            let effective = effective_time(item, &kept, &starts);
            let lane = (item.number.is_none(), item.number, item.place);
            ((effective, dialect, actor, start, session, lane), item.sample.line.clone())
        })
        .collect();
    ordered.sort();

    let mut summary = Summary {
        n_events: items.len() as u64,
        n_written: kept.len() as u64,
        n_producers: kept.iter().map(|item| &item.producer).collect::<BTreeSet<_>>().len() as u64,
        ..Summary::default()
    };
    let findings = in_order(findings);
    for finding in &findings {
        match finding.kind {
            Kind::Repeat { n_lines, .. } => summary.n_repeats += n_lines,
            Kind::Conflict { .. } => summary.n_conflicts += 1,
            Kind::Gap { expected, found } => {
                summary.n_gaps += 1;
                summary.n_missing += found - expected;
            }
            Kind::Backward { .. } => summary.n_backward += 1,
            Kind::Unreadable { .. } => summary.n_unreadable += 1,
        }
    }
    (ordered.into_iter().map(|(_, line)| line).collect(), findings, summary)
}

/// Gives events without time, number and name those of the event before.
fn settle(input: u32, samples: &[Sample]) -> Vec<Item<'_>> {
    let mut items: Vec<Item<'_>> = Vec::new();
    for (idx, sample) in samples.iter().enumerate() {
        let mut item = Item {
            place: Place { input, line: idx as u64 + 1 },
            producer: sample.producer(),
            number: sample.number(),
            time_ns: sample.time_ns.unwrap_or(i64::MIN),
            sample,
        };
        if let Some(before) = items.last()
            && sample.time_ns.is_none()
            && item.number.is_none()
        {
            item.time_ns = before.time_ns;
            if sample.actor.is_none()
                && sample.session.is_none()
                && before.producer.dialect == sample.dialect
            {
                item.producer = before.producer.clone();
            }
        }
        items.push(item);
    }
    items
}

fn repeats(items: &[Item<'_>], findings: &mut Vec<Finding>) -> BTreeSet<Place> {
    let mut dropped = BTreeSet::new();
    for item in items {
        let (own, retry) = (item.sample.own, item.sample.retry);
        let same = |other: &&Item<'_>| {
            own.is_some() && other.sample.own == own
                || retry.is_some() && other.sample.retry == retry
        };
        let first = items.iter().filter(same).map(|other| other.place).min();
        if let Some(first) = first.filter(|first| *first < item.place) {
            dropped.insert(item.place);
            findings.push(found(item, Kind::Repeat { first, n_lines: 1 }));
        }
    }
    dropped
}

fn conflicts(items: &[Item<'_>], dropped: &BTreeSet<Place>, findings: &mut Vec<Finding>) {
    for item in items.iter().filter(|item| !dropped.contains(&item.place)) {
        let Some((key, _)) = item.sample.own else { continue };
        let same_key =
            items.iter().filter(|other| other.sample.own.is_some_and(|own| own.0 == key));
        let first = same_key.min_by_key(|other| other.place).unwrap();
        if first.place != item.place {
            findings.push(found(item, Kind::Conflict { first: first.place }));
        }
    }
}

fn backward(n_inputs: usize, items: &[Item<'_>], findings: &mut Vec<Finding>) {
    for input in 0..n_inputs as u32 {
        let mut last = BTreeMap::new();
        for item in items.iter().filter(|item| item.place.input == input) {
            let Some(number) = item.number else { continue };
            if let Some(after) = last.insert(&item.producer, number)
                && number < after
            {
                findings.push(found(item, Kind::Backward { after, found: number }));
            }
        }
    }
}

fn gaps(kept: &[&Item<'_>], findings: &mut Vec<Finding>) {
    for item in kept {
        let Some(number) = item.number else { continue };
        let others = || kept.iter().filter(|other| other.producer == item.producer);
        let here_first =
            !others().any(|other| other.number == Some(number) && other.place < item.place);
        let before = others().filter_map(|other| other.number).filter(|n| *n < number).max();
        let start = if item.producer.dialect == Dialect::Needle { 1 } else { 0 };
        let expected = before.map_or(start, |before| before + 1);
        if here_first && number > expected {
            findings.push(found(item, Kind::Gap { expected, found: number }));
        }
    }
}

/// Returns when each worker session begins, and the end of those of the same worker that begin before it.
fn session_starts(items: &[Item<'_>]) -> BTreeMap<Producer<'static>, (i64, i64)> {
    let numbered = || {
        items
            .iter()
            .filter(|item| item.number.is_some() && item.producer.dialect == Dialect::Needle)
    };
    let times = |producer: &Producer<'static>| {
        let of: Vec<_> = numbered()
            .filter(|i| i.producer == *producer && i.time_ns != i64::MIN)
            .map(|i| (i.number, i.time_ns))
            .collect();
        let start = of.iter().min().map_or(i64::MIN, |first| first.1);
        (start, of.iter().map(|item| item.1).max().unwrap_or(i64::MIN))
    };
    let producers: BTreeSet<_> = numbered().map(|item| item.producer.clone()).collect();
    let floor = |producer: &Producer<'static>| {
        let place = |of: &Producer<'static>| (times(of).0, of.session.clone());
        let before = producers
            .iter()
            .filter(|other| other.actor == producer.actor && place(other) < place(producer));
        before.map(|other| times(other).1).max().unwrap_or(i64::MIN)
    };
    producers
        .iter()
        .map(|producer| (producer.clone(), (times(producer).0, floor(producer))))
        .collect()
}

fn effective_time(
    item: &Item<'_>,
    kept: &[&Item<'_>],
    starts: &BTreeMap<Producer<'static>, (i64, i64)>,
) -> i64 {
    let not_later = |other: &&&Item<'_>| {
        let same =
            other.producer == item.producer && other.number.is_some() == item.number.is_some();
        let lane = item.number.is_some() || other.place.input == item.place.input;
        same && lane && (other.number, other.place) <= (item.number, item.place)
    };
    let latest = kept.iter().filter(not_later).map(|other| other.time_ns).max().unwrap();
    let floor =
        item.number.and_then(|_| starts.get(&item.producer)).map_or(i64::MIN, |start| start.1);
    latest.max(floor)
}

fn found(item: &Item<'_>, kind: Kind) -> Finding {
    Finding { place: item.place, producer: Some(item.producer.clone()), kind }
}

/// Sorts by place and joins repeats that go on from line to line.
fn in_order(mut findings: Vec<Finding>) -> Vec<Finding> {
    let rank = |kind: &Kind| match kind {
        Kind::Repeat { .. } => 0,
        Kind::Conflict { .. } => 1,
        Kind::Gap { .. } => 2,
        Kind::Backward { .. } => 3,
        Kind::Unreadable { .. } => 4,
    };
    findings.sort_by_key(|finding| (finding.place, rank(&finding.kind)));
    let mut joined: Vec<Finding> = Vec::new();
    for finding in findings {
        if let Some(last) = joined.last_mut()
            && let (Kind::Repeat { first, n_lines }, Kind::Repeat { first: next, .. }) =
                (&mut last.kind, &finding.kind)
            && last.producer == finding.producer
            && (first.input, first.line + *n_lines) == (next.input, next.line)
            && (last.place.input, last.place.line + *n_lines)
                == (finding.place.input, finding.place.line)
        {
            *n_lines += 1;
        } else {
            joined.push(finding);
        }
    }
    joined
}
