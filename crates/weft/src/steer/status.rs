//! `weft loop status`: where a loop is, and why it went on or was let go last.

use std::fmt::Write as _;

use weft_event::idle::is_stale;
use weft_event::json::{Json, Tape};
use weft_log::Filter;
use weft_log::filter::quoted;
use weft_log::query::{Ask, Order, Records};
use weft_runtime::loops::{Current, Frame, Kind, State};

use super::SessionArgs;
use crate::Outcome;
use crate::output::{Shown, print, tell};
use crate::stores::StoreArgs;
use crate::times::now_ns;

/// Say where it is, and why it went on last
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    session: SessionArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, store: &StoreArgs) -> anyhow::Result<Outcome> {
    let mut records = Records::open(store.store()?)?;
    let newest = args.session.newest(&mut records)?;
    let state = match newest.current {
        Current::Running(state) => state,
        Current::None => {
            tell(format_args!("no loop runs: `weft loop start` begins one"));
            return Ok(Outcome::Found);
        }
        Current::Broken { why, .. } => {
            let why = Shown(&why);
            tell(format_args!(
                "the state of the loop cannot be read ({why}); it ends at the next stop"
            ));
            return Ok(Outcome::Found);
        }
    };
    let last = last_decision(&mut records, &state)?;
    let now_ns = now_ns();
    let text = match args.json {
        true => json(&state, last.as_deref(), now_ns),
        false => shown(&state, last.as_deref(), now_ns),
    };
    print(text.as_bytes())?;
    Ok(Outcome::Fine)
}

/// Returns why it was decided as it was at the last stop.
fn last_decision(records: &mut Records, state: &State) -> anyhow::Result<Option<String>> {
    let text = format!("topic=loop:trace actor={}", quoted(&state.run_id));
    let Ok(filter) = Filter::parse(&text, 0) else { return Ok(None) };
    let (range, order) = (super::whole(records), Order::Descending);
    let page = records.page(&Ask { filter: &filter, range, order, limit: 1 })?;
    let Some(found) = page.records.first() else { return Ok(None) };
    let mut tape = Tape::new();
    let event = found.read(&mut tape);
    Ok(event.and_then(|event| event.facts().message.map(std::borrow::Cow::into_owned)))
}

fn shown(state: &State, last: Option<&str>, now_ns: i64) -> String {
    let mut text = format!("{}\n", Shown(&state.run_id));
    let mut line = |name: &str, value: &str| {
        writeln!(text, "  {name:<9}{}", Shown(value)).expect("text takes everything");
    };
    line("session", state.session_id.as_deref().unwrap_or("the first of this folder that stops"));
    for frame in &state.stack {
        line(frame.mode().as_str(), &frame_text(frame));
    }
    let age_s = now_ns.saturating_sub(state.updated_at_ns) / 1_000_000_000;
    let stale =
        if is_stale(state.updated_at_ns, now_ns) { ", stale: the next stop ends it" } else { "" };
    line("changed", &format!("{age_s} s ago{stale}"));
    if let Some(pause) = state.paused {
        line("paused", pause.as_str());
    }
    if let Some(last) = last {
        line("last", last);
    }
    text
}

fn frame_text(frame: &Frame) -> String {
    let mut text = frame.iteration().to_string();
    match &frame.kind {
        Kind::Loop => {}
        Kind::Grind { filter } => text += &format!(", issues: {filter}"),
        Kind::Issue { issue_id, branch, .. } => text += &format!(", {issue_id} on {branch}"),
    }
    for rule in &frame.terms.until {
        text += &format!(", until `{}`", rule.shown());
    }
    let budget = frame.terms.budget;
    if let Some(seconds) = budget.seconds {
        text += &format!(", {seconds} s at most");
    }
    if let Some(tokens) = budget.tokens {
        text += &format!(", {tokens} tokens at most");
    }
    if let Some(cost) = budget.cost_usd {
        text += &format!(", {cost:.2} US dollars at most");
    }
    if frame.marks.same > 0 {
        text += &format!(", {} without a change", frame.marks.same);
    }
    text
}

fn json(state: &State, last: Option<&str>, now_ns: i64) -> String {
    let mut line = String::new();
    let mut object = weft_event::json::Object::begin(&mut line);
    object.key("state").push_str(&state.to_line());
    object.json("stale", &Json::bool(is_stale(state.updated_at_ns, now_ns)));
    object.json("last", &last.map_or(Json::null(), Json::text));
    object.end();
    line + "\n"
}
