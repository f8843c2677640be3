//! The producers' own order: each producer by its numbers, producers beside each other by time.

use std::collections::HashMap;

use weft_event::json::Tape;
use weft_event::order;

use super::Found;

/// Puts records into the order of their producers: by number where they are numbered, else as they came; an event counts as no
/// earlier than those before it of the same producer. Between producers time decides, then position.
pub fn by_producer(records: Vec<Found>) -> Vec<Found> {
    let mut producers: HashMap<String, usize> = HashMap::new();
    let mut tape = Tape::new();
    let mut keyed: Vec<(usize, Option<u64>, Option<i64>, Found)> =
        Vec::with_capacity(records.len());
    for found in records {
        let (producer, number, time) = match found.read(&mut tape) {
            None => (String::new(), None, None),
            Some(event) => {
                let facts = event.facts();
                let producer = order::producer(&facts);
                (producer.to_string(), producer.number(facts.order), facts.time_ns)
            }
        };
        let next = producers.len();
        let producer = *producers.entry(producer).or_insert(next);
        let received = found.meta.at_us.map(|at_us| at_us.saturating_mul(1000));
        keyed.push((producer, number, time.or(received), found));
    }
    // A record without a number stays behind the numbered one that it came after.
    keyed.sort_by_key(|(_, _, _, found)| found.meta.position);
    let mut last_number: HashMap<usize, u64> = HashMap::new();
    for (producer, number, _, _) in &mut keyed {
        match number {
            Some(number) => {
                last_number.insert(*producer, *number);
            }
            None => *number = last_number.get(producer).copied(),
        }
    }
    keyed.sort_by_key(|(producer, number, _, found)| (*producer, *number, found.meta.position));
    let mut latest: HashMap<usize, i64> = HashMap::new();
    let mut timed: Vec<(i64, usize, usize, Found)> = Vec::with_capacity(keyed.len());
    for (idx, (producer, _, time, found)) in keyed.into_iter().enumerate() {
        let latest = latest.entry(producer).or_insert(i64::MIN);
        *latest = (*latest).max(time.unwrap_or(i64::MIN));
        timed.push((*latest, producer, idx, found));
    }
    timed.sort_by_key(|(time, producer, idx, _)| (*time, *producer, *idx));
    timed.into_iter().map(|(_, _, _, found)| found).collect()
}
