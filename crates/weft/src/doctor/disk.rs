//! The disk under a store: how much room it has, and whether a sync is one.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::time::{Duration, Instant};

use weft_log::Store;

use super::Check;

/// Less room than this is too little to go on for long.
const FREE_BYTES_MIN: u64 = 1 << 30;

/// No disk that keeps what it is given is faster than this.
const SYNC_MIN: Duration = Duration::from_micros(20);

/// How often a sync is measured.
const N_SYNCS: usize = 15;

pub(super) fn look(store: &Store) -> Vec<Check> {
    vec![room(store), sync(store)]
}

fn room(store: &Store) -> Check {
    let free = match rustix::fs::statvfs(store.root()) {
        Ok(disk) => disk.f_bavail.saturating_mul(disk.f_frsize),
        Err(error) => return Check::wrong("room", error.to_string(), "see to the disk"),
    };
    let text = format!("{} MiB free", free >> 20);
    if free >= FREE_BYTES_MIN {
        return Check::fine("room", text);
    }
    let advice = "make room: `weft prune` compresses or deletes old segments";
    Check::wrong("room", text, advice)
}

fn sync(store: &Store) -> Check {
    match measure(store) {
        Ok(took) if took < SYNC_MIN => {
            let text = format!("a sync takes {} µs, which no disk can do", took.as_micros());
            let advice =
                "what is acknowledged may not survive a power cut; keep the store on a real disk";
            Check::note("sync", text, advice)
        }
        Ok(took) => Check::fine("sync", format!("a sync takes {} µs", took.as_micros())),
        Err(error) => {
            Check::wrong("sync", error.to_string(), "see to the disk: nothing can be written")
        }
    }
}

/// Returns the median of some syncs.
fn measure(store: &Store) -> io::Result<Duration> {
    let path = store.root().join(format!("doctor-{}.tmp", std::process::id()));
    let mut options = OpenOptions::new();
    let mut file = options.write(true).create_new(true).mode(0o600).open(&path)?;
    let measured = (0..N_SYNCS).map(|_| {
        let began = Instant::now();
        file.write_all(&[b'.'; 512])?;
        file.sync_data()?;
        Ok(began.elapsed())
    });
    let measured = measured.collect::<io::Result<Vec<_>>>();
    fs::remove_file(&path)?;
    let mut times = measured?;
    times.sort_unstable();
    Ok(times[times.len() / 2])
}
