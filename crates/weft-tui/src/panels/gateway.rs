//! What goes through a gateway: its components, sessions, answers, peers, jobs and revisions, one after the other.

use weft_event::report::{PeerPhase, TurnPhase};
use weft_view::gateway::{ComponentRow, JobRow, PeerRow, ReplyRow, RevisionRow, Rows, SessionRow};

use crate::listing::{Cell, Column, Field, Item, Link, Look, field, log_command, quoted};
use crate::text::since;
use crate::theme::Tone;

pub(super) const COLUMNS: &[Column] = &[
    Column { title: "Part", min: 9, max: 9, rank: 0 },
    Column { title: "Name", min: 12, max: 30, rank: 0 },
    Column { title: "State", min: 11, max: 13, rank: 1 },
    Column { title: "Seen", min: 6, max: 7, rank: 2 },
    Column { title: "Tenant", min: 6, max: 16, rank: 4 },
    Column { title: "Whose", min: 8, max: 24, rank: 3 },
    Column { title: "What", min: 14, max: 160, rank: 0 },
];

/// One row of one of the parts.
pub(super) enum Row {
    Component(ComponentRow),
    Session(SessionRow),
    Reply(ReplyRow),
    Peer(PeerRow),
    Job(JobRow),
    Revision(RevisionRow),
}

/// Returns the rows of all parts.
pub(super) fn rows(parts: Rows) -> Vec<Row> {
    let Rows { sessions, outbox, peers, jobs, components, revisions } = parts;
    let mut rows: Vec<Row> = components.into_iter().map(Row::Component).collect();
    rows.extend(sessions.into_iter().map(Row::Session));
    rows.extend(outbox.into_iter().map(Row::Reply));
    rows.extend(peers.into_iter().map(Row::Peer));
    rows.extend(jobs.into_iter().map(Row::Job));
    rows.extend(revisions.into_iter().map(Row::Revision));
    rows
}

