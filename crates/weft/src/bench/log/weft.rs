//! Weft as it is used: events admitted, told from repeats, appended and synced, the index close behind.

use std::panic::resume_unwind;
use std::path::Path;
use std::time::Duration;

use weft_event::event::Expect;
use weft_log::admit::{Admitted, Arrival, Gate, Strictness};
use weft_log::blobs::{Blobs, Which};
use weft_log::follow;
use weft_log::log::{Batch, Durability, Hold, Indexing, Log, Options};
use weft_log::{Network, Position, Store};

use super::report::Measured;
use super::{Counts, PRODUCERS, Supply};
use crate::stores;

/// A store that is measured.
pub(super) struct Weft {
    store: Store,
    n_bytes: u64,
    n_events: u64,
}

impl Weft {
    pub(super) fn open(folder: &Path) -> anyhow::Result<Self> {
        let store = Store::make(folder, Network::Force)?;
        let weft = Self { store, n_bytes: 0, n_events: 0 };
        weft.log(Indexing::AtTheEnd)?.close()?;
        Ok(weft)
    }

    fn log(&self, indexing: Indexing) -> anyhow::Result<Log> {
        let (patience, hold) = (Duration::ZERO, Hold::Long);
        let options = Options { owner: stores::owner(), patience, hold, indexing };
        Ok(Log::open(self.store.clone(), options, &mut |_| {})?)
    }

    /// Measures every way to write.
    pub(super) fn measure(
        &mut self,
        counts: Counts,
        supply: &mut Supply,
        measured: &mut Measured,
    ) -> anyhow::Result<()> {
        let events = self.take(supply, counts.single);
        let log = self.log(Indexing::AtTheEnd)?;
        measured.time("Weft, 1 producer", events.len(), || self.produce(&log, &events))?;
        log.close()?;

        for (name, indexing) in [
            ("Weft, 64 producers, index paused", Indexing::AtTheEnd),
            ("Weft, 64 producers", Indexing::Meanwhile),
        ] {
            let events = self.take(supply, counts.crowd);
            let log = self.log(indexing)?;
            measured.time(name, events.len(), || self.produce_at_once(&log, &events))?;
            log.close()?;
        }

        let events = self.take(supply, counts.bulk);
        let log = self.log(Indexing::AtTheEnd)?;
        measured.time("Weft, bulk", events.len(), || self.produce_in_bulk(&log, &events))?;
        log.close()?;
        let events = self.take(supply, counts.bulk);
        let log = self.log(Indexing::Meanwhile)?;
        measured.time("Weft, bulk until indexed", events.len(), || {
            self.produce_in_bulk(&log, &events)?;
            Ok(log.close()?)
        })
    }

    /// Stores events without measuring.
    pub(super) fn store(&mut self, events: &[String]) -> anyhow::Result<()> {
        self.count(events);
        let log = self.log(Indexing::AtTheEnd)?;
        self.produce_in_bulk(&log, events)?;
        Ok(log.close()?)
    }

    /// Lets everything that goes on in the background come to its end.
    pub(super) fn settle(&self) -> anyhow::Result<()> {
        Ok(self.log(Indexing::AtTheEnd)?.close()?)
    }

    pub(super) fn rebuild(&self) -> anyhow::Result<()> {
        Ok(follow::rebuild(&self.store, &mut |_| {})?)
    }

    pub(super) fn n_stored(&self) -> anyhow::Result<usize> {
        let last = self.log(Indexing::AtTheEnd)?.last().map_or(0, Position::get);
        Ok(usize::try_from(last)?)
    }

    pub(super) fn event_bytes(&self) -> u64 {
        self.n_bytes / self.n_events.max(1)
    }

    fn take(&mut self, supply: &mut Supply, n: usize) -> Vec<String> {
        let events: Vec<String> = supply.by_ref().take(n).collect();
        self.count(&events);
        events
    }

    fn count(&mut self, events: &[String]) {
        self.n_events += events.len() as u64;
        self.n_bytes += events.iter().map(|event| event.len() as u64).sum::<u64>();
    }

    fn produce(&self, log: &Log, events: &[String]) -> anyhow::Result<()> {
        let mut gate = self.gate();
        events.iter().try_for_each(|event| append(log, vec![admit(&mut gate, event)?]))
    }

    fn produce_at_once(&self, log: &Log, events: &[String]) -> anyhow::Result<()> {
        std::thread::scope(|scope| {
            let each = events.len().div_ceil(PRODUCERS);
            let producers: Vec<_> =
                events.chunks(each).map(|own| scope.spawn(|| self.produce(log, own))).collect();
            producers.into_iter().try_for_each(|producer| {
                producer.join().unwrap_or_else(|panic| resume_unwind(panic))
            })
        })
    }

    /// One thread admits and another appends, as `weft ingest` does.
    fn produce_in_bulk(&self, log: &Log, events: &[String]) -> anyhow::Result<()> {
        const TOGETHER: usize = 1000;
        std::thread::scope(|scope| {
            let (send, receive) = std::sync::mpsc::sync_channel::<Vec<Admitted>>(4);
            let appender = scope
                .spawn(move || receive.into_iter().try_for_each(|admitted| append(log, admitted)));
            let mut gate = self.gate();
            for some in events.chunks(TOGETHER) {
                let admitted: Result<Vec<_>, _> =
                    some.iter().map(|event| admit(&mut gate, event)).collect();
                if send.send(admitted?).is_err() {
                    break;
                }
            }
            drop(send);
            appender.join().unwrap_or_else(|panic| resume_unwind(panic))
        })
    }

    fn gate(&self) -> Gate {
        Gate::new(Blobs::new(self.store.blobs()), Which::Largest, Strictness::Lenient)
    }
}

fn admit(gate: &mut Gate, event: &str) -> anyhow::Result<Admitted> {
    let (line, expect, via) = (event.as_bytes(), Expect::Any, "bench");
    Ok(gate.admit(&Arrival { line, expect, via, delivery: None, topic: None })?)
}

fn append(log: &Log, events: Vec<Admitted>) -> anyhow::Result<()> {
    log.append(Batch { events, conditions: Vec::new(), durability: Durability::Synced })?;
    Ok(())
}
