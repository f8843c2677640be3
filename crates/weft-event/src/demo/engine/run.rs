//! A run from its task to its end.

use super::action::Deed;
use super::{End, Length, Play, STEPS};
use crate::demo::pen;
use crate::demo::prose::{FAILURES, QUESTIONS, SUMMARIES};
use crate::engine::judge::JudgeStatus;
use crate::engine::plan::StepStatus;
use crate::engine::{EventType, RunState, StateReason};

const INPUT_MICROS: u64 = 3;
const OUTPUT_MICROS: u64 = 15;

/// What a run does in each step; the first list of a step is for short runs.
const DEEDS: [[&[Deed]; 2]; 4] = [
    [&[Deed::Search], &[Deed::Status, Deed::Search, Deed::Read, Deed::Fetch, Deed::UpdatePlan]],
    [
        &[Deed::Patch],
        &[Deed::Checkpoint, Deed::Patch, Deed::Diff, Deed::Restore, Deed::Write, Deed::UpdateTask],
    ],
    [&[Deed::Test], &[Deed::Run, Deed::Exec, Deed::Ask, Deed::Test]],
    [&[Deed::Commit], &[Deed::Diff, Deed::Commit, Deed::Status]],
];

impl Play<'_> {
    pub(super) fn whole(&mut self, length: Length, end: End) {
        if end == End::Budget {
            self.run.calls_max = if length == Length::Short { 2 } else { 8 };
        }
        self.begin();
        for (step, deeds) in DEEDS.iter().enumerate() {
            self.begin_step(step);
            for &deed in deeds[usize::from(length == Length::Full)] {
                self.check_budget();
                self.act(step, deed);
            }
            if step == 1 && end == End::Fails {
                return self.fail();
            }
            if step == 1 && end == End::Stopped {
                return self.stop();
            }
            if step == 2 {
                self.judge_twice(step);
            }
            self.end_step(step);
        }
        self.state((300, 900), RunState::Finished, StateReason::Finished);
    }

    fn begin(&mut self) {
        self.task((0, 0));
        self.state((100, 300), RunState::Running, StateReason::Start);
        let goal = self.run.task.prompt;
        self.user_says((100, 400), goal);
        for text in ["I will look for the place first, ", "then change it, ", "then prove it."] {
            self.say((200, 900), EventType::AgentMessageChunk, |payload, _, _| {
                payload.text("text", text);
            });
        }
        let text = "I will look for the place first, then change it, then prove it.";
        self.agent_done(text);
        self.plan((300, 1_500));
        self.state((20, 90), RunState::Running, StateReason::PlanUpdate);
    }

    /// The agent has said all of something, and what that used is told.
    fn agent_done(&mut self, text: &str) {
        self.say((300, 1_500), EventType::AgentMessageDone, |payload, _, dice| {
            let (input, output) = (dice.between(3_000, 30_000), dice.between(200, 2_500));
            payload.text("text", text);
            pen::nest(payload, "usage", |usage| {
                pen::plain(usage, "inputTokens", input);
                pen::plain(usage, "outputTokens", output);
                pen::dollars(usage, "costUsd", input * INPUT_MICROS + output * OUTPUT_MICROS);
                usage.text("model", "claude-sonnet-4-5");
            });
        });
    }

    fn begin_step(&mut self, step: usize) {
        self.run.iteration += 1;
        self.run.last_calls.clear();
        self.run.steps[step] = StepStatus::Running;
        self.plan((300, 1_500));
        let title = STEPS[step].1;
        self.say((400, 2_000), EventType::AgentMessage, |payload, _, _| {
            payload.text("text", title)
        });
    }

    fn end_step(&mut self, step: usize) {
        self.run.steps[step] = StepStatus::Done;
        self.plan((300, 1_500));
        self.state((20, 90), RunState::Running, StateReason::StepComplete);
        if step == 1 && !self.stage.hurry {
            self.state((300, 2_000), RunState::Paused, StateReason::Pause);
            self.state((4_000, 15_000), RunState::Running, StateReason::Resume);
        }
    }

    /// A run that has used up its calls waits until a person allows more.
    fn check_budget(&mut self) {
        let (used, limit) = (self.run.n_calls, self.run.calls_max);
        if used < limit {
            return;
        }
        self.say((100, 500), EventType::StateChanged, |payload, run, _| {
            payload.text("from", run.state.as_str());
            payload.text("to", RunState::AwaitingUser.as_str());
            payload.text("reason", StateReason::StepBudget.as_str());
            pen::nest(payload, "usage", |usage| {
                pen::plain(usage, "used", used);
                pen::plain(usage, "limit", limit);
            });
        });
        self.run.state = RunState::AwaitingUser;
        self.user_says((8_000, 40_000), "Twenty more calls are fine.");
        self.run.calls_max += 20;
        self.task((100, 400));
        self.state((100, 400), RunState::Running, StateReason::Continue);
    }

    /// The judge fails the run, the agent mends it, and the judge passes it.
    fn judge_twice(&mut self, step: usize) {
        let failure = self.stage.dice.pick(&FAILURES);
        self.judge(step, JudgeStatus::Fail, Some(failure));
        self.state((50, 200), RunState::Running, StateReason::JudgeFail);
        self.agent_done("The judge is right: one case is not covered. I add it.");
        self.run.iteration += 1;
        self.run.last_calls.clear();
        self.run.tests_pass = true;
        self.act(step, Deed::Patch);
        self.act(step, Deed::Test);
        self.judge(step, JudgeStatus::Pass, None);
        self.state((50, 200), RunState::Running, StateReason::JudgePass);
    }

    fn judge(&mut self, step: usize, status: JudgeStatus, failure: Option<&str>) {
        self.say((800, 2_000), EventType::JudgeResult, |payload, run, dice| {
            payload.text("status", status.as_str());
            pen::texts(payload, "reasons", failure.as_slice());
            let evidence: Vec<_> =
                run.last_calls.iter().map(|call| format!("events:{call}")).collect();
            let evidence: Vec<_> = evidence.iter().map(String::as_str).collect();
            pen::texts(payload, "evidence", &evidence);
            let checks = payload.key("checks");
            checks.push('[');
            for (rule, verdict) in [("tests_pass", status), ("no_error", JudgeStatus::Pass)] {
                pen::item(checks, |check| {
                    check.text("rule", rule);
                    check.text("status", verdict.as_str());
                });
            }
            checks.push(']');
            pen::nest(payload, "pack", |pack| {
                let calls: Vec<_> = run.last_calls.iter().map(String::as_str).collect();
                pen::plain(pack, "iteration", run.iteration);
                pack.text("stepId", STEPS[step].0);
                pen::texts(pack, "toolCalls", &calls);
                pen::text(pack, "diff", format_args!("patch-{}", dice.hex(6)));
                pen::texts(pack, "errors", failure.as_slice());
                pack.text("summary", dice.pick(&SUMMARIES));
            });
        });
    }

    /// The agent fails, and the run with it.
    fn fail(&mut self) {
        let error = self.stage.dice.pick(&FAILURES);
        self.say((400, 2_000), EventType::Error, |payload, run, _| {
            payload.text("code", "AGENT_EXIT");
            payload.text("message", error);
            payload.text("stepId", STEPS[1].0);
            pen::plain(payload, "iteration", run.iteration);
        });
        self.run.steps[1] = StepStatus::Error;
        self.plan((100, 400));
        self.state((50, 200), RunState::Error, StateReason::AgentError);
    }

    /// A person stops the run.
    fn stop(&mut self) {
        self.user_says((2_000, 9_000), "Stop here, I will do the rest by hand.");
        self.run.steps[2] = StepStatus::Skipped;
        self.plan((100, 400));
        self.state((50, 200), RunState::Finished, StateReason::UserStop);
    }

    /// A person is asked something and answers.
    pub(super) fn ask_user(&mut self, question_idx: usize) {
        self.state((50, 200), RunState::AwaitingUser, StateReason::AwaitingUser);
        self.user_says((7_000, 40_000), QUESTIONS[question_idx].1);
        self.state((50, 200), RunState::Running, StateReason::UserInput);
    }
}
