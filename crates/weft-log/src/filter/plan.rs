//! What the index can do for a filter: a condition on its table that no matching record fails.

use super::demand::{Demands, demands};
use super::expression::{Comparison, Expression, MemberTest, Term, TextTest, Valued};
use super::field::{DecimalField, FlagField, TextField, WholeField};
use super::words::{Last, Phrase};

/// A condition on the index's table `records` that every matching record fulfils.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// A boolean SQL expression over the columns of `records`; `1` where the index cannot help. Its parameters are `?1` and so
    /// on, and it asks the tables `names` and `text` and the function `REGEXP` too.
    pub sql: String,
    /// The parameters, in order.
    pub params: Vec<SqlValue>,
    /// Whether every record that fulfils the condition matches, so that none has to be read to know.
    pub is_exact: bool,
    /// No record before this position matches; 1 where the filter does not say.
    pub position_min: u64,
    /// No record after this position matches; `u64::MAX` where the filter does not say. None matches if it is less than
    /// `position_min`.
    pub position_max: u64,
    /// What every matching record has.
    pub demands: Demands,
}

/// A parameter of a [`Plan`].
#[derive(Clone, Debug, PartialEq)]
pub enum SqlValue {
    /// A text.
    Text(String),
    /// A whole number.
    Integer(i64),
    /// A number.
    Real(f64),
    /// The last position that the text index has; the caller knows it.
    TextWatermark,
}

/// What the index knows of a part of a filter.
enum Part {
    /// Nothing: any record may match.
    Open,
    /// An FTS5 query that finds at least what matches, as far as the text index goes.
    Query(String),
    /// A condition that at least every matching record fulfils.
    Condition(Condition),
}

struct Condition {
    sql: String,
    params: Vec<SqlValue>,
    is_exact: bool,
}

/// Whether a part must match or must not.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sense {
    Must,
    MustNot,
}

pub(super) fn plan(expression: &Expression) -> Plan {
    let (position_min, position_max) = positions(expression, Sense::Must);
    let condition = match condition(part(expression, Sense::Must)) {
        Some(condition) => condition,
        None => Condition { sql: "1".to_owned(), params: Vec::new(), is_exact: false },
    };
    let Condition { sql, params, is_exact } = condition;
    let demands = demands(expression);
    Plan { sql: numbered(&sql), params, is_exact, position_min, position_max, demands }
}

/// Numbers the parameters, so that others can stand before and after them. No text stands in a condition, so every `?` is one.
fn numbered(sql: &str) -> String {
    let mut parts = sql.split('?');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.zip(1..).fold(first, |sql, (part, n)| format!("{sql}?{n}{part}"))
}

fn part(expression: &Expression, sense: Sense) -> Part {
    match (expression, sense) {
        (Expression::All(parts), Sense::Must) | (Expression::Any(parts), Sense::MustNot) => {
            all(parts.iter().map(|inner| part(inner, sense)))
        }
        (Expression::Any(parts), Sense::Must) | (Expression::All(parts), Sense::MustNot) => {
            any(parts.iter().map(|inner| part(inner, sense)))
        }
        (Expression::Not(inner), Sense::Must) => part(inner, Sense::MustNot),
        (Expression::Not(inner), Sense::MustNot) => part(inner, Sense::Must),
        (Expression::Term(term), Sense::Must) => term_part(term),
        (Expression::Term(term), Sense::MustNot) => match term_part(term) {
            Part::Condition(found) if found.is_exact => {
                Part::Condition(Condition { sql: format!("({}) IS NOT TRUE", found.sql), ..found })
            }
            Part::Open | Part::Query(_) | Part::Condition(_) => Part::Open,
        },
    }
}

/// Joins parts that must all hold; one FTS5 query takes all words.
fn all(parts: impl Iterator<Item = Part>) -> Part {
    let mut queries: Vec<String> = Vec::new();
    let mut conditions = Vec::new();
    let mut is_exact = true;
    for part in parts {
        match part {
            Part::Open => is_exact = false,
            Part::Query(query) => queries.push(query),
            Part::Condition(condition) => conditions.push(condition),
        }
    }
    if !queries.is_empty() && conditions.is_empty() {
        return Part::Query(queries.join(" AND "));
    }
    if !queries.is_empty() {
        conditions.extend(condition(Part::Query(queries.join(" AND "))));
    }
    if conditions.is_empty() && !is_exact {
        return Part::Open;
    }
    let joined = join(conditions, " AND ", "1");
    Part::Condition(Condition { is_exact: is_exact && joined.is_exact, ..joined })
}

/// Joins parts of which one must hold.
fn any(parts: impl Iterator<Item = Part>) -> Part {
    let conditions: Option<Vec<Condition>> = parts.map(condition).collect();
    match conditions {
        Some(conditions) => Part::Condition(join(conditions, " OR ", "0")),
        None => Part::Open,
    }
}

