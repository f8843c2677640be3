//! What a decision is made of: the newest state of a session and what its hooks told, from the log or from the spool.
//!
//! Where a server runs, it finds all of it in one go: to open the index takes a hook longer than to be told what is in it.
//!
//! Where no server runs, what is decided is left in the spool, as what other hooks report is, and the next decision finds it there:
//! neither log nor index are opened for it. That counts as long as the log is as it was when the state was decided. Whoever writes to
//! the log moves the spool into it first, so that a log with something new has the state too, and may have a newer one.

use std::time::Duration;

use weft_event::Dialect;
use weft_event::idle::Topic;
use weft_log::log::{Log, whole_head};
use weft_log::query::Records;
use weft_log::spool::{self, Writing};
use weft_log::{Head, Position, Store};
use weft_runtime::loops::briefing::Since;
use weft_runtime::loops::control::{Asked, Said};
use weft_runtime::loops::{Briefing, Current, Newest};
use weft_server::socket::client::Client;

use super::delivery::InHand;
use super::look::Told;
use crate::stores;

/// What the spool may hold before a decision moves it into the log: every decision reads all of it.
const SPOOL_BYTES_MAX: u64 = 512 << 10;

/// How often the spool is moved into the log before that counts alone.
const MOVES_MAX: usize = 3;

/// How long the server may take to move the spool into the log.
const MOVE_PATIENCE: Duration = Duration::from_secs(10);

/// A store that a decision is made in.
pub(super) struct Reading {
    store: Store,
    session_id: String,
    /// The end of the log, where it was whole.
    head: Option<Head>,
    waiting: Waiting,
    /// What the log says, where the server was asked.
    briefing: Option<Briefing>,
    /// None before the first look.
    records: Option<Records>,
}

/// What of a spool counts for a decision.
struct Waiting {
    /// The newest state of the session.
    state: Option<Vec<u8>>,
    /// What its hooks told of its plan.
    told: Vec<Told>,
    /// Whether anything is there that only the log can put into its place.
    is_mixed: bool,
    bytes: u64,
    writing: Option<Writing>,
}

impl Waiting {
    fn look(store: &Store, session_id: &str) -> anyhow::Result<Self> {
        let (mut state, mut told, mut is_mixed) = (None, Vec::new(), false);
        let [current, control] = [Topic::LoopCurrent, Topic::LoopControl].map(|it| it.to_string());
        let looked = spool::look(store.root(), |entry| match &entry.topic {
            Some(at) if at.topic == current && at.key.as_deref() == Some(session_id) => {
                state = Some(entry.line.to_vec());
            }
            // A loop that waits for a session has no session for its key.
            Some(at) if at.topic == current => is_mixed |= at.key.as_deref() == Some(""),
            Some(at) if at.topic == control => is_mixed = true,
            Some(_) => {}
            None if entry.dialect == Some(Dialect::Collector) => {
                told.extend(Told::read(entry.line, session_id));
            }
            // Its topic is read from it on its way into the log.
            None => is_mixed = true,
        })?;
        is_mixed |= looked.n_moving > 0;
        Ok(Self { state, told, is_mixed, bytes: looked.n_bytes, writing: looked.writing })
    }

    /// Returns whether the log has to be asked what counts.
    fn is_in_doubt(&self, head: Option<&Head>, session_id: &str) -> bool {
        let Some(state) = &self.state else { return self.is_mixed };
        let decided_at = match Newest::waiting(state, session_id).current {
            Current::Running(state) => state.decided_at,
            Current::None | Current::Broken { .. } => None,
        };
        self.is_mixed || decided_at.is_none() || head.map(last) != decided_at
    }
}

impl Reading {
    /// Looks at what waits, and moves it into the log where it may not be the newest. Where others do so again and again, the log
    /// counts alone: what is decided is put there on condition that it has nothing newer by then.
    pub(super) fn begin(
        store: &Store,
        session_id: &str,
        now_ns: i64,
        event: &mut InHand<'_>,
    ) -> anyhow::Result<Self> {
        let mut reading = Self::look(store, session_id)?;
        for _ in 0..MOVES_MAX {
            if !reading.is_in_doubt() {
                break;
            }
            move_in(store)?;
            reading = Self::look(store, session_id)?;
        }
        if reading.is_in_doubt() {
            (reading.head, reading.waiting.state) = (None, None);
        }
        if !reading.is_waiting() {
            reading.briefing = event.briefing(session_id, now_ns);
        }
        Ok(reading)
    }

    fn is_in_doubt(&self) -> bool {
        self.waiting.is_in_doubt(self.head.as_ref(), &self.session_id)
    }

    fn look(store: &Store, session_id: &str) -> anyhow::Result<Self> {
        let head = whole_head(store);
        let waiting = Waiting::look(store, session_id)?;
        let (store, session_id) = (store.clone(), session_id.to_owned());
        Ok(Self { store, session_id, head, waiting, briefing: None, records: None })
    }

