//! `weft mcp`: agents write to the log and read it with tools of their own, over the Model Context Protocol.

mod claude;
mod codex;
mod entry;
mod place;
mod shelf;
mod status;

use std::env;
use std::io::{self, IsTerminal as _};

use anyhow::Context as _;
use weft_server::mcp::{Client, serve_stdio};

use crate::Outcome;
use crate::output::{print, tell};
use crate::settings_file::{Doing, change, named_store};
use crate::stores::StoreArgs;
use place::Place;
use shelf::CommandShelf;

const EXAMPLES: &str = "\
Examples:
  weft mcp install --dry-run   show what would change in Claude Code's servers of this user
  weft mcp install             change it
  weft mcp install --project   for everybody who works on this project
  weft mcp install --codex     for Codex
  weft mcp status              where it is installed
  weft mcp uninstall           take away what was added, and nothing else
  weft mcp                     serve one client on standard input and output; clients do this

It goes through the server that runs on the store, or works on the store alone where none does. docs/mcp.md has the tools.
Exit codes: 0 all is well, 2 wrong use, or a file that cannot be read or written.";

/// Let agents write and read events with tools of their own
///
/// Without a subcommand it serves one client on standard input and output, over the Model Context Protocol.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    store: StoreArgs,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Tell a client to start it
    Install {
        #[command(flatten)]
        place: PlaceArgs,
        /// Show what would change, and change nothing
        #[arg(long)]
        dry_run: bool,
    },
    /// Take the entry away again
    Uninstall {
        #[command(flatten)]
        place: PlaceArgs,
        /// Show what would change, and change nothing
        #[arg(long)]
        dry_run: bool,
    },
    /// Say where it is installed
    Status {
        #[command(flatten)]
        place: PlaceArgs,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
}

/// Whose servers are meant.
#[derive(clap::Args, Clone, Copy)]
#[group(multiple = false)]
struct PlaceArgs {
    /// Claude Code's servers of this user; what counts if nothing is said
    #[arg(long)]
    user: bool,
    /// Claude Code's servers of this project, which a team shares
    #[arg(long)]
    project: bool,
    /// Codex's servers of this user
    #[arg(long)]
    codex: bool,
}

impl PlaceArgs {
    fn named(self) -> Option<Place> {
        let flags =
            [(self.user, Place::User), (self.project, Place::Project), (self.codex, Place::Codex)];
        flags.into_iter().find(|(is_named, _)| *is_named).map(|(_, place)| place)
    }
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    match args.action {
        None => serve(args.store)?,
        Some(Action::Install { place, dry_run }) => {
            let place = place.named().unwrap_or(Place::User);
            let wanted = place.wanted(named_store(&args.store)?.as_deref())?;
            let installed = |text: Option<&str>| place.install(text, &wanted).map(Some);
            change(&place.file()?, Doing::of(dry_run), installed)?;
        }
        Some(Action::Uninstall { place, dry_run }) => {
            let place = place.named().unwrap_or(Place::User);
            let uninstalled = |text: Option<&str>| match text {
                Some(text) => place.uninstall(text),
                None => Ok(None),
            };
            change(&place.file()?, Doing::of(dry_run), uninstalled)?;
        }
        Some(Action::Status { place, json }) => {
            let places = place.named().map_or(Place::ALL.to_vec(), |place| vec![place]);
            let looks: Vec<_> =
                places.into_iter().map(status::look).collect::<anyhow::Result<_>>()?;
            let text = if json { status::json(&looks) } else { status::text(&looks) };
            print(text.as_bytes())?;
        }
    }
    Ok(Outcome::Fine)
}

fn serve(store: StoreArgs) -> anyhow::Result<()> {
    if io::stdin().is_terminal() {
        tell(format_args!(
            "note: this is for clients, which start it and speak the Model Context Protocol: see `weft mcp install`"
        ));
    }
    let session = env::var("CLAUDE_CODE_SESSION_ID").ok().filter(|session| !session.is_empty());
    let client = Client { session, folder: env::current_dir().ok() };
    serve_stdio(CommandShelf { store }, client).context("serving on standard input and output")
}