fn join(conditions: Vec<Condition>, between: &str, of_none: &str) -> Condition {
    let is_exact = conditions.iter().all(|condition| condition.is_exact);
    let sql: Vec<&str> = conditions.iter().map(|condition| condition.sql.as_str()).collect();
    let sql = match sql.as_slice() {
        [] => of_none.to_owned(),
        [one] => (*one).to_owned(),
        several => format!("({})", several.join(between)),
    };
    let params = conditions.into_iter().flat_map(|condition| condition.params).collect();
    Condition { sql, params, is_exact }
}

fn condition(part: Part) -> Option<Condition> {
    match part {
        Part::Open => None,
        Part::Condition(condition) => Some(condition),
        // One list of positions and not an `OR`: SQLite looks each of them up, in order, where for the other it scans the table.
        Part::Query(query) => Some(Condition {
            sql: "position IN (SELECT rowid FROM text WHERE text MATCH ? \
                  UNION ALL SELECT position FROM records WHERE position > ?)"
                .to_owned(),
            params: vec![SqlValue::Text(query), SqlValue::TextWatermark],
            is_exact: false,
        }),
    }
}

fn exact(sql: String, params: Vec<SqlValue>) -> Part {
    Part::Condition(Condition { sql, params, is_exact: true })
}

fn term_part(term: &Term) -> Part {
    match term {
        Term::Words(phrase) => Part::Query(phrase.to_match()),
        Term::Text(field, test) => match text_column(*field) {
            Some(column) => {
                let (operator, text) = match test {
                    TextTest::Is(text) => ("=", text.clone()),
                    TextTest::Like(glob) => ("GLOB", glob.to_sqlite()),
                    TextTest::Matches(pattern) => ("REGEXP", pattern.0.as_str().to_owned()),
                };
                let sql = match (column, test) {
                    (Column::Text(column), _) => format!("{column} {operator} ?"),
                    (Column::Name(column), TextTest::Is(_)) => {
                        format!("{column} = (SELECT id FROM names WHERE text = ?)")
                    }
                    (Column::Name(column), TextTest::Like(_) | TextTest::Matches(_)) => {
                        format!("{column} IN (SELECT id FROM names WHERE text {operator} ?)")
                    }
                };
                exact(sql, vec![SqlValue::Text(text)])
            }
            None => Part::Open,
        },
        Term::Whole(field, comparison, number) => whole_part(*field, *comparison, *number),
        Term::Decimal(DecimalField::Cost, comparison, number) => {
            let sql = format!("cost_usd {} ?", comparison.operator());
            exact(sql, vec![SqlValue::Real(*number)])
        }
        Term::Decimal(DecimalField::Progress, ..) => Part::Open,
        Term::Since(ns) => when_part(Comparison::GreaterOrEqual, *ns),
        Term::Until(ns) => when_part(Comparison::Less, *ns),
        Term::Has(valued) => match valued_column(*valued) {
            Some(column) => exact(format!("{column} IS NOT NULL"), Vec::new()),
            None => Part::Open,
        },
        Term::Flag(flag) => {
            let sql = match flag {
                FlagField::Ended => "ended",
                FlagField::Carried => "flags & 1",
                FlagField::Conflict => "flags & 2",
                FlagField::Unverified => "flags & 4",
            };
            exact(sql.to_owned(), Vec::new())
        }
        // The string that the path must lead to is one of those that the text index knows.
        Term::Member(_, MemberTest::Text(TextTest::Is(text))) => {
            match Phrase::of(text, Last::Whole) {
                Some(phrase) => Part::Query(phrase.to_match()),
                None => Part::Open,
            }
        }
        Term::Member(..) => Part::Open,
    }
}

fn whole_part(field: WholeField, comparison: Comparison, number: i64) -> Part {
    // The column holds a count beyond its range as the largest number there is, so nothing can be said of that one.
    let Some(column) = whole_column(field).filter(|_| number < i64::MAX) else {
        return Part::Open;
    };
    let (comparison, number) = match (field == WholeField::At, received(comparison, number)) {
        (false, _) => (comparison, number),
        (true, Some(received)) => received,
        (true, None) => return exact("0".to_owned(), Vec::new()),
    };
    // A range of positions is known before; SQLite must not take it for the way to the records.
    let is_range = field == WholeField::Position && comparison != Comparison::Equal;
    let column = format!("{}{column}", if is_range { "+" } else { "" });
    exact(format!("{column} {} ?", comparison.operator()), vec![SqlValue::Integer(number)])
}

/// Returns the comparison of microseconds that stands for one with nanoseconds; `None` if no microsecond can be equal.
fn received(comparison: Comparison, ns: i64) -> Option<(Comparison, i64)> {
    let floor = ns.div_euclid(1000);
    let is_whole = ns.rem_euclid(1000) == 0;
    let ceiling = floor + i64::from(!is_whole);
    match comparison {
        Comparison::Equal => is_whole.then_some((comparison, floor)),
        Comparison::Less | Comparison::GreaterOrEqual => Some((comparison, ceiling)),
        Comparison::Greater | Comparison::LessOrEqual => Some((comparison, floor)),
    }
}

