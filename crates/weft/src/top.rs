//! `weft top`: the terminal screen of the store.

mod source;

use std::env;
use std::io::{self, IsTerminal as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context as _;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use weft_log::Store;
use weft_server::notify::Bell;
use weft_tui::{Ring, Settings, Theme, Zone};

use crate::stores::{self, StoreArgs};
use crate::{Outcome, config, signals};
use source::StoreSource;

const EXAMPLES: &str = "\
Examples:
  weft top                   who is there, who needs me, what happens
  weft top status=error      the log begins with this filter
  weft top --theme none      without colours, as with NO_COLOR

Keys: ? shows them all, q leaves.
Exit codes: 0 it was left, 2 wrong use or an unreadable store.";

/// Watch the agents on a screen
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The filter of the log to begin with; words are joined, docs/filter.md has the language
    #[arg(value_name = "FILTER")]
    filter: Vec<String>,
    #[command(flatten)]
    store: StoreArgs,
    /// The colours: safe for the colour-blind, the terminal's 16, or none [default: by the terminal and NO_COLOR]
    #[arg(long, value_name = "THEME", value_parser = ["safe", "16", "none"])]
    theme: Option<String>,
    /// Show times in UTC instead of local time
    #[arg(long)]
    utc: bool,
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    anyhow::ensure!(
        io::stdin().is_terminal() && io::stdout().is_terminal(),
        "this needs a terminal: `weft log` and `weft tail` print what there is"
    );
    let folder = args.store.folder()?;
    let store = stores::open(&folder)?;
    let stop = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&stop);
    signals::on_stop(move || asked.store(true, Ordering::Relaxed))
        .and_then(|()| signals::end_with_the_terminal())
        .context("cannot listen for signals")?;
    let named = args.theme.as_deref().and_then(Theme::parse);
    let settings = Settings {
        theme: named.unwrap_or_else(terminal_theme),
        zone: if args.utc { Zone::default() } else { local_zone() },
        title: folder.display().to_string(),
        filter: args.filter.join(" "),
        judgement: config::judgement(&store),
    };
    weft_tui::run(settings, ring(&store), move || StoreSource::new(store), &stop)?;
    Ok(Outcome::Fine)
}

/// Returns what says when to ring, if a rule of the store asks for it.
fn ring(store: &Store) -> Option<Ring> {
    let mut bell = Bell::new(&config::notify(store), TimeZone::system());
    if !bell.is_set() {
        return None;
    }
    Some(Box::new(move |needs, now_ns| bell.is_due(needs, now_ns)))
}

/// Returns the colours that the terminal is known to have and its user wants.
fn terminal_theme() -> Theme {
    let named = |name: &str| env::var(name).unwrap_or_default();
    if !named("NO_COLOR").is_empty() || named("TERM") == "dumb" {
        Theme::Plain
    } else if named("TERM").contains("256") || !named("COLORTERM").is_empty() {
        Theme::Safe
    } else {
        Theme::Sixteen
    }
}

fn local_zone() -> Zone {
    Zone { offset_s: TimeZone::system().to_offset(Timestamp::now()).seconds() }
}
