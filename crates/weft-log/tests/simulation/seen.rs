//! What the seeds met, so that a suite that meets nothing any more is noticed.

use std::fmt;

/// How often each thing was seen.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Seen {
    pub(crate) appends: u64,
    pub(crate) power_cuts: u64,
    pub(crate) cuts_in_recovery: u64,
    pub(crate) kills: u64,
    pub(crate) torn: u64,
    pub(crate) revived: u64,
    pub(crate) indeterminate: u64,
    pub(crate) refused: u64,
    pub(crate) repeats: u64,
    pub(crate) segments: u64,
    pub(crate) midnights: u64,
    pub(crate) failed_syncs: u64,
    pub(crate) failed_writes: u64,
    pub(crate) full: u64,
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds = self.kinds().map(|(kind, n_seen)| format!("{n_seen} {kind}"));
        f.write_str(&kinds.join(", "))
    }
}

impl Seen {
    /// Returns each thing by its name.
    pub(crate) fn kinds(&self) -> [(&'static str, u64); 14] {
        let Seen { appends, power_cuts, cuts_in_recovery, kills, torn, revived, .. } = *self;
        let Seen { indeterminate, refused, repeats, segments, .. } = *self;
        [
            ("appends", appends),
            ("power cuts", power_cuts),
            ("power cuts within a recovery", cuts_in_recovery),
            ("killed processes", kills),
            ("torn tails", torn),
            ("revivals", revived),
            ("indeterminate answers", indeterminate),
            ("refused groups", refused),
            ("repeats", repeats),
            ("segments", segments),
            ("midnights", self.midnights),
            ("failed syncs", self.failed_syncs),
            ("failed writes", self.failed_writes),
            ("full disks", self.full),
        ]
    }

    pub(crate) fn add(&mut self, other: &Seen) {
        self.appends += other.appends;
        self.power_cuts += other.power_cuts;
        self.cuts_in_recovery += other.cuts_in_recovery;
        self.kills += other.kills;
        self.torn += other.torn;
        self.revived += other.revived;
        self.indeterminate += other.indeterminate;
        self.refused += other.refused;
        self.repeats += other.repeats;
        self.segments += other.segments;
        self.midnights += other.midnights;
        self.failed_syncs += other.failed_syncs;
        self.failed_writes += other.failed_writes;
        self.full += other.full;
    }
}
