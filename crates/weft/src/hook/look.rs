//! What the work of a loop looks like, so that iterations that change nothing can be told: the work tree, and the open steps of the
//! agent's plan.

use std::collections::BTreeSet;

use anyhow::Context as _;
use serde::Deserialize;
use weft_log::Position;
use weft_log::query::{Found, Order};
use weft_runtime::loops::Frame;
use weft_runtime::loops::briefing::{LIST_TOOL, TASK_TYPES, about_plan, plan_upto};
use weft_runtime::loops::state::Plan;

use super::reading::Reading;
use crate::records::{Choice, End, Limit, walk};

/// What was seen.
pub(super) struct Look {
    /// The work, and the plan: equal texts, equal work.
    pub(super) text: String,
    /// The plan as far as the log has it, to go on from at the next stop.
    pub(super) plan: Plan,
}

/// The open steps of a plan.
pub(super) struct Steps {
    /// As the log has it.
    plan: Plan,
    /// With what waits in the spool.
    open: Plan,
}

impl Steps {
    /// Returns what was seen, with the work by what it is known by. Work that is not known may have changed.
    pub(super) fn with_work(self, work: Option<String>) -> Look {
        let list = self.open.list.map_or_else(|| "-".to_owned(), |list| list.to_string());
        let work = work.unwrap_or_else(|| uuid::Uuid::now_v7().to_string());
        Look { text: format!("{work} {}/{list}", self.open.tasks), plan: self.plan }
    }
}

/// Counts the open steps of a plan: what the log has, and that with what waits in the spool, where hooks report to while no server
/// runs. Only what came since the last look is looked at.
pub(super) fn steps(
    frame: &Frame,
    session_id: &str,
    reading: &mut Reading,
) -> anyhow::Result<Steps> {
    let mut waiting = reading.take_told();
    let Planned { upto, told: mut stored, last: head } = match reading.take_planned() {
        Some((since, last)) => {
            let told = |found: &Found| Told::read(&found.line, session_id);
            let told = since.records.iter().filter_map(told).collect();
            Planned { upto: since.upto, told, last }
        }
        None => planned(frame, session_id, reading)?,
    };
    let before = frame.marks.plan.unwrap_or(Plan { upto, ..Plan::default() });
    let plan = Plan { upto: before.upto.max(head), ..after(before, &stored) };
    stored.append(&mut waiting);
    Ok(Steps { plan, open: after(before, &stored) })
}

/// Returns the plan after what was told. A hook that is installed twice tells everything twice.
fn after(before: Plan, told: &[Told]) -> Plan {
    let (mut made, mut done) = (BTreeSet::new(), BTreeSet::new());
    let mut list = before.list;
    for told in told {
        match told {
            Told::Made(task) => drop(made.insert(task)),
            Told::Done(task) => drop(done.insert(task)),
            Told::List(n_open) => list = Some(*n_open),
        }
    }
    let n = |tasks: BTreeSet<&String>| i64::try_from(tasks.len()).unwrap_or(i64::MAX);
    Plan { tasks: before.tasks + n(made) - n(done), list, ..before }
}

/// What the log has of a plan since it was looked at last.
struct Planned {
    /// The last position that was looked at before.
    upto: u64,
    told: Vec<Told>,
    /// The last position of the log.
    last: u64,
}

/// Reads it from the log.
fn planned(frame: &Frame, session_id: &str, reading: &mut Reading) -> anyhow::Result<Planned> {
    let last = reading.last()?;
    let upto = match frame.marks.plan {
        Some(plan) => plan.upto,
        None => plan_upto(reading.records()?, frame)?.unwrap_or(last),
    };
    let mut told = Vec::new();
    if upto < last {
        let filter = about_plan(session_id).context("the id of the session is too long")?;
        let choice = Choice {
            filter: &filter,
            range: Position::FIRST.plus(upto)..=Position::FIRST.plus(last - 1),
            end: End::Oldest,
            limit: Limit::All,
            order: Order::Ascending,
        };
        walk(reading.records()?, &choice, &mut |page| {
            told.extend(page.iter().filter_map(|found| Told::read(&found.line, session_id)));
            Ok(())
        })?;
    }
    Ok(Planned { upto, told, last })
}

/// What an event says of a plan.
pub(super) enum Told {
    Made(String),
    Done(String),
    /// How many items of a list are not done.
    List(u64),
}

/// An event of a hook, as far as it is about a plan.
#[derive(Deserialize)]
struct Event {
    event_type: String,
    session_id: Option<String>,
    #[serde(default)]
    tool: Option<Tool>,
    #[serde(default)]
    metadata: Option<Metadata>,
}

#[derive(Deserialize)]
struct Tool {
    tool_name: Option<String>,
    tool_input: Option<serde_json::Value>,
}

#[derive(Deserialize)]
struct Metadata {
    task_id: Option<String>,
}

impl Told {
    /// Reads an event of a session; `None` if it says nothing of a plan.
    pub(super) fn read(line: &[u8], session_id: &str) -> Option<Self> {
        let text = std::str::from_utf8(line).ok()?;
        // Few events are about a plan, and these words are in every one of them.
        if !text.contains(LIST_TOOL) && !text.contains(TASK_TYPES) {
            return None;
        }
        let event: Event = serde_json::from_str(text).ok()?;
        if event.session_id.as_deref() != Some(session_id) {
            return None;
        }
        let task = event.metadata.and_then(|metadata| metadata.task_id).unwrap_or_default();
        match event.event_type.as_str() {
            "hook.task_created" => return Some(Told::Made(task)),
            "hook.task_completed" => return Some(Told::Done(task)),
            _ => {}
        }
        let tool = event.tool.filter(|tool| tool.tool_name.as_deref() == Some(LIST_TOOL))?;
        let input = tool.tool_input?;
        let is_open = |item: &&serde_json::Value| {
            item.get("status").and_then(serde_json::Value::as_str) != Some("completed")
        };
        let n_open = input.get("todos")?.as_array()?.iter().filter(is_open).count();
        Some(Told::List(u64::try_from(n_open).unwrap_or(u64::MAX)))
    }
}
