//! `weft bench hook`: what a hook costs an agent, beside starting a program that does nothing and beside scripts that do the same.

mod report;
mod runs;

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use weft_log::Filter;

use super::server::Server;
use crate::stores::StoreArgs;
use crate::{Outcome, output, records};
use report::Report;
use runs::{FLOOR, Program, SYNC, TRUE, WEFT_ALONE, WEFT_SERVED};

const EXAMPLES: &str = "\
Every program is started with the same payload of a tool call on standard input, in turn, round after round; what counts is the \
time from the start to its end. A script takes part where its programs are found.

Examples:
  weft bench hook
  weft bench hook --iterations 500 --dir /var/tmp --json";

/// Hooks that are started at once.
const CROWD: usize = 100;

/// Measure what a hook costs, beside a shell script and a Python program
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// How many rounds; what counts is the median of what two are to each other in the same round
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..))]
    iterations: u32,
    /// Where to write; the disk that is measured [default: the folder for temporary files]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Print one JSON object instead of a table
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let dir = args.dir.clone().unwrap_or_else(std::env::temp_dir);
    let scratch = tempfile::tempdir_in(&dir)
        .with_context(|| format!("cannot make a folder in {}", dir.display()))?;
    let folder = scratch.path();
    let stores = [WEFT_SERVED, WEFT_ALONE].map(|name| folder.join(name.replace([' ', ','], "-")));
    let [served, alone] = &stores;
    for store in &stores {
        fs::create_dir(store)?;
    }
    let server = Server::start(served, ([127, 0, 0, 1], 0).into())?;
    let programs = runs::programs(served, alone, folder)?;
    let mut file = OpenOptions::new().append(true).create(true).open(folder.join("synced"))?;
    let mut times: Vec<Vec<Duration>> = programs.iter().map(|_| Vec::new()).collect();
    let mut syncs = Vec::new();
    for round in 0..args.iterations {
        // Another begins each time, so that none always has the same one before it.
        for turn in 0..programs.len() {
            let idx = (turn + round as usize) % programs.len();
            times[idx].push(time(&programs[idx], &payload(&round.to_string()))?);
        }
        syncs.push(sync(&mut file, &payload("sync"))?);
    }
    let crowds = [
        crowd(&programs, WEFT_SERVED, "crowd with a server")?,
        crowd(&programs, WEFT_ALONE, "crowd without")?,
    ];
    drop(server);
    let expected = u64::from(args.iterations) + CROWD as u64;
    for store in &stores {
        let n_kept = n_records(store)?;
        anyhow::ensure!(
            n_kept == expected,
            "{n_kept} of {expected} hooks are in {}",
            store.display()
        );
    }
    let mut report = Report::new(args.iterations, crowds);
    report.add(SYNC, "append one line, and make the disk have it", syncs.iter().copied());
    for (program, times) in programs.iter().zip(times) {
        if program.name == TRUE {
            let floor = times.iter().zip(&syncs).map(|(start, sync)| *start + *sync);
            report.add(FLOOR, "both, one after the other", floor);
        }
        report.add(program.name, program.about, times);
    }
    let text = if args.json { report.to_json() } else { report.to_table() };
    output::print(text.as_bytes())?;
    Ok(Outcome::Fine)
}

/// Returns what Claude Code says before a tool call.
fn payload(id: &str) -> String {
    format!(
        r#"{{"session_id":"7c1e9a52-3f0d-4b86-9e21-5ad40c77b318","transcript_path":"/home/ana/.claude/projects/-home-ana-harbor/7c1e9a52-3f0d-4b86-9e21-5ad40c77b318.jsonl","cwd":"/home/ana/harbor","prompt_id":"b2d95f1e-0c44-4a7b-8f13-9e6d2c5a7b10","permission_mode":"default","effort":{{"level":"high"}},"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{{"command":"cargo test -p tide -- --nocapture","description":"Run the tide tests"}},"tool_use_id":"toolu_{id}"}}
"#
    )
}

/// Returns how long a program takes from its start to its end.
fn time(program: &Program, payload: &str) -> anyhow::Result<Duration> {
    let start = Instant::now();
    let mut child = program.start()?;
    program.tell(&mut child, payload)?;
    let ended = child.wait()?;
    let took = start.elapsed();
    anyhow::ensure!(ended.success(), "{} failed", program.name);
    Ok(took)
}

/// Returns how long a line takes to the disk.
fn sync(file: &mut File, line: &str) -> io::Result<Duration> {
    let start = Instant::now();
    file.write_all(line.as_bytes())?;
    file.sync_data()?;
    Ok(start.elapsed())
}

/// Starts many hooks at once, and returns how long it takes until all are gone.
fn crowd(programs: &[Program], name: &str, id: &str) -> anyhow::Result<Duration> {
    let program = programs.iter().find(|program| program.name == name);
    let program = program.context("weft takes part")?;
    let start = Instant::now();
    let mut children = Vec::new();
    for n in 0..CROWD {
        let mut child = program.start()?;
        program.tell(&mut child, &payload(&format!("{id}_{n}")))?;
        children.push(child);
    }
    for mut child in children {
        anyhow::ensure!(child.wait()?.success(), "{name} failed");
    }
    Ok(start.elapsed())
}

fn n_records(store: &Path) -> anyhow::Result<u64> {
    let records = records::open(&StoreArgs::of(Some(store.to_owned())), &Filter::all())?;
    Ok(records.index().context("the store has an index")?.stats()?.n_records)
}
