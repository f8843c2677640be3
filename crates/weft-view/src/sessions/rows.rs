//! Sessions as rows.

use serde::Serialize;

use super::Sessions;
use super::state::{Counts, Session, SessionState};
use crate::usage::{UsageBook, UsageRow};
use crate::{At, First, Money, Prices};

const NS_PER_MS: i64 = 1_000_000;

/// One session.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SessionRow {
    /// Its id.
    pub session: String,
    /// How it stands.
    pub state: SessionState,
    /// What it is called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Who has part in it: the one that it is about first, those that were started in it last.
    pub actors: Vec<String>,
    /// The tenant that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// What was asked for first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_prompt: Option<String>,
    /// What was asked for last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_prompt: Option<String>,
    /// The folder that is worked in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// The branch that is worked on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The model that is spoken to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Prompts and what was done about each.
    pub n_turns: u64,
    /// Tool calls.
    pub n_calls: u64,
    /// Failures.
    pub n_errors: u64,
    /// Records, however they came.
    pub n_records: u64,
    /// Tokens used.
    pub total_tokens: u64,
    /// What they cost, estimates among it.
    pub cost_usd: Money,
    /// How much of that is estimated.
    pub estimated_usd: Money,
    /// When it began.
    pub since: At,
    /// When something was last heard of it.
    pub last_seen: At,
    /// How long ago that is.
    pub silent_ms: u64,
    /// Its first record.
    pub first_position: u64,
    /// Its last record.
    pub position: u64,
}

impl Sessions {
    /// Returns sessions, the last heard of first, with what they used up by the book of usage.
    pub fn rows(&self, now_ns: i64, usage: &UsageBook, prices: &Prices) -> Vec<SessionRow> {
        self.first(usize::MAX, now_ns, usage, prices).rows
    }

    /// Returns the first of these.
    pub fn first(
        &self,
        limit: usize,
        now_ns: i64,
        usage: &UsageBook,
        prices: &Prices,
    ) -> First<SessionRow> {
        self.sessions
            .first(limit, |id, session| row(id, session, &usage.of_session(id, prices), now_ns))
    }
}

fn row(id: &str, session: &Session, used: &UsageRow, now_ns: i64) -> SessionRow {
    let [first, last] = session.ends.unwrap_or_default();
    let text = |word: &Option<((i64, u64), String)>| word.as_ref().map(|(_, text)| text.clone());
    // Of what several ways count, the one that counts most of it is the fullest.
    let most = |of: fn(&Counts) -> u64| session.counts.iter().map(of).max().unwrap_or(0);
    let sum = |of: fn(&Counts) -> u64| session.counts.iter().map(of).sum::<u64>();
    let n_turns = most(Counts::n_turns);
    let mut actors: Vec<_> = session.actors.iter().collect();
    actors.sort_by_key(|actor| {
        (actor.is_started_by_another, std::cmp::Reverse(actor.last_ns), &actor.name)
    });
    SessionRow {
        session: id.to_owned(),
        state: session.state(),
        title: text(&session.title),
        actors: actors.into_iter().map(|actor| actor.name.clone()).collect(),
        tenant: text(&session.tenant),
        first_prompt: text(&session.first_prompt),
        last_prompt: text(&session.last_prompt),
        folder: text(&session.folder),
        branch: text(&session.branch),
        model: text(&session.model),
        host: text(&session.host),
        n_turns: if n_turns > 0 { n_turns } else { most(|counts| counts.n_turns_ended) },
        n_calls: most(Counts::n_calls),
        n_errors: most(Counts::n_failed) + sum(|counts| counts.n_errors),
        n_records: sum(|counts| counts.n_records),
        total_tokens: used.total_tokens,
        cost_usd: used.cost_usd,
        estimated_usd: used.estimated_usd,
        since: At(first.0),
        last_seen: At(last.0),
        silent_ms: (now_ns.saturating_sub(last.0) / NS_PER_MS).max(0).unsigned_abs(),
        first_position: first.1,
        position: last.1,
    }
}
