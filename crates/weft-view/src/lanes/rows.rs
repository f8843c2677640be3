//! Lanes as rows for a window of time: spans, no more of them than the window has pixels.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::Serialize;
use weft_event::Status;

use super::{Lane, Lanes, QUIET_NS, Stage, Stretch};
use crate::fleet::{Presence, Row};
use crate::stuck::Stuck;
use crate::{At, Word};

/// Whose lane is asked for, and how closely.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// Where it begins.
    pub from_ns: i64,
    /// Where it ends.
    pub to_ns: i64,
    /// What time it is: nothing lasts longer.
    pub now_ns: i64,
    /// How many pixels it is wide: what is shorter than one is put together.
    pub width: u32,
    /// How many lanes at most, those with the latest to show.
    pub limit: usize,
}

/// One actor.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LaneRow {
    /// Who.
    pub actor: String,
    /// The session that it was last heard of in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Who started it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// What it did, in order.
    pub spans: Vec<LaneSpan>,
}

/// What an actor did for a while. It may have begun before the window, and end after it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LaneSpan {
    /// A status, `silent` or `stuck`; of several that are too short to be shown apart, the worst.
    pub status: &'static str,
    /// When it began.
    pub from: At,
    /// When it ended, or now.
    pub to: At,
    /// The record that it began with.
    pub position: u64,
    /// What that is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub what: Option<String>,
    /// How many records say so.
    pub n: u64,
}

/// Returns the lanes of a window, each actor behind whoever started it, and how many more there are. Of `fleet` comes what began
/// before the records that the lanes are made of, and of `stuck` who gets nowhere.
pub fn rows(
    mut lanes: Lanes,
    fleet: &[Row],
    stuck: &[Stuck],
    window: &Window,
) -> (Vec<LaneRow>, usize) {
    fleet.iter().for_each(|row| lanes.begin(row, window.from_ns));
    let stuck: HashMap<&str, &Stuck> = stuck.iter().map(|it| (it.actor.as_str(), it)).collect();
    let row = |(actor, lane): (String, Lane)| {
        let mut spans = lane.spans(window.now_ns);
        if let Some(stuck) = stuck.get(actor.as_str()) {
            get_stuck(&mut spans, stuck, window.now_ns);
        }
        spans.retain(|span| span.to.0 >= window.from_ns && span.from.0 <= window.to_ns);
        let pixel_ns = window.to_ns.abs_diff(window.from_ns) / u64::from(window.width.max(1));
        let spans = put_together(spans, i64::try_from(pixel_ns).unwrap_or(i64::MAX));
        // Whoever was silent all the time is no news.
        let is_seen = spans.iter().any(|span| span.status != SILENT);
        let text = |named: Option<(i64, String)>| named.map(|(_, text)| text);
        let (session, parent) = (text(lane.session), text(lane.parent));
        is_seen.then_some(LaneRow { actor, session, parent, spans })
    };
    let mut rows: Vec<LaneRow> = lanes.by_actor.into_iter().filter_map(row).collect();
    let last = |row: &LaneRow| row.spans.last().map(|span| (span.to, span.from));
    rows.sort_by(|a, b| last(b).cmp(&last(a)).then_with(|| a.actor.cmp(&b.actor)));
    let n_more = rows.len().saturating_sub(window.limit);
    rows.truncate(window.limit);
    (by_parent(rows), n_more)
}

const SILENT: &str = "silent";
const STUCK: &str = "stuck";

impl Lanes {
    /// Puts in what an actor has been doing since before the window, and still is.
    fn begin(&mut self, row: &Row, from_ns: i64) {
        let (Some(Word(status)), Some(since)) = (row.status, row.since) else { return };
        let stage = Stage::In(status);
        if since.0 >= from_ns || row.presence == Presence::Gone || !stage.lasts() {
            return;
        }
        let position = row.since_position.unwrap_or_default();
        let lane = self.lane(&row.actor);
        let stretch =
            Stretch { stage, last_ns: row.last_seen.0.max(since.0), n: 0, what: row.on.clone() };
        let known = lane.stretches.first_key_value().map(|(at, first)| (*at, first.stage));
        match known {
            // The same goes on: it began earlier than the records that were read.
            Some((at, first)) if first == stage => {
                if let Some(mut first) = lane.stretches.remove(&at) {
                    first.n += stretch.n;
                    lane.stretches.insert((since.0, position), first);
                }
            }
            // What it did in the records came before what it does now.
            Some(_) => {}
            None => {
                lane.stretches.insert((since.0, position), stretch);
            }
        }
        let text = |text: &Option<String>| text.clone().map(|text| (since.0, text));
        lane.session = lane.session.take().or_else(|| text(&row.session));
        lane.parent = lane.parent.take().or_else(|| text(&row.parent));
    }
}

