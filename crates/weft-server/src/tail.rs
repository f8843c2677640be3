//! Reading files into the log while the server runs: folders of events, and those in which agents record their sessions.
//!
//! One thread reads and judges (`reading`), one task stores what it gives (`storing`). How far every file was read is noted in
//! the store once that is durable, so that a restart goes on there.

pub mod judge;
mod reading;
mod state;
mod storing;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::sync_channel;
use std::thread;

use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use weft_event::event::Expect;
use weft_log::admit::Strictness;
use weft_log::source::{First, Form, Input, LOOK_INTERVAL, Mode, Options, Pick, Sources, Start};

use crate::Core;
use crate::writer::chain;
use judge::Rules;

pub use state::{FolderStatus, TailState, TailStatus};

/// The way in of events from files, as records and refusals have it.
pub const VIA: &str = "folder";

/// Batches that wait to be stored, so that the next one is judged meanwhile.
const WAITING_MAX: usize = 1;

/// Batches that are durable and not noted yet; more than can be on their way.
const SETTLED_MAX: usize = WAITING_MAX + 8;

/// A folder that is followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folder {
    /// Where it is, or will be.
    pub path: PathBuf,
    /// What its files have.
    pub form: Form,
}

/// The reading of folders, while it runs.
pub(crate) struct Tail {
    core: Core,
    reading: thread::JoinHandle<()>,
    storing: JoinHandle<()>,
    stopper: weft_log::source::Stopper,
}

/// Starts to read folders; `None` if there are none, or if it cannot be done, which is told.
pub(crate) fn start(core: &Core, folders: Vec<Folder>) -> Option<Tail> {
    if folders.is_empty() {
        return None;
    }
    let inputs = folders
        .iter()
        .map(|Folder { path, form }| Input::Folder { path: path.clone(), form: *form });
    let options = Options {
        store: core.store().root().to_owned(),
        mode: Mode::Follow { look_interval: LOOK_INTERVAL },
        start: Start::Checkpoint,
        pick: Pick { first: First::Newest, changed_since: None },
        stop: Arc::new(AtomicBool::new(false)),
    };
    let sources = match Sources::new(inputs.collect(), options) {
        Ok(sources) => sources,
        Err(error) => {
            let error = chain(&error);
            tracing::error!("no folder is followed: {error}");
            core.tail().fail(error);
            return None;
        }
    };
    let rules = Rules { expect: Expect::Any, strictness: Strictness::Lenient, via: VIA };
    let stopper = sources.stopper();
    let (jobs, to_store) = mpsc::channel(WAITING_MAX);
    let (settled, to_settle) = sync_channel(SETTLED_MAX);
    let (state, store) = (core.tail().clone(), core.store().clone());
    let thread = thread::Builder::new().name("weft-tail".to_owned());
    let reading =
        thread.spawn(move || reading::read(sources, (rules, &store), jobs, &to_settle, &state));
    let reading = match reading {
        Ok(reading) => reading,
        Err(error) => {
            tracing::error!("no folder is followed: {error}");
            core.tail().fail(error.to_string());
            return None;
        }
    };
    let storing = tokio::spawn(storing::store(core.clone(), rules, to_store, settled));
    Some(Tail { core: core.clone(), reading, storing, stopper })
}

impl Tail {
    /// Waits for the end of the server, and then until it is noted how far every file was read.
    pub(crate) async fn join(self) {
        let Self { core, reading, storing, stopper } = self;
        core.ended().await;
        stopper.stop();
        if let Err(error) = storing.await
            && error.is_panic()
        {
            std::panic::resume_unwind(error.into_panic());
        }
        let joined = tokio::task::spawn_blocking(move || reading.join()).await;
        if let Ok(Err(panic)) = joined {
            std::panic::resume_unwind(panic);
        }
    }
}
