//! The schedule against a model: whatever fails and whenever it crashes, everything arrives, in order.

mod random;

use std::time::Duration;

use super::{Backoff, Failure, Flight, Progress, Rules, Schedule, SessionKey, Tried, Verdict};

const NOW: Duration = Duration::ZERO;

fn rules() -> Rules {
    let backoff = Backoff { min: Duration::from_secs(1), max: Duration::from_secs(8) };
    Rules { parallel_max: 4, attempts_max: 3, backoff, held_max: 100, held_bytes_max: 1000 }
}

fn session(name: &str) -> SessionKey {
    SessionKey::Session { tenant: None, session: name.to_owned() }
}

/// A schedule that was offered these events, one byte each.
fn offered(rules: Rules, events: &[(u64, &str)]) -> Schedule<()> {
    let mut schedule = Schedule::new(rules, Progress::new(0, Vec::new()));
    for (position, name) in events {
        schedule.offer(*position, session(name), 1, ());
    }
    schedule
}

/// Starts all that may start, one event of a session at a time.
fn start_all(schedule: &mut Schedule<()>, now: Duration) -> Vec<Flight<()>> {
    std::iter::from_fn(|| schedule.start(now, 1).pop()).collect()
}

fn positions(flights: &[Flight<()>]) -> Vec<u64> {
    flights.iter().map(|flight| flight.position).collect()
}

#[test]
fn sessions_go_side_by_side_and_each_in_order() {
    let mut schedule = offered(rules(), &[(1, "a"), (2, "a"), (3, "b"), (4, "a"), (5, "c")]);
    let first = start_all(&mut schedule, NOW);
    assert_eq!(positions(&first), [1, 3, 5]);
    assert!(schedule.done(first[0].ticket));
    assert_eq!(positions(&start_all(&mut schedule, NOW)), [2]);
    assert_eq!(schedule.progress().acknowledged(), 1);
    assert!(schedule.done(first[1].ticket) && schedule.done(first[2].ticket));
    assert_eq!((schedule.progress().acknowledged(), schedule.n_held()), (1, 2));
}

#[test]
fn no_more_sessions_are_under_way_than_may_be() {
    let events: Vec<_> = ["a", "b", "c", "d", "e", "f"].into_iter().zip(1..).collect();
    let events: Vec<_> = events.into_iter().map(|(name, position)| (position, name)).collect();
    let mut schedule = offered(rules(), &events);
    let first = start_all(&mut schedule, NOW);
    assert_eq!(positions(&first), [1, 2, 3, 4]);
    assert_eq!(schedule.next_due(), None, "only an outcome helps");
    schedule.done(first[2].ticket);
    assert_eq!(positions(&start_all(&mut schedule, NOW)), [5]);
}

#[test]
fn an_event_that_fails_holds_its_session_until_it_is_dead_and_no_other() {
    let mut schedule = offered(rules(), &[(1, "a"), (2, "a"), (3, "b")]);
    let mut now = NOW;
    for attempt in 1..=3 {
        let flights = start_all(&mut schedule, now);
        let failing = flights.iter().find(|flight| flight.position == 1).expect("it is tried");
        assert_eq!(failing.attempt, attempt);
        flights.iter().filter(|flight| flight.position == 3).for_each(|b| {
            schedule.done(b.ticket);
        });
        let verdict =
            schedule.failed(failing.ticket, Failure::Refused { retry_after: None }, now, 0);
        if attempt < 3 {
            assert_eq!(verdict, Verdict::Again);
            assert_eq!(start_all(&mut schedule, now), [], "its session waits");
            now = schedule.next_due().expect("it is tried again");
        } else {
            assert_eq!(verdict, Verdict::Dead { attempts: 3 });
            assert_eq!(start_all(&mut schedule, now), [], "until it is on the list");
            assert!(schedule.buried(failing.ticket));
        }
    }
    assert_eq!(now, Duration::from_millis(500 + 1000));
    assert_eq!(schedule.progress().acknowledged(), 1);
}

