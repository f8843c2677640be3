//! Subscriptions for people and for programs.

use weft_event::json::{Json, Object};
use weft_server::subs::books::{Books, Entry};
use weft_server::subs::definition::{Blobs, Definition, Kind, SecretRef, State};

use crate::columns::{Columns, terminal_columns};
use crate::output::{Format, Shown, plural};
use crate::times::Clock;

/// Shows all of them.
pub(super) fn list(books: &Books, format: Format) -> String {
    if format == Format::Json {
        return books
            .entries()
            .map(|(name, entry)| line(|object| entry.write(name, object)))
            .collect();
    }
    let row = |(name, entry): (&str, &Entry)| {
        let (kind, state, filter) = match &entry.definition {
            Ok(definition) => {
                let kind = match definition.blobs {
                    Blobs::Referenced => definition.kind.as_str().to_owned(),
                    Blobs::Restored => format!("{} +blobs", definition.kind.as_str()),
                };
                (kind, definition.state.as_str(), definition.filter.as_str())
            }
            Err(_) => ("?".to_owned(), "unreadable", ""),
        };
        let progress = &entry.progress;
        let counts = [progress.position, progress.n_delivered, entry.dead.len() as u64];
        let [position, delivered, dead] = counts.map(|n| n.to_string());
        let cells = [name, state, &kind, &position, &delivered, &dead, filter];
        cells.map(str::to_owned).to_vec()
    };
    let rows: Vec<_> = books.entries().map(row).collect();
    if rows.is_empty() {
        return "there are no subscriptions\n".to_owned();
    }
    let header = ["NAME", "STATE", "KIND", "UPTO", "DELIVERED", "DEAD", "FILTER"];
    Columns::new(header, terminal_columns()).render(rows)
}

/// Shows one.
pub(super) fn one(name: &str, entry: &Entry, format: Format, clock: &Clock) -> String {
    if format == Format::Json {
        return line(|object| entry.write(name, object));
    }
    let mut rows = vec![("name", name.to_owned())];
    match &entry.definition {
        Ok(definition) => describe(&mut rows, definition, clock),
        Err(error) => rows.push(("state", format!("unreadable: {error}"))),
    }
    let progress = &entry.progress;
    let n_beyond: u64 = progress.settled.iter().map(|range| range.end() - range.start() + 1).sum();
    rows.push(("settled", format!("up to position {}, and {n_beyond} beyond", progress.position)));
    rows.push(("delivered", plural(progress.n_delivered, "event")));
    if progress.n_lost > 0 {
        rows.push((
            "lost",
            format!("{} damaged or pruned before", plural(progress.n_lost, "record")),
        ));
    }
    rows.push(("dead", plural(entry.dead.len() as u64, "event")));
    let row = |(name, value): (&str, String)| format!("{name:<10} {}\n", Shown(&value));
    rows.into_iter().map(row).collect()
}

fn describe(rows: &mut Vec<(&str, String)>, definition: &Definition, clock: &Clock) {
    let state = match &definition.state {
        State::Paused { why: Some(why) } => format!("paused: {why}"),
        state @ (State::Active | State::Paused { why: None } | State::Removed) => {
            state.as_str().to_owned()
        }
    };
    rows.push(("state", state));
    let to = match &definition.kind {
        Kind::Pull => "whoever asks over HTTP".to_owned(),
        Kind::Webhook { url, secret: SecretRef::Store } | Kind::Otlp { url } => url.clone(),
        Kind::Webhook { url, secret: SecretRef::File(file) } => {
            format!("{url}, signed with the secret in {file}")
        }
        Kind::Command { argv } => argv.join(" "),
    };
    rows.push(("kind", definition.kind.as_str().to_owned()));
    rows.push(("to", to));
    match definition.blobs {
        Blobs::Referenced => {}
        Blobs::Restored => rows.push(("blobs", "values are put back into their events".to_owned())),
    }
    let filter = if definition.filter == "*" { "every event" } else { &definition.filter };
    rows.push(("filter", filter.to_owned()));
    let retry = &definition.retry;
    let tries = plural(u64::from(retry.attempts_max), "try").replace("trys", "tries");
    let timeout = format!("{} ms each", retry.timeout.as_millis());
    rows.push((
        "patience",
        format!("{tries}, {timeout}, {} sessions at a time", retry.parallel_max),
    ));
    rows.push(("created", clock.whole(definition.created_ns)));
}

/// Shows what could not be delivered.
pub(super) fn dead(entry: &Entry, format: Format, clock: &Clock) -> String {
    if format == Format::Json {
        return entry.dead.values().map(|dead| line(|object| dead.write(object))).collect();
    }
    if entry.dead.is_empty() {
        return "everything was delivered\n".to_owned();
    }
    let row = |dead: &weft_server::subs::books::Dead| {
        let (position, attempts) = (dead.position.to_string(), dead.attempts.to_string());
        let cells = [&position, &clock.brief(dead.at_ns), &attempts, &dead.event_id, &dead.error];
        cells.map(ToOwned::to_owned).to_vec()
    };
    let header = ["POSITION", "GIVEN UP", "TRIES", "EVENT", "ERROR"];
    Columns::new(header, terminal_columns()).render(entry.dead.values().map(row).collect())
}

fn line(fill: impl FnOnce(&mut Object<'_>)) -> String {
    format!("{}\n", Json::object(fill).as_str())
}
