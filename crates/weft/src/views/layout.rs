//! How the rows of a view become a table: which members of a row stand in which column, and how.

use weft_event::json::{Tape, Value};
use weft_event::time::parse_rfc3339;
use weft_server::views::Name;

use crate::columns::Columns;
use crate::times::{Clock, duration};

/// The table of a view.
pub(super) struct Layout {
    pub(super) view: Name,
    /// What a person is told where there are no rows.
    pub(super) nothing: &'static str,
    /// The columns, each with its title.
    pub(super) columns: &'static [(&'static str, Cell)],
}

/// What stands in a column. A member is named by its path, with a `.` between the names; `first` and `last` are items of a list.
pub(super) enum Cell {
    /// A text, a number, or the texts of a list with commas between them.
    Text(&'static str),
    /// The first of several that is there.
    First(&'static [&'static str]),
    /// A moment, as how long ago it was.
    Ago(&'static str),
    /// The same of the first of several that is there.
    FirstAgo(&'static [&'static str]),
    /// Milliseconds.
    Duration(&'static str),
    /// An amount of dollars.
    Dollars(&'static str),
    /// A share, from 0 to 1.
    Share(&'static str),
    /// A number, or how long a list is; nothing for none.
    Count(&'static str),
    /// A word where a member is true.
    If(&'static str, &'static str),
    /// The first so many characters of a text, which a command takes for the whole.
    Head(&'static str, usize),
    /// A text, or a word where there is none.
    Or(&'static str, &'static str),
    /// Another, which is left out where there is no room for it.
    Spare(&'static Cell),
}

impl Layout {
    /// Returns a table with nothing in it that fits into so many characters.
    pub(super) fn table(&self, room: Option<usize>) -> Columns {
        let columns = self.columns.iter().enumerate();
        let spare = columns.filter(|(_, (_, cell))| matches!(cell, Cell::Spare(_)));
        let titles = self.columns.iter().map(|(title, _)| *title);
        Columns::new(titles, room).sparing(spare.map(|(idx, _)| idx))
    }

    /// Returns the cells of a row.
    pub(super) fn cells(&self, json: &str, clock: &Clock) -> Vec<String> {
        let mut tape = Tape::new();
        let row = tape.parse(json).expect("a row is JSON");
        self.columns.iter().map(|(_, cell)| cell.write(row, clock).unwrap_or_default()).collect()
    }
}

impl Cell {
    fn write(&self, row: Value<'_>, clock: &Clock) -> Option<String> {
        match self {
            Cell::Text(path) => at(row, path).map(text),
            Cell::First(paths) => paths.iter().find_map(|path| at(row, path)).map(text),
            Cell::Ago(path) => ago(at(row, path)?, clock),
            Cell::FirstAgo(paths) => ago(paths.iter().find_map(|path| at(row, path))?, clock),
            Cell::Duration(path) => at(row, path)?.as_u64().map(duration),
            Cell::Dollars(path) => at(row, path)?.as_f64().map(|usd| format!("${usd:.2}")),
            Cell::Share(path) => {
                at(row, path)?.as_f64().map(|share| format!("{:.0}%", 100.0 * share))
            }
            Cell::Count(path) => {
                let value = at(row, path)?;
                let n = value.as_u64().unwrap_or_else(|| value.items().count() as u64);
                (n > 0).then(|| n.to_string())
            }
            Cell::If(path, word) => at(row, path)?.as_bool()?.then(|| (*word).to_owned()),
            Cell::Head(path, n) => {
                at(row, path).map(|value| text(value).chars().take(*n).collect())
            }
            Cell::Or(path, word) => Some(at(row, path).map_or_else(|| (*word).to_owned(), text)),
            Cell::Spare(cell) => cell.write(row, clock),
        }
    }
}

fn at<'a>(row: Value<'a>, path: &str) -> Option<Value<'a>> {
    path.split('.').try_fold(row, |value, name| match name {
        "first" => value.items().next(),
        "last" => value.items().last(),
        name => value.get(name),
    })
}

fn ago(value: Value<'_>, clock: &Clock) -> Option<String> {
    let ns = parse_rfc3339(&value.as_text()?)?;
    Some(clock.ago(ns).unwrap_or_else(|| clock.brief(ns)))
}

fn text(value: Value<'_>) -> String {
    if let Some(text) = value.as_text() {
        return text.into_owned();
    }
    let items: Vec<String> = value.items().map(text).collect();
    if value.raw().starts_with('[') { items.join(", ") } else { value.raw().to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAYOUT: Layout = Layout {
        view: Name::Fleet,
        nothing: "nobody is there",
        columns: &[
            ("A", Cell::Text("a")),
            ("B", Cell::First(&["no", "b.c"])),
            ("D", Cell::Ago("d")),
            ("D", Cell::FirstAgo(&["no", "d"])),
            ("E", Cell::Duration("e_ms")),
            ("F", Cell::Dollars("f")),
            ("G", Cell::Share("g")),
            ("H", Cell::Count("h")),
            ("I", Cell::Count("i")),
            ("J", Cell::If("j", "stale")),
            ("K", Cell::Text("k")),
            ("L", Cell::Text("k.last")),
            ("M", Cell::Spare(&Cell::Head("m", 4))),
            ("N", Cell::Or("no", "none")),
        ],
    };

    #[test]
    fn every_kind_of_cell_is_written() {
        let clock = Clock::at(parse_rfc3339("2026-11-15T12:00:00Z").expect("a time"));
        let row = r#"{"a":"x","b":{"c":7},"d":"2026-11-15T11:58:00Z","e_ms":1500,"f":1.239,"g":0.5,"h":["p","q"],"i":0,"j":true,"k":["p","q"],"m":"0b9c1f9e"}"#;
        let cells = LAYOUT.cells(row, &clock);
        assert_eq!(
            cells,
            [
                "x", "7", "2m ago", "2m ago", "1.5s", "$1.24", "50%", "2", "", "stale", "p, q",
                "q", "0b9c", "none"
            ]
        );
        let nothing = LAYOUT.cells("{}", &clock);
        assert_eq!((nothing.join("").as_str(), nothing.len()), ("none", 14));
    }
}
