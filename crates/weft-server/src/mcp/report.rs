//! From the arguments of a tool to events of the collector dialect.

use std::borrow::Cow;
use std::path::PathBuf;

use uuid::Uuid;
use weft_event::collector::{Correlation, Event, Source, TAXONOMY, Tool, VERSION};
use weft_event::json::{Json, Object, Tape, Value};
use weft_event::time::format_rfc3339;
use weft_event::translate::parse_traceparent;
use weft_event::{Status, digest_parts, hook};
use weft_runtime::topics::Ulid;

use super::argument::get;
use super::tool::Of;

/// Who reports where nothing says so.
const NOBODY: &str = "mcp";

/// What is known of a call beside its arguments.
#[derive(Clone, Debug, Default)]
pub(super) struct Around {
    /// When it came, in nanoseconds since 1970.
    pub(super) now_ns: i64,
    /// The session that the client runs for, if it says so.
    pub(super) session: Option<String>,
    /// The folder that the client works in, if it is known.
    pub(super) folder: Option<PathBuf>,
    /// The client's name.
    pub(super) client: Option<String>,
    /// The trace that the call belongs to, in the form of W3C.
    pub(super) traceparent: Option<String>,
    /// The client's own id of the tool call.
    pub(super) call: Option<String>,
    /// The id of the message that it posts, if it posts one.
    pub(super) message: Ulid,
}

/// What is to be recorded.
#[derive(Debug)]
pub(super) struct Report {
    pub(super) events: Vec<Made>,
    pub(super) agent: String,
    pub(super) session: Option<String>,
    pub(super) decision: Option<String>,
    /// Whether the same call may have come before.
    pub(super) can_repeat: bool,
}

/// One event that was made.
#[derive(Debug)]
pub(super) struct Made {
    pub(super) event_type: &'static str,
    pub(super) event_id: Uuid,
    pub(super) line: String,
}

/// Makes the events of a call whose arguments are checked; the error says what else they lack.
pub(super) fn report(of: Of, given: Value<'_>, around: &Around) -> Result<Report, Lack> {
    let text = |name: &str| get(given, name).and_then(Value::as_text);
    let mut maker = Maker::new(of, given, around);
    let message = text("message");
    let word = |name: &str| text(name).unwrap_or_default();
    match of {
        Of::Lifecycle => {
            let event_type = match &*word("state") {
                "started" => "lifecycle.started",
                "completed" => "lifecycle.completed",
                "error" => "lifecycle.error",
                _ => "lifecycle.terminated",
            };
            maker.make(Said { message, ..Said::of(event_type) }, |_| {});
        }
        Of::Activity => activity(&mut maker, given)?,
        Of::Waiting => {
            let (waiting_for, expected) = (word("waiting_for"), text("expected_status"));
            let expected = expected.unwrap_or(Cow::Borrowed(Status::Completed.as_str()));
            let said = || Cow::Owned(format!("Waiting for {waiting_for} to be {expected}"));
            let message = Some(message.unwrap_or_else(said));
            maker.make(Said { message, ..Said::of("coordination.waiting") }, |metadata| {
                metadata.text("waiting_for", &waiting_for);
                metadata.text("expected_status", &expected);
            });
        }
        Of::Blocked => {
            maker.make(Said { message, ..Said::of("coordination.blocked") }, |metadata| {
                text("needs").iter().for_each(|needs| metadata.text("needs", needs));
            });
        }
        Of::Handoff => {
            let to = word("handoff_to");
            let said = || Cow::Owned(format!("Handing over to {to}"));
            let message = Some(message.unwrap_or_else(said));
            maker.make(Said { message, ..Said::of("coordination.handoff") }, |metadata| {
                metadata.text("handoff_to", &to);
            });
        }
        Of::Decision => decision(&mut maker, given)?,
        Of::System => {
            let event_type = match &*word("kind") {
                "heartbeat" => "system.heartbeat",
                "config_change" => "system.config_change",
                _ if message.is_none() => return Err(Lack::WhatFailed),
                _ => "system.error",
            };
            maker.make(Said { message, ..Said::of(event_type) }, |_| {});
        }
    }
    Ok(maker.report)
}