fn when_part(comparison: Comparison, ns: i64) -> Part {
    let (_, at_us) = received(comparison, ns).expect("only equality can be impossible");
    let operator = comparison.operator();
    let sql = format!("(time_ns {operator} ? OR (time_ns IS NULL AND at_us {operator} ?))");
    exact(sql, vec![SqlValue::Integer(ns), SqlValue::Integer(at_us)])
}

fn valued_column(valued: Valued) -> Option<&'static str> {
    match valued {
        Valued::Text(field) => text_column(field).map(|column| match column {
            Column::Name(column) | Column::Text(column) => column,
        }),
        Valued::Whole(field) => whole_column(field),
        Valued::Decimal(DecimalField::Cost) => Some("cost_usd"),
        Valued::Decimal(DecimalField::Progress) => None,
    }
}

/// How a column holds texts.
enum Column {
    /// As ids of `names`.
    Name(&'static str),
    /// As they are: nearly every record has another.
    Text(&'static str),
}

/// Returns the column that has the field's text; `None` if the index does not keep it.
fn text_column(field: TextField) -> Option<Column> {
    match field {
        TextField::Dialect => Some(Column::Name("dialect")),
        TextField::Type => Some(Column::Name("type")),
        TextField::Status => Some(Column::Name("status")),
        TextField::Level => Some(Column::Name("level")),
        TextField::Actor => Some(Column::Name("actor")),
        TextField::Subject => Some(Column::Name("subject")),
        TextField::Parent => Some(Column::Name("parent")),
        TextField::Session => Some(Column::Name("session")),
        TextField::Tenant => Some(Column::Name("tenant")),
        TextField::Tool => Some(Column::Name("tool")),
        TextField::Path => Some(Column::Name("path")),
        TextField::Trace => Some(Column::Text("trace")),
        TextField::Task => Some(Column::Text("task")),
        TextField::Topic => Some(Column::Name("topic")),
        TextField::Key => Some(Column::Name("topic_key")),
        TextField::Via => Some(Column::Name("via")),
        TextField::Model => Some(Column::Name("model")),
        TextField::Message | TextField::Span => None,
    }
}

fn whole_column(field: WholeField) -> Option<&'static str> {
    match field {
        WholeField::Position => Some("position"),
        WholeField::Order => Some("ordinal"),
        WholeField::Duration => Some("duration_ms"),
        WholeField::InputTokens => Some("input_tokens"),
        WholeField::OutputTokens => Some("output_tokens"),
        WholeField::Time => Some("time_ns"),
        WholeField::At => Some("at_us"),
        WholeField::Tokens => None,
    }
}

/// Returns the first and last position at which a record can match.
fn positions(expression: &Expression, sense: Sense) -> (u64, u64) {
    const NONE: (u64, u64) = (u64::MAX, 0);
    const EVERY: (u64, u64) = (1, u64::MAX);
    match (expression, sense) {
        (Expression::All(parts), Sense::Must) | (Expression::Any(parts), Sense::MustNot) => {
            let inner = parts.iter().map(|part| positions(part, sense));
            inner.fold(EVERY, |(min, max), (first, last)| (min.max(first), max.min(last)))
        }
        (Expression::Any(parts), Sense::Must) | (Expression::All(parts), Sense::MustNot) => {
            let inner = parts.iter().map(|part| positions(part, sense));
            let inner = inner.filter(|(first, last)| first <= last);
            inner.fold(NONE, |(min, max), (first, last)| (min.min(first), max.max(last)))
        }
        (Expression::Not(inner), Sense::Must) => positions(inner, Sense::MustNot),
        (Expression::Not(inner), Sense::MustNot) => positions(inner, Sense::Must),
        (Expression::Term(Term::Whole(WholeField::Position, comparison, number)), sense) => {
            let number = u64::try_from(*number).unwrap_or(0);
            let up_to = |number| (1, number);
            let from = |number: u64| (number.max(1), u64::MAX);
            match (comparison, sense) {
                (Comparison::Equal, Sense::Must) => (number.max(1), number),
                (Comparison::Equal, Sense::MustNot) => EVERY,
                (Comparison::Less, Sense::Must) | (Comparison::GreaterOrEqual, Sense::MustNot) => {
                    up_to(number.saturating_sub(1))
                }
                (Comparison::LessOrEqual, Sense::Must) | (Comparison::Greater, Sense::MustNot) => {
                    up_to(number)
                }
                (Comparison::Greater, Sense::Must) | (Comparison::LessOrEqual, Sense::MustNot) => {
                    from(number + 1)
                }
                (Comparison::GreaterOrEqual, Sense::Must) | (Comparison::Less, Sense::MustNot) => {
                    from(number)
                }
            }
        }
        (Expression::Term(_), _) => EVERY,
    }
}
