//! A session as a conversation.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{line_of, put};
use crate::app::App;
use crate::talk::{Block, Kind, Talk, call_about, call_state};
use crate::text::{fit, span, wrap};
use crate::theme::Tone;

/// Columns of the clock and of who speaks.
const MARGIN: u16 = 19;
/// Most lines of what was said, and of what a tool was given or gave back.
const WORDS_LINES_MAX: usize = 12;
const TOOL_LINES_MAX: usize = 8;
/// Most levels that subagents are indented by.
const DEPTH_MAX: usize = 4;

/// A line of the conversation.
struct Line {
    block_idx: usize,
    /// The clock and who speaks, on the first line of a block.
    is_first: bool,
    text: String,
    tone: Tone,
}

pub(super) fn draw(app: &App, area: Rect, buffer: &mut Buffer) {
    let theme = app.settings.theme;
    let Some(talk) = &app.talk else { return };
    let more = match (talk.is_asked, talk.has_older, talk.has_newer) {
        (true, ..) => "  reading …",
        (false, true, true) => {
            "  ↑ older and ↓ newer are read when scrolled to, g the first, G the last"
        }
        (false, true, false) => "  ↑ older is read when scrolled to, g the first",
        (false, false, true) => "  ↓ newer is read when scrolled to, G the last",
        (false, false, false) => "",
    };
    let title = format!("session {}{more}", talk.session);
    put(buffer, line_of(area, 0), 1, &title, theme.style(Tone::Faint));
    if talk.blocks.is_empty() {
        let text = match app.words() {
            "" => "nothing was said in it up to the moment shown",
            _ => "nothing in it has these words",
        };
        put(buffer, line_of(area, 1), 1, text, theme.style(Tone::Faint));
    }
    for (n, line) in lines(app, talk, area).iter().enumerate() {
        let row = line_of(area, n as u16 + 1);
        let is_chosen = line.block_idx == app.spot().idx;
        if is_chosen {
            put(buffer, row, 0, "›", theme.style(Tone::Strong));
        }
        if line.is_first {
            let block = &talk.blocks[line.block_idx];
            let clock = app.settings.zone.clock(block.at.0);
            put(buffer, row, 1, &clock, theme.style(Tone::Faint));
            let (who, tone) = block.who();
            put(buffer, row, 10, &fit(who, 8), theme.style(tone));
        }
        let style = theme.style(line.tone);
        let style = if is_chosen { style.patch(theme.style(Tone::Strong)) } else { style };
        put(buffer, row, MARGIN, &line.text, style);
    }
}

/// Returns the block that stands on a line of the area.
pub(super) fn block_at(app: &App, area: Rect, line: usize) -> Option<usize> {
    lines(app, app.talk.as_ref()?, area).get(line).map(|line| line.block_idx)
}

/// Returns the lines in sight: those of the chosen block and what stands around it.
fn lines(app: &App, talk: &Talk, area: Rect) -> Vec<Line> {
    let height = usize::from(area.height.saturating_sub(1));
    let columns = usize::from(area.width.saturating_sub(MARGIN + 1));
    let chosen = app.spot().idx.min(talk.blocks.len().saturating_sub(1));
    let of = |idx: usize| block_lines(idx, &talk.blocks[idx], columns, app.is_unfolded);
    let mut below = Vec::new();
    for idx in chosen + 1..talk.blocks.len() {
        if below.len() >= height {
            break;
        }
        below.extend(of(idx));
    }
    let mut above: Vec<Vec<Line>> = Vec::new();
    let mut n_above = 0;
    for idx in (0..talk.blocks.len().min(chosen + 1)).rev() {
        if n_above >= height {
            break;
        }
        let lines = of(idx);
        n_above += lines.len();
        above.push(lines);
    }
    let mut lines: Vec<Line> = above.into_iter().rev().flatten().collect();
    // A third of the screen shows what came after, if so much came.
    let n_below = below.len().min((height / 3).max(height.saturating_sub(n_above)));
    let n_cut = (lines.len() + n_below).saturating_sub(height);
    lines.drain(..n_cut);
    lines.extend(below.into_iter().take(n_below));
    lines.truncate(height);
    lines
}

fn block_lines(block_idx: usize, block: &Block, columns: usize, is_unfolded: bool) -> Vec<Line> {
    let indent = "  ".repeat(block.depth.min(DEPTH_MAX));
    let columns = columns.saturating_sub(indent.len());
    let mut lines: Vec<(String, Tone)> = Vec::new();
    let wrapped = |text: &str, tone| {
        let lines = wrap(text, columns, WORDS_LINES_MAX).into_iter();
        lines.map(move |text| (text, tone)).collect::<Vec<_>>()
    };
    match &block.kind {
        Kind::Prompt(text) => lines.extend(wrapped(text, Tone::Strong)),
        Kind::Words(text) => lines.extend(wrapped(text, Tone::Plain)),
        Kind::Thought(text) => lines.extend(wrapped(text, Tone::Faint)),
        Kind::Notice(text) => lines.extend(wrapped(text, Tone::Warn)),
        Kind::Agent(actor) => lines.push((actor.clone(), Tone::Strong)),
        Kind::End(phase) => lines.push((format!("── turn {phase} ──"), Tone::Faint)),
        Kind::Call(call) => {
            let (sign, state, tone) = call_state(call);
            let took = call.duration_ms.map(|ms| format!(" {}", span(ms))).unwrap_or_default();
            let mark = if is_unfolded { "▾" } else { "▸" };
            let tool = call.tool.as_deref().unwrap_or("tool");
            let head = format!("{mark} {sign} {tool} {state}{took}");
            let about = if is_unfolded { "" } else { call_about(call) };
            lines.push((fit(&format!("{head}  {about}"), columns), tone));
            if is_unfolded {
                let parts = [("file", &call.path), ("given", &call.input), ("gave", &call.result)];
                for (name, text) in
                    parts.into_iter().filter_map(|(name, text)| Some((name, text.as_ref()?)))
                {
                    let text = wrap(text, columns.saturating_sub(8), TOOL_LINES_MAX);
                    for (n, text) in text.into_iter().enumerate() {
                        let name = if n == 0 { name } else { "" };
                        lines.push((format!("  {name:<5} {text}"), Tone::Faint));
                    }
                }
            }
        }
    }
    let line = |(n, (text, tone))| Line {
        block_idx,
        is_first: n == 0,
        text: format!("{indent}{text}"),
        tone,
    };
    lines.into_iter().enumerate().map(line).collect()
}
