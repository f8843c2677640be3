//! The log and what belongs to it: whether it can be read, its index, its gaps, and what waits beside it.

use std::fs;

use weft_log::disk::RealDisk;
use weft_log::index::{self, Follower, IndexError};
use weft_log::log::CLOCK_SLACK_US;
use weft_log::rejected::{Rejected, Span};
use weft_log::{Head, Position, Store, follow, reader, recover, spool, verify};

use super::Check;
use crate::output::plural;
use crate::times::now_ns;

/// Records that the index may lack without anybody noticing.
const BEHIND_RECORDS_MAX: u64 = 10_000;

pub(super) fn look(store: &Store) -> Vec<Check> {
    let head = match reader::read_head(&RealDisk, store.root()) {
        Ok(head) => head,
        Err(error) => {
            let text = format!("{:#}", anyhow::Error::new(error));
            return vec![Check::wrong("store", text, "`weft verify` says what is wrong with it")];
        }
    };
    let last = head.last().map_or(0, Position::get);
    let root = store.root().display();
    let mut checks = vec![match recover::read_format(&RealDisk, store.root(), &head) {
        Ok(Some(format)) => {
            Check::fine("store", format!("{root}, format {format}, position {last}"))
        }
        Ok(None) => {
            let text =
                format!("{root}, position {last}; the beginning of its last segment is damaged");
            Check::wrong("store", text, "`weft verify` tells more")
        }
        Err(error @ recover::Error::Newer { .. }) => Check::wrong(
            "store",
            error.to_string(),
            "use the version that wrote it, or a newer one",
        ),
        Err(error @ recover::Error::Io { .. }) => {
            let text = format!("{:#}", anyhow::Error::new(error));
            Check::wrong("store", text, "`weft verify` says what is wrong with it")
        }
    }];
    checks.push(clock(&head));
    checks.extend(index(store, &head));
    checks.extend(archives(store));
    checks.push(aside(store));
    checks.push(waiting(store));
    checks.push(refused(store));
    checks
}

fn clock(head: &Head) -> Check {
    let behind_us = head.at_us.saturating_sub(now_ns() / 1000);
    if behind_us <= CLOCK_SLACK_US {
        return Check::fine("clock", "not behind the last record");
    }
    let text = format!("{} s behind the last record", behind_us / 1_000_000);
    let advice = "set the clock; until it has caught up, new records have the time of the last one";
    Check::wrong("clock", text, advice)
}

fn index(store: &Store, head: &Head) -> Vec<Check> {
    const REBUILD: &str = "`weft index rebuild` makes it again";
    let reader = match index::Reader::open(&store.index()) {
        Ok(reader) => reader,
        Err(IndexError::Missing { .. }) if head.last().is_none() => {
            return vec![Check::fine("index", "there is nothing to index yet")];
        }
        Err(IndexError::Missing { .. }) => {
            return vec![Check::wrong(
                "index",
                "it is missing, so that searching is slow",
                REBUILD,
            )];
        }
        Err(error) => {
            let text = format!("{:#}", anyhow::Error::new(error));
            return vec![Check::wrong("index", text, REBUILD)];
        }
    };
    let asked = || -> Result<_, IndexError> {
        Ok((reader.watermark(Follower::Core)?, reader.watermark(Follower::Text)?, reader.gaps()?))
    };
    let (core, text, gaps) = match asked() {
        Ok(asked) => asked,
        Err(error) => {
            let text = format!("{:#}", anyhow::Error::new(error));
            return vec![Check::wrong("index", text, REBUILD)];
        }
    };
    let last = head.last().map_or(0, Position::get);
    let version = index::VERSION;
    let lag = last.saturating_sub(core.position);
    let mut checks = vec![if !follow::fits(core, head) {
        Check::wrong("index", "it has followed another log", REBUILD)
    } else if lag > BEHIND_RECORDS_MAX {
        let text = format!("version {version}, lacks {}", plural(lag, "record"));
        Check::wrong("index", text, "`weft index rebuild` brings it up to date, as `weft up` does")
    } else {
        let lag = last.saturating_sub(text.position);
        let search = match lag {
            0 => String::new(),
            lag => format!(", text search lacks {}", plural(lag, "record")),
        };
        Check::fine("index", format!("version {version}, up to date{search}"))
    }];
    let damaged: Vec<_> = gaps.iter().filter(|gap| gap.reason != reader::GONE).collect();
    let n_records: u64 = damaged.iter().map(|gap| gap.last.get() - gap.first.get() + 1).sum();
    checks.push(match damaged.first() {
        None => Check::fine("damage", "none is known"),
        Some(gap) => {
            let text =
                format!("{} damaged, from position {} on", plural(n_records, "record"), gap.first);
            Check::wrong("damage", text, "`weft gaps` lists them, `weft verify` says what happened")
        }
    });
    checks
}

/// Looks at the ends of the archives: one that was cut off is not known to an index that was made before.
fn archives(store: &Store) -> Option<Check> {
    match verify::damaged_archives(store) {
        Ok(damaged) => damaged.first().map(|first| {
            let n = plural(damaged.len() as u64, "archive");
            let text = format!("{n} cut off or without its seek table, the first is {first}");
            Check::wrong("archives", text, "`weft verify` says which records are lost")
        }),
        Err(error) => {
            let text = format!("{:#}", anyhow::Error::new(error));
            Some(Check::wrong("archives", text, "see to the rights of its folder"))
        }
    }
}

/// Looks for bytes that a recovery cut off.
fn aside(store: &Store) -> Check {
    let folder = store.root().join("aside");
    let n_files = fs::read_dir(&folder).map_or(0, |entries| entries.count() as u64);
    match n_files {
        0 => Check::fine("aside", "nothing was ever cut off"),
        n => {
            let text = format!("{} with bytes that a recovery cut off", plural(n, "file"));
            let advice = format!(
                "what was acknowledged is not among them; {} can be deleted",
                folder.display()
            );
            Check::note("aside", text, advice)
        }
    }
}

fn waiting(store: &Store) -> Check {
    match spool::look(store.root(), |_| {}) {
        Ok(spool::Looked { n_entries: 0, n_damaged: 0, .. }) => {
            Check::fine("spool", "nothing waits")
        }
        Ok(spool::Looked { n_entries, n_damaged, .. }) => {
            let text = format!("{} waiting, {n_damaged} damaged", plural(n_entries, "event"));
            Check::wrong("spool", text, "`weft log` or any other command moves them into the log")
        }
        Err(error) => {
            let text = format!("{:#}", anyhow::Error::new(error));
            Check::wrong("spool", text, "see to the rights of its folder")
        }
    }
}

fn refused(store: &Store) -> Check {
    let list = Rejected::new(store).list(Span::default());
    match list.map(|list| list.kept().count() as u64) {
        Ok(0) => Check::fine("rejected", "nothing was refused"),
        Ok(n) => {
            let text = format!("{} refused", plural(n, "event"));
            Check::wrong(
                "rejected",
                text,
                "`weft rejects` says why, `weft rejects retry` tries again",
            )
        }
        Err(error) => {
            let text = format!("{:#}", anyhow::Error::new(error));
            Check::wrong("rejected", text, "see to the rights of its folder")
        }
    }
}
