//! What lies over a panel or beside it: details, help, the palette, and what is said about what is typed.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::{Block, Clear, Widget as _};

use super::{bars, line_of, put};
use crate::app::{App, Over, Prompt, PromptKind};
use crate::keys::{CONTEXTS, TABLE};
use crate::text::wrap;
use crate::theme::Tone;

/// Columns of a field's name.
const NAME_COLUMNS: usize = 12;
/// Columns of keys in the help.
const KEY_COLUMNS: usize = 14;
/// Most lines of one field.
const FIELD_LINES_MAX: usize = 400;
/// Most completions in sight.
const OFFERS_MAX: usize = 10;

type Lines = Vec<(String, Tone)>;

pub(super) fn draw(app: &App, area: Rect, buffer: &mut Buffer) {
    match &app.over {
        Over::Nothing | Over::Question(_) => {}
        Over::Help { top } => {
            window(app, area, "keys", &help(), *top, buffer);
        }
        Over::Detail { top } => {
            let lines = detail(app, inner_columns(area));
            window(app, area, "details", &lines, *top, buffer);
        }
        Over::Prompt(prompt) => match prompt.kind {
            PromptKind::Palette => palette(app, prompt, area, buffer),
            PromptKind::Filter | PromptKind::Words | PromptKind::Jump => {
                remarks(app, prompt, area, buffer)
            }
        },
    }
}

/// Draws the details of the chosen row beside the panel.
pub(super) fn side(app: &App, area: Rect, buffer: &mut Buffer) {
    let theme = app.settings.theme;
    for row in 0..area.height {
        put(buffer, line_of(area, row), 0, "│", theme.style(Tone::Faint));
    }
    let inner = Rect { x: area.x + 2, width: area.width.saturating_sub(3), ..area };
    for (row, (text, tone)) in (0..area.height).zip(detail(app, inner.width.into())) {
        put(buffer, line_of(inner, row), 0, &text, theme.style(tone));
    }
}

/// Returns how many lines what lies over the panel has.
pub(crate) fn over_lines(app: &App) -> usize {
    match &app.over {
        Over::Nothing | Over::Question(_) | Over::Prompt(_) => 0,
        Over::Help { .. } => help().len(),
        Over::Detail { .. } => {
            detail(app, inner_columns(Rect::new(0, 0, app.size.0, app.size.1))).len()
        }
    }
}

fn inner_columns(area: Rect) -> usize {
    usize::from(area.width.saturating_sub(8))
}

fn window(app: &App, area: Rect, title: &str, lines: &Lines, top: usize, buffer: &mut Buffer) {
    let theme = app.settings.theme;
    let height = (lines.len() as u16).saturating_add(2).min(area.height.saturating_sub(2));
    let widest = lines.iter().map(|(text, _)| crate::text::width(text)).max().unwrap_or(0);
    let width = (widest as u16).saturating_add(4).max(40).min(area.width.saturating_sub(4));
    let place = Rect {
        x: area.x + (area.width - width) / 2,
        y: area.y + (area.height - height) / 2,
        width,
        height,
    };
    Clear.render(place, buffer);
    let rest = lines.len().saturating_sub(top + usize::from(height.saturating_sub(2)));
    let more = if rest > 0 { format!(" {rest} more ") } else { String::new() };
    let block = Block::bordered().title(format!(" {title} ")).title_bottom(more);
    let inside = block.inner(place);
    block.render(place, buffer);
    for (row, (text, tone)) in (0..inside.height).zip(lines.iter().skip(top)) {
        put(buffer, line_of(inside, row), 1, text, theme.style(*tone));
    }
}

fn help() -> Lines {
    let mut lines = Lines::new();
    for context in CONTEXTS {
        if !lines.is_empty() {
            lines.push((String::new(), Tone::Plain));
        }
        lines.push((context.title().to_owned(), Tone::Strong));
        for binding in TABLE.iter().filter(|binding| binding.context == context) {
            let text = format!("{:<KEY_COLUMNS$} {}", binding.label(), binding.help);
            lines.push((text, Tone::Plain));
        }
    }
    lines
}

fn detail(app: &App, columns: usize) -> Lines {
    let Some(item) = app.chosen() else { return Lines::new() };
    let mut lines = Lines::new();
    for field in item.detail(&app.look()) {
        if let Some(text) = field.text.strip_prefix('\n') {
            lines.push((String::new(), Tone::Plain));
            lines.extend(wrap_indented(text, columns));
            continue;
        }
        let room = columns.saturating_sub(NAME_COLUMNS + 1);
        for (n, text) in wrap(&field.text, room, FIELD_LINES_MAX).into_iter().enumerate() {
            let name = if n == 0 { field.name } else { "" };
            lines.push((format!("{name:<NAME_COLUMNS$} {text}"), Tone::Plain));
        }
    }
    lines.push((String::new(), Tone::Plain));
    let command = wrap(&format!("$ {}", item.command()), columns, FIELD_LINES_MAX);
    lines.extend(command.into_iter().map(|text| (text, Tone::Accent)));
    lines
}

fn wrap_indented(text: &str, columns: usize) -> Lines {
    wrap(text, columns, FIELD_LINES_MAX).into_iter().map(|text| (text, Tone::Plain)).collect()
}

fn palette(app: &App, prompt: &Prompt, area: Rect, buffer: &mut Buffer) {
    let entries = prompt.entries();
    let room = usize::from(area.height.saturating_sub(6)).min(14);
    let first = (prompt.chosen + 1).saturating_sub(room);
    let shown = entries.iter().enumerate().skip(first).take(room);
    let lines: Lines = shown
        .map(|(idx, binding)| {
            let tone = if idx == prompt.chosen { Tone::Chosen } else { Tone::Plain };
            let key = binding.label();
            (format!("{:<15} {key:<11} {}", binding.name, binding.help), tone)
        })
        .collect();
    list(app, area, &lines, 0, buffer);
}

/// Says what is wrong with a filter under the place where it is wrong, and how it could go on.
fn remarks(app: &App, prompt: &Prompt, area: Rect, buffer: &mut Buffer) {
    let mut lines = Lines::new();
    if let Some(fault) = &prompt.fault {
        let marks = "▼".repeat(fault.length.clamp(1, 40));
        let column = usize::from(bars::column_of(app, fault.offset));
        lines.push((format!("{}: {}", fault.message, fault.help), Tone::Bad));
        lines.push((format!("{:column$}{marks}", ""), Tone::Bad));
    } else if !prompt.offers.words.is_empty() {
        let column = usize::from(bars::column_of(app, prompt.offers.from));
        for (idx, word) in prompt.offers.words.iter().enumerate().take(OFFERS_MAX) {
            let tone = if idx == prompt.chosen { Tone::Strong } else { Tone::Plain };
            lines.push((format!("{:column$}{word}", ""), tone));
        }
    }
    list(app, area, &lines, 0, buffer);
}

/// Draws lines right above the foot.
fn list(app: &App, area: Rect, lines: &Lines, column: u16, buffer: &mut Buffer) {
    let height = (lines.len() as u16).min(area.height.saturating_sub(3));
    let place = Rect { y: area.bottom() - 1 - height, height, ..area };
    Clear.render(place, buffer);
    for (row, (text, tone)) in (0..height).zip(lines) {
        put(buffer, line_of(place, row), column, text, app.settings.theme.style(*tone));
    }
}
