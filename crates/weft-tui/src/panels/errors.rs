//! What failed, grouped by what it says.

use weft_view::errors::ErrorRow;

use super::lane::positions_filter;
use crate::listing::{Cell, Column, Field, Item, Link, Look, field};
use crate::text::since;
use crate::theme::Tone;

pub(super) const COLUMNS: &[Column] = &[
    Column { title: "Times", min: 5, max: 6, rank: 0 },
    Column { title: "Last", min: 4, max: 7, rank: 1 },
    Column { title: "Type", min: 10, max: 26, rank: 2 },
    Column { title: "What", min: 18, max: 160, rank: 0 },
    Column { title: "Who", min: 8, max: 30, rank: 3 },
];

impl Item for ErrorRow {
    fn id(&self) -> String {
        format!("{} {}", self.kind, self.signature)
    }

    fn cells(&self, look: &Look) -> Vec<Cell> {
        let actors: Vec<&str> = self.actors.iter().map(|row| row.actor.as_str()).collect();
        vec![
            Cell::new(format!("✗ {}", self.n), Tone::Bad),
            Cell::plain(since(self.last_seen.0, look.now_ns)),
            Cell::plain(self.kind.as_str()),
            Cell::new(self.signature.as_str(), Tone::Strong),
            Cell::plain(actors.join(" ")),
        ]
    }

    fn detail(&self, look: &Look) -> Vec<Field> {
        let mut fields = Vec::new();
        let mut add = |name, text: Option<String>| field(&mut fields, name, text);
        add("what", Some(self.signature.clone()));
        add("for example", Some(self.sample.clone()));
        add("type", Some(self.kind.clone()));
        add("times", Some(self.n.to_string()));
        let actors = self.actors.iter().map(|row| format!("{} {}x", row.actor, row.n));
        add("who", Some(actors.collect::<Vec<_>>().join("\n")));
        let place = |ns, position| Some(format!("{} at {position}", look.zone.whole(ns)));
        add("first", place(self.first_seen.0, self.first_position));
        add("last", place(self.last_seen.0, self.last_position));
        fields
    }

    fn link(&self) -> Link {
        Link { records: positions_filter(&self.positions), ..Link::default() }
    }

    fn command(&self) -> String {
        format!("weft show {}", self.last_position)
    }
}
