//! The hooks that answer: a stop is decided, an anchor is left before a compaction, and an agent that comes back is told where it was.
//!
//! Whatever breaks here, the agent goes on as if there were no loop, and what broke is an event.

use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{env, fs};

use serde::Deserialize;
use weft_event::digest_parts;
use weft_event::idle::Topic;
use weft_log::Store;
use weft_log::lock::Lock;
use weft_log::log::Condition;
use weft_runtime::folder::fingerprint;
use weft_runtime::git::Git;
use weft_runtime::judge;
use weft_runtime::loops::anchor;
use weft_runtime::loops::control::pending;
use weft_runtime::loops::decide::{Change, Reply, Switch, Turn, Why};
use weft_runtime::loops::events::{self, About, Posting};
use weft_runtime::loops::state::Plan;
use weft_runtime::loops::{
    Current, Decision, Frame, Kind, Known, Question, State, Stop, decide, words,
};

use super::ahead::Ahead;
use super::delivery::InHand;
use super::look;
use super::reading::Reading;
use crate::output::tell;
use crate::posting::{Place, Post, Posted};
use crate::steer::{self, Begun, Newest, current_of, posts};
use crate::stores::{self, StoreArgs};

/// What switches loops off, for the agents that are started with it.
const SWITCHES: [&str; 2] = ["WEFT_LOOP_OFF", "IDLE_LOOP_DISABLE"];
/// How often in a row Claude Code lets an agent be told to go on, and what sets it to something else.
const BLOCKS_MAX: u64 = 8;
const BLOCKS_MAX_NAME: &str = "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP";

/// How often a stop is decided anew because somebody changed the loop meanwhile.
const TRIES_MAX: usize = 4;

/// What a hook that may be answered is told.
#[derive(Debug, Deserialize)]
struct Told {
    hook_event_name: String,
    session_id: String,
    #[serde(default)]
    cwd: Option<PathBuf>,
    #[serde(default)]
    agent_id: Option<String>,
    #[serde(default)]
    prompt_id: Option<String>,
    #[serde(default)]
    stop_hook_active: bool,
    #[serde(default)]
    last_assistant_message: Option<String>,
    #[serde(default)]
    source: Option<String>,
}

