//! Our entries in the text of an agent's settings: adding them, taking them away, and seeing which are there.

use weft_event::json::{Json, Kind, Tape, Value};

use super::wanted::{DECIDE, Part};
use crate::settings_file::edit::{
    Edits, Left, Piece, Style, add, children, indent_of_value, span, take,
};
use crate::settings_file::is_weft;
use crate::settings_file::json::{SettingsError, expect, is_same, parse, split_mark};

/// The member of the settings that holds hooks.
pub(super) const HOOKS: &str = "hooks";

/// A hook that is to be there.
#[derive(Debug)]
pub(super) struct Wanted {
    /// The hook, as the agent names it.
    pub(super) event: &'static str,
    /// What the agent is to do.
    pub(super) handler: Json<'static>,
}

/// A hook of ours that is there.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Present {
    pub(super) event: String,
    /// Whether it is as we would write it now.
    pub(super) is_current: bool,
}

/// Returns the settings with the wanted hooks in them; the same text if they are there already.
pub(super) fn install(text: Option<&str>, wanted: &[Wanted]) -> Result<String, SettingsError> {
    let Some(whole) = text else {
        let all = Json::object(|root| root.json(HOOKS, &all_events(wanted)));
        return Ok(Style::ours().lay_out(&all, "") + "\n");
    };
    let (mark, text) = split_mark(whole);
    let mut tape = Tape::new();
    let root = read(&mut tape, text)?;
    let style = Style::of(text, root);
    let mut edits = Edits::default();
    match root.get(HOOKS) {
        None => {
            let piece = Piece { name: Some(HOOKS), value: all_events(wanted) };
            add(&mut edits, text, &style, root, &[piece]);
        }
        Some(hooks) => {
            let mut new = Vec::new();
            for wanted in wanted {
                match hooks.get(wanted.event) {
                    None => {
                        let value = Json::array([group(&wanted.handler)]);
                        new.push(Piece { name: Some(wanted.event), value });
                    }
                    Some(groups) => install_one(&mut edits, text, &style, groups, wanted),
                }
            }
            add(&mut edits, text, &style, hooks, &new);
        }
    }
    Ok(format!("{mark}{}", edits.apply(text)))
}

/// Returns the settings without any hook of ours; `None` if nothing is left that was there before.
pub(super) fn uninstall(whole: &str) -> Result<Option<String>, SettingsError> {
    let (mark, text) = split_mark(whole);
    let mut tape = Tape::new();
    let root = read(&mut tape, text)?;
    let Some(hooks) = root.get(HOOKS) else { return Ok(Some(whole.to_owned())) };
    let style = Style::of(text, root);
    let mut edits = Edits::default();
    let mut emptied = Vec::new();
    for (idx, (_, groups)) in hooks.members().enumerate() {
        if uninstall_one(&mut edits, text, &style, groups) == Left::Nothing {
            emptied.push(idx);
        }
    }
    if take(&mut edits, text, &style, hooks, &emptied) == Left::Nothing {
        edits = Edits::default();
        let idx = root.members().position(|(key, _)| key.is_text(HOOKS));
        if take(&mut edits, text, &style, root, idx.as_slice()) == Left::Nothing {
            return Ok(None);
        }
    }
    Ok(Some(format!("{mark}{}", edits.apply(text))))
}

/// Returns the hooks of ours that are there.
pub(super) fn look(whole: &str, wanted: &[Wanted]) -> Result<Vec<Present>, SettingsError> {
    let mut tape = Tape::new();
    let root = read(&mut tape, split_mark(whole).1)?;
    let mut present = Vec::new();
    for (key, groups) in root.get(HOOKS).into_iter().flat_map(Value::members) {
        let event = key.as_text().unwrap_or_default();
        let Some(handler) = handlers(groups).find(|handler| is_ours(*handler)) else { continue };
        let as_wanted = wanted.iter().find(|wanted| wanted.event == event);
        let is_current = as_wanted.is_some_and(|wanted| is_same(handler, &wanted.handler));
        present.push(Present { event: event.into_owned(), is_current });
    }
    Ok(present)
}

/// Returns what our hooks are there for.
pub(super) fn part(whole: &str) -> Result<Part, SettingsError> {
    let mut tape = Tape::new();
    let root = read(&mut tape, split_mark(whole).1)?;
    let groups = root.get(HOOKS).into_iter().flat_map(Value::members).map(|(_, groups)| groups);
    let mut ours = groups.flat_map(handlers).filter(|handler| is_ours(*handler));
    let answers = |handler| words_of(handler).iter().any(|word| word == DECIDE);
    Ok(if ours.any(answers) { Part::Loops } else { Part::Reports })
}

