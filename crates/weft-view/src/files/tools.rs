//! Which tools read files and which write them.

use serde::{Deserialize, Serialize};

use crate::tool::is_edit;

/// What a tool does to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// Something that is not known.
    Other,
    /// It reads it.
    Read,
    /// It changes it.
    Write,
}

/// Tools that change files otherwise than by editing their text.
const CHANGERS: [&str; 10] = [
    "fs.delete",
    "fs.move",
    "fs.edit",
    "fs.patch",
    "write_to_file",
    "replace_in_file",
    "insert",
    "move_file",
    "delete_file",
    "update",
];

/// Tools that read files.
const READERS: [&str; 18] = [
    "Read",
    "Grep",
    "Glob",
    "LS",
    "NotebookRead",
    "LSP",
    "view",
    "view_image",
    "fs.read",
    "fs.search",
    "fs.list",
    "read_file",
    "read_many_files",
    "list_directory",
    "list_dir",
    "search_files",
    "search_file_content",
    "grep_search",
];

/// Returns what a tool does to the file it is given. Tools of a server go by their own name: `mcp__disk__write_file`.
pub fn access(tool: &str) -> Access {
    let name = tool.rsplit("__").next().unwrap_or(tool);
    let is_in = |names: &[&str]| names.iter().any(|known| known.eq_ignore_ascii_case(name));
    if is_edit(tool) || is_in(&CHANGERS) {
        Access::Write
    } else if is_in(&READERS) {
        Access::Read
    } else {
        Access::Other
    }
}
