//! What is wrong with an event, or only unusual about it: one list, in the order found, with the place of each.

use std::fmt;

use crate::json::Value;

/// How bad a [`Problem`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// A deviation that is known from the field and accepted.
    Warning,
    /// The event is not valid in its dialect.
    Error,
}

impl Severity {
    /// Returns the word used in output.
    pub fn as_str(self) -> &'static str {
        match self {
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

macro_rules! codes {
    ($($(#[$about:meta])+ $severity:ident $name:ident = $text:literal $in_schema:ident;)+) => {
        /// The name of a kind of problem. Names are part of the interface: programs match on them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code { $($(#[$about])+ $name,)+ }

        impl Code {
            /// Every code.
            pub const ALL: &'static [Code] = &[$(Code::$name,)+];

            /// Returns the name.
            pub fn as_str(self) -> &'static str {
                match self { $(Code::$name => $text,)+ }
            }

            /// Returns how bad it is without `--strict`.
            pub fn severity(self) -> Severity {
                match self { $(Code::$name => Severity::$severity,)+ }
            }

            /// Returns whether the dialect's JSON Schema finds it too.
            pub fn is_in_schema(self) -> bool {
                match self { $(Code::$name => codes!(@$in_schema),)+ }
            }
        }
    };
    (@schema) => { true };
    (@beyond) => { false };
}

codes! {
    /// The line is not JSON.
    Error Json = "json" beyond;
    /// The file's last line ends inside a value.
    Error TornLine = "torn_line" beyond;
    /// The line is not UTF-8.
    Error Utf8 = "utf8" beyond;
    /// The file is UTF-16.
    Error Utf16 = "utf16" beyond;
    /// The line is longer than the limit.
    Error TooLong = "too_long" beyond;
    /// The event is larger than the log can store, whatever is moved out of it.
    Error TooLarge = "too_large" beyond;
    /// The line is nested deeper than the limit.
    Error TooDeep = "too_deep" beyond;
    /// A number does not fit a 64-bit float.
    Error NumberRange = "number_range" beyond;
    /// The line is JSON, but not an object.
    Error NotAnObject = "not_an_object" schema;
    /// A key stands twice in one object.
    Error DuplicateKey = "duplicate_key" beyond;
    /// The event has a top-level key that only the log may write.
    Error ReservedKey = "reserved_key" beyond;
    /// The event is of the dialect that only Weft itself writes.
    Error ReservedDialect = "reserved_dialect" beyond;
    /// No dialect has such a shape.
    Error UnknownDialect = "unknown_dialect" beyond;
    /// More than one dialect has such a shape.
    Error AmbiguousDialect = "ambiguous_dialect" beyond;
    /// A required field is missing.
    Error Missing = "missing" schema;
    /// A value is of the wrong JSON type.
    Error Type = "type" schema;
    /// A value is not one of the allowed ones.
    Error Enum = "enum" schema;
    /// A string does not have the demanded form.
    Error Pattern = "pattern" schema;
    /// A string is not in the named format.
    Error Format = "format" schema;
    /// A number is outside its range.
    Error Range = "range" schema;
    /// A string or list is too short or too long.
    Error Length = "length" schema;
    /// A field that the dialect forbids.
    Error UnknownField = "unknown_field" schema;
    /// The event is of a version that cannot be read.
    Error Version = "version" schema;
    /// The event is of another major version.
    Error ForeignVersion = "foreign_version" beyond;

    /// The bytes before the first line are a byte-order mark.
    Warning ByteOrderMark = "byte_order_mark" beyond;
    /// NUL bytes stand before the line.
    Warning NulBytes = "nul_bytes" beyond;
    /// idle: `schema` is 1 where the document says 0.
    Warning SchemaOne = "schema_one" schema;
    /// idle: an ANCHOR without `schema`.
    Warning AnchorWithoutSchema = "anchor_without_schema" schema;
    /// idle: DONE with the reason STUCK.
    Warning ReasonStuck = "reason_stuck" schema;
    /// idle: a run id that is not `mode-seconds-pid`.
    Warning RunId = "run_id" beyond;
    /// idle: a message whose body is an array of byte values.
    Warning BodyBytes = "body_bytes" beyond;
    /// idle: a trace whose producer did not know its loop's mode, and wrote it as the empty string.
    Warning TraceWithoutMode = "trace_without_mode" schema;
    /// collector: a newer minor version with a namespace or source this version does not know.
    Warning NewerMinor = "newer_minor" schema;
    /// collector: the explicit status is not the type's.
    Warning StatusMismatch = "status_mismatch" beyond;
    /// collector: a row of the old status table.
    Warning LegacyRow = "legacy_row" schema;
    /// pinchy: component type `provider`, which the document does not list.
    Warning ComponentProvider = "component_provider" schema;
    /// pinchy: the payload's field is of the wrong type.
    Warning PayloadType = "payload.type" beyond;
    /// pinchy: the payload's field is not one of the allowed values.
    Warning PayloadEnum = "payload.enum" beyond;
    /// pinchy: the payload lacks a field that identifies it.
    Warning PayloadMissing = "payload.missing" beyond;
    /// pinchy: the payload's field is not in the named format.
    Warning PayloadFormat = "payload.format" beyond;
    /// pinchy: an event over mutual TLS that does not say from which peer.
    Warning PeerIdentity = "peer_identity" beyond;
    /// pinchy: a producer that may retry gave no idempotency key.
    Warning NoIdempotencyKey = "no_idempotency_key" beyond;
    /// engine: an event type that is not one of the recommended.
    Warning UnknownType = "unknown_type" beyond;
    /// engine: an action that is not known, and is never executed.
    Warning UnknownAction = "unknown_action" beyond;
    /// engine: an action of no more than the base shape, which cannot be executed.
    Warning BareAction = "bare_action" schema;
    /// engine: `checkpoint.restore` with its key `id` twice.
    Warning CheckpointId = "checkpoint_id" beyond;
    /// needle: one of the two old shapes, which have no sequence.
    Warning LegacyShape = "legacy_shape" schema;
}

impl Code {
    /// Returns the code that a violation has inside a pinchy payload.
    fn in_payload(self) -> Code {
        match self {
            Code::Missing => Code::PayloadMissing,
            Code::Enum => Code::PayloadEnum,
            Code::Format | Code::Pattern | Code::Range | Code::Length => Code::PayloadFormat,
            Code::Type | Code::NotAnObject | Code::UnknownField => Code::PayloadType,
            other => other,
        }
    }
}

/// One thing found in one event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Which kind of problem.
    pub code: Code,
    /// JSON pointer to the value, or to where it is missing; empty for the whole line.
    pub pointer: String,
    /// What is wrong and what would be right, for a person.
    pub message: String,
}

impl Problem {
    /// Returns how bad it is without `--strict`.
    pub fn severity(&self) -> Severity {
        self.code.severity()
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.pointer.is_empty() {
            write!(f, "{}: ", self.pointer)?;
        }
        f.write_str(&self.message)
    }
}

/// Most errors, and most warnings, that are kept of one event; the last one kept says that there were more.
///
/// Each costs a walk over the event to tell its place, so that without a limit a line of 16 MiB could take hours.
pub const PROBLEMS_MAX: usize = 100;

/// The problems of one event, in the order found. Reuse it from event to event.
#[derive(Debug, Default)]
pub struct Problems {
    list: Vec<Problem>,
    in_payload: bool,
}

impl Problems {
    /// Returns an empty list.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns what was found.
    pub fn list(&self) -> &[Problem] {
        &self.list
    }

    /// Returns whether an error was found.
    pub fn has_errors(&self) -> bool {
        self.list.iter().any(|problem| problem.severity() == Severity::Error)
    }

    /// Forgets what was found.
    pub fn clear(&mut self) {
        self.list.clear();
    }

    /// Adds a problem with a value.
    #[cold]
    pub(crate) fn at(&mut self, value: Value<'_>, code: Code, message: impl Into<String>) {
        if self.has_room(code) {
            self.push(code, value.pointer(), message.into());
        }
    }

    /// Adds a problem with a member that is not there.
    #[cold]
    pub(crate) fn missing(&mut self, object: Value<'_>, name: &str, code: Code) {
        self.absent(object, name, code, &format!("`{name}` is missing"));
    }

    /// Adds a problem with a member that is not there, and says why it should be.
    #[cold]
    pub(crate) fn absent(&mut self, object: Value<'_>, name: &str, code: Code, message: &str) {
        if self.has_room(code) {
            let mut pointer = object.pointer();
            crate::json::push_token(&mut pointer, name);
            self.push(code, pointer, message.to_owned());
        }
    }

    /// Adds a problem with the line as a whole.
    #[cold]
    pub fn whole(&mut self, code: Code, message: impl Into<String>) {
        self.push(code, String::new(), message.into());
    }

    /// Returns whether one more problem of this code is kept; if not, the last one of its severity is made to say so.
    pub(crate) fn has_room(&mut self, code: Code) -> bool {
        if self.list.len() < PROBLEMS_MAX {
            return true;
        }
        let severity = self.settle(code).severity();
        let mut alike = self.list.iter_mut().filter(|problem| problem.severity() == severity);
        let Some(last) = alike.nth(PROBLEMS_MAX - 1) else { return true };
        let note = format!("; further {}s are left out", severity.as_str());
        if !last.message.ends_with(&note) {
            last.message.push_str(&note);
        }
        false
    }

    /// Runs `check` with every violation turned into its `payload.*` warning.
    pub(crate) fn in_payload(&mut self, check: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.in_payload, true);
        check(self);
        self.in_payload = before;
    }

    /// Runs `check` and forgets what it finds; returns whether it found nothing. A list that is full is not tried.
    pub(crate) fn adds_none(&mut self, check: impl FnOnce(&mut Self)) -> bool {
        let n_before = self.list.len();
        if n_before >= PROBLEMS_MAX {
            return false;
        }
        check(self);
        let is_none = self.list.len() == n_before;
        if !is_none {
            self.list.truncate(n_before);
        }
        is_none
    }

    /// Forgets the problems that `which` selects.
    #[cold]
    pub(crate) fn forgive(&mut self, which: impl Fn(&Problem) -> bool) {
        self.list.retain(|problem| !which(problem));
    }

    /// Gives the problems that `which` selects another code.
    #[cold]
    pub(crate) fn soften(&mut self, code: Code, which: impl Fn(&Problem) -> bool) {
        self.list
            .iter_mut()
            .filter(|problem| which(problem))
            .for_each(|problem| problem.code = code);
    }

    fn push(&mut self, code: Code, pointer: String, message: String) {
        let code = self.settle(code);
        self.list.push(Problem { code, pointer, message });
    }

    fn settle(&self, code: Code) -> Code {
        if self.in_payload { code.in_payload() } else { code }
    }
}
