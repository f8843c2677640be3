//! Who touched which file.

use weft_view::files::FileRow;

use super::lane::positions_filter;
use crate::listing::{Cell, Column, Field, Item, Link, Look, field, log_command, quoted};
use crate::text::{since, span};
use crate::theme::Tone;

pub(super) const COLUMNS: &[Column] = &[
    Column { title: "Heat", min: 4, max: 9, rank: 1 },
    Column { title: "Last", min: 4, max: 7, rank: 0 },
    Column { title: "File", min: 16, max: 80, rank: 0 },
    Column { title: "Reads", min: 5, max: 5, rank: 4 },
    Column { title: "Writes", min: 6, max: 6, rank: 3 },
    Column { title: "Written by", min: 10, max: 30, rank: 2 },
    Column { title: "Held by", min: 8, max: 30, rank: 5 },
];

/// Touches in the last hour that fill a bar, and its length.
const HEAT_FULL: u64 = 32;
const HEAT_COLUMNS: u64 = 5;

impl Item for FileRow {
    fn id(&self) -> String {
        self.path.clone()
    }

    fn cells(&self, look: &Look) -> Vec<Cell> {
        let bar = (self.heat.min(HEAT_FULL) * HEAT_COLUMNS).div_ceil(HEAT_FULL) as usize;
        let held = self.lease.as_ref().map(|lease| lease.holder.as_str());
        let writers = self.writers.iter().map(|row| row.actor.as_str()).collect::<Vec<_>>();
        vec![
            Cell::new(format!("{:>3} {}", self.heat, "▪".repeat(bar)), Tone::Warn),
            Cell::plain(self.last_seen.map(|at| since(at.0, look.now_ns)).unwrap_or_default()),
            Cell::path(self.path.as_str(), Tone::Strong),
            Cell::plain(self.n_reads.to_string()),
            Cell::plain(self.n_writes.to_string()),
            Cell::plain(writers.join(" ")),
            Cell::maybe(held),
        ]
    }

    fn detail(&self, look: &Look) -> Vec<Field> {
        let mut fields = Vec::new();
        let mut add = |name, text: Option<String>| field(&mut fields, name, text);
        let hand = |row: &weft_view::files::ActorRow| {
            format!("{} {}x, {} ago", row.actor, row.n, since(row.last_seen.0, look.now_ns))
        };
        let hands = |rows: &[weft_view::files::ActorRow]| {
            Some(rows.iter().map(hand).collect::<Vec<_>>().join("\n"))
        };
        add("file", Some(self.path.clone()));
        add("last hour", Some(format!("touched {} times", self.heat)));
        add("written by", hands(&self.writers));
        add("read by", hands(&self.readers));
        add("first seen", self.first_seen.map(|at| look.zone.whole(at.0)));
        add("last seen", self.last_seen.map(|at| look.zone.whole(at.0)));
        if let Some(lease) = &self.lease {
            add("held by", Some(format!("{} for {}", lease.holder, span(lease.held_ms))));
            add("until", lease.until.map(|at| look.zone.whole(at.0)));
            add("wanted by", Some(lease.wanted_by.join(", ")));
            add("stale", lease.is_stale.then(|| "nobody works on it".to_owned()));
            add("expired", lease.is_expired.then(|| "it is past its time".to_owned()));
        }
        fields
    }

    fn link(&self) -> Link {
        Link { records: positions_filter(&self.positions), ..Link::default() }
    }

    fn command(&self) -> String {
        log_command(&format!("path={}", quoted(&self.path)))
    }
}
