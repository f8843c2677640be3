//! The rules themselves: what each sees in one actor.

use std::cell::OnceCell;
use std::collections::HashMap;

use weft_event::Status;
use weft_event::report::Finding;

use super::Rule;
use crate::fleet::{Actor, Called, Found, Producer, Run, Seen, elapsed_ms, is_main_agent};
use crate::loops::{LoopState, Row};
use crate::word::Word;
use crate::{Rules, Views};

/// What one rule sees in an actor.
#[derive(Debug, PartialEq)]
pub(super) struct Sign {
    pub(super) rule: Rule,
    pub(super) since_ns: i64,
    pub(super) what: String,
    pub(super) positions: Vec<u64>,
}

/// Returns what the rules see in an actor, the most telling first.
pub(super) fn signs(
    views: &Views,
    name: &str,
    actor: &Actor,
    (children, heard): (&Children<'_>, &Heard<'_>),
    now_ns: i64,
    rules: &Rules,
) -> Vec<Sign> {
    let (Some(speaker), Some(seen)) = (actor.speaker(), actor.seen()) else {
        return Vec::new();
    };
    if views.fleet.is_gone(name, actor) {
        return Vec::new();
    }
    let mut signs = Vec::new();
    if let Some(run) = views.fleet.run(actor)
        && let Some((since_ns, _)) = run.at_work
        && elapsed_ms(seen.last_ns, now_ns) <= rules.stuck_kept_ms
    {
        signs.extend(same_call(speaker, since_ns, rules));
        signs.extend(same_edit(speaker, since_ns, rules));
        // A loop speaks once in each iteration, which may take long; when that is too long is known of loops alone.
        let is_loop = speaker.looped_ns().is_some();
        if !is_loop && !children.are_at_work_for(name, run, now_ns, rules) {
            let heard_ns = || heard.last_ns(speaker, seen);
            let is_silent = |last_ns| elapsed_ms(last_ns, now_ns) >= rules.silent_ms;
            if rules.silent_ms > 0 && is_silent(seen.last_ns) && is_silent(heard_ns()) {
                signs.push(silent(run, heard_ns()));
            }
            let state = same_state(run, now_ns, rules);
            let nowhere = state.into_iter().chain(slow(speaker, run, since_ns, now_ns, rules));
            // Whoever reports under two names gets on by either, and says so by the one that was heard of last.
            signs.extend(nowhere.filter(|_| heard_ns() <= seen.last_ns));
        }
    }
    let found = views.fleet.finding(name);
    signs.extend(found.and_then(|found| reported(found, actor, now_ns, rules)));
    signs
}

/// When the children of each actor last did something.
pub(super) struct Children<'v> {
    acted_ns: HashMap<&'v str, i64>,
}

impl<'v> Children<'v> {
    pub(super) fn of(views: &'v Views) -> Self {
        let mut acted_ns = HashMap::new();
        for (_, actor) in views.fleet.actors() {
            if let (Some(parent), Some(child_ns)) = (actor.parent(), actor.acted_ns()) {
                let newest_ns = acted_ns.entry(parent).or_insert(child_ns);
                *newest_ns = child_ns.max(*newest_ns);
            }
        }
        Self { acted_ns }
    }

    /// Returns whether what an actor called is the work of its children, who are at it.
    fn are_at_work_for(&self, name: &str, run: Run, now_ns: i64, rules: &Rules) -> bool {
        let is_recent = |acted_ns: &i64| elapsed_ms(*acted_ns, now_ns) < rules.events_alive_ms;
        run.status == Word(Status::ToolUse) && self.acted_ns.get(name).is_some_and(is_recent)
    }
}

/// When each session was last heard of whose main agent is known: by that name, or by one that the agent gives itself. It is worked
/// out once somebody seems to be silent.
pub(super) struct Heard<'v> {
    views: &'v Views,
    last_ns: OnceCell<HashMap<&'v str, i64>>,
}

impl<'v> Heard<'v> {
    pub(super) fn of(views: &'v Views) -> Self {
        Self { views, last_ns: OnceCell::new() }
    }

    fn sessions(&self) -> HashMap<&'v str, i64> {
        let fleet = &self.views.fleet;
        let mut last_ns: HashMap<&str, i64> = HashMap::new();
        for (name, actor) in fleet.actors() {
            let mains = actor.producers().iter().filter_map(|producer| {
                let session = producer.own_session()?;
                is_main_agent(name, session).then(|| (session, producer.last_ns()))
            });
            last_ns.extend(mains);
        }
        for producer in fleet.actors().flat_map(|(_, actor)| actor.producers()) {
            let known = producer.own_session().and_then(|session| last_ns.get_mut(session));
            if let Some(known) = known {
                *known = producer.last_ns().max(*known);
            }
        }
        last_ns
    }

    /// Returns when an actor was last heard of: by its own name, or by another of its session.
    fn last_ns(&self, speaker: &Producer, seen: Seen) -> i64 {
        let sessions = || self.last_ns.get_or_init(|| self.sessions());
        let session = speaker.own_session().and_then(|session| sessions().get(session));
        session.map_or(seen.last_ns, |session_ns| seen.last_ns.max(*session_ns))
    }
}

