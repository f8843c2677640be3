//! The books read back through the index and through the feed are the same, and say what was written.

use std::time::Duration;

use weft_event::json::Json;
use weft_log::lock::Owner;
use weft_log::log::{AppendError, Hold, Indexing, Log, Options};
use weft_log::query::Records;
use weft_log::{Network, Store};

use super::super::change::{self, Change, ChangeError, Which};
use super::super::definition::{Blobs, Definition, Kind, Request, Retry, State};
use super::super::schedule::Tried;
use super::{Acknowledged, Books, Dead, Fate, Note, read};

struct Kept {
    _folder: tempfile::TempDir,
    store: Store,
    log: Log,
}

impl Kept {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::make(folder.path(), Network::Refuse).expect("a store");
        let owner = Owner { pid: std::process::id(), what: "test".to_owned() };
        let (patience, hold, indexing) = (Duration::ZERO, Hold::Long, Indexing::Meanwhile);
        let options = Options { owner, patience, hold, indexing };
        let log = Log::open(store.clone(), options, &mut |_| {}).expect("a log");
        Self { _folder: folder, store, log }
    }

    fn change(&self, change: &Change) -> Result<(), AppendError> {
        self.log.append(change.batch(&self.store, 0).expect("it is valid")).map(drop)
    }

    fn write(&self, note: &Note) {
        self.write_all(std::slice::from_ref(note));
    }

    fn write_all(&self, notes: &[Note]) {
        let admit = |note: &Note| note.admit(&self.store, 0).expect("it is valid");
        let events = notes.iter().map(admit).collect();
        let (conditions, durability) = (Vec::new(), weft_log::log::Durability::Synced);
        let batch = weft_log::log::Batch { events, conditions, durability };
        self.log.append(batch).expect("it is written");
    }

    fn books(&self) -> Books {
        read(&mut Records::open(self.store.clone()).expect("a store")).expect("it can be read")
    }
}

fn definition(name: &str) -> Definition {
    let (name, filter, kind) = (name.to_owned(), String::new(), Kind::Pull);
    let (blobs, retry) = (Blobs::Referenced, Retry::default());
    Definition::new(Request { name, filter, start: 0, kind, blobs, retry, now_ns: 0 })
        .expect("it is fine")
}

fn dead(position: u64) -> Dead {
    let (event_id, error) = (format!("e{position}"), "answered 500".to_owned());
    Dead { position, event_id, attempts: 10, error, at_ns: 0, fate: Fate::Kept }
}

/// Shows everything but ids.
fn show(books: &Books) -> String {
    let entry = |(name, entry): (&str, &super::Entry)| {
        let definition = entry.definition.as_ref().expect("it can be read");
        let progress = Json::object(|object| entry.progress.write(object));
        let dead: Vec<_> = entry
            .dead
            .values()
            .map(|dead| format!("{} {}", dead.position, dead.fate.as_str()))
            .collect();
        let Definition { state, round, start, replayed_upto, .. } = definition;
        format!(
            "{name} {} round {round} after {start} again to {replayed_upto} {} {dead:?}\n",
            state.as_str(),
            progress.as_str()
        )
    };
    books.entries().map(entry).collect()
}