#[test]
fn a_receiver_that_is_away_is_asked_by_one_event_at_a_time_and_none_dies_of_it() {
    let mut schedule = offered(rules(), &[(1, "a"), (2, "b"), (3, "c")]);
    let away = Failure::Away { retry_after: None };
    let mut now = NOW;
    for flight in start_all(&mut schedule, now) {
        assert_eq!(schedule.failed(flight.ticket, away, now, 1000), Verdict::Spared);
    }
    let mut asked = Vec::new();
    for _ in 0..20 {
        now = schedule.next_due().expect("it is asked again");
        let flights = start_all(&mut schedule, now);
        assert_eq!(flights.len(), 1);
        asked.push(flights[0].position);
        assert_eq!(schedule.failed(flights[0].ticket, away, now, 1000), Verdict::Spared);
    }
    assert_eq!(asked[..4], [1, 2, 3, 1], "each has its turn");
    now = schedule.next_due().expect("it is asked again");
    let flights = start_all(&mut schedule, now);
    schedule.done(flights[0].ticket);
    assert_eq!(start_all(&mut schedule, now + rules().backoff.max).len(), 2, "it is back");
}

#[test]
fn an_event_that_a_receiver_is_away_for_while_it_takes_others_dies() {
    let mut schedule = offered(rules(), &[(1, "a")]);
    let mut now = NOW;
    let mut attempts = 0;
    for position in 2.. {
        schedule.offer(position, session("b"), 1, ());
        now = schedule.next_due().expect("something may go").max(now);
        let flights = start_all(&mut schedule, now);
        let mut is_dead = false;
        for flight in flights {
            if flight.position == 1 {
                attempts += 1;
                let verdict =
                    schedule.failed(flight.ticket, Failure::Away { retry_after: None }, now, 0);
                is_dead = verdict == Verdict::Dead { attempts };
            } else {
                schedule.done(flight.ticket);
            }
        }
        if is_dead {
            break;
        }
        now += Duration::from_secs(20);
    }
    assert_eq!(attempts, 4, "one that proves nothing, and then the three it has");
}

#[test]
fn one_that_does_not_answer_is_away_and_none_dies_of_it() {
    let mut schedule = offered(rules(), &[(1, "a"), (2, "b"), (3, "c")]);
    let mut now = NOW;
    for _ in 0..20 {
        for flight in start_all(&mut schedule, now) {
            let verdict = schedule.failed(flight.ticket, Failure::Silent, now, 1000);
            assert_eq!(verdict, Verdict::Spared);
        }
        assert!(schedule.is_down());
        now = schedule.next_due().expect("it is asked again");
    }
    assert_eq!(start_all(&mut schedule, now).len(), 1, "by one at a time");
}

#[test]
fn an_event_that_gets_no_answer_while_others_do_dies_and_the_others_go_on() {
    let mut schedule = offered(rules(), &[(1, "a"), (2, "b")]);
    let mut now = NOW;
    for attempt in 1..=3 {
        let flights = start_all(&mut schedule, now);
        let [silent, taken] = [1, 1 + attempt]
            .map(|position| flights.iter().find(|flight| flight.position == position).unwrap());
        schedule.done(taken.ticket);
        schedule.offer(2 + attempt, session("b"), 1, ());
        let verdict = schedule.failed(silent.ticket, Failure::Silent, now, 0);
        assert!(!schedule.is_down());
        match attempt {
            3 => assert_eq!(verdict, Verdict::Dead { attempts: 3 }),
            _ => assert_eq!(verdict, Verdict::Again),
        }
        now += rules().backoff.max;
    }
}

#[test]
fn a_receiver_that_asks_for_time_is_given_it() {
    let mut schedule = offered(rules(), &[(1, "a")]);
    let flight = start_all(&mut schedule, NOW).remove(0);
    let retry_after = Some(Duration::from_secs(30));
    schedule.failed(flight.ticket, Failure::Refused { retry_after }, NOW, 0);
    assert_eq!(schedule.next_due(), Some(Duration::from_secs(30)));
}

