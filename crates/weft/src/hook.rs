//! `weft hook`: what an agent hands to its hook goes to the server, or to the spool where none answers in time.
//!
//! An agent waits for it at every tool call. So it is decided before arguments are parsed, starts nothing, reads no settings, says
//! nothing on stdout, and ends with 0 whatever happens: another code would be an answer to the agent.

mod ahead;
mod decide;
mod delivery;
mod look;
mod reading;
mod stdin;

use std::env;
use std::ffi::OsString;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use weft_event::Dialect;
use weft_event::hook::{self, Around, Caller};
use weft_event::problem::{Code, Problem};
use weft_log::Store;
use weft_log::blobs::{
    Blobs, EVENT_BYTES_MAX, HOOK_VALUE_BYTES_MIN, ShrinkError, ShrinkRules, Which, shrink,
};
use weft_log::rejected::Kept;

use crate::output::{tell, tell_error};
use crate::stores::{self, StoreArgs};
use crate::{Outcome, config};
use ahead::Ahead;
use delivery::{Delivery, InHand};
use stdin::Payload;

/// The way in, as records and refusals have it.
pub(crate) const VIA: &str = "hook";

const NOTES: &str = "\
Examples:
  weft hook --agent claude-code < payload.json   do by hand what an agent does at every step

Agents run it; `weft hooks install` tells them to. It reads what the agent says from standard input, and leaves an event of the \
collector dialect: with the server that runs on the store, or in its spool if that does not answer within 50 ms.
Exit code: always 0, so that it never stands in an agent's way. What went wrong is a line on stderr.";

/// Take what an agent tells its hook
#[derive(clap::Args)]
#[command(after_help = NOTES)]
pub(crate) struct Args {
    #[command(flatten)]
    store: StoreArgs,
    /// The agent that calls, instead of telling it by what it says
    #[arg(long, value_name = "AGENT", value_parser = PossibleValuesParser::new(Caller::WORDS).map(|word| Caller::parse(&word).expect("only the names of agents pass")))]
    agent: Option<Caller>,
    /// Answer where an answer counts: whether the agent may stop, and where it was
    #[arg(long)]
    decide: bool,
}

/// Runs what `clap` has read. It gets to read only a call for help; this is for whoever makes a command line of the parsed arguments.
pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    let answers = if args.decide { Answers::Given } else { Answers::None };
    take(&Options { store: args.store, caller: args.agent, answers })?;
    Ok(Outcome::Fine)
}

/// Runs if the command line asks for it; `None` if it asks for something else, or for help.
pub(crate) fn run_if_asked() -> Option<ExitCode> {
    let mut args = env::args_os().skip(1);
    if args.next()? != "hook" {
        return None;
    }
    let args: Vec<OsString> = args.collect();
    if args.iter().any(|arg| arg == "--help" || arg == "-h") {
        return None;
    }
    // A panic would end with 101, which an agent shows to its user as a failed hook.
    let done = panic::catch_unwind(AssertUnwindSafe(|| take(&Options::read(args))));
    if let Ok(Err(error)) = done {
        tell_error(&error);
    }
    Some(ExitCode::SUCCESS)
}

/// Returns whether what was refused is what an agent told its hook, and not an event that was made of it.
pub(crate) fn is_payload(kept: &Kept) -> bool {
    kept.via == VIA && kept.with.dialect.is_none()
}

/// Returns the event of a payload that was refused before, as if the hook fired now with the time of then.
pub(crate) fn event_of(kept: &Kept, payload: &[u8]) -> Result<String, hook::HookError> {
    let caller = kept.origin.strip_prefix(VIA).and_then(|caller| caller.strip_prefix(':'));
    let around = Around { now_ns: kept.at_us.saturating_mul(1_000), traceparent: None };
    hook::to_event(payload, caller.and_then(Caller::parse), &around)
}

/// What the command line says.
struct Options {
    store: StoreArgs,
    caller: Option<Caller>,
    answers: Answers,
}

/// Whether the agent is answered.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Answers {
    /// Never.
    None,
    /// Where there is something to say.
    Given,
}

impl Options {
    /// Reads the arguments. One that is unknown is told: refused, it would keep an event out.
    fn read(args: Vec<OsString>) -> Self {
        let (store, caller) = (StoreArgs::of(None), None);
        let mut options = Self { store, caller, answers: Answers::None };
        let mut args = args.into_iter();
        while let Some(arg) = args.next() {
            let (name, value) = match split(&arg) {
                Some((name, value)) => (name, Some(value)),
                None => (arg, None),
            };
            let value = match name.to_str() {
                Some("--store" | "--agent") => value.or_else(|| args.next()),
                Some(_) | None => None,
            };
            match (name.to_str(), value) {
                (Some("--store"), Some(store)) => {
                    options.store = StoreArgs::of(Some(PathBuf::from(store)));
                }
                (Some("--agent"), Some(agent)) => options.set_caller(&agent),
                (Some("--decide"), None) => options.answers = Answers::Given,
                (_, _) => tell(format_args!("note: `{}` says nothing", name.to_string_lossy())),
            }
        }
        options
    }

