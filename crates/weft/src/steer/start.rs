//! `weft loop start`: a loop begins, for this session or for the first one of this folder that stops.

use std::env;
use std::io::{self, IsTerminal as _, Read as _};
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context as _;
use weft_event::idle::{Mode, RunId};
use weft_log::Store;
use weft_log::log::Condition;
use weft_log::query::Records;
use weft_runtime::git::Git;
use weft_runtime::judge::Rule;
use weft_runtime::loops::events::{About, Posting, began};
use weft_runtime::loops::state::{Budget, Marks, Terms};
use weft_runtime::loops::{Current, Frame, Kind, State, words};

use super::{Newest, SessionArgs, VIA, current_of, posts, prompt};
use crate::Outcome;
use crate::output::{print, tell};
use crate::posting::{Posted, post};
use crate::stores::{self, StoreArgs};
use crate::times::now_ns;

/// Iterations in a row that may change nothing, where nothing is said.
const PATIENCE: u64 = 3;

/// Begin a loop
#[derive(clap::Args)]
pub(super) struct Args {
    /// What is to be done; - reads it from standard input
    #[arg(value_name = "PROMPT|-")]
    prompt: String,
    /// The last iteration
    #[arg(long, value_name = "N", default_value_t = Mode::Loop.default_max(), value_parser = clap::value_parser!(u64).range(1..))]
    max: u64,
    /// Begin it inside the loop that runs, which goes on after it
    #[arg(long)]
    nest: bool,
    #[command(flatten)]
    terms: TermArgs,
    #[command(flatten)]
    session: SessionArgs,
}

/// What a loop ends by, beside its last iteration.
#[derive(clap::Args)]
pub(crate) struct TermArgs {
    /// A command that has to go well before the work is done; can be given more than once
    #[arg(long, value_name = "COMMAND")]
    until: Vec<String>,
    /// How long each of those may take: 90s, 10m
    #[arg(long, value_name = "TIME", requires = "until", value_parser = duration)]
    until_time: Option<Duration>,
    /// End it after this time: 90m, 2h
    #[arg(long, value_name = "TIME", value_parser = duration)]
    time: Option<Duration>,
    /// End it after so many tokens
    #[arg(long, value_name = "N")]
    tokens: Option<u64>,
    /// End it after so many US dollars
    #[arg(long, value_name = "USD")]
    cost: Option<f64>,
    /// End it after so many iterations in a row that changed nothing; 0 for no such end
    #[arg(long, value_name = "N", default_value_t = PATIENCE)]
    patience: u64,
    /// Have the commit reviewed before the work is done: see `weft loop review`
    #[arg(long)]
    review: bool,
}

impl TermArgs {
    /// Returns them for a frame that begins now.
    pub(super) fn terms(&self, now_ns: i64) -> Terms {
        let rule = |(idx, line): (usize, &String)| {
            let mut rule = Rule::shell(format!("until-{}", idx + 1), line);
            rule.timeout_s = self.until_time.map(|time| time.as_secs());
            rule
        };
        Terms {
            until: self.until.iter().enumerate().map(rule).collect(),
            budget: Budget {
                tokens: self.tokens,
                cost_usd: self.cost,
                seconds: self.time.map(|time| time.as_secs()),
            },
            patience: (self.patience > 0).then_some(self.patience),
            review: self.review,
            started_at_ns: Some(now_ns),
        }
    }
}

/// A frame that begins, and its prompt.
pub(crate) struct Begun {
    pub(crate) frame: Frame,
    pub(crate) prompt: String,
}

/// What is done where a loop runs already.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Around {
    /// Nothing begins.
    Refuse,
    /// It begins inside.
    Nest,
}

