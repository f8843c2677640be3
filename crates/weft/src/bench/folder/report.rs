//! The result, and whether the targets hold.

use std::time::Duration;

use serde_json::json;

/// The first event is to be there within this time.
const FIRST_MAX: Duration = Duration::from_secs(1);

/// The folder is to be read at least at this part of the bulk figure.
const BULK_PART: f64 = 0.5;

/// The most memory at the end is to be at most so many times that after a quarter of the events.
const GROWTH_MAX: f64 = 1.25;

const MIB: f64 = (1 << 20) as f64;

/// The most memory after a quarter of the events, and at the end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Memory {
    pub(super) early: u64,
    pub(super) late: u64,
}

pub(super) struct Report {
    pub(super) n_files: usize,
    pub(super) n_events: usize,
    pub(super) n_bytes: u64,
    /// Events that the store had before.
    pub(super) n_stored: u64,
    /// From the start of the server to the first event that readers have.
    pub(super) first: Duration,
    /// From the start of the server until all events are durable.
    pub(super) caught_up: Duration,
    /// Events a second that the log takes in bulk.
    pub(super) bulk: f64,
    pub(super) memory: Memory,
    pub(super) n_descriptors: usize,
    pub(super) n_refused: u64,
}

impl Report {
    fn speed(&self) -> f64 {
        self.n_events as f64 / self.caught_up.as_secs_f64()
    }

    /// Returns each target with what was reached, and whether it holds.
    fn targets(&self) -> [(&'static str, f64, bool); 3] {
        let (first, part) = (self.first.as_secs_f64(), self.speed() / self.bulk);
        let growth = self.memory.late as f64 / self.memory.early.max(1) as f64;
        [
            ("first event within 1 s", first, self.first <= FIRST_MAX),
            ("caught up at 0.5 of bulk or more", part, part >= BULK_PART),
            (
                "memory at the end 1.25 of that after a quarter or less",
                growth,
                growth <= GROWTH_MAX,
            ),
        ]
    }

    pub(super) fn to_json(&self) -> String {
        let targets = self.targets().map(|(target, reached, holds)| {
            json!({ "target": target, "reached": reached, "holds": holds })
        });
        let report = json!({
            "files": self.n_files,
            "events": self.n_events,
            "bytes": self.n_bytes,
            "stored": self.n_stored,
            "refused": self.n_refused,
            "first_event_seconds": self.first.as_secs_f64(),
            "caught_up_seconds": self.caught_up.as_secs_f64(),
            "events_per_second": self.speed(),
            "bulk_events_per_second": self.bulk,
            "memory_bytes": { "quarter": self.memory.early, "end": self.memory.late },
            "descriptors": self.n_descriptors,
            "targets": targets,
        });
        format!("{report}\n")
    }

    pub(super) fn to_table(&self) -> String {
        let mib = |bytes: u64| format!("{:.1} MiB", bytes as f64 / MIB);
        let (first, caught_up) = (self.first.as_secs_f64(), self.caught_up.as_secs_f64());
        let mut text = format!(
            "{} files, {} events, {}, {} refused; {} events stored before\n\n",
            self.n_files,
            self.n_events,
            mib(self.n_bytes),
            self.n_refused,
            self.n_stored
        );
        let rows = [
            ("first event", format!("{first:.2} s")),
            ("caught up", format!("{caught_up:.1} s, {:.0} events/s", self.speed())),
            ("the log in bulk", format!("{:.0} events/s", self.bulk)),
            ("most memory, after a quarter", mib(self.memory.early)),
            ("most memory, at the end", mib(self.memory.late)),
            ("most descriptors", self.n_descriptors.to_string()),
        ];
        rows.iter().for_each(|(name, value)| text += &format!("{name:<30}{value}\n"));
        text.push('\n');
        for (target, reached, holds) in self.targets() {
            let word = if holds { "holds" } else { "missed" };
            text += &format!("target, {target}: {reached:.2}, {word}\n");
        }
        text
    }
}
