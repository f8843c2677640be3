//! Which tools read files and which write them.

use serde::{Deserialize, Serialize};

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

/// Tools that change files, of the agents and engines that Weft knows.
const WRITERS: [&str; 24] = [
    "Edit",
    "Write",
    "MultiEdit",
    "NotebookEdit",
    "Update",
    "fs.write",
    "fs.edit",
    "fs.patch",
    "fs.applyPatch",
    "fs.delete",
    "fs.move",
    "apply_patch",
    "str_replace",
    "str_replace_editor",
    "str_replace_based_edit_tool",
    "create_file",
    "edit_file",
    "write_file",
    "write_to_file",
    "replace_in_file",
    "replace",
    "insert",
    "move_file",
    "delete_file",
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
    if is_in(&WRITERS) {
        Access::Write
    } else if is_in(&READERS) {
        Access::Read
    } else {
        Access::Other
    }
}
