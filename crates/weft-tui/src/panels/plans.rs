//! The plans of runs: each step in its place, with what it waits for.

use weft_event::report::StepStatus;
use weft_view::work::{PlanRow, StepRow};

use super::runs::of_step;
use crate::listing::{Cell, Column, Field, Item, Link, Look, field, log_command, quoted};
use crate::text::{since, span};
use crate::theme::Tone;

pub(super) const COLUMNS: &[Column] = &[
    Column { title: "State", min: 9, max: 9, rank: 0 },
    Column { title: "For", min: 4, max: 7, rank: 1 },
    Column { title: "Step", min: 16, max: 80, rank: 0 },
    Column { title: "Waits for", min: 9, max: 24, rank: 2 },
    Column { title: "Run", min: 8, max: 36, rank: 3 },
];

/// A plan, or a step of it.
pub(super) struct Row {
    run: String,
    position: u64,
    kind: Kind,
}

enum Kind {
    Plan { goal: Option<String>, version: Option<u64>, n_done: usize, n_steps: usize, last_ns: i64 },
    Step(StepRow),
}

/// Returns each plan with its steps behind it.
pub(super) fn rows(plans: Vec<PlanRow>) -> Vec<Row> {
    let mut rows = Vec::new();
    for PlanRow { run, goal, version, n_done, steps, last_seen, position } in plans {
        let (n_steps, last_ns) = (steps.len(), last_seen.0);
        let kind = Kind::Plan { goal, version, n_done, n_steps, last_ns };
        rows.push(Row { run: run.clone(), position, kind });
        let step = |step| Row { run: run.clone(), position, kind: Kind::Step(step) };
        rows.extend(steps.into_iter().map(step));
    }
    rows
}

fn state(step: &StepRow) -> Cell {
    let status = StepStatus::parse(step.status).unwrap_or(StepStatus::Pending);
    let (sign, tone) = of_step(status);
    let word = if step.is_ready { "ready" } else { step.status };
    Cell::new(format!("{sign} {word}"), tone)
}

impl Item for Row {
    fn id(&self) -> String {
        match &self.kind {
            Kind::Plan { .. } => self.run.clone(),
            Kind::Step(step) => format!("{}/{}", self.run, step.id),
        }
    }

    fn cells(&self, look: &Look) -> Vec<Cell> {
        match &self.kind {
            Kind::Plan { goal, n_done, n_steps, last_ns, .. } => vec![
                Cell::new(format!("{n_done}/{n_steps}"), Tone::Accent),
                Cell::plain(since(*last_ns, look.now_ns)),
                Cell::new(goal.as_deref().unwrap_or("(no goal said)"), Tone::Strong),
                Cell::default(),
                Cell::faint(self.run.as_str()),
            ],
            Kind::Step(step) => {
                let stop = if step.is_hard_stop { " ■ stops for a person" } else { "" };
                vec![
                    state(step),
                    Cell::plain(span(step.in_state_ms / 1000 * 1000)),
                    Cell::plain(format!("  {} {}{stop}", step.id, step.title)),
                    Cell::plain(step.blocked_by.join(" ")),
                    Cell::faint(self.run.as_str()),
                ]
            }
        }
    }

    fn detail(&self, look: &Look) -> Vec<Field> {
        let mut fields = Vec::new();
        let mut add = |name, text: Option<String>| field(&mut fields, name, text);
        add("run", Some(self.run.clone()));
        match &self.kind {
            Kind::Plan { goal, version, n_done, n_steps, last_ns } => {
                add("goal", goal.clone());
                add("version", version.map(|version| version.to_string()));
                add("steps", Some(format!("{n_done} of {n_steps} are done")));
                add("last told", Some(look.zone.whole(*last_ns)));
            }
            Kind::Step(step) => {
                add("step", Some(step.id.clone()));
                add("what", Some(step.title.clone()));
                add("state", Some(step.status.to_owned()));
                add("ready", Some(if step.is_ready { "yes" } else { "no" }.to_owned()));
                add("waits for", Some(step.blocked_by.join(", ")));
                let stop = "a person looks before the run goes on after it";
                add("hard stop", step.is_hard_stop.then(|| stop.to_owned()));
                add("since", Some(look.zone.whole(step.since.0)));
            }
        }
        add("record", Some(self.position.to_string()));
        fields
    }

    fn link(&self) -> Link {
        let records = Some(format!("actor={}", quoted(&self.run)));
        Link { session: Some(self.run.clone()), trace: None, records }
    }

    fn command(&self) -> String {
        log_command(&format!("actor={}", quoted(&self.run)))
    }
}
