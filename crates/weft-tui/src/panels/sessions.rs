//! The sessions, the last heard of first.

use weft_view::sessions::{SessionRow, SessionState};

use crate::listing::{Cell, Column, Field, Item, Link, Look, field, quoted, shell};
use crate::text::{money, short, since};
use crate::theme::Tone;

pub(super) const COLUMNS: &[Column] = &[
    Column { title: "State", min: 9, max: 9, rank: 0 },
    Column { title: "Heard", min: 4, max: 7, rank: 1 },
    Column { title: "Session", min: 10, max: 20, rank: 0 },
    Column { title: "Actors", min: 8, max: 24, rank: 3 },
    Column { title: "Turns", min: 5, max: 5, rank: 5 },
    Column { title: "Calls", min: 5, max: 5, rank: 6 },
    Column { title: "Tokens", min: 6, max: 7, rank: 4 },
    Column { title: "Cost", min: 6, max: 8, rank: 2 },
    Column { title: "Asked for", min: 14, max: 120, rank: 0 },
];

impl Item for SessionRow {
    fn id(&self) -> String {
        self.session.clone()
    }

    fn cells(&self, look: &Look) -> Vec<Cell> {
        let (state, tone) = match self.state {
            SessionState::Running => ("▶ running", Tone::Busy),
            SessionState::Waiting => ("◌ waiting", Tone::Warn),
            SessionState::Failed => ("✗ failed", Tone::Bad),
            SessionState::Done => ("✓ done", Tone::Good),
        };
        let asked = self.title.as_deref().or(self.last_prompt.as_deref());
        vec![
            Cell::new(state, tone),
            Cell::plain(since(self.last_seen.0, look.now_ns)),
            Cell::new(self.session.as_str(), Tone::Strong),
            Cell::plain(self.actors.join(" ")),
            Cell::plain(self.n_turns.to_string()),
            Cell::plain(self.n_calls.to_string()),
            Cell::plain(short(self.total_tokens)),
            Cell::plain(money(self.cost_usd.0, self.estimated_usd.0)),
            Cell::plain(asked.unwrap_or_default()),
        ]
    }

    fn detail(&self, look: &Look) -> Vec<Field> {
        let mut fields = Vec::new();
        let mut add = |name, text: Option<String>| field(&mut fields, name, text);
        add("session", Some(self.session.clone()));
        add("title", self.title.clone());
        add("actors", Some(self.actors.join(", ")));
        add("first asked", self.first_prompt.clone());
        add("last asked", self.last_prompt.clone());
        add("folder", self.folder.clone());
        add("branch", self.branch.clone());
        add("model", self.model.clone());
        add("host", self.host.clone());
        add("tenant", self.tenant.clone());
        add("turns", Some(self.n_turns.to_string()));
        add("calls", Some(self.n_calls.to_string()));
        add("errors", Some(self.n_errors.to_string()));
        add("records", Some(self.n_records.to_string()));
        add("tokens", Some(crate::text::count(self.total_tokens)));
        add("cost", Some(money(self.cost_usd.0, self.estimated_usd.0)));
        add("since", Some(look.zone.whole(self.since.0)));
        add("last heard", Some(look.zone.whole(self.last_seen.0)));
        fields
    }

    fn link(&self) -> Link {
        let records = Some(format!("session={}", quoted(&self.session)));
        Link { session: Some(self.session.clone()), trace: None, records }
    }

    fn command(&self) -> String {
        format!("weft session {}", shell(&self.session))
    }
}
