//! Threads: a message with everything that answers it, and what answers that.

use std::collections::{HashMap, HashSet};

use weft_log::filter::quoted;
use weft_log::index::Follower;
use weft_log::query::{Ask, Order, QueryError, Records};
use weft_log::{Filter, Position};

use super::Posted;

/// Most messages of a thread that are shown.
pub const THREAD_MESSAGES_MAX: usize = 10_000;

/// A message and its answers, oldest first.
#[derive(Clone, Debug, PartialEq)]
pub struct Thread {
    /// The message, then its answers, each followed by its own.
    pub replies: Vec<Reply>,
    /// Whether there are more than are shown.
    pub is_cut: bool,
}

/// A message in its thread.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// How many messages it is below the first.
    pub depth: usize,
    /// The message.
    pub posted: Posted,
}

/// Returns a message with all its answers.
pub fn thread(records: &mut Records, root: Posted) -> Result<Thread, QueryError> {
    let mut answers = Answers::of(records)?;
    let (mut found, mut seen) = (vec![root], HashSet::new());
    let mut next = 0;
    while next < found.len() && found.len() <= THREAD_MESSAGES_MAX {
        let id = found[next].name();
        next += 1;
        if seen.insert(id.clone()) {
            found.extend(answers.to(records, &id)?);
        }
    }
    let is_cut = found.len() > THREAD_MESSAGES_MAX;
    found.truncate(THREAD_MESSAGES_MAX);
    Ok(Thread { replies: arrange(found), is_cut })
}

/// Puts messages into the order of a thread: the first, then its answers by time, each followed by its own. A message that stands
/// there twice is shown once, and what does not hang on the first is left out.
pub fn arrange(messages: Vec<Posted>) -> Vec<Reply> {
    let Some(root) = messages.first().map(Posted::name) else { return Vec::new() };
    let mut below: HashMap<String, Vec<Posted>> = HashMap::new();
    let (mut seen, mut first) = (HashSet::new(), None);
    for posted in messages {
        if !seen.insert(posted.name()) {
            continue;
        }
        if posted.name() == root {
            first = Some(posted);
            continue;
        }
        if let Some(parent) = posted.message.as_ref().and_then(|it| it.parent.clone()) {
            below.entry(parent).or_default().push(posted);
        }
    }
    let mut waiting: Vec<Reply> =
        first.map(|posted| Reply { depth: 0, posted }).into_iter().collect();
    let mut arranged = Vec::new();
    while let Some(reply) = waiting.pop() {
        let mut answers = below.remove(&reply.posted.name()).unwrap_or_default();
        // The last of what waits comes next, so that the oldest is put there last.
        answers.sort_by_key(|answer| std::cmp::Reverse(key(answer)));
        let depth = reply.depth + 1;
        waiting.extend(answers.into_iter().map(|posted| Reply { depth, posted }));
        arranged.push(reply);
    }
    arranged
}

fn key(posted: &Posted) -> (i64, Position) {
    (posted.posted_ns, posted.position)
}

/// Finds what answers a message. What the text index has not reached is read once, for all of them.
struct Answers {
    /// Up to where the text index finds them.
    indexed: Option<Position>,
    rest: HashMap<String, Vec<Posted>>,
}

impl Answers {
    fn of(records: &mut Records) -> Result<Self, QueryError> {
        let mark = records.index().map(|index| index.watermark(Follower::Text)).transpose()?;
        let indexed = mark.and_then(|mark| Position::new(mark.position));
        let from = indexed.map_or(Position::FIRST, |upto| upto.plus(1));
        let mut answers = Self { indexed, rest: HashMap::new() };
        let Some(last) = super::known::last(records).filter(|last| from <= *last) else {
            return Ok(answers);
        };
        let filter = Filter::parse("dialect=idle type=message", 0).expect("it is a filter");
        let (order, limit) = (Order::Ascending, usize::MAX - 1);
        let page = records.page(&Ask { filter: &filter, range: from..=last, order, limit })?;
        for posted in page.records.iter().filter_map(Posted::of) {
            if let Some(parent) = posted.message.as_ref().and_then(|it| it.parent.clone()) {
                answers.rest.entry(parent).or_default().push(posted);
            }
        }
        Ok(answers)
    }

    fn to(&mut self, records: &mut Records, id: &str) -> Result<Vec<Posted>, QueryError> {
        let mut found = Vec::new();
        if let Some(upto) = self.indexed {
            let filter = format!("dialect=idle type=message .parent_id={}", quoted(id));
            let filter = Filter::parse(&filter, 0).expect("quoted ids can be compared with");
            let (order, limit) = (Order::Ascending, THREAD_MESSAGES_MAX);
            let range = Position::FIRST..=upto;
            let page = records.page(&Ask { filter: &filter, range, order, limit })?;
            found.extend(page.records.iter().filter_map(Posted::of));
        }
        found.extend(self.rest.get(id).into_iter().flatten().cloned());
        Ok(found)
    }
}

#[cfg(test)]
mod tests;
