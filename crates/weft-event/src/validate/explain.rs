//! Why a line was taken for an event of its dialect.

use std::fmt;

use super::Subject;
use crate::Dialect;
use crate::detect::{self, Detection, Fit, Fits};
use crate::event::Expect;
use crate::json::{Json, Kind, Value};

/// How the dialect of a line was settled, and how well each dialect that has a claim fits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// What settled it.
    pub settled: Settled,
    /// The dialects that the line has a key of; all its marks.
    pub fits: Vec<Fit>,
}

/// What settled the dialect of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settled {
    /// The caller named it.
    Named(Dialect),
    /// It alone has keys in the line that no other dialect writes.
    OnlyFit(Dialect),
    /// Of several it fits best.
    BestFit(Dialect),
    /// No key tells, but it alone has the type.
    TypeName(Dialect),
    /// Several fit equally well.
    Ambiguous(Fits),
    /// None fits.
    Unknown,
    /// The line is not an object.
    NotAnObject,
}

/// Explains how the dialect of a parsed line is settled.
pub fn explain(value: Value<'_>, subject: Subject) -> Explanation {
    let mut fits = detect::fits(value);
    fits.retain(|fit| !fit.marks.is_empty());
    if value.kind() != Kind::Object {
        return Explanation { settled: Settled::NotAnObject, fits };
    }
    let settled = match subject {
        Subject::Document { dialect, .. } | Subject::Event(Expect::Dialect(dialect)) => {
            Settled::Named(dialect)
        }
        Subject::Event(Expect::Any) => match (detect::detect(value), fits.len()) {
            (Detection::Is(dialect), 0) => Settled::TypeName(dialect),
            (Detection::Is(dialect), 1) => Settled::OnlyFit(dialect),
            (Detection::Is(dialect), _) => Settled::BestFit(dialect),
            (Detection::Ambiguous(fits), _) => Settled::Ambiguous(fits),
            (Detection::Unknown, _) => Settled::Unknown,
        },
    };
    Explanation { settled, fits }
}

impl Settled {
    /// Returns the dialect, if there is one.
    pub fn dialect(self) -> Option<Dialect> {
        match self {
            Settled::Named(dialect)
            | Settled::OnlyFit(dialect)
            | Settled::BestFit(dialect)
            | Settled::TypeName(dialect) => Some(dialect),
            Settled::Ambiguous(_) | Settled::Unknown | Settled::NotAnObject => None,
        }
    }

    /// Returns the word used in JSON output.
    pub fn as_str(self) -> &'static str {
        match self {
            Settled::Named(_) => "named",
            Settled::OnlyFit(_) => "only_fit",
            Settled::BestFit(_) => "best_fit",
            Settled::TypeName(_) => "type_name",
            Settled::Ambiguous(_) => "ambiguous",
            Settled::Unknown => "unknown",
            Settled::NotAnObject => "not_an_object",
        }
    }
}

impl Explanation {
    /// Returns the explanation for programs.
    pub fn to_json(&self) -> Json<'static> {
        Json::object(|object| {
            match self.settled.dialect() {
                Some(dialect) => object.text("dialect", dialect.as_str()),
                None => object.key("dialect").push_str("null"),
            }
            object.text("settled", self.settled.as_str());
            let fits = self.fits.iter().map(|fit| {
                Json::object(|object| {
                    object.text("dialect", fit.dialect.as_str());
                    let marks = fit.marks.iter().map(|mark| Json::text(mark));
                    object.json("marks", &Json::array(marks));
                    object.json("complete", &Json::bool(fit.complete));
                })
            });
            object.json("fits", &Json::array(fits));
        })
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fits = || self.fits.iter().map(describe).collect::<Vec<_>>().join(", ");
        let name = self.settled.dialect().map_or("none", Dialect::as_str);
        match self.settled {
            Settled::Named(_) => write!(f, "{name}, as named"),
            Settled::OnlyFit(_) => write!(f, "{name}, the only one that fits: {}", fits()),
            Settled::BestFit(_) => write!(f, "{name}, the best of those that fit: {}", fits()),
            Settled::TypeName(_) => write!(f, "{name}, the only one with this type"),
            Settled::Ambiguous(_) => write!(f, "{name}, as several fit equally well: {}", fits()),
            Settled::Unknown => write!(f, "{name}, as no key and no type tells"),
            Settled::NotAnObject => write!(f, "{name}, as it is not an object"),
        }
    }
}

fn describe(fit: &Fit) -> String {
    let marks: Vec<_> = fit.marks.iter().map(|mark| format!("`{mark}`")).collect();
    let complete = if fit.complete { "complete" } else { "incomplete" };
    format!("{} by {} ({complete})", fit.dialect.as_str(), marks.join(" "))
}
