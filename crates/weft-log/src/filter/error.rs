//! What is wrong with a filter, where, and what to write instead.

use std::ops::Range;

use super::path::Path;
use super::{DEPTH_MAX, REGEX_BYTES_MAX, REGEXES_MAX, TERMS_MAX, TEXT_BYTES_MAX};

/// How many characters of a filter are shown on either side of a fault.
const CONTEXT_CHARS: usize = 50;

/// A filter that cannot be read: what is wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{fault}")]
pub struct FilterError {
    /// Where the fault begins, in bytes of the filter's text.
    pub offset: usize,
    /// How many bytes it spans; 0 where something is missing.
    pub length: usize,
    /// What is wrong.
    pub fault: FilterFault,
}

/// What can be wrong with a filter. Prints as one sentence without a full stop; [`FilterFault::help`] has the way out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FilterFault {
    /// It, or its normal form, is longer than [`TEXT_BYTES_MAX`].
    #[error("the filter has {bytes} bytes, more than the {TEXT_BYTES_MAX} allowed")]
    TooLong {
        /// Its length.
        bytes: usize,
    },
    /// Parentheses nest deeper than [`DEPTH_MAX`].
    #[error("parentheses nest deeper than {DEPTH_MAX}")]
    TooDeep,
    /// It has more terms than [`TERMS_MAX`].
    #[error("the filter has more than {TERMS_MAX} terms")]
    TooManyTerms,
    /// It has more regular expressions than [`REGEXES_MAX`].
    #[error("the filter has more than {REGEXES_MAX} regular expressions")]
    TooManyRegexes,
    /// A quote is opened and not closed.
    #[error("this quote is never closed")]
    UnclosedQuote {
        /// The quote: `"` or `'`.
        quote: char,
    },
    /// Something stands right behind a closing quote.
    #[error("something stands right behind the closing quote")]
    AfterQuote,
    /// A double quote stands inside a word.
    #[error("a quote stands inside a word")]
    QuoteInWord,
    /// A backslash in quotes is followed by something that it cannot stand before.
    #[error("`{escape}` is no known escape")]
    BadEscape {
        /// The backslash and what follows.
        escape: String,
    },
    /// A parenthesis is opened and not closed.
    #[error("this parenthesis is never closed")]
    UnclosedParenthesis,
    /// A parenthesis closes what was never opened.
    #[error("this parenthesis closes nothing")]
    UnopenedParenthesis,
    /// Nothing stands between parentheses.
    #[error("nothing stands between these parentheses")]
    EmptyParentheses,
    /// A blank stands inside the parentheses of a value.
    #[error("a blank cuts this value off inside its parentheses")]
    CutValue,
    /// Nothing follows `and`, `or`, `not`, `-` or `!`.
    #[error("nothing to match follows `{word}`")]
    NothingAfter {
        /// The word.
        word: String,
    },
    /// Nothing stands before `and` or `or`.
    #[error("nothing to match stands before `{word}`")]
    NothingBefore {
        /// The word.
        word: String,
    },
    /// An operator has no field.
    #[error("`{operator}` has no field before it")]
    MissingField {
        /// The operator.
        operator: String,
    },
    /// An operator has no value.
    #[error("`{field}{operator}` has no value")]
    MissingValue {
        /// The field or path.
        field: String,
        /// The operator.
        operator: String,
    },
    /// Two operators stand where one belongs.
    #[error("`{second}` follows an operator")]
    TwoOperators {
        /// The second of them.
        second: char,
    },
    /// There is no field of this name.
    #[error("there is no field `{name}`")]
    UnknownField {
        /// The name.
        name: String,
        /// The field that is most likely meant.
        nearest: Option<&'static str>,
    },
    /// The field has only certain values, and this is none.
    #[error("`{word}` is no {field}")]
    UnknownWord {
        /// The field.
        field: &'static str,
        /// The wrong word.
        word: String,
        /// The right words.
        words: &'static [&'static str],
        /// The one that is most likely meant.
        nearest: Option<&'static str>,
    },
    /// The field cannot be compared that way.
    #[error("`{field}` cannot be compared with `{operator}`")]
    WrongOperator {
        /// The field.
        field: &'static str,
        /// The operator.
        operator: &'static str,
        /// What it can be compared with.
        known: &'static str,
    },
    /// The regular expression cannot be read.
    #[error("not a regular expression: {reason}")]
    BadRegex {
        /// Why.
        reason: String,
    },
    /// The regular expression takes more memory than [`REGEX_BYTES_MAX`].
    #[error("the regular expression takes more than {REGEX_BYTES_MAX} bytes of memory")]
    RegexTooLarge,
    /// A value is not of the sort that its field has.
    #[error("`{value}` is not {expected}")]
    BadValue {
        /// What was written.
        value: String,
        /// What it should be.
        expected: Expected,
    },
    /// A path cannot be read.
    #[error("not a path: {rule}")]
    BadPath {
        /// The rule it breaks.
        rule: &'static str,
    },
    /// A path stands alone.
    #[error("the path `{path}` is compared with nothing")]
    PathAlone {
        /// The path.
        path: String,
    },
    /// A star stands inside a word to search for.
    #[error("a word to search for takes `*` at its end only")]
    StarInWord,
    /// Text to search for has no word.
    #[error("`{text}` has no letter or digit to search for")]
    NoWords {
        /// The text.
        text: String,
    },
}

