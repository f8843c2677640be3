//! The panels of the screen.

/// A panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Panel {
    /// Who is there and what everyone does.
    Fleet,
    /// What needs a person.
    Inbox,
    /// Who did what when, beside each other.
    Timeline,
    /// One session, as a conversation.
    Session,
    /// One trace, as spans.
    Trace,
    /// What is to be done, and how far it is.
    Work,
    /// What it cost.
    Usage,
    /// Who touched which file.
    Files,
    /// What failed.
    Errors,
    /// What was decided.
    Decisions,
    /// Loops: their frames, iterations and age.
    Loops,
    /// Runs: their state, step, budget and verdict.
    Runs,
    /// What goes through a gateway.
    Gateway,
    /// The records themselves.
    Log,
}

impl Panel {
    /// Every panel, in the order of the screen.
    pub const ALL: [Self; 14] = [
        Panel::Fleet,
        Panel::Inbox,
        Panel::Timeline,
        Panel::Session,
        Panel::Trace,
        Panel::Work,
        Panel::Usage,
        Panel::Files,
        Panel::Errors,
        Panel::Decisions,
        Panel::Loops,
        Panel::Runs,
        Panel::Gateway,
        Panel::Log,
    ];

    /// Returns its place in that order.
    pub(crate) fn idx(self) -> usize {
        Self::ALL.iter().position(|panel| *panel == self).expect("every panel is listed")
    }

    /// Returns the panel so many places further, around the end.
    pub(crate) fn plus(self, n: usize) -> Self {
        Self::ALL[(self.idx() + n) % Self::ALL.len()]
    }

    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Panel::Fleet => "Fleet",
            Panel::Inbox => "Inbox",
            Panel::Timeline => "Timeline",
            Panel::Session => "Session",
            Panel::Trace => "Trace",
            Panel::Work => "Work",
            Panel::Usage => "Usage",
            Panel::Files => "Files",
            Panel::Errors => "Errors",
            Panel::Decisions => "Decisions",
            Panel::Loops => "Loops",
            Panel::Runs => "Runs",
            Panel::Gateway => "Gateway",
            Panel::Log => "Log",
        }
    }

    /// Returns a shorter name.
    pub(crate) fn short_name(self) -> &'static str {
        match self {
            Panel::Timeline => "Time",
            Panel::Session => "Sess",
            Panel::Usage => "Use",
            Panel::Errors => "Err",
            Panel::Decisions => "Dec",
            Panel::Gateway => "Gate",
            Panel::Fleet
            | Panel::Inbox
            | Panel::Trace
            | Panel::Work
            | Panel::Files
            | Panel::Loops
            | Panel::Runs
            | Panel::Log => self.name(),
        }
    }

    /// Returns its tables, the one to begin with first.
    pub(crate) fn tables(self) -> &'static [Table] {
        match self {
            Panel::Inbox => &[Table::Main, Table::Stuck],
            Panel::Work => &[Table::Main, Table::Plans],
            Panel::Usage => &[Table::Main, Table::Budgets],
            Panel::Files => &[Table::Main, Table::Collisions, Table::Leases],
            Panel::Fleet
            | Panel::Timeline
            | Panel::Session
            | Panel::Trace
            | Panel::Errors
            | Panel::Decisions
            | Panel::Loops
            | Panel::Runs
            | Panel::Gateway
            | Panel::Log => &[Table::Main],
        }
    }
}

/// A table of a panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Table {
    /// What the panel is named for.
    Main,
    /// Who is at work and gets nowhere, and by which rule.
    Stuck,
    /// The plans of runs, step by step.
    Plans,
    /// Budgets, and how far each is used.
    Budgets,
    /// Who got in whose way.
    Collisions,
    /// Who holds which file.
    Leases,
}

impl Table {
    /// Returns its name; none for the one that a panel is named for.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Table::Main => "",
            Table::Stuck => "stuck",
            Table::Plans => "plans",
            Table::Budgets => "budgets",
            Table::Collisions => "collisions",
            Table::Leases => "leases",
        }
    }
}
