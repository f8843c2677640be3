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
    /// The records themselves.
    Log,
}

impl Panel {
    /// Every panel, in the order of the screen.
    pub const ALL: [Self; 11] = [
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
            Panel::Fleet
            | Panel::Inbox
            | Panel::Trace
            | Panel::Work
            | Panel::Files
            | Panel::Log => self.name(),
        }
    }
}
