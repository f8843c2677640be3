//! What a digest tells, gathered from the views.

use std::collections::{BTreeMap, HashMap, HashSet};

use weft_event::report::Verdict;

use super::deeds::Deed;
use super::{ActorDigest, Digest, Failure, Piece, Question};
use crate::decisions::DecisionRow;
use crate::errors::ErrorActor;
use crate::files::{Collision, CollisionKind, Windows};
use crate::inbox::{Need, needs};
use crate::loops::LoopState;
use crate::usage::UsageRow;
use crate::work::{WorkRow, WorkState};
use crate::{At, Judgement, Money, Rules, Word, fleet, loops, runs};

/// Collisions are told for an hour; this many hours back they are looked for.
const COLLISION_HOURS_MAX: i64 = 7 * 24;
const HOUR_NS: i64 = 3_600_000_000_000;

/// Returns the digest of a stretch of the log.
pub fn digest(question: &Question<'_>) -> Digest {
    let Question { told, end, session, judgement, .. } = *question;
    let Judgement { rules, prices, .. } = judgement;
    let (first_ns, last_ns) = told.ends_ns.unzip();
    let (since_ns, until_ns) = ends_ns(question);
    let now_ns = question.until_ns.or(last_ns).unwrap_or(0);
    let mut needs = needs(end, now_ns, judgement);
    needs.retain(|need| session.is_none() || need.session.as_deref() == session);
    let mut range = Range::of(question, now_ns);
    let actors = told.views.fleet.rows(now_ns, rules).into_iter();
    let mut actors: Vec<ActorDigest> =
        actors.map(|row| actor(question, &mut range, &needs, row)).collect();
    actors.sort_by(|a, b| weight(b).cmp(&weight(a)).then_with(|| a.actor.cmp(&b.actor)));
    let (actors, seen): (Vec<_>, Vec<_>) = actors.into_iter().partition(has_done);
    let mut only_seen: Vec<String> = seen.into_iter().map(|row| row.actor).collect();
    only_seen.sort_unstable();
    Digest {
        since: since_ns.map(At),
        until: until_ns.map(At),
        first_event: first_ns.map(At),
        last_event: last_ns.map(At),
        session: session.map(str::to_owned),
        n_events: told.n_events,
        n_sessions: told.views.sessions.rows(now_ns, &told.views.usage, prices).len(),
        activity: told.activity.rows(),
        usage: told.views.usage.total(prices),
        needs,
        actors,
        only_seen,
        collisions: collisions(question, first_ns.unwrap_or(now_ns), now_ns),
        runs: told.views.runs.rows(now_ns, rules).into_iter().filter(is_failed_run).collect(),
        loops: told.views.loops.rows(now_ns, rules).into_iter().filter(is_broken_loop).collect(),
        left: range.left,
    }
}

/// Returns when the stretch begins and ends, both by one clock: what is asked for by when it was received is told by that.
fn ends_ns(question: &Question<'_>) -> (Option<i64>, Option<i64>) {
    let Question { told, since_ns, until_ns, .. } = *question;
    if since_ns.is_none() && until_ns.is_none() {
        return told.ends_ns.unzip();
    }
    let (first_ns, last_ns) = told.received_ns.unzip();
    (since_ns.or(first_ns), until_ns.or(last_ns))
}

/// What there is to tell of each actor, by its name.
struct Range {
    /// Work that was finished in the stretch.
    done: HashMap<String, Vec<Piece>>,
    /// Work that failed in it.
    failed: HashMap<String, Vec<Piece>>,
    /// Work that is not done at its end, whoever has it.
    left: Vec<Piece>,
    files: HashMap<String, Vec<String>>,
    decisions: HashMap<String, Vec<DecisionRow>>,
    errors: HashMap<String, Vec<Failure>>,
    /// What was used up, by model.
    usage: HashMap<Option<String>, Vec<UsageRow>>,
    /// How many steps of its plan are done, and how many there are.
    steps: HashMap<String, (usize, usize)>,
}

impl Range {
    fn of(question: &Question<'_>, now_ns: i64) -> Self {
        let views = &question.told.views;
        let mut work = views.work.rows(now_ns);
        let ids: HashSet<String> = work.iter().map(|row| row.id.clone()).collect();
        let is_meant = |id: &str| question.session.is_none() || ids.contains(id);
        let is_left = |row: &WorkRow| row.state != WorkState::Done && is_meant(&row.id);
        let left = question.end.work.rows(now_ns).into_iter().filter(is_left);
        work.sort_by(|a, b| (a.since, &a.id).cmp(&(b.since, &b.id)));
        let over = |state: WorkState| {
            let rows = work.iter().filter(move |row| row.state == state).cloned();
            by_actor(rows.filter_map(|row| Some((row.actor.clone()?, piece(row)))))
        };
        let mut files = views.files.rows(now_ns);
        files.sort_by(|a, b| a.path.cmp(&b.path));
        let files = files.into_iter().flat_map(|row| {
            let path = row.path;
            row.writers.into_iter().map(move |writer| (writer.actor, path.clone()))
        });
        let decisions = views.decisions.rows().into_iter().rev();
        let errors = views.errors.rows().into_iter().flat_map(|row| {
            let (kind, signature) = (row.kind, row.signature);
            let failure = move |of: ErrorActor| {
                (of.actor, Failure { kind: kind.clone(), signature: signature.clone(), n: of.n })
            };
            row.actors.into_iter().map(failure)
        });
        let mut errors = by_actor(errors);
        errors.values_mut().for_each(|of_one| {
            of_one.sort_by(|a, b| {
                let text = |failure: &Failure| (failure.kind.clone(), failure.signature.clone());
                b.n.cmp(&a.n).then_with(|| text(a).cmp(&text(b)))
            });
        });
        let runs = views.runs.rows(now_ns, &question.judgement.rules).into_iter();
        let runs = runs.filter(|run| run.n_steps > 0);
        Self {
            done: over(WorkState::Done),
            failed: over(WorkState::Failed),
            left: left.map(piece).collect(),
            files: by_actor(files),
            decisions: by_actor(decisions.filter_map(|row| Some((row.actor.clone()?, row)))),
            errors,
            usage: views.usage.by_actor(&question.judgement.prices),
            steps: runs.map(|run| (run.run, (run.n_steps_done, run.n_steps))).collect(),
        }
    }
}

