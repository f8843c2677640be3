//! Secrets do not get into a store, whichever way an event takes; and a repeat is known all the same.

use std::fs;
use std::path::Path;

use uuid::Uuid;
use weft_event::event::Expect;

use crate::admit::{Admitted, Arrival, Gate, Strictness};
use crate::blobs::{HOOK_VALUE_BYTES_MIN, Which};
use crate::log::{Batch, Durability, Outcome};
use crate::redact::{Redaction, Settings};
use crate::rejected::{Reason, Refusal, Rejected, Span, With};
use crate::spool::{self, Entry};
use crate::testing::{Scene, line};

const SECRET: &str = "hunter2-and-more";

/// A STATE is known by its content, the secret in it included.
fn state(secret: &str) -> String {
    format!(
        r#"{{"schema":0,"event":"STATE","run_id":"loop-1","updated_at":"2026-11-16T10:00:00Z","stack":[{{"id":"loop-1","mode":"loop","iter":1,"max":10,"prompt_file":"/tmp/p","reviewed":false,"checkpoint_reviewed":false,"note":"PASSWORD={secret}"}}]}}"#
    )
}

fn admit(scene: &Scene, line: &str, which: Which) -> Admitted {
    let mut gate = Gate::new(&scene.store, which, Strictness::Lenient);
    let (line, expect, via) = (line.as_bytes(), Expect::Any, "hook");
    gate.admit(&Arrival { line, expect, via, delivery: None, topic: None }).unwrap()
}

fn append(scene: &Scene, line: &str) -> Outcome {
    let events = vec![admit(scene, line, Which::Largest)];
    let log = scene.log();
    let batch = Batch { events, conditions: Vec::new(), durability: Durability::Synced };
    let outcome = log.append(batch).unwrap().outcomes[0];
    log.close().unwrap();
    outcome
}

/// Returns whether a text stands in any file of a folder.
pub(super) fn is_anywhere(folder: &Path, text: &str) -> bool {
    fs::read_dir(folder).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        if path.is_dir() {
            return is_anywhere(&path, text);
        }
        // The socket of a server is none of ours, and cannot be read.
        let bytes = fs::read(&path).unwrap_or_default();
        memchr::memmem::find(&bytes, text.as_bytes()).is_some()
    })
}

fn is_stored(scene: &Scene) -> bool {
    is_anywhere(scene.store.root(), SECRET)
}

#[test]
fn a_secret_is_in_no_file_of_the_store() {
    let scene = Scene::empty();
    append(&scene, &line(1, &format!("PASSWORD={SECRET} make deploy")));
    let large =
        format!("{}PASSWORD={SECRET} {}", "x ".repeat(100), "y ".repeat(HOOK_VALUE_BYTES_MIN));
    let which = Which::AllFrom { bytes: HOOK_VALUE_BYTES_MIN };
    let large = line(2, &format!(r#"b","note":"{large}"#));
    let moved = admit(&scene, &large, which);
    assert!(memchr::memmem::find(&moved.entry.line, b"weft-blob:").is_some());
    assert!(!is_stored(&scene));
    let (_, stored) = &scene.lines()[0];
    assert!(stored.contains("PASSWORD=[redacted:password] make deploy"), "{stored}");
}

#[test]
fn a_repeat_is_known_although_its_secret_is_gone() {
    let scene = Scene::empty();
    let first = append(&scene, &state(SECRET)).position();
    assert_eq!(append(&scene, &state(SECRET)), Outcome::Repeat { position: first });
    // Whoever sends what was exported sends it without the secret.
    let exported = scene.lines()[0].1.clone();
    assert_eq!(append(&scene, &exported), Outcome::Repeat { position: first });
    // The index is made again from what is stored.
    fs::remove_file(scene.store.index()).unwrap();
    assert_eq!(append(&scene, &state(SECRET)), Outcome::Repeat { position: first });
    assert_eq!(append(&scene, &exported), Outcome::Repeat { position: first });
}

#[test]
fn a_repeat_is_known_if_the_first_came_without_its_secret() {
    let scene = Scene::empty();
    let entry = |line| Entry {
        at_us: 1,
        via: "hook".into(),
        id: Uuid::from_u128(7),
        dialect: None,
        topic: None,
        line,
    };
    let line = state(SECRET);
    spool::put(&scene.store, &entry(line.as_bytes())).unwrap();
    assert!(!is_stored(&scene));
    scene.log().close().unwrap();
    let (first, _) = scene.lines()[0];
    let outcome = append(&scene, &line);
    assert!(matches!(outcome, Outcome::Repeat { position } if position.get() == first));
}

#[test]
fn what_is_refused_is_kept_without_its_secrets() {
    let scene = Scene::empty();
    let refusal = Refusal {
        at_us: 1,
        via: "http".to_owned(),
        origin: "request".to_owned(),
        with: With::default(),
        reasons: vec![Reason {
            code: "type".to_owned(),
            path: "/password".to_owned(),
            message: format!("`{SECRET}` is not a number"),
        }],
        bytes: format!(r#"{{"password":"{SECRET}","#).into_bytes(),
    };
    let mut rejected = Rejected::new(&scene.store);
    let ids = rejected.put(&[refusal.clone(), refusal.clone()]).unwrap();
    assert_eq!(rejected.put(&[refusal]).unwrap()[0], ids[0]);
    assert!(!is_stored(&scene));
    let kept: Vec<_> =
        rejected.list(Span::default()).unwrap().kept().map(|kept| kept.unwrap()).collect();
    assert_eq!(kept.len(), 1);
    assert_eq!(kept[0].reasons[0].message, "`[redacted]` is not a number");
}

#[test]
fn a_source_that_is_off_stores_what_it_sends() {
    let scene = Scene::empty();
    let settings = Settings { sources_off: vec!["hook".to_owned()], ..Settings::default() };
    let store = scene.store.with_redaction(Redaction::new(settings).into());
    let line = line(1, &format!("PASSWORD={SECRET}"));
    let mut gate = Gate::new(&store, Which::Largest, Strictness::Lenient);
    let mut admit = |via| {
        let (line, expect) = (line.as_bytes(), Expect::Any);
        gate.admit(&Arrival { line, expect, via, delivery: None, topic: None }).unwrap()
    };
    assert_eq!(admit("hook").entry.line, line.as_bytes());
    assert_ne!(admit("http").entry.line, line.as_bytes());
    assert_eq!(store.redaction().counts(), [("password".to_owned(), 1)]);
}
