//! Where what subagents said and did belongs: into the call that started each, else into its turn.

use std::collections::HashMap;

use super::assemble::{Assembly, Helper, Spot};
use super::{AgentItem, CallItem, Item, Turn};
use crate::At;

const NS_PER_MS: u64 = 1_000_000;

/// Where subagents belong, each by its number.
#[derive(Clone, Debug, Default)]
pub(super) struct Placed {
    /// The subagent that a call started.
    pub(super) of_call: HashMap<Spot, usize>,
    /// Those of which no call is known, by turn: before which of its items, and which subagent; in order.
    pub(super) of_turn: HashMap<usize, Vec<(usize, usize)>>,
}

/// Finds the call that started each subagent: the one that it names, else the last one before it that has no subagent yet and was
/// running. Where there is none it belongs into the turn that it names, else into the last one that had begun.
pub(super) fn place(assembly: &Assembly) -> Placed {
    let mut placed = Placed::default();
    let mut left = Vec::new();
    for (nth, helper) in assembly.helpers.iter().enumerate() {
        let is_free = |spot: &&Spot| !placed.of_call.contains_key(*spot);
        let named = helper.named.iter().rev().find(is_free);
        let running = || {
            let is_open = |spot: &&Spot| is_open(assembly, **spot, helper.at_ns);
            assembly.starters.iter().rev().filter(is_free).find(is_open)
        };
        match named.or_else(running).copied() {
            Some(spot) => {
                placed.of_call.insert(spot, nth);
            }
            None => left.push((nth, helper)),
        }
    }
    if !left.is_empty() {
        placed.of_turn = by_turn(assembly, &left);
    }
    placed
}

fn by_turn(assembly: &Assembly, left: &[(usize, &Helper)]) -> HashMap<usize, Vec<(usize, usize)>> {
    let drafts = &assembly.drafts;
    let mut named: HashMap<usize, usize> = HashMap::new();
    for (idx, draft) in drafts.iter().enumerate() {
        let helpers = draft.span.as_ref().and_then(|span| assembly.helpers_of.get(span));
        named.extend(helpers.into_iter().flatten().map(|nth| (*nth, idx)));
    }
    let mut of_turn: HashMap<usize, Vec<(usize, usize)>> = HashMap::new();
    for (nth, Helper { at_ns, .. }) in left {
        let begun = || {
            drafts.iter().rposition(|draft| {
                draft.turn.prompt.as_ref().is_some_and(|prompt| prompt.at.0 <= *at_ns)
            })
        };
        let turn = named.get(nth).copied().or_else(begun).unwrap_or(0);
        let items = drafts.get(turn).map_or(&[][..], |draft| &draft.turn.items);
        let before = items.partition_point(|item| item.at() <= At(*at_ns));
        of_turn.entry(turn).or_default().push((before, *nth));
    }
    for helpers in of_turn.values_mut() {
        helpers.sort_by_key(|(before, nth)| (*before, assembly.helpers[*nth].at_ns));
    }
    of_turn
}

/// Returns the turns with what subagents said and did in its place.
pub(super) fn turns(assembly: Assembly) -> Vec<Turn> {
    let Placed { of_call, of_turn } = place(&assembly);
    let agent = |helper: Helper| AgentItem {
        actor: helper.actor,
        at: At(helper.at_ns),
        items: helper.draft.turn.items,
    };
    let mut agents: Vec<Option<AgentItem>> =
        assembly.helpers.into_iter().map(|helper| Some(agent(helper))).collect();
    let mut turns: Vec<Turn> = assembly.drafts.into_iter().map(|draft| draft.turn).collect();
    if turns.is_empty() && !agents.is_empty() {
        turns.push(Turn::default());
    }
    for ((turn, idx), nth) in of_call {
        if let Item::Call(call) = &mut turns[turn].items[idx] {
            call.agent = agents[nth].take();
        }
    }
    for (turn, helpers) in of_turn {
        // Those that come in before it move an item on.
        for (n_before, (before, nth)) in helpers.into_iter().enumerate() {
            let agent = agents[nth].take().map(Item::Agent);
            turns[turn].items.splice(before + n_before..before + n_before, agent);
        }
    }
    turns
}

/// Returns whether a call was running at a time.
fn is_open(assembly: &Assembly, (turn, idx): Spot, at_ns: i64) -> bool {
    let Item::Call(CallItem { at, duration_ms, .. }) = &assembly.drafts[turn].turn.items[idx]
    else {
        return false;
    };
    let is_open = duration_ms.is_none_or(|ms| {
        let spent_ns = i64::try_from(ms.saturating_mul(NS_PER_MS)).unwrap_or(i64::MAX);
        at.0.saturating_add(spent_ns) >= at_ns
    });
    at.0 <= at_ns && is_open
}

/// Returns whether a tool is one that starts agents.
pub(super) fn starts_agents(tool: Option<&str>) -> bool {
    tool.is_some_and(|tool| ["Task", "Agent", "spawn_agent", "delegate"].contains(&tool))
}
