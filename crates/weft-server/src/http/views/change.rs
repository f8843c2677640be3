//! What became of the rows of a page: those that changed, those that are gone, and those that stand elsewhere.
//!
//! Of thousands of rows few change at a time, and only these are sent; so it is with their order.

use std::collections::HashMap;

use weft_event::json::Json;

use crate::views::{Page, Row};

/// What surrounds a row besides its id, in bytes.
const AROUND_BYTES: usize = 20;

/// Returns all rows.
pub(super) fn whole(page: &Page) -> String {
    let rows = joined(page.rows.iter());
    format!("\"is_whole\":true,\"rows\":[{rows}],\"gone\":[],\"n_more\":{}", page.n_more)
}

/// Returns that no row changed.
pub(super) fn same(page: &Page) -> String {
    format!("\"is_whole\":false,\"rows\":[],\"gone\":[],\"moved\":[],\"n_more\":{}", page.n_more)
}

/// Returns what changed from one page to the next, or the whole of it if that is shorter; `None` if nothing did.
pub(super) fn change(before: &Page, now: &Page) -> Option<String> {
    let known: HashMap<&str, (usize, u64)> =
        before.rows.iter().enumerate().map(|(idx, row)| (&*row.id, (idx, row.gist()))).collect();
    let is_changed = |row: &&Row| known.get(&*row.id).is_none_or(|(_, gist)| *gist != row.gist());
    let changed: Vec<&Row> = now.rows.iter().filter(is_changed).collect();
    let idxs: Vec<Option<usize>> =
        now.rows.iter().map(|row| known.get(&*row.id).map(|(idx, _)| *idx)).collect();
    let moved = moved(&idxs);
    let mut is_kept = vec![false; before.rows.len()];
    idxs.iter().flatten().for_each(|idx| is_kept[*idx] = true);
    let gone: Vec<&Row> = before
        .rows
        .iter()
        .zip(is_kept)
        .filter(|(_, is_kept)| !is_kept)
        .map(|(row, _)| row)
        .collect();
    let is_same = changed.is_empty() && moved.is_empty() && gone.is_empty();
    if is_same && before.n_more == now.n_more {
        return None;
    }
    let bytes = |row: &&Row| row.id.len() + row.json.len() + AROUND_BYTES;
    let places = (gone.len() + moved.len()) * AROUND_BYTES;
    if changed.iter().map(bytes).sum::<usize>() + places
        > now.rows.iter().map(|row| bytes(&row)).sum()
    {
        return Some(whole(now));
    }
    let gone: Vec<String> =
        gone.iter().map(|row| Json::text(&row.id).as_str().to_owned()).collect();
    let moved = moved.into_iter().map(|nth| {
        let id = Json::text(&now.rows[nth].id);
        format!("{{\"id\":{},\"nth\":{nth}}}", id.as_str())
    });
    let moved: Vec<String> = moved.collect();
    Some(format!(
        "\"is_whole\":false,\"rows\":[{}],\"gone\":[{}],\"moved\":[{}],\"n_more\":{}",
        joined(changed.into_iter()),
        gone.join(","),
        moved.join(","),
        now.n_more
    ))
}

/// Returns which rows are new or stand elsewhere among the others, given where each stood: as few as there can be.
fn moved(idxs: &[Option<usize>]) -> Vec<usize> {
    // The longest run of rows that stand as they stood before; all others moved. `ends[n]` is where the run of length n + 1 ends
    // that stood first.
    let mut ends: Vec<(usize, usize)> = Vec::new();
    let mut run_before: Vec<Option<usize>> = vec![None; idxs.len()];
    for (nth, idx) in idxs.iter().enumerate() {
        let Some(idx) = *idx else { continue };
        let n = ends.partition_point(|(end, _)| *end < idx);
        run_before[nth] = n.checked_sub(1).map(|n| ends[n].1);
        if n == ends.len() {
            ends.push((idx, nth));
        } else {
            ends[n] = (idx, nth);
        }
    }
    let mut stays = vec![false; idxs.len()];
    let mut next = ends.last().map(|(_, nth)| *nth);
    while let Some(nth) = next {
        stays[nth] = true;
        next = run_before[nth];
    }
    (0..idxs.len()).filter(|nth| !stays[*nth]).collect()
}

fn joined<'r>(rows: impl Iterator<Item = &'r Row>) -> String {
    let mut text = String::new();
    for row in rows {
        text.push_str(if text.is_empty() { "" } else { "," });
        text.push_str(&format!("{{\"id\":{},\"row\":{}}}", Json::text(&row.id).as_str(), row.json));
    }
    text
}

#[cfg(test)]
mod tests;
