//! Issues for people and for programs.

use std::collections::BTreeMap;

use weft_event::json::{Json, Object};
use weft_event::time::format_rfc3339;
use weft_runtime::issues::{
    Board, Claim, Comment, DepKind, Entry, History, Issue, Moment, Said, Standing, Word, difference,
};

use crate::columns::{Columns, terminal_columns};
use crate::output::{Format, Shown};
use crate::times::Clock;

const NS_PER_MS: i64 = 1_000_000;

/// Shows some of them.
pub(super) fn list(board: &Board, entries: &[&Entry], now: &Moment, format: Format) -> String {
    let standings = board.standings(now);
    if format == Format::Json {
        let line = |entry: &&Entry| line(|object| write(object, entry, &standings));
        return entries.iter().map(line).collect();
    }
    if entries.is_empty() {
        return "there are no such issues\n".to_owned();
    }
    let row = |entry: &&Entry| {
        let (issue, standing) = (&entry.issue, &standings[entry.issue.id.as_str()]);
        let held = match &issue.claim {
            Some(claim) if standing.is_expired => format!("{} (expired)", claim.owner),
            Some(claim) => claim.owner.clone(),
            None => String::new(),
        };
        let priority = issue.priority.get().to_string();
        let status = if standing.is_ready { "ready" } else { issue.status.as_str() };
        let waits = waits(standing);
        [&issue.id, &priority, status, &held, &waits, &issue.title].map(str::to_owned).to_vec()
    };
    let header = ["ID", "P", "STATUS", "HELD BY", "WAITS FOR", "TITLE"];
    Columns::new(header, terminal_columns()).render(entries.iter().map(row).collect())
}

fn waits(standing: &Standing) -> String {
    if standing.cycle.is_empty() {
        return standing.blocked_by.join(" ");
    }
    format!("itself: {}", standing.cycle.join(" > "))
}

fn write(object: &mut Object<'_>, entry: &Entry, standings: &BTreeMap<&str, Standing>) {
    entry.issue.write(object);
    if let Some(standing) = standings.get(entry.issue.id.as_str()) {
        let texts = |ids: &[String]| Json::array(ids.iter().map(|id| Json::text(id)));
        object.json("ready", &Json::bool(standing.is_ready));
        object.json("blocked_by", &texts(&standing.blocked_by));
        object.json("cycle", &texts(&standing.cycle));
        object.json("expired", &Json::bool(standing.is_expired));
    }
    if let Some(position) = entry.position {
        object.json("position", &Json::integer(position.get()));
    }
}

/// Shows an issue as it is after a change, for a program.
pub(super) fn changed(issue: &Issue) -> String {
    format!("{}\n", issue.json().as_str())
}

