//! The lanes of the timeline as rows, and what several panels share.

use crate::app::App;
use crate::listing::{Cell, Column, Field, Item, Link, Listing, Look, field, log_command, quoted};

/// Most positions that a filter names.
const POSITIONS_MAX: usize = 20;

const COLUMNS: &[Column] = &[Column { title: "Actor", min: 8, max: 30, rank: 0 }];

/// A lane of the timeline.
struct LaneRow {
    actor: String,
}

pub(super) fn listing(app: &App) -> Listing {
    let (from_ns, upto_ns) = crate::draw::timeline::window(app);
    let lanes = app.lanes.within(from_ns, upto_ns);
    let rows = lanes.into_iter().map(|(actor, _)| LaneRow { actor: actor.to_owned() });
    Listing::new(COLUMNS, rows, "nobody did anything in this time")
}

/// Returns the filter that finds records by their positions, the last ones.
pub(super) fn positions_filter(positions: &[u64]) -> Option<String> {
    let last = &positions[positions.len().saturating_sub(POSITIONS_MAX)..];
    let terms: Vec<String> = last.iter().map(|position| format!("position={position}")).collect();
    Some(terms.join(" or ")).filter(|filter| !filter.is_empty())
}

impl LaneRow {
    fn filter(&self) -> String {
        format!("actor={}", quoted(&self.actor))
    }
}

impl Item for LaneRow {
    fn id(&self) -> String {
        self.actor.clone()
    }

    fn cells(&self, _look: &Look) -> Vec<Cell> {
        vec![Cell::plain(self.actor.as_str())]
    }

    fn detail(&self, _look: &Look) -> Vec<Field> {
        let mut fields = Vec::new();
        field(&mut fields, "actor", Some(self.actor.as_str()));
        fields
    }

    fn link(&self) -> Link {
        Link { records: Some(self.filter()), ..Link::default() }
    }

    fn command(&self) -> String {
        log_command(&self.filter())
    }
}
