//! Which store a command works on, and how it is opened.

use std::env;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use weft_log::lock::Owner;
use weft_log::log::{self, Hold, Indexing, Options};
use weft_log::recover::Finding;
use weft_log::{Network, Store, spool};
use weft_server::socket::client::Client;

use crate::config;
use crate::output::tell;

/// The folder that makes a project have a store of its own.
const FOLDER: &str = ".weft";

/// How long a command waits for another process to let go of the store.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// How long a command that reads waits for the server to bring the store in order.
const SETTLE_PATIENCE: Duration = Duration::from_secs(2);

/// The option that every command on a store has.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct StoreArgs {
    /// The store to use [default: $WEFT_STORE, else the nearest .weft folder upward, else the user's own]
    #[arg(long, value_name = "DIR", global = true)]
    store: Option<PathBuf>,
}

impl StoreArgs {
    /// Returns the option as if it were given.
    pub(crate) fn of(store: Option<PathBuf>) -> Self {
        Self { store }
    }

    /// Returns whether the option is given.
    pub(crate) fn is_named(&self) -> bool {
        self.store.is_some()
    }

    /// Returns the folder of the store, whether or not there is one.
    pub(crate) fn folder(&self) -> anyhow::Result<PathBuf> {
        if let Some(store) = &self.store {
            return Ok(store.clone());
        }
        if let Some(store) = env::var_os("WEFT_STORE").filter(|store| !store.is_empty()) {
            return Ok(store.into());
        }
        let here = env::current_dir().context("cannot tell the current folder")?;
        match nearest(&here) {
            Some(nearest) => Ok(nearest),
            None => users_own(),
        }
    }

    /// Returns the store, brought in order; an error if there is none.
    pub(crate) fn store(&self) -> anyhow::Result<Store> {
        let store = open(&self.folder()?)?;
        settle(&store)?;
        Ok(store)
    }

    /// Returns the store; makes its folder if there is none.
    pub(crate) fn make(&self) -> anyhow::Result<Store> {
        make(&self.folder()?, Network::Refuse)
    }

    /// Returns the folder that a store is made in: the one that is named, else `.weft` here.
    pub(crate) fn new_folder(&self) -> PathBuf {
        let named = || env::var_os("WEFT_STORE").filter(|store| !store.is_empty());
        self.store.clone().or_else(|| named().map(PathBuf::from)).unwrap_or_else(|| FOLDER.into())
    }
}

/// Returns the folder of the store that belongs to no project.
pub(crate) fn users_own() -> anyhow::Result<PathBuf> {
    let data = env::var_os("XDG_DATA_HOME").filter(|data| Path::new(data).is_absolute());
    let home = || env::var_os("HOME").map(|home| PathBuf::from(home).join(".local/share"));
    let data = data.map(PathBuf::from).or_else(home);
    let data = data.context("no store is named, and there is no home folder: use --store")?;
    Ok(data.join("weft"))
}

/// Brings a store in order before it is read, and tells what was found. Where a server has it, that one does.
pub(crate) fn settle(store: &Store) -> anyhow::Result<()> {
    tell_findings(&settle_unsaid(store)?);
    Ok(())
}

/// Does the same and tells nothing: whoever has the terminal says what there is to say.
pub(crate) fn settle_unsaid(store: &Store) -> anyhow::Result<Vec<Finding>> {
    if log::is_settled(store) {
        return Ok(Vec::new());
    }
    // Whatever is wrong with the server, the log can be read as it is.
    let settled = Client::of_store(store.root(), SETTLE_PATIENCE).and_then(|mut it| it.settle());
    if settled.is_ok() {
        return Ok(Vec::new());
    }
    log::settle(store, owner())
        .with_context(|| format!("cannot open the store {}", store.root().display()))
}

/// Moves what single commands left in the spool into the log, if nobody else is about to.
pub(crate) fn take_spool(store: &Store) -> anyhow::Result<()> {
    if spool::is_empty(store.root()) { Ok(()) } else { settle(store) }
}

/// Makes the folder of a store, unless it is there.
pub(crate) fn make(folder: &Path, network: Network) -> anyhow::Result<Store> {
    Ok(config::redacting(make_unset(folder, network)?))
}

/// Does the same, for whoever reads the settings itself.
pub(crate) fn make_unset(folder: &Path, network: Network) -> anyhow::Result<Store> {
    if folder.exists() && !folder.is_dir() {
        anyhow::bail!("{} is not a folder", folder.display());
    }
    Ok(Store::make(folder, network)?)
}

/// Returns the store in a folder as it is; an error if there is none.
pub(crate) fn open(folder: &Path) -> anyhow::Result<Store> {
    Ok(config::redacting(Store::open(folder)?))
}

/// Returns how a store is opened for a single event.
pub(crate) fn briefly(patience: Duration) -> Options {
    let (hold, indexing) = (Hold::Briefly, Indexing::Later);
    Options { owner: owner(), patience, hold, indexing }
}

/// Returns who we are, for others that wait for the store.
pub(crate) fn owner() -> Owner {
    let words = env::args().skip(1).find(|word| !word.starts_with('-'));
    Owner { pid: std::process::id(), what: format!("weft {}", words.unwrap_or_default()) }
}

/// Tells what was found when the store was opened.
pub(crate) fn tell_findings(findings: &[Finding]) {
    for finding in findings {
        tell(format_args!("note: {finding}"));
    }
}

/// Returns the nearest store upward from a folder.
fn nearest(from: &Path) -> Option<PathBuf> {
    from.ancestors().map(|folder| folder.join(FOLDER)).find(|store| store.is_dir())
}
