//! The server's own log: one JSON object a line on stderr, from a level on.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::Context as _;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber, level_filters::LevelFilter};
use weft_event::json::{Json, Object};

use crate::output::tell;

/// Where everything that happens in the server goes.
struct Journal {
    level: LevelFilter,
    /// The number of the next span. What a span says is not written.
    next_span: AtomicU64,
}

/// Writes everything from a level on to stderr.
pub(crate) fn start(level: LevelFilter) -> anyhow::Result<()> {
    let journal = Journal { level, next_span: AtomicU64::new(1) };
    tracing::subscriber::set_global_default(journal).context("cannot start the server's own log")
}

impl Subscriber for Journal {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= self.level && metadata.target().starts_with("weft")
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(self.level)
    }

    fn new_span(&self, _span: &Attributes<'_>) -> Id {
        Id::from_u64(self.next_span.fetch_add(1, Ordering::Relaxed))
    }

    fn record(&self, _span: &Id, _values: &Record<'_>) {}

    fn record_follows_from(&self, _span: &Id, _follows: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let line = Json::object(|object| {
            object.text("at", &jiff::Timestamp::now().to_string());
            object.text("level", event.metadata().level().as_str());
            object.text("from", event.metadata().target());
            event.record(&mut Fields { object });
        });
        tell(format_args!("{}", line.as_str()));
    }

    fn enter(&self, _span: &Id) {}

    fn exit(&self, _span: &Id) {}
}

/// Writes the fields of an event.
struct Fields<'a, 'o> {
    object: &'a mut Object<'o>,
}

impl Visit for Fields<'_, '_> {
    fn record_u64(&mut self, field: &Field, value: u64) {
        self.object.json(field.name(), &Json::integer(value));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.object.json(field.name(), &Json::integer(value));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.object.text(field.name(), value);
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.object.text(field.name(), &format!("{value:?}"));
    }
}
