//! Who did what when: a lane for each actor, a sign for each stretch of time.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use weft_event::Status;
use weft_view::lanes::Stage;

use super::{line_of, put};
use crate::app::App;
use crate::text::width;
use crate::theme::{Tone, of_status};

const MINUTE_NS: i64 = 60_000_000_000;

/// How much time is shown, and how that is called.
pub(crate) const ZOOMS: [(i64, &str); 7] = [
    (MINUTE_NS, "1 minute"),
    (5 * MINUTE_NS, "5 minutes"),
    (15 * MINUTE_NS, "15 minutes"),
    (60 * MINUTE_NS, "1 hour"),
    (6 * 60 * MINUTE_NS, "6 hours"),
    (24 * 60 * MINUTE_NS, "1 day"),
    (7 * 24 * 60 * MINUTE_NS, "1 week"),
];
/// The one to begin with.
pub(crate) const ZOOM_FIRST: usize = 2;

/// Every how many columns the time is written.
const TICK_COLUMNS: u16 = 16;

/// Returns the time that is shown.
pub(crate) fn window(app: &App) -> (i64, i64) {
    let upto_ns = app.moment_ns();
    (upto_ns.saturating_sub(ZOOMS[app.zoom_idx].0), upto_ns)
}

pub(super) fn draw(app: &App, area: Rect, buffer: &mut Buffer) {
    let theme = app.settings.theme;
    let (from_ns, upto_ns) = window(app);
    let names = (area.width / 4).clamp(10, 30);
    let lane = Rect { x: area.x + names, width: area.width.saturating_sub(names + 1), ..area };
    if app.listing.items.is_empty() {
        let text = if app.is_behind() { "reading the log …" } else { app.listing.empty };
        put(buffer, line_of(area, 1), 1, text, theme.style(Tone::Faint));
        return;
    }
    let step_ns = ((upto_ns - from_ns) / i64::from(lane.width.max(1))).max(1);
    put(buffer, line_of(area, 0), 1, ZOOMS[app.zoom_idx].1, theme.style(Tone::Faint));
    for column in (0..lane.width.saturating_sub(8)).step_by(TICK_COLUMNS.into()) {
        let text = app.settings.zone.clock(from_ns + i64::from(column) * step_ns);
        put(buffer, line_of(lane, 0), column, &text, theme.style(Tone::Faint));
    }
    let spot = app.spot();
    let shown: Vec<String> = app.listing.items.iter().map(|item| item.id()).collect();
    let mut lanes = app.lanes.within(from_ns, upto_ns);
    lanes.retain(|(actor, _)| shown.iter().any(|shown| shown == actor));
    let height = usize::from(area.height.saturating_sub(2));
    for (n, (actor, changes)) in lanes.iter().enumerate().skip(spot.top).take(height) {
        let row = (n - spot.top) as u16 + 1;
        let is_chosen = n == spot.idx;
        let tone = if is_chosen { Tone::Chosen } else { Tone::Strong };
        let name = Rect { width: names - 1, ..line_of(area, row) };
        put(buffer, name, 1, actor, theme.style(tone));
        for column in 0..lane.width {
            let start_ns = from_ns + i64::from(column) * step_ns;
            if let Some(stage) = changes.show(start_ns, start_ns + step_ns) {
                let (sign, tone) = sign(stage);
                put(buffer, line_of(lane, row), column, sign, theme.style(tone));
            }
        }
    }
    legend(app, line_of(area, area.height.saturating_sub(1)), buffer);
}

/// Returns how a stage looks: each differs by its sign alone.
fn sign(stage: Stage) -> (&'static str, Tone) {
    let Stage::In(status) = stage else { return ("⊣", Tone::Faint) };
    let sign = match status {
        Status::Started => "▷",
        Status::Thinking => "·",
        Status::ToolUse => "▪",
        Status::Progress => "─",
        Status::Waiting => "~",
        Status::Blocked => "■",
        Status::Completed => "✓",
        Status::Error => "✗",
    };
    (sign, of_status(status).1)
}

fn legend(app: &App, area: Rect, buffer: &mut Buffer) {
    // What matters most first: where there is little room the rest is left out.
    const STATUSES: [Status; 8] = [
        Status::Error,
        Status::Blocked,
        Status::Waiting,
        Status::Completed,
        Status::Progress,
        Status::ToolUse,
        Status::Thinking,
        Status::Started,
    ];
    let theme = app.settings.theme;
    let mut column = 1;
    let stages = STATUSES.map(|status| (Stage::In(status), status.as_str()));
    for (stage, name) in stages.into_iter().chain([(Stage::Gone, "gone")]) {
        let (sign, tone) = sign(stage);
        if usize::from(column) + width(sign) + 1 + width(name) > usize::from(area.width) {
            return;
        }
        column += put(buffer, area, column, sign, theme.style(tone)) + 1;
        column += put(buffer, area, column, name, theme.style(Tone::Faint)) + 2;
    }
}
