//! Where agents keep their settings, and where this program is.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

/// Returns the path of this program.
pub(crate) fn this_program() -> anyhow::Result<String> {
    let program = env::current_exe().context("cannot tell where this program is")?;
    let program = program.into_os_string().into_string();
    program.map_err(|path| anyhow::anyhow!("{} is not UTF-8", path.to_string_lossy()))
}

/// Returns the folder that a variable names, else the one of this name in the home folder.
pub(crate) fn folder(variable: &str, name: &str) -> anyhow::Result<PathBuf> {
    match env::var_os(variable).filter(|folder| !folder.is_empty()) {
        Some(folder) => Ok(folder.into()),
        None => Ok(home().context("there is no home folder")?.join(name)),
    }
}

/// Returns the home folder.
pub(crate) fn home() -> Option<PathBuf> {
    env::var_os("HOME").filter(|home| !home.is_empty()).map(PathBuf::from)
}

/// Returns the folder of the project: the nearest upward that has settings or is a repository, else this one. The home folder has
/// settings that are the user's own.
pub(crate) fn project() -> anyhow::Result<PathBuf> {
    let here = env::current_dir().context("cannot tell the current folder")?;
    let home = home();
    let is_project = |folder: &&Path| {
        let has = |name: &str| folder.join(name).exists();
        home.as_deref() != Some(*folder) && (has(".claude") || has(".git"))
    };
    Ok(here.ancestors().find(is_project).unwrap_or(&here).to_owned())
}
