//! Drawing the screen: a function of its state.

mod bars;
mod over;
pub(crate) mod session;
mod table;
pub(crate) mod timeline;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::app::App;
use crate::panel::Panel;
use crate::text::fit;

pub(crate) use over::over_lines;

/// From how many columns on details stand beside a panel.
const SIDE_FROM: u16 = 150;
/// The fewest columns and rows that anything is drawn in.
const COLUMNS_MIN: u16 = 20;
const ROWS_MIN: u16 = 6;

/// Where things are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Areas {
    pub(crate) tabs: Rect,
    pub(crate) state: Rect,
    pub(crate) body: Rect,
    /// Where details stand, if there is room beside the body.
    pub(crate) side: Option<Rect>,
    pub(crate) foot: Rect,
}

/// What the mouse points at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Panel(Panel),
    Row(usize),
}

/// Draws the screen.
pub fn draw(app: &App, frame: &mut Frame<'_>) {
    let area = frame.area();
    let buffer = frame.buffer_mut();
    if area.width < COLUMNS_MIN || area.height < ROWS_MIN {
        put(buffer, area, 0, "too small", Style::new());
        return;
    }
    let areas = areas_in(area, app.panel);
    bars::tabs(app, areas.tabs, buffer);
    bars::state(app, areas.state, buffer);
    match app.panel {
        Panel::Timeline => timeline::draw(app, areas.body, buffer),
        Panel::Session if app.talk.is_some() => session::draw(app, areas.body, buffer),
        Panel::Session
        | Panel::Fleet
        | Panel::Inbox
        | Panel::Trace
        | Panel::Work
        | Panel::Usage
        | Panel::Files
        | Panel::Errors
        | Panel::Decisions
        | Panel::Loops
        | Panel::Runs
        | Panel::Gateway
        | Panel::Log => table::draw(app, areas.body, buffer),
    }
    if let Some(side) = areas.side {
        over::side(app, side, buffer);
    }
    bars::foot(app, areas.foot, buffer);
    over::draw(app, area, buffer);
    if let Some(cursor) = bars::cursor(app, areas.foot) {
        frame.set_cursor_position(cursor);
    }
}

fn areas_in(area: Rect, panel: Panel) -> Areas {
    let row = |y: u16, height: u16| Rect { y: area.y + y, height, ..area };
    let middle = row(2, area.height - 3);
    let has_side = area.width >= SIDE_FROM && panel != Panel::Timeline;
    let side_width = if has_side { area.width * 3 / 8 } else { 0 };
    let body = Rect { width: middle.width - side_width, ..middle };
    let side = Rect { x: body.right(), width: side_width, ..middle };
    Areas {
        tabs: row(0, 1),
        state: row(1, 1),
        body,
        side: has_side.then_some(side),
        foot: row(area.height - 1, 1),
    }
}

pub(crate) fn areas(app: &App) -> Areas {
    let (width, height) = (app.size.0.max(COLUMNS_MIN), app.size.1.max(ROWS_MIN));
    areas_in(Rect::new(0, 0, width, height), app.panel)
}

/// Returns how many rows of the panel are in sight.
pub(crate) fn rows_shown(app: &App) -> usize {
    usize::from(areas(app).body.height.saturating_sub(1))
}

/// Returns what stands at a place of the screen.
pub(crate) fn target(app: &App, column: u16, row: u16) -> Option<Target> {
    let areas = areas(app);
    if row == areas.tabs.y {
        return bars::panel_at(app, areas.tabs.width, column).map(Target::Panel);
    }
    let body = areas.body;
    let is_inside = column < body.right() && row > body.y && row < body.bottom();
    let line = usize::from(row.saturating_sub(body.y + 1));
    if !is_inside {
        return None;
    }
    let idx = match &app.talk {
        Some(_) if app.panel == Panel::Session => session::block_at(app, body, line)?,
        Some(_) | None => app.spot().top + line,
    };
    (idx < app.n_rows()).then_some(Target::Row(idx))
}

/// Writes a text into the first row of an area, from a column on; what does not fit is cut. Returns the columns it took.
fn put(buffer: &mut Buffer, area: Rect, column: u16, text: &str, style: Style) -> u16 {
    let room = area.width.saturating_sub(column);
    if room == 0 || area.height == 0 {
        return 0;
    }
    let text = fit(text, usize::from(room));
    let (end, _) = buffer.set_stringn(area.x + column, area.y, &text, usize::from(room), style);
    end - area.x - column
}

/// Returns a row of an area.
fn line_of(area: Rect, n: u16) -> Rect {
    let y = (area.y + n).min(area.bottom());
    Rect { y, height: u16::from(n < area.height), ..area }
}

#[cfg(test)]
mod tests;
