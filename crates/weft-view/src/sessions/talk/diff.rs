//! What an edit changes, read off what its tool was given: whatever names the tool has for it.

use serde::Serialize;
use weft_event::json::{Kind, Value};

/// How much of either side is kept.
const SIDE_CHARS_MAX: usize = 4_000;
/// Parts of one edit that are read.
const EDITS_MAX: usize = 64;

/// Names of what is taken out, what is put in its place, what a file is made of, several edits in one, and a patch.
const OLD: [&str; 3] = ["old_string", "old_str", "old_text"];
const NEW: [&str; 4] = ["new_string", "new_str", "new_text", "insert_text"];
const WHOLE: [&str; 3] = ["content", "file_text", "contents"];
const PATCH: [&str; 3] = ["patch", "diff", "input"];

/// What an edit takes out of a file, and what it puts there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Diff {
    /// What is taken out.
    pub old: String,
    /// What is put there.
    pub new: String,
}

impl Diff {
    /// Reads what a tool was given; `None` where it says nothing of the kind.
    pub(in crate::sessions) fn of(input: Value<'_>) -> Option<Self> {
        let mut diff = Self::default();
        match input.kind() {
            Kind::Text => diff.add_patch(&input.as_text()?),
            Kind::Object => diff.add(input),
            Kind::Null | Kind::True | Kind::False | Kind::Number | Kind::Array | Kind::Key => {}
        }
        for side in [&mut diff.old, &mut diff.new] {
            if let Some((at, _)) = side.char_indices().nth(SIDE_CHARS_MAX) {
                side.truncate(at);
                side.push('…');
            }
        }
        (diff != Self::default()).then_some(diff)
    }

    fn add(&mut self, input: Value<'_>) {
        let text = |names: &[&str]| names.iter().find_map(|name| input.get(name)?.as_text());
        let (old, new) = (text(&OLD), text(&NEW).or_else(|| text(&WHOLE)));
        if old.is_some() || new.is_some() {
            push(&mut self.old, old.as_deref().unwrap_or_default());
            push(&mut self.new, new.as_deref().unwrap_or_default());
        } else if let Some(edits) = input.get("edits") {
            edits.items().take(EDITS_MAX).for_each(|edit| self.add(edit));
        } else if let Some(patch) = text(&PATCH) {
            self.add_patch(&patch);
        }
    }

    /// Reads a patch: lines that begin with a sign. Anything else is none.
    fn add_patch(&mut self, patch: &str) {
        if !patch.contains("\n@@") && !patch.starts_with("@@") && !patch.contains("*** Begin Patch")
        {
            return;
        }
        for line in
            patch.lines().filter(|line| !line.starts_with("---") && !line.starts_with("+++"))
        {
            match line.split_at_checked(1) {
                Some(("-", rest)) => push(&mut self.old, rest),
                Some(("+", rest)) => push(&mut self.new, rest),
                Some((" ", rest)) => {
                    push(&mut self.old, rest);
                    push(&mut self.new, rest);
                }
                Some(_) | None => {}
            }
        }
    }
}

fn push(side: &mut String, text: &str) {
    if !side.is_empty() {
        side.push('\n');
    }
    side.push_str(text);
}
