//! The peers of a gateway, by their pairings.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use weft_event::report::{Peer, PeerPhase};

use crate::bounded::Bounded;
use crate::word::Word;
use crate::{At, Entry, Latest};

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

    pub(super) fn rows(&self) -> Vec<PeerRow> {
        let text =
            |slot: &Option<Latest<String>>| slot.as_ref().map(|latest| latest.value().clone());
        let row = |(id, pairing): (&str, &Pairing)| {
            let phase = pairing.phase.as_ref()?;
            Some(PeerRow {
                pairing: id.to_owned(),
                phase: phase.value().phase,
                since: At(phase.value().at_ns),
                component: text(&pairing.component),
                kind: text(&pairing.kind),
                uri: text(&pairing.uri),
                fingerprint: text(&pairing.fingerprint),
                fingerprint_before: None,
                error: text(&pairing.error),
                position: phase.stamp().position(),
            })
        };
        let mut rows: Vec<PeerRow> = self.by_pairing.iter().filter_map(row).collect();
        rows.sort_by(|a, b| (a.since, &a.pairing).cmp(&(b.since, &b.pairing)));
        tell_changes(&mut rows);
        rows.reverse();
        rows
    }
}

/// Tells of each pairing, from the first to the last, whether its component came with another certificate than before.
fn tell_changes(rows: &mut [PeerRow]) {
    let mut before: HashMap<String, String> = HashMap::new();
    for row in rows {
        let (Some(component), Some(fingerprint)) = (&row.component, &row.fingerprint) else {
            continue;
        };
        let known = before.insert(component.clone(), fingerprint.clone());
        row.fingerprint_before = known.filter(|known| known != fingerprint);
    }
}
