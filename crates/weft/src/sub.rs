//! `weft sub`: subscriptions, made and changed in the log. A running server takes them up from there.

mod add;
mod show;

use anyhow::Context as _;
use weft_log::disk::RealDisk;
use weft_log::log::Log;
use weft_log::query::Records;
use weft_log::{Position, Store, reader};
use weft_server::subs::books::{self, Books, Fate};
use weft_server::subs::change::{self, Change, ChangeError, Which};
use weft_server::subs::definition::State;
use weft_server::subs::secrets;

use crate::Outcome;
use crate::output::{Format, plural, print, tell};
use crate::stores::{PATIENCE, StoreArgs, briefly, tell_findings};
use crate::times::{Clock, TimeArgs, now_ns};

const EXAMPLES: &str = "\
Examples:
  weft sub add alerts --filter 'level>=warn' --webhook https://example.com/hook
  weft sub add local --from start --command sh -c 'cat >> events.jsonl'
  weft sub add backend --otlp http://127.0.0.1:4318
  weft sub add worker --filter 'type:bead.*' --pull
  weft sub add archive --blobs --webhook https://example.com/all
  weft sub                         what there is, and how far each is
  weft sub show alerts             one of them
  weft sub replay alerts 1200      deliver again from position 1200 on
  weft sub dead alerts             what could not be delivered
  weft sub dead replay alerts --all

Events are delivered while `weft up` runs, at least once, in order within a session. What cannot be delivered waits in the log.
Exit codes: 0 it is done, 2 wrong use, or no such subscription.";

/// Make, list, pause, replay and remove subscriptions
///
/// A subscription is a named reader of the log: every event that matches its filter is posted to an address or an OTLP endpoint, given
/// to a command, or lent to whoever asks for it over HTTP. How far it is stands in the log.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    store: StoreArgs,
    /// Print JSON, one object a line
    #[arg(long, global = true)]
    json: bool,
}

/// What to do with subscriptions.
#[derive(clap::Subcommand)]
enum Action {
    /// Make one
    Add(Box<add::Args>),
    /// List all of them
    List,
    /// Show one
    Show {
        /// Its name
        name: String,
        #[command(flatten)]
        times: TimeArgs,
    },
    /// Stop delivering; what matches waits in the log
    Pause {
        /// Its name
        name: String,
    },
    /// Deliver again, from where it stopped
    Resume {
        /// Its name
        name: String,
    },
    /// Go back, or forward: the event at a position is the next
    Replay {
        /// Its name
        name: String,
        /// The position; `start` for the first event that is kept
        #[arg(value_name = "start|POSITION")]
        from: String,
    },
    /// Remove one
    Rm {
        /// Its name
        name: String,
    },
    /// List what could not be delivered, deliver it again, or drop it
    #[command(args_conflicts_with_subcommands = true)]
    Dead(DeadArgs),
}

#[derive(clap::Args)]
struct DeadArgs {
    #[command(subcommand)]
    action: Option<DeadAction>,
    /// The subscription
    #[arg(required = true)]
    name: Option<String>,
    #[command(flatten)]
    times: TimeArgs,
}

/// What to do with what could not be delivered.
#[derive(clap::Subcommand)]
enum DeadAction {
    /// List it
    List {
        /// The subscription
        name: String,
        #[command(flatten)]
        times: TimeArgs,
    },
    /// Deliver it again, out of its order
    Replay(DeadWhich),
    /// Take it off the list
    Drop(DeadWhich),
}

#[derive(clap::Args)]
struct DeadWhich {
    /// The subscription
    name: String,
    /// Positions of events on the list
    #[arg(value_name = "POSITION", required_unless_present = "all", conflicts_with = "all")]
    positions: Vec<u64>,
    /// All of them
    #[arg(long)]
    all: bool,
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    let format = if args.json { Format::Json } else { Format::Text };
    let (stores, action) = (&args.store, args.action.unwrap_or(Action::List));
    match action {
        Action::Add(add) => add::run(stores, *add, format)?,
        Action::List => print(show::list(&read(&stores.store()?)?, format).as_bytes())?,
        Action::Show { name, times } => {
            let books = read(&stores.store()?)?;
            let entry = books.get(&name).ok_or(ChangeError::Missing { name: name.clone() })?;
            print(show::one(&name, entry, format, &Clock::new(times)).as_bytes())?;
        }
        Action::Pause { name } => set_state(stores, &name, State::Paused { why: None })?,
        Action::Resume { name } => set_state(stores, &name, State::Active)?,
        Action::Replay { name, from } => replay(stores, &name, &from)?,
        Action::Rm { name } => {
            set_state(stores, &name, State::Removed)?;
            secrets::remove(&Store::open(&stores.folder()?)?, &name)?;
        }
        Action::Dead(DeadArgs { action, name, times }) => {
            let list = || name.map(|name| DeadAction::List { name, times });
            let action = action.or_else(list).context("name the subscription")?;
            dead(stores, action, format)?;
        }
    }
    Ok(Outcome::Fine)
}

