//! Where a hook stands in a trace: the session is the trace, prompts, subagents and tool calls are its spans.

use std::borrow::Cow;

use super::payload::Payload;
use crate::json::Object;
use crate::translate::trace;

/// Writes `correlation`, unless there is nothing to say.
pub(super) fn write(event: &mut Object<'_>, payload: &Payload<'_>, traceparent: Option<&str>) {
    let trace = match traceparent.and_then(trace::parse_traceparent) {
        Some((trace, _)) => Some(trace.to_owned()),
        None => payload.session.as_deref().map(|session| trace::trace(session).hex),
    };
    let (span, parent) = place(payload);
    if trace.is_none() && span.is_none() && parent.is_none() {
        return;
    }
    let mut correlation = Object::begin(event.key("correlation"));
    let mut text = |name: &str, id: Option<&str>| {
        if let Some(id) = id {
            correlation.text(name, id);
        }
    };
    text("trace_id", trace.as_deref());
    text("span_id", span.as_deref());
    text("parent_span_id", parent);
    text("root_agent_id", payload.main_agent.as_deref());
    correlation.end();
}

/// Returns the hook's own span and the one above it. A prompt and a subagent have a span that begins and ends; so has a tool call,
/// below the one that makes it.
fn place<'p>(payload: &'p Payload<'_>) -> (Option<Cow<'p, str>>, Option<&'p str>) {
    let (prompt, subagent) = (payload.prompt.as_deref(), payload.subagent.as_deref());
    let above = subagent.or(prompt);
    match &*payload.name {
        "UserPromptSubmit" | "Stop" | "StopFailure" if subagent.is_none() => {
            (prompt.map(Into::into), None)
        }
        "SubagentStart" | "SubagentStop" => (subagent.map(Into::into), prompt),
        _ => (payload.text("tool_use_id"), above),
    }
}
