//! Keeps what runs in step with the log: a subscription that is made there starts, one that is paused or removed ends.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::{JoinError, JoinHandle, JoinSet};
use weft_log::{Filter, Position};

use super::books::{self, Acknowledged, Entry};
use super::definition::{Definition, Kind, State};
use super::desk::{Running, Status};
use super::otlp::{Endpoint, EndpointError};
use super::outcome::chain;
use super::secrets;
use super::webhook::Webhook;
use super::worker::{Push, Reins, Way, Worker};
use crate::Core;
use crate::feed::{Chunk, Cursor};

/// How long to wait before a log that cannot be read is read again.
const TRY_AGAIN: Duration = Duration::from_secs(1);

/// A worker, seen from its keeper.
struct Kept {
    task: JoinHandle<(Definition, Acknowledged)>,
    /// Where the definition stands that it works by.
    position: Position,
    /// Ends it when dropped.
    stop: oneshot::Sender<()>,
    ticks: watch::Sender<u64>,
}

/// Why a subscription does not run.
#[derive(Debug, thiserror::Error)]
enum StartError {
    #[error(transparent)]
    Definition(#[from] super::definition::DefinitionError),
    #[error(transparent)]
    Endpoint(#[from] EndpointError),
    #[error(transparent)]
    Secret(#[from] secrets::SecretError),
    #[error(transparent)]
    Connect(#[from] super::post::ConnectError),
    #[error("the address is not one")]
    Url(#[from] hyper::http::uri::InvalidUri),
}

/// What is kept: the workers that run, and those that end.
struct Keeper {
    core: Core,
    workers: HashMap<String, Kept>,
    /// One that is being ended waits for what it has under way. It holds up what comes for its own name, and nothing else.
    ending: JoinSet<Ended>,
}

/// A worker that has ended: its name, what it worked by, and how far it came.
type Ended = (String, Definition, Acknowledged);

/// Runs the subscriptions of a server until it ends.
pub(super) async fn keep(core: Core) {
    let Some(upto) = until_end(&core, read_books(&core)).await else { return };
    let mut keeper = Keeper { core: core.clone(), workers: HashMap::new(), ending: JoinSet::new() };
    let names =
        core.desk().look(|books| books.entries().map(|(name, _)| name.to_owned()).collect());
    keeper.reconcile(names).await;
    core.desk().kept(upto);
    let mut cursor = core.feed().cursor(Position::FIRST.plus(upto));
    loop {
        tokio::select! {
            () = core.ended() => break,
            Some(ended) = keeper.ending.join_next() => keeper.ended(ended).await,
            chunk = next(&mut cursor) => {
                let Some(chunk) = chunk else { break };
                let touched = core.desk().keep(|books| {
                    let apply = |live: &Arc<crate::feed::Live>| books.apply(&live.meta, &live.line);
                    chunk.records.iter().filter_map(apply).collect()
                });
                keeper.reconcile(touched).await;
                core.desk().kept(cursor.next().get() - 1);
            }
        }
    }
    keeper.finish().await;
}

/// Waits for something, but not beyond the end of the server.
async fn until_end<T>(core: &Core, work: impl Future<Output = T>) -> Option<T> {
    tokio::select! {
        () = core.ended() => None,
        done = work => Some(done),
    }
}

/// Returns what comes next in the log; `None` when nothing can.
async fn next(cursor: &mut Cursor) -> Option<Chunk> {
    while cursor.ready().await {
        match cursor.read().await {
            Ok(chunk) => return Some(chunk),
            Err(error) => {
                tracing::warn!("cannot follow the subscriptions: {error}");
                tokio::time::sleep(TRY_AGAIN).await;
            }
        }
    }
    None
}

/// Reads what the log says of subscriptions; returns up to where.
async fn read_books(core: &Core) -> u64 {
    loop {
        let read = core.reads().read(|records| {
            let upto = records.head().next.get() - 1;
            Ok((books::read(records)?, upto))
        });
        match read.await {
            Ok((read, upto)) => {
                core.desk().keep(|books| *books = read);
                return upto;
            }
            Err(error) => {
                tracing::warn!("cannot read the subscriptions: {error}");
                tokio::time::sleep(TRY_AGAIN).await;
            }
        }
    }
}

impl Keeper {
    /// Makes what runs be what the books say. What is said of one that is being ended waits until it has.
    async fn reconcile(&mut self, names: BTreeSet<String>) {
        for name in names {
            if self.core.desk().is_ending(&name) {
                continue;
            }
            let entry = |books: &books::Books| books.get(&name).map(|entry| entry.position);
            let position = self.core.desk().look(entry);
            match self.workers.remove(&name) {
                Some(kept) if Some(kept.position) == position => {
                    kept.ticks.send_modify(|tick| *tick += 1);
                    self.workers.insert(name, kept);
                }
                Some(kept) => self.end(name, kept),
                None => self.start(name).await,
            }
        }
    }

    /// Starts what the books say of a name, if it is to run.
    async fn start(&mut self, name: String) {
        let desk = self.core.desk();
        desk.take(&name);
        let Some(entry) = desk.look(|books| books.get(&name).cloned()) else { return };
        match start(&self.core, &name, &entry).await {
            Ok(Some(kept)) => drop(self.workers.insert(name, kept)),
            Ok(None) => {}
            Err(error) => {
                let error = chain(&error);
                tracing::warn!("the subscription {name} does not run: {error}");
                let status = Status { error: Some(error), ..Status::default() };
                let status = watch::Sender::new(status).subscribe();
                desk.put(&name, Running { status, pull: None });
            }
        }
    }

    /// Tells a worker to end, and does not wait for it.
    fn end(&mut self, name: String, kept: Kept) {
        self.core.desk().begin_end(&name);
        let Kept { task, stop, .. } = kept;
        drop(stop);
        self.ending.spawn(async move {
            let ended = task.await;
            let (definition, written) =
                ended.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()));
            (name, definition, written)
        });
    }

    /// Goes on with the name of a worker that has ended.
    async fn ended(&mut self, ended: Result<Ended, JoinError>) {
        let (name, definition, written) =
            ended.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()));
        // The log says so too; the next worker does not wait until that is read.
        self.core.desk().keep(|books| books.note_progress(&definition, written));
        self.start(name.clone()).await;
        self.core.desk().ended(&name);
    }

    /// Ends all workers, and waits for them.
    async fn finish(mut self) {
        for (name, kept) in std::mem::take(&mut self.workers) {
            self.end(name, kept);
        }
        while let Some(ended) = self.ending.join_next().await {
            drop(ended.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic())));
        }
    }
}

