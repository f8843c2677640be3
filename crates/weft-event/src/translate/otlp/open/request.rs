//! The records of an export request, and what in it is not of a request's form.

use super::record::{Around, Record};
use crate::json::{Kind, LINE_BYTES_MAX, Value};
use crate::problem::{Code, Problems};

/// Most bytes that copies of resources and scopes may take in the events out of one request.
const COPIES_BYTES_MAX: usize = LINE_BYTES_MAX;

/// What a request holds.
pub(super) struct Records<'a> {
    /// The records that can be read, in the order of the request.
    pub(super) good: Vec<Record<'a>>,
    /// What is wrong with the rest.
    pub(super) problems: Problems,
}

/// Returns the records of an export request; `None` if the value is none.
///
/// As in any JSON of Protocol Buffers, `null` is the same as nothing.
pub(super) fn records(value: Value<'_>) -> Option<Records<'_>> {
    value.get("resourceLogs")?;
    let mut good = Vec::new();
    let mut problems = Problems::new();
    let mut copies_bytes = 0_usize;
    for key in value.repeated_keys() {
        let message = format!("{} stands twice; only the first is read", key.raw());
        problems.at(key, Code::DuplicateKey, message);
    }
    for resource_logs in objects(value, "resourceLogs", &mut problems) {
        if !member_is(resource_logs, "resource", Kind::Object, &mut problems) {
            continue;
        }
        for scope_logs in objects(resource_logs, "scopeLogs", &mut problems) {
            if !member_is(scope_logs, "scope", Kind::Object, &mut problems) {
                continue;
            }
            let values = objects(scope_logs, "logRecords", &mut problems);
            let around = around_bytes(resource_logs, scope_logs).saturating_mul(values.len());
            copies_bytes = copies_bytes.saturating_add(around);
            let around = if copies_bytes <= COPIES_BYTES_MAX { Around::Kept } else { Around::Lost };
            for value in values {
                if has_good_attributes(value, &mut problems) {
                    good.push(Record { value, scope_logs, resource_logs, around });
                }
            }
        }
    }
    Some(Records { good, problems })
}

/// Returns the objects in a list; what is no list or no object is told.
fn objects<'a>(holder: Value<'a>, name: &str, problems: &mut Problems) -> Vec<Value<'a>> {
    if !member_is(holder, name, Kind::Array, problems) {
        return Vec::new();
    }
    let items = holder.get(name).into_iter().flat_map(Value::items);
    items.filter(|&item| is(item, Kind::Object, problems)).collect()
}

/// Returns how many bytes stand around the records of a scope.
fn around_bytes(resource_logs: Value<'_>, scope_logs: Value<'_>) -> usize {
    let without = |of: Value<'_>, list: &str| {
        of.raw().len() - of.get(list).map_or(0, |list| list.raw().len())
    };
    without(resource_logs, "scopeLogs") + without(scope_logs, "logRecords")
}

/// Returns whether attributes and body of a record are of their form; tells every one that is not.
fn has_good_attributes(record: Value<'_>, problems: &mut Problems) -> bool {
    let mut is_good = member_is(record, "attributes", Kind::Array, problems);
    for attribute in record.get("attributes").into_iter().flat_map(Value::items) {
        is_good &= is(attribute, Kind::Object, problems)
            && member_is(attribute, "key", Kind::Text, problems)
                & member_is(attribute, "value", Kind::Object, problems);
    }
    is_good & member_is(record, "body", Kind::Object, problems)
}

/// Returns whether a member is of a kind, or not there; tells it if not.
fn member_is(holder: Value<'_>, name: &str, kind: Kind, problems: &mut Problems) -> bool {
    let member = holder.get(name).filter(|member| member.kind() != Kind::Null);
    member.is_none_or(|member| is(member, kind, problems))
}

fn is(value: Value<'_>, kind: Kind, problems: &mut Problems) -> bool {
    if value.kind() != kind {
        let message = format!("expected {}, found {}", kind.name(), value.kind().name());
        problems.at(value, Code::Type, message);
    }
    value.kind() == kind
}
