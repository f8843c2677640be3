//! The views by name, as commands and addresses have them.

use weft_view::usage::By;

/// A view that can be asked for rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Name {
    /// What needs a person.
    Inbox,
    /// Who is stuck, and by which rule.
    Stuck,
    /// Every actor and what it does.
    Fleet,
    /// Sessions.
    Sessions,
    /// Traces.
    Traces,
    /// Beads, issues, tasks and steps.
    Work,
    /// The plans of runs, step by step.
    Plans,
    /// What was decided.
    Decisions,
    /// Loops.
    Loops,
    /// Runs.
    Runs,
    /// What goes through a gateway.
    Gateway,
    /// Tokens and cost.
    Usage,
    /// Budgets, and how far each is used.
    Budgets,
    /// Who touched which file.
    Files,
    /// Who gets in whose way.
    Collisions,
    /// What failed.
    Errors,
}

impl Name {
    /// All of them, in the order of the questions that people ask.
    pub const ALL: [Self; 16] = [
        Name::Inbox,
        Name::Stuck,
        Name::Fleet,
        Name::Sessions,
        Name::Traces,
        Name::Work,
        Name::Plans,
        Name::Decisions,
        Name::Loops,
        Name::Runs,
        Name::Gateway,
        Name::Usage,
        Name::Budgets,
        Name::Files,
        Name::Collisions,
        Name::Errors,
    ];

    /// Returns the view of a name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|view| view.as_str() == name)
    }

    /// Returns its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Name::Inbox => "inbox",
            Name::Stuck => "stuck",
            Name::Fleet => "fleet",
            Name::Sessions => "sessions",
            Name::Traces => "traces",
            Name::Work => "work",
            Name::Plans => "plans",
            Name::Decisions => "decisions",
            Name::Loops => "loops",
            Name::Runs => "runs",
            Name::Gateway => "gateway",
            Name::Usage => "usage",
            Name::Budgets => "budgets",
            Name::Files => "files",
            Name::Collisions => "collisions",
            Name::Errors => "errors",
        }
    }

    /// Returns what its rows are, for a reader who knows nothing of it.
    pub fn about(self) -> &'static str {
        match self {
            Name::Inbox => {
                "What needs a person, the worst first, each with the command that acts on it, or else shows it."
            }
            Name::Stuck => "Actors that are at work and get nowhere, with the rule that says so.",
            Name::Fleet => {
                "Every actor: what it does, since when, and how it is known to be there."
            }
            Name::Sessions => "Sessions: whose, where, how many turns, how far.",
            Name::Traces => "The newest traces.",
            Name::Work => "Pieces of work: who has which, what is ready, what is blocked.",
            Name::Plans => "The plans of runs, step by step.",
            Name::Decisions => "What was decided, why, and what was turned down.",
            Name::Loops => "Loops: their frames, iterations and age.",
            Name::Runs => "Runs: their state, step, budget and verdict.",
            Name::Gateway => "What goes through a gateway.",
            Name::Usage => "Tokens and cost, by actor, session, task, model or day.",
            Name::Budgets => "Budgets, and how far each is used.",
            Name::Files => "Who touched which file, and who holds it.",
            Name::Collisions => "Actors that got in each other's way in the last hour.",
            Name::Errors => "What failed, grouped by what it says.",
        }
    }
}

/// What usage can be grouped by, and the word for it.
pub const GROUPINGS: [(&str, By); 5] = [
    ("actor", By::Actor),
    ("session", By::Session),
    ("task", By::Task),
    ("model", By::Model),
    ("day", By::Day),
];
