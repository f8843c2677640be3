//! The characters of a filter: blanks, words, operators and values, from a place that only moves forward.

use std::borrow::Cow;
use std::ops::Range;

use super::error::{FilterError, FilterFault};
use super::expression::Comparison;
use super::quote;

/// An operator between a field and a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Is,
    IsNot,
    Matches,
    MatchesNot,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// Operators as they are written; of two that begin alike the longer comes first.
const OPERATORS: [(&str, Operator); 9] = [
    ("==", Operator::Is),
    ("=", Operator::Is),
    ("!=", Operator::IsNot),
    ("!~", Operator::MatchesNot),
    ("~", Operator::Matches),
    ("<=", Operator::LessOrEqual),
    ("<", Operator::Less),
    (">=", Operator::GreaterOrEqual),
    (">", Operator::Greater),
];

impl Operator {
    /// Returns how it is written.
    pub(super) fn text(self) -> &'static str {
        match self {
            Operator::Is => "=",
            Operator::IsNot => "!=",
            Operator::Matches => "~",
            Operator::MatchesNot => "!~",
            Operator::Less => "<",
            Operator::LessOrEqual => "<=",
            Operator::Greater => ">",
            Operator::GreaterOrEqual => ">=",
        }
    }

    /// Returns what it asks, if not in the negative.
    pub(super) fn question(self) -> Question {
        match self {
            Operator::Is | Operator::IsNot => Question::Is,
            Operator::Matches | Operator::MatchesNot => Question::Matches,
            Operator::Less => Question::Order(Comparison::Less),
            Operator::LessOrEqual => Question::Order(Comparison::LessOrEqual),
            Operator::Greater => Question::Order(Comparison::Greater),
            Operator::GreaterOrEqual => Question::Order(Comparison::GreaterOrEqual),
        }
    }

    /// Returns whether it asks in the negative.
    pub(super) fn is_negated(self) -> bool {
        self == Operator::IsNot || self == Operator::MatchesNot
    }
}

/// What an operator asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Question {
    Is,
    Matches,
    Order(Comparison),
}

/// What stands between a field and its value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link<'t> {
    pub(super) operator: Operator,
    /// As it is written.
    pub(super) text: &'t str,
    pub(super) end: usize,
}

/// The value behind an operator.
#[derive(Clone, Debug)]
pub(super) struct Written<'t> {
    pub(super) text: Cow<'t, str>,
    pub(super) place: Range<usize>,
    pub(super) form: Form,
}

/// How a value was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Bare,
    Quoted,
}

/// A filter's text and how much of it is read.
pub(super) struct Scanner<'t> {
    pub(super) text: &'t str,
    pub(super) at: usize,
}

impl<'t> Scanner<'t> {
    pub(super) fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn skip_blanks(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    /// Returns how many bytes of the rest are a name, as a field has it.
    pub(super) fn name_length(&self) -> usize {
        let rest = self.rest();
        if !rest.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            return 0;
        }
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '$' | '@');
        rest.find(|c| !is_name(c)).unwrap_or(rest.len())
    }

    /// Returns how many bytes of the rest are a word: up to a blank or a parenthesis.
    pub(super) fn word_length(&self) -> usize {
        let rest = self.rest();
        let ends = |c: char| c.is_whitespace() || matches!(c, '(' | ')');
        rest.find(ends).unwrap_or(rest.len())
    }

    /// Returns what links a name or path that ends at `at` to a value: an operator, also behind blanks, or a colon right there.
    pub(super) fn link(&self, at: usize) -> Option<Link<'t>> {
        if let Some(behind) = self.text[at..].strip_prefix(':') {
            // `a::b` and `http://x` are text.
            let is_text = behind.starts_with(':') || behind.starts_with("//");
            let link = Link { operator: Operator::Is, text: ":", end: at + 1 };
            return (!is_text).then_some(link);
        }
        let rest = self.text[at..].trim_start();
        let (text, operator) = *OPERATORS.iter().find(|(text, _)| rest.starts_with(text))?;
        Some(Link { operator, text, end: self.text.len() - rest.len() + text.len() })
    }

    /// Reads quoted text, whose quote is next, up to and with its closing quote; returns the place of what is inside.
    pub(super) fn quoted(&mut self) -> Result<Range<usize>, FilterError> {
        let start = self.at;
        let end = quote::closing(self.text, start)?;
        self.at = end + 1;
        Ok(start + 1..end)
    }

    /// Refuses what stands right behind a closing quote.
    pub(super) fn end_quoted(&self) -> Result<(), FilterError> {
        match self.peek() {
            Some(c) if !c.is_whitespace() && c != ')' && c != '(' => {
                let length = self.word_length();
                Err(FilterError::new(self.at..self.at + length, FilterFault::AfterQuote))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Reads the value behind an operator; `None` if there is none. In a regular expression a backslash belongs to the
    /// expression, also in quotes.
    pub(super) fn value(&mut self, operator: Operator) -> Result<Option<Written<'t>>, FilterError> {
        match self.peek() {
            None | Some(')') => Ok(None),
            Some(c) if c.is_whitespace() => Ok(None),
            Some('"' | '\'') => {
                let start = self.at;
                let inside = self.quoted()?;
                self.end_quoted()?;
                let raw = &self.text[inside.clone()];
                let text = match operator.question() {
                    Question::Matches => Cow::Borrowed(raw),
                    Question::Is | Question::Order(_) => quote::unescape(raw, inside.start)?,
                };
                Ok(Some(Written { text, place: start..self.at, form: Form::Quoted }))
            }
            Some(second @ ('=' | '<' | '>')) => {
                Err(FilterError::new(self.at..self.at + 1, FilterFault::TwoOperators { second }))
            }
            Some(_) => self.bare_value(operator).map(Some),
        }
    }

    /// Reads a value without quotes: up to a blank, or the parenthesis that closes one before the value.
    fn bare_value(&mut self, operator: Operator) -> Result<Written<'t>, FilterError> {
        let start = self.at;
        let mut opened = Vec::new();
        let mut characters = self.rest().char_indices();
        let mut end = self.text.len();
        while let Some((idx, c)) = characters.next() {
            let at = start + idx;
            match c {
                '\\' if operator.question() == Question::Matches => {
                    characters.next();
                }
                '"' => return Err(FilterError::new(at..at + 1, FilterFault::QuoteInWord)),
                '(' => opened.push(at),
                ')' if opened.pop().is_none() => {
                    end = at;
                    break;
                }
                c if c.is_whitespace() => {
                    end = at;
                    break;
                }
                _ => {}
            }
        }
        if let Some(opened) = opened.pop() {
            let fault = if end == self.text.len() {
                FilterFault::UnclosedParenthesis
            } else {
                FilterFault::CutValue
            };
            return Err(FilterError::new(opened..end, fault));
        }
        self.at = end;
        let text = Cow::Borrowed(&self.text[start..end]);
        Ok(Written { text, place: start..end, form: Form::Bare })
    }
}
