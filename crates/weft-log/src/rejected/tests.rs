//! What was refused is found again, once, with its bytes and its reasons.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::Duration;

use weft_event::Dialect;

use crate::{Store, TopicKey};

use super::{
    Found, INLINE_BYTES_MAX, Kept, Reason, Refusal, Rejected, RejectedError, Span, With, base64,
};

const DAY_US: i64 = 86_400_000_000;
const NOON_US: i64 = 20_000 * DAY_US + DAY_US / 2;

fn refusal(origin: &str, bytes: &[u8]) -> Refusal {
    Refusal {
        at_us: NOON_US,
        via: "ingest".into(),
        origin: origin.into(),
        with: With::default(),
        reasons: vec![Reason {
            code: "missing".into(),
            path: "/event_type".into(),
            message: "`event_type` is missing".into(),
        }],
        bytes: bytes.to_vec(),
    }
}

fn listed(rejected: &Rejected, span: Span) -> Vec<Kept> {
    rejected.list(span).unwrap().kept().map(|kept| kept.unwrap()).collect()
}

fn origins(rejected: &Rejected, span: Span) -> Vec<String> {
    listed(rejected, span).into_iter().map(|kept| kept.origin).collect()
}

fn text_of(store: &Path) -> String {
    let files = super::listing::day_files(&store.join("rejected"), Span::default()).unwrap();
    files.iter().map(|path| fs::read_to_string(path).unwrap()).collect()
}

#[test]
fn what_came_with_it_is_kept_for_another_try() {
    let store = tempfile::tempdir().unwrap();
    let mut rejected = Rejected::new(&Store::at(store.path()));
    let topic = TopicKey { topic: "loop:current".into(), key: Some("s".into()) };
    let (dialect, delivery) = (Some(Dialect::Idle), Some("id:7".to_owned()));
    let with = With { dialect, delivery, topic: Some(topic) };
    rejected.put(&[Refusal { with: with.clone(), ..refusal("-:1", b"{}") }]).unwrap();
    assert_eq!(listed(&rejected, Span::default())[0].with, with);
}

#[test]
fn a_reason_has_no_part_of_a_secret() {
    let store = tempfile::tempdir().unwrap();
    let mut rejected = Rejected::new(&Store::at(store.path()));
    let mut kept = |message: &str| {
        let reason = Reason { code: "json".into(), path: String::new(), message: message.into() };
        let line = format!("PGPASSWORD=correct4horse {message}");
        let refused = Refusal { reasons: vec![reason], ..refusal("-:1", line.as_bytes()) };
        rejected.put(&[refused]).unwrap();
        listed(&rejected, Span::default()).pop().unwrap().reasons.remove(0).message
    };
    assert_eq!(kept("near `PGPASSWORD=correct4h`"), "near `[redacted]`");
    assert_eq!(kept("near `PGPASSWORD=corr…`"), "near `[redacted]`");
    assert_eq!(kept("near `4horse is no row`"), "near `[redacted]`");
    assert_eq!(kept("near `rect4` of `row`"), "near `[redacted]` of `row`");
    assert_eq!(kept("`correct4horse` is no `horse`"), "`[redacted]` is no `[redacted]`");
    assert_eq!(kept("`event_type` is missing"), "`event_type` is missing");
}