impl Row {
    fn part(&self) -> &'static str {
        match self {
            Row::Component(_) => "component",
            Row::Session(_) => "session",
            Row::Reply(_) => "answer",
            Row::Peer(_) => "peer",
            Row::Job(_) => "job",
            Row::Revision(_) => "revision",
        }
    }

    fn name(&self) -> &str {
        match self {
            Row::Component(row) => &row.component,
            Row::Session(row) => &row.session,
            Row::Reply(row) => &row.id,
            Row::Peer(row) => row.component.as_deref().unwrap_or(&row.pairing),
            Row::Job(row) => row.name.as_deref().unwrap_or(&row.job),
            Row::Revision(row) => &row.revision,
        }
    }

    fn tenant(&self) -> Option<&str> {
        match self {
            Row::Component(_) | Row::Peer(_) => None,
            Row::Session(row) => row.tenant.as_deref(),
            Row::Reply(row) => row.tenant.as_deref(),
            Row::Job(row) => row.tenant.as_deref(),
            Row::Revision(row) => row.tenant.as_deref(),
        }
    }

    fn state(&self) -> Cell {
        match self {
            Row::Component(row) if row.is_silent => Cell::new("○ silent", Tone::Warn),
            Row::Component(_) => Cell::new("● here", Tone::Good),
            Row::Session(row) => row.turn.map_or_else(Cell::default, |turn| match turn.0 {
                TurnPhase::Began => Cell::new("▶ answering", Tone::Busy),
                TurnPhase::Completed => Cell::new("✓ answered", Tone::Good),
                TurnPhase::Failed => Cell::new("✗ failed", Tone::Bad),
                TurnPhase::Aborted => Cell::new("■ aborted", Tone::Warn),
            }),
            Row::Reply(row) if row.is_last_active => Cell::new("↳ last active", Tone::Calm),
            Row::Reply(_) => Cell::new("↳ sent", Tone::Good),
            Row::Peer(row) => match row.phase.0 {
                PeerPhase::Started => Cell::new("◌ pairing", Tone::Warn),
                PeerPhase::Completed => Cell::new("✓ paired", Tone::Good),
                PeerPhase::Failed => Cell::new("✗ failed", Tone::Bad),
            },
            Row::Job(row) => Cell::plain(format!("{} runs", row.n_runs)),
            Row::Revision(row) if row.is_reverted => Cell::new("✗ reverted", Tone::Warn),
            Row::Revision(row) if row.is_current => Cell::new("✓ current", Tone::Good),
            Row::Revision(_) => Cell::faint("· earlier"),
        }
    }

    fn seen_ns(&self) -> Option<i64> {
        match self {
            Row::Component(row) => Some(row.last_seen.0),
            Row::Session(row) => Some(row.last_seen.0),
            Row::Reply(row) => Some(row.since.0),
            Row::Peer(row) => Some(row.since.0),
            Row::Job(row) => Some(row.last_run.0),
            Row::Revision(row) => row.reverted.or(row.applied).map(|at| at.0),
        }
    }

    fn whose(&self) -> Option<&str> {
        match self {
            Row::Component(row) => row.kind.as_deref(),
            Row::Session(row) => row.agent.as_deref(),
            Row::Reply(row) => row.agent.as_deref(),
            Row::Peer(row) => row.kind.as_deref(),
            Row::Job(row) => row.agent.as_deref(),
            Row::Revision(row) => row.by.as_deref().or(Some(&row.component)),
        }
    }

    fn what(&self) -> String {
        let channel = |platform: &Option<String>, channel: &Option<String>| {
            [platform.as_deref(), channel.as_deref()]
                .into_iter()
                .flatten()
                .collect::<Vec<_>>()
                .join(" ")
        };
        match self {
            Row::Component(row) => format!("{} events", row.n_events),
            Row::Session(row) => {
                let place = channel(&row.platform, &row.channel);
                let counts = format!(
                    "{} in, {} out, {} turns, {} calls",
                    row.n_mails, row.n_replies, row.n_turns, row.n_calls
                );
                if place.is_empty() { counts } else { format!("{place}: {counts}") }
            }
            Row::Reply(row) => row.text.clone().unwrap_or_else(|| row.actions.join(", ")),
            Row::Peer(row) => {
                row.error.clone().or_else(|| row.uri.clone()).unwrap_or_else(|| row.pairing.clone())
            }
            Row::Job(row) => row.reason.clone().unwrap_or_else(|| row.job.clone()),
            Row::Revision(row) => row.component.clone(),
        }
    }

    fn position(&self) -> Option<u64> {
        match self {
            Row::Component(_) | Row::Session(_) => None,
            Row::Reply(row) => Some(row.position),
            Row::Peer(row) => Some(row.position),
            Row::Job(row) => Some(row.position),
            Row::Revision(row) => Some(row.position),
        }
    }

    fn session(&self) -> Option<&str> {
        match self {
            Row::Session(row) => Some(&row.session),
            Row::Reply(row) => row.session.as_deref(),
            Row::Component(_) | Row::Peer(_) | Row::Job(_) | Row::Revision(_) => None,
        }
    }

    /// Returns the filter that finds its records.
    fn records(&self) -> Option<String> {
        match self {
            Row::Component(row) => Some(format!("actor={}", quoted(&row.component))),
            Row::Session(row) => Some(format!("session={}", quoted(&row.session))),
            Row::Reply(_) | Row::Peer(_) | Row::Job(_) | Row::Revision(_) => {
                self.position().map(|position| format!("position={position}"))
            }
        }
    }

    /// Adds what only its own part has.
    fn own_fields(&self, look: &Look, fields: &mut Vec<Field>) {
        let mut add = |name, text: Option<String>| field(fields, name, text);
        let moment = |at: weft_view::At| look.zone.whole(at.0);
        match self {
            Row::Component(row) => add("heartbeat", row.last_heartbeat.map(moment)),
            Row::Session(row) => {
                add("failed turns", Some(row.n_failed_turns.to_string()));
                add("author", row.author.clone());
                add("last mail", row.last_mail.map(moment));
            }
            Row::Reply(row) => {
                add("platform", row.platform.clone());
                add("channel", row.channel.clone());
                add("actions", Some(row.actions.join(", ")));
            }
            Row::Peer(row) => {
                add("pairing", Some(row.pairing.clone()));
                add("address", row.uri.clone());
                add("fingerprint", row.fingerprint.clone());
                add("before", row.fingerprint_before.clone());
                add("error", row.error.clone());
            }
            Row::Job(row) => {
                add("job", Some(row.job.clone()));
                let next: Vec<String> = row.scheduled.iter().copied().map(moment).collect();
                add("planned", Some(next.join("\n")));
            }
            Row::Revision(row) => {
                add("component", Some(row.component.clone()));
                add("applied", row.applied.map(moment));
                add("reverted", row.reverted.map(moment));
            }
        }
    }
}

impl Item for Row {
    fn id(&self) -> String {
        let own = match self {
            Row::Peer(row) => &row.pairing,
            Row::Job(row) => &row.job,
            Row::Component(_) | Row::Session(_) | Row::Reply(_) | Row::Revision(_) => self.name(),
        };
        format!(
            "{} {} {own} {}",
            self.part(),
            self.tenant().unwrap_or("-"),
            self.whose().unwrap_or("-")
        )
    }

    fn cells(&self, look: &Look) -> Vec<Cell> {
        vec![
            Cell::faint(self.part()),
            Cell::new(self.name(), Tone::Strong),
            self.state(),
            Cell::plain(self.seen_ns().map(|ns| since(ns, look.now_ns)).unwrap_or_default()),
            Cell::maybe(self.tenant()),
            Cell::maybe(self.whose()),
            Cell::plain(self.what()),
        ]
    }

    fn detail(&self, look: &Look) -> Vec<Field> {
        let mut fields = Vec::new();
        let mut add = |name, text: Option<String>| field(&mut fields, name, text);
        add(self.part(), Some(self.name().to_owned()));
        add("state", Some(self.state().text));
        add("tenant", self.tenant().map(str::to_owned));
        add("whose", self.whose().map(str::to_owned));
        add("session", self.session().map(str::to_owned));
        add("what", Some(self.what()));
        add("last seen", self.seen_ns().map(|ns| look.zone.whole(ns)));
        self.own_fields(look, &mut fields);
        field(&mut fields, "record", self.position().map(|position| position.to_string()));
        fields
    }

    fn link(&self) -> Link {
        Link { session: self.session().map(str::to_owned), trace: None, records: self.records() }
    }

    fn command(&self) -> String {
        match self.position() {
            Some(position) => format!("weft show {position}"),
            None => log_command(&self.records().unwrap_or_default()),
        }
    }
}
