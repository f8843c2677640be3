//! What is told when: decided from the needs of a moment and from what was told before, without I/O and without a clock.
//!
//! A need's id names its cause. A cause is told once by each rule, when it has stood for as long as the rule asks. It is remembered
//! while it stands and for [`REMEMBERED_NS`] beyond, so that one that comes and goes is no news each time.

use std::collections::{BTreeMap, HashSet};

use jiff::tz::TimeZone;
use weft_view::inbox::Need;

use super::quiet;
use super::rule::Rule;

/// How long a cause is remembered that was told and is no longer there.
pub const REMEMBERED_NS: i64 = 3_600_000_000_000;

/// Needs that a rule looks at, the worst first; and causes that it remembers beside those that stand.
pub const CAUSES_MAX: usize = 4_096;

/// Longest id of a cause that is kept as it is; of a longer one its hash is.
const ID_BYTES_MAX: usize = 200;

/// What rules saw and told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    books: BTreeMap<String, BTreeMap<String, Cause>>,
}

/// What a rule knows of a cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cause {
    /// Since when it stands without a break, as far as it was looked.
    seen_ns: i64,
    telling: Telling,
    /// Since when it is no longer there.
    gone_ns: Option<i64>,
}

/// Whether a cause was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Telling {
    No,
    UnderWay,
    Told { at_ns: i64 },
}

/// What follows from a look.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outlook {
    /// What is to be told now, a message for each rule at most.
    pub tell: Vec<Message>,
    /// When to look again at the latest, if nothing changes.
    pub again_ns: Option<i64>,
}

/// What is told at once by one rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// The rule's name.
    pub rule: String,
    /// The needs, the worst first.
    pub needs: Vec<Need>,
    /// How many of them were due while it was quiet.
    pub n_held: usize,
}

/// A moment, and where.
#[derive(Clone, Copy, Debug)]
pub struct Now<'z> {
    /// In nanoseconds since 1970.
    pub ns: i64,
    /// The time zone that quiet hours are in.
    pub zone: &'z TimeZone,
}

impl Memory {
    /// Looks at the needs of a moment. What is to be told counts as under way until [`Memory::landed`]; meanwhile its rule tells
    /// nothing else.
    pub fn look(&mut self, rules: &[Rule], needs: &[Need], now: Now<'_>) -> Outlook {
        self.books.retain(|name, _| rules.iter().any(|rule| rule.name == *name));
        let mut outlook = Outlook::default();
        for rule in rules {
            let mut about: Vec<&Need> = needs.iter().filter(|need| rule.is_about(need)).collect();
            about.sort_by(|a, b| (a.kind, a.since, &a.id).cmp(&(b.kind, b.since, &b.id)));
            about.truncate(CAUSES_MAX);
            let book = self.books.entry(rule.name.clone()).or_default();
            notice(book, &about, now.ns);
            if book.values().any(|cause| cause.telling == Telling::UnderWay) {
                continue;
            }
            let (message, again_ns) = decide(rule, book, &about, now);
            outlook.tell.extend(message);
            outlook.again_ns = [outlook.again_ns, again_ns].into_iter().flatten().min();
        }
        outlook
    }

    /// Takes note that the message of a rule was told, or given up.
    pub fn landed(&mut self, rule: &str, now_ns: i64) {
        for cause in self.books.get_mut(rule).into_iter().flat_map(BTreeMap::values_mut) {
            if cause.telling == Telling::UnderWay {
                cause.telling = Telling::Told { at_ns: now_ns };
            }
        }
    }

    /// Counts needs as told: whoever looks at them needs no message.
    pub fn know(&mut self, rules: &[Rule], needs: &[Need], now_ns: i64) {
        for rule in rules {
            let about = needs.iter().filter(|need| rule.is_about(need));
            let ids = about.map(|need| key(&need.id)).take(CAUSES_MAX);
            self.remember(&rule.name, ids.map(|id| (id, now_ns)));
        }
    }

    /// Takes up what a rule had told before, by the ids of causes and when each was told.
    pub fn remember(&mut self, rule: &str, told: impl Iterator<Item = (String, i64)>) {
        let book = self.books.entry(rule.to_owned()).or_default();
        book.extend(told.map(|(id, at_ns)| {
            let telling = Telling::Told { at_ns };
            (id, Cause { seen_ns: at_ns, telling, gone_ns: None })
        }));
    }