fn activity(maker: &mut Maker<'_>, given: Value<'_>) -> Result<(), Lack> {
    let text = |name: &str| get(given, name).and_then(Value::as_text);
    let tool_name = text("tool_name");
    let event_type = match &*text("activity").unwrap_or_default() {
        "thinking" => "activity.thinking",
        "progress" => "activity.progress",
        _ if tool_name.is_none() => return Err(Lack::Tool),
        _ => "activity.tool_use",
    };
    let of_tool = ["tool_input", "tool_result", "duration_ms"];
    if tool_name.is_none() && of_tool.iter().any(|name| get(given, name).is_some()) {
        return Err(Lack::Tool);
    }
    let using = || tool_name.as_ref().map(|tool| Cow::Owned(format!("Using {tool}")));
    let message = Some(text("message").or_else(using).ok_or(Lack::Message)?);
    let tool = tool_name.map(|tool_name| Tool {
        tool_name: Some(tool_name),
        tool_input: get(given, "tool_input").map(Json::of),
        tool_result: text("tool_result"),
        duration_ms: get(given, "duration_ms").and_then(Value::as_i64),
        ..Tool::default()
    });
    let progress = get(given, "progress").and_then(Value::as_f64);
    maker.make(Said { event_type, message, progress, tool }, |_| {});
    Ok(())
}

fn decision(maker: &mut Maker<'_>, given: Value<'_>) -> Result<(), Lack> {
    let text = |name: &str| get(given, name).and_then(Value::as_text);
    let rejected = || get(given, "rejected").into_iter().flat_map(Value::items);
    let (chosen, reasoning) = (text("chosen"), text("reasoning"));
    if chosen.is_none() && reasoning.is_none() && rejected().next().is_none() {
        return Err(Lack::Decision);
    }
    let id = match text("decision_id") {
        Some(id) => id.into_owned(),
        None => format!("decision-{}", maker.next_id().simple()),
    };
    let (message, category) = (text("message"), text("category"));
    let common = |metadata: &mut Object<'_>| {
        metadata.text("decision_id", &id);
        category.iter().for_each(|category| metadata.text("category", category));
    };
    if let Some(chosen) = &chosen {
        let said = Said { message: message.clone(), ..Said::of("decision.made") };
        maker.make(said, |metadata| {
            common(metadata);
            get(given, "options").iter().for_each(|it| metadata.json("options", &Json::of(*it)));
            metadata.text("chosen", chosen);
            text("rationale").iter().for_each(|why| metadata.text("rationale", why));
        });
    }
    if let Some(reasoning) = &reasoning {
        maker.make(Said { message, ..Said::of("decision.rationale") }, |metadata| {
            common(metadata);
            metadata.text("rationale", reasoning);
        });
    }
    for rejection in rejected() {
        let option = rejection.text_at("option").unwrap_or_default();
        let message = Some(Cow::Owned(format!("Rejected {option}")));
        maker.make(Said { message, ..Said::of("decision.rejected") }, |metadata| {
            common(metadata);
            metadata.text("option", &option);
            metadata.text("reason", &rejection.text_at("reason").unwrap_or_default());
        });
    }
    maker.report.decision = Some(id);
    Ok(())
}

/// Returns who a call is about, and the session it belongs to.
pub(super) fn who(given: Value<'_>, around: &Around) -> (String, Option<String>) {
    let text = |name: &str| get(given, name).and_then(Value::as_text).map(Cow::into_owned);
    let session = text("session_id").or_else(|| around.session.clone());
    let named = text("agent_id").or_else(|| session.as_deref().map(hook::main_agent));
    let agent = named.or_else(|| around.client.clone()).unwrap_or_else(|| NOBODY.to_owned());
    (agent, session)
}

/// What arguments lack that are right one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Lack {
    #[error("`tool_name` is missing: the tool that ran")]
    Tool,
    #[error("`message` is missing: what you think about, or what you reached")]
    Message,
    #[error("`message` is missing: what failed")]
    WhatFailed,
    #[error(
        "a decision needs `chosen`; what is added to an earlier one needs `reasoning` or `rejected`"
    )]
    Decision,
}

/// What one event says beside its metadata.
struct Said<'s> {
    event_type: &'static str,
    message: Option<Cow<'s, str>>,
    progress: Option<f64>,
    tool: Option<Tool<'s>>,
}

