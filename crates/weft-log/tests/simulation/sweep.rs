//! What the random seeds found, as sweeps: the same failure at every call in turn.

use crate::cache::FailedSync;
use crate::disk::{Failing, Faults, Honesty};
use crate::life::Run;
use crate::model::Violation;
use crate::{Outcome, Trace, simulate};

/// More calls than making a log or appending a group takes.
const CALLS_MAX: u64 = 24;

/// Disks of different pages and write-back on which each failure is tried.
const DISKS: u64 = 4;

/// Lets the process end at every call, and every call fail, alone and with those after it.
fn sweep(live: fn(&mut Run, &Faults) -> Result<(), Violation>) {
    for after in 0..CALLS_MAX {
        let ends = Faults { ends_after: Some(after), ..Faults::default() };
        let failing = |n, how| Some(Failing { after, n, how });
        let fails = [1, 2, CALLS_MAX].into_iter().flat_map(|n| {
            let with = move |how| Faults { failing: failing(n, how), ..Faults::default() };
            FailedSync::ALL.map(with)
        });
        for faults in fails.chain([ends]) {
            for disk in 0..DISKS {
                let under = faults.clone();
                let Outcome { verdict, trace, .. } =
                    simulate(disk, Honesty::Honest, Trace::Kept, 1, move |run| live(run, &under));
                if let Err(violation) = verdict {
                    panic!("disk {disk}, {faults:?}: {violation}\n{}", trace.join("\n"));
                }
            }
        }
    }
}

#[test]
fn a_log_whose_making_failed_anywhere_keeps_what_it_acknowledges_later() {
    sweep(Run::make_under);
}

#[test]
fn a_log_keeps_what_it_acknowledges_after_an_append_failed_anywhere() {
    sweep(Run::append_under);
}