/// Returns the store that a hook of ours names, if one does.
pub(super) fn store(whole: &str) -> Result<Option<String>, SettingsError> {
    let mut tape = Tape::new();
    let root = read(&mut tape, split_mark(whole).1)?;
    let groups = root.get(HOOKS).into_iter().flat_map(Value::members).map(|(_, groups)| groups);
    let mut ours = groups.flat_map(handlers).filter(|handler| is_ours(*handler));
    Ok(ours.find_map(|handler| {
        let mut words = words_of(handler).into_iter().skip_while(|word| word != "--store");
        words.nth(1)
    }))
}

/// Returns whether the settings switch every hook off.
pub(super) fn are_all_off(whole: &str) -> Result<bool, SettingsError> {
    let mut tape = Tape::new();
    let root = read(&mut tape, split_mark(whole).1)?;
    Ok(root.get("disableAllHooks").and_then(Value::as_bool) == Some(true))
}

/// Returns whether settings hold hooks of ours and nothing else, but for what they are about.
pub(super) fn are_all_ours(whole: &str) -> bool {
    let mut tape = Tape::new();
    let Ok(root) = read(&mut tape, split_mark(whole).1) else { return false };
    let is_known = |key: Value<'_>| key.is_text(HOOKS) || key.is_text("description");
    let groups = root.get(HOOKS).into_iter().flat_map(Value::members).map(|(_, groups)| groups);
    root.members().all(|(key, _)| is_known(key)) && groups.flat_map(handlers).all(is_ours)
}

fn install_one(edits: &mut Edits, text: &str, style: &Style, groups: Value<'_>, wanted: &Wanted) {
    let ours: Vec<_> = handlers(groups).filter(|handler| is_ours(*handler)).collect();
    match ours.first() {
        None => {
            let piece = Piece { name: None, value: group(&wanted.handler) };
            add(edits, text, style, groups, &[piece]);
        }
        Some(_) if ours.iter().any(|ours| is_same(*ours, &wanted.handler)) => {}
        Some(stale) => {
            let style = style.spread(stale.raw().contains('\n'));
            let new = style.lay_out(&wanted.handler, indent_of_value(text, *stale));
            edits.put(span(*stale), new);
        }
    }
}

fn uninstall_one(edits: &mut Edits, text: &str, style: &Style, groups: Value<'_>) -> Left {
    let mut emptied = Vec::new();
    for (idx, group) in groups.items().enumerate() {
        let Some(list) = group.get(HOOKS) else { continue };
        let ours = list.items().enumerate().filter(|(_, handler)| is_ours(*handler));
        let ours: Vec<usize> = ours.map(|(idx, _)| idx).collect();
        if ours.len() == children(list).len() && !ours.is_empty() {
            emptied.push(idx);
        } else {
            take(edits, text, style, list, &ours);
        }
    }
    take(edits, text, style, groups, &emptied)
}

fn handlers(groups: Value<'_>) -> impl Iterator<Item = Value<'_>> {
    groups.items().filter_map(|group| group.get(HOOKS)).flat_map(Value::items)
}

/// Returns the hooks as the settings have them.
pub(super) fn all_events(wanted: &[Wanted]) -> Json<'static> {
    Json::object(|events| {
        for wanted in wanted {
            events.json(wanted.event, &Json::array([group(&wanted.handler)]));
        }
    })
}

fn group(handler: &Json<'_>) -> Json<'static> {
    Json::object(|group| group.json(HOOKS, &Json::array([handler.clone()])))
}

/// Returns whether a handler runs `weft hook`.
fn is_ours(handler: Value<'_>) -> bool {
    let words = words_of(handler);
    match &words[..] {
        [program, command, ..] => is_weft(program) && command == "hook",
        _ => false,
    }
}

/// Returns the program that a handler runs, and its arguments: they stand apart, or in one line for a shell.
fn words_of(handler: Value<'_>) -> Vec<String> {
    let Some(command) = handler.text_at("command") else { return Vec::new() };
    match handler.get("args") {
        Some(args) => {
            let args = args.items().map(|arg| arg.as_text().unwrap_or_default().into_owned());
            std::iter::once(command.into_owned()).chain(args).collect()
        }
        None => split_words(&command),
    }
}

/// Splits a line into words as a shell does, as far as quotes go.
fn split_words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (None | Some('"'), '\\') => word.get_or_insert_default().extend(chars.next()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

fn read<'a>(tape: &'a mut Tape, text: &'a str) -> Result<Value<'a>, SettingsError> {
    let root = parse(tape, text)?;
    let Some(hooks) = root.get(HOOKS) else { return Ok(root) };
    expect(hooks, Kind::Object, || "`hooks`".to_owned())?;
    for (key, groups) in hooks.members() {
        expect(groups, Kind::Array, || format!("`hooks.{}`", key.as_text().unwrap_or_default()))?;
    }
    Ok(root)
}

#[cfg(test)]
mod tests;
