//! Made-up records and filters for the property tests.

use proptest::prelude::{BoxedStrategy, Just, Strategy, any, prop_oneof};
use proptest::{collection, sample};
use weft_event::Dialect;

use super::now_ns;
use crate::{Carried, Mark, Meta, Position, TopicKey};

/// How many made-up events there are.
pub(super) const N_EVENTS: usize = 300;

/// Returns made-up events of every dialect, and a few that no producer would write.
pub(super) fn events() -> Vec<String> {
    let odd = [
        r#"{"version":"1.0.0","event_type":"tool.pre","timestamp":"2026-11-14T10:00:00Z","agent_id":"a*b?[c]","session_id":"Ünïcode \"quoted\"","message":"naïve CAFÉ","tool":{"tool_name":"Ba\u0000sh"}}"#,
        r#"{"schema_version":1,"timestamp":"2026-11-14T10:00:00.5Z","event_type":"bead.claimed","worker_id":"alpha","session_id":"","sequence":18446744073709551615,"bead_id":"bd-42","data":{"priority":1,"tags":["red","Blue"],"note":null,"bead_id":"bd-42"}}"#,
        r#"{"schema_version":1,"timestamp":"not a time","event_type":"bead.released","worker_id":"alpha","session_id":"s","sequence":3,"data":{"हिन्दी":"नमस्ते दुनिया","ß":"STRASSE straße"}}"#,
    ];
    let odd = odd.into_iter().map(str::to_owned);
    odd.chain(weft_event::sample::events(7)).take(N_EVENTS).collect()
}

/// Returns what the log adds to the nth event: every way that it can look like, in turn.
pub(super) fn meta(n: usize, dialect: Dialect) -> Meta {
    let position = Position::new(n as u64 + 1).unwrap();
    let topic = |n: usize| TopicKey {
        topic: ["loop:current", "lease"][n % 2].to_owned(),
        key: (!n.is_multiple_of(3)).then(|| format!("key {}", n % 5)),
    };
    let mark = Mark {
        dialect,
        via: ["hook", "http", "emit"][n % 3].into(),
        crc: 0,
        delivery: None,
        topic: n.is_multiple_of(4).then(|| topic(n / 4)),
        carried: n.is_multiple_of(7).then_some(Carried { position: Position::FIRST, at_us: 0 }),
        conflict: n.is_multiple_of(11).then_some(Position::FIRST),
    };
    let at_us = (!n.is_multiple_of(13)).then(|| now_ns() / 1000 - 1_000_000 * n as i64);
    Meta { position, at_us, mark: (!n.is_multiple_of(17)).then_some(mark) }
}

const WORDS: &[&str] = &["error", "bd", "cafe", "नमस्ते", "STRASSE", "the", "3", "and"];

const TEXT_FIELDS: &str = "type actor subject parent session tenant task tool path message trace span model topic key via \
    .data.bead_id .tool.tool_name .agent_id .data.tags .event_type .data.tags[] .items[0].x .[\"odd\\\"name\"]";

const TEXTS: &str = "alpha * bead.* *.*ed a*b?[c] \"a*b?[c]\" hook lease bd-42 Bash Edit 'key\\u{20}1' \"\" src/* @* \
    loop:current ????? \"bd-42\" null 1";

const REGEXES: &str = r#"^a "e$" [0-9]{2} (?i)BASH|edit 'a"b' "it's" \.rs (a|b)\)? """#;

const TIMES: &str = "2h 10m 7s 1w 2026-11-14 2026-11-15T11:59 \"2026-11-14\\u{20}10:00:00.5\" \
    2026-11-15T13:00:00.000000001+02:00 2025-01-01";

const TERMS: &str = "dialect=needle dialect!=weft status:error status=* status=t* status~e level>=warn level<info \
    level=INFO has:task has:.data has:level ended=yes ended:no has:conflict carried=yes unverified!=yes .data.note=null \
    .data.note=* duration>5s duration<=1.5m duration=250ms has:duration has:cost has:progress * has:topic .event_type=* \
    .schema_version=1 .schema_version=\"1\" priority:1 event_type:bead.claimed";

/// Makes terms that parse, many of which match some of the made-up events.
pub(super) fn term() -> BoxedStrategy<String> {
    prop_oneof![search(), text_comparison(), number_comparison(), time_comparison(), one_of(TERMS)]
        .boxed()
}

fn one_of(list: &'static str) -> impl Strategy<Value = String> {
    let items: Vec<&str> = list.split_whitespace().collect();
    sample::select(items).prop_map(str::to_owned)
}

