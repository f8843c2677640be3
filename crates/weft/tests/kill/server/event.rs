//! Events of all five dialects, one of them without an identity, each with the producer and the number that tell it apart.

use serde_json::Value;

/// Whose event it is, and which.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Event {
    pub(crate) producer: u64,
    pub(crate) number: u64,
}

impl Event {
    /// Writes it. Its number says of which dialect it is.
    pub(crate) fn line(self) -> String {
        let Self { producer, number } = self;
        let session = self.session();
        match number % 5 {
            0 => format!(
                r#"{{"schema":0,"event":"DONE","reason":"COMPLETE","stack":[],"test":"{session}/{number}"}}"#
            ),
            1 => format!(
                r#"{{"version":"1.0.0","event_type":"activity.progress","timestamp":"2026-11-15T12:00:00Z","agent_id":"@a","event_id":"{producer:08x}-0000-4000-8000-{number:012x}","session_id":"{session}","message":"{session}/{number}"}}"#
            ),
            2 => format!(
                r#"{{"version":"v1","event_id":"{session}/{number}","trace_id":"t","occurred_at":"2026-11-15T12:00:00Z","event_type":"agent.turn.started","tenant_id":"t","source":{{"component_type":"gateway","component_id":"g","transport":"internal"}},"routing":{{"agent_id":"a","session_id":"{session}","target":{{"platform":"mail","channel_id":"c"}}}},"payload":{{"turn_id":"u"}}}}"#
            ),
            3 => format!(
                r#"{{"id":"{session}/{number}","runId":"{session}","ts":1772481601371,"seq":{number},"type":"StateChanged","payload":{{"from":"IDLE","to":"RUNNING","reason":"start"}}}}"#
            ),
            _ => format!(
                r#"{{"schema_version":1,"timestamp":"2026-11-15T12:00:00.000Z","event_type":"bead.claimed","worker_id":"w","session_id":"{session}","sequence":{number},"data":{{"bead_id":"{session}/{number}"}}}}"#
            ),
        }
    }

    /// Reads whose event a line is; it must be one that was sent, to the byte.
    pub(crate) fn read(line: &str) -> Self {
        let event: Value = serde_json::from_str(line).unwrap();
        let places = ["/test", "/message", "/id", "/event_id", "/data/bead_id"];
        let texts = places.iter().filter_map(|place| event.pointer(place)?.as_str());
        let told = texts.filter_map(|text| text.strip_prefix("session-")?.split_once('/')).next();
        let (producer, number) = told.unwrap_or_else(|| panic!("nobody sent {line}"));
        let (producer, number) = (producer.parse().unwrap(), number.parse().unwrap());
        let read = Self { producer, number };
        assert_eq!(line, read.line(), "a line is not what was sent");
        read
    }

    /// Returns the session that all events of a producer name, but those without a place for it.
    pub(crate) fn session(self) -> String {
        format!("session-{}", self.producer)
    }

    /// Returns within what it is delivered in order.
    pub(crate) fn lane(self) -> String {
        match self.number % 5 {
            0 => "nobody".to_owned(),
            2 => format!("t/{}", self.session()),
            _ => self.session(),
        }
    }
}