/// What a value of a field should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Expected {
    /// A time.
    #[error("a time")]
    Time,
    /// A duration in whole milliseconds.
    #[error("a duration")]
    Duration,
    /// A whole number that 64 bits hold.
    #[error("a whole number")]
    Whole,
    /// A number.
    #[error("a number")]
    Decimal,
    /// Yes or no.
    #[error("`yes` or `no`")]
    YesNo,
    /// Something that has an order.
    #[error("a number or a time")]
    Ordered,
}

impl Expected {
    fn help(self) -> &'static str {
        match self {
            Expected::Time => {
                "write `2h` (s, m, h, d, w) for that long ago, `2026-11-14`, or `2026-11-14T10:00Z`"
            }
            Expected::Duration => {
                "write whole milliseconds with a unit: `250ms`, `5s`, `1.5m`, `1h30m`, `2d`"
            }
            Expected::Whole => "write digits alone, up to 9223372036854775807",
            Expected::Decimal => "write it like `0.25`",
            Expected::YesNo => "write one of the two",
            Expected::Ordered => "nothing else has an order; compare text with `=` or `~`",
        }
    }
}

impl FilterError {
    pub(super) fn new(place: Range<usize>, fault: FilterFault) -> Self {
        Self { offset: place.start, length: place.len(), fault }
    }

    /// Returns what is wrong, the filter with the place marked, and what to write instead, on four lines. `text` is the filter
    /// that gave the error.
    pub fn render(&self, text: &str) -> String {
        let at = floor(text, self.offset);
        let end = floor(text, self.offset.saturating_add(self.length)).max(at);
        let before: Vec<char> = text[..at].chars().rev().take(CONTEXT_CHARS).collect();
        let is_cut_before = text[..at].chars().nth(CONTEXT_CHARS).is_some();
        let marked: String = text[at..end].chars().take(CONTEXT_CHARS).collect();
        let after = &text[at + marked.len()..];
        let mut shown = String::from(if is_cut_before { "…" } else { "" });
        shown.extend(before.iter().rev());
        let n_before = shown.chars().count();
        shown.push_str(&marked);
        shown.extend(after.chars().take(CONTEXT_CHARS));
        if after.chars().nth(CONTEXT_CHARS).is_some() {
            shown.push('…');
        }
        let shown: String = shown.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let carets = "^".repeat(marked.chars().count().max(1));
        let help = self.fault.help();
        format!("{self}\n  {}\n  {:n_before$}{carets}\nhelp: {help}", shown.trim_end(), "")
    }
}