#[test]
fn a_run_of_one_session_is_taken_together_and_comes_back_in_order() {
    let mut schedule = offered(rules(), &[(1, "a"), (2, "a"), (3, "a"), (4, "b")]);
    let run = schedule.start(NOW, 10);
    assert_eq!(positions(&run), [1, 2, 3]);
    assert_eq!(positions(&schedule.start(NOW, 10)), [4]);
    schedule.done(run[1].ticket);
    for flight in [&run[0], &run[2]] {
        assert_eq!(schedule.failed(flight.ticket, Failure::Expired, NOW, 0), Verdict::Again);
    }
    let again = schedule.start(NOW, 10);
    assert_eq!(positions(&again), [1, 3]);
    schedule.released(again[0].ticket, NOW);
    schedule.released(again[1].ticket, NOW);
    let again = schedule.start(NOW, 1);
    assert_eq!((again[0].position, again[0].attempt), (1, 2), "what was not handed over is no try");
}

#[test]
fn a_run_ends_before_the_first_event_that_does_not_fit() {
    let mut schedule = offered(rules(), &[(1, "a"), (2, "a"), (3, "a")]);
    assert_eq!(positions(&schedule.start_while(NOW, 10, |()| false)), [1], "the first always goes");
    assert_eq!(schedule.start(NOW, 10), [], "its session is under way");
    let mut schedule = offered(rules(), &[(1, "a"), (2, "a"), (3, "a")]);
    let mut n_left = 2;
    let fits = |(): &()| {
        n_left -= 1;
        n_left >= 0
    };
    let run = schedule.start_while(NOW, 10, fits);
    assert_eq!(positions(&run), [1, 2]);
    run.iter().for_each(|flight| assert!(schedule.done(flight.ticket)));
    assert_eq!(positions(&schedule.start(NOW, 10)), [3], "the rest of it is left where it was");
}

#[test]
fn a_replay_does_not_move_the_acknowledged_position() {
    let mut schedule = offered(rules(), &[(5, "a")]);
    schedule.offer_replay(3, 1, ());
    let flights = start_all(&mut schedule, NOW);
    let marks: Vec<_> = flights.iter().map(|flight| (flight.position, flight.is_replay)).collect();
    assert_eq!(marks, [(5, false), (3, true)]);
    schedule.done(flights[1].ticket);
    assert_eq!(schedule.progress().acknowledged(), 4);
}

#[test]
fn what_failed_before_a_crash_counts_after_it() {
    let refused = Failure::Refused { retry_after: None };
    let mut schedule = offered(rules(), &[(1, "a"), (2, "b"), (3, "c")]);
    let flights = start_all(&mut schedule, NOW);
    schedule.failed(flights[0].ticket, refused, NOW, 0);
    schedule.failed(flights[1].ticket, Failure::Away { retry_after: None }, NOW, 0);
    schedule.done(flights[2].ticket);
    let tried = schedule.tried(10);
    assert_eq!(tried, [Tried { position: 1, attempts: 1, strikes: 1 }]);
    let mut again = Schedule::new(rules(), Progress::new(0, Vec::new()));
    again.remember(&tried);
    assert_eq!(again.tried(10), tried, "also while it is not read");
    again.offer(1, session("a"), 1, ());
    for attempt in 2..=3 {
        let now = again.next_due().expect("it is there");
        let flight = start_all(&mut again, now).remove(0);
        assert_eq!(flight.attempt, attempt);
        let verdict = again.failed(flight.ticket, refused, now, 0);
        assert_eq!(verdict == Verdict::Dead { attempts: 3 }, attempt == 3);
    }
    again.remember(&[Tried { position: 2, attempts: 1, strikes: 1 }]);
    again.pass(2);
    assert_eq!(again.tried(10).iter().filter(|tried| tried.position == 2).count(), 0);
}
