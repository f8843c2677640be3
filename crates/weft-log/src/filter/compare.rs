//! What a field or path, an operator and a value mean together.

use std::ops::Range;

use regex::RegexBuilder;

use super::REGEX_BYTES_MAX;
use super::error::{Expected, FilterError, FilterFault};
use super::expression::{
    Comparison, Expression, MemberTest, Number, Pattern, Scalar, Term, TextTest, Valued, all, any,
    not,
};
use super::field::{
    self, DecimalField, Field, FieldInfo, FieldKind, FlagField, TextField, WholeField,
};
use super::glob::Glob;
use super::path::Path;
use super::scan::{Form, Operator, Question, Written};
use super::value::{self, DAY_NS, Time};

/// An operator and the value behind it.
pub(super) struct Request<'t> {
    pub(super) operator: Operator,
    pub(super) operator_place: Range<usize>,
    pub(super) value: Written<'t>,
}

/// Returns what a comparison with a field means.
pub(super) fn field(
    info: &'static FieldInfo,
    request: &Request<'_>,
    now_ns: i64,
) -> Result<Expression, FilterError> {
    let asked = match info.field {
        Field::Text(field) => text(info, field, request)?,
        Field::Whole(field) => whole(info, field, request, now_ns)?,
        Field::Decimal(field) => decimal(info, field, request)?,
        Field::Flag(field) => flag(info, field, request)?,
        Field::Since | Field::Until | Field::Has if request.operator != Operator::Is => {
            return Err(request.wrong_operator(info, "`:` and `=`"));
        }
        Field::Since => Term::Since(request.time(now_ns)?.start_ns()).into(),
        Field::Until => Term::Until(request.time(now_ns)?.start_ns()).into(),
        Field::Has => has(request)?,
    };
    Ok(if request.operator.is_negated() { not(asked) } else { asked })
}

/// Returns what a comparison with a path into the event means.
pub(super) fn member(
    path: Path,
    request: &Request<'_>,
    now_ns: i64,
) -> Result<Expression, FilterError> {
    let text = &request.value.text;
    let is_bare = request.value.form == Form::Bare;
    let number = value::number(text).filter(|_| is_bare);
    let test = match request.operator.question() {
        Question::Matches => MemberTest::Text(TextTest::Matches(request.regex()?)),
        Question::Order(comparison) => match (number, value::time(text, now_ns)) {
            (Some(number), _) => MemberTest::Number(comparison, number),
            (None, Some(time)) => {
                let parts = time_parts(comparison, time).into_iter();
                let of_part = |(comparison, ns)| {
                    Term::Member(path.clone(), MemberTest::Time(comparison, ns)).into()
                };
                return Ok(all(parts.map(of_part).collect()));
            }
            (None, None) => {
                return Err(request.bad_value(Expected::Ordered));
            }
        },
        Question::Is if request.asks_for_any() => MemberTest::Exists,
        Question::Is => match (request.glob(), scalar(text, number).filter(|_| is_bare)) {
            (Some(glob), _) => MemberTest::Text(TextTest::Like(glob)),
            (None, Some(value)) => MemberTest::Scalar { text: text.to_string(), value },
            (None, None) => MemberTest::Text(TextTest::Is(text.to_string())),
        },
    };
    let asked = Term::Member(path, test).into();
    Ok(if request.operator.is_negated() { not(asked) } else { asked })
}

fn scalar(text: &str, number: Option<Number>) -> Option<Scalar> {
    match text {
        "null" => Some(Scalar::Null),
        "true" => Some(Scalar::Boolean(true)),
        "false" => Some(Scalar::Boolean(false)),
        _ => number.map(Scalar::Number),
    }
}

