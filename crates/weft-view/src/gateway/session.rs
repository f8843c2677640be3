//! The sessions of a gateway, and the answers that leave it.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};
use weft_event::report::{Part, Reply, TurnPhase};

use super::{of_tenant, tenant_of};
use crate::bounded::Bounded;
use crate::first::first;
use crate::fleet::{cut, elapsed_ms};
use crate::word::Word;
use crate::{At, Entry, First, Latest};

/// Most sessions that are kept.
pub(super) const SESSIONS_MAX: usize = 5_000;
/// Most answers that are kept.
pub(super) const REPLIES_MAX: usize = 2_000;

/// The sessions, by tenant and session.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Sessions {
    by_key: Bounded<Session, SESSIONS_MAX>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Session {
    last_ns: Option<i64>,
    agent: Option<Latest<String>>,
    turn: Option<Latest<Word<TurnPhase>>>,
    channel: Option<Latest<Channel>>,
    n_turns: u64,
    n_failed_turns: u64,
    n_mails: u64,
    n_replies: u64,
    n_calls: u64,
}

/// Where a conversation goes on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Channel {
    at_ns: i64,
    platform: Option<String>,
    channel: Option<String>,
    author: Option<String>,
}

/// One session of a gateway.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SessionRow {
    /// The tenant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// The session.
    pub session: String,
    /// The agent that answers in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// How far its last turn is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<Word<TurnPhase>>,
    /// How many turns began.
    pub n_turns: u64,
    /// How many of them failed.
    pub n_failed_turns: u64,
    /// How many messages came in.
    pub n_mails: u64,
    /// How many answers there were.
    pub n_replies: u64,
    /// How many tools were called.
    pub n_calls: u64,
    /// Where the last message came from: the platform.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub platform: Option<String>,
    /// Where the last message came from: the channel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channel: Option<String>,
    /// Who wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// When it came.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_mail: Option<At>,
    /// When the session was last active.
    pub last_seen: At,
    /// How long ago that was.
    pub quiet_ms: u64,
}

impl Sessions {
    pub(super) fn apply(&mut self, at_ns: i64, entry: &Entry<'_, '_>) {
        let facts = entry.facts;
        let Some(session) = facts.session.as_deref() else {
            return;
        };
        let key = of_tenant(facts.tenant.as_deref(), session);
        let Some(session) = self.by_key.touch(&key, at_ns) else {
            return;
        };
        let stamp = entry.stamp();
        session.last_ns = session.last_ns.max(Some(at_ns));
        if let Some(agent) = facts.actor.as_deref() {
            Latest::put(&mut session.agent, stamp, || agent.to_owned());
        }
        if let Part::Turn(turn) = &entry.report.part {
            Latest::put(&mut session.turn, stamp, || Word(turn.phase));
        } else if let Part::Mail(mail) = &entry.report.part {
            let text =
                |text: &Option<std::borrow::Cow<'_, str>>| text.as_deref().map(str::to_owned);
            Latest::put(&mut session.channel, stamp, || Channel {
                at_ns,
                platform: text(&mail.platform),
                channel: text(&mail.channel),
                author: text(&mail.author),
            });
        }
        if !entry.is_carried {
            session.count(&entry.report.part);
        }
    }

    /// Returns where the last message of a session came from.
    fn channel(&self, tenant: Option<&str>, session: &str) -> Option<(Option<&str>, Option<&str>)> {
        let channel = self.by_key.get(&of_tenant(tenant, session))?.channel.as_ref()?.value();
        Some((channel.platform.as_deref(), channel.channel.as_deref()))
    }

    /// Returns the first sessions, by tenant, the last active first.
    pub(super) fn first(&self, limit: usize, now_ns: i64) -> First<SessionRow> {
        let all = self.by_key.iter().filter_map(|(key, told)| {
            let (tenant, session) = tenant_of(key);
            Some((tenant, Reverse(told.last_ns?), session, told))
        });
        first(
            all.collect(),
            limit,
            |a, b| (a.0, a.1, a.2).cmp(&(b.0, b.1, b.2)),
            |(tenant, Reverse(last_ns), session, told)| {
                told.row(tenant, session, (last_ns, now_ns))
            },
        )
    }
}

