//! The stages between the lines as they came and the lines in order.

use std::io::{self, Read, Seek, Write};

use super::finding::{self, Kind};
use super::join::Join;
use super::key::{
    NO_TIME, OrderKey, PLACE_BYTES, dialect_at, place_at, producer_at, put_time, split_session,
    time_at, u64_at,
};
use super::sort::{Sorted, Sorter};
use super::{Entries, KEYS_SHARE, LINES_SHARE, Summary, repeats};
use crate::order::{Step, Watch};

/// The merged lines, the findings, and the counts that are known already.
type Woven<F, S> = (Sorted<F>, Sorter<F, S>, Summary);

impl<F: Read + Write + Seek, S: FnMut() -> io::Result<F> + Clone> Entries<F, S> {
    /// Puts everything in order.
    pub(super) fn weave(self) -> io::Result<Woven<F, S>> {
        let Entries { spill, memory_bytes, lines, identities, arrivals, .. } = self;
        let (mut findings, mut summary) = (self.findings, self.summary);
        let keys_sorter = || Sorter::new(memory_bytes / KEYS_SHARE, spill.clone());

        let mut sessions = keys_sorter();
        follow_arrivals(arrivals, &mut sessions, &mut findings)?;
        let mut floors = keys_sorter();
        follow_sessions(sessions, &mut floors)?;
        let mut dropped = keys_sorter();
        repeats::find(identities, keys_sorter(), &mut dropped, &mut findings)?;

        let mut output = Sorter::new(memory_bytes / LINES_SHARE, spill.clone());
        let mut dropped = Join::new(dropped.sort()?)?;
        let mut lane = Lane::new(Join::new(floors.sort()?)?);
        let mut lines = lines.sort()?;
        let mut key = Vec::new();
        while let Some(record) = lines.read()? {
            if dropped.find(record.key)?.is_some() {
                continue;
            }
            let order_key = OrderKey::read(record.key);
            lane.enter(&order_key)?;
            if let Some(found) = order_key.number
                && let Step::Gap { expected } = lane.watch.step(found)
            {
                let kind = Kind::Gap { expected, found };
                finding::add(&mut findings, order_key.place, &kind, order_key.producer)?;
            }
            lane.time_ns = lane.time_ns.max(time_at(record.payload, 0));
            lane.write_key(&mut key, &order_key);
            output.push(&key, &record.payload[8..])?;
            summary.n_written += 1;
        }
        summary.n_producers = lane.n_producers;
        drop(lines);
        Ok((output.sort()?, findings, summary))
    }
}

/// Events that stand in one order: those that a producer numbered, or those without a number that one input has of it.
struct Lane<F> {
    /// When each session of a worker begins, and before which time none of its events counts.
    floors: Join<F>,
    producer: Vec<u8>,
    /// The input, where the order is that of an input.
    input: Option<u32>,
    start_ns: i64,
    /// The latest time so far.
    time_ns: i64,
    watch: Watch,
    n_producers: u64,
}

impl<F: Read> Lane<F> {
    fn new(floors: Join<F>) -> Self {
        let watch = Watch::new(crate::Dialect::Weft);
        let (start_ns, time_ns) = (NO_TIME, NO_TIME);
        let producer = Vec::new();
        Self { floors, producer, input: None, start_ns, time_ns, watch, n_producers: 0 }
    }

    /// Goes to the lane of an event, which is a new one or the one before.
    fn enter(&mut self, key: &OrderKey<'_>) -> io::Result<()> {
        let input = key.number.is_none().then_some(key.place.input);
        let same_producer = self.producer == key.producer;
        if same_producer && self.input == input {
            return Ok(());
        }
        if !same_producer {
            self.producer.clear();
            self.producer.extend_from_slice(key.producer);
            self.n_producers += 1;
        }
        self.input = input;
        self.watch = Watch::new(dialect_at(key.producer));
        (self.start_ns, self.time_ns) = (NO_TIME, NO_TIME);
        if key.number.is_some()
            && let Some(floor) = self.floors.find(key.producer)?
        {
            (self.start_ns, self.time_ns) = (time_at(floor, 0), time_at(floor, 8));
        }
        Ok(())
    }

