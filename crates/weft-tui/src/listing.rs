//! Rows of a panel: what a panel's rows have in common, whatever they are about.

use std::rc::Rc;

use crate::text::Zone;
use crate::theme::Tone;

/// A column of a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column {
    pub(crate) title: &'static str,
    /// Fewest columns of the screen that it is of use with.
    pub(crate) min: u16,
    /// Most that it ever needs.
    pub(crate) max: u16,
    /// Which goes first where there is no room: the greatest. 0 never goes.
    pub(crate) rank: u8,
}

/// What stands in a row and a column.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cell {
    pub(crate) text: String,
    pub(crate) tone: Tone,
    /// Whether its end says most, as of a path.
    pub(crate) ends_well: bool,
}

impl Cell {
    pub(crate) fn new(text: impl Into<String>, tone: Tone) -> Self {
        Self { text: text.into(), tone, ends_well: false }
    }

    /// Returns a path.
    pub(crate) fn path(text: impl Into<String>, tone: Tone) -> Self {
        Self { ends_well: true, ..Self::new(text, tone) }
    }

    pub(crate) fn plain(text: impl Into<String>) -> Self {
        Self::new(text, Tone::Plain)
    }

    pub(crate) fn faint(text: impl Into<String>) -> Self {
        Self::new(text, Tone::Faint)
    }

    pub(crate) fn maybe(text: Option<&str>) -> Self {
        Self::plain(text.unwrap_or_default())
    }
}

/// By what moment and clock rows are shown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    pub(crate) now_ns: i64,
    pub(crate) zone: Zone,
}

/// What a row leads to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Link {
    pub(crate) session: Option<String>,
    pub(crate) trace: Option<String>,
    /// The filter that finds the records behind it.
    pub(crate) records: Option<String>,
}

/// One line of what is known of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) text: String,
}

/// A row.
pub(crate) trait Item {
    /// Returns what tells it from the others, as long as it is there.
    fn id(&self) -> String;

    /// Returns its cells, one for each column.
    fn cells(&self, look: &Look) -> Vec<Cell>;

    /// Returns all that is known of it.
    fn detail(&self, look: &Look) -> Vec<Field>;

    /// Returns what it leads to.
    fn link(&self) -> Link;

    /// Returns the command that gives it.
    fn command(&self) -> String;
}

/// The rows of a panel.
#[derive(Default)]
pub(crate) struct Listing {
    pub(crate) columns: &'static [Column],
    pub(crate) items: Vec<Rc<dyn Item>>,
    /// What is said where there are no rows.
    pub(crate) empty: &'static str,
}

impl Listing {
    pub(crate) fn new<T: Item + 'static>(
        columns: &'static [Column],
        rows: impl IntoIterator<Item = T>,
        empty: &'static str,
    ) -> Self {
        Self::shared(columns, rows.into_iter().map(Rc::new), empty)
    }

    /// Returns the same of rows that are kept elsewhere, too.
    pub(crate) fn shared<T: Item + 'static>(
        columns: &'static [Column],
        rows: impl IntoIterator<Item = Rc<T>>,
        empty: &'static str,
    ) -> Self {
        let items = rows.into_iter().map(|row| row as Rc<dyn Item>).collect();
        Self { columns, items, empty }
    }

    /// Keeps the rows that have some words in their cells.
    pub(crate) fn keep(&mut self, words: &str, look: &Look) {
        if self.items.is_empty() || words.trim().is_empty() {
            return;
        }
        self.items.retain(|item| {
            let cells = item.cells(look);
            has_words(words, cells.iter().map(|cell| cell.text.as_str()))
        });
        self.empty = "no row has these words";
    }
}

/// Where in a panel the user is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spot {
    /// The row; `None` before one was chosen.
    pub(crate) id: Option<String>,
    pub(crate) idx: usize,
    /// The first row shown.
    pub(crate) top: usize,
}

impl Spot {
    /// Finds its row again in rows that changed, and keeps it in sight.
    pub(crate) fn settle(&mut self, ids: impl Fn(usize) -> String, len: usize, height: usize) {
        if len == 0 {
            (self.idx, self.top) = (0, 0);
            return;
        }
        if let Some(id) = &self.id {
            let is_there = self.idx < len && ids(self.idx) == *id;
            let found =
                if is_there { Some(self.idx) } else { (0..len).find(|idx| ids(*idx) == *id) };
            self.idx = found.unwrap_or(self.idx);
        }
        self.idx = self.idx.min(len - 1);
        let height = height.max(1);
        self.top = self.top.clamp((self.idx + 1).saturating_sub(height), self.idx);
        self.top = self.top.min(len.saturating_sub(height));
    }
}

/// Adds a field if there is something to say.
pub(crate) fn field(fields: &mut Vec<Field>, name: &'static str, text: Option<impl Into<String>>) {
    if let Some(text) = text.map(Into::into).filter(|text| !text.is_empty()) {
        fields.push(Field { name, text });
    }
}

/// Returns whether every word of a text stands in one of some texts, in whatever case.
pub(crate) fn has_words<'t>(words: &str, texts: impl IntoIterator<Item = &'t str>) -> bool {
    if words.trim().is_empty() {
        return true;
    }
    let texts: Vec<String> = texts.into_iter().map(str::to_lowercase).collect();
    let words = words.to_lowercase();
    words.split_whitespace().all(|word| texts.iter().any(|text| text.contains(word)))
}

/// Returns a text as a value of the filter language that stands for itself.
pub(crate) fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "@-_./".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) && !text.starts_with('-') {
        return text.to_owned();
    }
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => quoted += &format!("\\u{{{:x}}}", u32::from(c)),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// Returns a text as a word of a shell.
pub(crate) fn shell(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "@-_./=:,+".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// Returns the command that lists the records of a filter.
pub(crate) fn log_command(filter: &str) -> String {
    if filter.is_empty() { "weft log".to_owned() } else { format!("weft log {}", shell(filter)) }
}
