//! A folder that is a plugin of Claude Code: the hooks that loops need, and the slash commands that call Weft.

use std::path::Path;

use weft_event::hook::Caller;
use weft_event::json::{Json, Tape};

use super::commands::{self, Call, Found};
use super::settings;
use super::wanted::{Part, wanted};
use crate::output::{Shown, print, tell};
use crate::settings_file::edit::Style;
use crate::settings_file::json::parse;
use crate::settings_file::{Doing, change_own, file};

/// The hooks of the first version that knew plugins. A version that does not know one that is named refuses the whole plugin.
const EVENTS: [&str; 9] = [
    "SessionStart",
    "SessionEnd",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "Notification",
    "SubagentStop",
    "Stop",
    "PreCompact",
];

const NAME: &str = "weft";
const ABOUT: &str = "Records what agents do, and has them go on until their work is done";
/// What a manifest of ours has, and nothing else.
const MANIFEST_KEYS: [&str; 3] = ["name", "version", "description"];

/// A file of the plugin.
struct Piece {
    kind: Kind,
    /// Where it is, from the plugin's folder.
    path: String,
    text: String,
}

/// What a file is, which says how one of ours is known.
#[derive(Clone, Copy)]
enum Kind {
    Manifest,
    Hooks,
    Command,
}

/// Makes the folder a plugin, or renews it, and shows what changes. Where a file of somebody else is in the way, nothing is written.
pub(super) fn write(folder: &Path, call: &Call, doing: Doing) -> anyhow::Result<()> {
    let mut found = Vec::new();
    let mut foreign = Vec::new();
    for piece in pieces(call) {
        let path = folder.join(&piece.path);
        match look(&path, piece.kind)? {
            Found::Nothing => found.push((path, None, piece)),
            Found::Ours(text) => found.push((path, Some(text), piece)),
            Found::Changed | Found::Foreign => foreign.push(piece.path),
        }
    }
    let shown = folder.display().to_string();
    let shown = Shown(&shown);
    if !foreign.is_empty() {
        anyhow::bail!("{shown} is left as it is: {} would be written over", foreign.join(", "));
    }
    let mut is_changed = false;
    for (path, before, piece) in found {
        is_changed |= change_own(&path, doing, before.as_deref(), Some(&piece.text))?;
    }
    if !is_changed {
        print(format!("{shown}: nothing to change\n").as_bytes())?;
    } else if doing == Doing::Really {
        tell(format_args!("try it with: claude --plugin-dir {shown}"));
    }
    Ok(())
}

fn pieces(call: &Call) -> Vec<Piece> {
    let manifest = Json::object(|manifest| {
        manifest.text("name", NAME);
        manifest.text("version", env!("CARGO_PKG_VERSION"));
        manifest.text("description", ABOUT);
    });
    let mut wanted = wanted(Caller::ClaudeCode, Part::Loops, &call.program, call.store.as_deref());
    wanted.retain(|wanted| EVENTS.contains(&wanted.event));
    let hooks = Json::object(|hooks| {
        hooks.text("description", ABOUT);
        hooks.json(settings::HOOKS, &settings::all_events(&wanted));
    });
    let laid_out = |json: &Json<'_>| Style::ours().lay_out(json, "") + "\n";
    let mut pieces = vec![
        Piece {
            kind: Kind::Manifest,
            path: ".claude-plugin/plugin.json".to_owned(),
            text: laid_out(&manifest),
        },
        Piece { kind: Kind::Hooks, path: "hooks/hooks.json".to_owned(), text: laid_out(&hooks) },
    ];
    pieces.extend(commands::files(call).into_iter().map(|file| Piece {
        kind: Kind::Command,
        path: format!("commands/{}", file.name),
        text: file.text,
    }));
    pieces
}

fn look(path: &Path, kind: Kind) -> anyhow::Result<Found> {
    let is_ours = match kind {
        Kind::Manifest => is_manifest,
        Kind::Hooks => settings::are_all_ours,
        Kind::Command => return commands::look(path),
    };
    Ok(match file::read(path)? {
        None => Found::Nothing,
        Some(text) if is_ours(&text) => Found::Ours(text),
        Some(_) => Found::Foreign,
    })
}

/// Returns whether a text is a manifest of ours, of whatever version.
fn is_manifest(text: &str) -> bool {
    let mut tape = Tape::new();
    let Ok(root) = parse(&mut tape, text) else { return false };
    let is_known = |name: &str| MANIFEST_KEYS.contains(&name);
    root.members().all(|(key, _)| key.as_text().is_some_and(|name| is_known(&name)))
        && root.text_at("name").as_deref() == Some(NAME)
}
