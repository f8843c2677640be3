//! The one search: the literals that rules begin with, and who looks on where one stands.

use std::cmp::Reverse;
use std::ops::Range;

use aho_corasick::Span;
use aho_corasick::packed::{Config, Searcher};
use memchr::memchr3_iter;

use super::name::{WORDS, Word};
use super::token::{self, FORMS, Form};
use super::{Found, Rules, Search, assignment, cloud, escape, header, jwt, pem, url};

/// In how many buckets a searcher deals its texts, one after the other.
const BUCKETS: usize = 8;

/// How many bytes are looked at for a mark at a step.
const MARK_BYTES: usize = 128;

/// What is searched for: of every literal an end that is seldom met, a row for each bucket.
///
/// The searcher takes a bucket for one pattern of three bytes at first, in which each half of a byte may be that of any of its texts.
/// Texts that look alike share a bucket, and the bytes that events are full of are in few, so that it is seldom wrong. Only the last
/// rows may be shorter, and by one: the texts are dealt a column at a time.
static TEXTS: [&[&str]; BUCKETS] = [
    &["earer ", "_auth", "JQQJ99", "oken", "ghr_", "ya29.", "ghu_", "ghp_"],
    &["gsk_", "PWD", "BIA", "KIA", "pwd", "Pwd", "Iza", "lsoat-"],
    &["glcbt-", "sig=", "gldt-", "sic ", "sk-", "sig\\u003d", "pi-AgE", "pp-"],
    &["uth\"", "ecret", "eyJ", "glrt-", "ECRET", "glptt-", "glpat-", "uth\\"],
    &["SSWORD", "GR1348941", "st_", "CSPX-", "ft_", "hs_", "at_", "\\u00"],
    &["key", "ve_", "xox", "ho_", "KEY", "Key", "KEN", "ks.slack.com"],
    &["CCA", "HRASE", "--user", "+ASt", "SIA", "ASSWD", "CRET-KEY-1"],
    &["assphrase", "assword", " -u ", "pm_", "whsec_", "hf_", "asswd"],
];

