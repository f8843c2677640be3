//! Trace and span ids as the W3C has them: 32 and 16 hex digits, not all zero.

use super::source::hex;
use crate::identity::digest_parts;

/// A trace or span id for a place that takes hex alone.
pub(crate) struct HexId {
    /// The id in lower-case hex.
    pub(crate) hex: String,
    /// Whether that is the id's own text.
    pub(crate) is_own: bool,
}

/// Returns the 32 hex digits of a trace id; made from it if it is not of that form.
pub(crate) fn trace(id: &str) -> HexId {
    hex_id::<16>(id)
}

/// Returns the 16 hex digits of a span id; made from it if it is not of that form.
pub(super) fn span(id: &str) -> HexId {
    hex_id::<8>(id)
}

fn hex_id<const BYTES: usize>(id: &str) -> HexId {
    let plain: String = id.chars().filter(|c| *c != '-').collect();
    let fits = |text: &str| {
        text.len() == BYTES * 2
            && text.bytes().all(|byte| byte.is_ascii_hexdigit())
            && text.bytes().any(|byte| byte != b'0')
    };
    // The hex digits of a UUID are a trace id too.
    let hex = if fits(&plain) {
        plain.to_ascii_lowercase()
    } else {
        let made = digest_parts(&[b"trace id", id.as_bytes()]);
        hex(&made[..BYTES])
    };
    HexId { is_own: hex == id, hex }
}

/// Returns the trace and the span of a `traceparent`.
pub(crate) fn parse_traceparent(text: &str) -> Option<(&str, &str)> {
    let mut parts = text.split('-');
    let (_version, trace_id, span_id) = (parts.next()?, parts.next()?, parts.next()?);
    (trace(trace_id).is_own && span(span_id).is_own).then_some((trace_id, span_id))
}
