//! Which hooks of an agent we ask for, and what the agent is to do in each.

use weft_event::hook::Caller;
use weft_event::json::Json;

use super::settings::Wanted;

/// The hook that makes a worktree instead of reporting one: whoever has it has to do the work.
const REPLACES: &str = "WorktreeCreate";

/// Hooks that an agent waits for, although nothing is answered: it may end right after them, and take with it whatever it does not
/// wait for.
const AWAITED: [&str; 3] = ["Stop", "StopFailure", "SessionEnd"];

/// How long a hook may take before the agent goes on without it, in seconds. It takes milliseconds.
const TIMEOUT_S: u32 = 10;

/// The same for the end of a session, where Claude Code allows 1.5 seconds unless more is asked for, and Codex 3 at most.
const END_TIMEOUT_S: u32 = 3;

/// Hooks that are answered where loops are run, and how long each may take, in seconds: a stop may run what a loop is judged by.
const ANSWERED: [(&str, u32); 3] = [("Stop", 600), ("PreCompact", 60), ("SessionStart", 60)];

/// What a hook is told that is to answer.
pub(super) const DECIDE: &str = "--decide";

/// What agents are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// That they report.
    Reports,
    /// That they also do as they are told.
    Loops,
}

/// Returns the hooks that an agent is to have. `program` runs, with `store` if one is named.
pub(super) fn wanted(
    caller: Caller,
    part: Part,
    program: &str,
    store: Option<&str>,
) -> Vec<Wanted> {
    let events = caller.hooks().iter().filter(|event| **event != REPLACES);
    let handler = |event: &str| match caller {
        Caller::ClaudeCode => claude_code(event, part, program, store),
        Caller::Codex => codex(event, program, store),
    };
    events.map(|event| Wanted { event, handler: handler(event) }).collect()
}

/// The program and its arguments apart, so that no shell is started.
fn claude_code(event: &str, part: Part, program: &str, store: Option<&str>) -> Json<'static> {
    let answered = ANSWERED.iter().find(|(name, _)| part == Part::Loops && *name == event);
    let mut args = arguments(Caller::ClaudeCode, store);
    args.extend(answered.map(|_| DECIDE));
    Json::object(|handler| {
        handler.text("type", "command");
        handler.text("command", program);
        handler.json("args", &Json::array(args.iter().map(|arg| Json::text(arg))));
        if answered.is_none() && !AWAITED.contains(&event) {
            handler.json("async", &Json::bool(true));
        }
        let timeout_s = answered.map_or_else(|| timeout_s(event), |(_, timeout_s)| *timeout_s);
        handler.json("timeout", &Json::integer(timeout_s));
    })
}

/// Codex runs a line in a shell, and some of its versions skip what is asynchronous.
fn codex(event: &str, program: &str, store: Option<&str>) -> Json<'static> {
    let mut command = quoted(program);
    for arg in arguments(Caller::Codex, store) {
        command.push(' ');
        command.push_str(&quoted(arg));
    }
    Json::object(|handler| {
        handler.text("type", "command");
        handler.text("command", &command);
        handler.json("timeout", &Json::integer(timeout_s(event)));
    })
}

fn arguments(caller: Caller, store: Option<&str>) -> Vec<&str> {
    let store = store.into_iter().flat_map(|store| ["--store", store]);
    ["hook", "--agent", caller.as_str()].into_iter().chain(store).collect()
}

fn timeout_s(event: &str) -> u32 {
    if event == "SessionEnd" { END_TIMEOUT_S } else { TIMEOUT_S }
}

/// Returns a text as one word of a shell.
pub(super) fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}
