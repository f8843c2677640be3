//! The one search: the literals that rules begin with, and who looks on where one stands.

use std::ops::Range;

use aho_corasick::packed::{Config, Searcher};
use memchr::memchr2_iter;

use super::name::{WORDS, Word};
use super::token::{self, FORMS, Form};
use super::{Found, Rules, Search, assignment, cloud, header, jwt, pem, url};

/// Most literals of a searcher. With more it takes half as many bytes at a step.
const LITERALS_MAX: usize = 32;

/// In how many buckets a searcher deals its literals, one after the other.
const BUCKETS: usize = 8;

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
    parts: Vec<Part>,
}

#[derive(Clone, Debug)]
struct Part {
    searcher: Searcher,
    /// Who looks on, by the number of the literal.
    seeks: Vec<Seek>,
}

impl Anchors {
    pub(super) fn new() -> Self {
        let forms = FORMS.iter().map(|form| (form.prefix, Seek::Token(form)));
        let words = WORDS.iter().map(|(literal, word)| (*literal, Seek::Word(*word)));
        let others = OTHERS.iter().map(|(literal, seek)| (*literal, Seek::Other(*seek)));
        let mut literals: Vec<_> = forms.chain(words).chain(others).collect();
        literals.sort_by_cached_key(|(literal, _)| literal.to_ascii_lowercase());
        Self { parts: literals.chunks(LITERALS_MAX).map(Part::new).collect() }
    }

    /// Adds what every rule finds in a line, as it is found.
    #[inline]
    pub(super) fn search(&self, line: &[u8], rules: &Rules, found: &mut Vec<Found>) {
        let mut search = Search::new(line, rules, found);
        for part in &self.parts {
            for anchor in part.searcher.find_iter(line) {
                if search.bytes_left == 0 {
                    break;
                }
                seek(&mut search, part.seeks[anchor.pattern().as_usize()], anchor.range());
            }
        }
        for at in memchr2_iter(b'@', b'~', line) {
            match line[at] {
                _ if search.bytes_left == 0 => break,
                b'@' => url::seek(&mut search, at),
                _ => cloud::seek_azure_client(&mut search, at),
            }
        }
    }
}

impl Part {
    /// Makes a searcher of literals that are in the order of the alphabet.
    ///
    /// It takes a bucket's literals for one pattern at first, in which each byte may be that of any of them. Where those that share
    /// a bucket look alike, it is seldom wrong: they are dealt so that neighbours meet.
    fn new(sorted: &[(&'static str, Seek)]) -> Self {
        let n_each = sorted.len().div_ceil(BUCKETS);
        let places =
            (0..n_each).flat_map(|nth| (0..BUCKETS).map(move |bucket| bucket * n_each + nth));
        let dealt: Vec<_> = places.filter_map(|place| sorted.get(place)).collect();
        let build = |config: &Config| {
            config.builder().extend(dealt.iter().map(|(literal, _)| literal)).build()
        };
        let searcher = build(&Config::new()).or_else(|| build(Config::new().only_rabin_karp(true)));
        Self {
            searcher: searcher.expect("the literals are few and none is empty"),
            seeks: dealt.iter().map(|(_, seek)| *seek).collect(),
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
