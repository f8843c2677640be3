//! Needs about what actors share: work, budgets and files.

use weft_event::Status;
use weft_event::time::format_rfc3339;

use super::{Need, NeedKind, command};
use crate::files::{Collision, CollisionKind};
use crate::fleet::{Actor, elapsed_ms, stands_still};
use crate::usage::{BudgetRow, Mark};
use crate::work::GivenUp;
use crate::{At, Judgement, Rules, Stamp, Views};

/// Returns the pieces of work that nobody will try again to get, until somebody does or it is done.
pub(super) fn of_work(views: &Views, now_ns: i64, rules: &Rules) -> Vec<Need> {
    let is_kept = |since_ns| elapsed_ms(since_ns, now_ns) <= rules.need_kept_ms;
    let given_up = views.work.given_up().filter(|(_, given_up)| is_kept(given_up.since_ns));
    let need = |(task, given_up): (&str, GivenUp<'_>)| Need {
        id: format!("{}/{task}/given up", NeedKind::Blocked.as_str()),
        kind: NeedKind::Blocked,
        actor: given_up.actor.to_owned(),
        session: given_up.session.map(str::to_owned),
        task: Some(task.to_owned()),
        since: At(given_up.since_ns),
        what: format!("nobody will try again to get {task}"),
        positions: given_up.positions,
        command: command::log("task", task),
    };
    given_up.map(need).collect()
}

/// Returns the budgets that are used up, as long as their actors did not go on, and those that nearly are, apart from those of
/// runs that say themselves that they wait for more.
pub(super) fn of_budgets(views: &Views, known: &[Need], now_ns: i64, rules: &Rules) -> Vec<Need> {
    let is_known = |row: &BudgetRow| {
        let is_its = |need: &Need| Some(&need.actor) == row.actor.as_ref();
        known.iter().any(|need| need.kind == NeedKind::OverBudget && is_its(need))
    };
    let rows = views.usage.critical_budgets(&rules.budget_marks()).into_iter();
    rows.filter(|row| !is_known(row))
        .filter_map(|row| of_budget(views, row, now_ns, rules))
        .collect()
}

fn of_budget(views: &Views, row: BudgetRow, now_ns: i64, rules: &Rules) -> Option<Need> {
    let (name, since, position) = (row.actor?, row.since?, row.position?);
    let actor = views.fleet.actor(&name)?;
    let run = views.fleet.run(actor);
    let worked_ns = worked_ns(actor);
    let has_gone_on =
        worked_ns > Some(since.0) || has_gone_on(actor, row.session.as_deref(), row.said);
    let is_need = match row.mark {
        Mark::Exceeded => !has_gone_on,
        Mark::Critical => run.is_some_and(|run| run.at_work.is_some()),
        Mark::Ok | Mark::Warning => false,
    };
    let is_kept = elapsed_ms(since.0, now_ns) <= rules.need_kept_ms;
    if !is_need || !is_kept || views.fleet.is_gone(&name, actor) {
        return None;
    }
    let whose = if row.task.is_some() { "the budget of its task" } else { "its budget" };
    let what = match (row.used, row.limit) {
        (Some(used), Some(limit)) => format!("used {used} of {limit} of {whose}"),
        _ if row.mark == Mark::Exceeded => format!("used up {whose}"),
        _ => format!("used nearly all of {whose}"),
    };
    // Who was let go on and is stopped by the same budget again needs a person again.
    let is_stopped = run.is_some_and(|run| stands_still(run.status.0));
    let again = worked_ns.filter(|worked_ns| {
        is_stopped && row.first_over.is_some_and(|first_over| *worked_ns > first_over.0)
    });
    let names = [
        row.task.clone(),
        row.session.clone(),
        row.limit.map(|limit| limit.to_string()),
        again.map(format_rfc3339),
    ];
    let of: Vec<String> = names.into_iter().flatten().collect();
    Some(Need {
        id: format!("{}/{name}/{}", NeedKind::OverBudget.as_str(), of.join("/")),
        kind: NeedKind::OverBudget,
        command: command::session(row.session.as_deref(), &name),
        actor: name,
        session: row.session,
        task: row.task,
        since,
        what,
        positions: vec![position],
    })
}

/// Returns whether the session that a budget was told in went on, by its own order: what is received at once by a clock that is ahead
/// has one time.
fn has_gone_on(actor: &Actor, session: Option<&str>, said: Option<Stamp>) -> bool {
    let producer = actor.producers().iter().find(|producer| producer.session() == session);
    producer.zip(said).is_some_and(|(producer, said)| producer.has_worked_since(said))
}

