//! JSON Web Tokens: parts in base64 with dots between, the first a JSON object that names an algorithm.

use std::ops::Range;

use memchr::memmem;

use super::raw::{goes_on, is_base64_url, run};
use super::{Rule, Search, base64};

/// Most characters of a part.
const PART_CHARS_MAX: usize = 1 << 16;

/// How many bytes of a header are looked into.
const HEADER_BYTES: usize = 768;

/// Fewest characters of a signature.
const SIGNATURE_CHARS_LEAST: usize = 20;

/// Most parts: an encrypted token has a header, a key, a vector, a text and a tag.
const PARTS_MAX: usize = 5;

/// Looks at what begins like an object in base64.
pub(super) fn seek(search: &mut Search<'_>, anchor: Range<usize>) {
    let line = search.line;
    if goes_on(line, anchor.start, is_base64_url) {
        return;
    }
    let Some(header_end) = part(line, anchor.start) else { return };
    if line.get(header_end) != Some(&b'.') || !is_header(&line[anchor.start..header_end]) {
        return;
    }
    let mut last = header_end;
    let mut signature = 0..0;
    let mut n_parts = 1;
    while n_parts < PARTS_MAX
        && line.get(last) == Some(&b'.')
        && let Some(end) = part(line, last + 1)
    {
        if end > last + 1 {
            signature = last + 1..end;
        }
        last = end;
        n_parts += 1;
    }
    if n_parts >= 3 && signature.len() >= SIGNATURE_CHARS_LEAST {
        search.add(Rule::Jwt, anchor.start..signature.end);
    }
}

/// Returns where the part that begins at `at` ends.
fn part(line: &[u8], at: usize) -> Option<usize> {
    let (end, n) = run(line, at, is_base64_url, PART_CHARS_MAX);
    (n <= PART_CHARS_MAX).then_some(end)
}

fn is_header(text: &[u8]) -> bool {
    let mut header = [0; HEADER_BYTES];
    let n = base64::decode(text, &mut header).unwrap_or_default();
    header[..n].starts_with(b"{") && memmem::find(&header[..n], b"\"alg\"").is_some()
}
