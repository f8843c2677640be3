//! What steers agents: loops and what decides when they end, the commands that they are judged by, and git as they use it.
//!
//! Decisions are functions of what is known: the newest state, the time, what a command printed. What they need from the world
//! they ask for, and whoever calls them goes and looks. Nothing here speaks HTTP or draws.

pub mod folder;
pub mod git;
pub mod issues;
pub mod judge;
pub mod loops;
pub mod process;
pub mod topics;
pub mod worktree;
