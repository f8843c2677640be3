//! Few heaps for all threads of the server, and none of them for what is large.
//!
//! The allocator of glibc gives each of a server's threads a heap of its own, and what is free in one is of no use to the others: such
//! holes were a third of what a server held. What is large it gets from the system and gives back to it, until the first such piece is
//! given back: from then on it keeps pieces up to that size among the small ones, and the holes that they leave. How many heaps there
//! are and what is large is settled when a program starts, by its environment.

use std::os::unix::process::CommandExt as _;
use std::process::Command;
use std::{env, fs};

use weft_server::serve::{ALLOCATOR, FEW_HEAPS};

/// Starts the program again in its own place, with few heaps. Goes on where that is done, where somebody else has told the allocator
/// something, where there is another one, and where it cannot be done.
pub(super) fn share() {
    if !cfg!(all(target_os = "linux", target_env = "gnu"))
        || env::var_os(ALLOCATOR).is_some()
        || !keeps_environment()
    {
        return;
    }
    let Ok(program) = env::current_exe() else { return };
    let mut again = Command::new(program);
    again.args(env::args_os().skip(1)).env(ALLOCATOR, FEW_HEAPS);
    if let Some(name) = env::args_os().next() {
        again.arg0(name);
    }
    // It comes back only if it failed, and a server with more heaps is as good, only larger.
    drop(again.exec());
}

/// Returns whether the program finds what it is given. One with rights of its own, such as to listen at port 443, has this variable
/// taken away by the C library, and would start itself again without end.
fn keeps_environment() -> bool {
    /// The key, in what the system tells a program of itself, of whether it has such rights.
    const SECURE: usize = 23;
    let Ok(told) = fs::read("/proc/self/auxv") else { return false };
    let (words, _) = told.as_chunks();
    let words: Vec<usize> = words.iter().map(|word| usize::from_ne_bytes(*word)).collect();
    words.chunks_exact(2).any(|pair| pair == [SECURE, 0])
}
