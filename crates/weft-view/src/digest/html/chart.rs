//! The charts of a digest: bars drawn as SVG, with their names and figures as text beside them.

use std::collections::BTreeMap;

use super::super::lines::{dollars, minute, tokens};
use super::super::{ActivityRow, ActorDigest, escape};
use super::usage_title;
use crate::Money;
use crate::usage::UsageRow;

/// Bars of a chart, the greatest.
const BARS_MAX: usize = 8;
/// Characters of a bar's name.
const NAME_CHARS_MAX: usize = 60;
/// How wide a bar is in the measure of its drawing.
const WIDTH: f64 = 1000.0;
/// How high the drawing of events by time is.
const HEIGHT: f64 = 100.0;

/// Returns events and failures by time.
pub(super) fn activity(rows: &[ActivityRow]) -> String {
    let most = rows.iter().map(|row| row.n_events).max().unwrap_or(0);
    let (Some(first), Some(last)) = (rows.first(), rows.last()) else { return String::new() };
    let step = WIDTH / rows.len() as f64;
    let mut bars = String::new();
    for (idx, row) in rows.iter().enumerate().filter(|(_, row)| row.n_events > 0) {
        let high = |n: u64| HEIGHT * n as f64 / most.max(1) as f64;
        let (all, bad) = (high(row.n_events), high(row.n_errors));
        let (x, width) = (step * idx as f64, (step * 0.86).max(0.5));
        let n_events = row.n_events;
        let failed = match row.n_errors {
            0 => String::new(),
            n => format!(", {n} failed"),
        };
        bars += &format!(
            "<g><title>{}: {n_events} events{failed}</title>\
             <rect class=\"events\" x=\"{x:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{:.1}\"/>\
             <rect class=\"errors\" x=\"{x:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{bad:.1}\"/></g>\n",
            minute(row.at),
            HEIGHT - all,
            all - bad,
            HEIGHT - bad,
        );
    }
    let step_min = first.step_ms / 60_000;
    let each =
        if step_min < 120 { format!("{step_min} min") } else { format!("{} h", step_min / 60) };
    let name = format!("Events by time, {most} in the busiest {each}");
    format!(
        "<div class=\"card wide\">\n<h3>{name}</h3>\n\
         <svg class=\"time\" role=\"img\" aria-label=\"{name}\" viewBox=\"0 0 1000 100\" preserveAspectRatio=\"none\">\n{bars}</svg>\n\
         <div class=\"axis\"><span>{}</span><span>{}</span></div>\n\
         <p class=\"key\"><i class=\"events\"></i>events <i class=\"errors\"></i>failed</p>\n</div>\n",
        minute(first.at),
        minute(last.at),
    )
}

/// Returns what each agent cost.
pub(super) fn cost_by_actor(actors: &[ActorDigest]) -> String {
    let bars = actors.iter().map(|actor| {
        let n_tokens = actor.usage.iter().map(|row| row.total_tokens).sum();
        let title = format!("{}, {} tokens", dollars(actor.cost_usd), tokens(n_tokens));
        (actor.actor.clone(), Spent { cost_usd: actor.cost_usd, n_tokens }, title)
    });
    spent("Cost by agent", bars.collect())
}

/// Returns what each model cost.
pub(super) fn cost_by_model(actors: &[ActorDigest]) -> String {
    let mut by_model: BTreeMap<&str, Vec<&UsageRow>> = BTreeMap::new();
    for row in actors.iter().flat_map(|actor| &actor.usage) {
        by_model.entry(row.name.as_deref().unwrap_or("not said")).or_default().push(row);
    }
    let bars = by_model.into_iter().map(|(model, rows)| {
        let nano = rows.iter().fold(0, |sum: u64, row| sum.saturating_add(row.cost_usd.0));
        let n_tokens = rows.iter().map(|row| row.total_tokens).sum();
        let title = match rows.as_slice() {
            [row] => usage_title(row),
            _ => format!("{}, {} tokens", dollars(Money(nano)), tokens(n_tokens)),
        };
        (model.to_owned(), Spent { cost_usd: Money(nano), n_tokens }, title)
    });
    spent("Cost by model", bars.collect())
}