fn search() -> impl Strategy<Value = String> {
    let word = || sample::select(WORDS);
    let is_letter = |c: char| c.is_alphanumeric() && !('\u{300}'..='\u{36f}').contains(&c);
    let with_word = any::<String>().prop_filter("no word", move |text| text.contains(is_letter));
    prop_oneof![
        word().prop_map(|word| format!("\"{word}\"")),
        word().prop_map(|word| format!("\"{word}\"*")),
        word().prop_map(|word| format!("x{word}*")),
        (word(), word()).prop_map(|(a, b)| format!("'{a} {b}'")),
        with_word.prop_map(|text| quoted(&text)),
    ]
}

fn text_comparison() -> impl Strategy<Value = String> {
    let text = prop_oneof![
        one_of(TEXTS),
        "[a-zA-Z0-9._*?-]{1,8}",
        any::<String>().prop_map(|text| quoted(&text)),
    ];
    let value = prop_oneof![
        (one_of("= !="), text).prop_map(|(operator, text)| format!("{operator}{text}")),
        (one_of("~ !~"), one_of(REGEXES))
            .prop_map(|(operator, regex)| format!("{operator}{regex}")),
    ];
    (one_of(TEXT_FIELDS), value).prop_map(|(field, value)| format!("{field}{value}"))
}

fn operator() -> impl Strategy<Value = String> {
    one_of("= != < <= > >= :")
}

fn number_comparison() -> impl Strategy<Value = String> {
    let whole = prop_oneof![
        (Just("position"), 0..400_i64),
        (Just("order"), -1..40_i64),
        (Just("order"), Just(i64::MAX)),
        (Just("input_tokens"), 0..9000_i64),
        (Just("output_tokens"), 0..9000_i64),
        (Just("tokens"), 0..9000_i64),
        (Just(".data.priority"), 0..4_i64),
    ];
    let decimal = (one_of("progress cost .progress"), 0.0..1.0_f64);
    prop_oneof![
        (whole, operator())
            .prop_map(|((field, number), operator)| format!("{field}{operator}{number}")),
        (decimal, operator())
            .prop_map(|((field, number), operator)| format!("{field}{operator}{number:?}")),
    ]
}

fn time_comparison() -> impl Strategy<Value = String> {
    let of_field = (one_of("time at .timestamp"), operator(), one_of(TIMES));
    prop_oneof![
        of_field.prop_map(|(field, operator, time)| format!("{field}{operator}{time}")),
        (one_of("since until"), one_of(TIMES)).prop_map(|(field, time)| format!("{field}:{time}")),
    ]
}

/// A filter as a tree, to be evaluated the obvious way.
#[derive(Clone, Debug)]
pub(super) enum Tree {
    Term(String),
    And(Vec<Tree>),
    Or(Vec<Tree>),
    Not(Box<Tree>),
}

/// Makes trees of such terms.
pub(super) fn tree() -> impl Strategy<Value = Tree> {
    term().prop_map(Tree::Term).prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            collection::vec(inner.clone(), 1..4).prop_map(Tree::And),
            collection::vec(inner.clone(), 1..4).prop_map(Tree::Or),
            inner.prop_map(|inner| Tree::Not(Box::new(inner))),
        ]
    })
}

impl Tree {
    /// Returns the tree as a filter, written in all the ways there are.
    pub(super) fn text(&self) -> String {
        match self {
            Tree::Term(term) => term.clone(),
            Tree::And(parts) => join(parts, [" ", " and ", "\n AND\t"][parts.len() % 3]),
            Tree::Or(parts) => join(parts, [" or ", " OR "][parts.len() % 2]),
            Tree::Not(part) => match part.as_ref() {
                Tree::Term(term) => format!("-{term}"),
                Tree::And(_) => format!("not {}", part.text()),
                Tree::Or(_) | Tree::Not(_) => format!("!({})", part.text()),
            },
        }
    }

    /// Evaluates the tree, with each term's result given.
    pub(super) fn evaluate(&self, term: &mut impl FnMut(&str) -> bool) -> bool {
        match self {
            Tree::Term(text) => term(text),
            Tree::And(parts) => parts.iter().all(|part| part.evaluate(term)),
            Tree::Or(parts) => parts.iter().any(|part| part.evaluate(term)),
            Tree::Not(part) => !part.evaluate(term),
        }
    }
}

fn join(parts: &[Tree], between: &str) -> String {
    let parts: Vec<String> = parts.iter().map(Tree::text).collect();
    format!("({})", parts.join(between))
}

/// Returns a text in quotes, every character of it escaped that can be.
fn quoted(text: &str) -> String {
    let escaped: String = text.chars().map(|c| format!("\\u{{{:x}}}", u32::from(c))).collect();
    format!("\"{escaped}\"")
}
