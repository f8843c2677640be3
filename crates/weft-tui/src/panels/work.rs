//! What is to be done, and how far it is.

use weft_view::work::{WorkRow, WorkState};

use crate::listing::{Cell, Column, Field, Item, Link, Look, field, log_command, quoted};
use crate::text::span;
use crate::theme::Tone;

pub(super) const COLUMNS: &[Column] = &[
    Column { title: "State", min: 11, max: 11, rank: 0 },
    Column { title: "For", min: 4, max: 7, rank: 1 },
    Column { title: "Work", min: 8, max: 24, rank: 0 },
    Column { title: "Who", min: 8, max: 24, rank: 2 },
    Column { title: "Tries", min: 5, max: 5, rank: 4 },
    Column { title: "What", min: 14, max: 120, rank: 0 },
    Column { title: "Waits for", min: 9, max: 30, rank: 3 },
];

fn state(state: WorkState) -> (&'static str, &'static str, Tone) {
    match state {
        WorkState::Blocked => ("■", "blocked", Tone::Bad),
        WorkState::Failed => ("✗", "failed", Tone::Bad),
        WorkState::Exhausted => ("✗", "exhausted", Tone::Bad),
        WorkState::Working => ("▶", "working", Tone::Busy),
        WorkState::Claimed => ("▷", "claimed", Tone::Busy),
        WorkState::Released => ("○", "released", Tone::Warn),
        WorkState::Open => ("○", "open", Tone::Calm),
        WorkState::Split => ("┬", "split", Tone::Faint),
        WorkState::Left => ("·", "left", Tone::Faint),
        WorkState::Done => ("✓", "done", Tone::Good),
    }
}

impl Item for WorkRow {
    fn id(&self) -> String {
        self.id.clone()
    }

    fn cells(&self, _look: &Look) -> Vec<Cell> {
        let (sign, name, tone) = state(self.state);
        let tries = if self.n_attempts > 0 { self.n_attempts } else { self.n_claims };
        vec![
            Cell::new(format!("{sign} {name}"), tone),
            Cell::plain(self.in_state_ms.map(|ms| span(ms / 1000 * 1000)).unwrap_or_default()),
            Cell::new(self.id.as_str(), Tone::Strong),
            Cell::maybe(self.actor.as_deref()),
            Cell::plain(tries.to_string()),
            Cell::maybe(self.title.as_deref()),
            Cell::plain(self.blocked_by.join(" ")),
        ]
    }

    fn detail(&self, look: &Look) -> Vec<Field> {
        let mut fields = Vec::new();
        let mut add = |name, text: Option<String>| field(&mut fields, name, text);
        add("work", Some(self.id.clone()));
        add("what", self.title.clone());
        add("state", Some(state(self.state).1.to_owned()));
        add("ready", Some(if self.is_ready { "yes" } else { "no" }.to_owned()));
        add("who", self.actor.clone());
        add("since", self.since.map(|at| look.zone.whole(at.0)));
        add("waits for", Some(self.blocked_by.join(", ")));
        add("claims", Some(self.n_claims.to_string()));
        add("tries", Some(self.n_attempts.to_string()));
        add("retries", Some(self.n_retries.to_string()));
        add("failures", Some(self.n_failures.to_string()));
        add("came of", self.parent.clone());
        let child =
            |child: &weft_view::work::ChildRow| format!("{} {}", child.id, state(child.state).1);
        add("brought", Some(self.children.iter().map(child).collect::<Vec<_>>().join(", ")));
        add("last seen", Some(look.zone.whole(self.last_seen.0)));
        fields
    }

    fn link(&self) -> Link {
        Link { records: Some(format!("task={}", quoted(&self.id))), ..Link::default() }
    }

    fn command(&self) -> String {
        log_command(&format!("task={}", quoted(&self.id)))
    }
}
