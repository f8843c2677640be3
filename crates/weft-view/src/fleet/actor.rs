//! One actor: what it said in each of its sessions.

use serde::{Deserialize, Serialize};
use weft_event::Status;
use weft_event::report::Part;

use super::producer::Producer;
use crate::{Entry, snug};

/// Most sessions of an actor that are kept; beyond it the one goes that spoke longest ago.
const PRODUCERS_MAX: usize = 16;

/// One actor.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Actor {
    /// Sorted by session.
    producers: Vec<Producer>,
    /// When it was first and last seen, heartbeats included; none while there is only hearsay.
    seen: Option<Seen>,
    /// When it last did more than give a heartbeat.
    acted_ns: Option<i64>,
    heartbeat_ns: Option<i64>,
    n_events: u64,
    /// When it was last in each status, in the order of [`Status::ALL`].
    reached_ns: [Option<i64>; Status::ALL.len()],
    handed: Option<Handed>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Seen {
    pub(crate) first_ns: i64,
    pub(crate) last_ns: i64,
}

/// A task that another actor handed over.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Handed {
    pub(crate) at_ns: i64,
    pub(crate) position: u64,
    pub(crate) task: String,
}

impl Actor {
    /// Takes in an event of this actor.
    pub(super) fn apply(&mut self, name: &str, at_ns: i64, entry: &Entry<'_, '_>) {
        let seen = self.seen.get_or_insert(Seen { first_ns: at_ns, last_ns: at_ns });
        seen.first_ns = seen.first_ns.min(at_ns);
        seen.last_ns = seen.last_ns.max(at_ns);
        let is_heartbeat = matches!(entry.report.part, Part::Heartbeat);
        let last_ns = if is_heartbeat { &mut self.heartbeat_ns } else { &mut self.acted_ns };
        *last_ns = (*last_ns).max(Some(at_ns));
        self.n_events += u64::from(!entry.is_carried);
        if let Some(status) = entry.facts.status {
            let reached_ns = &mut self.reached_ns[status as usize];
            *reached_ns = (*reached_ns).max(Some(at_ns));
        }
        if let Some(producer) = self.producer(entry.facts.session.as_deref(), at_ns) {
            producer.apply(name, at_ns, entry);
        }
    }

    /// Takes in that another actor handed it a task.
    pub(super) fn hand(&mut self, handed: Handed) {
        let key = |handed: &Handed| (handed.at_ns, handed.position);
        if self.handed.as_ref().is_none_or(|before| key(before) < key(&handed)) {
            self.handed = Some(handed);
        }
    }

    fn producer(&mut self, session: Option<&str>, at_ns: i64) -> Option<&mut Producer> {
        let found = self.producers.binary_search_by(|producer| producer.session().cmp(&session));
        let idx = match found {
            Ok(idx) => idx,
            Err(idx) if self.producers.len() < PRODUCERS_MAX => {
                snug::insert(&mut self.producers, idx, Producer::new(session, at_ns));
                idx
            }
            Err(_) => {
                let ages = self.producers.iter().map(Producer::last_ns).enumerate();
                let (oldest, oldest_ns) = ages.min_by_key(|(_, last_ns)| *last_ns)?;
                if oldest_ns >= at_ns {
                    return None;
                }
                self.producers.remove(oldest);
                let idx = self.producers.partition_point(|producer| producer.session() < session);
                self.producers.insert(idx, Producer::new(session, at_ns));
                idx
            }
        };
        Some(&mut self.producers[idx])
    }

    /// Returns whether it has not said a word, and only others spoke of it.
    pub(super) fn is_hearsay(&self) -> bool {
        self.seen.is_none()
    }

    /// Returns its sessions, by their names.
    pub(crate) fn producers(&self) -> &[Producer] {
        &self.producers
    }

    /// Returns its sessions, the one that speaks for it first.
    pub(crate) fn speakers(&self) -> Vec<&Producer> {
        let mut speakers: Vec<&Producer> = self.producers.iter().collect();
        speakers.sort_by_key(|producer| std::cmp::Reverse(producer.rank()));
        speakers
    }

    /// Returns the session that speaks for it.
    pub(crate) fn speaker(&self) -> Option<&Producer> {
        // Of equal ones the first.
        self.producers.iter().rev().max_by_key(|producer| producer.rank())
    }

    /// Returns what the first of its sessions says that says anything of it, in the order in which they speak for it.
    fn said<'a, T>(&'a self, get: impl Fn(&'a Producer) -> Option<T>) -> Option<T> {
        match self.producers.as_slice() {
            [only] => get(only),
            _several => self.speakers().into_iter().find_map(get),
        }
    }

    /// Returns when it was last in a status.
    pub(crate) fn reached_ns(&self, status: Status) -> Option<i64> {
        self.reached_ns[status as usize]
    }

    /// Returns when it last did more than give a heartbeat.
    pub(crate) fn acted_ns(&self) -> Option<i64> {
        self.acted_ns
    }

    pub(crate) fn heartbeat_ns(&self) -> Option<i64> {
        self.heartbeat_ns
    }

    pub(crate) fn seen(&self) -> Option<Seen> {
        self.seen
    }

    pub(crate) fn n_events(&self) -> u64 {
        self.n_events
    }

    /// Returns who started it.
    pub(crate) fn parent(&self) -> Option<&str> {
        self.said(Producer::parent)
    }

    /// Returns the task that it is on: the one of its own words, or one that was handed to it since.
    pub(crate) fn task(&self) -> Option<&str> {
        let own = self.said(Producer::task);
        let handed = self
            .handed
            .as_ref()
            .filter(|handed| own.is_none_or(|(own_ns, _)| own_ns < handed.at_ns));
        match handed {
            Some(handed) => Some(&handed.task),
            None => own.and_then(|(_, task)| task),
        }
    }
}