/// What was said about an issue, wherever it is kept.
pub(super) enum Talk<'a> {
    /// In the log.
    History(&'a History),
    /// Somewhere else.
    Comments(Vec<&'a Comment>),
}

/// Shows one.
pub(super) fn one(
    board: &Board,
    entry: &Entry,
    talk: &Talk<'_>,
    now: &Moment,
    shown: (Format, &Clock),
) -> String {
    let (format, clock) = shown;
    let standings = board.standings(now);
    if format == Format::Json {
        return line(|object| {
            object.json("issue", &Json::object(|object| write(object, entry, &standings)));
            match talk {
                Talk::History(history) => object.json("history", &history_json(history)),
                Talk::Comments(comments) => {
                    let comments = comments.iter().map(|comment| comment_json(comment));
                    object.json("comments", &Json::array(comments));
                }
            }
        });
    }
    let issue = &entry.issue;
    let mut rows = head(issue, &standings[issue.id.as_str()], clock);
    rows.extend(relations(board, issue));
    let time = |ms: i64| clock.whole(ms.saturating_mul(NS_PER_MS));
    rows.push(("made", time(issue.created_at_ms)));
    rows.push(("changed", format!("{}, revision {}", time(issue.updated_at_ms), issue.rev)));
    let row = |(name, value): (&str, String)| format!("{name:<9} {}\n", Shown(&value));
    let mut text: String = rows.into_iter().map(row).collect();
    if !issue.body.is_empty() {
        text.push('\n');
        issue.body.lines().for_each(|line| text += &format!("{}\n", Shown(line)));
    }
    text.push_str(&talk_text(talk, clock));
    text
}

fn head(issue: &Issue, standing: &Standing, clock: &Clock) -> Vec<(&'static str, String)> {
    let ready = if standing.is_ready { ", ready" } else { "" };
    let mut rows = vec![
        ("id", issue.id.clone()),
        ("title", issue.title.clone()),
        ("status", format!("{}{ready}", issue.status.as_str())),
    ];
    if let Some(reason) = &issue.close_reason {
        rows.push(("reason", reason.clone()));
    }
    if let Some(claim) = &issue.claim {
        rows.push(("held by", held(claim, standing, clock)));
    }
    rows.push(("priority", issue.priority.get().to_string()));
    if !issue.tags.is_empty() {
        rows.push(("tags", issue.tags.join(", ")));
    }
    if !standing.blocked_by.is_empty() || !standing.cycle.is_empty() {
        rows.push(("waits for", waits(standing)));
    }
    rows
}

fn held(claim: &Claim, standing: &Standing, clock: &Clock) -> String {
    let until = clock.brief(claim.until_ms.saturating_mul(NS_PER_MS));
    let word = if standing.is_expired { "expired at" } else { "until" };
    format!("{} ({}) {word} {until}", claim.owner, claim.instance)
}

fn relations(board: &Board, issue: &Issue) -> Vec<(&'static str, String)> {
    let title = |id: &str| match board.get(id) {
        Some(entry) => format!("{id} ({}) {}", entry.issue.status.as_str(), entry.issue.title),
        None => format!("{id} (not here)"),
    };
    let mut rows = Vec::new();
    for dep in &issue.deps {
        let name = match dep.kind {
            DepKind::Blocks => "blocks",
            DepKind::Relates => "see also",
            DepKind::Parent => "has part",
        };
        rows.push((name, title(&dep.id)));
    }
    for other in board.entries().map(|entry| &entry.issue) {
        for dep in other.deps.iter().filter(|dep| dep.id == issue.id) {
            match dep.kind {
                DepKind::Relates => rows.push(("see also", title(&other.id))),
                DepKind::Parent => rows.push(("part of", title(&other.id))),
                DepKind::Blocks => {}
            }
        }
    }
    rows
}

fn talk_text(talk: &Talk<'_>, clock: &Clock) -> String {
    let time = |ms: i64| clock.brief(ms.saturating_mul(NS_PER_MS));
    let mut rows = Vec::new();
    match talk {
        Talk::Comments(comments) => {
            for comment in comments {
                let author = comment.author.clone().unwrap_or_default();
                rows.push(vec![time(comment.created_at_ms), author, comment.body.clone()]);
            }
        }
        Talk::History(history) => {
            for (before, word) in with_before(history) {
                let at = word.at_ms.map_or_else(String::new, time);
                let sender = word.sender.clone().unwrap_or_default();
                rows.push(vec![at, sender, told(before, word)]);
            }
        }
    }
    if rows.is_empty() {
        return String::new();
    }
    let more = matches!(talk, Talk::History(history) if history.has_more);
    let more = if more { "older messages are left out: weft log topic=issue:ID\n" } else { "" };
    format!("\n{more}{}", Columns::new(["TIME", "WHO", "WHAT"], terminal_columns()).render(rows))
}

/// Returns the messages, each with the snapshot before it.
fn with_before(history: &History) -> Vec<(Option<&Issue>, &Word)> {
    let mut before: Option<&Issue> = None;
    let mut pairs = Vec::new();
    for word in &history.words {
        pairs.push((before, word));
        if let Said::Snapshot(issue) = &word.said {
            before = Some(issue);
        }
    }
    pairs
}

fn told(before: Option<&Issue>, word: &Word) -> String {
    match &word.said {
        Said::Snapshot(issue) => difference(before, issue),
        Said::Text(text) => format!("“{text}”"),
    }
}

fn history_json(history: &History) -> Json<'static> {
    let word = |(before, word): (Option<&Issue>, &Word)| {
        Json::object(|object| {
            object.json("position", &Json::integer(word.position.get()));
            word.at_ms.iter().for_each(|ms| object.text("at", &at(*ms)));
            word.sender.iter().for_each(|sender| object.text("sender", sender));
            match &word.said {
                Said::Snapshot(issue) => {
                    object.json("rev", &Json::integer(issue.rev));
                    object.text("change", &difference(before, issue));
                }
                Said::Text(text) => object.text("text", text),
            }
        })
    };
    Json::array(with_before(history).into_iter().map(word))
}

fn comment_json(comment: &Comment) -> Json<'static> {
    Json::object(|object| {
        object.text("at", &at(comment.created_at_ms));
        comment.author.iter().for_each(|author| object.text("sender", author));
        object.text("text", &comment.body);
    })
}

fn at(ms: i64) -> String {
    format_rfc3339(ms.saturating_mul(NS_PER_MS))
}

fn line(fill: impl FnOnce(&mut Object<'_>)) -> String {
    format!("{}\n", Json::object(fill).as_str())
}
