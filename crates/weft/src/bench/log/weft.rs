//! Weft as it is used: events admitted, told from repeats, appended and synced, the index close behind.

use std::panic::resume_unwind;
use std::path::Path;
use std::time::Duration;

use weft_event::demo::World;
use weft_event::event::Expect;
use weft_log::admit::{Admitted, Arrival, Gate, Strictness};
use weft_log::blobs::Which;
use weft_log::follow;
use weft_log::log::{Batch, Durability, Hold, Indexing, Log, Options};
use weft_log::redact::{ALL_SOURCES, Redaction, Settings};
use weft_log::{Network, Position, Store};

use super::PRODUCERS;
use crate::stores;

/// When the made-up events begin: 2026-11-15 08:00 UTC.
pub(in crate::bench) const WORLD_START_NS: i64 = 1_794_729_600_000_000_000;

/// A store that is measured.
pub(in crate::bench) struct Weft {
    store: Store,
    /// The same store, whose gate looks for no secrets.
    unredacted: Store,
}

/// Whether secrets are looked for.
#[derive(Clone, Copy)]
pub(in crate::bench) enum Secrets {
    Redacted,
    Kept,
}

impl Weft {
    pub(in crate::bench) fn open(folder: &Path) -> anyhow::Result<Self> {
        let store = Store::make(folder, Network::Force)?;
        let settings =
            Settings { sources_off: vec![ALL_SOURCES.to_owned()], ..Settings::default() };
        let unredacted = store.clone().with_redaction(Redaction::new(settings).into());
        let weft = Self { store, unredacted };
        weft.log(Indexing::AtTheEnd)?.close()?;
        Ok(weft)
    }

    /// Opens the store to be written for long, as a server does, and lets it get warm.
    pub(in crate::bench) fn log(&self, indexing: Indexing) -> anyhow::Result<Log> {
        let (patience, hold) = (Duration::ZERO, Hold::Long);
        let options = Options { owner: stores::owner(), patience, hold, indexing };
        let log = Log::open(self.store.clone(), options, &mut |_| {})?;
        while !log.is_warm() {
            std::thread::park_timeout(Duration::from_millis(5));
        }
        Ok(log)
    }

    pub(in crate::bench) fn store(&self) -> &Store {
        &self.store
    }

    pub(in crate::bench) fn rebuild(&self) -> anyhow::Result<()> {
        Ok(follow::rebuild(&self.store, &mut |_| {})?)
    }

    pub(in crate::bench) fn n_stored(&self) -> anyhow::Result<usize> {
        let last = self.log(Indexing::AtTheEnd)?.last().map_or(0, Position::get);
        Ok(usize::try_from(last)?)
    }

    /// Stores so many events of the demonstration's world.
    pub(in crate::bench) fn store_world(&self, seed: u64, n_events: u64) -> anyhow::Result<()> {
        /// Events that are stored together.
        const TOGETHER: usize = 10_000;
        let log = self.log(Indexing::AtTheEnd)?;
        let mut world = World::new(seed, WORLD_START_NS).map(|moment| moment.line);
        let mut left = usize::try_from(n_events)?;
        while left > 0 {
            let events: Vec<String> = world.by_ref().take(left.min(TOGETHER)).collect();
            left -= events.len();
            self.produce_in_bulk(&log, &events, Secrets::Kept)?;
        }
        Ok(log.close()?)
    }

    /// Appends events one after the other.
    pub(in crate::bench) fn produce(&self, log: &Log, events: &[String]) -> anyhow::Result<()> {
        let mut gate = self.gate();
        events.iter().try_for_each(|event| append(log, vec![admit(&mut gate, event)?]))
    }

    /// Appends events from several threads, one at a time each.
    pub(in crate::bench) fn produce_at_once(
        &self,
        log: &Log,
        events: &[String],
    ) -> anyhow::Result<()> {
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
    pub(in crate::bench) fn produce_in_bulk(
        &self,
        log: &Log,
        events: &[String],
        secrets: Secrets,
    ) -> anyhow::Result<()> {
        const TOGETHER: usize = 1000;
        let store = match secrets {
            Secrets::Redacted => &self.store,
            Secrets::Kept => &self.unredacted,
        };
        std::thread::scope(|scope| {
            let (send, receive) = std::sync::mpsc::sync_channel::<Vec<Admitted>>(4);
            let appender = scope
                .spawn(move || receive.into_iter().try_for_each(|admitted| append(log, admitted)));
            let mut gate = Gate::new(store, Which::Largest, Strictness::Lenient);
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
        Gate::new(&self.store, Which::Largest, Strictness::Lenient)
    }
}

fn admit(gate: &mut Gate, event: &str) -> anyhow::Result<Admitted> {
    let (line, expect, via) = (event.as_bytes(), Expect::Any, "bench");
    Ok(gate.admit_own(&Arrival { line, expect, via, delivery: None, topic: None })?)
}

fn append(log: &Log, events: Vec<Admitted>) -> anyhow::Result<()> {
    log.append(Batch { events, conditions: Vec::new(), durability: Durability::Synced })?;
    Ok(())
}
