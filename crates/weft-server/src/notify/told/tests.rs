//! What was told is there again after a restart.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use weft_log::{Network, Store};

use super::{FILE, Last, Told};
use crate::notify::memory::Memory;
use crate::notify::{Channel, Rule, scene};

fn rule(name: &str) -> Rule {
    scene::rule(name, Channel::Desktop)
}

#[test]
fn what_was_told_is_read_back_for_the_rules_that_there_are() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::make(folder.path(), Network::Force).unwrap();
    assert_eq!(Told::read(&store).unwrap(), Told::default());
    let mut memory = Memory::default();
    memory.remember("a", [("blocked/@x/1".to_owned(), 5)].into_iter());
    memory.remember("b", [("failed/@y/2".to_owned(), 6)].into_iter());
    let last = Last { at_ns: 5, n_needs: 1, title: "@x is blocked".to_owned(), error: None };
    let mut told = Told::default();
    told.put("a", last.clone(), &memory);
    told.put("b", last.clone(), &memory);
    told.retain(&[rule("a")]);
    told.write(&store).unwrap();
    let mode = fs::metadata(store.root().join(FILE)).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let read = Told::read(&store).unwrap();
    assert_eq!(read, told);
    assert_eq!((read.last("a"), read.last("b")), (Some(&last), None));
    let memory = read.memory(&[rule("a"), rule("b")]);
    assert_eq!(memory.told("a").collect::<Vec<_>>(), [("blocked/@x/1", 5)]);
    assert_eq!(memory.told("b").count(), 0);
}

#[test]
fn a_file_that_is_not_ours_counts_as_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::make(folder.path(), Network::Force).unwrap();
    for text in ["", "{", "[]", r#"{"version":9,"rules":{}}"#] {
        fs::write(store.root().join(FILE), text).unwrap();
        assert_eq!(Told::read(&store).unwrap(), Told::default(), "{text}");
    }
}