/// Who looks on where a literal stands.
#[derive(Clone, Copy, Debug)]
enum Seek {
    /// The beginning of a token of this form.
    Token(&'static Form),
    /// The end of a name.
    Word(Word),
    Other(Look),
}

/// Looks on where a literal stands.
type Look = fn(&mut Search<'_>, Range<usize>);

static OTHERS: &[(&str, Look)] = &[
    ("sk-", token::seek_sk),
    ("xox", token::seek_slack),
    ("eyJ", jwt::seek),
    ("PRIVATE KEY", pem::seek),
    ("hooks.slack.com", url::seek_slack),
    ("earer ", header::seek_bearer),
    ("asic ", header::seek_basic),
    (" -u ", header::seek_user),
    ("--user", header::seek_user),
    ("auth\"", header::seek_auth),
    ("auth\\", header::seek_auth),
    ("_auth", header::seek_auth),
    ("\\u00", escape::seek),
    ("AKIA", cloud::seek_aws),
    ("ASIA", cloud::seek_aws),
    ("ABIA", cloud::seek_aws),
    ("ACCA", cloud::seek_aws),
    ("sig=", cloud::seek_signature),
    ("sig\\u003d", cloud::seek_signature),
    ("JQQJ99", cloud::seek_azure_service),
    ("+ASt", cloud::seek_azure_storage),
];

/// The literals, ready to be searched for.
#[derive(Clone, Debug)]
pub(super) struct Anchors {
    searcher: Searcher,
    /// The literals that end with a text, by its number; the longest first.
    ends: Vec<Vec<End>>,
}

/// A literal that ends with a text that is searched for.
#[derive(Clone, Copy, Debug)]
struct End {
    /// What stands before the text.
    before: &'static str,
    seek: Seek,
}

impl Anchors {
    pub(super) fn new() -> Self {
        let n_most = TEXTS.iter().map(|row| row.len()).max().unwrap_or_default();
        let dealt = (0..n_most).flat_map(|nth| TEXTS.iter().filter_map(move |row| row.get(nth)));
        let dealt: Vec<&str> = dealt.copied().collect();
        let mut ends = vec![Vec::new(); dealt.len()];
        for (literal, seek) in literals() {
            let is_end = |text: &usize| literal.ends_with(dealt[*text]);
            let text = (0..dealt.len()).filter(is_end).max_by_key(|text| dealt[*text].len());
            let text = text.expect("every literal ends with a text");
            ends[text].push(End { before: &literal[..literal.len() - dealt[text].len()], seek });
        }
        ends.iter_mut().for_each(|ends| ends.sort_by_key(|end| Reverse(end.before.len())));
        let build = |config: &Config| config.builder().extend(&dealt).build();
        // A searcher with more buckets takes half as many bytes at a step.
        let searcher = build(Config::new().only_teddy_fat(Some(false)))
            .or_else(|| build(Config::new().only_rabin_karp(true)));
        Self { searcher: searcher.expect("the texts are few and none is empty"), ends }
    }

    /// Adds what every rule finds in a line, as it is found. Returns whether escapes may hide more.
    #[inline]
    pub(super) fn search(&self, line: &[u8], rules: &Rules, found: &mut Vec<Found>) -> bool {
        let mut search = Search::new(line, rules, found);
        let mut at = 0;
        while let Some(text) = self.searcher.find_in(line, Span::from(at..line.len())) {
            // A text may begin within another, as the key's end does in `AGE-SECRET-KEY-1`.
            at = text.start() + 1;
            let ends = &self.ends[text.pattern().as_usize()];
            let end = ends.iter().find(|end| line[..text.start()].ends_with(end.before.as_bytes()));
            if let Some(end) = end {
                seek(&mut search, end.seek, text.start() - end.before.len()..text.end());
            }
        }
        if has_mark(line) {
            seek_marks(&mut search);
        }
        search.has_hidden
    }
}

fn literals() -> impl Iterator<Item = (&'static str, Seek)> {
    let forms = FORMS.iter().map(|form| (form.prefix, Seek::Token(form)));
    let words = WORDS.iter().map(|(literal, word)| (*literal, Seek::Word(*word)));
    let others = OTHERS.iter().map(|(literal, seek)| (*literal, Seek::Other(*seek)));
    forms.chain(words).chain(others)
}

/// Returns whether there is a byte in a line that [`seek_marks`] looks at.
///
/// Most lines have none, and of them this makes sure in a fifth of the time that a search for the first takes.
fn has_mark(line: &[u8]) -> bool {
    let is_mark =
        |byte: &u8| u8::from(*byte == b'@') | u8::from(*byte == b'~') | u8::from(*byte == b'%');
    let has_mark =
        |chunk: &[u8; MARK_BYTES]| chunk.iter().fold(0, |marks, byte| marks | is_mark(byte)) != 0;
    match line.last_chunk() {
        Some(last) => has_mark(last) || line.as_chunks().0.iter().any(has_mark),
        None => line.iter().any(|byte| is_mark(byte) != 0),
    }
}

fn seek_marks(search: &mut Search<'_>) {
    let mut before = None;
    for at in memchr3_iter(b'@', b'~', b'%', search.line) {
        match search.line[at] {
            b'@' => before = Some(url::seek(search, at, before)),
            b'%' if search.line[at..].starts_with(b"%40") => {
                before = Some(url::seek_escaped(search, at, before));
            }
            b'%' => {}
            _ => cloud::seek_azure_client(search, at),
        }
    }
}

fn seek(search: &mut Search<'_>, seek: Seek, anchor: Range<usize>) {
    match seek {
        Seek::Token(form) => token::seek(search, form, anchor),
        Seek::Word(word) => assignment::seek(search, word, anchor),
        Seek::Other(seek) => seek(search, anchor),
    }
}

#[cfg(test)]
mod tests {
    use super::{Anchors, TEXTS, literals};

    #[test]
    fn every_literal_is_searched_for_by_its_end() {
        let anchors = Anchors::new();
        assert!(anchors.ends.iter().all(|ends| !ends.is_empty()), "a text ends no literal");
        assert_eq!(anchors.ends.iter().map(Vec::len).sum::<usize>(), literals().count());
    }

    #[test]
    fn no_text_hides_another_that_begins_with_it() {
        let texts: Vec<_> = TEXTS.iter().copied().flatten().collect();
        let hides = |a: &str| texts.iter().filter(|b| b.starts_with(a)).count() > 1;
        let hidden: Vec<_> = texts.iter().filter(|text| hides(text)).collect();
        assert!(hidden.is_empty(), "{hidden:?}");
    }

    #[test]
    fn a_row_of_texts_is_a_bucket() {
        let lengths = TEXTS.map(<[&str]>::len);
        assert!(lengths.is_sorted_by(|a, b| a >= b), "{lengths:?}");
        assert!(lengths[0] - lengths[lengths.len() - 1] <= 1, "{lengths:?}");
    }
}