    /// Returns what a rule has told and remembers: the ids of causes, and when each was told.
    pub fn told(&self, rule: &str) -> impl Iterator<Item = (&str, i64)> {
        let causes = self.books.get(rule).into_iter().flatten();
        causes.filter_map(|(id, cause)| match cause.telling {
            Telling::Told { at_ns } => Some((id.as_str(), at_ns)),
            Telling::No | Telling::UnderWay => None,
        })
    }
}

/// Writes down what is there and what is not any more.
fn notice(book: &mut BTreeMap<String, Cause>, about: &[&Need], now_ns: i64) {
    let there: HashSet<String> = about.iter().map(|need| key(&need.id)).collect();
    for (_, cause) in book.iter_mut().filter(|(id, _)| !there.contains(*id)) {
        cause.gone_ns.get_or_insert(now_ns);
    }
    book.retain(|_, cause| match (cause.telling, cause.gone_ns) {
        (Telling::UnderWay, _) | (_, None) => true,
        (Telling::No, Some(_)) => false,
        (Telling::Told { .. }, Some(gone_ns)) => now_ns.saturating_sub(gone_ns) < REMEMBERED_NS,
    });
    let mut gone: Vec<(i64, String)> =
        book.iter().filter_map(|(id, cause)| Some((cause.gone_ns?, id.clone()))).collect();
    if gone.len() > CAUSES_MAX {
        gone.sort_unstable();
        let surplus = gone.len() - CAUSES_MAX;
        for (_, id) in gone.iter().take(surplus) {
            book.remove(id);
        }
    }
    for id in there {
        let new = Cause { seen_ns: now_ns, telling: Telling::No, gone_ns: None };
        book.entry(id).or_insert(new).gone_ns = None;
    }
}

/// Returns what a rule tells now, and when it has to look again. What it tells is under way then.
fn decide(
    rule: &Rule,
    book: &mut BTreeMap<String, Cause>,
    about: &[&Need],
    now: Now<'_>,
) -> (Option<Message>, Option<i64>) {
    let quiet_ns = quiet::until_ns(&rule.quiet, now.ns, now.zone);
    let is_held = |need: &Need| quiet_ns.is_some() && !rule.quiet_except.contains(&need.kind);
    let (mut open, mut n_waiting) = (Vec::new(), 0);
    for need in about {
        let cause = book.get(&key(&need.id)).expect("it was noticed");
        match cause.telling {
            Telling::UnderWay | Telling::Told { .. } => {}
            Telling::No if is_held(need) => n_waiting += 1,
            Telling::No => {
                open.push((cause.seen_ns.saturating_add(nanoseconds(rule.after)), *need))
            }
        }
    }
    let gather_ns = nanoseconds(rule.gather);
    let first_ns = |open: &[(i64, &Need)]| open.iter().map(|(due_ns, _)| *due_ns).min();
    let is_time = first_ns(&open).is_some_and(|first| first.saturating_add(gather_ns) <= now.ns);
    let (told, open): (Vec<_>, Vec<_>) =
        open.into_iter().partition(|(due_ns, _)| is_time && *due_ns <= now.ns);
    for (_, need) in &told {
        let cause = book.get_mut(&key(&need.id)).expect("it was noticed");
        cause.telling = Telling::UnderWay;
    }
    let was_held = |(due_ns, need): &&(i64, &Need)| {
        let was_quiet = quiet::until_ns(&rule.quiet, *due_ns, now.zone).is_some();
        was_quiet && !rule.quiet_except.contains(&need.kind)
    };
    let n_held = told.iter().filter(was_held).count();
    let needs: Vec<Need> = told.into_iter().map(|(_, need)| need.clone()).collect();
    let rule_name = rule.name.clone();
    let message = (!needs.is_empty()).then_some(Message { rule: rule_name, needs, n_held });
    let next_ns = first_ns(&open).map(|first| first.saturating_add(gather_ns));
    let quiet_ns = quiet_ns.filter(|_| n_waiting > 0);
    (message, [next_ns, quiet_ns].into_iter().flatten().min())
}

/// Returns what names a cause: its id, or the hash of one that is long.
fn key(id: &str) -> String {
    match id.len() <= ID_BYTES_MAX {
        true => id.to_owned(),
        false => blake3::hash(id.as_bytes()).to_hex().to_string(),
    }
}

fn nanoseconds(time: std::time::Duration) -> i64 {
    i64::try_from(time.as_nanos()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests;