fn text(
    info: &'static FieldInfo,
    field: TextField,
    request: &Request<'_>,
) -> Result<Expression, FilterError> {
    let term = |test| Expression::Term(Term::Text(field, test));
    let words = match info.kind {
        FieldKind::Word(words) | FieldKind::Rank(words) => Some(words),
        FieldKind::Text
        | FieldKind::Whole
        | FieldKind::Decimal
        | FieldKind::Duration
        | FieldKind::Time
        | FieldKind::YesNo
        | FieldKind::FieldName => None,
    };
    match (request.operator.question(), words) {
        (Question::Matches, _) => Ok(term(TextTest::Matches(request.regex()?))),
        (Question::Is, _) if request.asks_for_any() => Ok(Term::Has(Valued::Text(field)).into()),
        (Question::Is, None) => Ok(term(match request.glob() {
            Some(glob) => TextTest::Like(glob),
            None => TextTest::Is(request.value.text.to_string()),
        })),
        (Question::Is, Some(words)) => match request.glob() {
            Some(glob) if words.iter().any(|word| glob.matches(word)) => {
                Ok(term(TextTest::Like(glob)))
            }
            Some(_) => Err(request.unknown_word(info, words)),
            None => {
                let (_, word) = request.known_word(info, words)?;
                Ok(term(TextTest::Is(word.to_owned())))
            }
        },
        (Question::Order(comparison), Some(words)) if matches!(info.kind, FieldKind::Rank(_)) => {
            let (rank, _) = request.known_word(info, words)?;
            let of_rank =
                words.iter().enumerate().filter(|(idx, _)| comparison.holds(idx.cmp(&rank)));
            Ok(any(of_rank.map(|(_, word)| term(TextTest::Is((*word).to_owned()))).collect()))
        }
        (Question::Order(_), _) => {
            Err(request.wrong_operator(info, "`=`, `!=`, `~`, `!~` and `:`"))
        }
    }
}

fn whole(
    info: &'static FieldInfo,
    field: WholeField,
    request: &Request<'_>,
    now_ns: i64,
) -> Result<Expression, FilterError> {
    let comparison = request.comparison(info)?;
    if request.operator.question() == Question::Is && request.asks_for_any() {
        return Ok(Term::Has(Valued::Whole(field)).into());
    }
    let text = &request.value.text;
    let number = match info.kind {
        FieldKind::Time => {
            let parts = time_parts(comparison, request.time(now_ns)?).into_iter();
            let of_part = |(comparison, ns)| Term::Whole(field, comparison, ns).into();
            return Ok(all(parts.map(of_part).collect()));
        }
        FieldKind::Duration => {
            value::duration_ms(text).ok_or_else(|| request.bad_value(Expected::Duration))?
        }
        FieldKind::Text
        | FieldKind::Word(_)
        | FieldKind::Rank(_)
        | FieldKind::Whole
        | FieldKind::Decimal
        | FieldKind::YesNo
        | FieldKind::FieldName => {
            value::whole(text).ok_or_else(|| request.bad_value(Expected::Whole))?
        }
    };
    Ok(Term::Whole(field, comparison, number).into())
}

fn decimal(
    info: &'static FieldInfo,
    field: DecimalField,
    request: &Request<'_>,
) -> Result<Expression, FilterError> {
    let comparison = request.comparison(info)?;
    if request.operator.question() == Question::Is && request.asks_for_any() {
        return Ok(Term::Has(Valued::Decimal(field)).into());
    }
    let number = value::decimal(&request.value.text);
    let number = number.ok_or_else(|| request.bad_value(Expected::Decimal))?;
    Ok(Term::Decimal(field, comparison, number).into())
}

/// Returns the comparisons with instants that a comparison with a time stands for: a day is more than one instant.
fn time_parts(comparison: Comparison, time: Time) -> Vec<(Comparison, i64)> {
    let start = time.start_ns();
    let end = start.saturating_add(DAY_NS);
    match (time, comparison) {
        (Time::Instant(_), comparison)
        | (Time::Day(_), comparison @ (Comparison::Less | Comparison::GreaterOrEqual)) => {
            vec![(comparison, start)]
        }
        (Time::Day(_), Comparison::LessOrEqual) => vec![(Comparison::Less, end)],
        (Time::Day(_), Comparison::Greater) => vec![(Comparison::GreaterOrEqual, end)],
        (Time::Day(_), Comparison::Equal) => {
            vec![(Comparison::GreaterOrEqual, start), (Comparison::Less, end)]
        }
    }
}

fn flag(
    info: &'static FieldInfo,
    field: FlagField,
    request: &Request<'_>,
) -> Result<Expression, FilterError> {
    let is_set = Expression::Term(Term::Flag(field));
    match request.operator.question() {
        Question::Is => match request.value.text.to_ascii_lowercase().as_str() {
            "yes" | "true" | "*" => Ok(is_set),
            "no" | "false" => Ok(not(is_set)),
            _ => Err(request.bad_value(Expected::YesNo)),
        },
        Question::Matches | Question::Order(_) => {
            Err(request.wrong_operator(info, "`=`, `!=` and `:`"))
        }
    }
}

