//! Export requests as Protocol Buffers, made of OTLP/JSON: the way an exporter writes them, and written without the server's code.

use serde_json::Value;

/// How a field is written.
enum Kind {
    Message(&'static str),
    Text,
    Bool,
    Varint,
    Fixed64,
    Fixed32,
    Double,
    Hex,
}

/// Returns a request as bytes.
pub(crate) fn encode(request: &Value) -> Vec<u8> {
    message("Request", request)
}

fn message(kind: &str, value: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    for (name, member) in value.as_object().expect("a message is an object") {
        let (number, kind) = field(kind, name);
        let items = match member {
            Value::Array(items) => items.iter().collect(),
            one => vec![one],
        };
        items.iter().for_each(|item| put(&mut out, number, &kind, item));
    }
    out
}

fn field(message: &str, name: &str) -> (u64, Kind) {
    match (message, name) {
        ("Request", "resourceLogs") => (1, Kind::Message("ResourceLogs")),
        ("Request", "resourceSpans") => (1, Kind::Message("ResourceSpans")),
        ("Request", "resourceMetrics") => (1, Kind::Message("ResourceMetrics")),
        ("ResourceLogs" | "ResourceSpans" | "ResourceMetrics", "resource") => {
            (1, Kind::Message("Resource"))
        }
        ("ResourceLogs", "scopeLogs") => (2, Kind::Message("ScopeLogs")),
        ("ResourceSpans", "scopeSpans") => (2, Kind::Message("ScopeSpans")),
        ("ResourceMetrics", "scopeMetrics") => (2, Kind::Message("ScopeMetrics")),
        ("ScopeLogs" | "ScopeSpans" | "ScopeMetrics", "scope") => (1, Kind::Message("Scope")),
        ("ScopeLogs", "logRecords") => (2, Kind::Message("LogRecord")),
        ("ScopeSpans", "spans") => (2, Kind::Message("Span")),
        ("ScopeMetrics", "metrics") => (2, Kind::Message("Metric")),
        (_, "schemaUrl") => (3, Kind::Text),
        ("Resource", "attributes") => (1, Kind::Message("KeyValue")),
        ("Scope", "name") => (1, Kind::Text),
        ("Scope", "version") => (2, Kind::Text),
        ("KeyValue", "key") => (1, Kind::Text),
        ("KeyValue", "value") => (2, Kind::Message("AnyValue")),
        ("AnyValue", "stringValue") => (1, Kind::Text),
        ("AnyValue", "boolValue") => (2, Kind::Bool),
        ("AnyValue", "intValue") => (3, Kind::Varint),
        ("AnyValue", "doubleValue") => (4, Kind::Double),
        ("AnyValue", "arrayValue") => (5, Kind::Message("ArrayValue")),
        ("AnyValue", "kvlistValue") => (6, Kind::Message("KeyValues")),
        ("ArrayValue", "values") => (1, Kind::Message("AnyValue")),
        ("KeyValues", "values") => (1, Kind::Message("KeyValue")),
        ("LogRecord" | "NumberPoint", "flags") => (8, Kind::Fixed32),
        ("LogRecord", "timeUnixNano") => (1, Kind::Fixed64),
        ("LogRecord", "observedTimeUnixNano") => (11, Kind::Fixed64),
        ("LogRecord", "severityNumber") => (2, Kind::Varint),
        ("LogRecord", "severityText") => (3, Kind::Text),
        ("LogRecord", "eventName") => (12, Kind::Text),
        ("LogRecord", "body") => (5, Kind::Message("AnyValue")),
        ("LogRecord", "attributes") => (6, Kind::Message("KeyValue")),
        ("LogRecord", "traceId") => (9, Kind::Hex),
        ("LogRecord", "spanId") => (10, Kind::Hex),
        _ => field_of_others(message, name),
    }
}

fn field_of_others(message: &str, name: &str) -> (u64, Kind) {
    match (message, name) {
        ("Span", "traceId") => (1, Kind::Hex),
        ("Span", "spanId") => (2, Kind::Hex),
        ("Span", "parentSpanId") => (4, Kind::Hex),
        ("Span", "name") => (5, Kind::Text),
        ("Span", "kind") => (6, Kind::Varint),
        ("Span", "startTimeUnixNano") => (7, Kind::Fixed64),
        ("Span", "endTimeUnixNano") => (8, Kind::Fixed64),
        ("Span", "attributes") => (9, Kind::Message("KeyValue")),
        ("Span", "status") => (15, Kind::Message("Status")),
        ("Status", "message") => (2, Kind::Text),
        ("Status", "code") => (3, Kind::Varint),
        ("Metric", "name") => (1, Kind::Text),
        ("Metric", "unit") => (3, Kind::Text),
        ("Metric", "gauge") => (5, Kind::Message("Gauge")),
        ("Metric", "sum") => (7, Kind::Message("Sum")),
        ("Metric", "histogram") => (9, Kind::Message("Histogram")),
        ("Sum" | "Gauge", "dataPoints") => (1, Kind::Message("NumberPoint")),
        ("Histogram", "dataPoints") => (1, Kind::Message("HistogramPoint")),
        (_, "aggregationTemporality") => (2, Kind::Varint),
        ("Sum", "isMonotonic") => (3, Kind::Bool),
        ("NumberPoint", "attributes") => (7, Kind::Message("KeyValue")),
        ("HistogramPoint", "attributes") => (9, Kind::Message("KeyValue")),
        (_, "startTimeUnixNano") => (2, Kind::Fixed64),
        (_, "timeUnixNano") => (3, Kind::Fixed64),
        ("NumberPoint", "asDouble") => (4, Kind::Double),
        ("NumberPoint", "asInt") => (6, Kind::Fixed64),
        ("HistogramPoint", "count") => (4, Kind::Fixed64),
        ("HistogramPoint", "sum") => (5, Kind::Double),
        ("HistogramPoint", "bucketCounts") => (6, Kind::Fixed64),
        ("HistogramPoint", "explicitBounds") => (7, Kind::Double),
        other => panic!("this client does not know {other:?}"),
    }
}

fn put(out: &mut Vec<u8>, number: u64, kind: &Kind, value: &Value) {
    let mut key = |wire: u64| varint(out, number << 3 | wire);
    match kind {
        Kind::Message(kind) => {
            key(2);
            bytes(out, &message(kind, value));
        }
        Kind::Text => {
            key(2);
            bytes(out, value.as_str().expect("a text").as_bytes());
        }
        Kind::Bool => {
            key(0);
            varint(out, u64::from(value.as_bool().expect("true or false")));
        }
        Kind::Varint => {
            key(0);
            varint(out, integer(value) as u64);
        }
        Kind::Fixed64 => {
            key(1);
            out.extend((integer(value) as u64).to_le_bytes());
        }
        Kind::Fixed32 => {
            key(5);
            out.extend((integer(value) as u32).to_le_bytes());
        }
        Kind::Double => {
            key(1);
            out.extend(value.as_f64().expect("a number").to_le_bytes());
        }
        Kind::Hex => {
            key(2);
            let digits = value.as_str().expect("a text").as_bytes();
            let byte = |pair: &[u8]| {
                let pair = str::from_utf8(pair).expect("digits");
                u8::from_str_radix(pair, 16).expect("hex")
            };
            bytes(out, &digits.chunks(2).map(byte).collect::<Vec<_>>());
        }
    }
}

/// Reads a number, which may be written as text.
fn integer(value: &Value) -> i64 {
    let text = value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned);
    text.parse().expect("a whole number")
}

fn bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

fn varint(out: &mut Vec<u8>, mut n: u64) {
    while n >= 0x80 {
        out.push(n as u8 | 0x80);
        n >>= 7;
    }
    out.push(n as u8);
}
