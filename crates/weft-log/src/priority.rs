//! How urgent a thread is.

/// How much less urgent background work is, on the system's scale: it gets a third of what another thread gets where both want the
/// processor, so that it goes on, and who waits for an answer seldom waits for it.
#[cfg(target_os = "linux")]
const BEHIND: i32 = 5;

/// How much less urgent work is that the other background work goes before: it gets a tenth of what that gets.
#[cfg(target_os = "linux")]
const FAR_BEHIND: i32 = 10;

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
