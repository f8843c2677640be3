//! The dialects by name, and what each of them offers: one row per dialect, so that nothing else has to match on it.

use crate::event::report_repeated_keys;
use crate::json::Value;
use crate::problem::Problems;
use crate::report::Report;
use crate::shape::{Check, Draft, Fields, text_enum};
use crate::taxonomy::Taxonomy;
use crate::{Facts, collector, engine, idle, needle, own, pinchy};

text_enum! {
    /// One of the five dialects, or Weft's own.
    pub enum Dialect {
        /// Loop states and recovery anchors.
        Idle = "idle",
        /// Hook and status events of the Agent Updates Collector.
        Collector = "collector",
        /// Envelopes of the Pinchy gateway.
        Pinchy = "pinchy",
        /// Task runs of the Loop Engine.
        Engine = "engine",
        /// Worker and bead events of NEEDLE.
        Needle = "needle",
        /// What Weft itself writes.
        Weft = "weft",
    }
}

/// What a dialect offers to the code that works for all of them.
pub(crate) struct Speech {
    /// Checks an object as an event of the dialect: its shape, then the rules between its fields. It is given no fields of the
    /// object and finds them.
    pub(crate) validate: fn(&mut Fields<'_>, &mut Problems),
    /// Fills in the facts of a checked event; best effort where the event is invalid.
    pub(crate) facts: for<'a> fn(&Fields<'a>, &mut Facts<'a>),
    /// Reads what a checked event reports beyond its facts, which are given; best effort where the event is invalid.
    pub(crate) report: for<'a> fn(&Fields<'a>, &Facts<'a>) -> Report<'a>,
    /// The event types.
    pub(crate) taxonomy: &'static Taxonomy,
    /// What an event must look like.
    pub(crate) root: &'static Check,
    /// The documents beside the event that have a schema of their own: name and what they must look like.
    pub(crate) documents: &'static [(&'static str, &'static Check)],
    /// The `$id` of the dialect's JSON Schema.
    pub(crate) schema_id: &'static str,
    /// The draft of the dialect's JSON Schema.
    pub(crate) draft: Draft,
}

impl Dialect {
    pub(crate) fn speech(self) -> &'static Speech {
        match self {
            Dialect::Idle => &idle::SPEECH,
            Dialect::Collector => &collector::SPEECH,
            Dialect::Pinchy => &pinchy::SPEECH,
            Dialect::Engine => &engine::SPEECH,
            Dialect::Needle => &needle::SPEECH,
            Dialect::Weft => &own::SPEECH,
        }
    }

    /// Returns the event types of the dialect.
    pub fn taxonomy(self) -> &'static Taxonomy {
        self.speech().taxonomy
    }

    /// Returns the JSON Schema of an event of the dialect, on one line.
    pub fn schema(self) -> String {
        let speech = self.speech();
        crate::shape::schema(speech.root, speech.schema_id, speech.draft)
    }

    /// Returns the names of the dialect's documents that are not events and have a schema of their own.
    pub fn documents(self) -> impl Iterator<Item = &'static str> {
        self.speech().documents.iter().map(|(name, _)| *name)
    }

    /// Returns the JSON Schema of one such document, on one line.
    pub fn document_schema(self, name: &str) -> Option<String> {
        let speech = self.speech();
        let (_, check) = speech.documents.iter().find(|(known, _)| *known == name)?;
        Some(crate::shape::schema(check, &format!("{}/{name}", speech.schema_id), speech.draft))
    }

    /// Checks a value as one of the dialect's documents; returns whether the dialect has one of this name.
    pub fn check_document(self, name: &str, value: Value<'_>, problems: &mut Problems) -> bool {
        let document = self.speech().documents.iter().find(|(known, _)| *known == name);
        document.is_some_and(|(_, check)| {
            crate::shape::check(check, value, problems);
            match self {
                Dialect::Engine => engine::finish_document(name, value, problems),
                Dialect::Idle
                | Dialect::Collector
                | Dialect::Pinchy
                | Dialect::Needle
                | Dialect::Weft => report_repeated_keys(value, problems),
            }
            true
        })
    }
}
