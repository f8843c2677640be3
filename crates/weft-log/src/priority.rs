//! How urgent a thread is.

use std::cell::Cell;
use std::thread;
use std::time::{Duration, Instant};

/// How much less urgent background work is, on the system's scale: it gets a third of what another thread gets where both want the
/// processor, so that it goes on, and who waits for an answer seldom waits for it.
#[cfg(target_os = "linux")]
const BEHIND: i32 = 5;

/// How much less urgent work is that the other background work goes before: it gets a tenth of what that gets.
#[cfg(target_os = "linux")]
const FAR_BEHIND: i32 = 10;

/// How long background work goes on before it offers the processor to others. Priority says how much of it a thread gets, not when:
/// whoever is woken while another runs waits for the end of that one's slice, some milliseconds, and the producers of the group that
/// it has just synced wait with it. An offer costs the rest of the slice. Where others want every processor all the time, the index
/// takes in 15,000 records a second with turns of this length, and 6,000 with a third of it.
const TURN: Duration = Duration::from_micros(300);

thread_local! {
    /// When the turn of the calling thread began; `None` unless it has stepped back.
    static TURN_BEGAN: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// Offers the processor to other threads if the calling one has stepped back and its turn is over. To be called between pieces of
/// work that take some microseconds.
pub fn yield_turn() {
    if TURN_BEGAN.get().is_some_and(|began| began.elapsed() >= TURN) {
        thread::yield_now();
        TURN_BEGAN.set(Some(Instant::now()));
    }
}

/// Lets threads that somebody waits for go before the calling one. Where the system cannot, nothing changes.
#[cfg(target_os = "linux")]
pub fn step_back() {
    step_back_by(BEHIND);
}

/// Lets other background work go before the calling thread, too. Where the system cannot, nothing changes.
#[cfg(target_os = "linux")]
pub fn step_far_back() {
    step_back_by(FAR_BEHIND);
}

#[cfg(target_os = "linux")]
fn step_back_by(much: i32) {
    use rustix::process::{getpriority_process, setpriority_process};
    TURN_BEGAN.set(Some(Instant::now()));
    // Without a process these are about the calling thread, on this system alone.
    let stepped_back =
        getpriority_process(None).and_then(|now| setpriority_process(None, now + much));
    match stepped_back {
        // Where it is not allowed, the work is as urgent as any.
        Ok(()) | Err(_) => {}
    }
}

/// Lets threads that somebody waits for go before the calling one. Where the system cannot, nothing changes.
#[cfg(not(target_os = "linux"))]
pub fn step_back() {}

/// Lets other background work go before the calling thread, too. Where the system cannot, nothing changes.
#[cfg(not(target_os = "linux"))]
pub fn step_far_back() {}
