//! `weft hooks`: tells agents to run `weft hook`, and says which of its hooks fired.

mod diff;
mod edit;
mod file;
mod place;
mod settings;
mod status;
mod wanted;

use anyhow::Context as _;

use crate::Outcome;
use crate::output::{Shown, print, tell};
use crate::stores::StoreArgs;
use crate::times::{Clock, TimeArgs};
use place::Place;

const EXAMPLES: &str = "\
Examples:
  weft hooks install --dry-run   show what would change in Claude Code's settings of this user
  weft hooks install             change it
  weft hooks install --project   for everybody who works on this project
  weft hooks install --codex     for Codex
  weft hooks status              which are installed where, and which fired lately
  weft hooks uninstall           take away what was added, and nothing else

Entries of others and the way the file is written stay as they are. What was there before each change is kept beside the \
file, with `.before-weft` added to its name. A file that cannot be read is left alone.
Exit codes: 0 all is well, 2 wrong use, or a file that cannot be read or written.";

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

/// Whether something is done, or only shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doing {
    Really,
    DryRun,
}

impl Doing {
    fn of(dry_run: bool) -> Self {
        if dry_run { Doing::DryRun } else { Doing::Really }
    }
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
        Action::Install { place, dry_run } => {
            let place = place.named().unwrap_or(Place::User);
            let installed = |text: Option<&str>| install(place, text, &args.store).map(Some);
            let is_changed = change(place, Doing::of(dry_run), installed)?;
            if is_changed && place == Place::Codex {
                tell(format_args!("Codex runs new hooks once you trust them: see /hooks in Codex"));
            }
        }
        Action::Uninstall { place, dry_run } => {
            let place = place.named().unwrap_or(Place::User);
            let uninstalled = |text: Option<&str>| match text {
                Some(text) => Ok(settings::uninstall(text)?),
                None => Ok(None),
            };
            change(place, Doing::of(dry_run), uninstalled)?;
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

fn install(place: Place, text: Option<&str>, store: &StoreArgs) -> anyhow::Result<String> {
    let store = match store.is_named() {
        true => Some(std::path::absolute(store.folder()?)?),
        false => None,
    };
    let store = match &store {
        Some(store) => Some(store.to_str().context("the store's path is not UTF-8")?),
        None => None,
    };
    let wanted = wanted::wanted(place.caller(), &place.program()?, store);
    Ok(settings::install(text, &wanted)?)
}

/// Changes the file of a place, and shows how; returns whether it is another now.
fn change(
    place: Place,
    doing: Doing,
    changed: impl FnOnce(Option<&str>) -> anyhow::Result<Option<String>>,
) -> anyhow::Result<bool> {
    let path = place.file()?;
    let shown = Shown(&path.display().to_string()).to_string();
    let before = file::read(&path)?;
    let after = changed(before.as_deref()).with_context(|| format!("{shown} is left as it is"))?;
    if before == after {
        print(format!("{shown}: nothing to change\n").as_bytes())?;
        return Ok(false);
    }
    let (old, new) = (before.as_deref().unwrap_or_default(), after.as_deref().unwrap_or_default());
    print(diff::unified(&shown, old, new).as_bytes())?;
    if doing == Doing::DryRun {
        return Ok(false);
    }
    let backup = file::replace(&path, before.as_deref(), after.as_deref())?;
    let done = if after.is_some() { "changed" } else { "removed" };
    match backup {
        Some(backup) => {
            let backup = backup.display().to_string();
            tell(format_args!("{done} {shown}; what was there is in {}", Shown(&backup)));
        }
        None => tell(format_args!("made {shown}")),
    }
    Ok(true)
}
