//! Colours, and the signs that say the same without them: what a status is never shows by colour alone.

use ratatui::style::{Color, Modifier, Style};
use weft_event::{Level, Status};

/// Which colours are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    /// Colours that stay apart for the colour-blind, of 256.
    Safe,
    /// The terminal's own sixteen.
    Sixteen,
    /// None: bold, faint and reversed text alone.
    Plain,
}

impl Theme {
    /// Every theme.
    pub const ALL: [Self; 3] = [Theme::Safe, Theme::Sixteen, Theme::Plain];

    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Theme::Safe => "safe",
            Theme::Sixteen => "16",
            Theme::Plain => "none",
        }
    }

    /// Returns the theme of a name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|theme| theme.name() == name)
    }

    /// Returns the one after it.
    pub(crate) fn next(self) -> Self {
        match self {
            Theme::Safe => Theme::Sixteen,
            Theme::Sixteen => Theme::Plain,
            Theme::Plain => Theme::Safe,
        }
    }

    /// Returns how a tone looks.
    pub(crate) fn style(self, tone: Tone) -> Style {
        let style = self.color(tone).map_or(Style::new(), |color| Style::new().fg(color));
        match tone {
            Tone::Plain | Tone::Good | Tone::Busy => style,
            Tone::Calm if self != Theme::Plain => style,
            Tone::Calm | Tone::Faint => style.add_modifier(Modifier::DIM),
            Tone::Strong | Tone::Bad | Tone::Warn | Tone::Accent => {
                style.add_modifier(Modifier::BOLD)
            }
            Tone::Chosen => style.add_modifier(Modifier::REVERSED),
        }
    }

    fn color(self, tone: Tone) -> Option<Color> {
        // The first of each pair is near the colours of Okabe and Ito, which the colour-blind tell apart.
        let (safe, sixteen) = match tone {
            Tone::Good => (Color::Indexed(36), Color::Green),
            Tone::Bad => (Color::Indexed(202), Color::Red),
            Tone::Warn => (Color::Indexed(214), Color::Yellow),
            Tone::Busy => (Color::Indexed(74), Color::Cyan),
            Tone::Calm => (Color::Indexed(109), Color::Blue),
            Tone::Accent => (Color::Indexed(175), Color::Magenta),
            Tone::Plain | Tone::Faint | Tone::Strong | Tone::Chosen => return None,
        };
        match self {
            Theme::Safe => Some(safe),
            Theme::Sixteen => Some(sixteen),
            Theme::Plain => None,
        }
    }
}

/// How something is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Tone {
    #[default]
    Plain,
    Faint,
    Strong,
    /// Selected.
    Chosen,
    Good,
    Bad,
    Warn,
    /// At work.
    Busy,
    /// Resting.
    Calm,
    Accent,
}

/// Returns the sign and the tone of a status.
pub(crate) fn of_status(status: Status) -> (&'static str, Tone) {
    match status {
        Status::Started => ("▷", Tone::Calm),
        Status::Thinking => ("◇", Tone::Busy),
        Status::ToolUse => ("◆", Tone::Busy),
        Status::Progress => ("▶", Tone::Busy),
        Status::Waiting => ("◌", Tone::Warn),
        Status::Blocked => ("■", Tone::Bad),
        Status::Completed => ("✓", Tone::Good),
        Status::Error => ("✗", Tone::Bad),
    }
}

/// Returns the tone of a level.
pub(crate) fn of_level(level: Level) -> Tone {
    match level {
        Level::Debug => Tone::Faint,
        Level::Info => Tone::Plain,
        Level::Warn => Tone::Warn,
        Level::Error => Tone::Bad,
    }
}
