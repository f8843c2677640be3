//! Rows of a view as they are shown everywhere: one JSON object each, and an id that stays the same while the row is about the same.

mod gateway;

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use serde::Serialize;
use weft_view::files::Collision;
use weft_view::inbox::needs;
use weft_view::stuck::stuck;
use weft_view::usage::{BudgetRow, By};
use weft_view::{First, Judgement, Views};

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

/// One row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// What tells it from the others of its view.
    pub id: String,
    /// What it says, as a JSON object.
    pub json: String,
    gist: u64,
}

impl Row {
    /// Returns a row that says so.
    pub fn new(id: String, json: String) -> Self {
        const MS: &str = "_ms\":";
        let mut gist = DefaultHasher::new();
        // Inside a text a quote has a `\\` before it, and behind one is no colon.
        for (nth, part) in json.split(MS).enumerate() {
            let rest = part.trim_start_matches(|c: char| c.is_ascii_digit());
            (if nth > 0 { rest } else { part }).hash(&mut gist);
        }
        let gist = gist.finish();
        Self { id, json, gist }
    }

    /// Returns a hash of what it says but for durations, which change from moment to moment while nothing happens.
    pub fn gist(&self) -> u64 {
        self.gist
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
    /// Leaves out the last rows of a page that is larger than this.
    pub(crate) fn cut(&mut self, bytes_max: usize) {
        let mut bytes = 0;
        let fits = |row: &&Row| {
            bytes += row.id.len() + row.json.len();
            bytes <= bytes_max
        };
        let n_fit = self.rows.iter().take_while(fits).count();
        self.n_more += self.rows.len() - n_fit;
        self.rows.truncate(n_fit);
    }

    /// Returns the rows that are asked for.
    pub fn of(views: &Views, ask: &Ask, judgement: &Judgement) -> Self {
        let Ask { view, by, now_ns, limit } = *ask;
        let Judgement { rules, prices, .. } = judgement;
        match view {
            Name::Inbox => page(needs(views, now_ns, judgement), limit, |need| need.id.clone()),
            Name::Stuck => page(stuck(views, now_ns, rules), limit, |stuck| stuck.id.clone()),
            Name::Fleet => shown(views.fleet.first(limit, now_ns, rules), |row| row.actor.clone()),
            Name::Sessions => {
                let sessions = views.sessions.first(limit, now_ns, &views.usage, prices);
                shown(sessions, |row| row.session.clone())
            }
            Name::Traces => page(views.traces.rows(), limit, |row| row.trace.clone()),
            Name::Work => shown(views.work.first(limit, now_ns), |row| row.id.clone()),
            Name::Plans => shown(views.work.first_plans(limit, now_ns), |row| row.run.clone()),
            Name::Decisions => shown(views.decisions.first(limit), |row| {
                let first = || row.positions.first().map(u64::to_string);
                row.id.clone().or_else(first).unwrap_or_default()
            }),
            Name::Loops => shown(views.loops.first(limit, now_ns, rules), |row| row.run.clone()),
            Name::Runs => shown(views.runs.first(limit, now_ns, rules), |row| row.run.clone()),
            Name::Gateway => shown(gateway::first(views, limit, now_ns, rules), gateway::id),
            Name::Usage => shown(views.usage.first(limit, by, prices), |row| {
                row.name.clone().unwrap_or_default()
            }),
            Name::Budgets => shown(views.usage.first_budgets(limit, judgement, now_ns), budget_id),
            Name::Files => shown(views.files.first(limit, now_ns), |row| row.path.clone()),
            Name::Collisions => {
                page(views.files.collisions(now_ns, &rules.windows()), limit, Collision::id)
            }
            Name::Errors => {
                page(views.errors.rows(), limit, |row| format!("{} {}", row.kind, row.signature))
            }
        }
    }
}

fn budget_id(row: &BudgetRow) -> String {
    let parts = [&row.actor, &row.session, &row.task, &row.day];
    let parts = parts.map(|part| part.as_deref().unwrap_or("-"));
    let id = format!("{} {} {}", row.scope.as_str(), parts.join(" "), row.unit.unwrap_or("-"));
    // Two that are set may differ in what they allow alone.
    match (row.unit, row.limit) {
        (Some(_), Some(limit)) => format!("{id} {limit}"),
        (Some(_) | None, _) => id,
    }
}

fn page<R: Serialize>(mut rows: Vec<R>, limit: usize, id: impl Fn(&R) -> String) -> Page {
    let n_more = rows.len().saturating_sub(limit);
    rows.truncate(limit);
    shown(First { rows, n_more }, id)
}

fn shown<R: Serialize>(first: First<R>, id: impl Fn(&R) -> String) -> Page {
    let row = |row: &R| {
        let json = serde_json::to_string(row).expect("rows can be written as JSON");
        Row::new(id(row), json)
    };
    Page { rows: first.rows.iter().map(row).collect(), n_more: first.n_more }
}

#[cfg(test)]
mod tests;
