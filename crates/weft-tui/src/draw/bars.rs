//! The lines around a panel: which panels there are, which moment is shown, and what can be done.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use weft_event::idle::Command;

use super::put;
use crate::app::{App, Over, PromptKind};
use crate::keys::{Action, TABLE};
use crate::mode::{Mode, speed_text};
use crate::panel::Panel;
use crate::text::{count, short, width};
use crate::theme::Tone;

/// From how many records on it is said that the screen is behind.
const BEHIND_MIN: u64 = 100;

/// Which panels keep their names longest where there is no room for all.
const NAMED_FIRST: [Panel; 14] = [
    Panel::Fleet,
    Panel::Inbox,
    Panel::Log,
    Panel::Session,
    Panel::Work,
    Panel::Timeline,
    Panel::Usage,
    Panel::Trace,
    Panel::Files,
    Panel::Errors,
    Panel::Decisions,
    Panel::Loops,
    Panel::Runs,
    Panel::Gateway,
];

/// Returns the label of each panel. Where there is no room for all names those of some are left out, and never that of the panel
/// that is shown.
fn labels(app: &App, columns: u16) -> Vec<(Panel, String)> {
    let key = |panel| {
        let binding = TABLE.iter().find(|binding| binding.action == Action::Show(panel));
        binding.map(|binding| binding.label()).unwrap_or_default()
    };
    let shown = match app.table().name() {
        "" => app.panel.name().to_owned(),
        table => format!("{}: {table}", app.panel.name()),
    };
    let name = |panel: Panel, name: &str| {
        if panel == app.panel { format!(" {shown} ") } else { format!(" {name} ") }
    };
    let of =
        |labels: &[(Panel, String)]| labels.iter().map(|(_, label)| width(label)).sum::<usize>();
    let all =
        Panel::ALL.map(|panel| (panel, format!(" {}{}", key(panel), name(panel, panel.name()))));
    if of(&all) <= usize::from(columns) {
        return all.to_vec();
    }
    let mut labels = Panel::ALL.map(|panel| (panel, format!("{} ", key(panel))));
    for panel in
        [app.panel].into_iter().chain(NAMED_FIRST.into_iter().filter(|it| *it != app.panel))
    {
        let named = format!("{}{}", key(panel), name(panel, panel.short_name()));
        let before = std::mem::replace(&mut labels[panel.idx()].1, named);
        if of(&labels) > usize::from(columns) {
            labels[panel.idx()].1 = before;
            break;
        }
    }
    labels.to_vec()
}

pub(super) fn tabs(app: &App, area: Rect, buffer: &mut Buffer) {
    let theme = app.settings.theme;
    let mut column = 0;
    for (panel, label) in labels(app, area.width) {
        let tone = if panel == app.panel { Tone::Chosen } else { Tone::Plain };
        column += put(buffer, area, column, &label, theme.style(tone));
    }
}

/// Returns the panel whose label stands in a column.
pub(super) fn panel_at(app: &App, columns: u16, column: u16) -> Option<Panel> {
    let mut end = 0;
    labels(app, columns).into_iter().find_map(|(panel, label)| {
        end += width(&label);
        (usize::from(column) < end).then_some(panel)
    })
}

pub(super) fn state(app: &App, area: Rect, buffer: &mut Buffer) {
    let theme = app.settings.theme;
    let moment = app.settings.zone.whole(app.moment_ns());
    let (mode, tone) = match app.mode {
        _ if app.broken.is_some() => ("✗ broken".to_owned(), Tone::Bad),
        _ if !app.is_open => ("… opening".to_owned(), Tone::Calm),
        Mode::Live => ("● live".to_owned(), Tone::Good),
        Mode::Paused { .. } => (format!("‖ paused at {moment}"), Tone::Warn),
        Mode::Replay { speed_idx, .. } => {
            (format!("▶ replay {} {moment}", speed_text(speed_idx)), Tone::Accent)
        }
    };
    let mut column = put(buffer, area, 1, &mode, theme.style(tone)) + 1;
    let upto = if app.mode == Mode::Live { app.head } else { app.goal.min(app.head) };
    let behind = upto.saturating_sub(app.taken);
    let place = format!("  {} of {}", count(app.taken), count(app.head));
    column += put(buffer, area, column, &place, theme.style(Tone::Plain));
    if behind >= BEHIND_MIN {
        let text = format!("  {} behind", short(behind));
        column += put(buffer, area, column, &text, theme.style(Tone::Warn));
    }
    let (label, text) = if app.panel == Panel::Log {
        ("filter", app.filter.as_str())
    } else {
        ("rows with", app.words())
    };
    if !text.is_empty() {
        let text = format!("  {label}: {text}");
        column += put(buffer, area, column, &text, theme.style(Tone::Accent));
    }
    let title = &app.settings.title;
    let start = area.width.saturating_sub(width(title) as u16 + 1);
    if start > column + 1 {
        put(buffer, area, start, title, theme.style(Tone::Faint));
    }
}

