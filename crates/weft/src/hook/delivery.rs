//! Where an event of a hook goes: to the server if it answers in time, else to the spool; and what is none, to what was refused.

use std::borrow::Cow;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use uuid::Uuid;
use weft_event::Dialect;
use weft_event::hook::Caller;
use weft_event::problem::Problem;
use weft_log::Network;
use weft_log::log::Durability;
use weft_log::rejected::{Reason, Refusal, Rejected, With};
use weft_log::spool::{self, Entry};
use weft_server::socket::answer::Fate;
use weft_server::socket::client::{Client, ClientError, Wait};
use weft_server::socket::request::{Append, Sent};

use super::VIA;
use crate::output::{Shown, tell};
use crate::stores;

/// How long the server may take in all: to be found, to be told, and to answer.
const PATIENCE: Duration = Duration::from_millis(50);

/// One delivery to a store.
pub(super) struct Delivery<'d> {
    folder: &'d Path,
    at_us: i64,
    caller: Option<Caller>,
    id: Uuid,
}

impl<'d> Delivery<'d> {
    pub(super) fn new(folder: &'d Path, at_us: i64, caller: Option<Caller>) -> Self {
        Self { folder, at_us, caller, id: Uuid::now_v7() }
    }

    /// Brings the event to the server, or leaves it in the spool. It is durable when this returns.
    pub(super) fn deliver(&self, line: &[u8]) -> anyhow::Result<()> {
        match self.send(line) {
            Ok(Some(Fate::Kept { .. })) => return Ok(()),
            Ok(Some(Fate::Refused { id, reasons })) => {
                let why = reasons.first().map_or("", |reason| reason.message.as_str());
                let why = Shown(why);
                tell(format_args!(
                    "the event was refused ({why}); it is kept: weft rejects show {id}"
                ));
                return Ok(());
            }
            Ok(None) | Err(ClientError::NotRunning) => {}
            // Whether it is in the log or not, the spool is safe: a repeat is recognised.
            Err(error) => {
                let error = format!("{:#}", anyhow::Error::from(error));
                tell(format_args!("note: {}; the event waits in the spool", Shown(&error)));
            }
        }
        let entry = Entry {
            at_us: self.at_us,
            via: VIA.into(),
            id: self.id,
            dialect: Some(Dialect::Collector),
            topic: None,
            line,
        };
        let store = stores::make(self.folder, Network::Refuse)?;
        spool::put(&store, &entry).context("the event of a hook is lost")
    }

    /// Keeps what is no event, with the reason.
    pub(super) fn keep_refused(&self, bytes: Vec<u8>, problem: &Problem) -> anyhow::Result<()> {
        let origin = match self.caller {
            Some(caller) => format!("{VIA}:{}", caller.as_str()),
            None => VIA.to_owned(),
        };
        let with = With { delivery: Some(Entry::delivery(self.id)), ..With::default() };
        let (via, reasons) = (VIA.to_owned(), vec![Reason::from(problem)]);
        let refusal = Refusal { at_us: self.at_us, via, origin, with, reasons, bytes };
        let store = stores::make(self.folder, Network::Refuse)?;
        let ids = Rejected::new(&store).put(&[refusal])?;
        let id = ids.first().map(ToString::to_string).unwrap_or_default();
        let why = Shown(&problem.message);
        tell(format_args!("what came is refused ({why}); it is kept: weft rejects show {id}"));
        Ok(())
    }

    fn send(&self, line: &[u8]) -> Result<Option<Fate>, ClientError> {
        let wait = Wait::Until(Instant::now() + PATIENCE);
        let sent = Sent {
            line,
            via: None,
            dialect: Some(Dialect::Collector),
            delivery: Some(Cow::Owned(Entry::delivery(self.id))),
            topic: None,
        };
        let append = Append {
            via: VIA.into(),
            durability: Durability::Synced,
            patience: Some(PATIENCE),
            conditions: Vec::new(),
            events: vec![sent],
        };
        let appended = Client::append_once(self.folder, append, wait)?;
        Ok(appended.fates.into_iter().next())
    }
}
