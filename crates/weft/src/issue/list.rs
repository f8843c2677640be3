//! Listing issues, and showing one: those of the store, or those that somebody else keeps.

use anyhow::Context as _;
use weft_runtime::issues::{self, Board, Entry, IssueFilter, Moment, Sourced, Status};

use super::desk::{Desk, View};
use super::show::{self, Talk};
use super::{source, who};
use crate::Outcome;
use crate::output::{Format, Shown, print, tell};
use crate::stores::StoreArgs;
use crate::times::{Clock, TimeArgs};

/// List issues: those that are not done, unless told otherwise
#[derive(clap::Args, Default)]
pub(super) struct ListArgs {
    /// Only those of this status; `all` for every one
    #[arg(long, value_name = "STATUS", value_parser = chosen)]
    status: Option<Chosen>,
    #[command(flatten)]
    filter: FilterArgs,
    #[command(flatten)]
    from: FromArgs,
}

/// List what can be begun: open, not claimed, not blocked; what matters most first
#[derive(clap::Args)]
pub(super) struct ReadyArgs {
    #[command(flatten)]
    filter: FilterArgs,
    #[command(flatten)]
    from: FromArgs,
}

/// Show one issue, what was said about it, and how it came to be so
#[derive(clap::Args)]
pub(super) struct ShowArgs {
    /// Its id, or how that begins
    id: String,
    #[command(flatten)]
    from: FromArgs,
    #[command(flatten)]
    times: TimeArgs,
}

#[derive(clap::Args, Default)]
pub(super) struct FilterArgs {
    /// Only those that match, such as `priority:1 tag:ui !owner:ada crash`; words are joined
    #[arg(value_name = "FILTER")]
    words: Vec<String>,
}

impl FilterArgs {
    /// Returns the filter as if these words were given.
    pub(super) fn of(words: &[String]) -> Self {
        Self { words: words.to_vec() }
    }

    pub(super) fn parse(&self) -> anyhow::Result<IssueFilter> {
        Ok(IssueFilter::parse(&self.words.join(" "))?)
    }
}

#[derive(clap::Args, Default)]
struct FromArgs {
    /// Read them from here, and not from the store: a .tissue or .beads folder, a file of theirs, or a command that prints JSON
    #[arg(long, value_name = "PATH|COMMAND")]
    from: Option<String>,
}

/// Which statuses are listed.
#[derive(Clone, Copy)]
enum Chosen {
    One(Status),
    All,
}

fn chosen(word: &str) -> Result<Chosen, &'static str> {
    match word {
        "all" => Ok(Chosen::All),
        word => super::status(word).map(Chosen::One),
    }
}

pub(super) fn list(stores: &StoreArgs, args: &ListArgs, format: Format) -> anyhow::Result<Outcome> {
    let filter = args.filter.parse()?;
    let (board, now, _) = read(stores, &args.from)?;
    let is_listed = |entry: &&Entry| match args.status {
        Some(Chosen::All) => true,
        Some(Chosen::One(status)) => entry.issue.status == status,
        None => filter.has_status() || entry.issue.status.is_active(),
    };
    let listed = board.entries().filter(is_listed).filter(|entry| filter.matches(&entry.issue));
    let mut listed: Vec<&Entry> = listed.collect();
    listed.sort_by_key(|entry| {
        let issue = &entry.issue;
        (issue.status, issue.priority, issue.created_at_ms, &issue.id)
    });
    print(show::list(&board, &listed, &now, format).as_bytes())?;
    for (id, position) in board.unreadable() {
        let id = Shown(id);
        tell(format_args!(
            "note: the newest snapshot of {id} cannot be read: weft show {position}"
        ));
    }
    Ok(Outcome::Fine)
}

pub(super) fn ready(
    stores: &StoreArgs,
    args: &ReadyArgs,
    format: Format,
) -> anyhow::Result<Outcome> {
    let filter = args.filter.parse()?;
    let (board, now, _) = read(stores, &args.from)?;
    let ready = board.ready(&now).into_iter().filter(|entry| filter.matches(&entry.issue));
    let ready: Vec<&Entry> = ready.collect();
    if ready.is_empty() && format == Format::Text {
        print(b"nothing is ready\n")?;
        return Ok(Outcome::Fine);
    }
    print(show::list(&board, &ready, &now, format).as_bytes())?;
    Ok(Outcome::Fine)
}

pub(super) fn show(stores: &StoreArgs, args: &ShowArgs, format: Format) -> anyhow::Result<Outcome> {
    let clock = Clock::new(args.times);
    let (board, now, from) = read(stores, &args.from)?;
    let entry = board.resolve(&args.id)?;
    let id = entry.issue.id.as_str();
    let text = match from {
        From::Store(mut view) => {
            let history = issues::history(&mut view.records, id);
            let history = history.context("cannot read what was said")?;
            show::one(&board, entry, &Talk::History(&history), &now, (format, &clock))
        }
        From::Elsewhere(sourced) => {
            let comments = sourced.comments.iter().filter(|comment| comment.issue_id == id);
            let talk = Talk::Comments(comments.collect());
            show::one(&board, entry, &talk, &now, (format, &clock))
        }
    };
    print(text.as_bytes())?;
    Ok(Outcome::Fine)
}

/// Where issues were read from.
enum From {
    Store(Box<View>),
    Elsewhere(Sourced),
}

fn read(stores: &StoreArgs, args: &FromArgs) -> anyhow::Result<(Board, Moment, From)> {
    match &args.from {
        Some(from) => {
            let mut sourced = source::read(from)?;
            let board = Board::of(std::mem::take(&mut sourced.issues));
            Ok((board, who::clock(), From::Elsewhere(sourced)))
        }
        None => {
            let mut view = Desk::open(stores)?.view()?;
            let board = std::mem::take(&mut view.board);
            Ok((board, view.now.clone(), From::Store(Box::new(view))))
        }
    }
}
