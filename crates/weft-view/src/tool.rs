//! What is known of tools by their names.

/// The tools that change the file they are given, in the clients that were looked at.
const EDITS: [&str; 14] = [
    "edit",
    "multiedit",
    "write",
    "notebookedit",
    "apply_patch",
    "edit_file",
    "write_file",
    "create_file",
    "replace",
    "str_replace",
    "str_replace_editor",
    "str_replace_based_edit_tool",
    "fs.write",
    "fs.applypatch",
];

/// Returns whether a tool changes the file it is given. Tools of MCP servers are known by their names behind the server's.
pub(crate) fn is_edit(tool: &str) -> bool {
    let name = tool.rsplit_once("__").map_or(tool, |(_, name)| name);
    EDITS.iter().any(|edit| name.eq_ignore_ascii_case(edit))
}
