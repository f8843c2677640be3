//! Tokens that are known by how they begin.

use std::ops::{Range, RangeInclusive};

use super::raw::{Class, goes_on, is_alphanumeric, is_base64_url, is_word, run};
use super::value::{has_digit_and_letter, is_random};
use super::{Rule, Search};

/// Most characters of a token.
const CHARS_MAX: usize = 4096;

/// How a token looks.
#[derive(Debug)]
pub(super) struct Form {
    pub(super) prefix: &'static str,
    rule: Rule,
    body: Class,
    /// How many characters follow the prefix.
    n: RangeInclusive<usize>,
}

const fn form(prefix: &'static str, rule: Rule, body: Class, n: RangeInclusive<usize>) -> Form {
    Form { prefix, rule, body, n }
}

/// Every form that a prefix, a kind of characters and a length describe.
pub(super) static FORMS: &[Form] = &[
    form("AIza", Rule::GcpKey, is_base64_url, 35..=35),
    form("GOCSPX-", Rule::GcpKey, is_base64_url, 24..=40),
    form("ya29.", Rule::GcpKey, is_base64_url_or_dot, 30..=2048),
    form("ghp_", Rule::GithubToken, is_word, 36..=255),
    form("gho_", Rule::GithubToken, is_word, 36..=255),
    form("ghu_", Rule::GithubToken, is_word, 36..=255),
    form("ghs_", Rule::GithubToken, is_base64_url_or_dot, 36..=2048),
    form("ghr_", Rule::GithubToken, is_word, 36..=255),
    form("github_pat_", Rule::GithubToken, is_word, 50..=255),
    form("glpat-", Rule::GitlabToken, is_base64_url_or_dot, 20..=300),
    form("gldt-", Rule::GitlabToken, is_base64_url_or_dot, 20..=300),
    form("glrt-", Rule::GitlabToken, is_base64_url_or_dot, 20..=300),
    form("glcbt-", Rule::GitlabToken, is_base64_url_or_dot, 20..=2048),
    form("glptt-", Rule::GitlabToken, is_base64_url_or_dot, 20..=300),
    form("glsoat-", Rule::GitlabToken, is_base64_url_or_dot, 20..=300),
    form("GR1348941", Rule::GitlabToken, is_base64_url, 20..=50),
    form("xapp-", Rule::SlackToken, is_base64_url, 30..=300),
    form("sk_live_", Rule::StripeKey, is_alphanumeric, 16..=255),
    form("sk_test_", Rule::StripeKey, is_alphanumeric, 16..=255),
    form("rk_live_", Rule::StripeKey, is_alphanumeric, 16..=255),
    form("rk_test_", Rule::StripeKey, is_alphanumeric, 16..=255),
    form("whsec_", Rule::StripeKey, is_base64_padded, 24..=255),
    form("npm_", Rule::NpmToken, is_alphanumeric, 36..=36),
    form("pypi-AgE", Rule::PypiToken, is_base64_url, 50..=2048),
    form("weft_", Rule::WeftToken, is_hex, 64..=64),
    form("hf_", Rule::VendorToken, is_alphanumeric, 34..=37),
    form("dckr_pat_", Rule::VendorToken, is_base64_url, 24..=36),
    form("gsk_", Rule::VendorToken, is_alphanumeric, 40..=64),
    form("AGE-SECRET-KEY-1", Rule::PrivateKey, is_alphanumeric, 58..=58),
];

/// Looks at a token of this form.
pub(super) fn seek(search: &mut Search<'_>, form: &'static Form, anchor: Range<usize>) {
    if goes_on(search.line, anchor.start, is_alphanumeric) {
        return;
    }
    let (end, n) = search.run(anchor.end, form.body);
    let dots = trailing_dots(search.line, anchor.end..end);
    let body = &search.line[anchor.end..end - dots];
    if form.n.contains(&(n - dots)) && is_random(body) {
        search.add(form.rule, anchor.start..end - dots);
    }
}

/// Looks at what begins with `sk-`: keys of Anthropic, of OpenAI, and of others who write theirs the same way.
pub(super) fn seek_sk(search: &mut Search<'_>, anchor: Range<usize>) {
    if goes_on(search.line, anchor.start, is_base64_url) {
        return;
    }
    let (end, n) = run(search.line, anchor.end, is_base64_url, CHARS_MAX);
    if n > CHARS_MAX {
        return;
    }
    let body = &search.line[anchor.end..end];
    if body.starts_with(b"ant-") {
        if n >= 24 && has_digit_and_letter(body) {
            search.add(Rule::AnthropicKey, anchor.start..end);
        }
        return;
    }
    let longest = body.split(|&byte| byte == b'-' || byte == b'_').max_by_key(|part| part.len());
    let is_key = longest.is_some_and(|part| part.len() >= 20 && is_random(part));
    if n >= 32 && is_key {
        search.add(Rule::OpenaiKey, anchor.start..end);
    }
}

/// Looks at what begins with `xox`: a letter for the kind of token, and numbers and letters in parts.
pub(super) fn seek_slack(search: &mut Search<'_>, anchor: Range<usize>) {
    if goes_on(search.line, anchor.start, is_alphanumeric) {
        return;
    }
    let (end, n) = search.run(anchor.end, is_slack);
    let body = &search.line[anchor.end..end];
    let is_kind = n <= CHARS_MAX
        && matches!(body, [b'a'..=b'e' | b'o' | b'p' | b'r' | b's', b'-' | b'.', ..]);
    if is_kind && n >= 20 && has_digit_and_letter(&body[2..]) {
        search.add(Rule::SlackToken, anchor.start..end);
    }
}

fn trailing_dots(line: &[u8], body: Range<usize>) -> usize {
    line[body].iter().rev().take_while(|&&byte| byte == b'.').count()
}

fn is_hex(byte: u8) -> bool {
    byte.is_ascii_hexdigit()
}

fn is_base64_url_or_dot(byte: u8) -> bool {
    is_base64_url(byte) || byte == b'.'
}

fn is_base64_padded(byte: u8) -> bool {
    super::raw::is_base64(byte) || byte == b'='
}

fn is_slack(byte: u8) -> bool {
    is_base64_url_or_dot(byte) || byte == b'%'
}
