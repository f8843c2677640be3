//! Who got in whose way in the last hour, and who holds which file.

use weft_view::files::{Collision, FileRow, LeaseRow};

use super::lane::positions_filter;
use crate::listing::{Cell, Column, Field, Item, Link, Look, field, log_command, quoted};
use crate::text::{since, span};
use crate::theme::Tone;

pub(super) const COLUMNS: &[Column] = &[
    Column { title: "Collision", min: 9, max: 9, rank: 0 },
    Column { title: "Last", min: 4, max: 7, rank: 1 },
    Column { title: "On", min: 16, max: 80, rank: 0 },
    Column { title: "Who", min: 14, max: 60, rank: 0 },
    Column { title: "Found by", min: 8, max: 10, rank: 2 },
    Column { title: "Records", min: 7, max: 40, rank: 3 },
];

pub(super) const LEASE_COLUMNS: &[Column] = &[
    Column { title: "Lease", min: 9, max: 9, rank: 0 },
    Column { title: "Held", min: 5, max: 7, rank: 1 },
    Column { title: "Until", min: 8, max: 8, rank: 3 },
    Column { title: "File", min: 16, max: 80, rank: 0 },
    Column { title: "Held by", min: 10, max: 30, rank: 0 },
    Column { title: "Wanted by", min: 9, max: 40, rank: 2 },
];

impl Item for Collision {
    fn id(&self) -> String {
        Collision::id(self)
    }

    fn cells(&self, look: &Look) -> Vec<Cell> {
        let positions: Vec<String> = self.positions.iter().map(u64::to_string).collect();
        vec![
            Cell::new(format!("× {}", self.kind.as_str()), Tone::Bad),
            Cell::plain(since(self.last_seen.0, look.now_ns)),
            Cell::path(self.what.as_str(), Tone::Strong),
            Cell::plain(self.actors.join(" ")),
            Cell::faint(if self.is_reported { "a producer" } else { "Weft" }),
            Cell::faint(positions.join(" ")),
        ]
    }

    fn detail(&self, look: &Look) -> Vec<Field> {
        let mut fields = Vec::new();
        let mut add = |name, text: Option<String>| field(&mut fields, name, text);
        add(self.kind.as_str(), Some(self.what.clone()));
        add("who", Some(self.actors.join("\n")));
        let reported = "a producer says so, too";
        add("reported", self.is_reported.then(|| reported.to_owned()));
        add("first", Some(look.zone.whole(self.first_seen.0)));
        add("last", Some(look.zone.whole(self.last_seen.0)));
        let positions: Vec<String> = self.positions.iter().map(u64::to_string).collect();
        add("records", Some(positions.join(" ")));
        fields
    }

    fn link(&self) -> Link {
        Link { records: positions_filter(&self.positions), ..Link::default() }
    }

    fn command(&self) -> String {
        log_command(&positions_filter(&self.positions).unwrap_or_default())
    }
}

/// A file that somebody holds.
pub(super) struct Held {
    path: String,
    lease: LeaseRow,
}

/// Returns the files that are held, those that others want first.
pub(super) fn held(files: Vec<FileRow>) -> Vec<Held> {
    let held =
        files.into_iter().filter_map(|file| Some(Held { path: file.path, lease: file.lease? }));
    let mut held: Vec<Held> = held.collect();
    held.sort_by(|a, b| {
        let order = |it: &Held| (it.lease.wanted_by.is_empty(), it.lease.since);
        order(a).cmp(&order(b)).then_with(|| a.path.cmp(&b.path))
    });
    held
}

impl Item for Held {
    fn id(&self) -> String {
        self.path.clone()
    }

    fn cells(&self, look: &Look) -> Vec<Cell> {
        let lease = &self.lease;
        let state = match (lease.is_expired, lease.is_stale) {
            (true, _) => Cell::new("✗ expired", Tone::Bad),
            (false, true) => Cell::new("≡ stale", Tone::Warn),
            (false, false) => Cell::new("● held", Tone::Good),
        };
        vec![
            state,
            Cell::plain(span(lease.held_ms / 1000 * 1000)),
            Cell::plain(lease.until.map(|at| look.zone.clock(at.0)).unwrap_or_default()),
            Cell::path(self.path.as_str(), Tone::Strong),
            Cell::plain(lease.holder.as_str()),
            Cell::new(lease.wanted_by.join(" "), Tone::Warn),
        ]
    }

    fn detail(&self, look: &Look) -> Vec<Field> {
        let lease = &self.lease;
        let mut fields = Vec::new();
        let mut add = |name, text: Option<String>| field(&mut fields, name, text);
        add("file", Some(self.path.clone()));
        add("held by", Some(lease.holder.clone()));
        add("since", Some(look.zone.whole(lease.since.0)));
        add("until", lease.until.map(|at| look.zone.whole(at.0)));
        add("wanted by", Some(lease.wanted_by.join("\n")));
        add("stale", lease.is_stale.then(|| "nobody works on it".to_owned()));
        add("expired", lease.is_expired.then(|| "it is past its time".to_owned()));
        add("record", Some(lease.position.to_string()));
        fields
    }

    fn link(&self) -> Link {
        Link { records: Some(format!("path={}", quoted(&self.path))), ..Link::default() }
    }

    fn command(&self) -> String {
        format!("weft show {}", self.lease.position)
    }
}
