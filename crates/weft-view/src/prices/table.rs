//! What models cost, as their makers had it on their pages at the date of each row.
//!
//! Where a price depends on the length of the prompt, this is the price of a short one; where writing to a cache depends on how
//! long it is kept, that of the shortest time; no rebates for batches, no surcharges for speed.

use super::Price;

/// Returns a row; prices are in US dollars for a million tokens: read, written, read from a cache, written to a cache.
const fn price(
    model: &'static str,
    as_of: &'static str,
    [input, output, cache_read, cache_write]: [f64; 4],
) -> Price<'static> {
    Price { model, as_of, input, output, cache_read, cache_write }
}

/// The rows.
pub(super) const TABLE: &[Price<'static>] = &[
    price("claude-fable-5-1", "2026-10-10", [10.0, 50.0, 0.25, 12.5]),
    price("claude-fable-5", "2026-10-10", [10.0, 50.0, 1.0, 12.5]),
    price("claude-mythos-5-1", "2026-10-10", [10.0, 50.0, 0.25, 12.5]),
    price("claude-mythos-5", "2026-10-10", [10.0, 50.0, 1.0, 12.5]),
    price("claude-opus-5-5", "2026-10-10", [4.0, 20.0, 0.2, 5.0]),
    price("claude-opus-5", "2026-10-10", [5.0, 25.0, 0.5, 6.25]),
    price("claude-opus-4-8", "2026-10-10", [5.0, 25.0, 0.5, 6.25]),
    price("claude-opus-4-7", "2026-10-10", [5.0, 25.0, 0.5, 6.25]),
    price("claude-opus-4-6", "2026-10-10", [5.0, 25.0, 0.5, 6.25]),
    price("claude-opus-4-5", "2026-10-10", [5.0, 25.0, 0.5, 6.25]),
    price("claude-opus-4-1", "2026-10-10", [15.0, 75.0, 1.5, 18.75]),
    price("claude-opus-4-0", "2026-10-10", [15.0, 75.0, 1.5, 18.75]),
    price("claude-opus-4", "2026-10-10", [15.0, 75.0, 1.5, 18.75]),
    price("claude-3-opus", "2026-10-10", [15.0, 75.0, 1.5, 18.75]),
    price("claude-sonnet-5-5", "2026-10-10", [2.0, 10.0, 0.1, 2.5]),
    price("claude-sonnet-5", "2026-10-10", [2.0, 10.0, 0.2, 2.5]),
    price("claude-sonnet-4-6", "2026-10-10", [3.0, 15.0, 0.3, 3.75]),
    price("claude-sonnet-4-5", "2026-10-10", [3.0, 15.0, 0.3, 3.75]),
    price("claude-sonnet-4-0", "2026-10-10", [3.0, 15.0, 0.3, 3.75]),
    price("claude-sonnet-4", "2026-10-10", [3.0, 15.0, 0.3, 3.75]),
    price("claude-3-7-sonnet", "2026-10-10", [3.0, 15.0, 0.3, 3.75]),
    price("claude-3-5-sonnet", "2026-10-10", [3.0, 15.0, 0.3, 3.75]),
    price("claude-haiku-5-5", "2026-10-10", [0.1, 0.5, 0.01, 0.125]),
    price("claude-haiku-4-5", "2026-10-10", [1.0, 5.0, 0.1, 1.25]),
    price("claude-3-5-haiku", "2026-10-10", [0.8, 4.0, 0.08, 1.0]),
    price("claude-3-haiku", "2026-10-10", [0.25, 1.25, 0.03, 0.3]),
    price("gpt-6.1-sol", "2026-10-13", [2.0, 10.0, 0.1, 2.0]),
    price("gpt-6-sol", "2026-09-23", [2.0, 10.0, 0.2, 2.5]),
    price("gpt-6-luna", "2026-09-23", [0.1, 0.5, 0.01, 0.125]),
    price("gpt-5.5", "2026-05-13", [5.0, 30.0, 0.5, 5.0]),
    price("gpt-5.4", "2026-05-13", [2.5, 15.0, 0.25, 2.5]),
    price("gpt-5.3-codex", "2026-05-13", [1.75, 14.0, 0.175, 1.75]),
    price("gpt-5.2-codex", "2026-05-05", [1.75, 14.0, 0.175, 1.75]),
    price("gpt-5.2", "2026-05-13", [1.75, 14.0, 0.175, 1.75]),
    price("gpt-5.1-codex-max", "2026-05-05", [1.25, 10.0, 0.125, 1.25]),
    price("gpt-5.1-codex-mini", "2025-11-24", [0.25, 2.0, 0.025, 0.25]),
    price("gpt-5.1-codex", "2026-05-05", [1.25, 10.0, 0.125, 1.25]),
    price("gpt-5.1", "2025-11-24", [1.25, 10.0, 0.125, 1.25]),
    price("gpt-5-codex", "2026-05-05", [1.25, 10.0, 0.125, 1.25]),
    price("gpt-5-mini", "2025-11-24", [0.25, 2.0, 0.025, 0.25]),
    price("gpt-5-nano", "2025-11-24", [0.05, 0.4, 0.005, 0.05]),
    price("gpt-5", "2025-11-24", [1.25, 10.0, 0.125, 1.25]),
    price("gpt-4.1-mini", "2025-11-24", [0.4, 1.6, 0.1, 0.4]),
    price("gpt-4.1-nano", "2025-11-24", [0.1, 0.4, 0.025, 0.1]),
    price("gpt-4.1", "2025-11-24", [2.0, 8.0, 0.5, 2.0]),
    price("gpt-4o-mini", "2025-11-24", [0.15, 0.6, 0.075, 0.15]),
    price("gpt-4o", "2025-11-24", [2.5, 10.0, 1.25, 2.5]),
    price("o4-mini", "2025-11-24", [1.1, 4.4, 0.275, 1.1]),
    price("o3", "2025-11-24", [2.0, 8.0, 0.5, 2.0]),
    price("gemini-3-pro", "2025-11-24", [2.0, 12.0, 0.2, 2.0]),
    price("gemini-2.5-pro", "2025-11-24", [1.25, 10.0, 0.125, 1.25]),
    price("gemini-2.5-flash-lite", "2025-11-24", [0.1, 0.4, 0.01, 0.1]),
    price("gemini-2.5-flash", "2025-11-24", [0.3, 2.5, 0.03, 0.3]),
];
