//! Where an event of a hook goes: to the server if it answers in time, else to the spool, or into the log with what is decided about
//! it; and what is none, to what was refused.

use std::borrow::Cow;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use uuid::Uuid;
use weft_event::Dialect;
use weft_event::hook::Caller;
use weft_event::problem::Problem;
use weft_log::log::{Condition, Durability};
use weft_log::rejected::{Reason, Refusal, Rejected, With};
use weft_log::spool::{self, Entry};
use weft_log::{Network, Store};
use weft_runtime::loops::Briefing;
use weft_server::socket::answer::Fate;
use weft_server::socket::client::{Client, ClientError, Wait};
use weft_server::socket::request::{Append, LoopAsk, Sent};

use super::VIA;
use crate::output::{Shown, tell};
use crate::posting::{ANSWER_PATIENCE, Place, Post, Posted, Report, post_last};
use crate::stores;

/// How long the server may take in all: to be found, to be told, and to answer; and how long those who change what was refused.
const PATIENCE: Duration = Duration::from_millis(50);

/// How long the server may take to find what a decision needs, before the hook reads it itself.
const BRIEFING_PATIENCE: Duration = Duration::from_millis(500);

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
            Ok(Some(fate)) => {
                tell_refused(&fate);
                return Ok(());
            }
            Ok(None) | Err(ClientError::NotRunning) => {}
            // Whether it is in the log or not, the spool is safe: a repeat is recognised.
            Err(error) => {
                let error = format!("{:#}", anyhow::Error::from(error));
                tell(format_args!("note: {}; the event waits in the spool", Shown(&error)));
            }
        }
        self.spool(line)
    }

    /// Leaves the event in the spool. It is durable when this returns.
    fn spool(&self, line: &[u8]) -> anyhow::Result<()> {
        let store = stores::make(self.folder, Network::Refuse)?;
        spool::put(&store, &self.entry(line)).context("the event of a hook is lost")
    }

    /// Returns the event as the spool has it.
    fn entry<'e>(&self, line: &'e [u8]) -> Entry<'e> {
        let (at_us, id, dialect) = (self.at_us, self.id, Some(Dialect::Collector));
        Entry { at_us, via: VIA.into(), id, dialect, topic: None, line }
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
        let ids = Rejected::new(&store).put_soon(&[refusal], PATIENCE)?;
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

fn tell_refused(fate: &Fate) {
    if let Fate::Refused { id, reasons } = fate {
        let why = Shown(reasons.first().map_or("", |reason| reason.message.as_str()));
        tell(format_args!("the event was refused ({why}); it is kept: weft rejects show {id}"));
    }
}

/// The event of a hook that decides, until it is durable.
///
/// It goes with what is decided: one sync instead of two. Whoever is about to do what may take long has it delivered before.
pub(super) struct InHand<'d> {
    delivery: Delivery<'d>,
    line: Vec<u8>,
    /// What came of delivering it, once that was tried.
    delivered: Option<anyhow::Result<()>>,
    server: Server,
}

/// The server of the store.
enum Server {
    /// Nobody has looked for one.
    Unknown,
    /// It waits for what is posted.
    Ready(Box<Client>),
    /// There is none.
    None,
    /// There is one, which something is wrong with.
    Broken,
}

impl<'d> InHand<'d> {
    pub(super) fn new(delivery: Delivery<'d>, line: Vec<u8>) -> Self {
        Self { delivery, line, delivered: None, server: Server::Unknown }
    }

    /// Keeps what was said, where no event can be made of it that fits.
    pub(super) fn refused(delivery: Delivery<'d>, payload: Vec<u8>, problem: &Problem) -> Self {
        let delivered = Some(delivery.keep_refused(payload, problem));
        Self { delivery, line: Vec::new(), delivered, server: Server::Unknown }
    }

    /// Looks for the server that will be told what is decided: whoever waits for git has the time. Returns whether there is none.
    pub(super) fn is_alone(&mut self) -> bool {
        if matches!(self.server, Server::Unknown) {
            self.server = match Client::of_store(self.delivery.folder, ANSWER_PATIENCE) {
                Ok(client) => Server::Ready(Box::new(client)),
                Err(ClientError::NotRunning) => Server::None,
                Err(_broken) => Server::Broken,
            };
        }
        matches!(self.server, Server::None)
    }

    /// Has the server find what the log says of a session's loop; none where there is none, or it does not say.
    pub(super) fn briefing(&mut self, session_id: &str, now_ns: i64) -> Option<Briefing> {
        self.is_alone();
        let Server::Ready(client) = &mut self.server else { return None };
        let ask = LoopAsk { session_id: session_id.to_owned(), now_ns };
        let briefing = client.briefing(ask, BRIEFING_PATIENCE);
        if briefing.is_err() {
            // Whatever is wrong with it, nothing more is said on this connection.
            self.server = Server::Unknown;
        }
        briefing.ok()
    }

    /// Delivers the event by itself, unless that was done before.
    pub(super) fn deliver(&mut self) {
        if self.delivered.is_none() {
            self.delivered = Some(self.delivery.deliver(&self.line));
        }
    }

    /// Returns whether it went well, once it was delivered; does so where nobody did.
    pub(super) fn finish(mut self) -> anyhow::Result<()> {
        self.deliver();
        self.delivered.unwrap_or(Ok(()))
    }

    /// Leaves what was decided in the spool, and the event before it.
    pub(super) fn leave(&mut self, store: &Store, posts: &[Post]) -> anyhow::Result<()> {
        let own = self.delivered.is_none().then(|| self.delivery.entry(&self.line));
        let posted = posts.iter().map(|post| Entry {
            id: Uuid::now_v7(),
            dialect: Some(post.dialect),
            topic: post.topic.clone(),
            ..self.delivery.entry(post.line.as_bytes())
        });
        let entries: Vec<Entry<'_>> = own.into_iter().chain(posted).collect();
        spool::put_all(store, &entries).context("what was decided cannot be left in the spool")?;
        self.delivered.get_or_insert(Ok(()));
        Ok(())
    }

    /// Posts what was decided, and the event before it.
    pub(super) fn post(
        &mut self,
        place: Place,
        posts: &[Post],
        conditions: &[Condition],
    ) -> anyhow::Result<Posted> {
        let place = match std::mem::replace(&mut self.server, Server::Unknown) {
            Server::Ready(client) => place.served(client),
            Server::Unknown | Server::None | Server::Broken => place,
        };
        if self.delivered.is_some() {
            return post_last(place, VIA, (posts, conditions), None);
        }
        let late = || {
            // Whatever goes wrong shows when it is delivered by itself.
            let spooled = self.delivery.spool(&self.line);
            drop(spooled);
        };
        let mut report = Report {
            line: &self.line,
            dialect: Dialect::Collector,
            delivery: Entry::delivery(self.delivery.id),
            late: &late,
            fate: None,
        };
        let posted = post_last(place, VIA, (posts, conditions), Some(&mut report));
        if let Some(fate) = report.fate {
            tell_refused(&fate);
            self.delivered = Some(Ok(()));
        }
        posted
    }
}