#[test]
fn what_was_written_is_read_back() {
    let kept = Kept::new();
    let (one, two) = (definition("one"), definition("two"));
    for definition in [&one, &two] {
        kept.change(&change::add(&kept.books(), definition, 10).expect("it is new"))
            .expect("written");
    }
    let acknowledged = (3..2000).map(|position| {
        let settled = vec![position + 2..=position + 3];
        let acknowledged =
            Acknowledged { position, settled, n_delivered: position, ..Acknowledged::default() };
        Note::acknowledged(&one, &acknowledged)
    });
    kept.write_all(&acknowledged.collect::<Vec<_>>());
    [5, 6, 7].into_iter().for_each(|position| kept.write(&Note::dead(&one, &dead(position))));
    let books = kept.books();
    kept.change(&change::set_fate(&books, "one", &Which::At(vec![6]), Fate::Gone).expect("dead"))
        .expect("written");
    kept.change(
        &change::set_fate(&books, "one", &Which::At(vec![7]), Fate::Replayed).expect("dead"),
    )
    .expect("written");
    let paused = change::set_state(&books, "two", State::Paused { why: None }).expect("there");
    kept.change(&paused.expect("it was active")).expect("written");
    insta::assert_snapshot!(show(&kept.books()), @r#"
    one active round 0 after 0 again to 0 {"position":1999,"settled":[[2001,2002]],"delivered":1999,"lost":0} ["5 kept", "7 replayed"]
    two paused round 0 after 0 again to 0 {"position":0,"settled":[],"delivered":0,"lost":0} []
    "#);
    let missing = change::set_fate(&kept.books(), "one", &Which::At(vec![6]), Fate::Gone);
    assert_eq!(
        missing.expect_err("gone").to_string(),
        "the event at position 6 is not on the list of the dead of `one`"
    );
}

#[test]
fn a_replay_begins_anew_and_old_acknowledgements_do_not_count() {
    let kept = Kept::new();
    let one = definition("one");
    kept.change(&change::add(&kept.books(), &one, 10).expect("it is new")).expect("written");
    let acknowledged = Acknowledged {
        position: 40,
        settled: vec![44..=50],
        tried: Vec::new(),
        n_delivered: 9,
        n_lost: 1,
    };
    kept.write(&Note::acknowledged(&one, &acknowledged));
    kept.change(&change::replay(&kept.books(), "one", 12).expect("there")).expect("written");
    kept.write(&Note::acknowledged(&one, &acknowledged));
    insta::assert_snapshot!(show(&kept.books()), @r#"one active round 1 after 11 again to 50 {"position":11,"settled":[],"delivered":9,"lost":1} []"#);
}

#[test]
fn a_change_begins_the_tries_of_failing_events_anew() {
    let kept = Kept::new();
    let one = definition("one");
    kept.change(&change::add(&kept.books(), &one, 10).expect("it is new")).expect("written");
    let tried = vec![Tried { position: 5_000_000_000, attempts: 4, strikes: 3 }];
    let acknowledged = Acknowledged { tried: tried.clone(), ..Acknowledged::default() };
    kept.write(&Note::acknowledged(&one, &acknowledged));
    let read = |kept: &Kept| kept.books().get("one").expect("it is there").progress.tried.clone();
    assert_eq!(read(&kept), tried);
    for state in [State::Paused { why: None }, State::Active] {
        let change = change::set_state(&kept.books(), "one", state).expect("it is there");
        kept.change(&change.expect("it changes")).expect("written");
    }
    assert_eq!(read(&kept), []);
}

#[test]
fn a_name_can_be_used_again_and_has_nothing_of_the_one_before() {
    let kept = Kept::new();
    let one = definition("one");
    kept.change(&change::add(&kept.books(), &one, 10).expect("it is new")).expect("written");
    kept.write(&Note::dead(&one, &dead(5)));
    let exists = change::add(&kept.books(), &definition("one"), 10).expect_err("it is there");
    assert_eq!(exists, ChangeError::Exists { name: "one".to_owned() });
    let too_many = change::add(&kept.books(), &definition("two"), 1).expect_err("full");
    assert_eq!(too_many, ChangeError::TooMany { max: 1 });
    let removed = change::set_state(&kept.books(), "one", State::Removed).expect("there");
    kept.change(&removed.expect("it was there")).expect("written");
    assert!(kept.books().get("one").is_none());
    kept.change(&change::add(&kept.books(), &definition("one"), 10).expect("free"))
        .expect("written");
    kept.write(&Note::dead(&one, &dead(6)));
    assert!(kept.books().get("one").expect("it is back").dead.is_empty());
}

#[test]
fn of_two_changes_at_once_the_second_is_refused() {
    let kept = Kept::new();
    kept.change(&change::add(&kept.books(), &definition("one"), 10).expect("new"))
        .expect("written");
    let books = kept.books();
    let pause = change::set_state(&books, "one", State::Paused { why: None }).expect("there");
    let replay = change::replay(&books, "one", 1).expect("there");
    kept.change(&pause.expect("it was active")).expect("written");
    let refused = kept.change(&replay).expect_err("somebody was first");
    assert!(matches!(refused, AppendError::Condition { .. }), "{refused}");
}