#[test]
fn what_is_refused_is_kept_as_plain_lines() {
    let store = tempfile::tempdir().unwrap();
    let mut rejected = Rejected::new(&Store::at(store.path()));
    let all =
        [refusal("a.jsonl:3", b"{\"v\":\"\xc3\xbc\\n\"}"), refusal("request 9", b"\xff\x00{")];
    let ids = rejected.put(&all).unwrap();
    insta::assert_snapshot!(text_of(store.path()), @r#"
    {"id":"febd0157e301e41137bafe674613bb84","at":1728043200000000,"via":"ingest","origin":"a.jsonl:3","problems":[{"code":"missing","path":"/event_type","message":"`event_type` is missing"}],"encoding":"text","bytes":"{\"v\":\"ü\\n\"}"}
    {"id":"f9a17e6d3f1104e458aa005c07cb2064","at":1728043200000000,"via":"ingest","origin":"request 9","problems":[{"code":"missing","path":"/event_type","message":"`event_type` is missing"}],"encoding":"base64","bytes":"/wB7"}
    "#);
    for (kept, (refused, id)) in listed(&rejected, Span::default()).iter().zip(all.iter().zip(ids))
    {
        assert_eq!(
            (kept.id, kept.at_us, &kept.via, &kept.origin),
            (id, NOON_US, &refused.via, &refused.origin)
        );
        assert_eq!(kept.reasons, refused.reasons);
        assert_eq!(rejected.bytes(kept).unwrap(), refused.bytes);
        assert_eq!(rejected.read(&id.to_string()).unwrap(), *kept);
    }
}

#[test]
fn the_same_bytes_from_the_same_origin_are_kept_once() {
    let store = tempfile::tempdir().unwrap();
    let mut rejected = Rejected::new(&Store::at(store.path()));
    let first = rejected.put(&[refusal("a:1", b"x"), refusal("a:1", b"x")]).unwrap();
    let later = Refusal { at_us: NOON_US + DAY_US, via: "http".into(), ..refusal("a:1", b"x") };
    assert_eq!(rejected.put(std::slice::from_ref(&later)).unwrap(), first[..1]);
    assert_eq!(Rejected::new(&Store::at(store.path())).put(&[later]).unwrap(), first[..1]);
    rejected.put(&[refusal("a:2", b"x"), refusal("a:1", b"y")]).unwrap();
    assert_eq!(origins(&rejected, Span::default()), ["a:1", "a:2", "a:1"]);
}

#[test]
fn what_another_process_has_kept_or_removed_is_known() {
    let store = tempfile::tempdir().unwrap();
    let (mut one, mut two) =
        (Rejected::new(&Store::at(store.path())), Rejected::new(&Store::at(store.path())));
    one.put(&[refusal("a:1", b"x")]).unwrap();
    let ids = two.put(&[refusal("a:1", b"x"), refusal("a:2", b"x")]).unwrap();
    one.put(&[refusal("a:2", b"x")]).unwrap();
    assert_eq!(origins(&one, Span::default()), ["a:1", "a:2"]);
    assert_eq!(two.remove(&ids).unwrap(), 2);
    one.put(&[refusal("a:2", b"x")]).unwrap();
    assert_eq!(origins(&one, Span::default()), ["a:2"]);
}

#[test]
fn days_have_their_own_files_and_a_span_selects() {
    let store = tempfile::tempdir().unwrap();
    let mut rejected = Rejected::new(&Store::at(store.path()));
    let at = |day: i64| Refusal {
        at_us: NOON_US + day * DAY_US,
        ..refusal(&format!("day {day}"), b"x")
    };
    rejected.put(&[at(0), at(2), at(1)]).unwrap();
    let names: Vec<_> =
        super::listing::day_files(&store.path().join("rejected"), Span::default()).unwrap();
    assert_eq!(names.len(), 3);
    assert!(names[0].ends_with("rejected-2024-10-04.jsonl"), "{names:?}");
    let span = |since: Option<i64>, until: Option<i64>| Span {
        since_us: since.map(|since| NOON_US + since),
        until_us: until.map(|until| NOON_US + until),
    };
    assert_eq!(origins(&rejected, Span::default()), ["day 0", "day 1", "day 2"]);
    assert_eq!(origins(&rejected, span(Some(0), Some(DAY_US))), ["day 0"]);
    assert_eq!(origins(&rejected, span(Some(1), None)), ["day 1", "day 2"]);
    assert_eq!(origins(&rejected, span(None, Some(DAY_US + 1))), ["day 0", "day 1"]);
}

#[test]
fn an_id_prefix_names_one_or_says_why_not() {
    let store = tempfile::tempdir().unwrap();
    let mut rejected = Rejected::new(&Store::at(store.path()));
    let all: Vec<_> = (0..40).map(|n| refusal(&format!("a:{n}"), b"x")).collect();
    let ids = rejected.put(&all).unwrap();
    assert_eq!(rejected.read(&ids[7].to_string()).unwrap().origin, "a:7");
    let is_ambiguous = |digit: char| {
        let n = ids.iter().filter(|id| id.to_hex().starts_with(digit)).count();
        match rejected.read(&digit.to_string()) {
            Err(RejectedError::Ambiguous { n: told, .. }) => told == n,
            Ok(_) => n == 1,
            Err(RejectedError::NotFound { .. }) => n == 0,
            Err(_) => false,
        }
    };
    assert!("0123456789abcdef".chars().all(is_ambiguous));
    assert!(matches!(rejected.read("xyz"), Err(RejectedError::NotFound { .. })));
    assert!(matches!(rejected.read(""), Err(RejectedError::NotFound { .. })));
}

#[test]
fn large_bytes_stand_in_a_file_of_their_own_until_nobody_needs_them() {
    let store = tempfile::tempdir().unwrap();
    let mut rejected = Rejected::new(&Store::at(store.path()));
    let large = vec![b'x'; INLINE_BYTES_MAX + 1];
    let ids = rejected.put(&[refusal("a:1", &large), refusal("b:1", &large)]).unwrap();
    assert!(text_of(store.path()).len() < 2000);
    let files = || fs::read_dir(store.path().join("rejected/bytes")).unwrap().count();
    assert_eq!(files(), 1);
    rejected.remove(&ids[..1]).unwrap();
    let kept = rejected.read(&ids[1].to_hex()).unwrap();
    assert_eq!(rejected.bytes(&kept).unwrap(), large);
    rejected.remove(&ids).unwrap();
    assert_eq!(files(), 0);
}

#[test]
fn removing_takes_only_what_is_named_and_keeps_what_it_cannot_read() {
    let store = tempfile::tempdir().unwrap();
    let mut rejected = Rejected::new(&Store::at(store.path()));
    let all: Vec<_> = (0..5).map(|n| refusal(&format!("a:{n}"), b"x")).collect();
    let ids = rejected.put(&all).unwrap();
    let path = store.path().join("rejected/rejected-2024-10-04.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("noise\n{text}{{\"id\":\"torn")).unwrap();
    assert_eq!(rejected.remove(&[ids[0], ids[3]]).unwrap(), 2);
    assert_eq!(rejected.remove(&[ids[0], ids[3]]).unwrap(), 0);
    assert_eq!(origins(&rejected, Span::default()), ["a:1", "a:2", "a:4"]);
    rejected.put(&all[..1]).unwrap();
    assert_eq!(origins(&rejected, Span::default()), ["a:1", "a:2", "a:4", "a:0"]);
    let unreadable: Vec<u64> = rejected
        .list(Span::default())
        .unwrap()
        .filter_map(|found| match found.unwrap() {
            Found::Kept(_) => None,
            Found::Unreadable { number, .. } => Some(number),
        })
        .collect();
    assert_eq!(unreadable, [1, 5]);
    rejected.remove(&ids).unwrap();
    assert_eq!(text_of(store.path()), "noise\n{\"id\":\"torn\n");
}

#[test]
fn a_file_without_anything_left_goes() {
    let store = tempfile::tempdir().unwrap();
    let mut rejected = Rejected::new(&Store::at(store.path()));
    assert_eq!(rejected.remove(&[refusal("a:1", b"x").id()]).unwrap(), 0);
    let ids = rejected.put(&[refusal("a:1", b"x")]).unwrap();
    rejected.remove(&ids).unwrap();
    assert_eq!(text_of(store.path()), "");
    assert!(listed(&rejected, Span::default()).is_empty());
}

#[test]
fn counts_are_by_code() {
    let store = tempfile::tempdir().unwrap();
    let mut rejected = Rejected::new(&Store::at(store.path()));
    let mut both = refusal("a:1", b"x");
    both.reasons.push(Reason { code: "type".into(), ..both.reasons[0].clone() });
    both.reasons.push(both.reasons[0].clone());
    rejected.put(&[both, refusal("a:2", b"x")]).unwrap();
    let counts: Vec<_> = rejected.counts(Span::default()).unwrap().into_iter().collect();
    assert_eq!(counts, [("missing".into(), 2), ("type".into(), 1)]);
}

#[test]
fn threads_that_refuse_at_once_lose_and_double_nothing() {
    let store = tempfile::tempdir().unwrap();
    let store = store.path();
    thread::scope(|scope| {
        for thread in 0..4 {
            scope.spawn(move || {
                let mut rejected = Rejected::new(&Store::at(store));
                for n in 0..20 {
                    let shared = refusal(&format!("all:{n}"), b"x");
                    let own = refusal(&format!("{thread}:{n}"), b"x");
                    let ids = rejected.put(&[shared, own]).unwrap();
                    if n % 5 == 0 {
                        assert_eq!(rejected.remove(&ids[1..]).unwrap(), 1);
                    }
                }
            });
        }
    });
    let mut found = origins(&Rejected::new(&Store::at(store)), Span::default());
    found.sort();
    let mut expected: Vec<String> = (0..20).map(|n| format!("all:{n}")).collect();
    expected.extend(
        (0..4).flat_map(|thread| {
            (0..20).filter(|n| n % 5 != 0).map(move |n| format!("{thread}:{n}"))
        }),
    );
    expected.sort();
    assert_eq!(found, expected);
}

#[test]
fn base64_is_the_usual_one_and_comes_back() {
    assert_eq!(base64::encode(b""), "");
    assert_eq!(base64::encode(b"f"), "Zg==");
    assert_eq!(base64::encode(b"fo"), "Zm8=");
    assert_eq!(base64::encode(b"foobar"), "Zm9vYmFy");
    let all: Vec<u8> = (0..=255).rev().collect();
    for len in 0..all.len() {
        assert_eq!(base64::decode(&base64::encode(&all[..len])).as_deref(), Some(&all[..len]));
    }
    for wrong in ["Zg", "Zg=", "Zh==", "Z===", "=", "Zg==Zg==", "Z g=", "ü"] {
        assert_eq!(base64::decode(wrong), None, "{wrong}");
    }
}

#[test]
fn whoever_cannot_wait_for_the_others_keeps_it_in_a_file_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path());
    let mut rejected = Rejected::new(&store);
    rejected.put(&[refusal("a:1", b"1")]).unwrap();
    let lock = Rejected::new(&store).lock().unwrap();
    let patience = Duration::from_millis(50);
    for _ in 0..2 {
        let some = [refusal("a:1", b"1"), refusal("hook:2", b"2"), refusal("hook:3", b"3")];
        assert_eq!(Rejected::new(&store).put_soon(&some, patience).unwrap().len(), 3);
    }
    drop(lock);
    let mut found = origins(&rejected, Span::default());
    found.sort();
    assert_eq!(found, ["a:1", "hook:2", "hook:3"]);
    let days = |since, until| Span { since_us: Some(since), until_us: Some(until) };
    assert_eq!(listed(&rejected, days(NOON_US, NOON_US + 1)).len(), 3);
    assert_eq!(listed(&rejected, days(NOON_US + DAY_US, NOON_US + 2 * DAY_US)).len(), 0);
    // From then on it is like the others.
    rejected.put(&[refusal("hook:2", b"2")]).unwrap();
    let ids: Vec<_> = listed(&rejected, Span::default()).iter().map(|kept| kept.id).collect();
    assert_eq!(ids.len(), 3);
    assert_eq!(rejected.remove(&ids).unwrap(), 3);
    assert_eq!(text_of(folder.path()), "");
    let free = Rejected::new(&store).put_soon(&[refusal("hook:4", b"4")], patience);
    assert_eq!(free.unwrap().len(), 1);
    let day = super::listing::file_name(NOON_US);
    assert!(folder.path().join("rejected").join(day).exists());
}