/// Returns the last place at or before `at` where a character begins or the text ends.
fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

impl FilterFault {
    /// Returns the way out: what to write instead.
    pub fn help(&self) -> String {
        let fixed = match self {
            FilterFault::TooLong { .. } | FilterFault::TooManyTerms => {
                "ask for less at once, or use a regular expression for a list: `task~\"^(a|b|c)$\"`"
            }
            FilterFault::TooManyRegexes => "join some of them: `task~\"^(a|b)\"`",
            FilterFault::TooDeep => "leave out the parentheses that are not needed",
            FilterFault::UnclosedQuote { quote } => return format!("end the text with `{quote}`"),
            FilterFault::AfterQuote => "put a blank between the two, or all of it in quotes",
            FilterFault::QuoteInWord => {
                "put the whole word in quotes, with `\\\"` for the one inside"
            }
            FilterFault::BadEscape { .. } => {
                "a backslash is written `\\\\`; the others are \\\" \\' \\n \\r \\t \\u{1f600}"
            }
            FilterFault::UnclosedParenthesis => "add a `)`",
            FilterFault::UnopenedParenthesis => "remove it, or put what it belongs to in quotes",
            FilterFault::EmptyParentheses => "remove them, or write `*` for everything",
            FilterFault::CutValue => "put the whole value in quotes",
            FilterFault::NothingAfter { word } if word == "-" || word == "!" => {
                "remove it, or put it right before what must not match"
            }
            FilterFault::NothingAfter { word } | FilterFault::NothingBefore { word } => {
                return format!("remove it, or search for the word as `\"{word}\"`");
            }
            FilterFault::MissingField { .. } => {
                "write a field or a `.path` before it, or put it in quotes to search for it"
            }
            FilterFault::MissingValue { field, operator } => match field.as_str() {
                "since" | "until" | "has" => {
                    return format!("write the value right behind it: `{field}{operator}value`");
                }
                _ => return format!("write the value behind it, or `has:{field}` to ask for any"),
            },
            FilterFault::TwoOperators { .. } => "write one of them, or put the value in quotes",
            FilterFault::UnknownField { name, nearest } => {
                return unknown_field_help(name, *nearest);
            }
            FilterFault::UnknownWord { words, nearest, .. } => {
                let words = words.join(", ");
                return match nearest {
                    Some(nearest) => format!("is it `{nearest}`? The words are {words}"),
                    None => format!("the words are {words}"),
                };
            }
            FilterFault::WrongOperator { known, .. } => return format!("it takes {known}"),
            FilterFault::BadRegex { .. } => {
                "a glob is compared with `=`; here a backslash stands before what means itself"
            }
            FilterFault::RegexTooLarge => "use smaller repetitions, and `[0-9]` for `\\d`",
            FilterFault::BadValue { expected, .. } => expected.help(),
            FilterFault::BadPath { .. } => {
                "paths look like `.data.bead_id`, `.items[0].x`, `.items[].x`, `.[\"odd name\"]`"
            }
            FilterFault::PathAlone { path } => {
                return format!(
                    "write `{path}=value`, `has:{path}`, or quotes to search for the text"
                );
            }
            FilterFault::StarInWord => {
                "compare a field with a glob or a regular expression: `message~\"fo.*ar\"`"
            }
            FilterFault::NoWords { text } => match text.as_str() {
                "&&" => "write `and`, or nothing: terms side by side must all match",
                "||" | "|" => "write `or`",
                _ => {
                    "search looks for words; for other characters compare a field: `message~\"=>\"`"
                }
            },
        };
        fixed.to_owned()
    }
}

fn unknown_field_help(name: &str, nearest: Option<&'static str>) -> String {
    let path = Path::of_dotted(name);
    match nearest {
        Some(nearest) => format!("is it `{nearest}`? A member of the event is written `{path}`"),
        None => format!("a member of the event is written `{path}`"),
    }
}
