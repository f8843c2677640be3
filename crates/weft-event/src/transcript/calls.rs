//! The tool calls that have no result yet: a result names its call, and nothing else of it.

use std::collections::VecDeque;

use crate::json::{Json, Object, Value};
use crate::time::MILLI_NS;

/// The most calls that wait for their results; the oldest is forgotten first.
const CALLS_MAX: usize = 64;

/// Calls that were made, the oldest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Calls(VecDeque<Call>);

#[derive(Clone, Debug, PartialEq)]
struct Call {
    id: String,
    tool: String,
    began_ns: i64,
}

/// What is known of a call when its result comes.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Made {
    pub(super) tool: Option<String>,
    pub(super) took_ms: Option<i64>,
}

impl Calls {
    /// Notes a call.
    pub(super) fn make(&mut self, id: &str, tool: &str, began_ns: i64) {
        self.0.retain(|call| call.id != id);
        if self.0.len() == CALLS_MAX {
            self.0.pop_front();
        }
        self.0.push_back(Call { id: id.to_owned(), tool: tool.to_owned(), began_ns });
    }

    /// Takes the call whose result came.
    pub(super) fn end(&mut self, id: &str, ended_ns: i64) -> Made {
        let found = self.0.iter().position(|call| call.id == id).and_then(|at| self.0.remove(at));
        let Some(call) = found else { return Made::default() };
        // Rows of one time say nothing of how long it took.
        let took_ns = ended_ns.checked_sub(call.began_ns).filter(|took| *took > 0);
        Made { tool: Some(call.tool), took_ms: took_ns.map(|took| took / MILLI_NS) }
    }

    pub(super) fn save(&self, object: &mut Object<'_>) {
        let row = |call: &Call| {
            Json::array([
                Json::text(&call.id),
                Json::text(&call.tool),
                Json::integer(call.began_ns),
            ])
        };
        object.json("calls", &Json::array(self.0.iter().map(row)));
    }

    pub(super) fn resume(state: Value<'_>) -> Option<Self> {
        let read = |row: Value<'_>| {
            let mut row = row.items();
            let (id, tool, began) = (row.next()?, row.next()?, row.next()?);
            let id = id.as_text()?.into_owned();
            Some(Call { id, tool: tool.as_text()?.into_owned(), began_ns: began.as_i64()? })
        };
        let calls: Option<VecDeque<Call>> = state.get("calls")?.items().map(read).collect();
        calls.filter(|calls| calls.len() <= CALLS_MAX).map(Self)
    }
}
