//! The records of an export request, and what in it is not of a request's form.

use super::Signal;
use super::record::{Around, Place, Record};
use crate::json::{Kind, LINE_BYTES_MAX, Value};
use crate::problem::{Code, Problems};

/// Most bytes that copies of resources and scopes may take in the events out of one request.
const COPIES_BYTES_MAX: usize = LINE_BYTES_MAX;

/// What a request holds.
pub(super) struct Records<'a> {
    /// The records that can be read, in the order of the request.
    pub(super) good: Vec<Record<'a>>,
    /// What is wrong with the rest.
    pub(super) bad: Bad,
}

/// What in a request is not of a request's form.
pub(super) struct Bad {
    /// What is wrong.
    pub(super) problems: Problems,
    /// How many records that is; a list that is none counts as one.
    pub(super) n_records: usize,
}

/// How much copies of resources and scopes take so far in the events out of one request.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Copies {
    bytes: usize,
}

/// Returns the records of an export request about a signal.
pub(super) fn records(value: Value<'_>, signal: Signal) -> Records<'_> {
    let mut good = Vec::new();
    let bad = visit(value, signal, &mut Copies::default(), &mut |record| good.push(record));
    Records { good, bad }
}

/// Hands out the records of an export request about a signal one by one; returns what is wrong with the rest.
///
/// As in any JSON of Protocol Buffers, `null` is the same as nothing.
pub(super) fn visit<'a>(
    value: Value<'a>,
    signal: Signal,
    copies: &mut Copies,
    each: &mut dyn FnMut(Record<'a>),
) -> Bad {
    let [resources, scopes, list] = signal.lists();
    let mut bad = Bad { problems: Problems::new(), n_records: 0 };
    for key in value.repeated_keys() {
        let message = format!("{} stands twice; only the first is read", key.raw());
        bad.problems.at(key, Code::DuplicateKey, message);
        bad.n_records += 1;
    }
    for in_resource in bad.items(value, resources) {
        if !(bad.is_object(in_resource) && bad.has_object(in_resource, "resource")) {
            continue;
        }
        for in_scope in bad.items(in_resource, scopes) {
            if !(bad.is_object(in_scope) && bad.has_object(in_scope, "scope")) {
                continue;
            }
            let items = bad.items(in_scope, list);
            let around = around_bytes(in_resource, in_scope, signal);
            let around = around.saturating_mul(items.clone().count());
            copies.bytes = copies.bytes.saturating_add(around);
            let around = if copies.bytes <= COPIES_BYTES_MAX { Around::Kept } else { Around::Lost };
            let place = Place { signal, in_scope, in_resource, around };
            for value in items {
                if bad.is_object(value) && bad.has_good_attributes(value) {
                    each(Record::new(value, value, place));
                }
            }
        }
    }
    bad
}

impl Bad {
    /// Returns the items of a list; what is no list is told.
    fn items<'a>(
        &mut self,
        holder: Value<'a>,
        name: &str,
    ) -> impl Iterator<Item = Value<'a>> + Clone + use<'a> {
        let is_good = member_is(holder, name, Kind::Array, &mut self.problems);
        self.n_records += usize::from(!is_good);
        let list = holder.get(name).filter(|_| is_good);
        list.into_iter().flat_map(Value::items)
    }

    /// Returns whether a value is an object; tells it if not.
    fn is_object(&mut self, value: Value<'_>) -> bool {
        let is_good = is(value, Kind::Object, &mut self.problems);
        self.n_records += usize::from(!is_good);
        is_good
    }

    /// Returns whether a member is an object, or not there; tells it if not.
    fn has_object(&mut self, holder: Value<'_>, name: &str) -> bool {
        let is_good = member_is(holder, name, Kind::Object, &mut self.problems);
        self.n_records += usize::from(!is_good);
        is_good
    }

    /// Returns whether attributes and body of a record are of their form; tells every one that is not.
    fn has_good_attributes(&mut self, record: Value<'_>) -> bool {
        let problems = &mut self.problems;
        let mut is_good = member_is(record, "attributes", Kind::Array, problems);
        for attribute in record.get("attributes").into_iter().flat_map(Value::items) {
            is_good &= is(attribute, Kind::Object, problems)
                && member_is(attribute, "key", Kind::Text, problems)
                    & member_is(attribute, "value", Kind::Object, problems);
        }
        is_good &= member_is(record, "body", Kind::Object, problems);
        self.n_records += usize::from(!is_good);
        is_good
    }
}

/// Returns how many bytes stand around the records of a scope.
fn around_bytes(in_resource: Value<'_>, in_scope: Value<'_>, signal: Signal) -> usize {
    let [_, scopes, records] = signal.lists();
    let without = |of: Value<'_>, list: &str| {
        of.raw().len() - of.get(list).map_or(0, |list| list.raw().len())
    };
    without(in_resource, scopes) + without(in_scope, records)
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
