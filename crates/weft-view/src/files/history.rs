//! What is kept of one file, and of the claims to one piece of work.

use serde::{Deserialize, Serialize};

use super::leases::Leases;
use super::tools::Access;
use crate::Entry;

/// Touches of a file that are kept, the newest. What is older than all of them is only counted as late.
pub(super) const TOUCHES_MAX: usize = 64;
/// Actors of a file that are kept.
const ACTORS_MAX: usize = 128;
/// Claims and ends of a piece of work that are kept, the newest.
const CLAIMS_MAX: usize = 16;

/// One tool call on a file, however many events tell of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Touch {
    /// The earliest time that is told.
    pub(super) at_ns: i64,
    /// The first record of it.
    pub(super) position: u64,
    /// What tells the call from others, if it has an id.
    pub(super) call: Option<u64>,
    /// Whoever that record says it was.
    pub(super) actor: String,
    pub(super) access: Access,
}

impl Touch {
    fn key(&self) -> (i64, u64) {
        (self.at_ns, self.position)
    }
}

/// What one actor did to a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Hand {
    pub(super) actor: String,
    pub(super) n_reads: u64,
    pub(super) n_writes: u64,
    pub(super) n_others: u64,
    pub(super) first_ns: i64,
    pub(super) last_ns: i64,
}

impl Hand {
    fn count(&mut self, access: Access) -> &mut u64 {
        match access {
            Access::Read => &mut self.n_reads,
            Access::Write => &mut self.n_writes,
            Access::Other => &mut self.n_others,
        }
    }
}

/// What happened to one file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct History {
    /// By the actors' names.
    pub(super) hands: Vec<Hand>,
    /// From the oldest to the newest.
    pub(super) touches: Vec<Touch>,
    /// Events that came when all that is kept was newer.
    pub(super) n_late: u64,
    pub(super) leases: Leases,
}

impl History {
    /// Takes in what one event tells of a call.
    pub(super) fn touch(&mut self, touch: Touch) {
        let same = |other: &Touch| touch.call.is_some() && other.call == touch.call;
        match self.touches.iter().rposition(same) {
            Some(idx) => self.tell_again(idx, touch),
            None => self.tell_first(touch),
        }
    }

    fn tell_first(&mut self, touch: Touch) {
        let is_full = self.touches.len() == TOUCHES_MAX;
        if is_full && touch.key() < self.touches[0].key() {
            self.n_late += 1;
            return;
        }
        let hand = self.hand(&touch);
        *hand.count(touch.access) += 1;
        let idx = self.touches.partition_point(|other| other.key() < touch.key());
        self.touches.insert(idx, touch);
        if is_full {
            self.touches.remove(0);
        }
    }

    /// Takes in another event of a call: the earliest time counts, and the first record says who it was.
    fn tell_again(&mut self, idx: usize, touch: Touch) {
        self.hand(&touch);
        let mut known = self.touches.remove(idx);
        if touch.position < known.position {
            let counts = [(&known, -1), (&touch, 1)];
            for (counted, by) in counts {
                let n = self.hand(counted).count(counted.access);
                *n = n.saturating_add_signed(by);
            }
            known = Touch { at_ns: known.at_ns, ..touch.clone() };
        }
        known.at_ns = known.at_ns.min(touch.at_ns);
        let idx = self.touches.partition_point(|other| other.key() < known.key());
        self.touches.insert(idx, known);
    }

    /// Returns the hand of the actor that touches, who is seen at that time.
    fn hand(&mut self, touch: &Touch) -> &mut Hand {
        let at_ns = touch.at_ns;
        let found = self.hands.binary_search_by(|hand| hand.actor.as_str().cmp(&touch.actor));
        let idx = found.unwrap_or_else(|idx| {
            let actor = touch.actor.clone();
            let (first_ns, last_ns) = (at_ns, at_ns);
            let hand = Hand { actor, n_reads: 0, n_writes: 0, n_others: 0, first_ns, last_ns };
            self.hands.insert(idx, hand);
            idx
        });
        let hand = &mut self.hands[idx];
        hand.first_ns = hand.first_ns.min(at_ns);
        hand.last_ns = hand.last_ns.max(at_ns);
        if self.hands.len() <= ACTORS_MAX {
            return &mut self.hands[idx];
        }
        let others = (0..self.hands.len()).filter(|other| *other != idx);
        let oldest = others.min_by_key(|other| (self.hands[*other].last_ns, *other));
        let oldest = oldest.expect("there are more than one");
        self.hands.remove(oldest);
        &mut self.hands[if oldest < idx { idx - 1 } else { idx }]
    }

    /// Takes in what is kept of another name of the same file.
    pub(super) fn merge(&mut self, other: &Self) {
        for hand in &other.hands {
            match self.hands.binary_search_by(|known| known.actor.cmp(&hand.actor)) {
                Err(idx) => self.hands.insert(idx, hand.clone()),
                Ok(idx) => {
                    let known = &mut self.hands[idx];
                    known.n_reads += hand.n_reads;
                    known.n_writes += hand.n_writes;
                    known.n_others += hand.n_others;
                    known.first_ns = known.first_ns.min(hand.first_ns);
                    known.last_ns = known.last_ns.max(hand.last_ns);
                }
            }
        }
        self.touches.extend(other.touches.iter().cloned());
        self.touches.sort_by_key(Touch::key);
        self.n_late += other.n_late;
        self.leases.merge(&other.leases);
    }
}

/// Who claimed a piece of work, and who let go of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Claims {
    /// From the oldest to the newest.
    pub(super) steps: Vec<Claim>,
}

/// A claim, or its end.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Claim {
    pub(super) at_ns: i64,
    pub(super) position: u64,
    pub(super) actor: String,
    pub(super) is_claim: bool,
}

impl Claims {
    pub(super) fn put(&mut self, entry: &Entry<'_, '_>, actor: &str, is_claim: bool) {
        let (at_ns, position) = (entry.seen_ns(), entry.position);
        let step = Claim { at_ns, position, actor: actor.to_owned(), is_claim };
        let idx = self.steps.partition_point(|other| *other < step);
        self.steps.insert(idx, step);
        if self.steps.len() > CLAIMS_MAX {
            self.steps.remove(0);
        }
    }
}
