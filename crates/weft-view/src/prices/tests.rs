//! Which price a model has.

use super::{Price, Prices};
use crate::usage::Tokens;

fn found(prices: &Prices, model: &str) -> Option<String> {
    prices.find(model).map(|(row, _)| row.to_owned())
}

#[test]
fn a_model_is_found_by_whatever_name_it_goes() {
    let prices = Prices::default();
    let names = [
        ("claude-sonnet-4-5", "claude-sonnet-4-5"),
        ("claude-sonnet-4-5-20250929", "claude-sonnet-4-5"),
        ("anthropic/claude-sonnet-4.5", "claude-sonnet-4-5"),
        ("us.anthropic.claude-opus-4-1-20250805-v1:0", "claude-opus-4-1"),
        ("claude-opus-4@20250514", "claude-opus-4"),
        ("claude-opus-5-5[1m]", "claude-opus-5-5"),
        ("gpt-5-2025-08-07", "gpt-5"),
        ("GPT-5-Codex", "gpt-5-codex"),
        ("models/gemini-2.5-pro-preview-05-06", "gemini-2-5-pro"),
        ("gemini-2.5-flash-lite", "gemini-2-5-flash-lite"),
    ];
    for (name, row) in names {
        assert_eq!(found(&prices, name).as_deref(), Some(row), "{name}");
    }
}

#[test]
fn another_model_has_no_price_of_its_neighbour() {
    let prices = Prices::default();
    for name in
        ["", "claude-opus-4-99", "gpt-5-pro", "gpt-5.9", "my-o3", "qwen3-coder", "xclaude-opus-5"]
    {
        let is_known = name == "my-o3";
        assert_eq!(found(&prices, name).is_some(), is_known, "{name}");
    }
}

#[test]
fn every_row_has_a_date_and_finds_itself() {
    let prices = Prices::default();
    for row in super::table::TABLE {
        assert_eq!(prices.find(row.model).map(|(_, as_of)| as_of), Some(row.as_of));
        assert_eq!(row.as_of.len(), "2026-10-10".len());
        assert!(row.cache_read < row.input && row.input < row.output, "{row:?}");
    }
}

#[test]
fn an_estimate_is_exact_and_leaves_out_what_it_cannot_know() {
    let tokens = Tokens { input: 3, output: 2, cache_read: 1_000_001, cache_write: 4, unsplit: 50 };
    let prices = Prices::default();
    let estimate = prices.estimate(Some("claude-sonnet-4-5"), &tokens);
    assert_eq!(estimate.nano, 3 * 3_000 + 2 * 15_000 + 1_000_001 * 300 + 4 * 3_750);
    assert_eq!((estimate.unpriced_tokens, estimate.as_of), (50, Some("2026-10-10")));
    let unknown = prices.estimate(Some("my-own"), &tokens);
    assert_eq!((unknown.nano, unknown.unpriced_tokens), (0, tokens.total()));
    assert_eq!(unknown.as_of, None);
    assert_eq!(Prices::none().estimate(Some("gpt-5"), &tokens).nano, 0);
}

#[test]
fn a_price_of_ones_own_replaces_the_one_that_comes_with_weft() {
    let mut prices = Prices::default();
    let own = Price {
        model: "Claude-Sonnet-4.5",
        as_of: "2027-01-01",
        input: 1.0,
        output: 2.0,
        cache_read: 0.0,
        cache_write: 0.0,
    };
    prices.set(&own);
    prices.set(&Price { model: "my-own", ..own });
    let tokens = Tokens { input: 1_000_000, ..Tokens::default() };
    for model in ["claude-sonnet-4-5-20250929", "my-own"] {
        assert_eq!(prices.estimate(Some(model), &tokens).nano, 1_000_000_000, "{model}");
    }
}