fn set_state(stores: &StoreArgs, name: &str, state: State) -> anyhow::Result<()> {
    let word = match state {
        State::Active => "active",
        State::Paused { .. } => "paused",
        State::Removed => "removed",
    };
    change(stores, |books| change::set_state(books, name, state))?;
    tell(format_args!("{name} is {word}"));
    Ok(())
}

fn replay(stores: &StoreArgs, name: &str, from: &str) -> anyhow::Result<()> {
    let store = stores.store()?;
    let from = match from {
        "start" => reader::first_kept(RealDisk, store.root())?.map_or(1, Position::get),
        text => position(&store, text, "the position is a number from 1, or start")?,
    };
    change(stores, |books| change::replay(books, name, from).map(Some))?;
    tell(format_args!("{name} goes on from position {from}"));
    Ok(())
}

/// Reads the position of the event that is to be the next: one that is kept, or the first that will come. Beyond that the events
/// before it would be passed over as they come.
fn position(store: &Store, text: &str, wanted: &'static str) -> anyhow::Result<u64> {
    let position = text.parse().ok().filter(|position| *position > 0).context(wanted)?;
    let first = reader::first_kept(RealDisk, store.root())?.map_or(1, Position::get);
    anyhow::ensure!(position >= first, "position {position} was pruned: the log begins at {first}");
    let next = Records::open(store.clone())?.head().next.get();
    anyhow::ensure!(
        position <= next,
        "position {position} is beyond the end of the log: the next event is {next}"
    );
    Ok(position)
}

fn dead(stores: &StoreArgs, action: DeadAction, format: Format) -> anyhow::Result<()> {
    let (which, fate, done) = match action {
        DeadAction::List { name, times } => {
            let books = read(&stores.store()?)?;
            let entry = books.get(&name).ok_or(ChangeError::Missing { name })?;
            print(show::dead(entry, format, &Clock::new(times)).as_bytes())?;
            return Ok(());
        }
        DeadAction::Replay(which) => (which, Fate::Replayed, "delivered again"),
        DeadAction::Drop(which) => (which, Fate::Gone, "dropped"),
    };
    let DeadWhich { name, positions, all } = which;
    let which = if all { Which::All } else { Which::At(positions) };
    let mut n_changed = 0;
    change(stores, |books| {
        let change = change::set_fate(books, &name, &which, fate)?;
        n_changed = change.n_notes() as u64;
        Ok((n_changed > 0).then_some(change))
    })?;
    let verb = if n_changed == 1 { "is" } else { "are" };
    tell(format_args!("{} {verb} {done}", plural(n_changed, "event")));
    Ok(())
}

/// Reads what the log says of subscriptions.
fn read(store: &Store) -> anyhow::Result<Books> {
    Ok(books::read(&mut Records::open(store.clone())?)?)
}

/// Makes a change, if there is one to make.
fn change(
    stores: &StoreArgs,
    make: impl FnOnce(&Books) -> Result<Option<Change>, ChangeError>,
) -> anyhow::Result<()> {
    let store = stores.store()?;
    match make(&read(&store)?)? {
        Some(change) => write(&store, &change),
        None => Ok(()),
    }
}

fn write(store: &Store, change: &Change) -> anyhow::Result<()> {
    let cannot = || format!("cannot write to the store {}", store.root().display());
    let log = Log::open(store.clone(), briefly(PATIENCE), &mut |_| {}).with_context(cannot)?;
    tell_findings(&log.take_findings());
    log.append(change.batch(store, now_ns())?).with_context(cannot)?;
    log.close().with_context(cannot)
}