/// Returns what the agent is answered; none if there is nothing to say.
pub(super) fn answer(
    (payload, event): (&[u8], &mut InHand<'_>),
    folder: &Path,
    now_ns: i64,
    ahead: Ahead,
) -> anyhow::Result<Option<String>> {
    let told: Told = serde_json::from_slice(payload)?;
    // A subagent has no loop of its own, and a store without a log no loop at all.
    if told.agent_id.is_some() || !Store::at(folder).has_log() {
        return Ok(None);
    }
    match told.hook_event_name.as_str() {
        "Stop" => stop_unless_overtaken((&told, event), &stores::open(folder)?, now_ns, ahead),
        "PreCompact" => pre_compact((&told, event), &stores::open(folder)?, now_ns, ahead),
        "SessionStart" => session_start((&told, event), &stores::open(folder)?, now_ns, ahead),
        _ => Ok(None),
    }
}

/// Decides what becomes of a stop, again where somebody has changed the loop meanwhile.
fn stop_unless_overtaken(
    (told, event): (&Told, &mut InHand<'_>),
    store: &Store,
    now_ns: i64,
    mut ahead: Ahead,
) -> anyhow::Result<Option<String>> {
    for _ in 0..TRIES_MAX {
        let begun = std::mem::replace(&mut ahead, Ahead::None);
        if let Stopped::Decided(said) = stop((told, event), store, now_ns, begun)? {
            return Ok(said);
        }
    }
    anyhow::bail!("somebody else changed the loop {TRIES_MAX} times meanwhile")
}

/// What became of a stop.
enum Stopped {
    /// It is decided, and this is said.
    Decided(Option<String>),
    /// The loop is another by now: another hook of the same stop was faster, or somebody changed it.
    Overtaken,
}

/// Decides what becomes of a stop.
fn stop(
    (told, event): (&Told, &mut InHand<'_>),
    store: &Store,
    now_ns: i64,
    ahead: Ahead,
) -> anyhow::Result<Stopped> {
    let mut reading = Reading::begin(store, &told.session_id, now_ns, event)?;
    let newest = newest(told, &mut reading)?;
    let (run_id, asked) = match &newest.current {
        Current::Running(state) => (state.run_id.clone(), reading.asked(now_ns)?),
        Current::Broken { run_id, .. } => (run_id.clone().unwrap_or_default(), Vec::new()),
        Current::None => return Ok(Stopped::Decided(None)),
    };
    let message = told.last_assistant_message.as_deref().unwrap_or_default();
    let parts = [message, told.prompt_id.as_deref().unwrap_or_default()].map(str::as_bytes);
    let id: String = digest_parts(&parts).iter().map(|byte| format!("{byte:02x}")).collect();
    let is_off = |name: &&str| env::var_os(name).is_some_and(|it| !it.is_empty() && it != "0");
    let stop = Stop {
        now_ns,
        switch: if SWITCHES.iter().any(is_off) { Switch::Off } else { Switch::On },
        current: &newest.current,
        asked: pending(&asked, &run_id, &told.session_id, now_ns),
        message,
        id: &id,
        turn: if told.stop_hook_active { Turn::Continued } else { Turn::Begun },
        blocks_max: blocks_max(),
    };
    let (known, begun, plan) = (Known::default(), None, None);
    let mut sought = Sought { told, store, event, ahead, known, begun, plan };
    let mut decision = loop {
        match decide(&stop, &sought.known) {
            Ok(decision) => break decision,
            Err(question) => sought.look_up(question, &newest.current, &mut reading)?,
        }
    };
    sought.note_plan(&mut decision);
    let Sought { known, begun, event, .. } = sought;
    // A loop that goes on as it was, and that nothing is asked of: all that the next stop has to know is in its state.
    let is_plain = newest.key == told.session_id && begun.is_none() && asked.is_empty();
    let beside = reading.last_beside().filter(|_| is_plain && event.is_alone());
    if let Change::State(state) = &mut decision.change {
        state.decided_at = beside;
    }
    let (session_id, judged) = (Some(told.session_id.as_str()), known.judged.as_ref());
    let about = About { run_id: &run_id, session_id, now_ns, judged };
    let mut postings = events::of_decision(&decision, &newest.current, &about);
    if let Some(begun) = &begun {
        postings.push(events::began(&begun.frame, &begun.prompt, &about));
    }
    let frame = match &decision.change {
        Change::State(state) => state.top(),
        Change::None | Change::Done(_) | Change::Abort(_) => None,
    };
    if let Some(frame) = frame.filter(|frame| !frame.prompt_file.exists()) {
        steer::restore_prompt(reading.records()?, frame)?;
    }
    let is_state = matches!(decision.change, Change::State(_));
    let is_left = is_state
        && beside.is_some()
        && leave(event, store, &reading, &posts(postings.clone(), &newest.key))?;
    if !is_left
        && !postings.is_empty()
        && let Posted::Condition { .. } =
            post(event, reading, (&newest, &decision), postings, &told.session_id)?
    {
        return Ok(Stopped::Overtaken);
    }
    if let Some(Kind::Issue { issue_id, .. }) = frame.map(|frame| &frame.kind) {
        renew(issue_id, told, store);
    }
    Ok(Stopped::Decided(said(&decision)))
}

/// Leaves what was decided in the spool, if the store can be had at once and has nothing newer; returns whether it did.
fn leave(
    event: &mut InHand<'_>,
    store: &Store,
    reading: &Reading,
    posts: &[Post],
) -> anyhow::Result<bool> {
    // Whoever has it may be about to write a state: only the log puts both in order.
    let Ok(lock) = Lock::take(store.root(), &stores::owner(), Duration::ZERO) else {
        return Ok(false);
    };
    let is_newest = reading.is_newest()?;
    if is_newest {
        event.leave(store, posts)?;
    }
    drop(lock);
    Ok(is_newest)
}

/// Puts what was decided into the log, unless that has another state by now.
fn post(
    event: &mut InHand<'_>,
    mut reading: Reading,
    (newest, decision): (&Newest, &Decision),
    postings: Vec<Posting>,
    session_id: &str,
) -> anyhow::Result<Posted> {
    let Some(newest) = reading.in_log(newest)? else {
        return Ok(Posted::Condition { topic: current_of(&newest.key), actual: None });
    };
    let (all, conditions) = placed(postings, (&newest, decision), session_id, &mut reading)?;
    event.post(place(reading), &all, &conditions)
}

/// Returns where to post once nothing more is looked up.
fn place(reading: Reading) -> Place {
    let store = reading.store().clone();
    let records = reading.into_records();
    records.map_or(Place::Store(store), |records| Place::Records(Box::new(records)))
}

/// Claims the next issue of the grind that a loop is about.
fn next_issue(state: &State, told: &Told, store: &Store) -> anyhow::Result<Option<Begun>> {
    let grind = state.stack.iter().rev().find_map(|frame| match &frame.kind {
        Kind::Grind { filter } => Some((filter, frame)),
        Kind::Loop | Kind::Issue { .. } => None,
    });
    let Some((filter, _)) = grind else { return Ok(None) };
    // What the last issue had to meet, the next one has to.
    let terms = state.top().map(|frame| frame.terms.clone()).unwrap_or_default();
    let project = state.project.clone().or_else(|| told.cwd.clone()).unwrap_or_default();
    let stores = StoreArgs::of(Some(store.root().to_owned()));
    steer::next_issue(&stores, filter, &told.session_id, &project, &terms)
}

/// Keeps the claim on the issue that is worked on. A loop does not end because it cannot be kept.
fn renew(issue_id: &str, told: &Told, store: &Store) {
    let stores = StoreArgs::of(Some(store.root().to_owned()));
    if let Err(error) = steer::renew(&stores, issue_id, &told.session_id) {
        tell(format_args!("note: the claim on {issue_id} is not renewed: {error:#}"));
    }
}

/// Returns the newest state of a session: its own, or one that waits for the first session of its folder.
fn newest(told: &Told, reading: &mut Reading) -> anyhow::Result<Newest> {
    let own = reading.newest()?;
    if own.current != Current::None {
        return Ok(own);
    }
    let waiting = reading.unclaimed()?;
    let is_here = |state: &State| match (&state.project, &told.cwd) {
        (Some(project), Some(cwd)) => cwd.starts_with(project),
        (None, _) | (_, None) => false,
    };
    match &waiting.current {
        Current::Running(state) if is_here(state) => Ok(waiting),
        Current::Running(_) | Current::None | Current::Broken { .. } => Ok(own),
    }
}

/// Returns what is posted, with its place, and what has to be so for it.
fn placed(
    mut postings: Vec<Posting>,
    (newest, decision): (&Newest, &Decision),
    session_id: &str,
    reading: &mut Reading,
) -> anyhow::Result<(Vec<Post>, Vec<Condition>)> {
    let mut conditions = vec![Condition { topic: current_of(&newest.key), last: newest.last }];
    let Some(first) = adopt(newest, decision, session_id, &mut postings) else {
        return Ok((posts(postings, &newest.key), conditions));
    };
    let last = Newest::of(reading.records()?, session_id)?.last;
    conditions.push(Condition { topic: current_of(session_id), last });
    let mut all = posts(vec![first], &newest.key);
    all.extend(posts(postings, session_id));
    Ok((all, conditions))
}

/// Gives a loop that waited to the session that took it up. Returns what takes it away from where it waited.
fn adopt(
    newest: &Newest,
    decision: &Decision,
    session_id: &str,
    postings: &mut [Posting],
) -> Option<Posting> {
    let (Current::Running(waiting), Change::State(state)) = (&newest.current, &decision.change)
    else {
        return None;
    };
    if newest.key == session_id {
        return None;
    }
    let mut taken = state.as_ref().clone();
    taken.session_id = Some(session_id.to_owned());
    *postings.first_mut()? = Posting::state(&taken);
    let mut left = waiting.as_ref().clone();
    left.stack.clear();
    Some(Posting::state(&left))
}

/// What is looked up for a decision, and what comes of it.
struct Sought<'a, 'e> {
    told: &'a Told,
    store: &'a Store,
    event: &'a mut InHand<'e>,
    ahead: Ahead,
    known: Known,
    /// The next issue, once it is claimed.
    begun: Option<Begun>,
    /// The plan of the frame at work, by its id.
    plan: Option<(String, Plan)>,
}

impl Sought<'_, '_> {
    /// Looks up what a decision needs.
    fn look_up(
        &mut self,
        question: Question,
        current: &Current,
        reading: &mut Reading,
    ) -> anyhow::Result<()> {
        let (Current::Running(state), told, store) = (current, self.told, self.store) else {
            anyhow::bail!("a loop that cannot be read asks for something");
        };
        let Some(frame) = state.top() else {
            anyhow::bail!("a loop without frames asks for something");
        };
        let folder = steer::work_folder(state, told.cwd.as_deref());
        let known = &mut self.known;
        // All but the look may take long, and an event must not be lost with a hook that is given up meanwhile.
        if question != Question::Look {
            self.event.deliver();
        }
        match question {
            Question::Spent => known.spent = Some(steer::spent(store, state, &told.session_id)?),
            Question::Look => {
                let steps = look::steps(frame, &told.session_id, reading)?;
                self.event.is_alone();
                let work = self.ahead.fingerprint(&folder, self.event).or_else(|| {
                    self.event.deliver();
                    fingerprint(&folder, store.root())
                });
                let look = steps.with_work(work);
                known.look = Some(look.text);
                self.plan = Some((frame.id.clone(), look.plan));
            }
            Question::Judge => known.judged = Some(judge::judge(&frame.terms.until, &folder)),
            Question::Review => known.review = Some(steer::reviewed(store, &Git::at(&folder))?),
            Question::NextIssue => {
                self.begun = next_issue(state, told, store)?;
                known.next_issue = Some(self.begun.as_ref().map(|begun| begun.frame.clone()));
            }
        }
        Ok(())
    }

    /// Leaves in the state that is posted how far its plan is known.
    fn note_plan(&self, decision: &mut Decision) {
        let (Some((frame_id, plan)), Change::State(state)) = (&self.plan, &mut decision.change)
        else {
            return;
        };
        if let Some(frame) = state.stack.iter_mut().find(|frame| frame.id == *frame_id) {
            frame.marks.plan = Some(*plan);
        }
    }
}

fn blocks_max() -> Option<u64> {
    let set = env::var(BLOCKS_MAX_NAME).ok().and_then(|text| text.parse().ok());
    Some(set.unwrap_or(BLOCKS_MAX)).filter(|blocks_max| *blocks_max > 0)
}

/// Returns what is said of a decision: to the agent if it is to go on, to the person if a loop ended or waits.
fn said(decision: &Decision) -> Option<String> {
    let told = match (decision.reply, &decision.change, &decision.why) {
        (Reply::GoOn, Change::State(state), why) => {
            serde_json::json!({"decision": "block", "reason": words::instruction(why, state)})
        }
        (Reply::LetGo, _, Why::Paused(_) | Why::Stale | Why::ClientLimit)
        | (Reply::LetGo, Change::Done(_) | Change::Abort(_), _) => {
            let why = words::shown(&decision.why);
            serde_json::json!({"systemMessage": format!("Weft let the loop go: {why}.")})
        }
        (Reply::LetGo | Reply::GoOn, _, _) => return None,
    };
    Some(told.to_string())
}

/// Leaves an anchor before everything is forgotten.
fn pre_compact(
    (told, event): (&Told, &mut InHand<'_>),
    store: &Store,
    now_ns: i64,
    ahead: Ahead,
) -> anyhow::Result<Option<String>> {
    let mut reading = Reading::begin(store, &told.session_id, now_ns, event)?;
    let Current::Running(state) = reading.newest()?.current else {
        return Ok(None);
    };
    let Some(frame) = state.top() else { return Ok(None) };
    let prompt = prompt(&mut reading, frame)?;
    event.is_alone();
    let work = ahead.work(&steer::work_folder(&state, told.cwd.as_deref()), event);
    if let Some(line) = anchor::write(&state, &prompt, &work, now_ns) {
        let posting = Posting { topic: Topic::LoopAnchor, key: None, line };
        let posts = posts(vec![posting], &told.session_id);
        if event.is_alone() && reading.last_beside().is_some() {
            event.leave(store, &posts)?;
        } else {
            event.post(place(reading), &posts, &[])?;
        }
    }
    Ok(None)
}

/// Returns the prompt of a frame.
fn prompt(reading: &mut Reading, frame: &Frame) -> anyhow::Result<String> {
    match fs::read_to_string(&frame.prompt_file) {
        Ok(prompt) => Ok(prompt),
        Err(_unreadable) => Ok(steer::read_prompt(reading.records()?, frame)),
    }
}

/// Tells an agent that comes back to a loop where it was.
fn session_start(
    (told, event): (&Told, &mut InHand<'_>),
    store: &Store,
    now_ns: i64,
    ahead: Ahead,
) -> anyhow::Result<Option<String>> {
    if told.source.as_deref() == Some("clear") {
        return Ok(None);
    }
    let mut reading = Reading::begin(store, &told.session_id, now_ns, event)?;
    let Current::Running(state) = reading.newest()?.current else {
        return Ok(None);
    };
    let Some(frame) = state.top() else { return Ok(None) };
    if weft_event::idle::is_stale(state.updated_at_ns, now_ns) {
        return Ok(None);
    }
    let prompt = prompt(&mut reading, frame)?;
    if !frame.prompt_file.exists() {
        steer::restore_prompt(reading.records()?, frame)?;
    }
    let work = ahead.work(&steer::work_folder(&state, told.cwd.as_deref()), event);
    let Some(context) = anchor::context(&state, &prompt, &work) else { return Ok(None) };
    let output = serde_json::json!({
        "hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": context}
    });
    Ok(Some(output.to_string()))
}

/// Returns the event that says that nothing could be decided.
pub(super) fn failure(payload: &[u8], error: &anyhow::Error, now_ns: i64) -> String {
    let told: Option<Told> = serde_json::from_slice(payload).ok();
    let session_id = told.map_or(String::new(), |told| told.session_id);
    let short: String = session_id.chars().take(8).collect();
    serde_json::json!({
        "version": "1.0.0",
        "event_id": uuid::Uuid::now_v7().to_string(),
        "timestamp": weft_event::time::format_rfc3339(now_ns),
        "event_type": "system.error",
        "source": "hook",
        "agent_id": format!("session-{short}"),
        "session_id": session_id,
        "status": "error",
        "message": format!("Weft could not decide about the loop: {error:#}"),
    })
    .to_string()
}
