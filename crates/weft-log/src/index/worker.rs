//! The thread that owns the writing connection. Others hand it work over a bounded queue and may wait for the answer.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

use rusqlite::Connection;

use super::IndexError;
use super::keeper::Keeper;
use super::row::Batch;

/// How many pieces of work may wait. Each holds a few hundred rows at most.
const QUEUE_MAX: usize = 4;

type Work = Box<dyn FnOnce(&mut Desk<'_>) + Send>;

/// Handle of the thread. Dropping it waits until the connection is closed.
pub(super) struct Worker {
    path: PathBuf,
    work: Option<SyncSender<Work>>,
    thread: Option<JoinHandle<()>>,
}

/// The keeper, and what went wrong in the transaction in hand: the rest of it is skipped, and its end tells of it.
struct Desk<'c> {
    keeper: Keeper<'c>,
    failure: Option<rusqlite::Error>,
}

impl Worker {
    /// Starts the thread. `close` is done to the connection last of all.
    pub(super) fn start(
        path: &Path,
        connection: Connection,
        close: impl FnOnce(Connection) + Send + 'static,
    ) -> Result<Self, IndexError> {
        let (work, queue) = sync_channel(QUEUE_MAX);
        let (ready, is_ready) = sync_channel(1);
        let thread = thread::Builder::new().name("weft-index".to_owned());
        let thread = thread.spawn(move || {
            serve(&connection, &ready, &queue);
            close(connection);
        });
        let thread = thread.map_err(|error| IndexError::io(path, error))?;
        let worker = Self { path: path.to_owned(), work: Some(work), thread: Some(thread) };
        let prepared = is_ready.recv().map_err(|_gone| worker.ended())?;
        prepared.map_err(|error| IndexError::sqlite(path, error))?;
        Ok(worker)
    }

    /// Hands in a step of a transaction; a failure shows at its end.
    pub(super) fn step(
        &self,
        step: impl FnOnce(&mut Keeper<'_>) -> rusqlite::Result<()> + Send + 'static,
    ) -> Result<(), IndexError> {
        self.send(Box::new(move |desk| {
            if desk.failure.is_none() {
                desk.failure = step(&mut desk.keeper).err();
            }
        }))
    }

    /// Hands in the rows of a transaction.
    pub(super) fn rows(&self, batch: Batch) -> Result<(), IndexError> {
        self.step(move |keeper| keeper.add(&batch))
    }

    /// Hands in the end of a transaction and waits. If any step failed, all are taken back.
    pub(super) fn end(
        &self,
        end: impl FnOnce(&mut Keeper<'_>) -> rusqlite::Result<()> + Send + 'static,
    ) -> Result<(), IndexError> {
        self.ask(move |desk| {
            let failure = desk.failure.take().or_else(|| end(&mut desk.keeper).err());
            let Some(failure) = failure else { return Ok(()) };
            desk.keeper.roll_back();
            Err(failure)
        })
    }

    /// Takes back every step of a transaction and waits.
    pub(super) fn abandon(&self) -> Result<(), IndexError> {
        self.ask(|desk| {
            desk.failure = None;
            desk.keeper.roll_back();
            Ok(())
        })
    }

    /// Hands in work that stands alone and waits for it.
    pub(super) fn run(
        &self,
        work: impl FnOnce(&mut Keeper<'_>) -> rusqlite::Result<()> + Send + 'static,
    ) -> Result<(), IndexError> {
        self.ask(move |desk| work(&mut desk.keeper))
    }

    fn ask(
        &self,
        work: impl FnOnce(&mut Desk<'_>) -> rusqlite::Result<()> + Send + 'static,
    ) -> Result<(), IndexError> {
        let (answer, answered) = sync_channel(1);
        self.send(Box::new(move |desk| {
            let result = work(desk);
            answer.send(result).expect("whoever asked waits for the answer");
        }))?;
        let result = answered.recv().map_err(|_gone| self.ended())?;
        result.map_err(|error| IndexError::sqlite(&self.path, error))
    }

    fn send(&self, work: Work) -> Result<(), IndexError> {
        let queue = self.work.as_ref().ok_or_else(|| self.ended())?;
        queue.send(work).map_err(|_gone| self.ended())
    }

    fn ended(&self) -> IndexError {
        IndexError::Ended { path: self.path.clone() }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        drop(self.work.take());
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was reported when it happened, and every call since then has said that it ended.
            drop(thread.join());
        }
    }
}

fn serve(
    connection: &Connection,
    ready: &SyncSender<rusqlite::Result<()>>,
    queue: &Receiver<Work>,
) {
    let (prepared, keeper) = match Keeper::new(connection) {
        Ok(keeper) => (Ok(()), Some(keeper)),
        Err(error) => (Err(error), None),
    };
    ready.send(prepared).expect("whoever started the thread waits for it");
    if let Some(keeper) = keeper {
        let mut desk = Desk { keeper, failure: None };
        queue.iter().for_each(|work| work(&mut desk));
    }
}
