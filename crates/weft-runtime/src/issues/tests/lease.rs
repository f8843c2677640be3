//! A year of leases: clocks are set, machines start again, owners die, and heartbeats go on.

use std::time::Duration;

use proptest::prelude::*;

use super::issue;
use crate::issues::{Boot, Claimant, Issue, Moment, claim};

const LEASE_MS: u64 = 15 * 60 * 1000;
const YEAR_MS: u64 = 365 * 24 * 3600 * 1000;

/// A store and the machine it is on.
struct World {
    /// How long the machine runs in truth.
    true_ms: u64,
    /// What its clock is off by.
    offset_ms: i64,
    newest_ms: Option<i64>,
    boot: Option<&'static str>,
    issue: Issue,
}

impl World {
    fn new(boot: Option<&'static str>) -> Self {
        Self { true_ms: 0, offset_ms: 1_794_000_000_000, newest_ms: None, boot, issue: issue("a") }
    }

    fn now(&self) -> Moment {
        let clock_ms = self.true_ms.cast_signed() + self.offset_ms;
        let boot = self.boot.map(|id| Boot { id: id.to_owned(), ms: self.true_ms });
        Moment { clock_ms, newest_ms: self.newest_ms, boot }
    }

    /// Tries to claim or renew; returns whether it worked. The log never writes a time before the last.
    fn claim(&mut self, instance: &str) -> bool {
        let now = self.now();
        let lease = Duration::from_millis(LEASE_MS);
        let claimant = Claimant { owner: "worker", instance, lease };
        let Ok(snapshots) = claim(&self.issue, &claimant, &now) else { return false };
        self.issue = snapshots.into_iter().next_back().expect("there is one");
        assert_eq!(self.issue.updated_at_ms, now.ms());
        self.newest_ms = Some(now.ms());
        true
    }
}

/// What happens next, and how long after what happened before.
#[derive(Clone, Debug)]
enum Happens {
    /// The clock is set by so much.
    Step(i64),
    /// Whoever does not have it tries to get it.
    Try,
    /// Who has it dies.
    Dies,
    /// Somebody else writes to the store.
    Write,
}

fn happens(steps: impl Strategy<Value = i64> + 'static) -> impl Strategy<Value = (u64, Happens)> {
    let what = prop_oneof![
        2 => steps.prop_map(Happens::Step),
        6 => Just(Happens::Try),
        1 => Just(Happens::Dies),
        1 => Just(Happens::Write),
    ];
    (0..4 * LEASE_MS, what)
}

/// Plays a year: whoever lives renews every third of the lease. Returns how often it changed hands.
fn play(mut world: World, story: &[(u64, Happens)], is_exact: bool) -> Result<u32, TestCaseError> {
    let (mut n_owners, mut is_alive, mut last_beat_ms) = (1_u32, true, 0);
    prop_assert!(world.claim("0"));
    for (after_ms, what) in story.iter().cycle().take_while({
        let mut total = 0;
        move |(after_ms, _)| {
            total += after_ms + 1;
            total < YEAR_MS
        }
    }) {
        let until_ms = world.true_ms + after_ms + 1;
        while is_alive && last_beat_ms + LEASE_MS / 3 <= until_ms {
            last_beat_ms += LEASE_MS / 3;
            world.true_ms = last_beat_ms;
            prop_assert!(world.claim(&(n_owners - 1).to_string()), "a heartbeat is refused");
        }
        world.true_ms = until_ms;
        match what {
            Happens::Step(by_ms) => world.offset_ms += by_ms,
            Happens::Dies => is_alive = false,
            Happens::Write => world.newest_ms = Some(world.now().ms()),
            Happens::Try => {
                let is_dead_long = world.true_ms >= last_beat_ms + LEASE_MS;
                let is_got = world.claim(&n_owners.to_string());
                prop_assert!(!(is_got && is_alive), "a live claim is taken");
                if is_exact {
                    prop_assert_eq!(is_got, !is_alive && is_dead_long, "a dead claim is held");
                }
                if is_got {
                    (n_owners, is_alive, last_beat_ms) = (n_owners + 1, true, world.true_ms);
                }
            }
        }
    }
    Ok(n_owners)
}

const DAY_MS: i64 = 24 * 3600 * 1000;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn on_one_machine_no_setting_of_the_clock_takes_or_keeps_a_claim(
        story in prop::collection::vec(happens(-400 * DAY_MS..400 * DAY_MS), 20..60),
    ) {
        play(World::new(Some("boot")), &story, true)?;
    }

    #[test]
    fn across_machines_a_clock_that_is_set_back_takes_no_live_claim(
        story in prop::collection::vec(happens(-40 * DAY_MS..=0), 20..60),
    ) {
        play(World::new(None), &story, false)?;
    }
}

#[test]
fn a_year_changes_hands_again_and_again() {
    let story = [
        (1000, Happens::Dies),
        (LEASE_MS, Happens::Try),
        (7, Happens::Step(-DAY_MS)),
        (9, Happens::Try),
    ];
    let n_owners = play(World::new(Some("boot")), &story, true).expect("it holds");
    assert!(n_owners > 10_000, "{n_owners}");
}

#[test]
fn after_a_restart_the_clock_and_the_log_decide() {
    let mut world = World::new(Some("boot"));
    assert!(world.claim("before"));
    world.boot = Some("another");
    world.true_ms = 10;
    assert!(!world.claim("after"), "the lease is not over");
    world.offset_ms -= 30 * DAY_MS;
    assert!(!world.claim("after"), "a clock that is set back ends nothing");
    world.offset_ms += 30 * DAY_MS + LEASE_MS.cast_signed();
    assert!(world.claim("after"));
}
