//! Budgets, and how far each is used.

use weft_view::usage::{BudgetRow, Mark, Scope};

use crate::listing::{Cell, Column, Field, Item, Link, Look, field, log_command, quoted};
use crate::text::since;
use crate::theme::Tone;

pub(super) const COLUMNS: &[Column] = &[
    Column { title: "Mark", min: 10, max: 10, rank: 0 },
    Column { title: "Used", min: 16, max: 16, rank: 0 },
    Column { title: "Of", min: 8, max: 22, rank: 1 },
    Column { title: "Budget of", min: 12, max: 40, rank: 0 },
    Column { title: "For", min: 7, max: 7, rank: 3 },
    Column { title: "Last", min: 4, max: 7, rank: 2 },
];

/// How long the bar of a budget is that is used up.
const BAR_COLUMNS: f64 = 10.0;

fn mark(mark: Mark) -> (&'static str, &'static str, Tone) {
    match mark {
        Mark::Ok => ("✓", "enough", Tone::Good),
        Mark::Warning => ("!", "warning", Tone::Warn),
        Mark::Critical => ("!", "critical", Tone::Bad),
        Mark::Exceeded => ("$", "exceeded", Tone::Bad),
    }
}

fn scope(row: &BudgetRow) -> (&'static str, Option<&str>) {
    match row.scope {
        Scope::Actor => ("actor", row.actor.as_deref()),
        Scope::Task => ("task", row.task.as_deref()),
        Scope::Session => ("session", row.session.as_deref()),
        Scope::Day => ("day", row.day.as_deref()),
    }
}

fn amount(value: f64, unit: Option<&str>) -> String {
    match unit {
        Some("usd") => format!("${value:.2}"),
        Some(unit) => format!("{value:.0} {unit}"),
        None if value.fract() == 0.0 => format!("{value:.0}"),
        None => format!("{value:.2}"),
    }
}

fn used_of(row: &BudgetRow) -> String {
    let unit = row.unit;
    match (row.used, row.limit) {
        (Some(used), Some(limit)) => format!("{} of {}", amount(used, unit), amount(limit, unit)),
        (Some(used), None) => amount(used, unit),
        (None, Some(limit)) => format!("of {}", amount(limit, unit)),
        (None, None) => String::new(),
    }
}

fn filter(row: &BudgetRow) -> Option<String> {
    let (field, name) = scope(row);
    let own = name.filter(|_| row.scope != Scope::Day);
    let own = own.map(|name| format!("{field}={}", quoted(name)));
    own.or_else(|| row.position.map(|position| format!("position={position}")))
}

impl Item for BudgetRow {
    fn id(&self) -> String {
        let (kind, name) = scope(self);
        format!("{kind} {} {}", name.unwrap_or("-"), self.unit.unwrap_or("-"))
    }

    fn cells(&self, look: &Look) -> Vec<Cell> {
        let (sign, word, tone) = mark(self.mark);
        let bar = self.fraction.map(|fraction| {
            let full = (fraction.clamp(0.0, 1.0) * BAR_COLUMNS).round() as usize;
            format!("{:>4.0}% {}", 100.0 * fraction, "▪".repeat(full))
        });
        let (kind, name) = scope(self);
        vec![
            Cell::new(format!("{sign} {word}"), tone),
            Cell::new(bar.unwrap_or_default(), tone),
            Cell::plain(used_of(self)),
            Cell::new(name.unwrap_or("(not said)"), Tone::Strong),
            Cell::faint(kind),
            Cell::plain(self.since.map(|at| since(at.0, look.now_ns)).unwrap_or_default()),
        ]
    }

    fn detail(&self, look: &Look) -> Vec<Field> {
        let mut fields = Vec::new();
        let mut add = |name, text: Option<String>| field(&mut fields, name, text);
        let (kind, name) = scope(self);
        add(kind, name.map(str::to_owned));
        add("mark", Some(mark(self.mark).1.to_owned()));
        add("used", Some(used_of(self)));
        add("share", self.fraction.map(|fraction| format!("{:.1} %", 100.0 * fraction)));
        add("actor", self.actor.clone().filter(|_| self.scope != Scope::Actor));
        add("session", self.session.clone().filter(|_| self.scope != Scope::Session));
        add("task", self.task.clone().filter(|_| self.scope != Scope::Task));
        add("last", self.since.map(|at| look.zone.whole(at.0)));
        add("record", self.position.map(|position| position.to_string()));
        fields
    }

    fn link(&self) -> Link {
        Link { session: self.session.clone(), trace: None, records: filter(self) }
    }

    fn command(&self) -> String {
        match self.position {
            Some(position) => format!("weft show {position}"),
            None => log_command(&filter(self).unwrap_or_default()),
        }
    }
}
