//! Mutations that know the structure of a line, and some that do not.

use std::collections::BTreeSet;

use crate::dice::Dice;
use crate::tree::Tree;

/// Strings that a schema or a format cares about, as JSON.
const TEXTS: &[&str] = &[
    r#""""#,
    r#"" ""#,
    r#""é""#,
    r#""\u0000""#,
    r#""2026-01-31T09:30:00Z""#,
    r#""2026-01-31t09:30:00.5+05:30""#,
    r#""2026-02-29T09:30:00Z""#,
    r#""2024-02-29T09:30:00z""#,
    r#""2026-01-31T09:30:00""#,
    r#""2026-01-31 09:30:00Z""#,
    r#""2026-01-31T24:00:00Z""#,
    r#""2016-12-31T23:59:60Z""#,
    r#""2016-12-31T15:59:60-08:00""#,
    r#""2016-12-31T12:00:60Z""#,
    r#""2026-01-31T09:30:00+24:00""#,
    r#""2026-01-31T09:30:00.Z""#,
    r#""2026-01-31T09:30:00\u005A""#,
    r#""２026-01-31T09:30:00Z""#,
    r#""é26-01-31T09:30:00Z""#,
    r#""019cad3a-0000-7abc-a123-0123456789ab""#,
    r#""019CAD3A-0000-7ABC-A123-0123456789AB""#,
    r#""019cad3a00007abca1230123456789ab""#,
    r#""{019cad3a-0000-7abc-a123-0123456789ab}""#,
    r#""019cad3a-0000-7abc-a123-0123456789ag""#,
    r#""1.0.0""#,
    r#""1.10.0""#,
    r#""2.0.0""#,
    r#""1.0""#,
    r#""1.0.0-rc1""#,
    r#""1.0.0\n""#,
    r#""１.0.0""#,
    r#""99999999999999999999.0.0""#,
    r#""hook.""#,
    r#""hook.stop\n""#,
    r#""hook.Stop""#,
    r#""hook.post_tool_use_2""#,
    r#""hook.s\u0074op""#,
    r#""hooks.stop""#,
    r#""loop-1703123456-12345""#,
    r#""loop-x-1""#,
    r#""3/10""#,
    r#""v1""#,
    r#""v2""#,
    r#""\ud83d\ude80""#,
];

/// Numbers at the edges, in every spelling.
const NUMBERS: &[&str] = &[
    "0",
    "-0",
    "-0.0",
    "0.0",
    "1",
    "1.0",
    "1e0",
    "10e-1",
    "1e2",
    "1.5",
    "-1",
    "-1.0",
    "2",
    "3",
    "0.5",
    "1.0000001",
    "-0.0000001",
    "9007199254740993",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775809",
    "18446744073709551615",
    "18446744073709551616",
    "1e300",
    "-1e300",
    "1e-300",
    "123456789012345678901234567890",
    "0.1e1",
    "1E+2",
];

const OTHERS: &[&str] = &[
    "null",
    "true",
    "false",
    "[]",
    "{}",
    "[null]",
    r#"{"a":1}"#,
    r#"["a"]"#,
    r#"[["a"]]"#,
    "[{}]",
];

/// Bytes that matter to a JSON parser.
const BYTES: &[u8] = b"\"\\{}[]:,.0123456789-+eEutrfn \t\n\r\0\x1f\x7f\xc3\xed\xa0\xff/";

/// The words that a schema allows somewhere, and the keys that it knows, as JSON.
pub(crate) struct Words {
    allowed: Vec<String>,
    keys: Vec<String>,
}

