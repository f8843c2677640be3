//! Which key does what: one table, from which the help, the palette and the keys themselves come.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use weft_event::idle::Command;

use crate::panel::Panel;

/// What a key can be asked to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Show(Panel),
    NextPanel,
    PreviousPanel,
    Up,
    Down,
    PageUp,
    PageDown,
    First,
    Last,
    Detail,
    Back,
    Session,
    Trace,
    Records,
    Filter,
    ClearFilter,
    Pause,
    Now,
    Jump,
    Replay,
    Slower,
    Faster,
    Narrow,
    Widen,
    Group,
    Table,
    Unfold,
    /// Asks something of the loop of the row.
    Steer(Command),
    Copy,
    Theme,
    Palette,
    Help,
    Quit,
    Over(OverAction),
    Question(Reply),
    Prompt(PromptAction),
}

/// How a question is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    Yes,
    No,
}

/// What a key can do to what lies over a panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OverAction {
    Close,
    Up,
    Down,
    PageUp,
    PageDown,
}

/// What a key can do to what is typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PromptAction {
    Accept,
    Cancel,
    Complete,
    Previous,
    Next,
}

/// Where a key counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Context {
    /// In every panel.
    Panels,
    /// In the timeline, beside those of every panel.
    Timeline,
    /// In a session, beside those of every panel.
    Session,
    /// In usage, beside those of every panel.
    Usage,
    /// In loops, beside those of every panel.
    Loops,
    /// While it is asked whether something is really meant.
    Question,
    /// While details or help lie over the panel.
    Over,
    /// While something is typed. Other keys are text.
    Prompt,
}

impl Context {
    /// Returns the context whose keys count beside its own.
    pub(crate) fn base(self) -> Option<Self> {
        match self {
            Context::Timeline | Context::Session | Context::Usage | Context::Loops => {
                Some(Context::Panels)
            }
            Context::Panels | Context::Question | Context::Over | Context::Prompt => None,
        }
    }

    /// Returns what the help calls it.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Context::Panels => "In every panel",
            Context::Timeline => "In the timeline",
            Context::Session => "In a session",
            Context::Usage => "In usage",
            Context::Loops => "In loops",
            Context::Question => "When asked",
            Context::Over => "In details and help",
            Context::Prompt => "While typing",
        }
    }
}

/// Every context, as the help lists them.
pub(crate) const CONTEXTS: [Context; 8] = [
    Context::Panels,
    Context::Timeline,
    Context::Session,
    Context::Usage,
    Context::Loops,
    Context::Question,
    Context::Over,
    Context::Prompt,
];

/// A key as it is pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    code: KeyCode,
    is_ctrl: bool,
}

impl Key {
    fn of(event: KeyEvent) -> Self {
        Self { code: event.code, is_ctrl: event.modifiers.contains(KeyModifiers::CONTROL) }
    }

