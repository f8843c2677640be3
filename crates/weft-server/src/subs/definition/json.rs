//! Subscriptions as JSON: in the log, over HTTP, and on a terminal.

use std::time::Duration;

use weft_event::json::{Json, Kind as Shape, Object, Value};
use weft_event::time::parse_rfc3339;

use super::{Blobs, Definition, DefinitionError, Kind, Retry, SecretRef, State};

impl Definition {
    /// Writes the members of a subscription.
    pub fn write(&self, object: &mut Object<'_>) {
        object.text("name", &self.name);
        object.text("id", &self.id);
        object.json("round", &Json::integer(self.round));
        object.text("filter", &self.filter);
        object.json("start", &Json::integer(self.start));
        if self.replayed_upto > 0 {
            object.json("replayed_upto", &Json::integer(self.replayed_upto));
        }
        object.text("kind", self.kind.as_str());
        self.kind.write(object);
        match self.blobs {
            Blobs::Referenced => {}
            Blobs::Restored => object.json("blobs", &Json::bool(true)),
        }
        object.text("state", self.state.as_str());
        if let State::Paused { why: Some(why) } = &self.state {
            object.text("why", why);
        }
        object.json("retry", &Json::object(|object| self.retry.write(object)));
        object.text("created", &self.created());
    }

    /// Reads a subscription from the log.
    pub fn read(value: Value<'_>) -> Result<Self, DefinitionError> {
        let text = |field, wanted| {
            let text = value.text_at(field).map(std::borrow::Cow::into_owned);
            text.ok_or(DefinitionError::Member { field, wanted })
        };
        let number = |field, wanted| {
            let number = value.get(field).and_then(Value::as_u64);
            number.ok_or(DefinitionError::Member { field, wanted })
        };
        let state = match &*text("state", "active, paused or removed")? {
            "active" => State::Active,
            "paused" => State::Paused { why: value.text_at("why").map(Into::into) },
            "removed" => State::Removed,
            _ => {
                let wanted = "active, paused or removed";
                return Err(DefinitionError::Member { field: "state", wanted });
            }
        };
        let created = text("created", "a time")?;
        let wanted = "a time";
        let created_ns =
            parse_rfc3339(&created).ok_or(DefinitionError::Member { field: "created", wanted })?;
        Ok(Self {
            name: text("name", "the subscription's name")?,
            id: text("id", "a text")?,
            round: number("round", "a number")?,
            filter: text("filter", "a filter")?,
            start: number("start", "a position")?,
            replayed_upto: value.get("replayed_upto").and_then(Value::as_u64).unwrap_or(0),
            kind: Kind::read(value)?,
            blobs: Blobs::read(value)?,
            state,
            retry: value.get("retry").map_or(Ok(Retry::default()), Retry::read)?,
            created_ns,
        })
    }
}

impl Kind {
    fn write(&self, object: &mut Object<'_>) {
        match self {
            Self::Pull => {}
            Self::Webhook { url, secret } => {
                object.text("url", url);
                let secret = Json::object(|object| match secret {
                    SecretRef::Store => object.json("store", &Json::bool(true)),
                    SecretRef::File(path) => object.text("file", path),
                });
                object.json("secret", &secret);
            }
            Self::Otlp { url } => object.text("url", url),
            Self::Command { argv } => {
                object.json("command", &Json::array(argv.iter().map(|word| Json::text(word))));
            }
        }
    }

    /// Reads how events reach the subscriber: `kind` and what belongs to it.
    pub fn read(value: Value<'_>) -> Result<Self, DefinitionError> {
        let missing = |field, wanted| DefinitionError::Member { field, wanted };
        match value.text_at("kind").as_deref() {
            Some("pull") => Ok(Self::Pull),
            Some("webhook") => {
                let url = value.text_at("url").ok_or_else(|| missing("url", "an address"))?;
                let file = value.get("secret").and_then(|secret| secret.text_at("file"));
                let secret =
                    file.map_or(SecretRef::Store, |file| SecretRef::File(file.into_owned()));
                Ok(Self::Webhook { url: url.into_owned(), secret })
            }
            Some("otlp") => {
                let url = value.text_at("url").ok_or_else(|| missing("url", "an address"))?;
                Ok(Self::Otlp { url: url.into_owned() })
            }
            Some("command") => {
                let wanted = "an array of the program and its arguments";
                let words = value.get("command").ok_or_else(|| missing("command", wanted))?;
                let argv: Option<Vec<_>> =
                    words.items().map(|word| Some(word.as_text()?.into_owned())).collect();
                Ok(Self::Command { argv: argv.ok_or_else(|| missing("command", wanted))? })
            }
            Some(_) | None => Err(missing("kind", "pull, webhook, otlp or command")),
        }
    }
}

impl Blobs {
    /// Reads whether values are put back: `blobs`; they are not where nothing is said.
    pub fn read(value: Value<'_>) -> Result<Self, DefinitionError> {
        let Some(blobs) = value.get("blobs").filter(|blobs| blobs.kind() != Shape::Null) else {
            return Ok(Self::Referenced);
        };
        match blobs.as_bool() {
            Some(true) => Ok(Self::Restored),
            Some(false) => Ok(Self::Referenced),
            None => Err(DefinitionError::Member { field: "blobs", wanted: "true or false" }),
        }
    }
}

impl Retry {
    /// The names of its members.
    pub const MEMBERS: [&str; 5] =
        ["attempts_max", "backoff_min_ms", "backoff_max_ms", "timeout_ms", "parallel_max"];

    fn write(&self, object: &mut Object<'_>) {
        let ms = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        object.json("attempts_max", &Json::integer(self.attempts_max));
        object.json("backoff_min_ms", &Json::integer(ms(self.backoff_min)));
        object.json("backoff_max_ms", &Json::integer(ms(self.backoff_max)));
        object.json("timeout_ms", &Json::integer(ms(self.timeout)));
        object.json("parallel_max", &Json::integer(self.parallel_max as u64));
    }

    /// Reads how patiently events are delivered; what is not said is as by default.
    pub fn read(value: Value<'_>) -> Result<Self, DefinitionError> {
        let default = Self::default();
        let number = |field: &'static str| match value.get(field) {
            None => Ok(None),
            Some(value) => {
                let wanted = "a whole number";
                value.as_u64().map(Some).ok_or(DefinitionError::Number { field, wanted })
            }
        };
        let ms = |field, default| Ok(number(field)?.map_or(default, Duration::from_millis));
        let attempts_max = number("attempts_max")?;
        let parallel_max = number("parallel_max")?;
        Ok(Self {
            attempts_max: attempts_max
                .map_or(default.attempts_max, |n| u32::try_from(n).unwrap_or(u32::MAX)),
            backoff_min: ms("backoff_min_ms", default.backoff_min)?,
            backoff_max: ms("backoff_max_ms", default.backoff_max)?,
            timeout: ms("timeout_ms", default.timeout)?,
            parallel_max: parallel_max
                .map_or(default.parallel_max, |n| usize::try_from(n).unwrap_or(usize::MAX)),
        })
    }
}
