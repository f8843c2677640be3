//! Codex's rollouts: `rollout-<time>-<thread>.jsonl`, one for each thread.
//!
//! Rows have no ids. An event is known by its turn, by what it says and how often that was said before, so that a thread that begins
//! with the history of another, as forks and subagents do, tells nothing twice. Where rows say from which number on they are the
//! thread's own, those before it are passed over.

mod item;
mod message;
mod said;

use std::borrow::Cow;

use super::Client;
use super::calls::Calls;
use super::draft::{Scene, Type, Used};
use super::row::{self, count};
use super::tokens::Tokens;
use crate::json::{Json, Kind, Object, Value};
use crate::time::{self, MILLI_NS};
use said::{By, Said};

/// Characters of a thread's id at the end of a file's name.
const THREAD_CHARS: usize = 36;

/// What is remembered of a rollout.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Reader {
    thread: Option<String>,
    /// The session, where it is not the thread itself.
    session: Option<String>,
    /// The thread that the history at the beginning is from.
    forked_from: Option<String>,
    is_subagent: bool,
    /// The number of the first row that is not inherited.
    own_from: u64,
    is_begun: bool,
    turn: Option<String>,
    /// How many turns have begun, as long as none has an id.
    n_unnamed: u64,
    model: Option<String>,
    provider: Option<String>,
    /// The sum of what the thread has used up.
    total: Option<Tokens>,
    calls: Calls,
    said: Said,
}

impl Reader {
    pub(super) fn new(stem: &str) -> Self {
        // A thread that was taken back has the id of its rollout after its own.
        let stem = stem.split('_').next().unwrap_or_default();
        let at = stem.len().saturating_sub(THREAD_CHARS);
        let thread = stem.get(at..).filter(|id| id.len() == THREAD_CHARS).map(str::to_owned);
        Self { thread, ..Self::default() }
    }

    /// Reads a row. Those of kinds that tell nothing of what the agent does are passed over, and so are those nobody knows.
    pub(super) fn read(&mut self, row: Value<'_>, events: &mut Vec<String>) {
        let (Some(kind), Some(payload)) = (row::text(row, "type"), row.get("payload")) else {
            return;
        };
        let Some((time, time_ns)) = row::time(row) else { return };
        let is_own = row.get("ordinal").and_then(Value::as_u64).is_none_or(|n| n >= self.own_from);
        if kind == "session_meta" && !self.is_begun {
            self.read_meta(payload);
        }
        let mut inherited = Vec::new();
        let events = if is_own { events } else { &mut inherited };
        self.note_turn(&kind, payload);
        let Some(scene) = self.scene(time, time_ns) else { return };
        match &*kind {
            "session_meta" => self.begin(payload, &scene, events),
            "response_item" => self.read_item(payload, &scene, events),
            "event_msg" => self.read_message(payload, &scene, events),
            "compacted" => {
                let said = payload.text_at("message").unwrap_or_default();
                if let Some(id) = self.say(&scene, By::Item, "compacted", &said) {
                    scene.draft(Type::Progress, id, "Compacted").write(&scene, events);
                }
            }
            _ => {}
        }
    }

    fn read_meta(&mut self, meta: Value<'_>) {
        let said = |name: &str| row::id(meta, name).map(Cow::into_owned);
        self.thread = said("id").or(self.thread.take());
        self.session = said("session_id").filter(|id| Some(id) != self.thread.as_ref());
        self.forked_from = said("forked_from_id");
        self.is_subagent = said("parent_thread_id").is_some();
        self.own_from = count(meta, "subagent_history_start_ordinal");
        self.provider = said("model_provider");
    }

