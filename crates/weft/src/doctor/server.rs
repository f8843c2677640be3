//! Who has the store, whether the server answers, its settings, and who else may read.

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt as _;
use std::time::Duration;

use weft_log::Store;
use weft_log::lock::read_owner;
use weft_server::address::Addresses;
use weft_server::socket::client::{Client, ClientError};
use weft_server::tail::Folder;

use super::{Check, access, notify};
use crate::{clients, config};

/// How long the server may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// Files that nobody else may read or write, if they are there.
const OWN_FILES: [&str; 5] =
    ["config.toml", "tokens.json", "server.json", "weft.sock", "notify.json"];

pub(super) fn look(store: &Store) -> Vec<Check> {
    let said = Addresses::read(store.root());
    let answer = Client::of_store(store.root(), PATIENCE).and_then(|mut client| client.status());
    let running = said.as_ref().filter(|_| answer.is_ok());
    let mut checks = vec![lock(store), server(said.as_ref(), answer.err())];
    match config::load(store, &[]) {
        Ok(config) => {
            checks.push(Check::fine("config", "every setting is right"));
            checks.extend(access::look(store, &config, running));
            checks.extend(folders(&config));
            checks.extend(notify::look(store, &config));
        }
        Err(error) => {
            let advice = "`weft config edit` opens the file";
            checks.push(Check::wrong("config", format!("{error:#}"), advice));
        }
    }
    checks.push(rights(store));
    checks
}

/// Looks whether the folders are there that the server follows.
fn folders(config: &config::Config) -> Vec<Check> {
    let folders = match clients::followed(config) {
        Ok(folders) => folders,
        Err(error) => return vec![Check::wrong("folder", format!("{error:#}"), "")],
    };
    let look = |folder: &Folder| {
        let path = folder.path.display();
        match folder.path.is_dir() {
            true => Check::fine("folder", format!("{path} is there")),
            false => {
                let advice =
                    "nothing is read from there until it is made; `weft config edit` takes it out";
                Check::wrong("folder", format!("{path} does not exist"), advice)
            }
        }
    };
    folders.iter().map(look).collect()
}

fn lock(store: &Store) -> Check {
    // Opened anew, so that the lock is given back at the end of this look.
    let is_held = File::open(store.root().join("lock")).is_ok_and(|lock| lock.try_lock().is_err());
    match (is_held, read_owner(store.root())) {
        (false, _) => Check::fine("lock", "nobody holds the store"),
        (true, Some(owner)) => {
            Check::fine("lock", format!("held by process {} ({})", owner.pid, owner.what))
        }
        (true, None) => Check::fine("lock", "held by another process"),
    }
}

fn server(said: Option<&Addresses>, silence: Option<ClientError>) -> Check {
    match silence {
        None => {
            let Some(said) = said else {
                return Check::fine("server", "it answers on its socket");
            };
            let http = said.urls().next().map(|url| format!(", {url}")).unwrap_or_default();
            let Addresses { pid, version, .. } = said;
            let text = format!("process {pid}, version {version}{http}");
            match version == env!("CARGO_PKG_VERSION") {
                true => Check::fine("server", text),
                false => Check::note("server", text, "restart it to run this version"),
            }
        }
        Some(ClientError::NotRunning) if said.is_some() => {
            let advice = "`weft up` starts one; what the last one left is replaced";
            Check::note("server", "it ended without cleaning up", advice)
        }
        Some(ClientError::NotRunning) => Check::fine("server", "none runs"),
        Some(error) => {
            let text = format!("{:#}", anyhow::Error::new(error));
            let advice = match said {
                Some(said) => format!("end process {} and start `weft up` again", said.pid),
                None => "see who holds the store, and start `weft up` again".to_owned(),
            };
            Check::wrong("server", text, advice)
        }
    }
}

fn rights(store: &Store) -> Check {
    let root = store.root();
    let about = match fs::metadata(root) {
        Ok(about) => about,
        Err(error) => return Check::wrong("rights", error.to_string(), "see to its folder"),
    };
    if about.uid() != rustix::process::getuid().as_raw() {
        let text = format!("the store belongs to user {}", about.uid());
        return Check::wrong("rights", text, "use it as that user, or change its owner");
    }
    let is_open = |mode: u32| mode & 0o077 != 0;
    if is_open(about.mode()) {
        let text = format!("other users may look into the store (mode {:o})", about.mode() & 0o777);
        return Check::wrong("rights", text, format!("chmod 700 {}", root.display()));
    }
    let open = OWN_FILES
        .iter()
        .map(|name| root.join(name))
        .find(|path| fs::symlink_metadata(path).is_ok_and(|about| is_open(about.mode())));
    match open {
        Some(path) => {
            let text = format!("other users may read {}", path.display());
            Check::wrong("rights", text, format!("chmod 600 {}", path.display()))
        }
        None => Check::fine("rights", "the store is its owner's alone"),
    }
}
