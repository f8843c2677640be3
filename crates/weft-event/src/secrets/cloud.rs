//! Keys of AWS and Azure that take more than a prefix to tell.

use std::ops::Range;

use super::raw::{
    byte_before, char_at, goes_on, is_alphanumeric, is_base64, is_blank, is_quote, run, run_back_of,
};
use super::value::is_random;
use super::{Rule, Search};

/// Characters of an AWS secret key.
pub(super) const AWS_SECRET_CHARS: usize = 40;

/// Most characters between an AWS key id and its secret.
const AWS_GAP_CHARS_MAX: usize = 6;

/// Looks at an AWS access key id, and at the secret that may stand behind it as it does in lists.
pub(super) fn seek_aws(search: &mut Search<'_>, anchor: Range<usize>) {
    let line = search.line;
    let (end, n) = run(line, anchor.end, |byte| matches!(byte, b'A'..=b'Z' | b'2'..=b'7'), 16);
    let is_cut = line.get(end).is_some_and(|byte| is_alphanumeric(*byte));
    let is_id = n == 16 && !is_cut && !goes_on(line, anchor.start, is_alphanumeric);
    if !is_id || !line[anchor.start..end].iter().any(u8::is_ascii_digit) {
        return;
    }
    search.add(Rule::AwsKeyId, anchor.start..end);
    let mut at = end;
    let mut n_between = 0;
    while let Some(char) = char_at(line, at)
        && is_between(char.byte)
        && n_between < AWS_GAP_CHARS_MAX
    {
        at += char.len;
        n_between += 1;
    }
    if n_between > 0
        && let Some(secret) = aws_secret(line, at)
    {
        search.add(Rule::AwsSecretKey, secret);
    }
}

/// Returns where an AWS secret key stands, if one begins at `at`.
pub(super) fn aws_secret(line: &[u8], at: usize) -> Option<Range<usize>> {
    let (end, n) = run(line, at, is_base64, AWS_SECRET_CHARS);
    let is_cut = char_at(line, end).is_some_and(|char| char.byte == b'=');
    let is_secret = n == AWS_SECRET_CHARS && !is_cut && is_random(&line[at..end]);
    let is_hash = line[at..end].iter().all(u8::is_ascii_hexdigit);
    (is_secret && !is_hash).then_some(at..end)
}

fn is_between(byte: u8) -> bool {
    is_blank(byte) || is_quote(byte) || matches!(byte, b'\n' | b'\r' | b',' | b';' | b':' | b'|')
}

/// Looks at the signature of an address for shared access: base64 of 32 bytes, as addresses write it.
pub(super) fn seek_signature(search: &mut Search<'_>, anchor: Range<usize>) {
    let line = search.line;
    if !matches!(byte_before(line, anchor.start), b'?' | b'&' | b';') {
        return;
    }
    let is_signature = |byte| is_base64(byte) || matches!(byte, b'%' | b'=');
    let (end, _) = run(line, anchor.end, is_signature, 128);
    let signature = &line[anchor.end..end];
    let n_percent = signature.iter().filter(|&&byte| byte == b'%').count();
    let n_slashes = signature.iter().filter(|&&byte| byte == b'\\').count();
    let is_whole =
        signature.ends_with(b"=") || signature.ends_with(b"%3D") || signature.ends_with(b"%3d");
    if is_whole && signature.len() == 44 + 2 * n_percent + n_slashes && is_random(signature) {
        search.add(Rule::AzureKey, anchor.end..end);
    }
}

/// Looks at the `~` of a client secret of Entra ID: three characters, a digit, `Q~`, and the rest.
pub(super) fn seek_azure_client(search: &mut Search<'_>, tilde: usize) {
    let line = search.line;
    let Some(mark) = tilde.checked_sub(2) else { return };
    if !line[mark].is_ascii_digit() || line[mark + 1] != b'Q' {
        return;
    }
    let is_secret = |byte| is_alphanumeric(byte) || matches!(byte, b'-' | b'_' | b'~' | b'.');
    let Some(start) = run_back_of(line, mark, is_secret, 3) else { return };
    let (end, n_after) = run(line, tilde + 1, is_secret, 35);
    if (31..=34).contains(&n_after) {
        search.add(Rule::AzureKey, start..end);
    }
}

/// Looks at a key of an Azure service, which has a mark of six characters at its place.
pub(super) fn seek_azure_service(search: &mut Search<'_>, anchor: Range<usize>) {
    let Some(start) = run_back_of(search.line, anchor.start, is_alphanumeric, 52) else { return };
    let (end, n_after) = run(search.line, anchor.end, is_alphanumeric, 26);
    if n_after == 26 {
        search.add(Rule::AzureKey, start..end);
    }
}

/// Looks at a key of Azure storage and its kin, which has a mark near its end.
pub(super) fn seek_azure_storage(search: &mut Search<'_>, anchor: Range<usize>) {
    let Some(start) = run_back_of(search.line, anchor.start, is_base64, 76) else { return };
    let (body_end, n_after) = run(search.line, anchor.end, is_base64, 8);
    let (end, n_padding) = run(search.line, body_end, |byte| byte == b'=', 2);
    if (4..=8).contains(&n_after) && n_padding > 0 {
        search.add(Rule::AzureKey, start..end);
    }
}