impl Session {
    fn row(
        &self,
        tenant: Option<&str>,
        session: &str,
        (last_ns, now_ns): (i64, i64),
    ) -> SessionRow {
        let channel = self.channel.as_ref().map(Latest::value);
        SessionRow {
            tenant: tenant.map(str::to_owned),
            session: session.to_owned(),
            agent: self.agent.as_ref().map(|agent| agent.value().clone()),
            turn: self.turn.as_ref().map(|turn| *turn.value()),
            n_turns: self.n_turns,
            n_failed_turns: self.n_failed_turns,
            n_mails: self.n_mails,
            n_replies: self.n_replies,
            n_calls: self.n_calls,
            platform: channel.and_then(|channel| channel.platform.clone()),
            channel: channel.and_then(|channel| channel.channel.clone()),
            author: channel.and_then(|channel| channel.author.clone()),
            last_mail: channel.map(|channel| At(channel.at_ns)),
            last_seen: At(last_ns),
            quiet_ms: elapsed_ms(last_ns, now_ns),
        }
    }

    fn count(&mut self, part: &Part<'_>) {
        if let Part::Turn(turn) = part {
            self.n_turns += u64::from(turn.phase == TurnPhase::Began);
            self.n_failed_turns += u64::from(turn.phase == TurnPhase::Failed);
        }
        self.n_mails += u64::from(matches!(part, Part::Mail(_)));
        self.n_replies += u64::from(matches!(part, Part::Reply(_)));
        self.n_calls += u64::from(
            matches!(part, Part::Call(call) if call.phase == weft_event::report::CallPhase::Running),
        );
    }
}

/// The answers of agents, by their ids.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Outbox {
    by_id: Bounded<Option<Latest<Answer>>, REPLIES_MAX>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Answer {
    at_ns: i64,
    tenant: Option<String>,
    session: Option<String>,
    agent: Option<String>,
    text: Option<String>,
    platform: Option<String>,
    channel: Option<String>,
    actions: Vec<String>,
}

/// One answer of an agent.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReplyRow {
    /// Its id.
    pub id: String,
    /// The tenant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// The session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Its text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Where it goes: the platform.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub platform: Option<String>,
    /// Where it goes: the channel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channel: Option<String>,
    /// Whether it goes there because the last message of its session came from there, and it names no other place.
    pub is_last_active: bool,
    /// What is to be done with it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub actions: Vec<String>,
    /// When it was made.
    pub since: At,
    /// Its record.
    pub position: u64,
}

impl Outbox {
    pub(super) fn apply(&mut self, reply: &Reply<'_>, at_ns: i64, entry: &Entry<'_, '_>) {
        let by_position = || entry.position.to_string();
        let id = reply.id.as_deref().map_or_else(by_position, str::to_owned);
        let Some(answer) = self.by_id.touch(&id, at_ns) else {
            return;
        };
        let text = |text: &Option<std::borrow::Cow<'_, str>>| text.as_deref().map(cut);
        Latest::put(answer, entry.stamp(), || Answer {
            at_ns,
            tenant: text(&entry.facts.tenant),
            session: text(&entry.facts.session),
            agent: text(&entry.facts.actor),
            text: text(&reply.text),
            platform: text(&reply.platform),
            channel: text(&reply.channel),
            actions: reply.actions.iter().map(|action| cut(action)).collect(),
        });
    }

    /// Returns the first answers, the newest first.
    pub(super) fn first(&self, limit: usize, sessions: &Sessions) -> First<ReplyRow> {
        let told = self.by_id.iter().filter_map(|(id, answer)| Some((id, answer.as_ref()?)));
        let all = told.map(|(id, told)| (Reverse(told.value().at_ns), id, told));
        first(
            all.collect(),
            limit,
            |a, b| (a.0, a.1).cmp(&(b.0, b.1)),
            |(_, id, told)| reply(id, told, sessions),
        )
    }
}

fn reply(id: &str, told: &Latest<Answer>, sessions: &Sessions) -> ReplyRow {
    let answer = told.value().clone();
    let is_aimed = answer.platform.is_some() || answer.channel.is_some();
    let session = answer.session.as_deref().unwrap_or_default();
    let last = sessions.channel(answer.tenant.as_deref(), session).filter(|_| !is_aimed);
    let (platform, channel) =
        last.unwrap_or((answer.platform.as_deref(), answer.channel.as_deref()));
    ReplyRow {
        id: id.to_owned(),
        platform: platform.map(str::to_owned),
        channel: channel.map(str::to_owned),
        is_last_active: last.is_some(),
        tenant: answer.tenant,
        session: answer.session,
        agent: answer.agent,
        text: answer.text,
        actions: answer.actions,
        since: At(answer.at_ns),
        position: told.stamp().position(),
    }
}
