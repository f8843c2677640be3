//! Names on the command line: whole, or begun far enough to be told from all others.

use weft_event::Facts;
use weft_event::json::Tape;
use weft_log::filter::quoted;
use weft_log::query::{Ask, Order, Records};
use weft_log::{Filter, Position};

use crate::output::Marked;

/// How many names are listed where several are meant.
const LISTED_MAX: usize = 10;

/// A field whose values can be named.
pub(crate) struct Named {
    /// Its name in the filter language, which is also what a value of it is called.
    pub(crate) field: &'static str,
    /// Returns its value in an event.
    pub(crate) of: for<'f> fn(&'f Facts<'_>) -> Option<&'f str>,
}

/// Returns the one name that is meant: the one given, or the only one that begins so.
pub(crate) fn resolve(records: &mut Records, named: &Named, given: &str) -> anyhow::Result<String> {
    let field = named.field;
    if newest(records, named, &format!("{field}={}", quoted(given)))?.is_some() {
        return Ok(given.to_owned());
    }
    let mut filter = format!("{field}~\"^{}\"", pattern(given));
    let mut names: Vec<String> = Vec::new();
    while names.len() <= LISTED_MAX
        && let Some(name) = newest(records, named, &filter)?
    {
        filter += &format!(" {field}!={}", quoted(&name));
        names.push(name);
    }
    names.sort_unstable();
    match names.as_slice() {
        [] => anyhow::bail!("no record has a {field} that begins with `{given}`"),
        [name] => Ok(name.clone()),
        several => {
            let mut text = format!("several {field}s begin with `{given}`:");
            several.iter().take(LISTED_MAX).for_each(|name| text += &format!("\n  {name}"));
            if several.len() > LISTED_MAX {
                text += "\n  …";
            }
            Err(Marked(text).into())
        }
    }
}

/// Returns the field of the newest record that matches.
fn newest(records: &mut Records, named: &Named, filter: &str) -> anyhow::Result<Option<String>> {
    let filter = Filter::parse(filter, 0)?;
    let range = Position::FIRST..=Position::new(u64::MAX).expect("it is not 0");
    let ask = Ask { filter: &filter, range, order: Order::Descending, limit: 1 };
    let Some(found) = records.page(&ask)?.records.pop() else { return Ok(None) };
    let mut tape = Tape::new();
    let event = found.read(&mut tape);
    Ok(event.and_then(|event| (named.of)(&event.facts()).map(str::to_owned)))
}

/// Returns the regular expression of a text that stands for itself.
fn pattern(text: &str) -> String {
    let escaped = |c: char| match c {
        c if c.is_alphanumeric() => c.to_string(),
        c => format!("\\x{{{:x}}}", u32::from(c)),
    };
    text.chars().map(escaped).collect()
}
