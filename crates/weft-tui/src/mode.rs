//! Which moment is shown: now, one that stands still, or one that moves at a speed of its own.

/// Speeds of a replay.
pub(crate) const SPEEDS: [f64; 8] = [0.5, 1.0, 2.0, 5.0, 10.0, 25.0, 50.0, 100.0];

/// The moment that is shown. Times are in nanoseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Mode {
    /// Now: whatever comes is shown at once.
    Live,
    /// A moment that stands still.
    Paused {
        /// The moment.
        at_ns: i64,
        /// Whether it was now, and will be again.
        was_live: bool,
    },
    /// A moment that moves on.
    Replay {
        /// The moment it began with.
        from_ns: i64,
        /// When it began.
        began_ns: i64,
        /// Which of the speeds.
        speed_idx: usize,
    },
}

impl Mode {
    /// Returns the moment that is shown.
    pub(crate) fn moment_ns(self, now_ns: i64) -> i64 {
        match self {
            Mode::Live => now_ns,
            Mode::Paused { at_ns, .. } => at_ns,
            Mode::Replay { from_ns, began_ns, speed_idx } => {
                let passed = now_ns.saturating_sub(began_ns) as f64 * SPEEDS[speed_idx];
                // A cast from a float keeps to the limits of the type.
                from_ns.saturating_add(passed as i64)
            }
        }
    }
}

/// Returns a speed as it is written.
pub(crate) fn speed_text(speed_idx: usize) -> String {
    format!("{}x", SPEEDS[speed_idx])
}
