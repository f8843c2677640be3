//! What was decided, why, and what was turned down.

use weft_view::decisions::DecisionRow;

use super::lane::positions_filter;
use crate::listing::{Cell, Column, Field, Item, Link, Look, field, log_command};
use crate::text::since;
use crate::theme::Tone;

pub(super) const COLUMNS: &[Column] = &[
    Column { title: "Ago", min: 4, max: 7, rank: 1 },
    Column { title: "Decided", min: 14, max: 50, rank: 0 },
    Column { title: "Why", min: 16, max: 120, rank: 0 },
    Column { title: "Who", min: 8, max: 24, rank: 2 },
    Column { title: "Turned down", min: 11, max: 60, rank: 3 },
];

impl Item for DecisionRow {
    fn id(&self) -> String {
        self.positions.first().map(u64::to_string).unwrap_or_default()
    }

    fn cells(&self, look: &Look) -> Vec<Cell> {
        let chosen = match (&self.chosen, self.is_made) {
            (Some(chosen), _) => Cell::new(chosen.as_str(), Tone::Strong),
            (None, true) => Cell::faint("(not said)"),
            (None, false) => Cell::new("… not yet", Tone::Warn),
        };
        let rejected: Vec<&str> = self.rejected.iter().map(|row| row.option.as_str()).collect();
        vec![
            Cell::plain(since(self.last_seen.0, look.now_ns)),
            chosen,
            Cell::maybe(self.rationale.as_deref()),
            Cell::maybe(self.actor.as_deref()),
            Cell::faint(rejected.join(", ")),
        ]
    }

    fn detail(&self, look: &Look) -> Vec<Field> {
        let mut fields = Vec::new();
        let mut add = |name, text: Option<String>| field(&mut fields, name, text);
        add("decided", self.chosen.clone());
        add("why", self.rationale.clone());
        add("about", self.category.clone());
        add("options", Some(self.options.join("\n")));
        let rejected = self.rejected.iter().map(|row| match &row.reason {
            Some(reason) => format!("{}: {reason}", row.option),
            None => row.option.clone(),
        });
        add("turned down", Some(rejected.collect::<Vec<_>>().join("\n")));
        add("who", self.actor.clone());
        add("session", self.session.clone());
        add("task", self.task.clone());
        add("since", Some(look.zone.whole(self.since.0)));
        add("last heard", Some(look.zone.whole(self.last_seen.0)));
        fields
    }

    fn link(&self) -> Link {
        let records = positions_filter(&self.positions);
        Link { session: self.session.clone(), trace: None, records }
    }

    fn command(&self) -> String {
        log_command(&positions_filter(&self.positions).unwrap_or_default())
    }
}
