//! One line of text as it is typed: a cursor, and the few keys that everybody's fingers know.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// Most bytes that can be typed.
const BYTES_MAX: usize = 16 * 1024;

/// A line being typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Typed {
    text: String,
    /// Where the next letter goes, in bytes; always between two characters.
    cursor: usize,
}

impl Typed {
    /// Returns a line with the cursor at its end.
    pub(crate) fn new(text: &str) -> Self {
        Self { text: text.to_owned(), cursor: text.len() }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns where the cursor is, in bytes.
    pub(crate) fn cursor(&self) -> usize {
        self.cursor
    }

    /// Puts text where the cursor is; whatever is not to be seen is left out.
    pub(crate) fn insert(&mut self, text: &str) {
        let text: String = text.chars().filter(|c| !c.is_control()).collect();
        if self.text.len() + text.len() <= BYTES_MAX {
            self.text.insert_str(self.cursor, &text);
            self.cursor += text.len();
        }
    }

    /// Puts a word in the place of what stands between a place and the cursor.
    pub(crate) fn replace(&mut self, from: usize, word: &str) {
        if from <= self.cursor && self.text.is_char_boundary(from) {
            self.text.replace_range(from..self.cursor, "");
            self.cursor = from;
            self.insert(word);
        }
    }

    /// Takes a key. Returns whether the text changed.
    pub(crate) fn press(&mut self, key: KeyEvent) -> bool {
        let before = self.text.len();
        let is_ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Char('a') if is_ctrl => self.cursor = 0,
            KeyCode::Char('e') if is_ctrl => self.cursor = self.text.len(),
            KeyCode::Char('u') if is_ctrl => self.replace(0, ""),
            KeyCode::Char('k') if is_ctrl => self.text.truncate(self.cursor),
            KeyCode::Char('w') if is_ctrl => self.replace(self.word_start(), ""),
            KeyCode::Char(c) if !is_ctrl && !key.modifiers.contains(KeyModifiers::ALT) => {
                self.insert(c.encode_utf8(&mut [0; 4]));
            }
            KeyCode::Backspace => self.replace(self.previous(), ""),
            KeyCode::Delete => {
                let end = self.next();
                self.text.replace_range(self.cursor..end, "");
            }
            KeyCode::Left => self.cursor = self.previous(),
            KeyCode::Right => self.cursor = self.next(),
            KeyCode::Home => self.cursor = 0,
            KeyCode::End => self.cursor = self.text.len(),
            _ => {}
        }
        self.text.len() != before
    }

    fn previous(&self) -> usize {
        self.text[..self.cursor].char_indices().next_back().map_or(0, |(at, _)| at)
    }

    fn next(&self) -> usize {
        self.text[self.cursor..].chars().next().map_or(self.cursor, |c| self.cursor + c.len_utf8())
    }

    fn word_start(&self) -> usize {
        let before = self.text[..self.cursor].trim_end();
        before
            .rfind(char::is_whitespace)
            .map_or(0, |at| at + before[at..].chars().next().map_or(0, char::len_utf8))
    }
}

#[cfg(test)]
mod tests;
