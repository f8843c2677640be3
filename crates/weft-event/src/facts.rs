//! Facts: what Weft reads off any event, whatever its dialect.

pub(crate) mod carried;
mod json;
pub(crate) mod name;

use std::borrow::Cow;
use std::fmt;

use crate::json::{Kind, Value};
use crate::shape::text_enum;
use crate::taxonomy::Outcome;
use crate::{Dialect, Identity, time};

text_enum! {
    /// What an actor is doing, in the eight words of the collector document.
    pub enum Status {
        /// It began.
        Started = "started",
        /// It reasons.
        Thinking = "thinking",
        /// It runs a tool.
        ToolUse = "tool_use",
        /// It got somewhere.
        Progress = "progress",
        /// It waits for something that should come by itself, or for an answer.
        Waiting = "waiting",
        /// It cannot go on without help.
        Blocked = "blocked",
        /// It finished.
        Completed = "completed",
        /// It failed.
        Error = "error",
    }
}

text_enum! {
    /// How loud an event is.
    pub enum Level {
        /// For whoever debugs the producer.
        Debug = "debug",
        /// Ordinary.
        Info = "info",
        /// Something that may need a look.
        Warn = "warn",
        /// Something failed.
        Error = "error",
    }
}

/// The facts of one event. Borrowed from its line wherever no escape has to be decoded.
#[derive(Clone, Debug)]
pub struct Facts<'a> {
    /// The dialect it was read in.
    pub dialect: Dialect,
    /// Its type, by the dialect's own name.
    pub event_type: Cow<'a, str>,
    /// When it happened, in nanoseconds since 1970, by the producer's clock.
    pub time_ns: Option<i64>,
    /// Whoever it is about: agent, worker, component, run.
    pub actor: Option<Cow<'a, str>>,
    /// Another actor that it names and says something about.
    pub subject: Option<Cow<'a, str>>,
    /// The actor that started this one.
    pub parent: Option<Cow<'a, str>>,
    /// The session it belongs to.
    pub session: Option<Cow<'a, str>>,
    /// The tenant it belongs to.
    pub tenant: Option<Cow<'a, str>>,
    /// Its number in the producer's own order.
    pub order: Option<u64>,
    /// What makes a repeat of it.
    pub identity: Identity<'a>,
    /// The status it gives the actor; `None` leaves it as it was.
    pub status: Option<Status>,
    /// Whether the actor is gone after it.
    pub ended: bool,
    /// How loud it is.
    pub level: Level,
    /// How far the work is, from 0 to 1.
    pub progress: Option<f64>,
    /// The tool it is about.
    pub tool: Option<Cow<'a, str>>,
    /// The file it is about.
    pub path: Option<Cow<'a, str>>,
    /// How long what it reports took, in milliseconds.
    pub duration_ms: Option<u64>,
    /// What it says to a person.
    pub message: Option<Cow<'a, str>>,
    /// The trace it belongs to.
    pub trace: Option<Cow<'a, str>>,
    /// Its span in the trace.
    pub span: Option<Cow<'a, str>>,
    /// The span above its own.
    pub parent_span: Option<Cow<'a, str>>,
    /// The piece of work it is about: bead, issue, step, task, job.
    pub task: Option<Cow<'a, str>>,
    /// What it used up.
    pub usage: Option<Box<Usage<'a>>>,
    /// The topic it is posted to.
    pub topic: Option<Cow<'a, str>>,
}

/// What an event says was used up.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Usage<'a> {
    /// Tokens read, without those from a cache.
    pub input_tokens: Option<u64>,
    /// Tokens written.
    pub output_tokens: Option<u64>,
    /// Tokens read from a cache.
    pub cache_read_tokens: Option<u64>,
    /// Tokens written to a cache.
    pub cache_write_tokens: Option<u64>,
    /// All tokens, where only the sum is known.
    pub total_tokens: Option<u64>,
    /// What it cost, in US dollars.
    pub cost_usd: Option<f64>,
    /// How much of a budget is used, in the budget's own unit.
    pub used: Option<f64>,
    /// How much the budget allows, in the same unit.
    pub limit: Option<f64>,
    /// The model.
    pub model: Option<Cow<'a, str>>,
    /// The model's provider.
    pub provider: Option<Cow<'a, str>>,
}

impl<'a> Facts<'a> {
    /// Returns facts that say nothing but dialect and type.
    #[inline(always)]
    pub(crate) fn new(dialect: Dialect, event_type: Cow<'a, str>) -> Self {
        Self {
            dialect,
            event_type,
            time_ns: None,
            actor: None,
            subject: None,
            parent: None,
            session: None,
            tenant: None,
            order: None,
            // Not the constant, which is copied as a whole.
            identity: Identity { own: None, retry: None },
            status: None,
            ended: false,
            level: Level::Info,
            progress: None,
            tool: None,
            path: None,
            duration_ms: None,
            message: None,
            trace: None,
            span: None,
            parent_span: None,
            task: None,
            usage: None,
            topic: None,
        }
    }

