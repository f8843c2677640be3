//! Rows in columns, as wide as the screen has room for.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{line_of, put};
use crate::app::App;
use crate::listing::{Cell, Column};
use crate::text::{fit, fit_end, width};
use crate::theme::Tone;

/// Columns of the screen between two columns.
const GAP: usize = 2;

pub(super) fn draw(app: &App, area: Rect, buffer: &mut Buffer) {
    let theme = app.settings.theme;
    let listing = &app.listing;
    if listing.items.is_empty() {
        let text = if app.is_behind() { "reading the log …" } else { listing.empty };
        put(buffer, line_of(area, 1), 1, text, theme.style(Tone::Faint));
        return;
    }
    let (spot, look) = (app.spot(), app.look());
    let height = usize::from(area.height.saturating_sub(1));
    let shown = listing.items.iter().enumerate().skip(spot.top).take(height);
    let rows: Vec<(usize, Vec<Cell>)> = shown.map(|(idx, item)| (idx, item.cells(&look))).collect();
    let widths = widths(listing.columns, &rows, usize::from(area.width.saturating_sub(2)));
    let mut column = 1;
    for (title, width) in listing.columns.iter().zip(&widths).filter(|(_, width)| **width > 0) {
        put(buffer, line_of(area, 0), column, &fit(title.title, *width), theme.style(Tone::Faint));
        column += (*width + GAP) as u16;
    }
    for (n, (idx, cells)) in rows.iter().enumerate() {
        let line = line_of(area, n as u16 + 1);
        let is_chosen = *idx == spot.idx;
        if is_chosen {
            buffer.set_style(line, theme.style(Tone::Chosen));
            put(buffer, line, 0, "›", theme.style(Tone::Chosen));
        }
        let mut column = 1;
        for (cell, width) in cells.iter().zip(&widths).filter(|(_, width)| **width > 0) {
            let style = if is_chosen { theme.style(Tone::Chosen) } else { theme.style(cell.tone) };
            let cut = if cell.ends_well { fit_end } else { fit };
            put(buffer, line, column, &cut(&cell.text, *width), style);
            column += (*width + GAP) as u16;
        }
    }
}

/// Returns how wide each column is; 0 for those that there is no room for.
fn widths(columns: &[Column], rows: &[(usize, Vec<Cell>)], room: usize) -> Vec<usize> {
    let natural = |idx: usize| {
        let cells = rows.iter().filter_map(|(_, cells)| cells.get(idx));
        cells.map(|cell| width(&cell.text)).max().unwrap_or(0).max(width(columns[idx].title))
    };
    let mut wanted: Vec<usize> = (0..columns.len())
        .map(|idx| natural(idx).clamp(columns[idx].min.into(), columns[idx].max.into()))
        .collect();
    let floor = |idx: usize, wanted: &[usize]| wanted[idx].min(columns[idx].min.into());
    let sum = |widths: &[usize]| {
        let kept = widths.iter().filter(|width| **width > 0);
        kept.map(|width| width + GAP).sum::<usize>().saturating_sub(GAP)
    };
    let least = |wanted: &[usize]| -> Vec<usize> {
        (0..wanted.len()).map(|idx| floor(idx, wanted)).collect()
    };
    while sum(&least(&wanted)) > room {
        let kept = (0..columns.len()).filter(|idx| wanted[*idx] > 0 && columns[*idx].rank > 0);
        let Some(last) = kept.max_by_key(|idx| columns[*idx].rank) else { break };
        wanted[last] = 0;
    }
    // What is widest gives way first, down to what it is of use with.
    while sum(&wanted) > room {
        let spare = |idx: &usize| wanted[*idx].saturating_sub(floor(*idx, &wanted));
        let Some(widest) = (0..columns.len()).filter(|idx| spare(idx) > 0).max_by_key(spare) else {
            break;
        };
        wanted[widest] -= 1;
    }
    wanted
}
