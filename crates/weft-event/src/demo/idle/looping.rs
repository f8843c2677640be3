//! Loops that repeat one prompt, and the ways they end.

use super::{Play, Run, write_state};
use crate::idle::{Command, Mode, TraceEvent};
use crate::time::SECOND_NS;

/// How long a state counts, and some minutes more.
const TOO_OLD_NS: i64 = (2 * 60 + 11) * 60 * SECOND_NS;

impl Play<'_> {
    /// A loop begins.
    fn begin(&mut self, max: u64) -> Run {
        self.wait((500, 3_000));
        let run = self.new_run(Mode::Loop, max);
        let title = run.task.title;
        self.trace((0, 0), &run, TraceEvent::LoopStart, title);
        self.state((50, 300), &run);
        run
    }

    /// The loop goes on with its next iteration.
    fn iterate(&mut self, run: &mut Run) {
        run.iter += 1;
        self.trace((9_000, 40_000), run, TraceEvent::Iteration, "no marker, going on");
        self.state((50, 300), run);
        if self.stage.dice.chance(40) {
            self.anchor((500, 2_000), run);
        }
    }

    /// A loop that is done when its work is.
    pub(super) fn completes(&mut self) {
        let mut run = self.begin(10);
        let n = self.stage.dice.between(2, 4);
        for _ in 0..n {
            self.iterate(&mut run);
        }
        self.anchor((500, 2_000), &run);
        self.announce(run.task.commit);
        self.trace((4_000, 20_000), &run, TraceEvent::Completion, "COMPLETE");
        self.end(&run, "DONE", ("reason", "COMPLETE"));
    }

    /// A loop that is not done when its iterations are.
    pub(super) fn out_of_iterations(&mut self) {
        let mut run = self.begin(4);
        for _ in 1..4 {
            self.iterate(&mut run);
        }
        self.trace((9_000, 30_000), &run, TraceEvent::MaxIterations, "4 of 4 used");
        self.end(&run, "DONE", ("reason", "MAX_ITERATIONS"));
    }

    /// A loop that is paused, goes on, and is cancelled by a person.
    pub(super) fn cancelled(&mut self) {
        let mut run = self.begin(10);
        self.iterate(&mut run);
        if !self.stage.hurry {
            self.control(&run, Command::Pause, "I want to look at the diff first");
            self.control(&run, Command::Resume, "Looks good");
            self.iterate(&mut run);
        }
        self.control(&run, Command::Cancel, "We decided otherwise");
        self.trace((50, 300), &run, TraceEvent::Abort, "USER_CANCELLED");
        self.end(&run, "ABORT", ("reason", "USER_CANCELLED"));
        self.refused(&run);
    }

    /// A loop that may not end before its work was reviewed; a person has to settle it.
    pub(super) fn reviewed(&mut self) {
        let mut run = self.begin(10);
        self.iterate(&mut run);
        self.trace(
            (4_000, 12_000),
            &run,
            TraceEvent::ReviewGateBlocked,
            "no review of this commit",
        );
        self.iterate(&mut run);
        self.trace((4_000, 12_000), &run, TraceEvent::ReviewEscalate, "third round without a yes");
        self.control(&run, Command::Escalate, "The reviewer and the agent disagree");
        self.ask_reviewer(run.task);
        self.trace((9_000, 30_000), &run, TraceEvent::Completion, "COMPLETE");
        self.end(&run, "DONE", ("reason", "COMPLETE"));
    }

    /// A loop in which nothing changes any more.
    pub(super) fn no_progress(&mut self) {
        let mut run = self.begin(10);
        for _ in 0..3 {
            self.iterate(&mut run);
        }
        let detail = self.stage.dice.pick(&["NO_PROGRESS", "BUDGET"]);
        self.trace((50, 300), &run, TraceEvent::Abort, detail);
        self.end(&run, "ABORT", ("detail", detail));
    }

    /// A loop whose session is gone: its state stays until it is too old. Another session takes the place.
    pub(super) fn forgotten(&mut self) {
        let mut run = self.begin(10);
        self.iterate(&mut run);
        let now_ns = self.place().at_ns;
        self.place().at_ns = now_ns.saturating_add(TOO_OLD_NS);
        self.trace((50, 300), &run, TraceEvent::Staleness, "the state is 131 minutes old");
        self.place().at_ns = now_ns;
        self.place().session = self.stage.dice.random_uuid();
    }

    /// The first thing that is found on the board is the state of a loop of hours ago.
    pub(super) fn stale(&mut self) {
        let now_ns = self.place().at_ns;
        let then_ns = now_ns.saturating_sub(TOO_OLD_NS).max(0);
        self.place().at_ns = then_ns;
        let mut run = self.new_run(Mode::Loop, 10);
        self.place().at_ns = now_ns;
        run.iter = 6;
        self.say((300, 900), |object, place, _| write_state(object, place, &run, then_ns));
        self.trace((2_000, 5_000), &run, TraceEvent::Staleness, "the state is 131 minutes old");
    }
}
