//! JSON Web Tokens: parts in base64 with dots between, the first a JSON object that names an algorithm.

use std::ops::Range;

use memchr::memmem;

use super::raw::{byte_before, is_base64_url, run};
use super::{Rule, Search, base64};

/// Most characters of a part.
const PART_CHARS_MAX: usize = 1 << 16;

/// How many bytes of a header are looked into.
const HEADER_BYTES: usize = 768;

/// Fewest characters of a signature.
const SIGNATURE_CHARS_LEAST: usize = 20;

/// Looks at what begins like an object in base64.
pub(super) fn seek(search: &mut Search<'_>, anchor: Range<usize>) {
    let line = search.line;
    if is_base64_url(byte_before(line, anchor.start)) {
        return;
    }
    let Some(header_end) = part(search, anchor.start) else { return };
    if line.get(header_end) != Some(&b'.') || !is_header(&line[anchor.start..header_end]) {
        return;
    }
    let mut last = header_end;
    let mut signature = 0..0;
    while line.get(last) == Some(&b'.')
        && let Some(end) = part(search, last + 1)
    {
        signature = last + 1..end;
        last = end;
    }
    let n_dots = line[anchor.start..last].iter().filter(|&&byte| byte == b'.').count();
    if n_dots >= 2 && signature.len() >= SIGNATURE_CHARS_LEAST {
        search.add(Rule::Jwt, anchor.start..last);
    }
}

/// Returns where the part that begins at `at` ends.
fn part(search: &mut Search<'_>, at: usize) -> Option<usize> {
    let (end, n) = run(search.line, at, is_base64_url, PART_CHARS_MAX);
    (search.may_read(n) && n <= PART_CHARS_MAX).then_some(end)
}

fn is_header(text: &[u8]) -> bool {
    let mut header = [0; HEADER_BYTES];
    let n = base64::decode(text, &mut header).unwrap_or_default();
    header[..n].starts_with(b"{") && memmem::find(&header[..n], b"\"alg\"").is_some()
}
