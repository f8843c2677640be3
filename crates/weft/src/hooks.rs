//! `weft hooks`: tells agents to run `weft hook`, and says which of its hooks fired.

mod commands;
mod place;
mod plugin;
mod settings;
mod status;
mod wanted;

use std::path::PathBuf;

use crate::Outcome;
use crate::output::{print, tell};
use crate::settings_file::{Doing, change, file, named_store};
use crate::stores::StoreArgs;
use crate::times::{Clock, TimeArgs};
use commands::Call;
use place::Place;
use wanted::Part;

const EXAMPLES: &str = "\
Examples:
  weft hooks install --dry-run   show what would change in Claude Code's settings of this user
  weft hooks install             change it
  weft hooks install --project   for everybody who works on this project
  weft hooks install --loops     and let Weft decide when agents stop, with /loop, /grind, /issue, /land and /cancel-loop
  weft hooks plugin weft-plugin  the same as a folder that is a plugin of Claude Code
  weft hooks install --codex     for Codex
  weft hooks status              which are installed where, and which fired lately
  weft hooks uninstall           take away what was added, and nothing else

Entries of others and the way the file is written stay as they are. What was there before each change is kept beside the \
file, with `.before-weft` added to its name. A file that cannot be read is left alone, and so is a slash command that somebody else \
wrote or changed.
Exit codes: 0 all is well, 2 wrong use, or a file that cannot be read or written, or is somebody else's.";

/// Tell agents to report to weft, and see whether they do
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
    #[command(flatten)]
    store: StoreArgs,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Add an entry for every hook of the agent
    Install {
        #[command(flatten)]
        place: PlaceArgs,
        /// Have Weft decide when agents stop, for loops, and add the slash commands that begin and end them: see `weft loop`
        #[arg(long, conflicts_with = "codex")]
        loops: bool,
        /// Show what would change, and change nothing
        #[arg(long)]
        dry_run: bool,
    },
    /// Take every entry away again
    Uninstall {
        #[command(flatten)]
        place: PlaceArgs,
        /// Show what would change, and change nothing
        #[arg(long)]
        dry_run: bool,
    },
    /// Write a folder that is a plugin of Claude Code: hooks for loops, and the slash commands
    Plugin {
        /// The folder; it is made if there is none
        #[arg(value_name = "DIR")]
        dir: PathBuf,
        /// Show what would change, and change nothing
        #[arg(long)]
        dry_run: bool,
    },
    /// Say which hooks are installed where, and which fired in the last seven days
    Status {
        #[command(flatten)]
        place: PlaceArgs,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        time: TimeArgs,
    },
}

/// Whose settings are meant.
#[derive(clap::Args, Clone, Copy)]
#[group(multiple = false)]
struct PlaceArgs {
    /// Claude Code's settings of this user; what counts if nothing is said
    #[arg(long)]
    user: bool,
    /// Claude Code's settings of this project, which a team shares
    #[arg(long)]
    project: bool,
    /// Claude Code's settings of this user in this project
    #[arg(long)]
    local: bool,
    /// Codex's hooks of this user
    #[arg(long)]
    codex: bool,
}

impl PlaceArgs {
    fn named(self) -> Option<Place> {
        let flags = [
            (self.user, Place::User),
            (self.project, Place::Project),
            (self.local, Place::Local),
            (self.codex, Place::Codex),
        ];
        flags.into_iter().find(|(is_named, _)| *is_named).map(|(_, place)| place)
    }
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    match args.action {
        Action::Install { place, loops, dry_run } => {
            let place = place.named().unwrap_or(Place::User);
            let part = if loops { Part::Loops } else { Part::Reports };
            let installed = |text: Option<&str>| install(place, part, text, &args.store).map(Some);
            let is_changed = change(&place.file()?, Doing::of(dry_run), installed)?;
            if is_changed && place == Place::Codex {
                tell(format_args!("Codex runs new hooks once you trust them: see /hooks in Codex"));
            }
            settle_commands(place, part, &args.store, Doing::of(dry_run))?;
        }
        Action::Uninstall { place, dry_run } => {
            let place = place.named().unwrap_or(Place::User);
            let uninstalled = |text: Option<&str>| match text {
                Some(text) => Ok(settings::uninstall(text)?),
                None => Ok(None),
            };
            change(&place.file()?, Doing::of(dry_run), uninstalled)?;
            settle_commands(place, Part::Reports, &args.store, Doing::of(dry_run))?;
        }
        Action::Plugin { dir, dry_run } => {
            // Whoever installs it has Weft in another place.
            let program = Place::Project.program()?;
            let call = Call { program, store: named_store(&args.store)? };
            plugin::write(&dir, &call, Doing::of(dry_run))?;
        }
        Action::Status { place, json, time } => {
            let places = place.named().map_or(Place::ALL.to_vec(), |place| vec![place]);
            let status = status::status(&places, &args.store)?;
            let text = if json { status.json() } else { status.text(&Clock::new(time)) };
            print(text.as_bytes())?;
        }
    }
    Ok(Outcome::Fine)
}

fn install(
    place: Place,
    part: Part,
    text: Option<&str>,
    store: &StoreArgs,
) -> anyhow::Result<String> {
    let store = named_store(store)?;
    let wanted = wanted::wanted(place.caller(), part, &place.program()?, store.as_deref());
    Ok(settings::install(text, &wanted)?)
}

/// Adds the slash commands, or takes them away where nothing drives their loops any more.
fn settle_commands(
    place: Place,
    part: Part,
    store: &StoreArgs,
    doing: Doing,
) -> anyhow::Result<()> {
    let Some(folder) = place.commands()? else { return Ok(()) };
    let files = match part {
        Part::Loops => {
            commands::files(&Call { program: place.called()?, store: named_store(store)? })
        }
        Part::Reports => {
            if let Some(beside) = place.beside()
                && let Some(text) = file::read(&beside.file()?)?
                // What cannot be read is not known to need them.
                && settings::part(&text).is_ok_and(|part| part == Part::Loops)
            {
                return Ok(());
            }
            Vec::new()
        }
    };
    commands::settle(&folder, &files, doing)
}
