//! A table of text for people: aligned columns, of which the last two wrap where the width is known.

/// How many columns a table has.
const COLUMNS: usize = 4;
/// What stands between two columns.
const GAP: &str = "  ";
/// A column that would get narrower than this is not wrapped.
const WRAPPED_CHARS_MIN: usize = 12;

/// Rows under a header.
pub(crate) struct Table {
    rows: Vec<[String; COLUMNS]>,
}

impl Table {
    /// Returns a table without rows.
    pub(crate) fn new(header: [&str; COLUMNS]) -> Self {
        Self { rows: vec![header.map(str::to_owned)] }
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, row: [String; COLUMNS]) {
        self.rows.push(row);
    }

    /// Returns the table as lines of at most `width` characters, as far as the first two columns leave room.
    pub(crate) fn render(&self, width: Option<usize>) -> String {
        let widths = self.widths(width);
        let mut out = String::new();
        for row in &self.rows {
            let cells: [Vec<String>; COLUMNS] = std::array::from_fn(|n| wrap(&row[n], widths[n]));
            let n_lines = cells.iter().map(Vec::len).max().unwrap_or(0);
            for line_idx in 0..n_lines {
                let mut line = String::new();
                for (cell, width) in cells.iter().zip(widths) {
                    let text = cell.get(line_idx).map_or("", String::as_str);
                    line += &format!("{text:<width$}{GAP}");
                }
                out.push_str(line.trim_end());
                out.push('\n');
            }
        }
        out
    }

    fn widths(&self, width: Option<usize>) -> [usize; COLUMNS] {
        let longest = |n: usize| self.rows.iter().map(|row| row[n].chars().count()).max();
        let natural: [usize; COLUMNS] = std::array::from_fn(|n| longest(n).unwrap_or(0));
        let [first, second, third, fourth] = natural;
        let taken = first + second + 3 * GAP.len();
        let Some(room) = width.map(|width| width.saturating_sub(taken)) else { return natural };
        if third + fourth <= room {
            return natural;
        }
        let fourth = fourth.min((room * 2 / 5).max(WRAPPED_CHARS_MIN));
        let third = third.min(room.saturating_sub(fourth).max(WRAPPED_CHARS_MIN));
        [first, second, third, fourth]
    }
}

/// Breaks a text at its spaces into lines of at most `width` characters; a longer word stays whole.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("there is always a line");
        if line.is_empty() {
            line.push_str(word);
        } else if line.chars().count() + 1 + word.chars().count() <= width {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

#[cfg(test)]
mod tests;