/// Starts a worker; `None` if the subscription is not to run.
async fn start(core: &Core, name: &str, entry: &Entry) -> Result<Option<Kept>, StartError> {
    let definition = entry.definition.clone()?;
    match definition.state {
        State::Active => {}
        State::Paused { .. } | State::Removed => return Ok(None),
    }
    let filter: Filter = definition.filter()?;
    let (way, pull, pulls) = open(core, &definition).await?;
    let (stop, stopped) = oneshot::channel();
    let (ticks, ticked) = watch::channel(0);
    let (status, shown) = watch::channel(Status::default());
    core.desk().put(name, Running { status: shown, pull });
    let reins = Reins { stop: stopped, ticks: ticked, pulls, status };
    let worker = Worker::new(core, definition, entry, way);
    let task = tokio::spawn(worker.run(filter, reins));
    Ok(Some(Kept { task, position: entry.position, stop, ticks }))
}

type Opened =
    (Way, Option<mpsc::Sender<super::pull::Request>>, mpsc::Receiver<super::pull::Request>);

/// Makes the way ready that events go.
async fn open(core: &Core, definition: &Definition) -> Result<Opened, StartError> {
    let (ask, asked) = mpsc::channel(core.limits().subscriptions.pulls_max);
    match &definition.kind {
        Kind::Pull => Ok((Way::Pull, Some(ask), asked)),
        Kind::Command { argv } => Ok((Way::Push(Push::Command(argv.clone().into())), None, asked)),
        Kind::Otlp { url } => {
            let (url, timeout) = (url.clone(), definition.retry.timeout);
            let endpoint = tokio::task::spawn_blocking(move || Endpoint::new(&url, timeout));
            let endpoint = endpoint
                .await
                .unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))?;
            Ok((Way::Push(Push::Otlp(Arc::new(endpoint))), None, asked))
        }
        Kind::Webhook { url, secret } => {
            let uri = url.parse()?;
            let (store, name) = (core.store().clone(), definition.name.clone());
            let (secret, timeout) = (secret.clone(), definition.retry.timeout);
            let webhook = tokio::task::spawn_blocking(move || {
                let secret = secrets::read(&store, &name, &secret)?;
                Ok::<_, StartError>(Webhook::new(uri, secret, timeout)?)
            });
            let webhook = webhook
                .await
                .unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))?;
            Ok((Way::Push(Push::Webhook(Arc::new(webhook))), None, asked))
        }
    }
}
