//! What an exporter is told of a request that was taken: nothing, or how much of it was refused, and what else it should know.

use weft_event::json::Json;
use weft_event::translate::otlp::Signal;

use super::protobuf;

/// What became of the records of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Report {
    /// How many records there were.
    pub(super) n_records: u64,
    /// How many of them were refused.
    pub(super) n_refused: u64,
    /// Why the first of those was.
    pub(super) refused: Option<String>,
    /// Why some are not kept, and how many for each reason.
    pub(super) unwanted: Vec<(&'static str, u64)>,
    /// What is odd about the request as a whole.
    pub(super) warning: Option<&'static str>,
}

impl Report {
    /// Counts a record that is not kept.
    pub(super) fn leave(&mut self, why: &'static str) {
        match self.unwanted.iter_mut().find(|(known, _)| *known == why) {
            Some((_, n)) => *n += 1,
            None => self.unwanted.push((why, 1)),
        }
    }

    /// Returns how many records are not kept.
    pub(super) fn n_unwanted(&self) -> u64 {
        self.unwanted.iter().map(|(_, n)| n).sum()
    }

    /// Returns the answer as Protocol Buffers: nothing if all is well.
    pub(super) fn to_protobuf(&self, signal: Signal) -> Vec<u8> {
        let mut out = Vec::new();
        let message = self.message(signal);
        protobuf::bytes(&mut out, 1, &protobuf::numbered(self.n_refused, &message));
        out
    }

    /// Returns the answer as OTLP/JSON.
    pub(super) fn to_json(&self, signal: Signal) -> String {
        let message = self.message(signal);
        let answer = Json::object(|answer| {
            if message.is_empty() {
                return;
            }
            let partial = Json::object(|partial| {
                if self.n_refused > 0 {
                    partial.text(refused_name(signal), &self.n_refused.to_string());
                }
                partial.text("errorMessage", &message);
            });
            answer.json("partialSuccess", &partial);
        });
        answer.as_str().to_owned()
    }

    /// Returns what a person is told; empty if all is well.
    fn message(&self, signal: Signal) -> String {
        let what = match signal {
            Signal::Logs => "log records",
            Signal::Traces => "spans",
            Signal::Metrics => "data points",
        };
        let mut said: Vec<String> = Vec::new();
        if let Some(why) = &self.refused {
            let (n, all) = (self.n_refused, self.n_records);
            said.push(format!("{n} of {all} {what} refused, the first because: {why}"));
        }
        let unwanted = self.unwanted.iter();
        said.extend(unwanted.map(|(why, n)| format!("{n} {what} not kept: {why}")));
        said.extend(self.warning.map(ToOwned::to_owned));
        said.join("; ")
    }
}

fn refused_name(signal: Signal) -> &'static str {
    match signal {
        Signal::Logs => "rejectedLogRecords",
        Signal::Traces => "rejectedSpans",
        Signal::Metrics => "rejectedDataPoints",
    }
}
