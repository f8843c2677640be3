//! Moving values out of events and back.

use std::fs;
use std::sync::LazyLock;

use proptest::prelude::*;
use weft_event::event::{self, Expect};
use weft_event::json::{LINE_BYTES_MAX, Tape};
use weft_event::problem::Problems;
use weft_event::{Dialect, sample};

use super::{files_in, store};
use crate::Hash;
use crate::blobs::{
    BlobError, BlobRef, Blobs, EVENT_BYTES_MAX, ShrinkError, ShrinkRules, Shrunk, Which,
    references, restore, shrink,
};
use crate::redact::Redaction;

const NONE_STAYS: &dyn Fn(&str) -> bool = &|_| false;

fn until(event_bytes_max: usize) -> ShrinkRules<'static> {
    static NOTHING: LazyLock<Redaction> = LazyLock::new(Redaction::default);
    ShrinkRules {
        redaction: &NOTHING,
        via: "test",
        dialect: Dialect::Weft,
        event_bytes_max,
        which: Which::Largest,
        stays: NONE_STAYS,
    }
}

/// Returns an event of Weft's own dialect with these members in its data.
fn own(data: &str) -> String {
    format!(
        r#"{{"weft":1,"type":"issue.changed","id":"i-1","at":"2026-11-15T10:00:00Z","data":{{"issue_id":"7"{data}}}}}"#
    )
}

/// Shows a line with every long run of a letter and every hash cut short.
fn short(line: &[u8]) -> String {
    let line = std::str::from_utf8(line).unwrap();
    let hash = regex::Regex::new("[0-9a-f]{64}").unwrap().replace_all(line, "<hash>");
    let mut shown = String::new();
    for letter in hash.split_inclusive(|_| true) {
        let n = shown.len();
        if n < 3 || letter.repeat(3) != shown[n - 3..] {
            shown.push_str(letter);
        }
    }
    shown
}

fn restored(shrunk: &Shrunk<'_>, blobs: &Blobs) -> Vec<u8> {
    let restored = restore(&shrunk.line, blobs).unwrap();
    assert!(restored.left.is_empty());
    assert_eq!(restored.n_restored, shrunk.moved.len());
    restored.line.into_owned()
}

fn is_valid(line: &[u8], dialect: Dialect) -> bool {
    let mut tape = Tape::new();
    let mut problems = Problems::new();
    let event = event::read(&mut tape, line, Expect::Dialect(dialect), &mut problems);
    event.is_some() && problems.list().is_empty()
}