impl Lane {
    fn spans(&self, now_ns: i64) -> Vec<LaneSpan> {
        let stretches = self.joined();
        let mut spans = Vec::new();
        for (idx, ((at_ns, position), stretch)) in stretches.iter().enumerate() {
            let next_ns = stretches.get(idx + 1).map(|((next_ns, _), _)| *next_ns);
            let until_ns = next_ns.unwrap_or(now_ns).max(*at_ns);
            let Stage::In(status) = stretch.stage else { continue };
            let span = |status, from_ns: i64, to_ns: i64, n| LaneSpan {
                status,
                from: At(from_ns),
                to: At(to_ns.max(from_ns)),
                position: *position,
                what: stretch.what.clone(),
                n,
            };
            let heard_ns = stretch.last_ns.saturating_add(QUIET_NS);
            let end_ns = match status {
                Status::Completed | Status::Error => stretch.last_ns.min(until_ns),
                Status::Waiting | Status::Blocked => until_ns,
                Status::Started | Status::Thinking | Status::ToolUse | Status::Progress => {
                    heard_ns.min(until_ns)
                }
            };
            spans.push(span(status.as_str(), *at_ns, end_ns, stretch.n));
            if stretch.stage.lasts() && end_ns < until_ns {
                spans.push(span(SILENT, end_ns, until_ns, 0));
            }
        }
        spans
    }

    /// Returns the stages with those joined that are one: records that came late begin a stretch of their own.
    fn joined(&self) -> Vec<((i64, u64), Stretch)> {
        let mut joined: Vec<((i64, u64), Stretch)> = Vec::new();
        for (at, stretch) in &self.stretches {
            match joined.last_mut() {
                Some((_, last))
                    if last.stage == stretch.stage
                        && at.0.saturating_sub(last.last_ns) < QUIET_NS =>
                {
                    last.last_ns = last.last_ns.max(stretch.last_ns);
                    last.n += stretch.n;
                }
                Some(_) | None => joined.push((*at, stretch.clone())),
            }
        }
        joined
    }
}

/// Lets an actor be stuck from when it is.
fn get_stuck(spans: &mut Vec<LaneSpan>, stuck: &Stuck, now_ns: i64) {
    spans.retain(|span| span.from < stuck.since);
    for span in spans.iter_mut() {
        span.to = span.to.min(stuck.since);
    }
    spans.push(LaneSpan {
        status: STUCK,
        from: stuck.since,
        to: At(now_ns.max(stuck.since.0)),
        position: stuck.positions.last().copied().unwrap_or_default(),
        what: Some(stuck.what.clone()),
        n: stuck.positions.len() as u64,
    });
}

/// Puts spans together that are shorter than a pixel, as long as all of them are.
fn put_together(spans: Vec<LaneSpan>, pixel_ns: i64) -> Vec<LaneSpan> {
    let mut together: Vec<LaneSpan> = Vec::new();
    for span in spans {
        let is_short = |from: At| span.to.0.saturating_sub(from.0) < pixel_ns;
        match together.last_mut().filter(|last| is_short(last.from)) {
            Some(last) => {
                last.to = last.to.max(span.to);
                last.n += span.n;
                if weight(span.status) >= weight(last.status) {
                    (last.status, last.position, last.what) =
                        (span.status, span.position, span.what);
                }
            }
            None => together.push(span),
        }
    }
    together
}

/// Returns how much a status matters beside another.
fn weight(status: &str) -> usize {
    let order = ["completed", SILENT, "waiting", "blocked", STUCK, "error"];
    order.iter().position(|known| *known == status).map_or(0, |idx| idx + 1)
}

/// Puts each actor behind whoever started it, by name.
fn by_parent(rows: Vec<LaneRow>) -> Vec<LaneRow> {
    let mut by_actor: BTreeMap<String, LaneRow> =
        rows.into_iter().map(|row| (row.actor.clone(), row)).collect();
    let mut children: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut tops: Vec<String> = Vec::new();
    for (actor, row) in &by_actor {
        match row
            .parent
            .as_ref()
            .filter(|parent| *parent != actor && by_actor.contains_key(*parent))
        {
            Some(parent) => children.entry(parent.clone()).or_default().push(actor.clone()),
            None => tops.push(actor.clone()),
        }
    }
    // Those that started each other in a circle have nobody above them: any of them begins.
    let in_circles: Vec<String> = by_actor.keys().cloned().collect();
    let mut placed: HashSet<String> = HashSet::new();
    let mut waiting: Vec<String> = in_circles.into_iter().rev().collect();
    waiting.extend(tops.into_iter().rev());
    let mut rows = Vec::with_capacity(by_actor.len());
    while let Some(actor) = waiting.pop() {
        if !placed.insert(actor.clone()) {
            continue;
        }
        waiting.extend(children.remove(&actor).into_iter().flatten().rev());
        rows.extend(by_actor.remove(&actor));
    }
    rows
}
