//! How urgent a thread is.

/// How much less urgent background work is, on the system's scale: it gets a third of what another thread gets where both want the
/// processor, so that it goes on, and who waits for an answer seldom waits for it.
#[cfg(target_os = "linux")]
const BEHIND: i32 = 5;

/// Lets threads that somebody waits for go before the calling one. Where the system cannot, nothing changes.
#[cfg(target_os = "linux")]
pub fn step_back() {
    use rustix::process::{getpriority_process, setpriority_process};
    // Without a process these are about the calling thread, on this system alone.
    let stepped_back =
        getpriority_process(None).and_then(|now| setpriority_process(None, now + BEHIND));
    match stepped_back {
        // Where it is not allowed, the work is as urgent as any.
        Ok(()) | Err(_) => {}
    }
}

/// Lets threads that somebody waits for go before the calling one. Where the system cannot, nothing changes.
#[cfg(not(target_os = "linux"))]
pub fn step_back() {}
