//! A digest as one page of HTML that needs nothing else: no script, no other file, no request. It says what the Markdown says, with
//! charts, and shows as light or dark as its reader has it.

mod chart;

use super::lines::{Form, cost_of, count, dollars};
use super::{ActorDigest, Digest, escape};

/// Actors that are told of one by one.
const ACTORS_MAX: usize = 100;
/// Actors that are told of without being asked, the first.
const ACTORS_OPEN: usize = 5;
/// Lines of a list.
const LINES_MAX: usize = 40;
/// Characters of a title.
const TITLE_CHARS_MAX: usize = 120;

const FORM: Form = Form::Html;
const STYLE: &str = include_str!("html/page.css");

impl Digest {
    /// Returns it as one page of HTML.
    pub fn to_html(&self) -> String {
        let range = self.range().unwrap_or_else(|| "no records".to_owned());
        let mut out = format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
             <title>Digest: {range}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
             <header>\n<h1>Digest</h1>\n<p>{range}</p>\n"
        );
        if let Some(late) = self.late() {
            out += &format!("<p>{late}.</p>\n");
        }
        if let Some(session) = &self.session {
            out += &format!("<p>Session {} alone.</p>\n", FORM.name_of(session));
        }
        out += "</header>\n<main>\n";
        out += &self.content();
        out += "</main>\n</body>\n</html>\n";
        out
    }

    fn content(&self) -> String {
        if self.n_events == 0 {
            let what = match self.range() {
                Some(_) => "Nothing was recorded in this time.",
                None => "There are no records.",
            };
            return format!("<p>{what}</p>\n") + &self.lists();
        }
        let mut out = self.figures();
        out += &section("Needs a person", &self.needs, "weft inbox", |row| FORM.need(row));
        out += "<section>\n<h2>How it went</h2>\n<div class=\"charts\">\n";
        out += &chart::activity(&self.activity);
        out += &chart::cost_by_actor(&self.actors);
        out += &chart::cost_by_model(&self.actors);
        out += &chart::calls_by_tool(&self.actors);
        out += "</div>\n</section>\n";
        out += &self.agents();
        out + &self.lists()
    }

    fn figures(&self) -> String {
        let n_done: usize = self.actors.iter().map(|actor| actor.done.len()).sum();
        let n_failed: usize = self.actors.iter().map(|actor| actor.failed.len()).sum();
        let n_agents = self.actors.len() + self.only_seen.len();
        let figure = |name: &str, value: String, is_bad: bool| {
            let class = if is_bad { " class=\"bad\"" } else { "" };
            format!("<div{class}><dt>{name}</dt><dd>{value}</dd></div>\n")
        };
        let figures = [
            figure("Need a person", self.needs.len().to_string(), !self.needs.is_empty()),
            figure("Agents", n_agents.to_string(), false),
            figure("Sessions", self.n_sessions.to_string(), false),
            figure("Events", self.n_events.to_string(), false),
            figure("Cost", dollars(self.usage.cost_usd), false),
            figure("Work done", n_done.to_string(), false),
            figure("Work failed", n_failed.to_string(), n_failed > 0),
            figure("Work left", self.left.len().to_string(), false),
        ];
        let figures = figures.concat();
        let cost = escape::html(&self.cost(), TITLE_CHARS_MAX);
        format!("<dl class=\"figures\">\n{figures}</dl>\n<p class=\"soft\">{cost}</p>\n")
    }

    fn agents(&self) -> String {
        if self.actors.is_empty() && self.only_seen.is_empty() {
            return String::new();
        }
        let mut out = "<section>\n<h2>Agents</h2>\n".to_owned();
        for (idx, actor) in self.actors.iter().take(ACTORS_MAX).enumerate() {
            out += &agent(actor, idx < ACTORS_OPEN);
        }
        if self.actors.len() > ACTORS_MAX {
            let n_more = self.actors.len() - ACTORS_MAX;
            let more = count(n_more, "more agent");
            out += &format!("<p>And {more}: <code>weft digest --json</code></p>\n");
        }
        if !self.only_seen.is_empty() {
            let names = FORM.things(&self.only_seen, "weft fleet", |name| FORM.name_of(name));
            out += &format!("<p class=\"soft\">Seen without anything to tell: {names}.</p>\n");
        }
        out + "</section>\n"
    }

    /// Returns what there is to tell of no agent alone.
    fn lists(&self) -> String {
        let needs = match self.n_events {
            0 => section("Needs a person", &self.needs, "weft inbox", |row| FORM.need(row)),
            _ => String::new(),
        };
        let collisions =
            section("Collisions", &self.collisions, "weft files", |row| FORM.collision(row));
        let runs = section("Failed runs", &self.runs, "weft runs", |row| FORM.run(row));
        let loops = section("Broken loops", &self.loops, "weft loops", |row| FORM.broken(row));
        let left = section("Left", &self.left, "weft work", |row| FORM.left(row));
        [needs, collisions, runs, loops, left].concat()
    }
}

/// Returns a section with a list, if there is anything in it.
fn section<T>(title: &str, rows: &[T], command: &str, line: impl Fn(&T) -> String) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let mut out = format!("<section>\n<h2>{title}</h2>\n<ul>\n");
    for row in rows.iter().take(LINES_MAX) {
        out += &format!("<li>{}</li>\n", line(row));
    }
    if rows.len() > LINES_MAX {
        let n_more = rows.len() - LINES_MAX;
        out += &format!("<li>and {n_more} more: <code>{command}</code></li>\n");
    }
    out + "</ul>\n</section>\n"
}

fn agent(actor: &ActorDigest, is_open: bool) -> String {
    let open = if is_open { " open" } else { "" };
    let name = escape::html(&actor.actor, TITLE_CHARS_MAX);
    let mut out = format!("<details{open}>\n<summary><b>{name}</b>");
    for (n, what, class) in [
        (actor.needs.len(), "need", " class=\"bad\""),
        (actor.done.len(), "done", ""),
        (actor.failed.len(), "failed", " class=\"bad\""),
        (actor.files.len(), "changed", ""),
    ] {
        let what = match what {
            "need" => count(n, "need"),
            "changed" => format!("{} changed", count(n, "file")),
            what => format!("{n} {what}"),
        };
        if n > 0 {
            out += &format!(" <span{class}>{what}</span>");
        }
    }
    if actor.cost_usd.0 > 0 {
        out += &format!(" <span class=\"soft\">{}</span>", dollars(actor.cost_usd));
    }
    out += "</summary>\n<dl class=\"lines\">\n";
    for (title, text) in FORM.actor(actor) {
        out += &format!("<dt>{title}</dt><dd>{text}</dd>\n");
    }
    out + "</dl>\n</details>\n"
}

/// Returns what is said of a usage, as it may stand in a title.
fn usage_title(row: &crate::usage::UsageRow) -> String {
    escape::html(&cost_of(row), TITLE_CHARS_MAX)
}

#[cfg(test)]
mod tests;
