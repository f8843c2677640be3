//! The runs: their state, step, budget and verdict.

use weft_event::report::{StepStatus, Verdict};
use weft_view::runs::{Row, StepRow};

use crate::listing::{Cell, Column, Field, Item, Link, Look, field, log_command, quoted};
use crate::text::since;
use crate::theme::Tone;

pub(super) const COLUMNS: &[Column] = &[
    Column { title: "State", min: 10, max: 22, rank: 0 },
    Column { title: "Heard", min: 5, max: 7, rank: 1 },
    Column { title: "Steps", min: 5, max: 7, rank: 0 },
    Column { title: "Judge", min: 9, max: 9, rank: 2 },
    Column { title: "Budget", min: 6, max: 13, rank: 4 },
    Column { title: "Calls", min: 5, max: 8, rank: 6 },
    Column { title: "Task", min: 7, max: 14, rank: 3 },
    Column { title: "Run", min: 8, max: 36, rank: 5 },
    Column { title: "On", min: 14, max: 120, rank: 0 },
];

/// Returns the sign and the tone of a step.
pub(super) fn of_step(status: StepStatus) -> (&'static str, Tone) {
    match status {
        StepStatus::Pending => ("○", Tone::Calm),
        StepStatus::Running => ("▶", Tone::Busy),
        StepStatus::Done => ("✓", Tone::Good),
        StepStatus::Skipped => ("·", Tone::Faint),
        StepStatus::Error => ("✗", Tone::Bad),
    }
}

fn judged(verdict: Verdict) -> Cell {
    let (sign, tone) = match verdict {
        Verdict::Pass => ("✓", Tone::Good),
        Verdict::Fail => ("✗", Tone::Bad),
        Verdict::Pending => ("○", Tone::Calm),
        Verdict::Skip => ("·", Tone::Faint),
    };
    Cell::new(format!("{sign} {}", verdict.as_str()), tone)
}

fn budget(row: &Row) -> Option<String> {
    match (row.used, row.limit) {
        (Some(used), Some(limit)) => Some(format!("{used} of {limit}")),
        (Some(used), None) => Some(used.to_string()),
        (None, Some(limit)) => Some(format!("of {limit}")),
        (None, None) => None,
    }
}

fn step(step: &StepRow) -> String {
    let stop = if step.is_hard_stop { " (stops for a person)" } else { "" };
    format!("{} {} {}{stop}", of_step(step.status.0).0, step.id, step.title)
}

impl Item for Row {
    fn id(&self) -> String {
        self.run.clone()
    }

    fn cells(&self, look: &Look) -> Vec<Cell> {
        let (sign, tone) = match (self.is_over, &self.error) {
            (false, _) => ("▶", Tone::Busy),
            (true, None) => ("✓", Tone::Good),
            (true, Some(_)) => ("✗", Tone::Bad),
        };
        let calls = match self.n_failed_calls {
            0 => self.n_calls.to_string(),
            failed => format!("{} ✗{failed}", self.n_calls),
        };
        let steps = match self.n_steps {
            0 => String::new(),
            n => format!("{}/{n}", self.n_steps_done),
        };
        let at_step = self.step.as_ref().filter(|_| !self.is_over).map(|id| {
            let step = self.steps.iter().find(|step| step.id == *id);
            step.map_or_else(|| id.clone(), |step| format!("{id} {}", step.title))
        });
        vec![
            Cell::new(format!("{sign} {}", self.state.as_deref().unwrap_or("-")), tone),
            Cell::plain(since(self.last_seen.0, look.now_ns)),
            Cell::plain(steps),
            self.verdict.map_or_else(Cell::default, |verdict| judged(verdict.0)),
            Cell::plain(budget(self).unwrap_or_default()),
            Cell::plain(calls),
            Cell::maybe(self.task.as_deref()),
            Cell::faint(self.run.as_str()),
            Cell::plain(at_step.or_else(|| self.goal.clone()).unwrap_or_default()),
        ]
    }

    fn detail(&self, look: &Look) -> Vec<Field> {
        let mut fields = Vec::new();
        let mut add = |name, text: Option<String>| field(&mut fields, name, text);
        add("run", Some(self.run.clone()));
        add("state", self.state.clone());
        add("why", self.reason.clone());
        add("goal", self.goal.clone());
        add("task", self.task.clone());
        add("at step", self.step.clone());
        add("steps", Some(self.steps.iter().map(step).collect::<Vec<_>>().join("\n")));
        add("calls", Some(self.n_calls.to_string()));
        add("failed calls", Some(self.n_failed_calls.to_string()));
        add("budget", budget(self));
        add("judge", self.verdict.map(|verdict| verdict.0.as_str().to_owned()));
        add("judged", self.judged.map(|at| look.zone.whole(at.0)));
        add("because", Some(self.reasons.join("\n")));
        add("evidence", Some(self.evidence.join("\n")));
        add("error", self.error.clone());
        add("failed", self.failed.map(|at| look.zone.whole(at.0)));
        add("first heard", Some(look.zone.whole(self.first_seen.0)));
        add("last heard", Some(look.zone.whole(self.last_seen.0)));
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
