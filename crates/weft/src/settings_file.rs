//! The settings files of agents, which belong to others: changed in place, whole or not at all, with the change shown and what was
//! there before kept. What stands in them is for whoever has entries there to know.

mod diff;
pub(crate) mod edit;
pub(crate) mod file;
pub(crate) mod json;
pub(crate) mod place;

use std::path::Path;

use anyhow::Context as _;

use crate::output::{Shown, print, tell};
use crate::stores::StoreArgs;

/// Whether something is done, or only shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Doing {
    /// It is done.
    Really,
    /// It is only shown.
    DryRun,
}

impl Doing {
    pub(crate) fn of(dry_run: bool) -> Self {
        if dry_run { Doing::DryRun } else { Doing::Really }
    }
}

/// Changes a file, and shows how; returns whether it is another now.
pub(crate) fn change(
    path: &Path,
    doing: Doing,
    changed: impl FnOnce(Option<&str>) -> anyhow::Result<Option<String>>,
) -> anyhow::Result<bool> {
    let shown = Shown(&path.display().to_string()).to_string();
    let before = file::read(path)?;
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
    let backup = file::replace(path, before.as_deref(), after.as_deref())?;
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

/// Changes a file that is wholly ours, and shows how; returns whether it is to be another. No copy is kept of what we wrote.
pub(crate) fn change_own(
    path: &Path,
    doing: Doing,
    before: Option<&str>,
    after: Option<&str>,
) -> anyhow::Result<bool> {
    if before == after {
        return Ok(false);
    }
    let shown = Shown(&path.display().to_string()).to_string();
    let (old, new) = (before.unwrap_or_default(), after.unwrap_or_default());
    print(diff::unified(&shown, old, new).as_bytes())?;
    if doing == Doing::Really {
        file::replace_own(path, before, after)?;
        let done = match (before, after) {
            (None, _) => "made",
            (Some(_), Some(_)) => "changed",
            (Some(_), None) => "removed",
        };
        tell(format_args!("{done} {shown}"));
    }
    Ok(true)
}

/// Returns the store that an entry has to name: the one that is given, wherever the entry is read.
pub(crate) fn named_store(store: &StoreArgs) -> anyhow::Result<Option<String>> {
    if !store.is_named() {
        return Ok(None);
    }
    let store = std::path::absolute(store.folder()?)?;
    Ok(Some(store.to_str().context("the store's path is not UTF-8")?.to_owned()))
}

/// Returns whether a program is this one, wherever it is.
pub(crate) fn is_weft(program: &str) -> bool {
    matches!(program.rsplit(['/', '\\']).next(), Some("weft" | "weft.exe"))
}