fn by_actor<T>(rows: impl Iterator<Item = (String, T)>) -> HashMap<String, Vec<T>> {
    let mut by_actor: HashMap<String, Vec<T>> = HashMap::new();
    rows.for_each(|(actor, row)| by_actor.entry(actor).or_default().push(row));
    by_actor
}

fn piece(row: WorkRow) -> Piece {
    let WorkRow { id, title, state, since, actor, blocked_by, .. } = row;
    Piece { id, title, state, since, actor, blocked_by }
}

fn actor(
    question: &Question<'_>,
    range: &mut Range,
    needs: &[Need],
    row: fleet::Row,
) -> ActorDigest {
    let name = row.actor;
    let deed = question.told.deeds.of(&name);
    let (n_turns, n_failed_turns) = deed.map_or((0, 0), Deed::n_turns);
    let mut usage = range.usage.remove(&Some(name.clone())).unwrap_or_default();
    usage.retain(|row| row.total_tokens > 0 || row.cost_usd.0 > 0);
    let is_its = |piece: &&Piece| {
        let is_held =
            matches!(piece.state, WorkState::Claimed | WorkState::Working | WorkState::Blocked);
        is_held && piece.actor.as_deref() == Some(&name)
    };
    ActorDigest {
        parent: row.parent,
        sessions: deed.map(|deed| deed.sessions().to_vec()).unwrap_or_default(),
        asked: deed.map(Deed::asked).unwrap_or_default(),
        n_turns,
        n_failed_turns,
        calls: deed.map(Deed::calls).unwrap_or_default(),
        files: range.files.remove(&name).unwrap_or_default(),
        done: range.done.remove(&name).unwrap_or_default(),
        failed: range.failed.remove(&name).unwrap_or_default(),
        steps: range.steps.remove(&name),
        decisions: range.decisions.remove(&name).unwrap_or_default(),
        cost_usd: Money(usage.iter().map(|row| row.cost_usd.0).sum()),
        usage,
        errors: range.errors.remove(&name).unwrap_or_default(),
        left: range.left.iter().filter(is_its).cloned().collect(),
        needs: needs.iter().filter(|need| need.actor == name).cloned().collect(),
        actor: name,
    }
}

/// Returns how much there is to tell of an actor: what needs a person, what it finished or failed at, what it cost.
fn weight(actor: &ActorDigest) -> (usize, usize, u64, u64) {
    let n_work = actor.done.len() + actor.failed.len() + actor.decisions.len();
    (actor.needs.len(), n_work, actor.cost_usd.0, actor.n_turns)
}

fn has_done(actor: &ActorDigest) -> bool {
    let lists = [
        actor.asked.len(),
        actor.calls.len(),
        actor.files.len(),
        actor.done.len(),
        actor.failed.len(),
        actor.decisions.len(),
        actor.usage.len(),
        actor.errors.len(),
        actor.left.len(),
        actor.needs.len(),
    ];
    actor.n_turns > 0 || actor.steps.is_some() || lists.iter().any(|n| *n > 0)
}

/// Returns who got in whose way, one row for each file, folder or piece of work.
fn collisions(question: &Question<'_>, since_ns: i64, now_ns: i64) -> Vec<Collision> {
    let windows = windows(&question.judgement.rules);
    let hours = now_ns.saturating_sub(since_ns) / HOUR_NS;
    let mut found: BTreeMap<(CollisionKind, String), Collision> = BTreeMap::new();
    for hour in 0..=hours.clamp(0, COLLISION_HOURS_MAX) {
        let then_ns = now_ns.saturating_sub(hour * HOUR_NS);
        for row in question.told.views.files.collisions(then_ns, &windows) {
            let key = (row.kind, row.what.clone());
            match found.get_mut(&key) {
                Some(known) => join(known, row),
                None => drop(found.insert(key, row)),
            }
        }
    }
    let mut rows: Vec<Collision> = found.into_values().collect();
    rows.sort_by(|a, b| (a.first_seen, a.kind, &a.what).cmp(&(b.first_seen, b.kind, &b.what)));
    rows
}

fn join(known: &mut Collision, other: Collision) {
    known.actors.extend(other.actors);
    known.actors.sort_unstable();
    known.actors.dedup();
    known.positions.extend(other.positions);
    known.positions.sort_unstable();
    known.positions.dedup();
    known.is_reported |= other.is_reported;
    known.first_seen = known.first_seen.min(other.first_seen);
    known.last_seen = known.last_seen.max(other.last_seen);
}

fn windows(rules: &Rules) -> Windows {
    Windows {
        file_ms: rules.file_collision_ms,
        folder_ms: rules.folder_collision_ms,
        task_ms: rules.task_collision_ms,
    }
}

fn is_failed_run(run: &runs::Row) -> bool {
    run.state.as_deref() == Some("ERROR") || run.verdict == Some(Word(Verdict::Fail))
}

fn is_broken_loop(row: &loops::Row) -> bool {
    match row.state {
        LoopState::Aborted | LoopState::Stale => true,
        LoopState::Running | LoopState::Paused | LoopState::Done | LoopState::Replaced => false,
    }
}