pub(super) fn foot(app: &App, area: Rect, buffer: &mut Buffer) {
    let theme = app.settings.theme;
    if let Over::Prompt(prompt) = &app.over {
        let label = label(prompt.kind);
        let column = put(buffer, area, 0, label, theme.style(Tone::Accent));
        put(buffer, area, column, prompt.typed.text(), theme.style(Tone::Plain));
        return;
    }
    if let Over::Question(steer) = &app.over {
        let text = format!("{} {}? y yes  n no", steer.wish.as_str(), steer.run);
        put(buffer, area, 1, &text, theme.style(Tone::Warn));
        return;
    }
    if let Some(text) = app.broken.as_ref().or(app.notice.as_ref()) {
        let tone = if app.broken.is_some() { Tone::Bad } else { Tone::Strong };
        put(buffer, area, 1, text, theme.style(tone));
        return;
    }
    let mut column = 1;
    for action in hints(app) {
        let Some(binding) = TABLE.iter().find(|binding| binding.action == *action) else {
            continue;
        };
        let key = binding.keys.first().map(|key| key.label()).unwrap_or_default();
        let needed = width(&key) + width(binding.name) + 3;
        if usize::from(column) + needed > usize::from(area.width) {
            break;
        }
        column += put(buffer, area, column, &key, theme.style(Tone::Strong)) + 1;
        column += put(buffer, area, column, binding.name, theme.style(Tone::Faint)) + 2;
    }
}

// What is most likely wanted in a panel, by what it shows.
const FLEET: &[Action] = &[
    Action::Help,
    Action::Detail,
    Action::Session,
    Action::Records,
    Action::Pause,
    Action::Jump,
    Action::Copy,
    Action::Palette,
    Action::Quit,
];
const TABLES: &[Action] = &[
    Action::Help,
    Action::Detail,
    Action::Table,
    Action::Records,
    Action::Filter,
    Action::Pause,
    Action::Jump,
    Action::Copy,
    Action::Palette,
    Action::Quit,
];
const TIMELINE: &[Action] = &[
    Action::Help,
    Action::Narrow,
    Action::Widen,
    Action::Records,
    Action::Pause,
    Action::Jump,
    Action::Palette,
    Action::Quit,
];
const SESSION: &[Action] = &[
    Action::Help,
    Action::Detail,
    Action::Unfold,
    Action::Back,
    Action::Trace,
    Action::Pause,
    Action::Copy,
    Action::Quit,
];
const USAGE: &[Action] = &[
    Action::Help,
    Action::Group,
    Action::Table,
    Action::Detail,
    Action::Copy,
    Action::Palette,
    Action::Quit,
];
const LOOPS: &[Action] = &[
    Action::Help,
    Action::Detail,
    Action::Steer(Command::Pause),
    Action::Steer(Command::Resume),
    Action::Steer(Command::Cancel),
    Action::Steer(Command::Escalate),
    Action::Session,
    Action::Records,
    Action::Copy,
    Action::Quit,
];
const LOG: &[Action] = &[
    Action::Help,
    Action::Filter,
    Action::ClearFilter,
    Action::Detail,
    Action::Pause,
    Action::Jump,
    Action::Session,
    Action::Copy,
    Action::Quit,
];

/// Returns what is most likely wanted in a panel.
fn hints(app: &App) -> &'static [Action] {
    match app.panel {
        Panel::Timeline => TIMELINE,
        Panel::Session if app.talk.is_some() => SESSION,
        Panel::Usage => USAGE,
        Panel::Log => LOG,
        Panel::Loops => LOOPS,
        Panel::Inbox | Panel::Work | Panel::Files => TABLES,
        Panel::Fleet
        | Panel::Session
        | Panel::Trace
        | Panel::Errors
        | Panel::Decisions
        | Panel::Runs
        | Panel::Gateway => FLEET,
    }
}

fn label(kind: PromptKind) -> &'static str {
    match kind {
        PromptKind::Filter => " filter: ",
        PromptKind::Words => " only rows with these words: ",
        PromptKind::Jump => " go to position or time: ",
        PromptKind::Palette => " : ",
    }
}

/// Returns the column of the foot where a byte of what is typed stands.
pub(super) fn column_of(app: &App, at: usize) -> u16 {
    let Over::Prompt(prompt) = &app.over else { return 0 };
    let text = prompt.typed.text();
    let before = &text[..text.floor_char_boundary(at)];
    (width(label(prompt.kind)) + width(before)) as u16
}

/// Returns where the cursor stands while something is typed.
pub(super) fn cursor(app: &App, area: Rect) -> Option<Position> {
    let Over::Prompt(prompt) = &app.over else { return None };
    let column = column_of(app, prompt.typed.cursor()).min(area.width.saturating_sub(1));
    Some(Position::new(area.x + column, area.y))
}
