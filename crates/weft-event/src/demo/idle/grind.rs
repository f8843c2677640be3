//! A grind: issue after issue, each in a frame of its own on top of the grind's.

use super::{Issue, Play};
use crate::idle::{FrameId, Mode, TraceEvent};
use crate::time::SECOND_NS;

/// How many issues a grind may take where it is kept short.
const ISSUES_MAX: u64 = 3;

impl Play<'_> {
    pub(super) fn grind(&mut self) {
        self.wait((500, 3_000));
        let is_short = self.stage.dice.chance(40);
        let mut run = self.new_run(Mode::Grind, if is_short { ISSUES_MAX } else { 100 });
        self.trace((0, 0), &run, TraceEvent::LoopStart, "priority:1");
        self.state((50, 300), &run);
        for nth in 1..=ISSUES_MAX {
            run.iter = nth;
            run.task = self.stage.task();
            let id = self.stage.new_issue();
            let started = self.place().at_ns.unsigned_abs() / SECOND_NS.unsigned_abs();
            let frame = FrameId::Issue { issue_id: &id, started }.to_string();
            self.discuss(&id, run.task);
            run.issue = Some(Issue { id, frame, iter: 1 });
            self.state((500, 2_000), &run);
            for _ in 0..self.stage.dice.between(1, 3) {
                if let Some(issue) = &mut run.issue {
                    issue.iter += 1;
                }
                self.trace((8_000, 30_000), &run, TraceEvent::Iteration, "no marker, going on");
                self.state((50, 300), &run);
            }
            self.anchor((500, 2_000), &run);
            self.trace((4_000, 20_000), &run, TraceEvent::Completion, "the issue is done");
            run.issue = None;
            self.state((50, 300), &run);
        }
        let reason = if is_short { "MAX_ISSUES" } else { "NO_MORE_ISSUES" };
        self.end(&run, "DONE", ("reason", reason));
    }
}