/// Returns when an actor last did anything but stand still.
fn worked_ns(actor: &Actor) -> Option<i64> {
    let work = Status::ALL.iter().copied().filter(|status| !stands_still(*status));
    work.filter_map(|status| actor.reached_ns(status)).max()
}

/// Returns the budgets that are set and nearly or wholly used up, as long as something is used of them.
pub(super) fn of_limits(views: &Views, now_ns: i64, judgement: &Judgement) -> Vec<Need> {
    let Judgement { rules, prices, limits } = judgement;
    let rows = views.usage.limits(limits, prices, &rules.budget_marks(), now_ns).into_iter();
    let is_need = |row: &BudgetRow| match row.mark {
        Mark::Critical | Mark::Exceeded => true,
        Mark::Ok | Mark::Warning => false,
    };
    let is_kept = |row: &BudgetRow| {
        let since = row
            .since
            .is_some_and(|since| elapsed_ms(since.0, now_ns) <= judgement.rules.budget_kept_ms);
        is_need(row) && since
    };
    rows.filter(is_kept).filter_map(of_limit).collect()
}

fn of_limit(row: BudgetRow) -> Option<Need> {
    let (used, limit, unit) = (row.used?, row.limit?, row.unit?);
    let names = [&row.session, &row.task, &row.actor, &row.day];
    let named: Vec<&str> = names.into_iter().flatten().map(String::as_str).collect();
    let whose = named.join(" on ");
    let command = match (&row.session, &row.task, &row.actor) {
        (Some(session), _, _) => command::session(Some(session), ""),
        (None, Some(task), _) => command::log("task", task),
        (None, None, Some(actor)) => command::actor_log(actor),
        (None, None, None) => "weft usage --by actor".to_owned(),
    };
    let amount = |amount: f64| match unit {
        "usd" => format!("${amount:.2}"),
        _ => format!("{amount}"),
    };
    let unit_said = if unit == "usd" { "" } else { " tokens" };
    Some(Need {
        id: format!(
            "{}/{whose}/{} {limit} {unit}",
            NeedKind::OverBudget.as_str(),
            row.scope.as_str()
        ),
        kind: NeedKind::OverBudget,
        what: format!(
            "used {} of {}{unit_said} that {} has: {whose}",
            amount(used),
            amount(limit),
            row.scope.each(),
        ),
        actor: row.actor.or(row.spender).unwrap_or(whose),
        session: row.session,
        task: row.task,
        since: row.since?,
        positions: Vec::new(),
        command,
    })
}

/// Returns the collisions whose actors are still in each other's way.
pub(super) fn of_collisions(views: &Views, now_ns: i64, rules: &Rules) -> Vec<Need> {
    let collisions = views.files.collisions(now_ns, &rules.windows()).into_iter();
    collisions.filter_map(|collision| of_collision(views, collision, now_ns, rules)).collect()
}

fn of_collision(views: &Views, collision: Collision, now_ns: i64, rules: &Rules) -> Option<Need> {
    let is_need = collision.kind != CollisionKind::Folder || rules.is_folder_collision_a_need;
    let is_kept = elapsed_ms(collision.last_seen.0, now_ns) <= rules.collision_kept_ms;
    // What is received at once by a clock that is ahead has one time.
    let last = (collision.last_seen.0, collision.positions.last());
    let is_there = |name: &&String| {
        views.fleet.actor(name).is_some_and(|actor| {
            let run = views.fleet.run(actor);
            let is_over = run.is_some_and(|run| {
                (run.since_ns, Some(&run.since_position)) > last
                    && matches!(run.status.0, Status::Completed | Status::Error)
            });
            !is_over && !views.fleet.is_gone(name, actor)
        })
    };
    if !is_need || !is_kept || collision.actors.iter().filter(is_there).count() < 2 {
        return None;
    }
    let (field, on) = match collision.kind {
        CollisionKind::File => ("path", "change one file"),
        CollisionKind::Folder => ("path", "change files of one folder"),
        CollisionKind::Task => ("task", "claim one piece of work"),
    };
    let first = collision.positions.first()?;
    Some(Need {
        id: format!("{}/{}/{first}", NeedKind::Collision.as_str(), collision.what),
        kind: NeedKind::Collision,
        actor: collision.actors.first()?.clone(),
        session: None,
        task: (collision.kind == CollisionKind::Task).then(|| collision.what.clone()),
        since: collision.first_seen,
        what: format!("{} {on}: {}", collision.actors.join(", "), collision.what),
        command: match collision.kind {
            CollisionKind::Folder => command::COLLISIONS.to_owned(),
            CollisionKind::File | CollisionKind::Task => command::log(field, &collision.what),
        },
        positions: collision.positions,
    })
}