/// What was used up.
#[derive(Clone, Copy)]
struct Spent {
    cost_usd: Money,
    n_tokens: u64,
}

/// Returns a chart of what was used up: dollars, or tokens where none of it has a price.
fn spent(name: &str, mut bars: Vec<(String, Spent, String)>) -> String {
    let has_price = bars.iter().any(|(_, spent, _)| spent.cost_usd.0 > 0);
    let size = |spent: &Spent| if has_price { spent.cost_usd.0 } else { spent.n_tokens };
    bars.retain(|(_, spent, _)| size(spent) > 0);
    bars.sort_by(|a, b| size(&b.1).cmp(&size(&a.1)).then_with(|| a.0.cmp(&b.0)));
    let most = bars.first().map_or(0, |(_, spent, _)| size(spent));
    let rows = bars.iter().take(BARS_MAX).map(|(name, spent, title)| {
        let value = if has_price { dollars(spent.cost_usd) } else { tokens(spent.n_tokens) };
        bar(name, title, &[("events", size(spent))], most, &value)
    });
    let name = if has_price { name.to_owned() } else { name.replace("Cost", "Tokens") };
    card(&name, rows.collect(), bars.len(), "")
}

/// Returns how often each tool was called, and how often that failed.
pub(super) fn calls_by_tool(actors: &[ActorDigest]) -> String {
    let mut by_tool: BTreeMap<&str, [u64; 3]> = BTreeMap::new();
    for calls in actors.iter().flat_map(|actor| &actor.calls) {
        let sum = by_tool.entry(calls.tool.as_str()).or_default();
        for (sum, n) in sum.iter_mut().zip([calls.n, calls.n_failed, calls.n_denied]) {
            *sum += n;
        }
    }
    let mut tools: Vec<(&str, [u64; 3])> = by_tool.into_iter().collect();
    tools.sort_by(|a, b| b.1[0].cmp(&a.1[0]).then_with(|| a.0.cmp(b.0)));
    let most = tools.first().map_or(0, |(_, [n, ..])| *n);
    let rows = tools.iter().take(BARS_MAX).map(|(tool, [n, n_failed, n_denied])| {
        let name = if tool.is_empty() { "unnamed" } else { tool };
        let title = format!("{n} calls, {n_failed} failed, {n_denied} denied");
        let n_good = n.saturating_sub(n_failed + n_denied);
        let parts = [("events", n_good), ("errors", *n_failed), ("denied", *n_denied)];
        bar(name, &title, &parts, most, &n.to_string())
    });
    let key = "<p class=\"key\"><i class=\"events\"></i>went well <i class=\"errors\"></i>failed <i class=\"denied\"></i>denied</p>\n";
    card("Calls by tool", rows.collect(), tools.len(), key)
}

/// Returns one bar with its name and its figure. Its parts follow each other.
fn bar(name: &str, title: &str, parts: &[(&str, u64)], most: u64, value: &str) -> String {
    let wide = |n: u64| WIDTH * n as f64 / most.max(1) as f64;
    let mut x = 0.0;
    let mut rects =
        format!("<rect class=\"rest\" width=\"{WIDTH}\" height=\"10\" opacity=\"0.35\"/>");
    for (class, n) in parts.iter().filter(|(_, n)| *n > 0) {
        let width = wide(*n);
        rects +=
            &format!("<rect class=\"{class}\" x=\"{x:.1}\" width=\"{width:.1}\" height=\"10\"/>");
        x += width;
    }
    let name = escape::html(name, NAME_CHARS_MAX);
    format!(
        "<div class=\"bar\"><span title=\"{name}\">{name}</span>\
         <svg viewBox=\"0 0 1000 10\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{name}: {title}\"><title>{title}</title>{rects}</svg>\
         <span>{value}</span></div>\n"
    )
}

/// Returns a chart, if it has any bars.
fn card(name: &str, bars: Vec<String>, n_all: usize, key: &str) -> String {
    if bars.is_empty() {
        return String::new();
    }
    let more = match n_all.saturating_sub(bars.len()) {
        0 => String::new(),
        n => format!("<p class=\"key\">and {n} more</p>\n"),
    };
    let bars = bars.concat();
    format!("<div class=\"card\">\n<h3>{name}</h3>\n{bars}{more}{key}</div>\n")
}
