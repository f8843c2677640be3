//! Words: how text is cut into them, how a phrase is found in an event, and what the text index is fed.
//!
//! A word is a longest run of letters and digits (Unicode's alphabetic and numeric characters). Upper and lower case are the
//! same, and so are Latin letters with and without their accents. The index is fed words that are already folded, so that it
//! finds what [`Phrase::is_in`] finds in every script: its own tables never decide.

use std::fmt;

use weft_event::json::{Kind, Value};

/// The FTS5 tokenizer that cuts what [`write_search_text`] writes where this module cuts it.
pub const SEARCH_TOKENIZER: &str = "ascii";

/// Appends what the text index is to know of an event: the words of all its string values, names of members left out.
pub fn write_search_text(event: Value<'_>, body: &mut String) {
    any_text(event, &mut |text| {
        if text.is_ascii() {
            body.push_str(text);
        } else {
            for word in words(text) {
                body.extend(word.chars().flat_map(fold));
                body.push(' ');
            }
        }
        body.push('\n');
        false
    });
}

/// Words that follow each other within one string of the event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Phrase {
    /// Folded, at least one.
    words: Vec<String>,
    last: Last,
}

/// What the last word of a phrase stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Last {
    Whole,
    Prefix,
}

impl Phrase {
    /// Returns the words of a text; `None` if it has none. A prefix must end in a letter: what follows `a-` is another word.
    pub(super) fn of(text: &str, last: Last) -> Option<Self> {
        let is_prefix = last == Last::Prefix && text.ends_with(|c| is_letter(c) || is_accent(c));
        let last = if is_prefix { Last::Prefix } else { Last::Whole };
        let words: Vec<String> =
            words(text).map(|word| word.chars().flat_map(fold).collect()).collect();
        (!words.is_empty()).then_some(Self { words, last })
    }

    /// Returns whether a string value of the event has the phrase.
    pub(super) fn is_in(&self, event: Value<'_>) -> bool {
        any_text(event, &mut |text| self.is_in_text(text))
    }

    fn is_in_text(&self, text: &str) -> bool {
        let mut rest = words(text);
        loop {
            if self.begins(rest.clone()) {
                return true;
            }
            if rest.next().is_none() {
                return false;
            }
        }
    }

    fn begins(&self, mut found: Words<'_>) -> bool {
        let last_idx = self.words.len() - 1;
        self.words.iter().enumerate().all(|(idx, wanted)| {
            found.next().is_some_and(|word| match self.last {
                Last::Prefix if idx == last_idx => has_prefix(word, wanted),
                Last::Prefix | Last::Whole => is_word(word, wanted),
            })
        })
    }

    /// Returns the FTS5 query that finds at least every event with the phrase. It asks for the words in any order, which an index
    /// without places can answer too.
    pub(super) fn to_match(&self) -> String {
        let quoted: Vec<String> = self.words.iter().map(|word| format!("\"{word}\"")).collect();
        let star = match self.last {
            Last::Prefix => "*",
            Last::Whole => "",
        };
        format!("{}{star}", quoted.join(" AND "))
    }
}

impl fmt::Display for Phrase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.words.as_slice() {
            [word] if !super::parse::is_keyword(word) => f.write_str(word)?,
            words => write!(f, "\"{}\"", words.join(" "))?,
        }
        match self.last {
            Last::Prefix => f.write_str("*"),
            Last::Whole => Ok(()),
        }
    }
}

/// Calls `test` with the string values of a JSON value until one passes.
fn any_text(value: Value<'_>, test: &mut impl FnMut(&str) -> bool) -> bool {
    match value.kind() {
        Kind::Text => value.as_text().is_some_and(|text| test(&text)),
        Kind::Object => value.members().any(|(_, member)| any_text(member, test)),
        Kind::Array => value.items().any(|item| any_text(item, test)),
        Kind::Null | Kind::True | Kind::False | Kind::Number | Kind::Key => false,
    }
}

fn words(text: &str) -> Words<'_> {
    Words { rest: text }
}

/// The words of a text as they stand in it.
#[derive(Clone)]
struct Words<'t> {
    rest: &'t str,
}

impl<'t> Iterator for Words<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        let start = self.rest.find(is_letter)?;
        let found = &self.rest[start..];
        let end = found.find(|c| !is_letter(c) && !is_accent(c)).unwrap_or(found.len());
        let (word, rest) = found.split_at(end);
        self.rest = rest;
        Some(word)
    }
}

fn is_letter(c: char) -> bool {
    c.is_alphanumeric() && !is_accent(c)
}

/// Returns whether the character is an accent that belongs to the letter before it. It is no part of the folded word.
fn is_accent(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}')
}

fn is_word(word: &str, folded: &str) -> bool {
    if word.is_ascii() {
        word.eq_ignore_ascii_case(folded)
    } else {
        word.chars().flat_map(fold).eq(folded.chars())
    }
}

fn has_prefix(word: &str, folded: &str) -> bool {
    let mut letters = word.chars().flat_map(fold);
    folded.chars().all(|c| letters.next() == Some(c))
}

fn fold(c: char) -> impl Iterator<Item = char> {
    c.to_lowercase().filter(|c| !is_accent(*c)).map(without_accent)
}

/// Returns the letter without its accent, for the Latin letters up to U+017F that have one.
fn without_accent(c: char) -> char {
    match c {
        '\0'..='\u{df}' => c,
        'à'..='å' | 'ā' | 'ă' | 'ą' => 'a',
        'ç' | 'ć' | 'ĉ' | 'ċ' | 'č' => 'c',
        'ď' => 'd',
        'è'..='ë' | 'ē' | 'ĕ' | 'ė' | 'ę' | 'ě' => 'e',
        'ĝ' | 'ğ' | 'ġ' | 'ģ' => 'g',
        'ĥ' => 'h',
        'ì'..='ï' | 'ĩ' | 'ī' | 'ĭ' | 'į' => 'i',
        'ĵ' => 'j',
        'ķ' => 'k',
        'ĺ' | 'ļ' | 'ľ' => 'l',
        'ñ' | 'ń' | 'ņ' | 'ň' => 'n',
        'ò'..='ö' | 'ō' | 'ŏ' | 'ő' => 'o',
        'ŕ' | 'ŗ' | 'ř' => 'r',
        'ś' | 'ŝ' | 'ş' | 'š' => 's',
        'ţ' | 'ť' => 't',
        'ù'..='ü' | 'ũ' | 'ū' | 'ŭ' | 'ů' | 'ű' | 'ų' => 'u',
        'ŵ' => 'w',
        'ý' | 'ÿ' | 'ŷ' => 'y',
        'ź' | 'ż' | 'ž' => 'z',
        c => c,
    }
}
