//! Rows of a view as they are shown everywhere: one JSON object each, and an id that stays the same while the row is about the same.

use serde::Serialize;
use weft_view::inbox::inbox;
use weft_view::stuck::stuck;
use weft_view::usage::By;
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
            Name::Usage => page(views.usage.rows(by, prices), limit, |row| {
                row.name.clone().unwrap_or_default()
            }),
            Name::Files => page(views.files.rows(now_ns), limit, |row| row.path.clone()),
            Name::Work => page(views.work.rows(now_ns), limit, |row| row.id.clone()),
            Name::Errors => page(views.errors.rows(), limit, |row| row.signature.clone()),
            Name::Sessions
            | Name::Traces
            | Name::Decisions
            | Name::Loops
            | Name::Runs
            | Name::Gateway => Self::default(),
        }
    }
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
