//! From text to an expression: or binds less than and, and less than not; terms side by side must all match.

use std::ops::Range;

use super::compare;
use super::error::{FilterError, FilterFault};
use super::expression::{Expression, MemberTest, Term, all, any, not};
use super::field::{self, Field};
use super::path::Path;
use super::quote;
use super::scan::{Link, Question, Scanner};
use super::words::{Last, Phrase};
use super::{DEPTH_MAX, REGEXES_MAX, TERMS_MAX};

/// Returns whether a word is one of the language's own.
pub(super) fn is_keyword(word: &str) -> bool {
    ["and", "or", "not"].iter().any(|keyword| word.eq_ignore_ascii_case(keyword))
}

/// Reads a filter. `now_ns` is what relative times count from.
pub(super) fn parse(text: &str, now_ns: i64) -> Result<Expression, FilterError> {
    let mut parser =
        Parser { scan: Scanner { text, at: 0 }, now_ns, depth: 0, n_terms: 0, n_regexes: 0 };
    parser.scan.skip_blanks();
    if parser.scan.peek().is_none() {
        return Ok(Expression::EVERYTHING);
    }
    let expression = parser.any()?;
    match parser.scan.peek() {
        None => Ok(expression),
        Some(_) => {
            let at = parser.scan.at;
            Err(FilterError::new(at..at + 1, FilterFault::UnopenedParenthesis))
        }
    }
}

/// What a value is compared with.
enum Left {
    Field(&'static field::FieldInfo),
    Path(Path),
}

struct Parser<'t> {
    scan: Scanner<'t>,
    now_ns: i64,
    depth: usize,
    n_terms: usize,
    n_regexes: usize,
}

