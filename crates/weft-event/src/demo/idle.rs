//! Three loops of the idle plugin, one after the other in each place, and the message board that they talk on.

mod board;
mod grind;
mod looping;

use std::fmt::Write as _;

use super::Cast;
use super::dice::Deck;
use super::pen;
use super::prose::Task;
use super::stage::{Pause, REPOSITORY, Stage};
use crate::Dialect;
use crate::dice::Dice;
use crate::idle::{Mode, RunId, TraceEvent};
use crate::json::Object;
use crate::time::{MILLI_NS, SECOND_NS, format_rfc3339};

/// What a place is used for.
const SCENES: &[Scene] = &[
    Scene::Completes,
    Scene::Completes,
    Scene::Grind,
    Scene::Grind,
    Scene::OutOfIterations,
    Scene::Cancelled,
    Scene::Reviewed,
    Scene::NoProgress,
    Scene::Forgotten,
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scene {
    /// A loop that runs until its work is complete.
    Completes,
    /// Issue after issue.
    Grind,
    /// A loop whose iterations are used up.
    OutOfIterations,
    /// A loop that a person cancels.
    Cancelled,
    /// A loop that may not end without a review.
    Reviewed,
    /// A loop that stops because nothing changes.
    NoProgress,
    /// A loop that says no more, until its state is too old to count.
    Forgotten,
    /// The state of a loop of the evening before, too old to count.
    Stale,
}

/// What each place begins with, the last first, so that the first minute shows everything.
fn opening(place: usize) -> Vec<Scene> {
    match place {
        0 => vec![Scene::Completes],
        1 => vec![Scene::Grind],
        _ => vec![Scene::Cancelled, Scene::Stale],
    }
}

/// A place in which loops follow each other: one session of a client.
#[derive(Debug)]
struct Place {
    name: &'static str,
    session: String,
    pid: u32,
    at_ns: i64,
    planned: Vec<Scene>,
}

/// The three places and the board.
#[derive(Debug)]
pub(super) struct Loops {
    places: [Place; 3],
    deck: Deck<Scene>,
    /// The topics of the board, by name, with their ids.
    topics: Vec<(&'static str, String)>,
}

impl Loops {
    pub(super) fn new(stage: &mut Stage) -> Self {
        let names = ["night-loop", "grinder", "sweeper"];
        let places = std::array::from_fn(|idx| Place {
            name: names[idx],
            session: stage.dice.random_uuid(),
            pid: stage.dice.between(4_000, 60_000) as u32,
            at_ns: stage.later(stage.start_ns, (200, 2_000)),
            planned: opening(idx),
        });
        Self { places, deck: Deck::new(SCENES), topics: Vec::new() }
    }
}

impl Cast for Loops {
    fn free_ns(&self) -> i64 {
        self.places.iter().map(|place| place.at_ns).min().unwrap_or(i64::MAX)
    }

    fn play(&mut self, stage: &mut Stage) {
        let free = (0..3).min_by_key(|&p| self.places[p].at_ns).expect("there are three");
        let planned = self.places[free].planned.pop();
        // A grind shows an issue on top of itself soon enough.
        stage.hurry = planned.is_some_and(|scene| scene != Scene::Grind);
        let scene = planned.unwrap_or_else(|| self.deck.deal(&mut stage.dice));
        let mut play = Play { loops: self, stage, p: free };
        play.open_board();
        match scene {
            Scene::Completes => play.completes(),
            Scene::Grind => play.grind(),
            Scene::OutOfIterations => play.out_of_iterations(),
            Scene::Cancelled => play.cancelled(),
            Scene::Reviewed => play.reviewed(),
            Scene::NoProgress => play.no_progress(),
            Scene::Forgotten => play.forgotten(),
            Scene::Stale => play.stale(),
        }
        play.wait((3_000, 12_000));
    }
}

/// A loop at work.
#[derive(Clone, Debug)]
struct Run {
    id: String,
    mode: Mode,
    iter: u64,
    max: u64,
    task: &'static Task,
    issue: Option<Issue>,
}

/// The issue that a grind is at.
#[derive(Clone, Debug)]
struct Issue {
    id: String,
    frame: String,
    iter: u64,
}

/// One scene in one place.
struct Play<'p> {
    loops: &'p mut Loops,
    stage: &'p mut Stage,
    p: usize,
}

impl Play<'_> {
    fn place(&mut self) -> &mut Place {
        &mut self.loops.places[self.p]
    }

    fn wait(&mut self, pause: Pause) {
        let at_ns = self.place().at_ns;
        self.place().at_ns = self.stage.later(at_ns, pause);
    }

    /// Says one event after a pause.
    fn say(&mut self, pause: Pause, fill: impl FnOnce(&mut Object<'_>, &Place, &mut Dice)) {
        self.wait(pause);
        let place = &mut self.loops.places[self.p];
        let mut line = String::with_capacity(512);
        let mut object = Object::begin(&mut line);
        fill(&mut object, place, &mut self.stage.dice);
        object.end();
        self.stage.put(place.at_ns, Dialect::Idle, "file:jwz", line);
        place.at_ns = place.at_ns.saturating_add(MILLI_NS);
    }

    /// Returns a run that begins now.
    fn new_run(&mut self, mode: Mode, max: u64) -> Run {
        let place = self.place();
        place.pid += 17;
        let started = place.at_ns.unsigned_abs() / SECOND_NS.unsigned_abs();
        let id = RunId { mode, started, pid: place.pid }.to_string();
        Run { id, mode, iter: 1, max, task: self.stage.task(), issue: None }
    }

    /// Posts the state of a run.
    fn state(&mut self, pause: Pause, run: &Run) {
        self.say(pause, |object, place, _| write_state(object, place, run, place.at_ns));
    }

    /// Posts what the loop's hook did.
    fn trace(&mut self, pause: Pause, run: &Run, event: TraceEvent, reason: &str) {
        self.say(pause, |object, place, dice| {
            object.text("event_id", &dice.ulid(place.at_ns));
            object.text("ts", &time_of(place.at_ns));
            object.text("run_id", &run.id);
            object.text("session_id", &place.session);
            object.text("loop_kind", run.mode.as_str());
            object.text("event", event.as_str());
            pen::plain(object, "iteration", run.iter);
            pen::plain(object, "max", run.max);
            pen::nest(object, "details", |details| details.text("reason", reason));
        });
    }

    /// Posts the end of a run: DONE or ABORT, its reason or, of an ABORT that nobody asked for, what went wrong.
    fn end(&mut self, run: &Run, word: &str, (field, reason): (&str, &str)) {
        self.say((100, 500), |object, place, _| {
            pen::plain(object, "schema", 0);
            object.text("event", word);
            object.text(field, reason);
            object.key("stack").push_str("[]");
            object.text("run_id", &run.id);
            object.text("session_id", &place.session);
            object.text("updated_at", &time_of(place.at_ns));
        });
    }

    /// Posts what is needed to go on after compaction.
    fn anchor(&mut self, pause: Pause, run: &Run) {
        self.say(pause, |object, place, dice| {
            pen::plain(object, "schema", 0);
            match &run.issue {
                Some(issue) => pen::text(object, "goal", format_args!("Working on {}", issue.id)),
                None => object.text("goal", run.task.title),
            }
            object.text("mode", run.mode.as_str());
            pen::text(object, "iteration", format_args!("{}/{}", run.iter, run.max));
            let mut commits = String::from("Recent commits:");
            for _ in 0..3 {
                write!(commits, " {};", dice.hex(7)).expect("writing to a string cannot fail");
            }
            object.text("progress", commits.trim_end_matches(';'));
            let files = format_args!("{}, {}", run.task.file, run.task.test);
            pen::text(object, "modified_files", files);
            object.text("next_step", "Run the tests, then look at the loop's state.");
            object.text("timestamp", &time_of(place.at_ns));
            object.text("run_id", &run.id);
            object.text("session_id", &place.session);
        });
    }
}

fn time_of(at_ns: i64) -> String {
    format_rfc3339(at_ns / MILLI_NS * MILLI_NS)
}

fn write_state(object: &mut Object<'_>, place: &Place, run: &Run, updated_ns: i64) {
    pen::plain(object, "schema", 0);
    object.text("event", "STATE");
    object.text("run_id", &run.id);
    object.text("session_id", &place.session);
    object.text("updated_at", &time_of(updated_ns));
    let stack = object.key("stack");
    stack.push('[');
    pen::item(stack, |frame| {
        write_frame(frame, (&run.id, run.mode), (run.iter, run.max));
        if run.mode == Mode::Grind {
            frame.text("filter", "priority:1");
        }
    });
    if let Some(issue) = &run.issue {
        pen::item(stack, |frame| {
            write_frame(frame, (&issue.frame, Mode::Issue), (issue.iter, 10));
            frame.text("issue_id", &issue.id);
            pen::text(
                frame,
                "worktree_path",
                format_args!("{REPOSITORY}/.worktrees/idle/{}", issue.id),
            );
            pen::text(frame, "branch", format_args!("idle/issue/{}", issue.id));
            frame.text("base_ref", "main");
        });
    }
    stack.push(']');
}

fn write_frame(frame: &mut Object<'_>, (id, mode): (&str, Mode), (iter, max): (u64, u64)) {
    frame.text("id", id);
    frame.text("mode", mode.as_str());
    pen::plain(frame, "iter", iter);
    pen::plain(frame, "max", max);
    pen::text(frame, "prompt_file", format_args!("/home/ana/.weft/prompts/{id}/prompt.txt"));
}
