//! Who is at work and gets nowhere: the rules that say so, and the records that made them.

use weft_view::stuck::{Rule, Stuck};

use super::lane::positions_filter;
use crate::listing::{Cell, Column, Field, Item, Link, Look, field, log_command, quoted};
use crate::text::since;
use crate::theme::Tone;

pub(super) const COLUMNS: &[Column] = &[
    Column { title: "Rule", min: 12, max: 12, rank: 0 },
    Column { title: "For", min: 4, max: 7, rank: 1 },
    Column { title: "Actor", min: 10, max: 28, rank: 0 },
    Column { title: "What", min: 16, max: 160, rank: 0 },
    Column { title: "Records", min: 7, max: 40, rank: 2 },
    Column { title: "Task", min: 8, max: 20, rank: 3 },
];

/// Returns what the rules say, and by which records.
pub(super) fn fields(stuck: &Stuck, fields: &mut Vec<Field>) {
    let rules: Vec<&str> = stuck.rules.iter().copied().map(Rule::as_str).collect();
    field(fields, "stuck by", Some(rules.join(", ")));
    field(fields, "because", Some(stuck.what.as_str()));
    field(fields, "seen in", Some(positions(stuck)));
}

fn positions(stuck: &Stuck) -> String {
    stuck.positions.iter().map(u64::to_string).collect::<Vec<_>>().join(" ")
}

impl Item for Stuck {
    fn id(&self) -> String {
        self.id.clone()
    }

    fn cells(&self, look: &Look) -> Vec<Cell> {
        vec![
            Cell::new(format!("≡ {}", self.rule), Tone::Warn),
            Cell::plain(since(self.since.0, look.now_ns)),
            Cell::new(self.actor.as_str(), Tone::Strong),
            Cell::plain(self.what.as_str()),
            Cell::faint(positions(self)),
            Cell::maybe(self.task.as_deref()),
        ]
    }

    fn detail(&self, look: &Look) -> Vec<Field> {
        let mut all = Vec::new();
        field(&mut all, "actor", Some(self.actor.as_str()));
        fields(self, &mut all);
        field(&mut all, "since", Some(look.zone.whole(self.since.0)));
        field(&mut all, "session", self.session.as_deref());
        field(&mut all, "task", self.task.as_deref());
        all
    }

    fn link(&self) -> Link {
        let records = positions_filter(&self.positions);
        Link { session: self.session.clone(), trace: None, records }
    }

    fn command(&self) -> String {
        let actor = || format!("actor={}", quoted(&self.actor));
        log_command(&positions_filter(&self.positions).unwrap_or_else(actor))
    }
}
