//! The slash commands that call Weft, as Claude Code reads them: a file of Markdown for each.
//!
//! A file of ours bears a digest of itself. One that was changed, or that is somebody else's, is never written over nor removed.

use std::fs;
use std::io;
use std::path::Path;

use anyhow::Context as _;
use weft_event::digest_parts;

use super::wanted::quoted;
use crate::output::{Shown, print, tell};
use crate::settings_file::{Doing, change_own};

/// What stands before and after the digest, in the line that a file of ours is known by.
const MARK: (&str, &str) =
    ("# Written by `weft hooks` (", "); once it is changed, it is left alone.");

/// How Weft is called.
#[derive(Clone, Debug)]
pub(super) struct Call {
    /// The program.
    pub(super) program: String,
    /// The store that is named, if one is.
    pub(super) store: Option<String>,
}

/// A file that is to be there, by its name.
#[derive(Debug)]
pub(super) struct File {
    pub(super) name: String,
    pub(super) text: String,
}

/// What is where a file is to be.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// Nothing.
    Nothing,
    /// A file of ours, as we wrote it.
    Ours(String),
    /// A file of ours that somebody changed.
    Changed,
    /// Something else.
    Foreign,
}

/// A command: its name, what it is for, what it takes, and the commands of Weft that it runs.
struct Command {
    name: &'static str,
    about: &'static str,
    takes: &'static str,
    runs: &'static [&'static str],
    body: &'static str,
}

const COMMANDS: [Command; 5] = [
    Command {
        name: "loop",
        about: "Work on a task until it is done; Weft decides when to stop",
        takes: "[--max N] [--until COMMAND] TASK",
        runs: &["loop"],
        body: include_str!("commands/loop.md"),
    },
    Command {
        name: "grind",
        about: "Work through the issues that are ready, one after the other",
        takes: "[--max N] [--until COMMAND] [FILTER]",
        runs: &["grind", "issue", "land", "loop"],
        body: include_str!("commands/grind.md"),
    },
    Command {
        name: "issue",
        about: "Work on one issue in a work tree of its own",
        takes: "ID [--max N] [--until COMMAND]",
        runs: &["issue", "land", "loop"],
        body: include_str!("commands/issue.md"),
    },
    Command {
        name: "land",
        about: "Bring the work of an issue to its base",
        takes: "ID [--rebase] [--verify COMMAND] [--close]",
        runs: &["land", "worktree"],
        body: include_str!("commands/land.md"),
    },
    Command {
        name: "cancel-loop",
        about: "End the loop of this session",
        takes: "",
        runs: &["loop"],
        body: include_str!("commands/cancel-loop.md"),
    },
];

/// Returns the files of all commands.
pub(super) fn files(call: &Call) -> Vec<File> {
    let file = |command: &Command| File { name: file_name(command), text: text(command, call) };
    COMMANDS.iter().map(file).collect()
}

/// Returns how many files of ours a folder has, and how many there are.
pub(super) fn count(folder: &Path) -> anyhow::Result<(usize, usize)> {
    let mut n_ours = 0;
    for command in &COMMANDS {
        if let Found::Ours(_) = look(&folder.join(file_name(command)))? {
            n_ours += 1;
        }
    }
    Ok((n_ours, COMMANDS.len()))
}

/// Has a folder hold these files of ours and no others of ours, and shows what changes.
pub(super) fn settle(folder: &Path, wanted: &[File], doing: Doing) -> anyhow::Result<()> {
    let mut is_changed = false;
    for command in &COMMANDS {
        let (name, word) = (file_name(command), command.name);
        let path = folder.join(&name);
        let after = wanted.iter().find(|file| file.name == name).map(|file| file.text.as_str());
        let before = match look(&path)? {
            Found::Nothing => None,
            Found::Ours(text) => Some(text),
            found @ (Found::Changed | Found::Foreign) => {
                let shown = path.display().to_string();
                let shown = Shown(&shown);
                match (found, after) {
                    (Found::Changed, _) => {
                        tell(format_args!("note: {shown} was changed by hand, and stays as it is"));
                    }
                    (_, Some(_)) => tell(format_args!(
                        "note: {shown} is not Weft's, and stays as it is: /{word} does what it says"
                    )),
                    (_, None) => {}
                }
                continue;
            }
        };
        is_changed |= change_own(&path, doing, before.as_deref(), after)?;
    }
    if !wanted.is_empty() && !is_changed {
        let folder = folder.display().to_string();
        print(format!("{}: nothing to change\n", Shown(&folder)).as_bytes())?;
    }
    if wanted.is_empty() && is_changed && doing == Doing::Really {
        remove_if_empty(folder)?;
    }
    Ok(())
}

/// Returns what is where a file is to be. A link is never ours: we make none.
pub(super) fn look(path: &Path) -> anyhow::Result<Found> {
    let unreadable = || format!("cannot read {}", path.display());
    match fs::symlink_metadata(path) {
        Ok(about) if !about.is_file() => return Ok(Found::Foreign),
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Found::Nothing),
        Err(error) => return Err(error).with_context(unreadable),
    }
    let bytes = fs::read(path).with_context(unreadable)?;
    Ok(match String::from_utf8(bytes) {
        Ok(text) => match digest_in(&text) {
            Some((digest, rest)) if digest_of(&rest) == digest => Found::Ours(text),
            Some(_) => Found::Changed,
            None => Found::Foreign,
        },
        Err(_) => Found::Foreign,
    })
}

fn file_name(command: &Command) -> String {
    format!("{}.md", command.name)
}

fn text(command: &Command, call: &Call) -> String {
    let program = quoted(&call.program);
    let store = call.store.as_deref().map(|store| format!(" --store {}", quoted(store)));
    let body = command.body.replace("{weft}", &program);
    let body = body.replace("{store}", &store.unwrap_or_default());
    // Weft says `weft` where it tells an agent what to run next.
    let mut programs = vec!["weft", program.as_str()];
    programs.dedup();
    let tools = command
        .runs
        .iter()
        .flat_map(|word| programs.iter().map(move |program| format!("Bash({program} {word}:*)")));
    let tools = tools.collect::<Vec<_>>().join(", ");
    let mut head = format!("---\ndescription: {}\n", command.about);
    if !command.takes.is_empty() {
        head += &format!("argument-hint: \"{}\"\n", command.takes);
    }
    // Whether there is to be a loop is for a person to say.
    head += &format!("allowed-tools: {tools}\ndisable-model-invocation: true\n");
    let with = |digest: &str| format!("{head}{}{digest}{}\n---\n\n{body}", MARK.0, MARK.1);
    with(&digest_of(&with("")))
}

/// Returns the digest that a text bears, and the text without it.
fn digest_in(text: &str) -> Option<(&str, String)> {
    let start = text.find(MARK.0)? + MARK.0.len();
    let end = start + text.get(start..)?.find(MARK.1)?;
    let digest = text.get(start..end)?;
    Some((digest, format!("{}{}", &text[..start], &text[end..])))
}

fn digest_of(text: &str) -> String {
    digest_parts(&[text.as_bytes()]).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Removes a folder that nothing is left in.
fn remove_if_empty(folder: &Path) -> anyhow::Result<()> {
    match fs::remove_dir(folder) {
        Ok(()) => Ok(()),
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::NotFound
            ) =>
        {
            Ok(())
        }
        Err(error) => Err(error).with_context(|| format!("cannot remove {}", folder.display())),
    }
}
