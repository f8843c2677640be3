//! Making issues and changing them.

use std::fs;

use anyhow::Context as _;
use weft_runtime::git::Git;
use weft_runtime::issues::{
    self, Dep, DepKind, Draft, Edit, Issue, Moment, Priority, Status, is_id, make_id, prefix_of,
};
use weft_runtime::worktree;

use super::desk::Desk;
use super::show;
use super::who::{Signature, WhoArgs, random_bits};
use crate::Outcome;
use crate::output::{Format, print, tell};
use crate::stores::StoreArgs;

/// How many ids are made up before it is said that all are taken.
const IDS_MAX: u32 = 20;

/// Make an issue
#[derive(clap::Args)]
pub(super) struct NewArgs {
    /// What it is about, in a line
    title: String,
    /// What it is about; - reads standard input
    #[arg(
        short = 'm',
        short_alias = 'b',
        long = "message",
        visible_alias = "body",
        value_name = "TEXT"
    )]
    body: Option<String>,
    /// How much it matters: 1, the most, to 5
    #[arg(short, long, default_value = "2", value_parser = super::priority)]
    priority: Priority,
    /// A word that it is found by; may be given often
    #[arg(short, long = "tag", value_name = "TAG")]
    tags: Vec<String>,
    /// What it is to another: blocks:ID, relates:ID or parent:ID; may be given often
    #[arg(long = "dep", value_name = "KIND:ID", value_parser = dep_of)]
    deps: Vec<Dep>,
    /// Its id [default: the project's name, and six characters]
    #[arg(long, value_parser = id_of)]
    id: Option<String>,
    #[command(flatten)]
    who: WhoArgs,
}

/// Change an issue
#[derive(clap::Args)]
pub(super) struct EditArgs {
    /// Its id, or how that begins
    id: String,
    /// What it is about, in a line
    #[arg(long)]
    title: Option<String>,
    /// What it is about; - reads standard input
    #[arg(
        short = 'm',
        short_alias = 'b',
        long = "message",
        visible_alias = "body",
        value_name = "TEXT"
    )]
    body: Option<String>,
    /// How far it is: open, in_progress, paused, duplicate or closed
    #[arg(long, value_parser = super::status)]
    status: Option<Status>,
    /// How much it matters: 1, the most, to 5
    #[arg(short, long, value_parser = super::priority)]
    priority: Option<Priority>,
    /// A word that it is to be found by; may be given often
    #[arg(short = 't', long = "add-tag", value_name = "TAG")]
    tags_added: Vec<String>,
    /// A word that it is no longer to be found by; may be given often
    #[arg(long = "rm-tag", value_name = "TAG")]
    tags_removed: Vec<String>,
    #[command(flatten)]
    who: WhoArgs,
}

/// Close an issue
#[derive(clap::Args)]
pub(super) struct CloseArgs {
    /// Its id, or how that begins
    id: String,
    /// Why, such as the commit that did it
    #[arg(long)]
    reason: Option<String>,
    #[command(flatten)]
    who: WhoArgs,
}

/// Say what an issue is to another: it blocks it, relates to it, or is its parent
#[derive(clap::Args)]
pub(super) struct DepArgs {
    /// Its id, or how that begins
    id: String,
    /// What it is to the other: blocks, relates or parent
    #[arg(value_parser = kind_of)]
    kind: DepKind,
    /// The other's id, or how that begins
    other: String,
    /// It is not any more
    #[arg(long)]
    remove: bool,
    #[command(flatten)]
    who: WhoArgs,
}

fn dep_of(text: &str) -> Result<Dep, &'static str> {
    Dep::parse(text).ok_or("not blocks:ID, relates:ID or parent:ID")
}

fn kind_of(word: &str) -> Result<DepKind, &'static str> {
    DepKind::parse(word).ok_or("not one of blocks, relates and parent")
}

fn id_of(text: &str) -> Result<String, &'static str> {
    let id = text.to_owned();
    is_id(text)
        .then_some(id)
        .ok_or("an id is at most 64 letters, digits, dashes, dots and underscores")
}

pub(super) fn make(stores: &StoreArgs, args: NewArgs, format: Format) -> anyhow::Result<Outcome> {
    let title = args.title.trim().to_owned();
    anyhow::ensure!(!title.is_empty(), "an issue has a title");
    let (desk, owner) = (Desk::open(stores)?, args.who.owner());
    let signature = Signature::of(&owner, &owner);
    let body = body(args.body)?.unwrap_or_default();
    let view = desk.view()?;
    let mut deps = Vec::new();
    for dep in args.deps {
        let id = view.board.resolve(&dep.id)?.issue.id.clone();
        deps.push(Dep { id, ..dep });
    }
    let (priority, tags) = (args.priority, args.tags);
    let draft = |id: String| {
        let (title, body, tags, deps) = (title.clone(), body.clone(), tags.clone(), deps.clone());
        issues::draft(Draft { id, title, body, priority, tags, deps }, &view.now)
    };
    let prefix = project(&desk);
    for _ in 0..IDS_MAX {
        let id = args.id.clone().unwrap_or_else(|| make_id(&prefix, random_bits()));
        let issue = draft(id.clone());
        for dep in &issue.deps {
            refuse_ring(view.board.cycle_with(&id, dep))?;
        }
        if desk.create(&issue, &signature)? {
            match format {
                Format::Json => print(show::changed(&issue).as_bytes())?,
                Format::Text => print(format!("{id}\n").as_bytes())?,
            }
            return Ok(Outcome::Fine);
        }
        anyhow::ensure!(args.id.is_none(), "there is an issue {id} already: weft issue show {id}");
    }
    anyhow::bail!("{IDS_MAX} made-up ids were taken: name one with --id")
}