    pub(crate) fn label(self) -> String {
        let name = match self.code {
            KeyCode::Char(' ') => "Space".to_owned(),
            KeyCode::Char(c) => c.to_string(),
            KeyCode::Up => "↑".to_owned(),
            KeyCode::Down => "↓".to_owned(),
            KeyCode::Left => "←".to_owned(),
            KeyCode::Right => "→".to_owned(),
            KeyCode::BackTab => "Shift-Tab".to_owned(),
            KeyCode::PageUp => "PgUp".to_owned(),
            KeyCode::PageDown => "PgDn".to_owned(),
            other => format!("{other}"),
        };
        if self.is_ctrl { format!("Ctrl-{name}") } else { name }
    }
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Binding {
    pub(crate) context: Context,
    pub(crate) keys: &'static [Key],
    pub(crate) action: Action,
    /// What the palette calls it.
    pub(crate) name: &'static str,
    /// What it does.
    pub(crate) help: &'static str,
}

impl Binding {
    /// Returns its keys, as they are written.
    pub(crate) fn label(&self) -> String {
        self.keys.iter().map(|key| key.label()).collect::<Vec<_>>().join(" ")
    }
}

/// Returns what a key does.
pub(crate) fn action(context: Context, event: KeyEvent) -> Option<Action> {
    let key = Key::of(event);
    let of = |context: Context| {
        let mut bindings = TABLE.iter().filter(|binding| binding.context == context);
        bindings.find(|binding| binding.keys.contains(&key)).map(|binding| binding.action)
    };
    of(context).or_else(|| of(context.base()?))
}

const fn char(c: char) -> Key {
    key(KeyCode::Char(c))
}

const fn key(code: KeyCode) -> Key {
    Key { code, is_ctrl: false }
}

const fn ctrl(c: char) -> Key {
    Key { code: KeyCode::Char(c), is_ctrl: true }
}

const fn show(
    panel: Panel,
    keys: &'static [Key],
    name: &'static str,
    help: &'static str,
) -> Binding {
    Binding { context: Context::Panels, keys, action: Action::Show(panel), name, help }
}

const fn row(
    context: Context,
    keys: &'static [Key],
    action: Action,
    name: &'static str,
    help: &'static str,
) -> Binding {
    Binding { context, keys, action, name, help }
}

/// Every key.
pub(crate) const TABLE: &[Binding] = &[
    show(Panel::Fleet, &[char('1')], "fleet", "who is there and what everyone does"),
    show(Panel::Inbox, &[char('2')], "inbox", "what needs a person"),
    show(Panel::Timeline, &[char('3')], "timeline", "who did what when, beside each other"),
    show(Panel::Session, &[char('4')], "session", "sessions, and one of them as a conversation"),
    show(Panel::Trace, &[char('5')], "trace", "traces, and the spans of one"),
    show(Panel::Work, &[char('6')], "work", "what is to be done, and how far it is"),
    show(Panel::Usage, &[char('7')], "usage", "tokens and cost"),
    show(Panel::Files, &[char('8')], "files", "who touched which file"),
    show(Panel::Errors, &[char('9')], "errors", "what failed, grouped"),
    show(Panel::Decisions, &[char('0')], "decisions", "what was decided, and why"),
    show(Panel::Loops, &[char('o')], "loops", "loops: their frames, rounds and age"),
    show(Panel::Runs, &[char('u')], "runs", "runs: their state, step, budget and verdict"),
    show(Panel::Gateway, &[char('w')], "gateway", "what goes through a gateway"),
    show(Panel::Log, &[char('l')], "log", "the records themselves, as they come"),
    row(
        Context::Panels,
        &[key(KeyCode::Tab), key(KeyCode::Right)],
        Action::NextPanel,
        "next panel",
        "the panel after this one",
    ),
    row(
        Context::Panels,
        &[key(KeyCode::BackTab), key(KeyCode::Left)],
        Action::PreviousPanel,
        "previous panel",
        "the panel before this one",
    ),
    row(Context::Panels, &[key(KeyCode::Up), char('k')], Action::Up, "up", "one row up"),
    row(Context::Panels, &[key(KeyCode::Down), char('j')], Action::Down, "down", "one row down"),
    row(
        Context::Panels,
        &[key(KeyCode::PageUp), ctrl('u')],
        Action::PageUp,
        "page up",
        "a screenful up",
    ),
    row(
        Context::Panels,
        &[key(KeyCode::PageDown), ctrl('d')],
        Action::PageDown,
        "page down",
        "a screenful down",
    ),
    row(Context::Panels, &[key(KeyCode::Home), char('g')], Action::First, "first", "the first row"),
    row(
        Context::Panels,
        &[key(KeyCode::End), char('G')],
        Action::Last,
        "last",
        "the last row; in the log, what comes",
    ),
    row(
        Context::Panels,
        &[key(KeyCode::Enter)],
        Action::Detail,
        "details",
        "all that is known of the row",
    ),
    row(
        Context::Panels,
        &[key(KeyCode::Esc)],
        Action::Back,
        "back",
        "from one session or trace to the list of them",
    ),
    row(
        Context::Panels,
        &[char('s')],
        Action::Session,
        "open session",
        "the session of the row, as a conversation",
    ),
    row(
        Context::Panels,
        &[char('t')],
        Action::Trace,
        "open trace",
        "the trace of the row, as spans",
    ),
    row(
        Context::Panels,
        &[char('r')],
        Action::Records,
        "open records",
        "the records behind the row, in the log",
    ),
    row(
        Context::Panels,
        &[char('v')],
        Action::Table,
        "other table",
        "its other tables: stuck, plans, budgets, collisions, leases",
    ),
    row(
        Context::Panels,
        &[char('/')],
        Action::Filter,
        "filter",
        "only rows with some words; in the log, by a filter",
    ),
    row(
        Context::Panels,
        &[char('c')],
        Action::ClearFilter,
        "clear filter",
        "show all rows of the panel again",
    ),
    row(Context::Panels, &[char(' ')], Action::Pause, "pause", "stand still, or go on from there"),
    row(
        Context::Panels,
        &[char('n')],
        Action::Now,
        "now",
        "go to the end of the log and follow it",
    ),
    row(Context::Panels, &[char('@')], Action::Jump, "jump", "go to a position or a time"),
    row(
        Context::Panels,
        &[char('p')],
        Action::Replay,
        "replay",
        "play from the moment shown, as it went",
    ),
    row(Context::Panels, &[char('[')], Action::Slower, "slower", "replay at less speed"),
    row(Context::Panels, &[char(']')], Action::Faster, "faster", "replay at more speed"),
    row(
        Context::Panels,
        &[char('y')],
        Action::Copy,
        "copy command",
        "the command that gives the row, to the clipboard",
    ),
    row(Context::Panels, &[char('T')], Action::Theme, "theme", "other colours: safe, 16, none"),
    row(Context::Panels, &[char(':')], Action::Palette, "palette", "every action by its name"),
    row(Context::Panels, &[char('?')], Action::Help, "help", "these keys"),
    row(Context::Panels, &[char('q'), ctrl('c')], Action::Quit, "quit", "leave"),
    row(
        Context::Timeline,
        &[char('+')],
        Action::Narrow,
        "zoom in",
        "a shorter time, in more detail",
    ),
    row(
        Context::Timeline,
        &[char('-')],
        Action::Widen,
        "zoom out",
        "a longer time, in less detail",
    ),
    row(
        Context::Session,
        &[char('z')],
        Action::Unfold,
        "unfold tools",
        "show what tools were given and gave back, or not",
    ),
    row(
        Context::Usage,
        &[char('b')],
        Action::Group,
        "group by",
        "by actor, session, task, model or day",
    ),
    row(
        Context::Loops,
        &[char('P')],
        Action::Steer(Command::Pause),
        "pause loop",
        "let its agent stop, and keep the loop",
    ),
    row(
        Context::Loops,
        &[char('R')],
        Action::Steer(Command::Resume),
        "resume loop",
        "go on at its agent's next stop",
    ),
    row(
        Context::Loops,
        &[char('X')],
        Action::Steer(Command::Cancel),
        "cancel loop",
        "end it; it is asked first",
    ),
    row(
        Context::Loops,
        &[char('E')],
        Action::Steer(Command::Escalate),
        "escalate loop",
        "ask a person to look at it",
    ),
    row(
        Context::Question,
        &[char('y'), key(KeyCode::Enter)],
        Action::Question(Reply::Yes),
        "yes",
        "do it",
    ),
    row(
        Context::Question,
        &[char('n'), key(KeyCode::Esc), char('q'), ctrl('c')],
        Action::Question(Reply::No),
        "no",
        "leave it as it is",
    ),
    row(
        Context::Over,
        &[key(KeyCode::Esc), key(KeyCode::Enter), char('q'), char('?')],
        Action::Over(OverAction::Close),
        "close",
        "back to the panel",
    ),
    row(
        Context::Over,
        &[key(KeyCode::Up), char('k')],
        Action::Over(OverAction::Up),
        "scroll up",
        "one line up",
    ),
    row(
        Context::Over,
        &[key(KeyCode::Down), char('j')],
        Action::Over(OverAction::Down),
        "scroll down",
        "one line down",
    ),
    row(
        Context::Over,
        &[key(KeyCode::PageUp)],
        Action::Over(OverAction::PageUp),
        "scroll a page up",
        "a screenful up",
    ),
    row(
        Context::Over,
        &[key(KeyCode::PageDown), char(' ')],
        Action::Over(OverAction::PageDown),
        "scroll a page down",
        "a screenful down",
    ),
    row(
        Context::Over,
        &[char('y')],
        Action::Copy,
        "copy this command",
        "the command that gives it, to the clipboard",
    ),
    row(Context::Over, &[ctrl('c')], Action::Quit, "quit from here", "leave"),
    row(
        Context::Prompt,
        &[key(KeyCode::Enter)],
        Action::Prompt(PromptAction::Accept),
        "accept",
        "do what is typed",
    ),
    row(
        Context::Prompt,
        &[key(KeyCode::Esc), ctrl('c')],
        Action::Prompt(PromptAction::Cancel),
        "cancel",
        "back to the panel",
    ),
    row(
        Context::Prompt,
        &[key(KeyCode::Tab)],
        Action::Prompt(PromptAction::Complete),
        "complete",
        "finish the word, or offer what it could be",
    ),
    row(
        Context::Prompt,
        &[key(KeyCode::Up)],
        Action::Prompt(PromptAction::Previous),
        "previous entry",
        "in the palette",
    ),
    row(
        Context::Prompt,
        &[key(KeyCode::Down)],
        Action::Prompt(PromptAction::Next),
        "next entry",
        "in the palette",
    ),
];

#[cfg(test)]
mod tests;