    /// Notes which turn the next rows are of, and which model answers.
    fn note_turn(&mut self, kind: &str, payload: Value<'_>) {
        let begins = match kind {
            "turn_context" => true,
            "event_msg" => {
                let kind = payload.text_at("type").unwrap_or_default();
                matches!(&*kind, "task_started" | "turn_started")
            }
            _ => false,
        };
        if !begins {
            return;
        }
        match row::id(payload, "turn_id") {
            Some(turn) if self.turn.as_deref() != Some(&turn) => {
                self.turn = Some(turn.into_owned());
                self.said.clear();
            }
            None if self.turn.is_none() => {
                self.n_unnamed = self.n_unnamed.saturating_add(1);
                self.said.clear();
            }
            Some(_) | None => {}
        }
        self.model = row::id(payload, "model").map(Cow::into_owned).or(self.model.take());
    }

    fn scene(&self, time: String, time_ns: i64) -> Option<Scene<'static>> {
        let thread = self.thread.clone()?;
        let origin = self.forked_from.clone().filter(|_| self.is_inherited());
        // A copy of a row has the time of copying. That of its turn is nearer to its own, should nobody else tell of it.
        let turn_ns = self.turn.as_deref().filter(|_| origin.is_some()).and_then(made_ns);
        let (time, time_ns) = match turn_ns {
            Some(turn_ns) => (time::format_rfc3339(turn_ns), turn_ns),
            None => (time, time_ns),
        };
        let session = origin.or_else(|| self.session.clone()).unwrap_or_else(|| thread.clone());
        Some(Scene {
            client: Client::Codex,
            session: Cow::Owned(session),
            agent: self.is_subagent.then_some(Cow::Owned(thread)),
            prompt: self.turn.clone().map(Cow::Owned),
            time: Cow::Owned(time),
            time_ns,
        })
    }

    /// Returns whether the turn is older than the thread, and so another's. Both ids begin with the time they were made at.
    fn is_inherited(&self) -> bool {
        let is_timed = |id: &str| made_ns(id).is_some();
        match (&self.turn, &self.thread) {
            (Some(turn), Some(thread)) => is_timed(turn) && is_timed(thread) && turn < thread,
            (Some(_) | None, _) => false,
        }
    }

    /// Tells the beginning of the thread; the next row of the kind is that of another thread, and part of its history.
    fn begin(&mut self, meta: Value<'_>, scene: &Scene<'_>, events: &mut Vec<String>) {
        if std::mem::replace(&mut self.is_begun, true) {
            return;
        }
        let said = |name: &str| row::text(meta, name);
        let branch = meta.get("git").and_then(|git| row::text(git, "branch"));
        scene
            .started()
            .with("cwd", said("cwd"))
            .with("git_branch", branch)
            .with("client_version", said("cli_version"))
            .with("entrypoint", said("source"))
            .with("forked_from", said("forked_from_id"))
            .write(scene, events);
    }

    /// Tells what was used up since that was last told. The same sum comes again whenever limits are told.
    fn count(&mut self, info: Value<'_>, scene: &Scene<'_>, events: &mut Vec<String>) {
        let total = info.get("total_token_usage").and_then(tokens);
        let last = info.get("last_token_usage").and_then(tokens);
        let Some(sum) = total.or(last) else { return };
        let new = match (self.total, last) {
            (Some(before), _) if before == sum && total.is_some() => return,
            (Some(before), _) if sum.total() >= before.total() && total.is_some() => {
                sum.beyond(before)
            }
            // The first sum of a fork has what the other thread used up.
            (None, Some(last)) if self.forked_from.is_some() => last,
            (None, _) => sum,
            (Some(_), last) => last.unwrap_or(sum),
        };
        self.total = total.or(self.total);
        if new.is_none() {
            return;
        }
        let id = self.id(scene, "usage", sum.json().as_str());
        let provider = match self.provider.as_deref() {
            None | Some("openai") => "openai",
            Some(_) => "other",
        };
        let model = self.model.as_deref().map(Cow::Borrowed);
        let used = Used { model, provider, told_by: "token_count" };
        let window = info.get("model_context_window").and_then(Value::as_u64).map(Json::integer);
        scene.usage(id, new, &used).with_json("context_window", window).write(scene, events);
    }

    /// Returns the id of something that happens at most once in this turn.
    fn id(&self, scene: &Scene<'_>, kind: &str, what: &str) -> [u8; 16] {
        match &self.turn {
            Some(turn) => scene.id(&[kind, turn, what]),
            None => {
                let thread = self.forked_from.as_deref().or(self.thread.as_deref());
                let n = self.n_unnamed.to_string();
                scene.id(&[kind, thread.unwrap_or_default(), &n, what])
            }
        }
    }

    /// Returns the id of something that is said in this turn, as often as that may be; `None` if a row of the other kind has told it.
    fn say(&mut self, scene: &Scene<'_>, by: By, kind: &str, said: &str) -> Option<[u8; 16]> {
        let n_before = self.said.count(by, kind, said)?;
        Some(self.id(scene, &format!("{kind} {n_before}"), said))
    }

    pub(super) fn keep_sums(&mut self, before: &Self) {
        self.total = before.total;
    }

    pub(super) fn save(&self, object: &mut Object<'_>) {
        let texts = [
            ("thread", &self.thread),
            ("session", &self.session),
            ("forked_from", &self.forked_from),
            ("turn", &self.turn),
            ("model", &self.model),
            ("provider", &self.provider),
        ];
        for (name, text) in texts {
            text.iter().for_each(|text| object.text(name, text));
        }
        object.json("is_subagent", &Json::bool(self.is_subagent));
        object.json("is_begun", &Json::bool(self.is_begun));
        object.json("own_from", &Json::integer(self.own_from));
        object.json("n_unnamed", &Json::integer(self.n_unnamed));
        self.total.iter().for_each(|total| object.json("total", &total.json()));
        self.calls.save(object);
        self.said.save(object);
    }

    pub(super) fn resume(&mut self, state: Value<'_>) -> Option<()> {
        let said = |name: &str| state.text_at(name).map(Cow::into_owned);
        self.thread = said("thread").or(self.thread.take());
        (self.session, self.forked_from) = (said("session"), said("forked_from"));
        (self.turn, self.model) = (said("turn"), said("model"));
        self.provider = said("provider");
        self.is_subagent = state.get("is_subagent")?.as_bool()?;
        self.is_begun = state.get("is_begun")?.as_bool()?;
        self.own_from = state.get("own_from")?.as_u64()?;
        self.n_unnamed = state.get("n_unnamed")?.as_u64()?;
        self.total = match state.get("total") {
            Some(total) => Some(Tokens::of_json(total)?),
            None => None,
        };
        self.calls = Calls::resume(state)?;
        self.said = Said::resume(state)?;
        Some(())
    }
}

/// Returns when an id was made, in nanoseconds since 1970, if it says so: the first half of a UUID of version 7 is milliseconds.
fn made_ns(id: &str) -> Option<i64> {
    let bytes = id.as_bytes();
    if bytes.len() != THREAD_CHARS || !id.is_ascii() || bytes[14] != b'7' {
        return None;
    }
    let ms = i64::from_str_radix(&format!("{}{}", &id[..8], &id[9..13]), 16).ok()?;
    ms.checked_mul(MILLI_NS)
}

/// Reads counts in which what comes from a cache is a part of what is read.
fn tokens(usage: Value<'_>) -> Option<Tokens> {
    if usage.kind() != Kind::Object {
        return None;
    }
    let cache_read = count(usage, "cached_input_tokens");
    let cache_write = count(usage, "cache_write_input_tokens");
    let read = count(usage, "input_tokens");
    Some(Tokens {
        input: read.saturating_sub(cache_read).saturating_sub(cache_write),
        output: count(usage, "output_tokens"),
        cache_read,
        cache_write,
        reasoning: count(usage, "reasoning_output_tokens"),
    })
}
