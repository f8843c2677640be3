//! Rows of a view as they are shown everywhere: one JSON object each, and an id that stays the same while the row is about the same.

mod gateway;

use serde::Serialize;
use weft_view::files::Windows;
use weft_view::inbox::inbox;
use weft_view::stuck::stuck;
use weft_view::usage::{BudgetMarks, BudgetRow, By};
use weft_view::{Prices, Rules, Views};

use super::Name;

/// What is asked of a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ask {
    /// Which view.
    pub view: Name,
    /// What usage is grouped by.
    pub by: By,
    /// What time it is, in nanoseconds since 1970.
    pub now_ns: i64,
    /// How many rows at most.
    pub limit: usize,
}

/// What views are judged by.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judgement {
    /// The thresholds of rules.
    pub rules: Rules,
    /// What models cost.
    pub prices: Prices,
}

/// One row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// What tells it from the others of its view.
    pub id: String,
    /// What it says, as a JSON object.
    pub json: String,
}

impl Row {
    /// Returns what it says but for durations, which change from moment to moment while nothing happens.
    pub fn gist(&self) -> String {
        const MS: &str = "_ms\":";
        let mut gist = String::with_capacity(self.json.len());
        // Inside a text a quote has a `\\` before it, and behind one is no colon.
        for (nth, part) in self.json.split(MS).enumerate() {
            let rest = part.trim_start_matches(|c: char| c.is_ascii_digit());
            gist.push_str(if nth > 0 { rest } else { part });
        }
        gist
    }
}

/// The first rows of a view.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// The rows, in the view's order.
    pub rows: Vec<Row>,
    /// How many more there are.
    pub n_more: usize,
}

impl Page {
    /// Returns the rows that are asked for.
    pub fn of(views: &Views, ask: &Ask, judgement: &Judgement) -> Self {
        let Ask { view, by, now_ns, limit } = *ask;
        let Judgement { rules, prices } = judgement;
        match view {
            Name::Inbox => page(inbox(views, now_ns, rules), limit, |need| need.id.clone()),
            Name::Stuck => page(stuck(views, now_ns, rules), limit, |stuck| stuck.id.clone()),
            Name::Fleet => page(views.fleet.rows(now_ns, rules), limit, |row| row.actor.clone()),
            Name::Sessions => {
                page(views.sessions.rows(now_ns, &views.usage, prices), limit, |row| {
                    row.session.clone()
                })
            }
            Name::Traces => page(views.traces.rows(), limit, |row| row.trace.clone()),
            Name::Work => page(views.work.rows(now_ns), limit, |row| row.id.clone()),
            Name::Plans => page(views.work.plans(now_ns), limit, |row| row.run.clone()),
            Name::Decisions => page(views.decisions.rows(), limit, |row| {
                let first = || row.positions.first().map(u64::to_string);
                row.id.clone().or_else(first).unwrap_or_default()
            }),
            Name::Loops => page(views.loops.rows(now_ns, rules), limit, |row| row.run.clone()),
            Name::Runs => page(views.runs.rows(now_ns, rules), limit, |row| row.run.clone()),
            Name::Gateway => page(gateway::rows(views, now_ns, rules), limit, gateway::id),
            Name::Usage => page(views.usage.rows(by, prices), limit, |row| {
                row.name.clone().unwrap_or_default()
            }),
            Name::Budgets => page(views.usage.budgets(&marks(rules)), limit, budget_id),
            Name::Files => page(views.files.rows(now_ns), limit, |row| row.path.clone()),
            Name::Collisions => {
                page(views.files.collisions(now_ns, &windows(rules)), limit, |row| {
                    format!("{} {}", row.what, row.actors.join(" "))
                })
            }
            Name::Errors => {
                page(views.errors.rows(), limit, |row| format!("{} {}", row.kind, row.signature))
            }
        }
    }
}

fn marks(rules: &Rules) -> BudgetMarks {
    BudgetMarks { warning: rules.budget_warning, critical: rules.budget_critical }
}

fn windows(rules: &Rules) -> Windows {
    let Rules { file_collision_ms, folder_collision_ms, task_collision_ms, .. } = *rules;
    let (file_ms, folder_ms, task_ms) = (file_collision_ms, folder_collision_ms, task_collision_ms);
    Windows { file_ms, folder_ms, task_ms }
}

fn budget_id(row: &BudgetRow) -> String {
    let parts = [&row.actor, &row.session, &row.task, &row.day];
    let parts = parts.map(|part| part.as_deref().unwrap_or("-"));
    format!("{:?} {} {}", row.scope, parts.join(" "), row.unit.unwrap_or("-"))
}

fn page<R: Serialize>(rows: Vec<R>, limit: usize, id: impl Fn(&R) -> String) -> Page {
    let n_more = rows.len().saturating_sub(limit);
    let shown = |row: &R| {
        let json = serde_json::to_string(row).expect("rows can be written as JSON");
        Row { id: id(row), json }
    };
    Page { rows: rows.iter().take(limit).map(shown).collect(), n_more }
}

#[cfg(test)]
mod tests;
