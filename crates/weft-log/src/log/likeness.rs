//! What an event has of an earlier one: its identity, and its content as far as that can be told.

use std::borrow::Cow;

use weft_event::event::{self, Expect};
use weft_event::json::{self, Kind, Tape, Value};
use weft_event::problem::Problems;
use weft_event::secrets::PLACEHOLDER;
use weft_event::time::parse_rfc3339;
use weft_event::{Dialect, KeyDigests};

use crate::admit::Admitted;
use crate::spool;

/// What an event has of an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Likeness {
    None,
    Repeat,
    Conflict,
}

/// Compares an event with an earlier line. `content` is the event's own digest, made when it is first needed.
pub(super) fn compare(
    event: &Admitted,
    line: &[u8],
    dialect: Dialect,
    delivery: Option<&str>,
    content: &mut Option<[u8; 16]>,
) -> Likeness {
    let mut tape = Tape::new();
    let mut problems = Problems::new();
    let Some(earlier) = event::read(&mut tape, line, Expect::Dialect(dialect), &mut problems)
    else {
        return Likeness::None;
    };
    let mut is_same = |may_differ: MayDiffer| {
        let mut tape = Tape::new();
        let own = tape.parse_bytes(&event.entry.line).expect("it was read before");
        *content.get_or_insert_with(|| json::digest(own)) == json::digest(earlier.value())
            || is_same_but(own, earlier.value(), may_differ)
    };
    if let Some(delivery) = delivery
        && event.entry.mark.delivery.as_deref() == Some(delivery)
    {
        let is_clients = spool::Entry::is_delivery(delivery);
        if is_same(if is_clients { MayDiffer::SecretsAndTimes } else { MayDiffer::Secrets }) {
            return Likeness::Repeat;
        }
        // A client's id is for one event; a file that was written anew can have another event at an old place.
        if is_clients {
            return Likeness::Conflict;
        }
    }
    let digests = KeyDigests::of(&earlier.facts());
    let is_known = |a: Option<[u8; 16]>, b: Option<[u8; 16]>| a.is_some() && a == b;
    if event.digests.is_retry_of(&digests) {
        return Likeness::Repeat;
    }
    // A STATE is known by its content: without its secrets it is one that came without them.
    let without_secrets = event.redacted.as_ref().and_then(|redacted| redacted.own);
    if !is_known(event.digests.own, digests.own)
        && !is_known(event.digests.place, digests.place)
        && !is_known(without_secrets, digests.own)
    {
        Likeness::None
    } else if is_same(MayDiffer::Secrets) {
        Likeness::Repeat
    } else {
        Likeness::Conflict
    }
}

/// What may be different in two lines that say the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MayDiffer {
    /// Secrets: one line was stored before there was a rule that finds them, or was masked since.
    Secrets,
    /// And times: a command that is given the same id for a second try makes the event anew.
    SecretsAndTimes,
}

/// Returns whether two values are the same but for what may differ.
fn is_same_but(a: Value<'_>, b: Value<'_>, may_differ: MayDiffer) -> bool {
    match (a.kind(), b.kind()) {
        (Kind::Text, Kind::Text) => {
            let (a, b) = (text_of(a), text_of(b));
            let are_times = || parse_rfc3339(&a).is_some() && parse_rfc3339(&b).is_some();
            a == b
                || hides(&a, &b)
                || hides(&b, &a)
                || (may_differ == MayDiffer::SecretsAndTimes && are_times())
        }
        (Kind::Array, Kind::Array) => {
            a.items().count() == b.items().count()
                && a.items().zip(b.items()).all(|(a, b)| is_same_but(a, b, may_differ))
        }
        (Kind::Object, Kind::Object) => {
            let (a, b) = (sorted_members(a), sorted_members(b));
            a.len() == b.len()
                && a.iter().zip(&b).all(|((a_key, a), (b_key, b))| {
                    a_key == b_key && is_same_but(*a, *b, may_differ)
                })
        }
        (a_kind, b_kind) => a_kind == b_kind && json::canonical(a) == json::canonical(b),
    }
}

/// Returns whether a text is another one whose secrets have placeholders, as far as what stands around them tells.
fn hides(redacted: &str, whole: &str) -> bool {
    let Some((before, rest)) = redacted.split_once(PLACEHOLDER) else { return false };
    let last = rest.rsplit_once(PLACEHOLDER).map_or(rest, |(_, last)| last);
    let Some((_, after)) = last.split_once(']') else { return false };
    whole.len() >= before.len() + after.len() && whole.starts_with(before) && whole.ends_with(after)
}

fn sorted_members(object: Value<'_>) -> Vec<(Cow<'_, str>, Value<'_>)> {
    let mut members: Vec<_> = object.members().map(|(key, value)| (text_of(key), value)).collect();
    members.sort_by(|a, b| a.0.cmp(&b.0));
    members
}

fn text_of(string: Value<'_>) -> Cow<'_, str> {
    string.as_text().expect("it is a string")
}

#[cfg(test)]
mod tests {
    use weft_event::json::Tape;

    use super::MayDiffer::{Secrets, SecretsAndTimes};
    use super::{MayDiffer, is_same_but};

    #[track_caller]
    fn check(a: &str, b: &str, may_differ: MayDiffer, expected: bool) {
        let (mut tape_a, mut tape_b) = (Tape::new(), Tape::new());
        let (a, b) = (tape_a.parse(a).unwrap(), tape_b.parse(b).unwrap());
        assert_eq!(is_same_but(a, b, may_differ), expected);
        assert_eq!(is_same_but(b, a, may_differ), expected);
    }

    #[test]
    fn a_placeholder_stands_for_what_it_replaced_and_nothing_else() {
        let redacted = r#"{"n":1,"a":["x key=[redacted:password] y",{"k":true}]}"#;
        for (other, expected) in [
            (r#"{"a":["x key=hunter2 y",{"k":true}],"n":1.0}"#, true),
            (r#"{"n":1,"a":["x key=[red*** y",{"k":true}]}"#, true),
            (r#"{"n":1,"a":["x key=a; key=b y",{"k":true}]}"#, true),
            (r#"{"n":1,"a":["z key=hunter2 y",{"k":true}]}"#, false),
            (r#"{"n":1,"a":["x key=hunter2 z",{"k":true}]}"#, false),
            (r#"{"n":1,"a":["x key=",{"k":true}]}"#, false),
            (r#"{"n":2,"a":["x key=hunter2 y",{"k":true}]}"#, false),
            (r#"{"n":1,"a":["x key=hunter2 y",{"k":false}]}"#, false),
            (r#"{"n":1,"a":["x key=hunter2 y",{"k":true},1]}"#, false),
            (r#"{"n":1,"a":["x key=hunter2 y"]}"#, false),
            (r#"{"n":1,"b":["x key=hunter2 y",{"k":true}]}"#, false),
        ] {
            check(redacted, other, Secrets, expected);
        }
    }

    #[test]
    fn times_may_differ_where_a_client_gave_the_id() {
        let at = |time: &str| format!(r#"{{"timestamp":"{time}","message":"m"}}"#);
        let (one, two) = (at("2026-11-15T12:00:00Z"), at("2026-11-15T12:00:03.5Z"));
        check(&one, &two, SecretsAndTimes, true);
        check(&one, &two, Secrets, false);
        check(&one, &at("soon"), SecretsAndTimes, false);
        check(&one, &two.replace("\"m\"", "\"n\""), SecretsAndTimes, false);
    }
}