/// Returns what `has` with the name of a field means; a path is read before.
fn has(request: &Request<'_>) -> Result<Expression, FilterError> {
    let name = request.value.text.as_ref();
    let info = field::find(name).ok_or_else(|| {
        let nearest = field::nearest_field(name);
        request.wrong_value(|name| FilterFault::UnknownField { name, nearest })
    })?;
    match info.field {
        Field::Text(field) => Ok(Term::Has(Valued::Text(field)).into()),
        Field::Whole(field) => Ok(Term::Has(Valued::Whole(field)).into()),
        Field::Decimal(field) => Ok(Term::Has(Valued::Decimal(field)).into()),
        Field::Flag(field) => Ok(Term::Flag(field).into()),
        Field::Since | Field::Until | Field::Has => {
            Err(request
                .wrong_value(|name| FilterFault::UnknownField { name, nearest: Some("time") }))
        }
    }
}

impl Request<'_> {
    /// Returns whether the value is a bare `*`, which asks whether there is any.
    fn asks_for_any(&self) -> bool {
        self.value.form == Form::Bare && self.value.text == "*"
    }

    fn glob(&self) -> Option<Glob> {
        match self.value.form {
            Form::Bare => Glob::parse(&self.value.text),
            Form::Quoted => None,
        }
    }

    fn time(&self, now_ns: i64) -> Result<Time, FilterError> {
        value::time(&self.value.text, now_ns).ok_or_else(|| self.bad_value(Expected::Time))
    }

    fn known_word(
        &self,
        info: &'static FieldInfo,
        words: &'static [&'static str],
    ) -> Result<(usize, &'static str), FilterError> {
        let found = words.iter().position(|word| word.eq_ignore_ascii_case(&self.value.text));
        found.map(|idx| (idx, words[idx])).ok_or_else(|| self.unknown_word(info, words))
    }

    fn unknown_word(
        &self,
        info: &'static FieldInfo,
        words: &'static [&'static str],
    ) -> FilterError {
        let nearest = field::nearest(&self.value.text, words.iter().copied());
        let field = info.name;
        self.wrong_value(|word| FilterFault::UnknownWord { field, word, words, nearest })
    }

    /// Returns how a field that has numbers is compared.
    fn comparison(&self, info: &'static FieldInfo) -> Result<Comparison, FilterError> {
        match self.operator.question() {
            Question::Is => Ok(Comparison::Equal),
            Question::Order(comparison) => Ok(comparison),
            Question::Matches => {
                Err(self.wrong_operator(info, "`=`, `!=`, `<`, `<=`, `>`, `>=` and `:`"))
            }
        }
    }

    fn bad_value(&self, expected: Expected) -> FilterError {
        self.wrong_value(|value| FilterFault::BadValue { value, expected })
    }

    fn wrong_value(&self, fault: impl FnOnce(String) -> FilterFault) -> FilterError {
        FilterError::new(self.value.place.clone(), fault(self.value.text.to_string()))
    }

    fn wrong_operator(&self, info: &'static FieldInfo, known: &'static str) -> FilterError {
        let operator = self.operator.text();
        let fault = FilterFault::WrongOperator { field: info.name, operator, known };
        FilterError::new(self.operator_place.clone(), fault)
    }

    fn regex(&self) -> Result<Pattern, FilterError> {
        let built = RegexBuilder::new(&self.value.text).size_limit(REGEX_BYTES_MAX).build();
        built.map(Pattern).map_err(|error| {
            let fault = match error {
                regex::Error::CompiledTooBig(_) => FilterFault::RegexTooLarge,
                // The parser's message is a picture of several lines; the last says what is wrong.
                error => {
                    let message = error.to_string();
                    let reason = message.lines().last().unwrap_or_default();
                    let reason = reason.strip_prefix("error: ").unwrap_or(reason).to_owned();
                    FilterFault::BadRegex { reason }
                }
            };
            self.wrong_value(|_| fault)
        })
    }
}
