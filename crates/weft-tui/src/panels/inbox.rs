//! What needs a person.

use weft_view::inbox::{Need, NeedKind};

use super::lane::positions_filter;
use crate::listing::{Cell, Column, Field, Item, Link, Look, field};
use crate::text::since;
use crate::theme::Tone;

pub(super) const COLUMNS: &[Column] = &[
    Column { title: "Needs", min: 13, max: 13, rank: 0 },
    Column { title: "For", min: 4, max: 7, rank: 1 },
    Column { title: "Actor", min: 10, max: 28, rank: 0 },
    Column { title: "What", min: 16, max: 200, rank: 0 },
    Column { title: "Task", min: 8, max: 20, rank: 2 },
];

impl Item for Need {
    fn id(&self) -> String {
        self.id.clone()
    }

    fn cells(&self, look: &Look) -> Vec<Cell> {
        let (sign, tone) = match self.kind {
            NeedKind::Permission => ("?", Tone::Warn),
            NeedKind::Answer => ("?", Tone::Warn),
            NeedKind::Blocked => ("■", Tone::Bad),
            NeedKind::Deadlock => ("∞", Tone::Bad),
            NeedKind::OverBudget => ("$", Tone::Bad),
            NeedKind::Failed => ("✗", Tone::Bad),
            NeedKind::Stuck => ("≡", Tone::Warn),
            NeedKind::Collision => ("×", Tone::Warn),
            NeedKind::Idle => ("○", Tone::Calm),
        };
        vec![
            Cell::new(format!("{sign} {}", self.kind.as_str()), tone),
            Cell::plain(since(self.since.0, look.now_ns)),
            Cell::new(self.actor.as_str(), Tone::Strong),
            Cell::plain(self.what.as_str()),
            Cell::maybe(self.task.as_deref()),
        ]
    }

    fn detail(&self, look: &Look) -> Vec<Field> {
        let mut fields = Vec::new();
        let mut add = |name, text: Option<String>| field(&mut fields, name, text);
        add("needs", Some(self.kind.as_str().to_owned()));
        add("actor", Some(self.actor.clone()));
        add("what", Some(self.what.clone()));
        add("since", Some(look.zone.whole(self.since.0)));
        add("session", self.session.clone());
        add("task", self.task.clone());
        let positions: Vec<String> = self.positions.iter().map(u64::to_string).collect();
        add("records", Some(positions.join(" ")));
        fields
    }

    fn link(&self) -> Link {
        Link {
            session: self.session.clone(),
            trace: None,
            records: positions_filter(&self.positions),
        }
    }

    fn command(&self) -> String {
        self.command.clone()
    }
}
