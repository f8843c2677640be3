//! Needs about what actors share: budgets and files.

use weft_event::Status;

use super::{Need, NeedKind, command};
use crate::files::{Collision, CollisionKind};
use crate::fleet::elapsed_ms;
use crate::usage::{BudgetRow, Mark};
use crate::{Rules, Views};

/// Returns the budgets that are used up, as long as their actors did not go on, and those that nearly are, apart from those of
/// runs that say themselves that they wait for more.
pub(super) fn of_budgets(views: &Views, known: &[Need], now_ns: i64, rules: &Rules) -> Vec<Need> {
    let is_known = |row: &BudgetRow| {
        let is_its = |need: &Need| Some(&need.actor) == row.actor.as_ref();
        known.iter().any(|need| need.kind == NeedKind::OverBudget && is_its(need))
    };
    let rows = views.usage.budgets(&rules.budget_marks()).into_iter();
    rows.filter(|row| !is_known(row))
        .filter_map(|row| of_budget(views, row, now_ns, rules))
        .collect()
}

fn of_budget(views: &Views, row: BudgetRow, now_ns: i64, rules: &Rules) -> Option<Need> {
    let (name, since, position) = (row.actor?, row.since?, row.position?);
    let actor = views.fleet.actor(&name)?;
    let run = views.fleet.run(actor);
    let has_gone_on = run.is_some_and(|run| {
        let is_stopped = matches!(run.status.0, Status::Waiting | Status::Blocked);
        run.newest_ns > since.0 && !is_stopped
    });
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
    let of = row.task.as_deref().unwrap_or_default();
    Some(Need {
        id: format!("{}/{name}/{of}", NeedKind::OverBudget.as_str()),
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

/// Returns the collisions whose actors are still in each other's way.
pub(super) fn of_collisions(views: &Views, now_ns: i64, rules: &Rules) -> Vec<Need> {
    let collisions = views.files.collisions(now_ns, &rules.windows()).into_iter();
    collisions.filter_map(|collision| of_collision(views, collision, now_ns, rules)).collect()
}

fn of_collision(views: &Views, collision: Collision, now_ns: i64, rules: &Rules) -> Option<Need> {
    let is_need = collision.kind != CollisionKind::Folder || rules.is_folder_collision_a_need;
    let is_kept = elapsed_ms(collision.last_seen.0, now_ns) <= rules.collision_kept_ms;
    let is_there = |name: &&String| {
        views.fleet.actor(name).is_some_and(|actor| {
            let run = views.fleet.run(actor);
            let is_over = run.is_some_and(|run| {
                run.since_ns > collision.last_seen.0
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
            CollisionKind::Folder => command::show(*first),
            CollisionKind::File | CollisionKind::Task => command::log(field, &collision.what),
        },
        positions: collision.positions,
    })
}
