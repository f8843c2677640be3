//! What the terminal screen costs: how long its first picture takes on a log that is large, and how much of a core it needs while
//! events come.

mod terminal;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use weft_event::demo::World;
use weft_log::log::Indexing;
use weft_log::{Position, snapshots};

use super::Args;
use crate::bench::log::weft::{Secrets, Weft};
use crate::bench::measured::median;
use terminal::Terminal;

/// Every how long events are stored.
const BEAT: Duration = Duration::from_millis(10);
/// How far back the events that come are told to have happened, in nanoseconds.
const BACK_NS: i64 = 86_400_000_000_000;

/// What was measured.
pub(super) struct Top {
    pub(super) first: First,
    /// The same where there are no snapshots.
    pub(super) first_bare: First,
    pub(super) busy: Busy,
}

/// How long pictures take from the start on.
#[derive(Clone, Copy)]
pub(super) struct First {
    /// The first one.
    pub(super) picture: Duration,
    /// The first with something of the store in it.
    pub(super) open: Duration,
    /// The first with all that is in the store; not waited for where there are no snapshots.
    pub(super) whole: Option<Duration>,
}

/// What the screen did while events came.
pub(super) struct Busy {
    /// Events a second that were stored.
    pub(super) rate: f64,
    /// Cores used; `None` where the system does not tell.
    pub(super) cores: Option<f64>,
    /// Records that the picture was behind, at the worst of the moments looked at.
    pub(super) behind_max: u64,
    /// How long until the picture had all of them once no more came.
    pub(super) caught_up: Duration,
}

/// Which pictures are waited for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Upto {
    Open,
    Whole,
}

pub(super) fn measure(args: &Args, folder: &Path) -> anyhow::Result<Top> {
    let weft = Weft::open(folder)?;
    let first = firsts(args, || first(folder, Upto::Whole))?;
    let busy = busy(args, &weft, folder)?;
    let first_bare = firsts(args, || {
        // The screen leaves some on its way: each round begins without any.
        fs::remove_dir_all(folder.join(snapshots::FOLDER)).or_else(is_gone)?;
        self::first(folder, Upto::Open)
    })?;
    Ok(Top { first, first_bare, busy })
}

/// Returns the middle of what several rounds give.
fn firsts(args: &Args, round: impl Fn() -> anyhow::Result<First>) -> anyhow::Result<First> {
    let rounds = (0..args.iterations).map(|_| round());
    let rounds = rounds.collect::<anyhow::Result<Vec<First>>>()?;
    let middle = |of: fn(&First) -> Option<Duration>| {
        let middle = median(rounds.iter().filter_map(of).map(|took| took.as_secs_f64()));
        middle.map(Duration::from_secs_f64)
    };
    Ok(First {
        picture: middle(|first| Some(first.picture)).unwrap_or_default(),
        open: middle(|first| Some(first.open)).unwrap_or_default(),
        whole: middle(|first| first.whole),
    })
}

fn is_gone(error: std::io::Error) -> std::io::Result<()> {
    if error.kind() == std::io::ErrorKind::NotFound { Ok(()) } else { Err(error) }
}

fn top(folder: &Path) -> anyhow::Result<Terminal> {
    let program = std::env::current_exe().context("cannot tell which program this is")?;
    let mut command = Command::new(program);
    command.arg("top").arg("--store").arg(folder);
    Terminal::start(command)
}

fn first(folder: &Path, upto: Upto) -> anyhow::Result<First> {
    let terminal = top(folder)?;
    let is_framed = |lines: &[String]| {
        lines[0].contains("Fleet") && lines.last().is_some_and(|foot| foot.contains("details"))
    };
    let is_there = |lines: &[String]| {
        is_framed(lines)
            && (lines.iter().any(|line| line.contains("reading the log")) || place(lines).is_some())
    };
    let picture = terminal.wait_for("a picture", is_there)?;
    let open =
        terminal.wait_for("the store", |lines| is_framed(lines) && place(lines).is_some())?;
    let is_whole = |lines: &[String]| place(lines).is_some_and(|(taken, head)| taken == head);
    let whole = match upto {
        Upto::Open => None,
        Upto::Whole => Some(terminal.wait_for("all of the store", is_whole)?),
    };
    terminal.stop()?;
    Ok(First { picture, open, whole })
}

/// Returns the position up to which the picture goes, and the last of the log.
fn place(lines: &[String]) -> Option<(u64, u64)> {
    let (_, state) = lines.get(1)?.split_once("● live  ")?;
    let mut words = state.split_whitespace().map(|word| word.replace(',', ""));
    let (taken, of, head) = (words.next()?, words.next()?, words.next()?);
    (of == "of").then_some(())?;
    Some((taken.parse().ok()?, head.parse().ok()?))
}

/// Stores events at a steady rate, and looks at the screen meanwhile.
fn busy(args: &Args, weft: &Weft, folder: &Path) -> anyhow::Result<Busy> {
    let terminal = top(folder)?;
    let is_whole = |lines: &[String]| place(lines).is_some_and(|(taken, head)| taken == head);
    terminal.wait_for("all of the store", is_whole)?;
    let log = weft.log(Indexing::Meanwhile)?;
    let now_ns = jiff::Timestamp::now().as_nanosecond() as i64;
    let mut world = World::new(args.seed + 1, now_ns - BACK_NS).map(|moment| moment.line);
    let length = Duration::from_secs(args.seconds.into());
    let last = || log.last().map_or(0, Position::get);
    let (before, began, from) = (terminal.busy(), Instant::now(), last());
    let (mut n_stored, mut behind_max) = (0, 0);
    while began.elapsed() < length {
        let due = (began.elapsed().as_secs_f64() * f64::from(args.rate)) as usize;
        let events: Vec<String> = world.by_ref().take(due.saturating_sub(n_stored)).collect();
        n_stored += events.len();
        weft.produce_in_bulk(&log, &events, Secrets::Kept)?;
        if let Some((taken, _)) = place(&terminal.lines()) {
            behind_max = behind_max.max(last().saturating_sub(taken));
        }
        std::thread::park_timeout(BEAT);
    }
    let (took, after) = (began.elapsed(), terminal.busy());
    let end = last();
    let ended = Instant::now();
    terminal
        .wait_for("all that came", |lines| place(lines).is_some_and(|(taken, _)| taken >= end))?;
    let caught_up = ended.elapsed();
    terminal.stop()?;
    log.close()?;
    let cores = before
        .zip(after)
        .map(|(before, after)| after.saturating_sub(before).as_secs_f64() / took.as_secs_f64());
    Ok(Busy { rate: (end - from) as f64 / took.as_secs_f64(), cores, behind_max, caught_up })
}
