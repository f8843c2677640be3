//! Who has an issue, and until when.
//!
//! A lease must end although nobody takes it back, and must not end under somebody who keeps it up. Clocks are set forward and
//! back, so a lease is measured twice. On the machine that it was taken on, and until that is started again, the time since the
//! machine started decides: nobody can set it, and it goes on while the machine sleeps. Everywhere else the later of the clock
//! and the time of the newest record decides: time in the log never goes back, so that a clock which was set back makes no lease
//! end twice. A clock that is a year ahead while it writes makes leases from elsewhere last that year; a person can release them.

use std::time::Duration;

/// How long a claim counts after it was made or renewed, unless it says otherwise.
pub const LEASE: Duration = Duration::from_secs(15 * 60);

/// What is known of the time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moment {
    /// What the clock says, in milliseconds since 1970.
    pub clock_ms: i64,
    /// When the newest record was received, in milliseconds since 1970.
    pub newest_ms: Option<i64>,
    /// How long this machine runs, where that can be told.
    pub boot: Option<Boot>,
}

/// A time of one machine since its start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Boot {
    /// Tells this start from every other, of this machine and of all others.
    pub id: String,
    /// Milliseconds since then.
    pub ms: u64,
}

impl Moment {
    /// Returns the time that changes are dated with: it never goes back in one store.
    pub fn ms(&self) -> i64 {
        self.newest_ms.map_or(self.clock_ms, |newest_ms| newest_ms.max(self.clock_ms))
    }
}

/// Who has an issue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Whose it is.
    pub owner: String,
    /// Which of the owner's sessions or processes has it.
    pub instance: String,
    /// When it ends, in milliseconds since 1970.
    pub until_ms: i64,
    /// The same by the machine that it was made on.
    pub until_boot: Option<Boot>,
}

impl Claim {
    /// Returns a claim that begins now.
    pub fn new(owner: &str, instance: &str, lease: Duration, now: &Moment) -> Self {
        let lease_ms = u64::try_from(lease.as_millis()).unwrap_or(u64::MAX);
        let until_boot = now.boot.as_ref().map(|boot| {
            let ms = boot.ms.saturating_add(lease_ms);
            Boot { id: boot.id.clone(), ms }
        });
        Self {
            owner: owner.to_owned(),
            instance: instance.to_owned(),
            until_ms: now.ms().saturating_add(i64::try_from(lease_ms).unwrap_or(i64::MAX)),
            until_boot,
        }
    }

    /// Returns whether it no longer counts.
    pub fn is_over(&self, now: &Moment) -> bool {
        match (&self.until_boot, &now.boot) {
            (Some(until), Some(now)) if until.id == now.id => now.ms >= until.ms,
            (Some(_) | None, Some(_) | None) => now.ms() >= self.until_ms,
        }
    }

    /// Returns whether it is this one's.
    pub fn is_of(&self, owner: &str, instance: &str) -> bool {
        self.owner == owner && self.instance == instance
    }
}
