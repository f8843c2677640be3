//! The messages of OTLP 1.10 that are read: the number, the JSON name and the kind of each field.

/// A message: its fields in the order in which they are written.
pub(super) struct Message {
    pub(super) fields: &'static [Field],
    /// Whether no more than one of the fields counts: the last that came.
    pub(super) is_choice: bool,
}

/// A field of a message.
pub(super) struct Field {
    /// Smaller than [`NUMBER_MAX`].
    pub(super) number: u32,
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    pub(super) is_list: bool,
}

/// One more than the largest number of a field that is read.
pub(super) const NUMBER_MAX: usize = 17;

/// How a field stands on the wire, and how it is written.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Text,
    Bool,
    /// A signed number of 64 bits; text in JSON.
    Int64,
    /// An unsigned number, or one of an enumeration.
    Number,
    /// A signed number whose sign is its last bit.
    ZigZag,
    /// 64 bits without a sign; text in JSON.
    Fixed64,
    /// 64 bits with a sign; text in JSON.
    SignedFixed64,
    Fixed32,
    Double,
    /// The bytes of an id.
    Hex,
    Base64,
    Message(&'static Message),
}

const fn one(number: u32, name: &'static str, kind: Kind) -> Field {
    Field { number, name, kind, is_list: false }
}

const fn list(number: u32, name: &'static str, kind: Kind) -> Field {
    Field { number, name, kind, is_list: true }
}

const fn message(fields: &'static [Field]) -> Message {
    Message { fields, is_choice: false }
}

pub(super) static RESOURCE: Message = message(&[
    list(1, "attributes", Kind::Message(&KEY_VALUE)),
    one(2, "droppedAttributesCount", Kind::Number),
]);

pub(super) static SCOPE: Message = message(&[
    one(1, "name", Kind::Text),
    one(2, "version", Kind::Text),
    list(3, "attributes", Kind::Message(&KEY_VALUE)),
    one(4, "droppedAttributesCount", Kind::Number),
]);

static KEY_VALUE: Message =
    message(&[one(1, "key", Kind::Text), one(2, "value", Kind::Message(&ANY_VALUE))]);

static ANY_VALUE: Message = Message {
    fields: &[
        one(1, "stringValue", Kind::Text),
        one(2, "boolValue", Kind::Bool),
        one(3, "intValue", Kind::Int64),
        one(4, "doubleValue", Kind::Double),
        one(5, "arrayValue", Kind::Message(&ARRAY)),
        one(6, "kvlistValue", Kind::Message(&KEY_VALUES)),
        one(7, "bytesValue", Kind::Base64),
    ],
    is_choice: true,
};

static ARRAY: Message = message(&[list(1, "values", Kind::Message(&ANY_VALUE))]);
static KEY_VALUES: Message = message(&[list(1, "values", Kind::Message(&KEY_VALUE))]);

pub(super) static LOG_RECORD: Message = message(&[
    one(1, "timeUnixNano", Kind::Fixed64),
    one(11, "observedTimeUnixNano", Kind::Fixed64),
    one(2, "severityNumber", Kind::Number),
    one(3, "severityText", Kind::Text),
    one(12, "eventName", Kind::Text),
    one(5, "body", Kind::Message(&ANY_VALUE)),
    list(6, "attributes", Kind::Message(&KEY_VALUE)),
    one(7, "droppedAttributesCount", Kind::Number),
    one(8, "flags", Kind::Fixed32),
    one(9, "traceId", Kind::Hex),
    one(10, "spanId", Kind::Hex),
]);

pub(super) static SPAN: Message = message(&[
    one(1, "traceId", Kind::Hex),
    one(2, "spanId", Kind::Hex),
    one(3, "traceState", Kind::Text),
    one(4, "parentSpanId", Kind::Hex),
    one(16, "flags", Kind::Fixed32),
    one(5, "name", Kind::Text),
    one(6, "kind", Kind::Number),
    one(7, "startTimeUnixNano", Kind::Fixed64),
    one(8, "endTimeUnixNano", Kind::Fixed64),
    list(9, "attributes", Kind::Message(&KEY_VALUE)),
    one(10, "droppedAttributesCount", Kind::Number),
    list(11, "events", Kind::Message(&SPAN_EVENT)),
    one(12, "droppedEventsCount", Kind::Number),
    list(13, "links", Kind::Message(&LINK)),
    one(14, "droppedLinksCount", Kind::Number),
    one(15, "status", Kind::Message(&STATUS)),
]);