    fn set_caller(&mut self, agent: &OsString) {
        self.caller = agent.to_str().and_then(Caller::parse);
        if self.caller.is_none() {
            let words = Caller::WORDS.join(", ");
            let agent = agent.to_string_lossy();
            tell(format_args!("note: no agent is named `{agent}`, only {words}"));
        }
    }
}

/// Splits `--name=value`.
fn split(arg: &OsString) -> Option<(OsString, OsString)> {
    let (name, value) = arg.to_str()?.split_once('=')?;
    Some((name.into(), value.into()))
}

/// Takes what is on standard input.
fn take(options: &Options) -> anyhow::Result<()> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let now_ns = i64::try_from(since.as_nanos()).unwrap_or(i64::MAX);
    let folder = options.store.folder().or_else(|_| stores::users_own())?;
    let traceparent = env::var("TRACEPARENT").ok();
    let around = Around { now_ns, traceparent: traceparent.as_deref() };
    let delivery = Delivery::new(&folder, now_ns / 1_000, options.caller);
    let payload = match stdin::read()? {
        Payload::Whole(payload) => payload,
        Payload::Cut(payload) => {
            let error = hook::HookError::TooLong { bytes: payload.len() };
            return delivery.keep_refused(payload, &error.problem());
        }
        Payload::None => anyhow::bail!(
            "nothing came on standard input: agents run this command, see `weft hooks install`"
        ),
    };
    // What the answer needs of git takes longest: git runs while everything else is done.
    let ahead = (options.answers == Answers::Given).then(|| Ahead::begin(&payload, &folder));
    let event = match hook::to_event(&payload, options.caller, &around) {
        Ok(event) => event,
        Err(error) => return delivery.keep_refused(payload, &error.problem()),
    };
    let packed = || hook::to_packed_event(&payload, options.caller, &around).ok();
    let mut event = match fit(event.into_bytes(), packed, &folder) {
        Ok(line) => InHand::new(delivery, line),
        Err(problem) => InHand::refused(delivery, payload.clone(), &problem),
    };
    let Some(ahead) = ahead else { return event.finish() };
    if !ahead.is_followed_by_posts() {
        event.deliver();
    }
    let answered = answer((&payload, &mut event), &folder, now_ns, ahead);
    let told = event.finish();
    answered.and(told)
}

/// Answers the agent. Whatever goes wrong, it goes on as if nobody had been asked, and what went wrong is an event.
fn answer(
    (payload, event): (&[u8], &mut InHand<'_>),
    folder: &Path,
    now_ns: i64,
    ahead: Ahead,
) -> anyhow::Result<()> {
    let asked = AssertUnwindSafe(|| decide::answer((payload, &mut *event), folder, now_ns, ahead));
    let error = match panic::catch_unwind(asked) {
        Ok(Ok(Some(answer))) => {
            crate::output::print(format!("{answer}\n").as_bytes())?;
            return Ok(());
        }
        Ok(Ok(None)) => return Ok(()),
        Ok(Err(error)) => error,
        Err(_panic) => anyhow::anyhow!("it panicked"),
    };
    event.deliver();
    let line = decide::failure(payload, &error, now_ns);
    Delivery::new(folder, now_ns / 1_000, None).deliver(line.as_bytes())?;
    Err(error.context("the loop could not be decided, and the agent goes its way"))
}

/// Moves large values to blobs, so that the event fits. Where they cannot be moved, the event goes as it is: the server tries too.
fn fit(
    line: Vec<u8>,
    packed: impl FnOnce() -> Option<String>,
    folder: &Path,
) -> Result<Vec<u8>, Problem> {
    if line.len() < HOOK_VALUE_BYTES_MIN {
        return Ok(line);
    }
    let store = config::redacting(Store::at(folder));
    let rules = ShrinkRules {
        redaction: store.redaction(),
        via: VIA,
        dialect: Dialect::Collector,
        event_bytes_max: EVENT_BYTES_MAX,
        which: Which::AllFrom { bytes: HOOK_VALUE_BYTES_MIN },
        stays: &|_| false,
    };
    let blobs = Blobs::new(store.blobs());
    let too_large = |error: &ShrinkError| Problem {
        code: Code::TooLarge,
        pointer: String::new(),
        message: error.to_string(),
    };
    let shrunk = match shrink(&line, &rules, &blobs) {
        Ok(shrunk) => shrunk.line.into_owned(),
        Err(error @ ShrinkError::TooLarge { .. }) => {
            let packed = packed().ok_or_else(|| too_large(&error))?;
            let shrunk = shrink(packed.as_bytes(), &rules, &blobs);
            shrunk.map_err(|error| too_large(&error))?.line.into_owned()
        }
        Err(error @ (ShrinkError::Blob(_) | ShrinkError::Syntax(_))) => {
            tell_error(&error.into());
            line
        }
    };
    Ok(shrunk)
}