    /// Returns the facts that are there, by name, as text for a person.
    pub fn rows(&self) -> Vec<(&'static str, String)> {
        let mut rows = vec![("type", self.event_type.to_string())];
        let mut add = |name, value: Option<String>| rows.extend(value.map(|value| (name, value)));
        let text = |value: &Option<Cow<'_, str>>| value.as_ref().map(ToString::to_string);
        add("time", self.time_ns.map(time::format_rfc3339));
        add("actor", text(&self.actor));
        add("subject", text(&self.subject));
        add("parent", text(&self.parent));
        add("session", text(&self.session));
        add("tenant", text(&self.tenant));
        add("order", self.order.map(|order| order.to_string()));
        add("identity", self.identity.own.as_ref().map(ToString::to_string));
        add("retry key", self.identity.retry.as_ref().map(ToString::to_string));
        add("status", self.status.map(|status| status.as_str().to_owned()));
        add("ended", self.ended.then(|| "yes".to_owned()));
        add("level", Some(self.level.as_str().to_owned()));
        add("progress", self.progress.map(|progress| progress.to_string()));
        add("tool", text(&self.tool));
        add("path", text(&self.path));
        add("duration", self.duration_ms.map(|ms| format!("{ms} ms")));
        add("message", text(&self.message));
        add("trace", text(&self.trace));
        add("span", text(&self.span));
        add("parent span", text(&self.parent_span));
        add("task", text(&self.task));
        add("usage", self.usage.as_ref().map(ToString::to_string));
        add("topic", text(&self.topic));
        rows
    }

    /// Takes the type from its name, and status and end from the dialect's row for it.
    #[inline(never)]
    pub(crate) fn set_type(&mut self, name: Option<Value<'a>>) {
        if let Some(name) = name {
            self.set_name(name);
            self.set_outcome(self.dialect.taxonomy().outcome_of(name));
        }
    }

    /// Takes the type from its name, and status and end from the dialect's row of this number, which is that of the type.
    #[inline(never)]
    pub(crate) fn set_type_of_row(&mut self, name: Option<Value<'a>>, row: usize) {
        if let Some(name) = name {
            self.set_name(name);
            self.set_outcome(self.dialect.taxonomy().outcome_at(row));
        }
    }

    #[inline]
    fn set_name(&mut self, name: Value<'a>) {
        match name.plain_text() {
            Some(text) => self.event_type = Cow::Borrowed(text),
            None => self.event_type = name.as_text().unwrap_or_default(),
        }
    }

    /// Takes status and end from the dialect's row for the event's type.
    pub(crate) fn set_type_defaults(&mut self) {
        self.set_outcome(self.dialect.taxonomy().outcome(&self.event_type));
    }

    #[inline]
    fn set_outcome(&mut self, outcome: Option<Outcome>) {
        if let Some(Outcome { status, ends }) = outcome {
            self.status = status;
            self.ended = ends;
        }
    }
}

impl<'a> Usage<'a> {
    /// Reads what an object says was used up, by names in snake case or camel case; `None` if the value is no object.
    pub(crate) fn read(usage: Value<'a>) -> Option<Box<Self>> {
        if usage.kind() != Kind::Object {
            return None;
        }
        let mut read = Box::<Self>::default();
        for (key, member) in usage.members() {
            match key.listed_name() {
                name::INPUT_TOKENS | name::INPUT_TOKENS_CAMEL => {
                    read.input_tokens = member.as_u64();
                }
                name::OUTPUT_TOKENS | name::OUTPUT_TOKENS_CAMEL => {
                    read.output_tokens = member.as_u64();
                }
                name::CACHE_READ_TOKENS | name::CACHE_READ_TOKENS_CAMEL => {
                    read.cache_read_tokens = member.as_u64();
                }
                name::CACHE_WRITE_TOKENS | name::CACHE_WRITE_TOKENS_CAMEL => {
                    read.cache_write_tokens = member.as_u64();
                }
                name::TOTAL_TOKENS | name::TOTAL_TOKENS_CAMEL => {
                    read.total_tokens = member.as_u64();
                }
                name::COST_USD | name::COST_USD_CAMEL => read.cost_usd = member.as_f64(),
                name::USED => read.used = member.as_f64(),
                name::LIMIT => read.limit = member.as_f64(),
                name::MODEL => read.model = member.as_text(),
                name::PROVIDER => read.provider = member.as_text(),
                _ => {}
            }
        }
        Some(read)
    }
}

impl fmt::Display for Usage<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tokens = [
            ("in", self.input_tokens),
            ("out", self.output_tokens),
            ("cache read", self.cache_read_tokens),
            ("cache write", self.cache_write_tokens),
            ("total", self.total_tokens),
        ];
        let mut parts: Vec<String> =
            tokens.iter().filter_map(|(name, n)| n.map(|n| format!("{n} tokens {name}"))).collect();
        parts.extend(self.cost_usd.map(|cost| format!("{cost} USD")));
        parts.extend(self.used.map(|used| format!("{used} used")));
        parts.extend(self.limit.map(|limit| format!("limit {limit}")));
        parts.extend(self.model.as_ref().map(|model| format!("model {model}")));
        parts.extend(self.provider.as_ref().map(|provider| format!("provider {provider}")));
        f.write_str(&parts.join(", "))
    }
}

/// Reads a duration in milliseconds, cutting a fraction off.
pub(crate) fn millis(value: Value<'_>) -> Option<u64> {
    value.as_u64().or_else(|| value.as_f64().filter(|ms| *ms >= 0.0).map(|ms| ms as u64))
}

/// Returns the file that a tool is given, by the names that tools have for it; a string if it is there.
pub(crate) fn input_path(input: Value<'_>) -> Option<Value<'_>> {
    let is_path = |key: Value<'_>| {
        matches!(key.listed_name(), name::FILE_PATH | name::NOTEBOOK_PATH | name::PATH)
    };
    let mut members = input.members();
    members.find(|(key, path)| is_path(*key) && path.is_string()).map(|(_, path)| path)
}
