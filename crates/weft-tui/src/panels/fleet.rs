//! Who is there and what everyone does.

use weft_view::fleet::{Presence, Row};

use crate::listing::{Cell, Column, Field, Item, Link, Look, field, log_command, quoted};
use crate::text::{since, span};
use crate::theme::{Tone, of_status};

pub(super) const COLUMNS: &[Column] = &[
    Column { title: "Actor", min: 10, max: 28, rank: 0 },
    Column { title: "Status", min: 11, max: 11, rank: 0 },
    Column { title: "For", min: 4, max: 7, rank: 1 },
    Column { title: "Seen", min: 9, max: 11, rank: 2 },
    Column { title: "On", min: 14, max: 44, rank: 0 },
    Column { title: "Last words", min: 14, max: 120, rank: 3 },
];

impl Item for Row {
    fn id(&self) -> String {
        self.actor.clone()
    }

    fn cells(&self, look: &Look) -> Vec<Cell> {
        let is_there =
            matches!(self.presence, Presence::AliveByEvents | Presence::AliveByHeartbeat);
        let name = if is_there { Tone::Strong } else { Tone::Faint };
        let status = self.status.map_or_else(Cell::default, |status| {
            let (sign, tone) = of_status(status.0);
            let text = format!("{sign} {}", status.0.as_str());
            Cell::new(text, if is_there { tone } else { Tone::Faint })
        });
        let seen = match self.presence {
            Presence::AliveByEvents => Cell::new("● here", Tone::Good),
            Presence::AliveByHeartbeat => Cell::new("♥ heartbeat", Tone::Calm),
            Presence::Silent => Cell::new("○ silent", Tone::Warn),
            Presence::Gone => Cell::faint("· gone"),
        };
        vec![
            Cell::new(self.actor.as_str(), name),
            status,
            Cell::plain(self.since.map(|at| since(at.0, look.now_ns)).unwrap_or_default()),
            seen,
            Cell::maybe(self.on.as_deref()),
            Cell::faint(self.message.as_deref().unwrap_or_default()),
        ]
    }

    fn detail(&self, look: &Look) -> Vec<Field> {
        let mut fields = Vec::new();
        let mut add = |name, text: Option<String>| field(&mut fields, name, text);
        let moment = |at: weft_view::At| {
            format!("{} ({} ago)", look.zone.whole(at.0), since(at.0, look.now_ns))
        };
        add("actor", Some(self.actor.clone()));
        add("status", self.status.map(|status| status.0.as_str().to_owned()));
        add("since", self.since.map(moment));
        add("quiet for", self.quiet_ms.map(span));
        add("on", self.on.clone());
        add("last words", self.message.clone());
        add("asked for", self.prompt.clone());
        add("waits for", self.waits_for.clone());
        add("task", self.task.clone());
        add("tool", self.tool.clone());
        add("file", self.path.clone());
        add("progress", self.progress.map(|progress| format!("{:.0} %", progress * 100.0)));
        add("session", self.session.clone());
        add("parent", self.parent.clone());
        add("children", Some(self.children.join(", ")));
        add("tenant", self.tenant.clone());
        add("host", self.host.clone());
        add("folder", self.folder.clone());
        add("branch", self.branch.clone());
        add("model", self.model.clone());
        add("first seen", Some(moment(self.first_seen)));
        add("last seen", Some(moment(self.last_seen)));
        add("heartbeat", self.last_heartbeat.map(moment));
        add("events", Some(self.n_events.to_string()));
        fields
    }

    fn link(&self) -> Link {
        let records = Some(format!("actor={}", quoted(&self.actor)));
        Link { session: self.session.clone(), trace: None, records }
    }

    fn command(&self) -> String {
        log_command(&format!("actor={}", quoted(&self.actor)))
    }
}
