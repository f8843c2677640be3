//! `weft bench hook`: what a hook costs an agent, beside starting a program that does nothing and beside scripts that do the same.

mod report;
mod runs;
mod scene;

use std::fs::{File, OpenOptions};
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
use scene::Moment;

const EXAMPLES: &str = "\
Every program is started with a payload on standard input, in turn, round after round; what counts is the time from the start to \
its end. Scripts and the hook that only reports are told of a tool call, the hooks that decide of what they answer: a stop of a loop \
that goes on, a compaction, and a session that comes back. A script takes part where its programs are found.

Examples:
  weft bench hook
  weft bench hook --iterations 500 --dir /var/tmp --json
  weft bench hook --stored 10000";

/// Hooks that are started at once.
const CROWD: usize = 100;

/// Measure what hooks cost, those that decide among them, beside a shell script and a Python program
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// How many rounds; what counts is the median of what two are to each other in the same round
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..))]
    iterations: u32,
    /// How many records each store has before
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(1..))]
    stored: u64,
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
    let work = scene::repository(folder.join("work"))?;
    let served = scene::store(folder.join("served"), args.stored)?;
    let alone = scene::store(folder.join("alone"), args.stored)?;
    // What is left to be written of two million records is none of the hooks' business.
    rustix::fs::sync();
    let server = Server::start(&served, ([127, 0, 0, 1], 0).into())?;
    for store in [&served, &alone] {
        scene::begin_loop(store, &work)?;
    }
    let programs = runs::programs(&served, &alone, folder)?;
    check_answers(&programs, &work)?;
    server.rest()?;
    let mut file = OpenOptions::new().append(true).create(true).open(folder.join("synced"))?;
    let mut times: Vec<Vec<Duration>> = programs.iter().map(|_| Vec::new()).collect();
    let mut syncs = Vec::new();
    for round in 0..args.iterations {
        // Another begins each time, so that none always has the same one before it.
        for turn in 0..programs.len() {
            let idx = (turn + round as usize) % programs.len();
            let payload = programs[idx].moment.payload(&round.to_string(), &work);
            times[idx].push(time(&programs[idx], &payload)?);
        }
        syncs.push(sync(&mut file, &Moment::ToolCall.payload("sync", &work))?);
    }
    let crowds = [
        crowd(&programs, WEFT_SERVED, "crowd with a server", &work)?,
        crowd(&programs, WEFT_ALONE, "crowd without", &work)?,
    ];
    drop(server);
    for store in [&served, &alone] {
        let (n_kept, expected) = (n_records(store)?, n_expected(args));
        anyhow::ensure!(
            n_kept == expected,
            "{n_kept} of {expected} records are in {}",
            store.display()
        );
    }
    let mut report = Report::new(args.iterations, args.stored, crowds);
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

/// Sees to it that the hooks that decide do: one that has nothing to say is measured for nothing.
fn check_answers(programs: &[Program], work: &Path) -> anyhow::Result<()> {
    for program in programs {
        let wanted = match program.moment {
            Moment::ToolCall | Moment::PreCompact => continue,
            Moment::Stop => r#""decision":"block""#,
            Moment::SessionStart => "additionalContext",
        };
        let answer = program.answer(&program.moment.payload("check", work))?;
        anyhow::ensure!(answer.contains(wanted), "{} answers `{answer}`", program.name);
    }
    Ok(())
}

/// Returns how many records a store has at the end: what was there, the loop and what began it, every hook with what it posts, one
/// round of those that were checked, and the crowd.
fn n_expected(args: &Args) -> u64 {
    let rounds = u64::from(args.iterations);
    let decided: u64 = Moment::DECIDED.iter().map(|moment| 1 + moment.n_posted()).sum();
    let n_checked = 2 + Moment::Stop.n_posted();
    args.stored + 2 + rounds * (1 + decided) + n_checked + CROWD as u64
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
fn crowd(programs: &[Program], name: &str, id: &str, work: &Path) -> anyhow::Result<Duration> {
    let program = programs.iter().find(|program| program.name == name);
    let program = program.context("weft takes part")?;
    let start = Instant::now();
    let mut children = Vec::new();
    for n in 0..CROWD {
        let mut child = program.start()?;
        program.tell(&mut child, &program.moment.payload(&format!("{id}_{n}"), work))?;
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
