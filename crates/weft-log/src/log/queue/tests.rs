//! Whoever waits is told, each its own, whatever becomes of the leader.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicUsize;

use super::*;
use crate::log::{Condition, Durability, Outcome};
use crate::{Position, TopicKey};

/// A batch that is told from others by its condition.
fn batch(number: u64) -> Batch {
    let topic = TopicKey { topic: "t".to_owned(), key: None };
    let conditions = vec![Condition { topic, last: Position::new(number) }];
    Batch { events: Vec::new(), conditions, durability: Durability::Synced }
}

/// Answers each batch with its number.
fn commit(batches: Vec<Batch>) -> Appended {
    let answer = |batch: Batch| {
        let outcomes = batch.conditions.iter().filter_map(|condition| condition.last);
        let outcomes = outcomes.map(|position| Outcome::Repeat { position }).collect();
        Ok(Answer { outcomes, durability: batch.durability })
    };
    Appended { answers: batches.into_iter().map(answer).collect(), written: None }
}

fn number(answer: Result<Answer, AppendError>) -> Option<u64> {
    match answer {
        Ok(answer) => Some(answer.outcomes[0].position().get()),
        Err(AppendError::Left) => None,
        Err(error) => panic!("{error}"),
    }
}

/// Waits for an answer, and leads with `write` meanwhile where it is called to.
fn wait(place: &Place, write: impl Fn()) -> Option<u64> {
    loop {
        match place.wait() {
            Turn::Lead => write(),
            Turn::Answer(answer) => return number(answer),
        }
    }
}

/// Leads for one group.
fn write_one(queue: &Queue) {
    let lead = queue.lead();
    let (batches, group) = queue.take();
    let told = group.told(commit(batches));
    drop(lead);
    told.tell();
}

#[test]
fn each_of_many_producers_is_told_its_own_answer() {
    const PRODUCERS: u64 = 50;
    const TIMES: u64 = 200;
    let queue = Queue::default();
    thread::scope(|scope| {
        for producer in 0..PRODUCERS {
            let queue = &queue;
            scope.spawn(move || {
                for time in 0..TIMES {
                    let number = producer * TIMES + time + 1;
                    let place = queue.join(batch(number));
                    assert_eq!(wait(&place, || write_one(queue)), Some(number));
                }
            });
        }
    });
    assert!(queue.is_empty());
}

#[test]
fn nobody_waits_for_a_leader_that_goes_on_to_hear_its_own_answer() {
    let queues = [Queue::default(), Queue::default()];
    let places = [queues[0].join(batch(1)), queues[1].join(batch(2))];
    let [(mut batches, mut group), (others, mut crowds)] = queues.each_ref().map(Queue::take);
    batches.extend(others);
    group.0.append(&mut crowds.0);
    group.told(commit(batches)).tell();
    assert!(places[1].crowd.answers.get().is_some());
    for (place, number) in places.iter().zip(1..) {
        assert_eq!(wait(place, || panic!("it is not its turn")), Some(number));
    }
}

#[test]
fn who_waits_for_a_leader_that_panics_is_told_and_the_next_leads() {
    let queue = Queue::default();
    let leader = queue.join(batch(1));
    assert!(matches!(leader.wait(), Turn::Lead));
    let early: Vec<_> = (2..=20).map(|number| queue.join(batch(number))).collect();
    let n_led = AtomicUsize::new(0);
    let write = || {
        n_led.fetch_add(1, Ordering::Relaxed);
        write_one(&queue);
    };
    thread::scope(|scope| {
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            let _lead = queue.lead();
            let _taken = queue.take();
            scope.spawn(|| assert_eq!(wait(&queue.join(batch(21)), write), Some(21)));
            while queue.is_empty() {
                thread::yield_now();
            }
            panic!("as a leader might");
        }));
        assert!(panicked.is_err());
    });
    for place in early.iter().chain([&leader]) {
        assert_eq!(wait(place, || panic!("it is not its turn")), None);
    }
    assert_eq!(n_led.into_inner(), 1);
}
