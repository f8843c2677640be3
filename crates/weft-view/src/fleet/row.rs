//! The fleet as rows: what depends on the moment is worked out here.

use std::collections::HashMap;

use serde::Serialize;
use weft_event::Status;

use super::about::{About, text};
use super::actor::Seen;
use super::{Actor, Fleet};
use crate::first::first;
use crate::rules::Rules;
use crate::word::Word;
use crate::{At, First};

/// How an actor is known to be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Presence {
    /// It did something lately.
    AliveByEvents,
    /// It gives heartbeats and does nothing else.
    AliveByHeartbeat,
    /// Nothing has come of it for a while.
    Silent,
    /// It said that it ends, or another found that it is gone.
    Gone,
}

/// One actor.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Its name.
    pub actor: String,
    /// What it is doing; none if it never said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Word<Status>>,
    /// Since when it has been doing that without a break.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<At>,
    /// The position of the record that it began with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since_position: Option<u64>,
    /// How long it has done nothing but give heartbeats.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quiet_ms: Option<u64>,
    /// How it is known to be there.
    pub presence: Presence,
    /// What it is on: a task, a tool and a file, or else what it was asked to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on: Option<String>,
    /// Its last words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// What it was last asked to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// Who started it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// Whom it started.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<String>,
    /// The session that speaks for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The tenant it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// The dialect of its last record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dialect: Option<String>,
    /// The machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The folder it works in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// The branch it works on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The model it speaks to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The piece of work it is on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// The tool it used last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The file it touched last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// How far the work is, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress: Option<f64>,
    /// The other actor that it waits for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waits_for: Option<String>,
    /// When it was first seen.
    pub first_seen: At,
    /// When it was last seen, heartbeats included.
    pub last_seen: At,
    /// When it last gave a heartbeat.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_heartbeat: Option<At>,
    /// Whether it said that it ends.
    pub is_ended: bool,
    /// How many events came of it.
    pub n_events: u64,
}

/// How much of a prompt says what an actor is on, in characters.
const ON_CHARS_MAX: usize = 80;

impl Fleet {
    /// Returns every actor: the living first, the gone last; the gone by when they went, the others by name.
    pub fn rows(&self, now_ns: i64, rules: &Rules) -> Vec<Row> {
        self.first(usize::MAX, now_ns, rules).rows
    }

    /// Returns the first of these.
    pub fn first(&self, limit: usize, now_ns: i64, rules: &Rules) -> First<Row> {
        let mut all = Vec::new();
        for (name, actor) in self.actors() {
            let Some(seen) = actor.seen() else { continue };
            let presence = self.presence(name, actor, now_ns, rules);
            let rank = match presence {
                Presence::AliveByEvents | Presence::AliveByHeartbeat => (0, 0),
                Presence::Silent => (1, 0),
                Presence::Gone => (2, -seen.last_ns),
            };
            all.push((rank, name, actor, (seen, presence)));
        }
        let First { rows, n_more } = first(all, limit, |a, b| (a.0, a.1).cmp(&(b.0, b.1)), |it| it);
        let mut children: HashMap<&str, Vec<&str>> =
            rows.iter().map(|(_, name, ..)| (*name, Vec::new())).collect();
        for (name, actor) in self.actors() {
            if let Some(started) = actor.parent().and_then(|parent| children.get_mut(parent)) {
                started.push(name);
            }
        }
        let row = |(_, name, actor, there): ((i32, i64), &str, &Actor, (Seen, Presence))| {
            let mut started = children.remove(name).unwrap_or_default();
            started.sort_unstable();
            let children = started.into_iter().map(str::to_owned).collect();
            Row { children, ..self.row(name, actor, there, now_ns) }
        };
        First { rows: rows.into_iter().map(row).collect(), n_more }
    }

    fn row(
        &self,
        name: &str,
        actor: &Actor,
        (seen, presence): (Seen, Presence),
        now_ns: i64,
    ) -> Row {
        let speakers = actor.speakers();
        let told = |get: fn(&About) -> Option<&str>| {
            speakers.iter().find_map(|producer| get(&producer.about)).map(str::to_owned)
        };
        let tool = speakers.iter().find_map(|producer| producer.about.tool.as_ref());
        let run = self.run(actor);
        let row = Row {
            actor: name.to_owned(),
            status: run.map(|run| run.status),
            since: run.map(|run| At(run.since_ns)),
            since_position: run.map(|run| run.since_position),
            quiet_ms: actor.acted_ns().map(|acted_ns| elapsed_ms(acted_ns, now_ns)),
            presence,
            on: None,
            message: told(|about| text(&about.message)),
            prompt: told(|about| text(&about.prompt)),
            parent: told(|about| text(&about.parent)),
            children: Vec::new(),
            session: speakers.iter().find_map(|producer| producer.session()).map(str::to_owned),
            tenant: told(|about| text(&about.tenant)),
            dialect: told(|about| text(&about.dialect)),
            host: told(|about| text(&about.host)),
            folder: told(|about| text(&about.folder)),
            branch: told(|about| text(&about.branch)),
            model: told(|about| text(&about.model)),
            task: actor.task().map(str::to_owned),
            tool: tool.and_then(|tool| tool.value().tool.clone()),
            path: tool.and_then(|tool| tool.value().path.clone()),
            progress: speakers.iter().find_map(|producer| producer.about.progress()),
            waits_for: self.wait_of(name).map(|(_, wait)| wait.on.clone()),
            first_seen: At(seen.first_ns),
            last_seen: At(seen.last_ns),
            last_heartbeat: actor.heartbeat_ns().map(At),
            is_ended: self.is_ended(actor),
            n_events: actor.n_events(),
        };
        Row { on: on(&row), ..row }
    }

    /// Returns how an actor is known to be there.
    pub(crate) fn presence(
        &self,
        name: &str,
        actor: &Actor,
        now_ns: i64,
        rules: &Rules,
    ) -> Presence {
        let is_within = |at_ns: Option<i64>, limit_ms| {
            at_ns.is_some_and(|at_ns| elapsed_ms(at_ns, now_ns) < limit_ms)
        };
        if self.is_gone(name, actor) {
            Presence::Gone
        } else if is_within(actor.acted_ns(), rules.events_alive_ms) {
            Presence::AliveByEvents
        } else if is_within(actor.heartbeat_ns(), rules.heartbeat_alive_ms) {
            Presence::AliveByHeartbeat
        } else {
            Presence::Silent
        }
    }
}

/// Returns how long ago a moment was; nothing if it is yet to come.
pub(crate) fn elapsed_ms(then_ns: i64, now_ns: i64) -> u64 {
    u64::try_from(now_ns.saturating_sub(then_ns) / 1_000_000).unwrap_or(0)
}

/// Returns what an actor is on, in a few words; nothing if it has finished.
fn on(row: &Row) -> Option<String> {
    if row.is_ended || row.status == Some(Word(Status::Completed)) {
        return None;
    }
    let is_calling = row.status == Some(Word(Status::ToolUse));
    let call = [&row.tool, &row.path].into_iter().flatten().filter(|_| is_calling);
    let call = call.map(String::as_str).collect::<Vec<_>>().join(" ");
    match &row.task {
        Some(task) if call.is_empty() => Some(task.clone()),
        Some(task) => Some(format!("{task}: {call}")),
        None if call.is_empty() => {
            let line = row.prompt.as_deref()?.lines().find(|line| !line.trim().is_empty())?.trim();
            Some(line.chars().take(ON_CHARS_MAX).collect())
        }
        None => Some(call),
    }
}