impl Words {
    pub(crate) fn of_schema(schema: &str) -> Words {
        let schema: serde_json::Value = serde_json::from_str(schema).expect("a schema is JSON");
        let mut allowed = BTreeSet::new();
        let mut keys = BTreeSet::from([r#""unheard_of""#.to_owned()]);
        collect(&schema, &mut allowed, &mut keys);
        Words { allowed: allowed.into_iter().collect(), keys: keys.into_iter().collect() }
    }
}

fn collect(
    schema: &serde_json::Value,
    allowed: &mut BTreeSet<String>,
    keys: &mut BTreeSet<String>,
) {
    use serde_json::Value;
    match schema {
        Value::Object(members) => {
            for (key, member) in members {
                match (key.as_str(), member) {
                    ("enum", Value::Array(words)) => {
                        allowed.extend(words.iter().map(Value::to_string))
                    }
                    ("const", word) => drop(allowed.insert(word.to_string())),
                    ("properties", Value::Object(fields)) => {
                        keys.extend(fields.keys().map(|key| Value::from(key.as_str()).to_string()));
                        fields.values().for_each(|field| collect(field, allowed, keys));
                    }
                    (_, member) => collect(member, allowed, keys),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, allowed, keys)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Returns the line with none to a few mutations.
pub(crate) fn line(start: &str, words: &Words, dice: &mut Dice) -> Vec<u8> {
    let mut tree = Tree::parse(start);
    let n_harmless = dice.below(3);
    (0..n_harmless).for_each(|_| harmless(&mut tree, dice));
    let n_harmful = dice.pick(&[0, 1, 1, 1, 2, 3]);
    (0..n_harmful).for_each(|_| anything(&mut tree, words, dice));
    let mut text = String::new();
    tree.write(dice.pick(&["", "", " ", "\t\r\n "]), &mut text);
    let mut bytes = text.into_bytes();
    if dice.chance(8) {
        damage(&mut bytes, dice);
    }
    bytes
}

/// Changes the spelling or the order, or takes out a field that may be optional.
fn harmless(tree: &mut Tree, dice: &mut Dice) {
    let nth = dice.below(tree.n_values());
    let Some(found) = tree.nth(nth) else { return };
    match found {
        Tree::Object(members) if dice.chance(50) => {
            let n = members.len();
            if n > 1 {
                members.swap(dice.below(n), dice.below(n));
            }
        }
        Tree::Object(members) => {
            if let Some(idx) = (!members.is_empty()).then(|| dice.below(members.len())) {
                members[idx].0 = escape_one(&members[idx].0, dice);
            }
        }
        Tree::Scalar(raw) if raw.starts_with('"') => *raw = escape_one(raw, dice),
        Tree::Scalar(raw) if raw.bytes().all(|byte| byte.is_ascii_digit()) => {
            raw.push_str(dice.pick(&[".0", "e0", ".00E+0"]));
        }
        Tree::Scalar(_) | Tree::Array(_) => {}
    }
}

/// Spells one plain letter of a string as an escape.
fn escape_one(raw: &str, dice: &mut Dice) -> String {
    let letters: Vec<usize> = raw
        .char_indices()
        .filter(|(at, c)| c.is_ascii_alphanumeric() && !raw[..*at].ends_with('\\'))
        .map(|(at, _)| at)
        .collect();
    if raw.contains('\\') || letters.is_empty() {
        return raw.to_owned();
    }
    let at = dice.pick(&letters);
    format!("{}\\u{:04x}{}", &raw[..at], raw.as_bytes()[at], &raw[at + 1..])
}

/// Changes the structure or a value, mostly near the top, where the rules are.
fn anything(tree: &mut Tree, words: &Words, dice: &mut Dice) {
    let nth = if dice.chance(40) { 0 } else { dice.below(tree.n_values()) };
    let Some(found) = tree.nth(nth) else { return };
    match found {
        Tree::Object(members) if dice.chance(90) => change_members(members, words, dice),
        Tree::Array(items) if dice.chance(70) => match dice.below(3) {
            0 => items.push(any_value(words, dice)),
            1 => drop(items.pop()),
            _ => items.iter_mut().for_each(|item| *item = any_value(words, dice)),
        },
        other => *other = near(other, words, dice),
    }
}

fn change_members(members: &mut Vec<(String, Tree)>, words: &Words, dice: &mut Dice) {
    let n = members.len();
    match dice.below(if n == 0 { 1 } else { 9 }) {
        0 => {
            let member = (new_key(members, words, dice), any_value(words, dice));
            members.insert(dice.below(n + 1), member);
        }
        1 | 2 => drop(members.remove(dice.below(n))),
        3 => members[dice.below(n)].0 = new_key(members, words, dice),
        4 => {
            let (_, value) = members[dice.below(n)].clone();
            members.push((new_key(members, words, dice), value));
        }
        5 if dice.chance(15) => {
            let twice = members[dice.below(n)].clone();
            members.insert(dice.below(n + 1), twice);
        }
        _ => {
            let idx = dice.below(n);
            members[idx].1 = near(&members[idx].1, words, dice);
        }
    }
}

/// Returns a key that the schema knows somewhere and that the object does not have, as far as a few tries find one.
fn new_key(members: &[(String, Tree)], words: &Words, dice: &mut Dice) -> String {
    let is_new = |key: &String| members.iter().all(|(known, _)| known != key);
    let tries: Vec<_> = (0..4).map(|_| dice.pick(&words.keys)).collect();
    tries.into_iter().find(is_new).unwrap_or_else(|| format!("\"unheard_of_{}\"", members.len()))
}

/// Returns another value in the place of this one: half the time of the same JSON type.
fn near(old: &Tree, words: &Words, dice: &mut Dice) -> Tree {
    if dice.chance(50) {
        if old.is_text() {
            return Tree::Scalar(any_text(words, dice));
        }
        if old.is_number() {
            return Tree::Scalar(dice.pick(NUMBERS).to_owned());
        }
    }
    any_value(words, dice)
}

fn any_value(words: &Words, dice: &mut Dice) -> Tree {
    match dice.below(4) {
        0 => Tree::Scalar(dice.pick(NUMBERS).to_owned()),
        1 => Tree::parse(dice.pick(OTHERS)),
        _ => Tree::Scalar(any_text(words, dice)),
    }
}

fn any_text(words: &Words, dice: &mut Dice) -> String {
    if !words.allowed.is_empty() && dice.chance(50) {
        return dice.pick(&words.allowed);
    }
    dice.pick(TEXTS).to_owned()
}

/// Changes single bytes, as a disk or a bad writer would.
fn damage(bytes: &mut Vec<u8>, dice: &mut Dice) {
    for _ in 0..=dice.below(2) {
        if bytes.is_empty() {
            return;
        }
        let at = dice.below(bytes.len());
        match dice.below(5) {
            0 => bytes[at] = dice.pick(BYTES),
            1 => bytes.insert(at, dice.pick(BYTES)),
            2 => drop(bytes.remove(at)),
            3 => bytes.truncate(at),
            _ => bytes[at] ^= 1 << dice.below(8),
        }
    }
}