impl Said<'_> {
    fn of(event_type: &'static str) -> Self {
        Self { event_type, message: None, progress: None, tool: None }
    }
}

/// Makes the events of one call.
struct Maker<'a> {
    of: Of,
    given: Value<'a>,
    around: &'a Around,
    correlation: Correlation<'static>,
    /// What makes the ids the same for the same call.
    key: Option<String>,
    report: Report,
}

impl<'a> Maker<'a> {
    fn new(of: Of, given: Value<'a>, around: &'a Around) -> Self {
        let text = |name: &str| get(given, name).and_then(Value::as_text);
        let (agent, session) = who(given, around);
        let main_agent = session.as_deref().map(hook::main_agent);
        let traceparent = around.traceparent.as_deref();
        let parent = traceparent.and_then(parse_traceparent).map(|(_, span)| span.to_owned());
        let correlation = Correlation {
            trace_id: hook::trace_of(session.as_deref(), traceparent).map(Cow::Owned),
            // What is reported in a tool call stands below that call, as hooks name it.
            parent_span_id: around.call.clone().or(parent).map(Cow::Owned),
            root_agent_id: main_agent.map(Cow::Owned),
            ..Correlation::default()
        };
        let key = text("request_id").map(Cow::into_owned).or_else(|| around.call.clone());
        let can_repeat = key.is_some();
        let report = Report { events: Vec::new(), agent, session, decision: None, can_repeat };
        Self { of, given, around, correlation, key, report }
    }

    /// Returns the id of the next event: the same for the same event of the same call.
    fn next_id(&self) -> Uuid {
        let Some(key) = &self.key else { return Uuid::now_v7() };
        let session = self.report.session.as_deref().unwrap_or_default();
        let idx = (self.report.events.len() as u64).to_le_bytes();
        let of = [self.of as u8];
        let parts: [&[u8]; 5] = [b"mcp call", &of, session.as_bytes(), key.as_bytes(), &idx];
        Uuid::from_bytes(digest_parts(&parts))
    }

    fn make(&mut self, said: Said<'_>, fill: impl FnOnce(&mut Object<'_>)) {
        let Said { event_type, message, progress, tool } = said;
        let event_id = self.next_id();
        let has_place = self.correlation != Correlation::default();
        let event = Event {
            version: VERSION.into(),
            event_type: event_type.into(),
            timestamp: format_rfc3339(self.around.now_ns / 1_000 * 1_000).into(),
            agent_id: Cow::Borrowed(&self.report.agent),
            event_id: Some(event_id.to_string().into()),
            session_id: self.report.session.as_deref().map(Cow::Borrowed),
            source: Some(Source::Mcp),
            status: TAXONOMY.get(event_type).and_then(|row| row.status),
            message,
            progress,
            tool,
            correlation: has_place.then(|| self.correlation.clone()),
            metadata: Some(self.metadata(fill)).filter(|it| *it != Json::empty_object()),
            ..Event::default()
        };
        let line = event.to_line();
        self.report.events.push(Made { event_type, event_id, line });
    }

    /// Writes what a tool knows of, then what else was given: of two members of one name the first counts.
    fn metadata(&self, fill: impl FnOnce(&mut Object<'_>)) -> Json<'static> {
        let mut out = String::new();
        let mut object = Object::begin(&mut out);
        if let Some(client) = &self.around.client {
            object.text("client", client);
        }
        if let Some(task) = get(self.given, "task_id").and_then(Value::as_text) {
            object.text("task_id", &task);
        }
        fill(&mut object);
        object.end();
        let mut tape = Tape::new();
        let known = tape.parse(&out).expect("what we write is JSON");
        let more = get(self.given, "metadata").into_iter().flat_map(Value::members);
        Json::object(|object| {
            for (key, value) in known.members() {
                object.json(&key.as_text().unwrap_or_default(), &Json::of(value));
            }
            for (key, value) in more {
                let name = key.as_text().unwrap_or_default();
                if known.get(&name).is_none() {
                    object.json(&name, &Json::of(value));
                }
            }
        })
    }
}

#[cfg(test)]
mod tests;
