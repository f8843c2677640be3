//! Another try for what was refused: what passes now is stored, and no longer among it.

use std::borrow::Cow;

use weft_event::event::Expect;
use weft_event::input::{Item, Lines};
use weft_event::json::Json;
use weft_log::admit::{Admitted, Arrival, Gate, Refusal, Strictness};
use weft_log::blobs::{ShrinkError, Which};
use weft_log::log::Outcome as Kind;
use weft_log::rejected::{Kept, Reason, RefusalId, Rejected, Span, With};
use weft_server::socket::request::Sent;

use crate::Outcome;
use crate::hook;
use crate::output::{self, Format, Shown};
use crate::progress;
use crate::stores::StoreArgs;
use crate::writing::Writing;

/// The way in where what was refused does not say its own.
const VIA: &str = "rejects";

/// Events that are stored together.
const TOGETHER_MAX: usize = 1024;

/// What came of the tries.
#[derive(Default)]
struct Tries {
    stored: u64,
    repeats: u64,
    refused: u64,
    /// What is dealt with.
    done: Vec<RefusalId>,
}

/// Tries those with these ids again; all of them if none is named.
pub(super) fn run(
    store_args: &StoreArgs,
    mut rejected: Rejected,
    ids: &[String],
    format: Format,
) -> anyhow::Result<Outcome> {
    let mut writing = Writing::open(store_args, VIA, &mut progress::indexing())?;
    let mut gate = Gate::new(writing.store(), Which::Largest, Strictness::Lenient);
    let mut tries = Tries::default();
    let mut events: Vec<Passed> = Vec::new();
    let mut take = |kept: Kept, tries: &mut Tries| -> anyhow::Result<()> {
        let bytes = rejected.bytes(&kept)?;
        match admit(&mut gate, &kept, &bytes)? {
            Verdict::Passes { event, line } => events.push(Passed { kept, event: *event, line }),
            Verdict::Refused(reasons) => {
                tries.refused += 1;
                tell(&kept, &reasons, format)?;
            }
        }
        if events.len() >= TOGETHER_MAX {
            append(&mut writing, &mut events, tries)?;
        }
        Ok(())
    };
    if ids.is_empty() {
        for kept in rejected.list(Span::default())?.kept() {
            take(kept?, &mut tries)?;
        }
    } else {
        for id in ids {
            take(rejected.read(id)?, &mut tries)?;
        }
    }
    append(&mut writing, &mut events, &mut tries)?;
    writing.close()?;
    // If this is cut short, another retry finds the events in the log.
    rejected.remove(&tries.done)?;
    tries.print(format)?;
    Ok(if tries.refused > 0 { Outcome::Found } else { Outcome::Fine })
}

/// What passes now.
struct Passed {
    kept: Kept,
    event: Admitted,
    /// The event, as it came, on one line.
    line: Vec<u8>,
}

/// What another look at something refused comes to.
enum Verdict {
    Passes { event: Box<Admitted>, line: Vec<u8> },
    Refused(Vec<Reason>),
}

/// Judges what was refused as if it had just come, by the way it came; returns why not if it is refused again.
fn admit(gate: &mut Gate, kept: &Kept, bytes: &[u8]) -> anyhow::Result<Verdict> {
    if hook::is_payload(kept) {
        return match hook::event_of(kept, bytes) {
            Ok(event) => judge(gate, kept, event.into_bytes().into()),
            Err(error) => Ok(Verdict::Refused(vec![Reason::from(&error.problem())])),
        };
    }
    let mut lines = Lines::new(bytes);
    let line = loop {
        match lines.read()? {
            Some(Item::Line(line)) => break line.on_one_line(),
            Some(Item::Fault(_)) => {}
            None => return Ok(Verdict::Refused(kept.reasons.clone())),
        }
    };
    judge(gate, kept, line)
}

fn judge(gate: &mut Gate, kept: &Kept, line: Cow<'_, [u8]>) -> anyhow::Result<Verdict> {
    let arrival = Arrival {
        line: &line,
        expect: kept.with.dialect.map_or(Expect::Any, Expect::Dialect),
        via: &kept.via,
        delivery: kept.with.delivery.as_deref(),
        topic: kept.with.topic.as_ref(),
    };
    match gate.admit(&arrival) {
        Ok(event) => Ok(Verdict::Passes { event: Box::new(event), line: line.into_owned() }),
        Err(Refusal::Large(ShrinkError::Blob(error))) => Err(error.into()),
        Err(refusal) => Ok(Verdict::Refused(refusal.problems().iter().map(Reason::from).collect())),
    }
}

fn append(
    writing: &mut Writing,
    passed: &mut Vec<Passed>,
    tries: &mut Tries,
) -> anyhow::Result<()> {
    if passed.is_empty() {
        return Ok(());
    }
    let passed = std::mem::take(passed);
    let sent = || passed.iter().map(Passed::sent).collect();
    let events = passed.iter().map(|passed| passed.event.clone()).collect();
    for outcome in writing.append(events, sent)?.outcomes {
        match outcome {
            Kind::Stored { .. } => tries.stored += 1,
            Kind::Repeat { .. } => tries.repeats += 1,
        }
    }
    tries.done.extend(passed.iter().map(|passed| passed.kept.id));
    Ok(())
}

impl Passed {
    fn sent(&self) -> Sent<'_> {
        let With { dialect, delivery, topic } = &self.kept.with;
        Sent {
            line: &self.line,
            via: Some(self.kept.via.as_str().into()),
            dialect: *dialect,
            delivery: delivery.as_deref().map(Cow::Borrowed),
            topic: topic.as_ref().map(Cow::Borrowed),
        }
    }
}

/// Tells why something is still refused.
fn tell(kept: &Kept, reasons: &[Reason], format: Format) -> anyhow::Result<()> {
    for Reason { code, path, message } in reasons {
        let line = match format {
            Format::Text => {
                let pointer = if path.is_empty() { "" } else { ": " };
                let text = format!("{}: {path}{pointer}{message} [{code}]", kept.id);
                Shown(&text).to_string()
            }
            Format::Json => Json::object(|object| {
                object.text("id", &kept.id.to_hex());
                object.text("outcome", "refused");
                object.text("pointer", path);
                object.text("code", code);
                object.text("message", message);
            })
            .as_str()
            .to_owned(),
        };
        output::print_if_read(format!("{line}\n").as_bytes())?;
    }
    Ok(())
}

impl Tries {
    fn print(&self, format: Format) -> anyhow::Result<()> {
        let Self { stored, repeats, refused, .. } = self;
        match format {
            Format::Text => {
                let repeats = output::plural(*repeats, "repeat");
                output::tell(format_args!("{stored} stored, {repeats}, {refused} still refused"));
            }
            Format::Json => {
                let summary = Json::object(|object| {
                    object.json("stored", &Json::integer(*stored));
                    object.json("repeats", &Json::integer(*repeats));
                    object.json("refused", &Json::integer(*refused));
                });
                let line = Json::object(|object| object.json("summary", &summary));
                output::print_if_read(format!("{}\n", line.as_str()).as_bytes())?;
            }
        }
        Ok(())
    }
}