    pub(super) fn store(&self) -> &Store {
        &self.store
    }

    /// Returns the log and its index.
    pub(super) fn records(&mut self) -> anyhow::Result<&mut Records> {
        if self.records.is_none() {
            self.records = Some(Records::open(self.store.clone())?);
        }
        Ok(self.records.as_mut().expect("it was just opened"))
    }

    /// Returns the same to whoever looks nothing up any more, if it was opened.
    pub(super) fn into_records(self) -> Option<Records> {
        self.records
    }

    /// Returns the newest state of the session.
    pub(super) fn newest(&mut self) -> anyhow::Result<Newest> {
        match (&self.waiting.state, &self.briefing) {
            (Some(state), _) => Ok(Newest::waiting(state, &self.session_id)),
            (None, Some(briefing)) => Ok(Newest::found(briefing.own.as_ref(), &self.session_id)),
            (None, None) => {
                let session_id = self.session_id.clone();
                Ok(Newest::of(self.records()?, &session_id)?)
            }
        }
    }

    /// Returns the newest state of a loop that waits for a session, where this one has none.
    pub(super) fn unclaimed(&mut self) -> anyhow::Result<Newest> {
        match &self.briefing {
            Some(briefing) => Ok(Newest::found(briefing.unclaimed.as_ref(), "")),
            None => Ok(Newest::of(self.records()?, "")?),
        }
    }

    /// Returns what was asked of loops lately, and not answered.
    pub(super) fn asked(&mut self, now_ns: i64) -> anyhow::Result<Vec<Asked>> {
        // Nobody has asked for anything since a state that waits was decided.
        if self.is_waiting() {
            return Ok(Vec::new());
        }
        let said = match self.briefing.as_ref().and_then(|briefing| briefing.said.as_ref()) {
            Some(said) => Said::of(said.iter().map(|found| found.line.as_slice())),
            None => Said::lately(self.records()?, now_ns)?,
        };
        Ok(said.unanswered())
    }

    /// Returns what the log has of the plan since it was looked at last, and up to which position; `None` where nobody has found it.
    /// What came after the spool was looked at is left for the next time: it may have been in the spool then.
    pub(super) fn take_planned(&mut self) -> Option<(Since, u64)> {
        let head = self.head.as_ref().map(last);
        let briefing = self.briefing.as_mut()?;
        let mut since = briefing.plan.take()?;
        let last = head.map_or(briefing.last, |head| head.min(briefing.last));
        since.records.retain(|found| found.meta.position.get() <= last);
        Some((since, last))
    }

    /// Returns whether the newest state waits in the spool.
    fn is_waiting(&self) -> bool {
        self.waiting.state.is_some()
    }

    /// Returns what waits of what hooks told of a plan.
    pub(super) fn take_told(&mut self) -> Vec<Told> {
        std::mem::take(&mut self.waiting.told)
    }

    /// Returns the last position of the log.
    pub(super) fn last(&mut self) -> anyhow::Result<u64> {
        match &self.head {
            Some(head) => Ok(last(head)),
            None => Ok(self.records()?.head().last().map_or(0, Position::get)),
        }
    }

    /// Returns the last position of a log that what is decided may be left beside, in the spool.
    pub(super) fn last_beside(&self) -> Option<u64> {
        let head = self.head.as_ref().filter(|_| self.waiting.bytes <= SPOOL_BYTES_MAX);
        head.map(last)
    }

    /// Returns whether everything is still as it was read. It stays so for whoever holds the store.
    pub(super) fn is_newest(&self) -> anyhow::Result<bool> {
        if whole_head(&self.store) != self.head {
            return Ok(false);
        }
        if Writing::of(self.store.root()) == self.waiting.writing {
            return Ok(true);
        }
        let again = Waiting::look(&self.store, &self.session_id)?;
        Ok(!again.is_mixed && again.state == self.waiting.state)
    }

    /// Has the log tell where the newest state is that was read; `None` if there is a newer one.
    pub(super) fn in_log(&mut self, newest: &Newest) -> anyhow::Result<Option<Newest>> {
        if self.waiting.state.is_none() {
            return Ok(Some(newest.clone()));
        }
        move_in(&self.store)?;
        (self.briefing, self.records) = (None, None);
        let logged = Newest::of(self.records()?, &newest.key)?;
        Ok((logged.current == newest.current).then_some(logged))
    }
}

/// Moves the spool into the log: the server does, or we.
fn move_in(store: &Store) -> anyhow::Result<()> {
    let served = Client::of_store(store.root(), MOVE_PATIENCE).and_then(|mut it| it.settle());
    if served.is_err() {
        let log = Log::open(store.clone(), stores::briefly(stores::PATIENCE), &mut |_| {})?;
        stores::tell_findings(&log.take_findings());
        log.close()?;
    }
    Ok(())
}

fn last(head: &Head) -> u64 {
    head.last().map_or(0, Position::get)
}