static SPAN_EVENT: Message = message(&[
    one(1, "timeUnixNano", Kind::Fixed64),
    one(2, "name", Kind::Text),
    list(3, "attributes", Kind::Message(&KEY_VALUE)),
    one(4, "droppedAttributesCount", Kind::Number),
]);

static LINK: Message = message(&[
    one(1, "traceId", Kind::Hex),
    one(2, "spanId", Kind::Hex),
    one(3, "traceState", Kind::Text),
    list(4, "attributes", Kind::Message(&KEY_VALUE)),
    one(5, "droppedAttributesCount", Kind::Number),
    one(6, "flags", Kind::Fixed32),
]);

static STATUS: Message = message(&[one(2, "message", Kind::Text), one(3, "code", Kind::Number)]);

pub(super) static METRIC: Message = message(&[
    one(1, "name", Kind::Text),
    one(2, "description", Kind::Text),
    one(3, "unit", Kind::Text),
    one(5, "gauge", Kind::Message(&GAUGE)),
    one(7, "sum", Kind::Message(&SUM)),
    one(9, "histogram", Kind::Message(&HISTOGRAM)),
    one(10, "exponentialHistogram", Kind::Message(&EXPONENTIAL_HISTOGRAM)),
    one(11, "summary", Kind::Message(&SUMMARY)),
    list(12, "metadata", Kind::Message(&KEY_VALUE)),
]);

static GAUGE: Message = message(&[list(1, "dataPoints", Kind::Message(&NUMBER_POINT))]);
static SUMMARY: Message = message(&[list(1, "dataPoints", Kind::Message(&SUMMARY_POINT))]);

static SUM: Message = message(&[
    list(1, "dataPoints", Kind::Message(&NUMBER_POINT)),
    one(2, "aggregationTemporality", Kind::Number),
    one(3, "isMonotonic", Kind::Bool),
]);

static HISTOGRAM: Message = message(&[
    list(1, "dataPoints", Kind::Message(&HISTOGRAM_POINT)),
    one(2, "aggregationTemporality", Kind::Number),
]);

static EXPONENTIAL_HISTOGRAM: Message = message(&[
    list(1, "dataPoints", Kind::Message(&EXPONENTIAL_POINT)),
    one(2, "aggregationTemporality", Kind::Number),
]);

static NUMBER_POINT: Message = message(&[
    list(7, "attributes", Kind::Message(&KEY_VALUE)),
    one(2, "startTimeUnixNano", Kind::Fixed64),
    one(3, "timeUnixNano", Kind::Fixed64),
    one(4, "asDouble", Kind::Double),
    one(6, "asInt", Kind::SignedFixed64),
    one(8, "flags", Kind::Number),
]);

static HISTOGRAM_POINT: Message = message(&[
    list(9, "attributes", Kind::Message(&KEY_VALUE)),
    one(2, "startTimeUnixNano", Kind::Fixed64),
    one(3, "timeUnixNano", Kind::Fixed64),
    one(4, "count", Kind::Fixed64),
    one(5, "sum", Kind::Double),
    list(6, "bucketCounts", Kind::Fixed64),
    list(7, "explicitBounds", Kind::Double),
    one(10, "flags", Kind::Number),
    one(11, "min", Kind::Double),
    one(12, "max", Kind::Double),
]);

static EXPONENTIAL_POINT: Message = message(&[
    list(1, "attributes", Kind::Message(&KEY_VALUE)),
    one(2, "startTimeUnixNano", Kind::Fixed64),
    one(3, "timeUnixNano", Kind::Fixed64),
    one(4, "count", Kind::Fixed64),
    one(5, "sum", Kind::Double),
    one(6, "scale", Kind::ZigZag),
    one(7, "zeroCount", Kind::Fixed64),
    one(10, "flags", Kind::Number),
    one(12, "min", Kind::Double),
    one(13, "max", Kind::Double),
    one(14, "zeroThreshold", Kind::Double),
]);

static SUMMARY_POINT: Message = message(&[
    list(7, "attributes", Kind::Message(&KEY_VALUE)),
    one(2, "startTimeUnixNano", Kind::Fixed64),
    one(3, "timeUnixNano", Kind::Fixed64),
    one(4, "count", Kind::Fixed64),
    one(5, "sum", Kind::Double),
    one(8, "flags", Kind::Number),
]);
