//! Rows under a header, printed as they come: a column gets wider where it has to, and a line is cut where the terminal ends.
//! What stands in a cell cannot leave its line or steer the terminal.

use std::io::{self, IsTerminal as _};

use terminal_size::Width;

use crate::output::Shown;

/// What stands between two columns.
const GAP: &str = "  ";
/// Widest a column gets that others follow, where the width of the terminal is known.
const MIDDLE_CHARS_MAX: usize = 36;
/// Fewest characters that the last column has before others are left out for it.
const LAST_CHARS_MIN: usize = 24;
/// What stands for what was cut off.
const CUT: char = '…';

/// A table that grows.
pub(crate) struct Columns {
    header: Option<Vec<String>>,
    widths: Vec<usize>,
    room: Option<usize>,
    /// The columns that may be left out, the least wanted last.
    spare: Vec<usize>,
    left_out: Vec<usize>,
}

impl Columns {
    /// Returns a table that fits into `room` characters; without a limit if that is `None`.
    pub(crate) fn new(
        header: impl IntoIterator<Item = impl Into<String>>,
        room: Option<usize>,
    ) -> Self {
        let header: Vec<String> = header.into_iter().map(Into::into).collect();
        let (spare, left_out) = (Vec::new(), Vec::new());
        Self { widths: vec![0; header.len()], header: Some(header), room, spare, left_out }
    }

    /// Returns the same table where these columns may be left out: those that say nothing in the first rows, and from the last of
    /// them on as many as it takes to leave room for the last column.
    pub(crate) fn sparing(self, spare: impl IntoIterator<Item = usize>) -> Self {
        Self { spare: spare.into_iter().collect(), ..self }
    }

    /// Returns the rows as lines, the header before the first. Each row has as many cells as the header.
    pub(crate) fn render(&mut self, rows: Vec<Vec<String>>) -> String {
        let shown = |row: Vec<String>| -> Vec<String> {
            row.iter().map(|cell| Shown(cell).to_string()).collect()
        };
        let header = self.header.take();
        let is_first = header.is_some();
        let rows: Vec<Vec<String>> = header.into_iter().chain(rows).map(shown).collect();
        for row in &rows {
            let cells = self.widths.iter_mut().zip(row);
            cells.for_each(|(width, cell)| *width = (*width).max(n_columns(cell)));
        }
        if let Some(room) = self.room {
            let n_middle = self.widths.len().saturating_sub(1);
            let middle = self.widths.iter_mut().take(n_middle);
            middle.for_each(|width| *width = (*width).min(MIDDLE_CHARS_MAX));
            if is_first {
                self.leave_out(n_middle, room, &rows[1..]);
            }
        }
        rows.iter().map(|row| self.line(row)).collect()
    }

    /// Leaves out the spare columns that say nothing, and others until the last column has room.
    fn leave_out(&mut self, n_middle: usize, room: usize, rows: &[Vec<String>]) {
        let is_empty = |idx: &mut usize| rows.iter().all(|row| row[*idx].is_empty());
        self.left_out = self.spare.extract_if(.., is_empty).collect();
        let shown = (0..n_middle).filter(|idx| !self.left_out.contains(idx));
        let taken = |idx: usize| self.widths[idx] + GAP.len();
        let mut needed = shown.map(taken).sum::<usize>() + LAST_CHARS_MIN;
        while needed > room
            && let Some(idx) = self.spare.pop()
        {
            needed -= taken(idx);
            self.left_out.push(idx);
        }
    }

    fn line(&self, row: &[String]) -> String {
        let mut line = String::new();
        let columns = row.iter().zip(&self.widths).enumerate();
        for (idx, (cell, width)) in columns.filter(|(idx, _)| !self.left_out.contains(idx)) {
            if idx + 1 == row.len() {
                line.push_str(cell);
            } else {
                let cell = cut(cell, *width);
                line.push_str(&cell);
                line.extend(std::iter::repeat_n(' ', *width - n_columns(&cell)));
                line.push_str(GAP);
            }
        }
        let line = line.trim_end();
        match self.room {
            Some(room) => format!("{}\n", cut(line, room)),
            None => format!("{line}\n"),
        }
    }
}

/// Returns how wide the terminal is; `None` if stdout is none.
pub(crate) fn terminal_columns() -> Option<usize> {
    let is_terminal = io::stdout().is_terminal();
    let (Width(columns), _) = terminal_size::terminal_size().filter(|_| is_terminal)?;
    Some(usize::from(columns))
}

/// Returns a text of at most `width` columns.
pub(crate) fn cut(text: &str, width: usize) -> String {
    if n_columns(text) <= width {
        return text.to_owned();
    }
    let mut taken = 0;
    let fits = |c: &char| {
        taken += char_columns(*c);
        taken < width
    };
    let mut cut: String = text.chars().take_while(fits).collect();
    cut.push(CUT);
    cut
}

/// Returns how many columns of a terminal a text takes.
pub(crate) fn n_columns(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().map(char_columns).sum() }
}

/// Returns how many columns a character takes, by the blocks that terminals draw wide.
fn char_columns(c: char) -> usize {
    match c {
        '\u{300}'..='\u{36f}' | '\u{200b}'..='\u{200f}' | '\u{fe00}'..='\u{fe0f}' => 0,
        '\u{1100}'..='\u{115f}'
        | '\u{2e80}'..='\u{303e}'
        | '\u{3041}'..='\u{a4cf}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe6f}'
        | '\u{ff00}'..='\u{ff60}'
        | '\u{ffe0}'..='\u{ffe6}'
        | '\u{1f300}'..='\u{1f64f}'
        | '\u{1f680}'..='\u{1f6ff}'
        | '\u{1f900}'..='\u{1f9ff}'
        | '\u{20000}'..='\u{3fffd}' => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests;
