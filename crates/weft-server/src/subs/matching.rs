//! The events of a subscription, as the log gives them. Runs ahead of the deliveries by one portion and no more.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use weft_event::event::{self, Expect};
use weft_event::json::Tape;
use weft_event::problem::Problems;
use weft_log::filter::Subject;
use weft_log::{Filter, Position};

use super::books;
use super::letter::Post;
use super::schedule::SessionKey;
use crate::Core;
use crate::feed::{Chunk, Cursor, Live};

/// How long to wait before a log that cannot be read is read again.
const TRY_AGAIN: Duration = Duration::from_secs(1);

/// Stretches of lost records that are remembered.
const LOST_MAX: usize = 64;

/// What was read at once.
#[derive(Debug, Default)]
pub(super) struct Portion {
    /// The events that match, by position.
    pub(super) posts: std::collections::VecDeque<(u64, SessionKey, Arc<Post>)>,
    /// How far the log was read.
    pub(super) upto: u64,
    /// How many records on the way are damaged or gone.
    pub(super) n_lost: u64,
}

/// Reads the log from a position on, and sends what matches until nobody takes it.
pub(super) async fn read_on(
    core: Core,
    from: Position,
    filter: Filter,
    portions: mpsc::Sender<Portion>,
) {
    let mut matcher = Matcher {
        filter,
        store_id: core.store_id().to_owned(),
        tape: Tape::new(),
        problems: Problems::new(),
        lost: Vec::new(),
    };
    let mut cursor = core.feed().cursor(from);
    while cursor.ready().await {
        match matcher.read(&mut cursor).await {
            Ok(portion) => {
                if portions.send(portion).await.is_err() {
                    return;
                }
            }
            Err(error) => {
                tracing::warn!("a subscription cannot read the log: {error}");
                tokio::time::sleep(TRY_AGAIN).await;
                cursor = core.feed().cursor(cursor.next());
            }
        }
    }
}

struct Matcher {
    filter: Filter,
    store_id: String,
    tape: Tape,
    problems: Problems,
    /// Positions that were lost on the way.
    lost: Vec<(u64, u64)>,
}

impl Matcher {
    async fn read(&mut self, cursor: &mut Cursor) -> Result<Portion, weft_log::reader::ReadError> {
        let mut expected = cursor.next().get();
        let Chunk { records, .. } = cursor.read().await?;
        let upto = cursor.next().get() - 1;
        let mut portion = Portion { upto, ..Portion::default() };
        for live in records {
            let position = live.meta.position.get();
            portion.n_lost += self.lose(expected, position);
            expected = position + 1;
            if let Some((key, post)) = self.take(live) {
                portion.posts.push_back((position, key, Arc::new(post)));
            }
        }
        portion.n_lost += self.lose(expected, upto + 1);
        Ok(portion)
    }

    /// Notes that the records from one position up to before another did not come; returns how many.
    fn lose(&mut self, expected: u64, position: u64) -> u64 {
        if position <= expected {
            return 0;
        }
        match self.lost.last_mut().filter(|(_, last)| *last + 1 == expected) {
            Some((_, last)) => *last = position - 1,
            None => self.lost.push((expected, position - 1)),
        }
        let surplus = self.lost.len().saturating_sub(LOST_MAX);
        self.lost.drain(..surplus);
        position - expected
    }

    /// Returns the event if it is to be delivered.
    fn take(&mut self, live: Arc<Live>) -> Option<(SessionKey, Post)> {
        if books::is_bookkeeping(&live.meta) || self.is_copy(&live) {
            return None;
        }
        let mark = live.meta.mark.as_ref();
        let expect = mark.map_or(Expect::Any, |mark| Expect::Dialect(mark.dialect));
        self.problems.clear();
        let event = event::read(&mut self.tape, &live.line, expect, &mut self.problems)?;
        let facts = event.facts();
        let subject = Subject { meta: &live.meta, facts: &facts, event: event.value() };
        if !self.filter.matches(&subject) {
            return None;
        }
        let key = SessionKey::of(&facts);
        let post = Post::new(live.apart(), &facts, &self.store_id);
        Some((key, post))
    }

    /// Returns whether a record is the copy of one that came before: carried along so that the first could be pruned.
    fn is_copy(&self, live: &Live) -> bool {
        let carried = live.meta.mark.as_ref().and_then(|mark| mark.carried);
        carried.is_some_and(|carried| {
            let first = carried.position.get();
            !self.lost.iter().any(|(start, end)| (*start..=*end).contains(&first))
        })
    }
}

/// Makes one record of the log ready for delivery; `None` if it is no event.
pub(super) fn post_of(live: Arc<Live>, store_id: &str) -> Option<Post> {
    let (mut tape, mut problems) = (Tape::new(), Problems::new());
    let mark = live.meta.mark.as_ref();
    let expect = mark.map_or(Expect::Any, |mark| Expect::Dialect(mark.dialect));
    let event = event::read(&mut tape, &live.line, expect, &mut problems)?;
    let post = Post::new(live.apart(), &event.facts(), store_id);
    Some(post)
}
