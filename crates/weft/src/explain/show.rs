//! What `weft explain` prints about one event.

use weft_event::Dialect;
use weft_event::event::{self, Event, Expect};
use weft_event::input::Item;
use weft_event::json::{Json, Tape};
use weft_event::problem::{Problem, Problems};
use weft_event::validate::{Explanation, Subject, explain};

use crate::output::{Shown, problem_text, write_problem};

/// Everything there is to say about one event, ready to print.
pub(crate) struct Page {
    file: String,
    number: u64,
    explanation: Option<Explanation>,
    dialect: Option<Dialect>,
    meaning: Option<&'static str>,
    fact_rows: Vec<(&'static str, String)>,
    facts: Option<Json<'static>>,
    /// What was found in front of the event.
    before: Problems,
    problems: Problems,
}

impl Page {
    /// Reads the event; `before` is what was found in front of it.
    pub(crate) fn of(file: &str, item: Item<'_>, expect: Expect, before: Problems) -> Self {
        let mut page = Self {
            file: file.to_owned(),
            number: 0,
            explanation: None,
            dialect: None,
            meaning: None,
            fact_rows: Vec::new(),
            facts: None,
            before,
            problems: Problems::new(),
        };
        match item {
            Item::Fault(fault) => page.number = fault.number,
            Item::Line(line) => {
                page.number = line.number;
                let mut tape = Tape::new();
                if let Ok(value) = tape.parse_bytes(line.bytes) {
                    page.explanation = Some(explain(value, Subject::Event(expect)));
                }
                if let Some(event) = event::read_line(&mut tape, line, expect, &mut page.problems) {
                    page.note_event(&event);
                }
            }
        }
        page
    }

    /// Returns whether the event is invalid.
    pub(crate) fn has_errors(&self) -> bool {
        self.before.has_errors() || self.problems.has_errors()
    }

    fn problems(&self) -> impl Iterator<Item = &Problem> {
        self.before.list().iter().chain(self.problems.list())
    }

    fn note_event(&mut self, event: &Event<'_>) {
        let facts = event.facts();
        self.dialect = Some(event.dialect());
        let row = event.dialect().taxonomy().get(&facts.event_type);
        self.meaning = row.map(|row| row.about);
        self.fact_rows = facts.rows();
        self.facts = Some(facts.json());
    }

    /// Returns the page for a person.
    pub(crate) fn text(&self) -> String {
        let mut rows = Vec::new();
        rows.extend(self.explanation.as_ref().map(|how| ("dialect", how.to_string())));
        rows.extend(self.rows());
        let mut text = format!("{}:{}\n", Shown(&self.file), self.number);
        write_rows(&mut text, &rows);
        text + &self.problems_text()
    }

    /// Returns what the event says, by name.
    pub(crate) fn rows(&self) -> Vec<(&'static str, String)> {
        let mut rows = Vec::new();
        for (name, value) in self.fact_rows.iter().filter(|(_, value)| !value.is_empty()) {
            rows.push((*name, value.clone()));
            if *name == "type" {
                rows.extend(self.meaning.map(|meaning| ("meaning", meaning.to_owned())));
            }
        }
        if self.dialect.is_some() && !self.fact_rows.iter().any(|(name, _)| *name == "identity") {
            let none = "none of its own: only its delivery tells it from a repeat";
            rows.push(("identity", none.to_owned()));
        }
        rows
    }

    /// Returns what is wrong with the event, one problem a line.
    pub(crate) fn problems_text(&self) -> String {
        let mut text = String::new();
        match self.problems().count() {
            0 => text += "no problems\n",
            1 => text += "1 problem\n",
            n => text += &format!("{n} problems\n"),
        }
        for problem in self.problems() {
            text += &format!("  {}\n", Shown(&problem_text(problem, problem.severity())));
        }
        text
    }

    /// Returns the page for a program, on one line.
    pub(crate) fn json(&self) -> String {
        let problems = self.problems().map(|problem| {
            Json::object(|object| write_problem(object, self.dialect, problem, problem.severity()))
        });
        let page = Json::object(|object| {
            object.text("file", &self.file);
            object.json("line", &Json::integer(self.number));
            if let Some(explanation) = &self.explanation {
                object.json("explain", &explanation.to_json());
            }
            if let Some(meaning) = self.meaning {
                object.text("meaning", meaning);
            }
            if let Some(facts) = &self.facts {
                object.json("facts", facts);
            }
            object.json("problems", &Json::array(problems));
        });
        format!("{}\n", page.as_str())
    }
}

/// Adds named values, one a line, the values below each other.
pub(crate) fn write_rows(text: &mut String, rows: &[(&'static str, String)]) {
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, value) in rows {
        *text += &format!("  {name:<width$}  {}\n", Shown(value));
    }
}