/// Returns what the ids of the project begin with: the name of the repository, else of the folder that the store is in.
fn project(desk: &Desk) -> String {
    let root = desk.store().root();
    let root = fs::canonicalize(root).unwrap_or_else(|_| root.to_owned());
    let beside = root.parent().unwrap_or(&root).to_owned();
    let project = worktree::root(&Git::at(&beside)).unwrap_or(beside);
    prefix_of(&project.file_name().unwrap_or_default().to_string_lossy())
}

fn body(given: Option<String>) -> anyhow::Result<Option<String>> {
    match given.as_deref() {
        Some("-") => {
            let text = std::io::read_to_string(std::io::stdin());
            Ok(Some(text.context("cannot read standard input")?.trim_end().to_owned()))
        }
        Some(_) | None => Ok(given),
    }
}

pub(super) fn edit(stores: &StoreArgs, args: EditArgs, format: Format) -> anyhow::Result<Outcome> {
    let edit = Edit {
        title: args.title,
        body: body(args.body)?,
        status: args.status,
        priority: args.priority,
        tags_added: args.tags_added,
        tags_removed: args.tags_removed,
    };
    anyhow::ensure!(edit != Edit::default(), "say what is to be different: weft issue edit --help");
    let change = |issue: &Issue, now: &Moment| issues::edit(issue, &edit, now);
    changed(stores, &args.id, &args.who, format, ("changed", &change))
}

pub(super) fn close(
    stores: &StoreArgs,
    args: &CloseArgs,
    format: Format,
) -> anyhow::Result<Outcome> {
    let change = |issue: &Issue, now: &Moment| issues::close(issue, args.reason.as_deref(), now);
    changed(stores, &args.id, &args.who, format, ("closed", &change))
}

/// A change, and the word for what an issue is then.
type Change<'a> = (&'static str, &'a dyn Fn(&Issue, &Moment) -> Option<Issue>);

fn changed(
    stores: &StoreArgs,
    id: &str,
    who: &WhoArgs,
    format: Format,
    (word, change): Change<'_>,
) -> anyhow::Result<Outcome> {
    let (desk, owner) = (Desk::open(stores)?, who.owner());
    let mut is_new = false;
    let make = &mut |issue: &Issue, now: &Moment| {
        let next = change(issue, now);
        is_new = next.is_some();
        Ok(next.into_iter().collect())
    };
    let issue = desk.change(id, &Signature::of(&owner, &owner), make)?;
    match format {
        Format::Json => print(show::changed(&issue).as_bytes())?,
        Format::Text if is_new => tell(format_args!("{} is {word}", issue.id)),
        Format::Text => tell(format_args!("{} was {word} already", issue.id)),
    }
    Ok(Outcome::Fine)
}

pub(super) fn dep(stores: &StoreArgs, args: &DepArgs, format: Format) -> anyhow::Result<Outcome> {
    let (desk, owner) = (Desk::open(stores)?, args.who.owner());
    let view = desk.view()?;
    let id = view.board.resolve(&args.id)?.issue.id.clone();
    // What was never here, or is no longer, can still be taken out.
    let other = match view.board.resolve(&args.other) {
        Ok(entry) => entry.issue.id.clone(),
        Err(_) if args.remove => args.other.clone(),
        Err(error) => return Err(error.into()),
    };
    let dep = Dep { kind: args.kind, id: other };
    let make = &mut |issue: &Issue, now: &Moment| {
        if args.remove {
            return Ok(issues::remove_dep(issue, &dep, now).into_iter().collect());
        }
        // Others may have said meanwhile what makes a ring of it.
        refuse_ring(desk.view()?.board.cycle_with(&issue.id, &dep))?;
        Ok(issues::add_dep(issue, &dep, now).into_iter().collect())
    };
    let issue = desk.change(&id, &Signature::of(&owner, &owner), make)?;
    match format {
        Format::Json => print(show::changed(&issue).as_bytes())?,
        Format::Text => {
            let not = if args.remove { "no longer " } else { "" };
            let word = match dep.kind {
                DepKind::Blocks => "blocks",
                DepKind::Relates => "relates to",
                DepKind::Parent => "is the parent of",
            };
            tell(format_args!("{id} {not}{word} {}", dep.id));
        }
    }
    Ok(Outcome::Fine)
}

fn refuse_ring(ring: Option<Vec<String>>) -> anyhow::Result<()> {
    match ring {
        Some(ring) => anyhow::bail!("it would wait for itself: {}", ring.join(" > ")),
        None => Ok(()),
    }
}
