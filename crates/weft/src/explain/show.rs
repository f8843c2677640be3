//! What `weft explain` prints about one event.

use std::borrow::Cow;

use weft_event::event::{self, Event, Expect};
use weft_event::input::Item;
use weft_event::json::{Json, Object, Tape};
use weft_event::problem::{Problem, Problems};
use weft_event::validate::{Explanation, Subject, explain};
use weft_event::{Dialect, Facts, Usage, time};

use crate::output::{Shown, problem_text, write_problem};

/// Everything there is to say about one event, ready to print.
pub(super) struct Page {
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
    pub(super) fn of(file: &str, item: Item<'_>, expect: Expect, before: Problems) -> Self {
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
    pub(super) fn has_errors(&self) -> bool {
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
        self.facts = Some(facts_json(&facts));
    }

    /// Returns the page for a person.
    pub(super) fn text(&self) -> String {
        let mut rows = Vec::new();
        rows.extend(self.explanation.as_ref().map(|how| ("dialect", how.to_string())));
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
        let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        let mut text = format!("{}:{}\n", Shown(&self.file), self.number);
        for (name, value) in &rows {
            text += &format!("  {name:<width$}  {}\n", Shown(value));
        }
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
    pub(super) fn json(&self) -> String {
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

fn facts_json(facts: &Facts<'_>) -> Json<'static> {
    Json::object(|object| {
        object.text("dialect", facts.dialect.as_str());
        object.text("type", &facts.event_type);
        text(object, "time", facts.time_ns.map(time::format_rfc3339).as_deref());
        cow(object, "actor", &facts.actor);
        cow(object, "subject", &facts.subject);
        cow(object, "parent", &facts.parent);
        cow(object, "session", &facts.session);
        cow(object, "tenant", &facts.tenant);
        count(object, "order", facts.order);
        text(object, "identity", facts.identity.own.as_ref().map(ToString::to_string).as_deref());
        text(
            object,
            "retry_key",
            facts.identity.retry.as_ref().map(ToString::to_string).as_deref(),
        );
        text(object, "status", facts.status.map(|status| status.as_str()));
        object.json("ended", &Json::bool(facts.ended));
        object.text("level", facts.level.as_str());
        number(object, "progress", facts.progress);
        cow(object, "tool", &facts.tool);
        cow(object, "path", &facts.path);
        count(object, "duration_ms", facts.duration_ms);
        cow(object, "message", &facts.message);
        cow(object, "trace", &facts.trace);
        cow(object, "span", &facts.span);
        cow(object, "parent_span", &facts.parent_span);
        cow(object, "task", &facts.task);
        if let Some(usage) = &facts.usage {
            object.json("usage", &usage_json(usage));
        }
        cow(object, "topic", &facts.topic);
    })
}

fn usage_json(usage: &Usage<'_>) -> Json<'static> {
    Json::object(|object| {
        count(object, "input_tokens", usage.input_tokens);
        count(object, "output_tokens", usage.output_tokens);
        count(object, "cache_read_tokens", usage.cache_read_tokens);
        count(object, "cache_write_tokens", usage.cache_write_tokens);
        count(object, "total_tokens", usage.total_tokens);
        number(object, "cost_usd", usage.cost_usd);
        number(object, "used", usage.used);
        number(object, "limit", usage.limit);
        cow(object, "model", &usage.model);
        cow(object, "provider", &usage.provider);
    })
}

fn text(object: &mut Object<'_>, name: &str, value: Option<&str>) {
    if let Some(value) = value {
        object.text(name, value);
    }
}

fn cow(object: &mut Object<'_>, name: &str, value: &Option<Cow<'_, str>>) {
    text(object, name, value.as_deref());
}

fn count(object: &mut Object<'_>, name: &str, value: Option<u64>) {
    if let Some(value) = value {
        object.json(name, &Json::integer(value));
    }
}

fn number(object: &mut Object<'_>, name: &str, value: Option<f64>) {
    if let Some(value) = value {
        object.json(name, &Json::number(value));
    }
}
