//! Who we are, when it is, and where: what issues are dated and signed with.

use std::env;
use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;
use rustix::time::{ClockId, clock_gettime};
use uuid::Uuid;
use weft_event::idle;
use weft_log::query::Records;
use weft_runtime::git::Git;
use weft_runtime::issues::{self, Boot, Moment};

use crate::times::now_ns;
use crate::topic;

/// What tells one start of the machine from another, on Linux.
const BOOT_ID: &str = "/proc/sys/kernel/random/boot_id";

/// Who does something to an issue.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct WhoArgs {
    /// Who you are [default: $WEFT_OWNER, else the name of the user]
    #[arg(long = "as", value_name = "OWNER")]
    owner: Option<String>,
}

impl WhoArgs {
    /// Returns the option as if it were not given.
    pub(crate) fn nobody() -> Self {
        Self { owner: None }
    }

    /// Returns who it is.
    pub(crate) fn owner(&self) -> String {
        let named = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
        let owner = self.owner.clone().or_else(|| named("WEFT_OWNER"));
        owner.or_else(|| named("USER")).unwrap_or_else(|| "somebody".to_owned())
    }
}

/// Returns an id that no other message has.
pub(crate) fn message_id() -> String {
    topic::new_id().0.to_string()
}

/// Returns an id for an instance that did not say which it is.
pub(crate) fn made_instance() -> String {
    Uuid::now_v7().to_string()
}

/// Returns random bits.
pub(crate) fn random_bits() -> u64 {
    let bytes = Uuid::now_v7().into_bytes();
    let bytes: [u8; 8] = bytes[8..].try_into().expect("there are eight left");
    u64::from_be_bytes(bytes)
}

/// Returns the moment that a store's issues are judged by.
pub(crate) fn moment(records: &mut Records) -> anyhow::Result<Moment> {
    let newest_ms = issues::newest_ms(records).context("cannot read the newest record")?;
    Ok(Moment { newest_ms, ..clock() })
}

/// Returns the moment by this machine alone.
pub(crate) fn clock() -> Moment {
    let boot = fs::read_to_string(BOOT_ID).ok().map(|id| {
        let since = clock_gettime(ClockId::Boottime);
        let since = Duration::new(since.tv_sec.unsigned_abs(), 0).as_millis()
            + u128::from(since.tv_nsec.unsigned_abs() / 1_000_000);
        Boot { id: id.trim().to_owned(), ms: u64::try_from(since).unwrap_or(u64::MAX) }
    });
    Moment { clock_ms: now_ns() / 1_000_000, newest_ms: None, boot }
}

/// Who sends a message, and where the repository stands that it is sent from.
#[derive(Clone, Debug)]
pub(crate) struct Signature {
    name: String,
    id: String,
    git: Option<weft_runtime::git::Standing>,
}

impl Signature {
    /// Returns that of an instance of an owner, in the current folder.
    pub(crate) fn of(owner: &str, instance: &str) -> Self {
        let git = Git::at(Path::new(".")).standing();
        Self { name: owner.to_owned(), id: instance.to_owned(), git }
    }

    /// Returns what a message says of it.
    pub(crate) fn context<'a>(&'a self, message_id: &'a str) -> issues::Context<'a> {
        let sender = idle::Sender {
            id: self.id.as_str().into(),
            name: self.name.as_str().into(),
            ..idle::Sender::default()
        };
        let git = self.git.as_ref().map(|git| idle::Git {
            oid: git.oid.as_str().into(),
            head: git.head.as_str().into(),
            dirty: git.is_dirty,
            prefix: git.prefix.as_str().into(),
            ..idle::Git::default()
        });
        issues::Context { id: message_id, sender: Some(sender), git }
    }
}
