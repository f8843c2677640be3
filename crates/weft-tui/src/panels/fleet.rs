//! Who is there, what everyone does, and who gets nowhere.

use std::collections::HashMap;

use weft_view::fleet::{Presence, Row};
use weft_view::stuck::Stuck;
use weft_view::{Rules, Views};

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

/// An actor, and by which rules it is stuck.
pub(super) struct Agent {
    row: Row,
    stuck: Option<Stuck>,
}

/// Returns every actor.
pub(super) fn rows(views: &Views, now_ns: i64, rules: &Rules) -> Vec<Agent> {
    let stuck = weft_view::stuck::stuck(views, now_ns, rules);
    let mut stuck: HashMap<String, Stuck> =
        stuck.into_iter().map(|stuck| (stuck.actor.clone(), stuck)).collect();
    let agent = |row: Row| Agent { stuck: stuck.remove(&row.actor), row };
    views.fleet.rows(now_ns, rules).into_iter().map(agent).collect()
}

impl Item for Agent {
    fn id(&self) -> String {
        self.row.actor.clone()
    }

    fn cells(&self, look: &Look) -> Vec<Cell> {
        let is_there =
            matches!(self.row.presence, Presence::AliveByEvents | Presence::AliveByHeartbeat);
        let name = if is_there { Tone::Strong } else { Tone::Faint };
        let status = self.row.status.map_or_else(Cell::default, |status| {
            let (sign, tone) = of_status(status.0);
            let text = format!("{sign} {}", status.0.as_str());
            Cell::new(text, if is_there { tone } else { Tone::Faint })
        });
        let seen = match self.row.presence {
            Presence::AliveByEvents | Presence::AliveByHeartbeat | Presence::Silent
                if self.stuck.is_some() =>
            {
                Cell::new("≡ stuck", Tone::Warn)
            }
            Presence::AliveByEvents => Cell::new("● here", Tone::Good),
            Presence::AliveByHeartbeat => Cell::new("♥ heartbeat", Tone::Calm),
            Presence::Silent => Cell::new("○ silent", Tone::Warn),
            Presence::Gone => Cell::faint("· gone"),
        };
        vec![
            Cell::new(self.row.actor.as_str(), name),
            status,
            Cell::plain(self.row.since.map(|at| since(at.0, look.now_ns)).unwrap_or_default()),
            seen,
            Cell::maybe(self.row.on.as_deref()),
            Cell::faint(self.row.message.as_deref().unwrap_or_default()),
        ]
    }

    fn detail(&self, look: &Look) -> Vec<Field> {
        let mut fields = Vec::new();
        let mut add = |name, text: Option<String>| field(&mut fields, name, text);
        let moment = |at: weft_view::At| {
            format!("{} ({} ago)", look.zone.whole(at.0), since(at.0, look.now_ns))
        };
        add("actor", Some(self.row.actor.clone()));
        add("status", self.row.status.map(|status| status.0.as_str().to_owned()));
        add("since", self.row.since.map(moment));
        add("quiet for", self.row.quiet_ms.map(span));
        if let Some(stuck) = &self.stuck {
            super::stuck::fields(stuck, &mut fields);
        }
        let mut add = |name, text: Option<String>| field(&mut fields, name, text);
        add("on", self.row.on.clone());
        add("last words", self.row.message.clone());
        add("asked for", self.row.prompt.clone());
        add("waits for", self.row.waits_for.clone());
        add("task", self.row.task.clone());
        add("tool", self.row.tool.clone());
        add("file", self.row.path.clone());
        add("progress", self.row.progress.map(|progress| format!("{:.0} %", progress * 100.0)));
        add("session", self.row.session.clone());
        add("parent", self.row.parent.clone());
        add("children", Some(self.row.children.join(", ")));
        add("tenant", self.row.tenant.clone());
        add("host", self.row.host.clone());
        add("folder", self.row.folder.clone());
        add("branch", self.row.branch.clone());
        add("model", self.row.model.clone());
        add("first seen", Some(moment(self.row.first_seen)));
        add("last seen", Some(moment(self.row.last_seen)));
        add("heartbeat", self.row.last_heartbeat.map(moment));
        add("events", Some(self.row.n_events.to_string()));
        fields
    }

    fn link(&self) -> Link {
        let records = Some(format!("actor={}", quoted(&self.row.actor)));
        Link { session: self.row.session.clone(), trace: None, records }
    }

    fn command(&self) -> String {
        log_command(&format!("actor={}", quoted(&self.row.actor)))
    }
}