    fn write_key(&self, out: &mut Vec<u8>, key: &OrderKey<'_>) {
        let (actor, session) = split_session(key.producer);
        out.clear();
        put_time(out, self.time_ns);
        out.extend_from_slice(actor);
        put_time(out, self.start_ns);
        out.extend_from_slice(session);
        out.extend_from_slice(key.tail());
    }
}

/// Reads the numbers of each producer as its inputs have them: reports backward steps, and notes when worker sessions begin and end.
fn follow_arrivals<F: Read + Write + Seek, S: FnMut() -> io::Result<F>>(
    arrivals: Sorter<F, S>,
    sessions: &mut Sorter<F, S>,
    findings: &mut Sorter<F, S>,
) -> io::Result<()> {
    let mut sorted = arrivals.sort()?;
    let mut session = Session::default();
    let mut input = None;
    let mut watch = Watch::new(crate::Dialect::Weft);
    while let Some(record) = sorted.read()? {
        let (producer, place) = record.key.split_at(record.key.len() - PLACE_BYTES);
        let place = place_at(place, 0);
        let (found, time_ns) = (u64_at(record.payload, 0), time_at(record.payload, 8));
        if session.producer != producer {
            session.write(sessions)?;
            session.begin(producer);
            input = None;
        }
        if input.replace(place.input) != Some(place.input) {
            watch = Watch::new(dialect_at(producer));
        }
        if let Step::Backward { after } = watch.step(found) {
            finding::add(findings, place, &Kind::Backward { after, found }, producer)?;
        }
        session.take(found, time_ns);
    }
    session.write(sessions)
}

/// When a session begins and ends.
#[derive(Default)]
struct Session {
    producer: Vec<u8>,
    /// The lowest number that has a time, and that time.
    first: Option<(u64, i64)>,
    end_ns: Option<i64>,
}

impl Session {
    fn begin(&mut self, producer: &[u8]) {
        self.producer.clear();
        self.producer.extend_from_slice(producer);
        (self.first, self.end_ns) = (None, None);
    }

    fn take(&mut self, number: u64, time_ns: i64) {
        if time_ns != NO_TIME {
            let first = (number, time_ns);
            self.first = Some(self.first.map_or(first, |known| known.min(first)));
            self.end_ns = self.end_ns.max(Some(time_ns));
        }
    }

    fn write<F: Read + Write + Seek, S: FnMut() -> io::Result<F>>(
        &self,
        sessions: &mut Sorter<F, S>,
    ) -> io::Result<()> {
        if self.producer.is_empty() || !producer_at(&self.producer).is_worker_session() {
            return Ok(());
        }
        let (worker, session) = split_session(&self.producer);
        let mut key = worker.to_vec();
        put_time(&mut key, self.first.map_or(NO_TIME, |(_, time_ns)| time_ns));
        key.extend_from_slice(session);
        let mut payload = Vec::with_capacity(8);
        put_time(&mut payload, self.end_ns.unwrap_or(NO_TIME));
        sessions.push(&key, &payload)
    }
}

/// Reads the sessions of each worker by the time at which they begin: none counts as earlier than the end of those before it.
fn follow_sessions<F: Read + Write + Seek, S: FnMut() -> io::Result<F>>(
    sessions: Sorter<F, S>,
    floors: &mut Sorter<F, S>,
) -> io::Result<()> {
    let mut sorted = sessions.sort()?;
    let mut worker = Vec::new();
    let mut floor_ns = NO_TIME;
    let mut floor = Vec::new();
    while let Some(record) = sorted.read()? {
        let (of, rest) = split_session(record.key);
        if of != worker {
            worker.clear();
            worker.extend_from_slice(of);
            floor_ns = NO_TIME;
        }
        let (start, session) = rest.split_at(8);
        floor.clear();
        floor.extend_from_slice(start);
        put_time(&mut floor, floor_ns);
        floors.push(&[of, session].concat(), &floor)?;
        floor_ns = floor_ns.max(time_at(record.payload, 0));
    }
    Ok(())
}
