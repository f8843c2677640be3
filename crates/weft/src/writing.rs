//! How a command writes many events to a store: through the server that runs on it, or itself where none does.
//!
//! A server that ends in the midst of it is no reason to stop: the command goes on by itself, and what the server had stored
//! already is recognised.

use std::time::Duration;

use anyhow::Context as _;
use weft_log::admit::Admitted;
use weft_log::follow::Progress;
use weft_log::lock::LockError;
use weft_log::log::{Answer, Batch, BeginError, Durability, Hold, Indexing, Log, Options};
use weft_log::{Network, Store};
use weft_server::socket::answer::{Appended, Failure, Fate};
use weft_server::socket::client::{Client, ClientError};
use weft_server::socket::request::{Append, Sent};

use crate::output::{Shown, tell};
use crate::stores::{self, PATIENCE, StoreArgs, owner};

/// How long the server may take for an answer before it counts as gone.
const ANSWER_PATIENCE: Duration = Duration::from_secs(60);

/// How long another process may hold the store before it is said that it is waited for.
const FIRST_PATIENCE: Duration = Duration::from_secs(1);

/// The commands that hold a store for as long as its index takes to be made: `verify` with `--repair`, `scan` with `--redact`.
const REBUILDERS: [&str; 3] = ["weft index", "weft verify", "weft scan"];

/// A store that is written to.
pub(crate) struct Writing {
    store: Store,
    /// The way in, as records have it.
    via: &'static str,
    way: Way,
    /// Whether the store may be held. Where it is not, a server may have come since.
    is_open: bool,
}

enum Way {
    Server(Client),
    Folder(Log),
}

impl Writing {
    /// Opens a store for many events; makes it if there is none.
    pub(crate) fn open(
        args: &StoreArgs,
        via: &'static str,
        progress: &mut dyn FnMut(Progress),
    ) -> anyhow::Result<Self> {
        let store = stores::make(&args.folder()?, Network::Refuse)?;
        let way = open(&store, progress)?;
        Ok(Self { store, via, way, is_open: true })
    }

    /// Returns the store.
    pub(crate) fn store(&self) -> &Store {
        &self.store
    }

    /// Appends events, and returns what became of each once it is durable. `sent` gives them as they came.
    pub(crate) fn append<'a>(
        &mut self,
        events: Vec<Admitted>,
        sent: impl FnOnce() -> Vec<Sent<'a>>,
    ) -> anyhow::Result<Answer> {
        if !std::mem::replace(&mut self.is_open, true)
            && let Some(client) = server_of(&self.store)?
        {
            self.way = Way::Server(client);
        }
        if let Way::Server(client) = &mut self.way {
            let (patience, conditions) = (None, Vec::new());
            let (via, durability) = (self.via.into(), Durability::Synced);
            let append = Append { via, durability, patience, conditions, events: sent() };
            match through(client, &append) {
                Ok(appended) => return answer(appended),
                Err(error) if is_gone(&error) => {
                    let error = anyhow::Error::new(error);
                    let text = format!("{error:#}; going on without it");
                    tell(format_args!("note: {}", Shown(&text)));
                    self.way = Way::Folder(open_folder(&self.store, &mut |_| {})?);
                }
                Err(error) => return Err(error).context("cannot write to the store"),
            }
        }
        let Way::Folder(log) = &self.way else {
            unreachable!("the server has answered or is gone")
        };
        let batch = Batch { events, conditions: Vec::new(), durability: Durability::Synced };
        let answer = log.append(batch);
        self.is_open = answer.is_ok();
        stores::tell_findings(&log.take_findings());
        Ok(answer?)
    }

    /// Lets the store go until the next events come.
    pub(crate) fn close(&mut self) -> anyhow::Result<()> {
        match &self.way {
            Way::Folder(log) => {
                self.is_open = false;
                Ok(log.close()?)
            }
            Way::Server(_) => Ok(()),
        }
    }
}

fn open(store: &Store, progress: &mut dyn FnMut(Progress)) -> anyhow::Result<Way> {
    match server_of(store)? {
        Some(client) => Ok(Way::Server(client)),
        None => Ok(Way::Folder(open_folder(store, progress)?)),
    }
}

/// Returns the server that runs on a store.
fn server_of(store: &Store) -> anyhow::Result<Option<Client>> {
    let asked = Client::of_store(store.root(), ANSWER_PATIENCE).and_then(|mut client| {
        // The first answer tells whether it speaks our language.
        client.status()?;
        Ok(client)
    });
    match asked {
        Ok(client) => Ok(Some(client)),
        Err(error) if is_gone(&error) => Ok(None),
        Err(error) => Err(error).context("cannot write to the store"),
    }
}

fn open_folder(store: &Store, progress: &mut dyn FnMut(Progress)) -> anyhow::Result<Log> {
    let mut patience = FIRST_PATIENCE;
    let log = loop {
        let (hold, indexing) = (Hold::Long, Indexing::Meanwhile);
        let options = Options { owner: owner(), patience, hold, indexing };
        match Log::open(store.clone(), options, progress) {
            Err(BeginError::Lock(error)) if is_rebuilt(&error) => {
                if patience == FIRST_PATIENCE {
                    tell(format_args!("note: waiting for the index to be made: {error}"));
                }
            }
            Err(BeginError::Lock(LockError::Held { .. })) if patience == FIRST_PATIENCE => {}
            opened => {
                let unwritable = || format!("cannot write to the store {}", store.root().display());
                break opened.with_context(unwritable)?;
            }
        }
        patience = PATIENCE;
    };
    stores::tell_findings(&log.take_findings());
    Ok(log)
}

/// Returns whether a store is held by somebody who makes its index anew, which takes as long as it takes.
pub(crate) fn is_rebuilt(error: &LockError) -> bool {
    match error {
        LockError::Held { owner: Some(owner), .. } => REBUILDERS.contains(&owner.what.as_str()),
        LockError::Held { owner: None, .. } | LockError::Io { .. } => false,
    }
}

/// Appends through the server, for as long as that says that it can be done later.
fn through(client: &mut Client, append: &Append<'_>) -> Result<Appended, ClientError> {
    let mut has_told = false;
    loop {
        match client.append(append) {
            Err(ClientError::Failed(Failure::Later { message })) => {
                if !std::mem::replace(&mut has_told, true) {
                    tell(format_args!("note: waiting for the server: {}", Shown(&message)));
                }
            }
            other => return other,
        }
    }
}

/// Returns whether no server is there, or none any more.
pub(crate) fn is_gone(error: &ClientError) -> bool {
    match error {
        ClientError::NotRunning | ClientError::Io { .. } | ClientError::Closed { .. } => true,
        ClientError::Version { .. }
        | ClientError::Bad { .. }
        | ClientError::Frame(_)
        | ClientError::Failed(_) => false,
    }
}

fn answer(appended: Appended) -> anyhow::Result<Answer> {
    let Appended { fates, durability } = appended;
    let outcome = |fate| match fate {
        Fate::Kept { outcome, .. } => Ok(outcome),
        Fate::Refused { id, reasons } => {
            let why = reasons.first().map_or("", |reason| reason.message.as_str());
            anyhow::bail!(
                "the server refuses an event that this version takes ({why}); it is kept: weft rejects show {id}"
            )
        }
    };
    Ok(Answer { outcomes: fates.into_iter().map(outcome).collect::<Result<_, _>>()?, durability })
}
