//! Writing an event in the idle dialect.
//!
//! Only the four events of its document are written: the records, traces and control messages around them belong to a store and
//! a loop that really run.

use super::lack::Demands;
use super::source::put;
use super::{Meaning, Source, Untranslatable};
use crate::facts::carried;
use crate::idle::{Iteration, Mode, RunId, SCHEMA};
use crate::json::Json;
use crate::{Dialect, time};

const TO: Dialect = Dialect::Idle;

/// The types that a translation can have.
pub(super) const TYPES: [&str; 4] = ["STATE", "DONE", "ABORT", "ANCHOR"];

pub(super) fn write(
    source: &Source<'_>,
    added: Option<&Json<'_>>,
) -> Result<String, Untranslatable> {
    let event_type = source.type_in(TO)?;
    let body = match event_type.as_ref() {
        "STATE" => state(source)?,
        "ANCHOR" => anchor(source)?,
        "DONE" => end(source, "DONE", Some(("reason", "COMPLETE"))),
        _ if source.meaning == Meaning::Stops => {
            end(source, "ABORT", Some(("reason", "USER_CANCELLED")))
        }
        _ => end(source, "ABORT", source.facts.message.as_deref().map(|said| ("detail", said))),
    };
    let line = Json::object(|event| {
        event.json("schema", &Json::integer(SCHEMA));
        body.iter().for_each(|(name, json)| event.json(name, json));
        put(event, "session_id", &source.facts.session);
        added.into_iter().for_each(|added| event.json(carried::KEY, added));
    });
    Ok(line.as_str().to_owned())
}

type Body = Vec<(&'static str, Json<'static>)>;

fn state(source: &Source<'_>) -> Result<Body, Untranslatable> {
    let mut demands = Demands::of(TO);
    let time_ns = demands.time(source, "updated_at");
    let mode = mode(source, &mut demands);
    let run_id = own_run(source).unwrap_or_else(|| made_run(source, mode));
    let Iteration { current, max } = iteration(source, mode);
    let prompt_file = source.fill.prompt_file.as_deref();
    let prompt_file = demands.value(prompt_file, "", "stack.prompt_file", "--prompt-file");
    let of_mode = of_mode(source, mode, &mut demands);
    demands.met()?;
    let frame = Json::object(|frame| {
        frame.text("id", &run_id);
        frame.text("mode", mode.as_str());
        frame.json("iter", &Json::integer(current.max(1)));
        frame.json("max", &Json::integer(max));
        frame.text("prompt_file", prompt_file);
        put(frame, "issue_id", &source.facts.task);
        of_mode.iter().for_each(|(name, text)| frame.text(name, text));
    });
    Ok(vec![
        ("event", Json::text("STATE")),
        ("run_id", Json::text(&run_id)),
        ("updated_at", Json::text(&time::format_rfc3339(time_ns))),
        ("stack", Json::array([frame])),
    ])
}

/// Returns the fields that a frame of this mode has beside the common ones.
fn of_mode<'s>(
    source: &'s Source<'_>,
    mode: Mode,
    demands: &mut Demands,
) -> Vec<(&'static str, &'s str)> {
    let fill = source.fill;
    let mut given = |value: &'s Option<String>, name, field, flag| {
        (name, demands.value(value.as_deref(), "", field, flag))
    };
    match mode {
        Mode::Loop => Vec::new(),
        Mode::Grind => vec![given(&fill.filter, "filter", "stack.filter", "--filter")],
        Mode::Issue => {
            let of_issue = vec![
                given(&fill.worktree, "worktree_path", "stack.worktree_path", "--worktree"),
                given(&fill.branch, "branch", "stack.branch", "--branch"),
                given(&fill.base_ref, "base_ref", "stack.base_ref", "--base-ref"),
            ];
            demands.text(source.facts.task.as_deref(), "stack.issue_id", "--task");
            of_issue
        }
    }
}

fn end(source: &Source<'_>, word: &str, why: Option<(&'static str, &str)>) -> Body {
    let mut body = vec![("event", Json::text(word))];
    body.extend(why.map(|(name, text)| (name, Json::text(text))));
    body.push(("stack", Json::array([])));
    body.extend(own_run(source).map(|run| ("run_id", Json::text(&run))));
    let updated_at = source.facts.time_ns.map(|ns| Json::text(&time::format_rfc3339(ns)));
    body.extend(updated_at.map(|time| ("updated_at", time)));
    body
}

fn anchor(source: &Source<'_>) -> Result<Body, Untranslatable> {
    let facts = &source.facts;
    let mut demands = Demands::of(TO);
    let mode = mode(source, &mut demands);
    let text = |text: &str| Json::text(text);
    let timestamp = time::format_rfc3339(demands.time(source, "timestamp"));
    let next_step = facts.message.as_deref().or(source.fill.next_step.as_deref());
    let next_step = demands.value(next_step, "", "next_step", "--next-step");
    let goal = facts.task.as_deref().or(facts.message.as_deref());
    let goal = demands.value(goal.or(source.fill.goal.as_deref()), "", "goal", "--goal");
    demands.met()?;
    let mut body = vec![
        ("event", text("ANCHOR")),
        ("goal", text(goal)),
        ("mode", text(mode.as_str())),
        ("iteration", text(&iteration(source, mode).to_string())),
        ("progress", text("")),
        ("modified_files", text(facts.path.as_deref().unwrap_or_default())),
        ("next_step", text(next_step)),
        ("timestamp", text(&timestamp)),
    ];
    body.extend(own_run(source).map(|run| ("run_id", Json::text(&run))));
    Ok(body)
}

/// Returns the mode that the run's own name has, else the given one.
fn mode(source: &Source<'_>, demands: &mut Demands) -> Mode {
    let own = source.facts.actor.as_deref().and_then(RunId::parse).map(|run| run.mode);
    demands.value(own.or(source.fill.mode), Mode::Loop, "mode", "--mode")
}

/// Returns how far the loop is: as far as the event says, else at its beginning.
fn iteration(source: &Source<'_>, mode: Mode) -> Iteration {
    let max = source.fill.max.unwrap_or(mode.default_max());
    let progress = source.facts.progress.unwrap_or(0.0).clamp(0.0, 1.0);
    Iteration { current: ((progress * max as f64).round() as u64).max(1), max }
}

/// Returns the actor if its name is one that a run can have.
fn own_run(source: &Source<'_>) -> Option<String> {
    let actor = source.facts.actor.as_deref()?;
    RunId::parse(actor).map(|_| actor.to_owned())
}

/// Returns a name for the run of an actor whose own name has another form: one for all its events in a session.
///
/// Nothing in an event says when the run began, so the seconds are made up too, from the first half of 1970.
fn made_run(source: &Source<'_>, mode: Mode) -> String {
    let [a, b, c, d, e, f, g, ..] = source.producer(TO);
    let started = u64::from(u32::from_be_bytes([0, a, b, c]));
    RunId { mode, started, pid: u32::from_be_bytes([d, e, f, g]) }.to_string()
}