/// Returns the loops that are stale, each by its run.
pub(super) fn stale(views: &Views, now_ns: i64, rules: &Rules) -> HashMap<String, Sign> {
    let rows = views.loops.rows(now_ns, rules).into_iter();
    let is_stale = |row: &Row| row.state == LoopState::Stale && row.age_ms <= rules.stuck_kept_ms;
    let sign = |row: Row| Sign {
        rule: Rule::Stale,
        since_ns: row.last_seen.0,
        what: "a loop that does not go on".to_owned(),
        positions: row.position.into_iter().collect(),
    };
    rows.filter(is_stale).map(|row| (row.run.clone(), sign(row))).collect()
}

/// Returns what another actor found, as long as this one has done nothing since.
pub(super) fn reported_unseen(found: &Found, now_ns: i64, rules: &Rules) -> Option<Sign> {
    let is_stuck = found.finding == Word(Finding::Stuck);
    let is_recent = elapsed_ms(found.at_ns, now_ns) <= rules.stuck_kept_ms;
    (is_stuck && is_recent).then(|| Sign {
        rule: Rule::Reported,
        since_ns: found.at_ns,
        what: match &found.what {
            Some(what) => format!("{} found it stuck: {what}", found.by),
            None => format!("{} found it stuck", found.by),
        },
        positions: vec![found.position],
    })
}

fn reported(found: &Found, actor: &Actor, now_ns: i64, rules: &Rules) -> Option<Sign> {
    let has_acted_since = actor.acted_ns() > Some(found.at_ns);
    reported_unseen(found, now_ns, rules).filter(|_| !has_acted_since)
}

fn same_call(speaker: &Producer, since_ns: i64, rules: &Rules) -> Option<Sign> {
    let calls = speaker.calls_since(since_ns);
    let what = calls.first()?.1.what?;
    let again = calls.iter().take_while(|(_, called)| called.what == Some(what));
    let (since_ns, positions) = repeats(again, rules.same_call_times)?;
    let call = speaker.tool_text().unwrap_or_default();
    let what = format!("{call}, {} times in a row", positions.len());
    Some(Sign { rule: Rule::SameCall, since_ns, what, positions })
}

fn same_edit(speaker: &Producer, since_ns: i64, rules: &Rules) -> Option<Sign> {
    let calls = speaker.calls_since(since_ns);
    let edits: Vec<&(u64, &Called)> =
        calls.iter().filter(|(_, called)| called.edits.is_some()).collect();
    let file = edits.first()?.1.edits;
    let again = edits.iter().copied().take_while(|(_, called)| called.edits == file);
    let (since_ns, positions) = repeats(again, rules.same_edit_times)?;
    let what = format!("{} edited {} times", speaker.edited().unwrap_or_default(), positions.len());
    Some(Sign { rule: Rule::SameEdit, since_ns, what, positions })
}

/// Returns when the first was, and the positions of all, if there are as many as the rule asks for.
fn repeats<'c>(
    again: impl Iterator<Item = &'c (u64, &'c Called)>,
    n_min: usize,
) -> Option<(i64, Vec<u64>)> {
    let again: Vec<&(u64, &Called)> = again.collect();
    let (_, first) = again.last().filter(|_| n_min > 0 && again.len() >= n_min)?;
    Some((first.at_ns, again.iter().rev().map(|(position, _)| *position).collect()))
}

fn silent(run: Run, last_ns: i64) -> Sign {
    Sign {
        rule: Rule::Silent,
        since_ns: last_ns,
        what: format!("silent, last heard of in {}", run.status.0.as_str()),
        positions: vec![run.newest_position],
    }
}

/// Each event of progress is one: only where it got last counts. Any other state lasts since its first event.
fn same_state(run: Run, now_ns: i64, rules: &Rules) -> Option<Sign> {
    let (since_ns, first) = match run.status.0 {
        Status::Progress => (run.newest_ns, run.newest_position),
        Status::Started
        | Status::Thinking
        | Status::ToolUse
        | Status::Waiting
        | Status::Blocked
        | Status::Completed
        | Status::Error => (run.since_ns, run.since_position),
    };
    let is_long = rules.same_state_ms > 0 && elapsed_ms(since_ns, now_ns) >= rules.same_state_ms;
    let mut positions = vec![first, run.newest_position];
    positions.dedup();
    is_long.then(|| Sign {
        rule: Rule::SameState,
        since_ns,
        what: format!("in {} and gets nowhere", run.status.0.as_str()),
        positions,
    })
}

fn slow(speaker: &Producer, run: Run, at_work_ns: i64, now_ns: i64, rules: &Rules) -> Option<Sign> {
    if rules.slow_ms == 0 || elapsed_ms(at_work_ns, now_ns) < rules.slow_ms {
        return None;
    }
    let is_recent = |(at_ns, _): &(i64, u64)| elapsed_ms(*at_ns, now_ns) < rules.slow_ms;
    let recent: Vec<(i64, u64)> = speaker.completions().filter(is_recent).collect();
    let mut positions: Vec<u64> = recent.iter().map(|(_, position)| *position).collect();
    positions.push(run.newest_position);
    (recent.len() < rules.slow_completions).then(|| Sign {
        rule: Rule::Slow,
        since_ns: at_work_ns,
        what: format!("{} completed in {} minutes", recent.len(), rules.slow_ms / 60_000),
        positions,
    })
}
