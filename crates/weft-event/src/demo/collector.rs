//! The team: four agents in sessions of a coding client, whose hooks report every step, and who speak for themselves over MCP.

mod extra;
mod hook;
mod speech;
mod tool;
mod turn;

use super::Cast;
use super::dice::Deck;
use super::prose::Task;
use super::stage::{Pause, Stage};

const ROLES: [&str; 4] = ["@architect", "@backend-engineer", "@qa-engineer", "@docs-writer"];

/// Whom everybody works for.
const LEAD: usize = 0;

/// Who is there for the others in the opening.
const HAND: usize = 1;

/// The turns of a session, by what is special about them.
const TURNS: &[Scene] = &[
    Scene::Plain,
    Scene::Plain,
    Scene::Plain,
    Scene::Plain,
    Scene::Plain,
    Scene::Permission,
    Scene::Permission,
    Scene::Denied,
    Scene::ToolFails,
    Scene::ToolFails,
    Scene::Subagent,
    Scene::Subagent,
    Scene::Batch,
    Scene::Compaction,
    Scene::Todo,
    Scene::Worktree,
    Scene::Surroundings,
    Scene::ModelSwitch,
    Scene::Elicitation,
    Scene::SlashCommand,
    Scene::Circles,
    Scene::StopFails,
    Scene::NewSession,
    Scene::Work,
    Scene::Work,
    Scene::Decide,
    Scene::Decide,
    Scene::WaitFor,
    Scene::WaitFor,
    Scene::HandOff,
    Scene::Blocked,
    Scene::Fails,
    Scene::Terminated,
    Scene::Vitals,
    Scene::Vitals,
];

#[derive(Clone, Copy, Debug)]
enum Scene {
    Plain,
    Permission,
    Denied,
    ToolFails,
    Subagent,
    Batch,
    Compaction,
    Todo,
    Worktree,
    Surroundings,
    ModelSwitch,
    Elicitation,
    SlashCommand,
    Circles,
    StopFails,
    NewSession,
    Work,
    Decide,
    WaitFor,
    HandOff,
    Blocked,
    Fails,
    Terminated,
    Vitals,
}

/// What each agent begins with, the last first, so that the first minute shows everything.
fn opening(seat: usize) -> Vec<Scene> {
    match seat {
        LEAD => vec![Scene::Blocked, Scene::HandOff, Scene::Permission, Scene::Decide],
        HAND => vec![Scene::Vitals; 5],
        2 => vec![Scene::Fails, Scene::WaitFor],
        _ => vec![Scene::ToolFails, Scene::Subagent],
    }
}

/// An agent's place: its role stays, its session changes.
#[derive(Debug)]
struct Seat {
    role: &'static str,
    /// The actor that hooks report: `session-` and the beginning of the session's id.
    actor: String,
    session: String,
    trace: String,
    prompt: String,
    model: &'static str,
    at_ns: i64,
    since_ns: i64,
    /// Tokens in the context; they are read from the cache at the next turn.
    context_tokens: u64,
    is_open: bool,
    task: &'static Task,
    task_id: String,
    planned: Vec<Scene>,
}

/// The four agents.
#[derive(Debug)]
pub(super) struct Team {
    seats: [Seat; 4],
    deck: Deck<Scene>,
    n_decisions: u64,
}

impl Team {
    pub(super) fn new(stage: &mut Stage) -> Self {
        let seats = std::array::from_fn(|idx| Seat {
            role: ROLES[idx],
            actor: String::new(),
            session: String::new(),
            trace: String::new(),
            prompt: String::new(),
            model: if idx == LEAD { "claude-opus-4-7" } else { "claude-sonnet-4-5" },
            at_ns: stage.later(stage.start_ns, (200, 2_500)),
            since_ns: stage.start_ns,
            context_tokens: 0,
            is_open: false,
            task: stage.task(),
            task_id: stage.new_issue(),
            planned: opening(idx),
        });
        let mut team = Self { seats, deck: Deck::new(TURNS), n_decisions: 0 };
        let mut play = Play { team: &mut team, stage };
        (0..ROLES.len()).for_each(|s| play.open_session(s));
        team
    }
}

impl Cast for Team {
    fn free_ns(&self) -> i64 {
        self.seats.iter().map(|seat| seat.at_ns).min().unwrap_or(i64::MAX)
    }

    fn play(&mut self, stage: &mut Stage) {
        let free = (0..ROLES.len()).min_by_key(|&s| self.seats[s].at_ns).unwrap_or(LEAD);
        stage.hurry = true;
        let mut play = Play { team: self, stage };
        if !play.team.seats[free].is_open {
            return play.open_session(free);
        }
        let planned = play.team.seats[free].planned.pop();
        play.stage.hurry = planned.is_some();
        let scene = planned.unwrap_or_else(|| play.team.deck.deal(&mut play.stage.dice));
        play.scene(free, scene);
    }
}

/// One scene of the team.
struct Play<'p> {
    team: &'p mut Team,
    stage: &'p mut Stage,
}

impl Play<'_> {
    fn scene(&mut self, s: usize, scene: Scene) {
        match scene {
            Scene::Plain => self.plain(s),
            Scene::Permission => self.turn(s, Self::permission),
            Scene::Denied => self.turn(s, Self::denied),
            Scene::ToolFails => self.turn(s, Self::tool_fails),
            Scene::Subagent => self.turn(s, Self::subagent),
            Scene::Batch => self.turn(s, Self::batch),
            Scene::Compaction => self.turn(s, Self::compaction),
            Scene::Todo => self.turn(s, Self::todo),
            Scene::Worktree => self.turn(s, Self::worktree),
            Scene::Surroundings => self.turn(s, Self::surroundings),
            Scene::ModelSwitch => self.turn(s, Self::model_switch),
            Scene::Elicitation => self.turn(s, Self::elicitation),
            Scene::SlashCommand => self.turn(s, Self::slash_command),
            Scene::Circles => self.turn(s, Self::circles),
            Scene::StopFails => self.stop_fails(s),
            Scene::NewSession => self.close_session(s),
            Scene::Work => self.work(s),
            Scene::Decide => self.decide(s),
            Scene::WaitFor => self.wait_for(s),
            Scene::HandOff => self.hand_off(s),
            Scene::Blocked => self.blocked(s),
            Scene::Fails => self.fails(s),
            Scene::Terminated => self.terminated(s),
            Scene::Vitals => self.vitals(s),
        }
    }

    fn seat(&mut self, s: usize) -> &mut Seat {
        &mut self.team.seats[s]
    }

    fn wait(&mut self, s: usize, pause: Pause) {
        let seat = &mut self.team.seats[s];
        seat.at_ns = self.stage.later(seat.at_ns, pause);
    }

    /// Takes up another task.
    fn new_task(&mut self, s: usize) {
        let (task, task_id) = (self.stage.task(), self.stage.new_issue());
        let seat = self.seat(s);
        (seat.task, seat.task_id) = (task, task_id);
    }
}