impl Parser<'_> {
    /// Reads alternatives, up to the end or a closing parenthesis.
    fn any(&mut self) -> Result<Expression, FilterError> {
        let mut parts = vec![self.all()?];
        while let Some(word) = self.keyword("or") {
            self.expect_term(word)?;
            parts.push(self.all()?);
        }
        Ok(any(parts))
    }

    /// Reads terms that must all match, up to `or`, the end or a closing parenthesis.
    fn all(&mut self) -> Result<Expression, FilterError> {
        let mut parts = vec![self.not()?];
        loop {
            self.scan.skip_blanks();
            if let Some(word) = self.keyword("and") {
                self.expect_term(word)?;
            } else if self.is_keyword_next("or") || matches!(self.scan.peek(), None | Some(')')) {
                return Ok(all(parts));
            }
            parts.push(self.not()?);
        }
    }

    /// Reads a term with what negates it.
    fn not(&mut self) -> Result<Expression, FilterError> {
        let mut is_negated = false;
        loop {
            self.scan.skip_blanks();
            let start = self.scan.at;
            let sign = match self.scan.peek() {
                Some('!') if self.scan.link(start).is_some() => None,
                Some('-' | '!') => Some(start..start + 1),
                Some(_) | None => None,
            };
            if let Some(sign) = sign {
                self.scan.at = sign.end;
                if self.scan.peek().is_none_or(|c| c.is_whitespace() || c == ')') {
                    return Err(self.nothing_after(sign));
                }
            } else if let Some(word) = self.keyword("not") {
                self.expect_term(word)?;
            } else {
                let term = self.primary()?;
                return Ok(if is_negated { not(term) } else { term });
            }
            is_negated = !is_negated;
        }
    }

    /// Reads a term or what stands in parentheses.
    fn primary(&mut self) -> Result<Expression, FilterError> {
        let start = self.scan.at;
        for keyword in ["and", "or"] {
            if let Some(place) = self.keyword(keyword) {
                let word = self.scan.text[place.clone()].to_owned();
                return Err(FilterError::new(place, FilterFault::NothingBefore { word }));
            }
        }
        match self.scan.peek() {
            Some('(') => self.parenthesized(),
            Some('"' | '\'') => self.quoted_words(),
            Some('.') => {
                let (path, end) = Path::read(self.scan.text, start)?;
                let Some(link) = self.scan.link(end) else {
                    let path = path.to_string();
                    return Err(FilterError::new(start..end, FilterFault::PathAlone { path }));
                };
                self.comparison(Left::Path(path), link, start)
            }
            Some(_) | None => self.field_or_words(),
        }
    }

    fn parenthesized(&mut self) -> Result<Expression, FilterError> {
        let start = self.scan.at;
        if self.depth == DEPTH_MAX {
            return Err(FilterError::new(start..start + 1, FilterFault::TooDeep));
        }
        self.depth += 1;
        self.scan.at += 1;
        self.scan.skip_blanks();
        if self.scan.peek() == Some(')') {
            let place = start..self.scan.at + 1;
            return Err(FilterError::new(place, FilterFault::EmptyParentheses));
        }
        let inner = if self.scan.peek().is_none() { None } else { Some(self.any()?) };
        let (Some(inner), Some(')')) = (inner, self.scan.peek()) else {
            return Err(FilterError::new(start..start + 1, FilterFault::UnclosedParenthesis));
        };
        self.scan.at += 1;
        self.depth -= 1;
        Ok(inner)
    }

    fn quoted_words(&mut self) -> Result<Expression, FilterError> {
        let start = self.scan.at;
        let inside = self.scan.quoted()?;
        let text = quote::unescape(&self.scan.text[inside.clone()], inside.start)?;
        let last = match self.scan.peek() {
            Some('*') => {
                self.scan.at += 1;
                Last::Prefix
            }
            Some(_) | None => Last::Whole,
        };
        self.scan.end_quoted()?;
        self.words(&text, last, start)
    }

    /// Reads a comparison if a name and an operator are next, otherwise words.
    fn field_or_words(&mut self) -> Result<Expression, FilterError> {
        let start = self.scan.at;
        let name = &self.scan.rest()[..self.scan.name_length()];
        let name_end = start + name.len();
        let link = if name.is_empty() { None } else { self.scan.link(name_end) };
        let Some(link) = link else { return self.bare_words() };
        let left = match field::find(name) {
            Some(info)
                if info.field == Field::Has && self.scan.text[link.end..].starts_with('.') =>
            {
                return self.has_path(start, link.end);
            }
            Some(info) => Left::Field(info),
            None if link.text == ":" => Left::Path(Path::of_dotted(name)),
            None => {
                let nearest = field::nearest_field(name);
                let fault = FilterFault::UnknownField { name: name.to_owned(), nearest };
                return Err(FilterError::new(start..name_end, fault));
            }
        };
        self.comparison(left, link, start)
    }

    /// Reads the path that a record is asked to have.
    fn has_path(&mut self, start: usize, path_start: usize) -> Result<Expression, FilterError> {
        let (path, end) = Path::read(self.scan.text, path_start)?;
        self.scan.at = end;
        let behind = end..end + self.scan.word_length();
        if !behind.is_empty() {
            let rule = "something else stands behind it";
            return Err(FilterError::new(behind, FilterFault::BadPath { rule }));
        }
        self.admit(Term::Member(path, MemberTest::Exists).into(), start)
    }

    /// Reads the value of a comparison whose left side and operator are read.
    fn comparison(
        &mut self,
        left: Left,
        link: Link<'_>,
        start: usize,
    ) -> Result<Expression, FilterError> {
        self.scan.at = link.end;
        let is_directly_behind =
            link.text == ":" || !self.scan.rest().starts_with(char::is_whitespace);
        if !is_directly_behind {
            self.scan.skip_blanks();
        }
        let is_keyword = || ["and", "or", "not"].iter().any(|word| self.is_keyword_next(word));
        let value = if !is_directly_behind && is_keyword() {
            None
        } else {
            self.scan.value(link.operator)?
        };
        let Some(value) = value else {
            let field = match left {
                Left::Field(info) => info.name.to_owned(),
                Left::Path(path) => path.to_string(),
            };
            let fault = FilterFault::MissingValue { field, operator: link.text.to_owned() };
            return Err(FilterError::new(start..link.end, fault));
        };
        if link.operator.question() == Question::Matches {
            self.n_regexes += 1;
            if self.n_regexes > REGEXES_MAX {
                return Err(FilterError::new(value.place, FilterFault::TooManyRegexes));
            }
        }
        let operator_place = link.end - link.text.len()..link.end;
        let request = compare::Request { operator: link.operator, operator_place, value };
        let expression = match left {
            Left::Field(info) => compare::field(info, &request, self.now_ns)?,
            Left::Path(path) => compare::member(path, &request, self.now_ns)?,
        };
        self.admit(expression, start)
    }

    /// Reads words without quotes: up to a blank or a parenthesis.
    fn bare_words(&mut self) -> Result<Expression, FilterError> {
        let start = self.scan.at;
        let word = &self.scan.rest()[..self.scan.word_length()];
        if word == "*" {
            self.scan.at += 1;
            return Ok(Expression::EVERYTHING);
        }
        if let Some(link) = self.scan.link(start) {
            let fault = FilterFault::MissingField { operator: link.text.to_owned() };
            return Err(FilterError::new(start..link.end, fault));
        }
        if let Some(idx) = word.find(['=', '<', '>', '~']) {
            let name = word[..idx].trim_end_matches('!').to_owned();
            let place = start..start + name.len();
            let fault = FilterFault::UnknownField { name, nearest: None };
            return Err(FilterError::new(place, fault));
        }
        if let Some(idx) = word.find('"') {
            let at = start + idx;
            return Err(FilterError::new(at..at + 1, FilterFault::QuoteInWord));
        }
        let (text, last) = match word.strip_suffix('*') {
            Some(text) => (text, Last::Prefix),
            None => (word, Last::Whole),
        };
        if let Some(idx) = text.find('*') {
            let at = start + idx;
            return Err(FilterError::new(at..at + 1, FilterFault::StarInWord));
        }
        self.scan.at += word.len();
        self.words(text, last, start)
    }

    /// Makes a term of words to search for.
    fn words(&mut self, text: &str, last: Last, start: usize) -> Result<Expression, FilterError> {
        let Some(phrase) = Phrase::of(text, last) else {
            let fault = FilterFault::NoWords { text: text.to_owned() };
            return Err(FilterError::new(start..self.scan.at, fault));
        };
        self.admit(Expression::Term(Term::Words(phrase)), start)
    }

    /// Counts what was read from `start` on against the limits. One comparison can stand for several terms, in a list that its
    /// normal form puts in parentheses.
    fn admit(&mut self, read: Expression, start: usize) -> Result<Expression, FilterError> {
        let place = start..self.scan.at;
        self.n_terms += read.n_terms();
        if self.n_terms > TERMS_MAX {
            return Err(FilterError::new(place, FilterFault::TooManyTerms));
        }
        if read.n_terms() > 1 && self.depth == DEPTH_MAX {
            return Err(FilterError::new(place, FilterFault::TooDeep));
        }
        Ok(read)
    }

    /// Returns the place of the keyword if it is next, and moves behind it.
    fn keyword(&mut self, keyword: &str) -> Option<Range<usize>> {
        self.scan.skip_blanks();
        if !self.is_keyword_next(keyword) {
            return None;
        }
        let start = self.scan.at;
        self.scan.at += keyword.len();
        Some(start..self.scan.at)
    }

    fn is_keyword_next(&self, keyword: &str) -> bool {
        let rest = self.scan.rest();
        rest.split_at_checked(keyword.len()).is_some_and(|(word, behind)| {
            let ends = |c: char| c.is_whitespace() || matches!(c, '(' | ')' | '"' | '\'');
            word.eq_ignore_ascii_case(keyword) && (behind.is_empty() || behind.starts_with(ends))
        })
    }

    /// Refuses the end, a closing parenthesis, `and` and `or` where the word at `place` wants a term.
    fn expect_term(&mut self, place: Range<usize>) -> Result<(), FilterError> {
        self.scan.skip_blanks();
        let is_missing = matches!(self.scan.peek(), None | Some(')'));
        if is_missing || self.is_keyword_next("and") || self.is_keyword_next("or") {
            return Err(self.nothing_after(place));
        }
        Ok(())
    }

    fn nothing_after(&self, place: Range<usize>) -> FilterError {
        let word = self.scan.text[place.clone()].to_owned();
        FilterError::new(place, FilterFault::NothingAfter { word })
    }
}
