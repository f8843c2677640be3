//! The folders of a configuration: `[[folder]]` with a path, and whose sessions are in it if they are an agent's.

use std::path::{Path, PathBuf};

use weft_event::transcript::Client;
use weft_log::source::Form;

use super::value::{Given, Member, Wrong};

/// A folder that is read while the server runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderSetting {
    /// Where it is. One that begins with `~/` is in the home folder, which is not known here.
    pub path: PathBuf,
    /// What its files have.
    pub form: Form,
}

const WANTED: &str = "a folder: [[folder]] with its path";

impl FolderSetting {
    /// Reads all folders: tables of the file, or paths. Those that are not absolute count from `base`.
    pub(super) fn all(given: &Given, base: &Path) -> Result<Vec<Self>, Wrong> {
        match given {
            Given::List(items) => items.iter().map(|item| Self::one(item, base)).collect(),
            Given::Text(text) => text.split(',').map(|path| Self::at(path.trim(), base)).collect(),
            Given::Table(_)
            | Given::Integer(_)
            | Given::Decimal(_)
            | Given::Bool(_)
            | Given::Other(_) => Err(Wrong::Kind { got: given.show(), wanted: WANTED }),
        }
    }

    fn one(given: &Given, base: &Path) -> Result<Self, Wrong> {
        let members = match given {
            Given::Table(members) => members,
            Given::Text(path) => return Self::at(path, base),
            Given::List(_)
            | Given::Integer(_)
            | Given::Decimal(_)
            | Given::Bool(_)
            | Given::Other(_) => {
                return Err(Wrong::Kind { got: given.show(), wanted: WANTED });
            }
        };
        let mut folder = None;
        let mut form = Form::Events;
        for Member { name, given: value, .. } in members {
            match (name.as_str(), value) {
                ("path", Given::Text(path)) => folder = Some(Self::at(path, base)?),
                ("path", other) => {
                    return Err(Wrong::Kind { got: other.show(), wanted: "the path of a folder" });
                }
                ("sessions", Given::Text(client)) if Client::parse(client).is_some() => {
                    form = Client::parse(client).map_or(form, Form::Sessions);
                }
                ("sessions", other) => {
                    let wanted = "one of claude-code, codex and gemini-cli";
                    return Err(Wrong::Kind { got: other.show(), wanted });
                }
                (_, _) => {
                    let wanted = "a setting of a folder, which are path and sessions";
                    return Err(Wrong::Kind { got: format!("`{name}`"), wanted });
                }
            }
        }
        let folder = folder.ok_or(Wrong::Kind { got: given.show(), wanted: WANTED })?;
        Ok(Self { form, ..folder })
    }

    fn at(path: &str, base: &Path) -> Result<Self, Wrong> {
        if path.is_empty() {
            return Err(Wrong::Kind { got: "an empty text".to_owned(), wanted: WANTED });
        }
        let path =
            if path == "~" || path.starts_with("~/") { path.into() } else { base.join(path) };
        Ok(Self { path, form: Form::Events })
    }

    /// Returns it as it is shown.
    pub(super) fn show(&self) -> String {
        match self.form {
            Form::Events => self.path.display().to_string(),
            Form::Sessions(client) => {
                format!("{} (sessions of {})", self.path.display(), client.as_str())
            }
        }
    }
}
