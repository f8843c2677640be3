//! What became of the event, for a person or a program.

use std::io;

use weft_event::json::Json;
use weft_log::admit;
use weft_log::log::{self, Durability};
use weft_log::rejected::RefusalId;
use weft_log::{Position, TopicKey};

use crate::output::{self, Format, Shown};

/// The answer to an event that was not refused by the gate.
pub(super) enum Answer {
    /// It is in the log, stored now or before.
    Kept {
        /// What the log said.
        outcome: log::Outcome,
        /// What is promised.
        durability: Durability,
    },
    /// It waits in the spool.
    Spooled {
        /// Why.
        why: String,
    },
    /// The newest record is another one than was expected.
    Condition {
        /// The topic and its key.
        topic: TopicKey,
        /// The newest record.
        actual: Option<Position>,
    },
}

impl Answer {
    /// Returns the log's answer to a batch of one.
    pub(super) fn of(answer: &log::Answer) -> Self {
        let outcome = *answer.outcomes.first().expect("one event has one outcome");
        Answer::Kept { outcome, durability: answer.durability }
    }

    /// Writes it to stdout.
    pub(super) fn print(&self, format: Format) -> io::Result<()> {
        let text = match format {
            Format::Text => self.text(),
            Format::Json => self.json().as_str().to_owned(),
        };
        output::print_if_read(format!("{text}\n").as_bytes())
    }

    fn text(&self) -> String {
        match self {
            Answer::Kept { outcome, durability } => {
                let position = outcome.position();
                let kept = match outcome {
                    log::Outcome::Stored { conflict: None, .. } => {
                        format!("stored at position {position}")
                    }
                    log::Outcome::Stored { conflict: Some(first), .. } => format!(
                        "stored at position {position}: position {first} has the same identity and other content"
                    ),
                    log::Outcome::Repeat { .. } => format!("a repeat of position {position}"),
                };
                match durability {
                    Durability::Synced => kept,
                    Durability::Written => format!("{kept} (written, not synced)"),
                }
            }
            Answer::Spooled { why } => format!("kept in the spool: {}", Shown(why)),
            Answer::Condition { topic, actual } => {
                let key = topic.key.as_deref().unwrap_or_default();
                let newest = actual.map_or("none".to_owned(), |actual| actual.to_string());
                let text =
                    format!("refused: the newest of `{key}` in `{}` is {newest}", topic.topic);
                Shown(&text).to_string()
            }
        }
    }

    fn json(&self) -> Json<'static> {
        let position_of = |position: Position| Json::integer(position.get());
        Json::object(|object| match self {
            Answer::Kept { outcome, durability } => {
                let (word, first) = match outcome {
                    log::Outcome::Stored { conflict: None, .. } => ("stored", None),
                    log::Outcome::Stored { conflict, .. } => ("conflict", *conflict),
                    log::Outcome::Repeat { .. } => ("repeat", None),
                };
                object.json("position", &position_of(outcome.position()));
                object.text("outcome", word);
                object.text(
                    "durability",
                    match durability {
                        Durability::Written => "written",
                        Durability::Synced => "synced",
                    },
                );
                if let Some(first) = first {
                    object.json("conflicts_with", &position_of(first));
                }
            }
            Answer::Spooled { why } => {
                object.json("position", &Json::null());
                object.text("outcome", "spooled");
                object.text("durability", "synced");
                object.text("why", why);
            }
            Answer::Condition { actual, .. } => {
                object.json("position", &Json::null());
                object.text("outcome", "unexpected");
                object.json("last", &actual.map_or(Json::null(), position_of));
            }
        })
    }
}

/// Writes why the event was refused, and under which id it is kept.
pub(super) fn refused(
    refusal: &admit::Refusal,
    id: Option<&RefusalId>,
    format: Format,
) -> io::Result<()> {
    let id = id.map_or(String::new(), |id| id.to_string());
    let problems = refusal.problems();
    let text = match format {
        Format::Text => {
            let mut text = format!("refused, and kept: weft rejects show {id}\n");
            for problem in &problems {
                let told = output::problem_text(problem, problem.severity());
                text += &format!("{}\n", Shown(&told));
            }
            text
        }
        Format::Json => {
            let told = problems.iter().map(|problem| {
                Json::object(|object| {
                    object.text("pointer", &problem.pointer);
                    object.text("code", problem.code.as_str());
                    object.text("message", &problem.message);
                })
            });
            let object = Json::object(|object| {
                object.json("position", &Json::null());
                object.text("outcome", "refused");
                object.text("rejected", &id);
                object.json("problems", &Json::array(told));
            });
            format!("{}\n", object.as_str())
        }
    };
    output::print_if_read(text.as_bytes())
}
