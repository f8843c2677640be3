//! The peers of a gateway, by their pairings.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use weft_event::report::{Peer, PeerPhase};

use crate::bounded::Bounded;
use crate::first::first;
use crate::word::Word;
use crate::{At, Entry, First, Latest};

/// Most pairings that are kept.
pub(super) const PEERS_MAX: usize = 1_000;

/// The pairings, by their ids.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Peers {
    by_pairing: Bounded<Pairing, PEERS_MAX>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Pairing {
    phase: Option<Latest<Phase>>,
    component: Option<Latest<String>>,
    kind: Option<Latest<String>>,
    uri: Option<Latest<String>>,
    fingerprint: Option<Latest<String>>,
    error: Option<Latest<String>>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Phase {
    at_ns: i64,
    phase: Word<PeerPhase>,
}

/// A pairing with its name, its newest phase and since when it is in it.
type Told<'p> = (i64, &'p str, &'p Pairing, &'p Latest<Phase>);

/// One pairing.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PeerRow {
    /// Its id.
    pub pairing: String,
    /// How far it is.
    pub phase: Word<PeerPhase>,
    /// Since when.
    pub since: At,
    /// The remote component.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub component: Option<String>,
    /// What kind of component it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Where it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
    /// The fingerprint of its certificate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
    /// The fingerprint that the same component had when it was paired before, if that was another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fingerprint_before: Option<String>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The record of that phase.
    pub position: u64,
}

impl Peers {
    pub(super) fn apply(&mut self, peer: &Peer<'_>, at_ns: i64, entry: &Entry<'_, '_>) {
        let Some(pairing) = peer.pairing.as_deref().and_then(|id| self.by_pairing.touch(id, at_ns))
        else {
            return;
        };
        let stamp = entry.stamp();
        Latest::put(&mut pairing.phase, stamp, || Phase { at_ns, phase: Word(peer.phase) });
        for (slot, told) in [
            (&mut pairing.component, &peer.component),
            (&mut pairing.kind, &peer.component_kind),
            (&mut pairing.uri, &peer.uri),
            (&mut pairing.fingerprint, &peer.fingerprint),
            (&mut pairing.error, &peer.error),
        ] {
            if let Some(text) = told.as_deref() {
                Latest::put(slot, stamp, || text.to_owned());
            }
        }
    }

    /// Returns the first pairings, the newest first.
    pub(super) fn first(&self, limit: usize) -> First<PeerRow> {
        let text =
            |slot: &Option<Latest<String>>| slot.as_ref().map(|latest| latest.value().clone());
        let told = self
            .by_pairing
            .iter()
            .filter_map(|(id, pairing)| Some((id, pairing, pairing.phase.as_ref()?)));
        let all: Vec<Told<'_>> =
            told.map(|(id, pairing, phase)| (phase.value().at_ns, id, pairing, phase)).collect();
        let before = if limit > 0 { changes(&all) } else { HashMap::new() };
        first(
            all,
            limit,
            |a, b| (b.0, b.1).cmp(&(a.0, a.1)),
            |(at_ns, id, pairing, phase)| PeerRow {
                pairing: id.to_owned(),
                phase: phase.value().phase,
                since: At(at_ns),
                component: text(&pairing.component),
                kind: text(&pairing.kind),
                uri: text(&pairing.uri),
                fingerprint: text(&pairing.fingerprint),
                fingerprint_before: before.get(id).map(|known| (*known).to_owned()),
                error: text(&pairing.error),
                position: phase.stamp().position(),
            },
        )
    }
}

/// Returns the fingerprints before, by pairing, where a component came with another certificate than before.
fn changes<'p>(all: &[Told<'p>]) -> HashMap<&'p str, &'p str> {
    let mut sorted: Vec<&Told<'p>> = all.iter().collect();
    sorted.sort_unstable_by_key(|(at_ns, id, ..)| (*at_ns, *id));
    let mut before: HashMap<&str, &str> = HashMap::new();
    let mut changes = HashMap::new();
    for (_, id, pairing, _) in sorted {
        let (Some(component), Some(fingerprint)) = (&pairing.component, &pairing.fingerprint)
        else {
            continue;
        };
        let fingerprint = fingerprint.value().as_str();
        let known = before.insert(component.value(), fingerprint);
        if let Some(known) = known.filter(|known| *known != fingerprint) {
            changes.insert(*id, known);
        }
    }
    changes
}
