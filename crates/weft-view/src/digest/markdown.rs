//! A digest as Markdown, short enough to be read in the morning.

use super::lines::{Form, cost_of, count};
use super::{ActorDigest, Digest};

/// Actors that are told of one by one.
const ACTORS_MAX: usize = 20;
/// Lines of a list.
const LINES_MAX: usize = 10;
const FORM: Form = Form::Markdown;

impl Digest {
    /// Returns it as Markdown.
    pub fn to_markdown(&self) -> String {
        let mut out = self.headline();
        section(&mut out, "Needs a person", &self.needs, "weft inbox", |row| FORM.need(row));
        if !self.actors.is_empty() {
            out += "\n## Agents\n";
        }
        for actor in self.actors.iter().take(ACTORS_MAX) {
            write_actor(&mut out, actor);
        }
        if self.actors.len() > ACTORS_MAX {
            let n_more = self.actors.len() - ACTORS_MAX;
            out += &format!("\nAnd {n_more} more agents: `weft digest --json`\n");
        }
        if !self.only_seen.is_empty() {
            let names = FORM.things(&self.only_seen, "weft fleet", |name| FORM.name_of(name));
            out += &format!("\nSeen without anything to tell: {names}.\n");
        }
        section(&mut out, "Collisions", &self.collisions, "weft files", |row| FORM.collision(row));
        section(&mut out, "Failed runs", &self.runs, "weft runs", |row| FORM.run(row));
        section(&mut out, "Broken loops", &self.loops, "weft loops", |row| FORM.broken(row));
        section(&mut out, "Left", &self.left, "weft work", |row| FORM.left(row));
        out
    }

    fn headline(&self) -> String {
        let Some(range) = self.range() else {
            return "# Digest\n\nThere are no records.\n".to_owned();
        };
        let mut out = format!("# Digest of {range}\n\n");
        if let Some(session) = &self.session {
            out += &format!("Session {} alone.\n\n", FORM.name_of(session));
        }
        if self.n_events == 0 {
            out += "Nothing was recorded in this time.\n";
            return out;
        }
        out += &format!(
            "- {} in {}, {}\n",
            count(self.actors.len() + self.only_seen.len(), "agent"),
            count(self.n_sessions, "session"),
            count(self.n_events as usize, "event")
        );
        if let Some(late) = self.late() {
            out += &format!("- {late}\n");
        }
        out += &format!("- {}\n", self.cost());
        let n_done: usize = self.actors.iter().map(|actor| actor.done.len()).sum();
        let n_failed: usize = self.actors.iter().map(|actor| actor.failed.len()).sum();
        let work = count(n_done, "piece");
        out += &format!("- {work} of work done, {n_failed} failed, {} left\n", self.left.len());
        out += &match self.needs.len() {
            0 => "- Nothing needs a person\n".to_owned(),
            1 => "- **1 thing needs a person**\n".to_owned(),
            n => format!("- **{n} things need a person**\n"),
        };
        out
    }

    pub(super) fn cost(&self) -> String {
        let mut out = cost_of(&self.usage);
        if let Some(as_of) = &self.usage.prices_as_of {
            out += &format!("; estimates by prices of {as_of}");
        }
        out
    }
}

/// Writes a section, if there is anything in it.
fn section<T>(
    out: &mut String,
    title: &str,
    rows: &[T],
    command: &str,
    line: impl Fn(&T) -> String,
) {
    if rows.is_empty() {
        return;
    }
    *out += &format!("\n## {title}\n\n");
    for row in rows.iter().take(LINES_MAX) {
        *out += &format!("- {}\n", line(row));
    }
    if rows.len() > LINES_MAX {
        *out += &format!("- and {} more: `{command}`\n", rows.len() - LINES_MAX);
    }
}

fn write_actor(out: &mut String, actor: &ActorDigest) {
    *out += &format!("\n### {}\n\n", FORM.name_of(&actor.actor));
    for (title, text) in FORM.actor(actor) {
        *out += &format!("- {title}: {text}\n");
    }
}