#[test]
fn an_event_that_fits_is_left_alone() {
    let (_folder, blobs) = store();
    let line = own(&format!(r#","x":"{}""#, "x".repeat(900_000)));
    let shrunk = shrink(line.as_bytes(), &until(EVENT_BYTES_MAX), &blobs).unwrap();
    assert_eq!((&shrunk.line[..], shrunk.moved.len()), (line.as_bytes(), 0));
    assert!(!blobs.folder.exists());
}

#[test]
fn the_largest_strings_go_until_the_event_fits() {
    let (_folder, blobs) = store();
    let [x, y, z] = [("x", 1500), ("y", 3000), ("z", 2000)].map(|(letter, n)| letter.repeat(n));
    let line = own(&format!(
        r#", "{x}" : [ "{x}",{{"b":"{y}"}} ],"c":"{z}\u0021","d":"{}""#,
        "w".repeat(1000)
    ));
    let shrunk = shrink(line.as_bytes(), &until(5300), &blobs).unwrap();
    insta::assert_snapshot!(short(&shrunk.line), @r#"{"weft":1,"type":"issue.changed","id":"i-1","at":"2026-11-15T10:00:00Z","data":{"issue_id":"7", "xxx" : [ "xxx",{"b":"weft-blob:<hash>:3000:yyy"} ],"c":"weft-blob:<hash>:2006:zzz","d":"www"}}"#);
    assert_eq!(shrunk.moved.iter().map(|moved| moved.bytes).collect::<Vec<_>>(), [3000, 2006]);
    assert_eq!(references(&shrunk.line).unwrap(), shrunk.moved);
    assert!(shrunk.line.len() <= 5300);
    assert!(is_valid(&shrunk.line, Dialect::Weft));
    assert_eq!(restored(&shrunk, &blobs), line.as_bytes());
}

#[test]
fn hooks_move_every_string_from_a_length() {
    let (_folder, blobs) = store();
    let line = own(&format!(
        r#","a":"{}","b":"{}","c":"{}""#,
        "a".repeat(4096),
        "b".repeat(4095),
        "c".repeat(9000)
    ));
    let rules = ShrinkRules { which: Which::AllFrom { bytes: 4096 }, ..until(EVENT_BYTES_MAX) };
    let shrunk = shrink(line.as_bytes(), &rules, &blobs).unwrap();
    assert_eq!(shrunk.moved.iter().map(|moved| moved.bytes).collect::<Vec<_>>(), [4096, 9000]);
    assert_eq!(restored(&shrunk, &blobs), line.as_bytes());
    let tight = ShrinkRules { event_bytes_max: 4000, ..rules };
    assert_eq!(shrink(line.as_bytes(), &tight, &blobs).unwrap().moved.len(), 3);
}

#[test]
fn the_same_value_twice_is_one_blob() {
    let (_folder, blobs) = store();
    let value = "v".repeat(5000);
    let line = own(&format!(r#","a":"{value}","b":"{value}""#));
    let shrunk = shrink(line.as_bytes(), &until(2000), &blobs).unwrap();
    assert_eq!(shrunk.moved.len(), 2);
    assert_eq!(files_in(&blobs.folder).len(), 1);
    assert_eq!(restored(&shrunk, &blobs), line.as_bytes());
}

#[test]
fn an_event_that_stays_too_large_is_refused_with_its_sizes_and_leaves_no_blob() {
    let (_folder, blobs) = store();
    let line = own(&format!(r#","n":[{}1],"s":"{}""#, "1,".repeat(3000), "s".repeat(4000)));
    let error = shrink(line.as_bytes(), &until(5000), &blobs).unwrap_err();
    insta::assert_snapshot!(error, @"an event of 10111 bytes is too large: 6391 without what can be moved, 5000 at most");
    assert!(!blobs.folder.exists());
    let torn = shrink(&line.as_bytes()[..6000], &until(5000), &blobs);
    assert!(matches!(torn, Err(ShrinkError::Syntax(_))));
}

#[test]
fn what_the_caller_holds_on_to_stays() {
    let (_folder, blobs) = store();
    let line = own(&format!(r#","a/b":["{}"],"c":"{}""#, "a".repeat(9000), "c".repeat(3000)));
    let rules = ShrinkRules { stays: &|pointer| pointer == "/data/a~1b/0", ..until(11_000) };
    let shrunk = shrink(line.as_bytes(), &rules, &blobs).unwrap();
    assert_eq!(shrunk.moved.iter().map(|moved| moved.bytes).collect::<Vec<_>>(), [3000]);
}

#[test]
fn what_makes_the_event_what_it_is_stays() {
    let (_folder, blobs) = store();
    let id = "i".repeat(9000);
    let line = own(&format!(r#","c":"{}""#, "c".repeat(3000))).replace("i-1", &id);
    let shrunk = shrink(line.as_bytes(), &until(11_000), &blobs).unwrap();
    assert_eq!(shrunk.moved.iter().map(|moved| moved.bytes).collect::<Vec<_>>(), [3000]);
    let error = shrink(line.as_bytes(), &until(9000), &blobs).unwrap_err();
    assert!(matches!(error, ShrinkError::TooLarge { bytes_max: 9000, .. }));
}

#[test]
fn a_value_that_no_reference_may_replace_stays_and_the_next_one_goes() {
    let (_folder, blobs) = store();
    let line = sample::of_type(Dialect::Idle, "STATE", 7);
    let path = format!("/{}/prompt.txt", "p".repeat(6000));
    let prompt = regex::Regex::new(r#""prompt_file":"[^"]*""#).unwrap();
    let line = prompt.replace(&line, format!(r#""prompt_file":"{path}""#)).into_owned();
    let line = line.replacen('{', &format!(r#"{{"note":"{}","#, "n".repeat(2000)), 1);
    assert!(line.contains(&path) && is_valid(line.as_bytes(), Dialect::Idle), "{line}");
    let rules = ShrinkRules { dialect: Dialect::Idle, ..until(line.len() - 1000) };
    let shrunk = shrink(line.as_bytes(), &rules, &blobs).unwrap();
    assert_eq!(shrunk.moved.iter().map(|moved| moved.bytes).collect::<Vec<_>>(), [2000]);
    assert!(is_valid(&shrunk.line, Dialect::Idle));
    assert_eq!(restored(&shrunk, &blobs), line.as_bytes());
}

#[test]
fn a_reference_without_its_blob_stays_and_is_reported() {
    let (_folder, blobs) = store();
    let value = "v".repeat(5000);
    let line = own(&format!(r#","a":"{value}","b":"{}""#, "w".repeat(5000)));
    let shrunk = shrink(line.as_bytes(), &until(2000), &blobs).unwrap();
    fs::remove_file(blobs.path_of(&shrunk.moved[1].hash)).unwrap();
    let restored = restore(&shrunk.line, &blobs).unwrap();
    assert_eq!(restored.n_restored, 1);
    let [(reference, BlobError::Missing { .. })] = &restored.left[..] else {
        panic!("{:?}", restored.left)
    };
    assert_eq!(*reference, shrunk.moved[1]);
    let expected = own(&format!(r#","a":"{value}","b":"{reference}""#));
    assert_eq!(restored.line, expected.as_bytes());
}

#[test]
fn a_producers_own_text_of_that_form_comes_back_as_it_was() {
    let (_folder, blobs) = store();
    let stored = blobs.put(b"a stored value").unwrap();
    let absent = BlobRef::of_raw(b"never stored").unwrap();
    for own_text in [
        "weft-blob: a note about blobs".to_owned(),
        absent.to_string(),
        format!("weft-blob:{}:14:my own words", stored.hash),
        format!("weft-blob:{}:15:a stored value", stored.hash),
    ] {
        let line = own(&format!(r#","own":"{own_text}""#));
        let restored = restore(line.as_bytes(), &blobs).unwrap();
        assert_eq!(restored.line, line.as_bytes());
        assert_eq!(restored.left.len(), usize::from(BlobRef::parse(&own_text).is_some()));
    }
}

#[test]
fn a_planted_file_cannot_break_out_of_its_string() {
    let (_folder, blobs) = store();
    let planted = br#"x","admin":"yes"#;
    let hash = Hash::of(planted);
    let path = blobs.path_of(&hash);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, planted).unwrap();
    let line = own(&format!(r#","a":"weft-blob:{hash}:{}:x""#, planted.len()));
    let restored = restore(line.as_bytes(), &blobs).unwrap();
    assert_eq!(restored.line, line.as_bytes());
    assert!(matches!(&restored.left[..], [(_, BlobError::NotText { .. })]));
}

#[test]
fn many_references_to_one_large_blob_do_not_outgrow_a_line() {
    let (_folder, blobs) = store();
    let reference = blobs.put(&vec![b'x'; 5 << 20]).unwrap();
    let line = own(&format!(r#","a":["{reference}","{reference}","{reference}","{reference}"]"#));
    let restored = restore(line.as_bytes(), &blobs).unwrap();
    assert!(restored.line.len() <= LINE_BYTES_MAX);
    assert_eq!(restored.n_restored, 3);
    assert!(matches!(&restored.left[..], [(_, BlobError::LineTooLong { .. })]));
}

#[test]
fn many_references_that_do_not_hold_are_not_all_read() {
    let (_folder, blobs) = store();
    let reference = blobs.put(&vec![b'x'; 5 << 20]).unwrap();
    let other = format!("{}y", reference.to_string().trim_end_matches('x'));
    let line = own(&format!(r#","a":["{other}","{other}","{other}","{other}","{reference}"]"#));
    let restored = restore(line.as_bytes(), &blobs).unwrap();
    assert_eq!((&restored.line[..], restored.n_restored), (line.as_bytes(), 0));
    let (read, unread) = restored.left.split_at(4);
    assert!(read.iter().all(|(_, why)| matches!(why, BlobError::NotAsReferred { .. })));
    assert!(unread.iter().all(|(_, why)| matches!(why, BlobError::LineTooLong { .. })));
    let shorter = other.replace(":5242880:", ":5:");
    let line_of_shorter = own(&format!(r#","a":"{shorter}""#));
    let restored = restore(line_of_shorter.as_bytes(), &blobs).unwrap();
    assert!(matches!(&restored.left[..], [(_, BlobError::NotAsReferred { .. })]));
    fs::remove_file(blobs.path_of(&reference.hash)).unwrap();
    let present = blobs.put(b"here").unwrap();
    let line = line.replace(&reference.to_string(), &present.to_string());
    let restored = restore(line.as_bytes(), &blobs).unwrap();
    assert_eq!((restored.n_restored, restored.left.len()), (1, 4), "what is missing costs nothing");
    let huge = other.replace(":5242880:", ":16777214:");
    let line = own(&format!(r#","a":["{huge}","{present}"]"#));
    let restored = restore(line.as_bytes(), &blobs).unwrap();
    assert_eq!((restored.n_restored, restored.left.len()), (1, 1), "nor what is not read");
}

#[test]
fn a_damaged_line_is_an_error() {
    let (_folder, blobs) = store();
    assert!(restore(br#"{"a":"weft-blob:"#, &blobs).is_err());
}

/// Makes the strings of an event long, one after the other, wherever it stays valid.
fn lengthen(event: &str, dialect: Dialect) -> String {
    let mut event = event.to_owned();
    let mut from = 0;
    let string_end = regex::Regex::new(r#""[,}\]]"#).unwrap();
    while let Some(end) = string_end.find_at(&event, from).map(|found| found.start()) {
        let longer = format!("{} and so on{}{}", &event[..end], " …".repeat(400), &event[end..]);
        from = end + 1;
        if is_valid(longer.as_bytes(), dialect) {
            from += longer.len() - event.len();
            event = longer;
        }
    }
    event
}

#[test]
fn events_of_every_dialect_shrink_and_stay_what_they_are() {
    let (_folder, blobs) = store();
    for dialect in Dialect::ALL.iter().copied() {
        let which = Which::AllFrom { bytes: 1024 };
        let rules = ShrinkRules { dialect, which, ..until(usize::MAX) };
        let mut n_moved = 0;
        for row in dialect.taxonomy().rows().iter().step_by(4) {
            let line = lengthen(&sample::of_type(dialect, row.name, 3), dialect);
            let shrunk = shrink(line.as_bytes(), &rules, &blobs).unwrap();
            assert!(is_valid(&shrunk.line, dialect));
            assert_eq!(facts_of(&shrunk.line, dialect), facts_of(line.as_bytes(), dialect));
            assert_eq!(restored(&shrunk, &blobs), line.as_bytes());
            n_moved += shrunk.moved.len();
        }
        assert!(n_moved > 0, "nothing was moved in {dialect:?}");
    }
}

/// Returns the facts that a record is found by.
fn facts_of(line: &[u8], dialect: Dialect) -> Vec<(&'static str, String)> {
    let mut tape = Tape::new();
    let mut problems = Problems::new();
    let event = event::read(&mut tape, line, Expect::Dialect(dialect), &mut problems).unwrap();
    let mut rows = event.facts().rows();
    rows.retain(|(name, _)| *name != "message");
    rows
}

/// The inside of a string, with escapes of every kind, in up to some thousand bytes.
fn raw_text() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "a",
        "word ",
        "é",
        "😀",
        "\\n",
        "\\u0041",
        "\\u00e9",
        "\\ud83d\\ude00",
        "\\/",
        "/",
        "\\\"",
        "\\\\",
        "\\u0000",
        "\u{7f}",
        "weft-blob:",
    ]);
    (prop::collection::vec(piece, 0..12), 1_usize..300)
        .prop_map(|(pieces, n)| pieces.concat().repeat(n))
}

/// Members for an object, with white space and nesting.
fn members() -> impl Strategy<Value = String> {
    let member = (raw_text(), 0..4_u8).prop_map(|(raw, form)| match form {
        0 => format!(r#""{raw}""#),
        1 => format!(r#" [ 1.50e3 ,"{raw}",null]"#),
        2 => format!("{{ \"{raw}\" :\t\"{raw}\" }} "),
        _ => format!(r#"[[["{raw}"]],{{"k":"{raw}"}}]"#),
    });
    prop::collection::vec(member, 0..8).prop_map(|members| {
        members.iter().enumerate().map(|(n, member)| format!(r#","m{n}":{member}"#)).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn whatever_is_moved_comes_back_byte_for_byte(
        data in members(),
        event_bytes_max in 200_usize..20_000,
        all_from in prop::option::of(1_usize..5000),
    ) {
        let (_folder, blobs) = store();
        let line = own(&data);
        prop_assume!(is_valid(line.as_bytes(), Dialect::Weft));
        let which = all_from.map_or(Which::Largest, |bytes| Which::AllFrom { bytes });
        let rules = ShrinkRules { which, ..until(event_bytes_max) };
        match shrink(line.as_bytes(), &rules, &blobs) {
            Ok(shrunk) => {
                prop_assert!(shrunk.line.len() <= event_bytes_max);
                prop_assert!(is_valid(&shrunk.line, Dialect::Weft));
                prop_assert_eq!(restored(&shrunk, &blobs), line.as_bytes());
                let again = shrink(line.as_bytes(), &rules, &blobs).unwrap();
                prop_assert_eq!(again.line, shrunk.line);
            }
            Err(ShrinkError::TooLarge { bytes, bytes_least, bytes_max }) => {
                prop_assert!(bytes == line.len() && bytes_least > bytes_max);
                prop_assert!(!blobs.folder.exists());
            }
            Err(error) => prop_assert!(false, "{error}"),
        }
    }
}