pub(super) fn run(args: Args, store: &StoreArgs) -> anyhow::Result<Outcome> {
    let prompt = match args.prompt.as_str() {
        "-" => read_stdin()?,
        text => text.to_owned(),
    };
    anyhow::ensure!(!prompt.trim().is_empty(), "there is no prompt: say what is to be done");
    let store = store.make()?;
    let now_ns = now_ns();
    let id = run_id(Mode::Loop, now_ns);
    let frame = Frame {
        prompt_file: prompt::path(&store, &id)?,
        id,
        kind: Kind::Loop,
        iter: 1,
        max: args.max,
        terms: args.terms.terms(now_ns),
        marks: Marks::default(),
    };
    let around = if args.nest { Around::Nest } else { Around::Refuse };
    begin(&store, &args.session, around, vec![Begun { frame, prompt }])
}

/// Returns the id of a run that begins.
pub(super) fn run_id(mode: Mode, now_ns: i64) -> String {
    let started = u64::try_from(now_ns / 1_000_000_000).unwrap_or(0);
    RunId { mode, started, pid: std::process::id() }.to_string()
}

/// Begins frames, from the outermost, and says so.
pub(super) fn begin(
    store: &Store,
    session: &SessionArgs,
    around: Around,
    frames: Vec<Begun>,
) -> anyhow::Result<Outcome> {
    let session = session.id();
    let now_ns = now_ns();
    let key = session.clone().unwrap_or_default();
    stores::settle(store)?;
    let newest = Newest::of(&mut Records::open(store.clone())?, &key)?;
    let first = frames.first().map_or(String::new(), |begun| begun.frame.id.clone());
    let mut state = match newest.current {
        Current::Running(running) if around == Around::Nest => {
            let mut outer = *running;
            outer.updated_at_ns = now_ns;
            outer.last_stop = None;
            outer
        }
        Current::Running(running) => {
            tell(format_args!(
                "a loop runs already ({}): `weft loop cancel` ends it, and --nest begins one inside it",
                running.run_id
            ));
            return Ok(Outcome::Found);
        }
        Current::None | Current::Broken { .. } => State::new(first, now_ns, Vec::new()),
    };
    state.session_id = session;
    state.project = Some(project()?);
    state.stack.extend(frames.iter().map(|begun| begun.frame.clone()));
    let session_id = state.session_id.as_deref();
    let about = About { run_id: &state.run_id, session_id, now_ns, judged: None };
    let mut postings = vec![Posting::state(&state)];
    for begun in &frames {
        prompt::write(store, &begun.frame.prompt_file, &begun.prompt)?;
        postings.push(began(&begun.frame, &begun.prompt, &about));
    }
    let condition = Condition { topic: current_of(&key), last: newest.last };
    match post(store, VIA, &posts(postings, &key), &[condition])? {
        Posted::Kept(_) => {
            let whose = match &state.session_id {
                Some(session) => format!("session {session}"),
                None => "the first session of this folder that stops".to_owned(),
            };
            let task = state.top().map(words::task).unwrap_or_default();
            print(format!("{} began, for {whose}\n{task}\n", state.run_id).as_bytes())?;
            Ok(Outcome::Fine)
        }
        Posted::Condition { .. } => {
            tell(format_args!("another loop began at the same time: see `weft loop status`"));
            Ok(Outcome::Found)
        }
    }
}

/// Returns the work tree that the command runs in, or the folder.
pub(super) fn project() -> anyhow::Result<PathBuf> {
    let here = env::current_dir().context("cannot tell the current folder")?;
    Ok(Git::at(&here).root().unwrap_or(here))
}

fn read_stdin() -> anyhow::Result<String> {
    if io::stdin().is_terminal() {
        anyhow::bail!("nothing to read: pipe the prompt in, or write it in quotes");
    }
    let mut text = String::new();
    io::stdin().lock().read_to_string(&mut text).context("cannot read standard input")?;
    Ok(text)
}

/// Reads a time such as 90s, 10m or 2h.
fn duration(text: &str) -> Result<Duration, &'static str> {
    let wrong = "a number with s, m, h or d, such as 90m";
    let unit = text.chars().last().ok_or(wrong)?;
    let number = text.strip_suffix(unit).and_then(|number| number.parse::<u64>().ok());
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 60 * 60,
        'd' => 24 * 60 * 60,
        _ => return Err(wrong),
    };
    number.and_then(|number| number.checked_mul(seconds)).map(Duration::from_secs).ok_or(wrong)
}
