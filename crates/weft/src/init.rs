//! `weft init`: makes a store, and says where it is and how to go on.

use std::fs;

use anyhow::Context as _;
use weft_event::json::Json;
use weft_log::disk::RealDisk;
use weft_log::log::Log;
use weft_log::{Head, Network, Store, reader};

use crate::Outcome;
use crate::output::{self, Shown};
use crate::stores::{self, PATIENCE, StoreArgs};

const EXAMPLES: &str = "\
Examples:
  weft init                         a store for this folder and those in it
  weft init --store ~/agents        a store somewhere else

Commands find the nearest .weft folder upward from where they run.
Exit codes: 0 there is a store, 2 none could be made.";

/// Keeps a store out of version control: it holds what agents were told and what they read.
const IGNORE: &str = "*\n";

/// Make a store for the events of this folder
///
/// Makes .weft in the current folder, unless --store or $WEFT_STORE says otherwise. A store that is there already stays as it is.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    store: StoreArgs,
    /// Make it on a network file system, where locks and syncs cannot be trusted
    #[arg(long)]
    force_network: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    let folder = args.store.new_folder();
    let network = if args.force_network { Network::Force } else { Network::Refuse };
    let store = stores::make(&folder, network)?;
    let root = store.root().display().to_string();
    let (head, is_new) = match reader::read_head(&RealDisk, store.root()) {
        Ok(head) => (head, false),
        Err(_) => (make(&store).with_context(|| format!("cannot make a store in {root}"))?, true),
    };
    let text = if args.json {
        let object = Json::object(|object| {
            object.text("store", &root);
            object.text("id", &head.store);
            object.json("created", &Json::bool(is_new));
        });
        format!("{}\n", object.as_str())
    } else {
        let done = if is_new { "made the store" } else { "there is a store already:" };
        let next = "next: weft ingest FILE|DIR reads events in, weft emit takes a single one";
        format!("{done} {}\nid: {}\n{next}\n", Shown(&root), head.store)
    };
    output::print(text.as_bytes())?;
    Ok(Outcome::Fine)
}

fn make(store: &Store) -> anyhow::Result<Head> {
    let log = Log::open(store.clone(), stores::briefly(PATIENCE), &mut |_| {})?;
    stores::tell_findings(&log.take_findings());
    log.close()?;
    let ignore = store.root().join(".gitignore");
    if !ignore.exists() {
        fs::write(&ignore, IGNORE).with_context(|| format!("cannot write {}", ignore.display()))?;
    }
    Ok(reader::read_head(&RealDisk, store.root())?)
}
