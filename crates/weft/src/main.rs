//! The `weft` command: arguments in, an exit code out. What is worth a unit test lives in the libraries.

mod anchor;
mod bench;
mod cli;
mod clients;
mod columns;
mod completions;
mod config;
mod convert;
mod demo;
mod digest;
mod doctor;
mod emit;
mod explain;
mod export;
mod follow;
mod gaps;
mod gauge;
mod hook;
mod hooks;
mod import;
mod ingest;
mod init;
mod inputs;
mod issue;
mod land;
mod log;
mod mcp;
mod merge;
mod notify;
mod output;
mod post;
mod posting;
mod progress;
mod prune;
mod read;
mod records;
mod reindex;
mod rejects;
mod reply;
mod resume;
mod scan;
mod schema;
mod search;
mod service;
mod session;
mod settings_file;
mod show;
mod signals;
mod sql;
mod stats;
mod status;
mod steer;
mod stores;
mod sub;
mod table;
mod tail;
mod taxonomy;
mod thread;
mod times;
mod token;
mod top;
mod topic;
mod trace;
mod up;
mod validate;
mod verify;
mod views;
mod watch;
mod worktree;
mod writing;

use std::io;
use std::process::ExitCode;

use clap::Parser as _;

/// Where the C library is musl, its own allocator has one lock for all threads.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How a command that ran to its end turned out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// All is well.
    Fine,
    /// It found something to tell about the input.
    Found,
    /// Some of the input could not be read; the reasons are told already.
    Unreadable,
}

fn main() -> ExitCode {
    if let Some(code) = hook::run_if_asked() {
        return code;
    }
    let outcome = cli::Cli::parse().command.run();
    let code = match outcome {
        Ok(Outcome::Fine) => 0,
        Ok(Outcome::Found) => 1,
        Ok(Outcome::Unreadable) => 2,
        Err(error) if is_closed_pipe(&error) => 0,
        Err(error) => {
            output::tell_error(&error);
            2
        }
    };
    ExitCode::from(code)
}

/// Whoever reads our output has seen enough, as `head` does.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let error = error.downcast_ref::<io::Error>();
    error.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
