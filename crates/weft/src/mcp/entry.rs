//! What a client is told to start.

use weft_event::json::{Json, Value};

use crate::settings_file::is_weft;

/// A server that a client starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) command: String,
    pub(super) args: Vec<String>,
}

impl Entry {
    /// Returns ours. `program` runs, with `store` if one is named.
    pub(super) fn ours(program: String, store: Option<&str>) -> Self {
        let store = store.into_iter().flat_map(|store| ["--store", store]);
        let args = ["mcp"].into_iter().chain(store).map(str::to_owned).collect();
        Self { command: program, args }
    }

    /// Returns whether it starts `weft mcp`.
    pub(super) fn is_ours(&self) -> bool {
        is_weft(&self.command) && self.args.first().is_some_and(|first| first == "mcp")
    }

    /// Reads what Claude Code has for a server; `None` if it is none that is started.
    pub(super) fn read(value: Value<'_>) -> Option<Self> {
        let args = value.get("args").into_iter().flat_map(Value::items);
        let args = args.map(|arg| arg.as_text().map(|arg| arg.into_owned()));
        let command = value.text_at("command")?.into_owned();
        Some(Self { command, args: args.collect::<Option<_>>()? })
    }

    /// Returns it as Claude Code has it.
    pub(super) fn json(&self) -> Json<'static> {
        Json::object(|entry| {
            entry.text("type", "stdio");
            entry.text("command", &self.command);
            entry.json("args", &Json::array(self.args.iter().map(|arg| Json::text(arg))));
        })
    }

    /// Returns the store that it names, if it does.
    pub(super) fn store(&self) -> Option<&str> {
        let mut args = self.args.iter().skip_while(|arg| *arg != "--store");
        args.nth(1).map(String::as_str)
    }
}
