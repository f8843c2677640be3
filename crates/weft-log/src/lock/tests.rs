//! The lock is one process's at a time, and those who wait are seen and come in turn.

use std::sync::mpsc;
use std::time::Duration;

use super::{Lock, LockError, Owner, read_owner};

const LONG: Duration = Duration::from_secs(60);

fn owner(what: &str) -> Owner {
    Owner { pid: std::process::id(), what: what.to_owned() }
}

#[test]
fn a_second_taker_is_told_who_has_it() {
    let folder = tempfile::tempdir().unwrap();
    let first = Lock::take(folder.path(), &owner("weft ingest"), Duration::ZERO).unwrap();
    let error = Lock::take(folder.path(), &owner("weft emit"), Duration::ZERO).unwrap_err();
    let LockError::Held { owner: Some(told), .. } = &error else { panic!("{error}") };
    assert_eq!(*told, owner("weft ingest"));
    assert!(!first.is_wanted());
    drop(first);
    let second = Lock::take(folder.path(), &owner("weft emit"), Duration::ZERO).unwrap();
    assert_eq!(read_owner(folder.path()), Some(owner("weft emit")));
    drop(second);
}

#[test]
fn who_waits_is_seen_and_gets_it() {
    let folder = tempfile::tempdir().unwrap();
    let first = Lock::take(folder.path(), &owner("first"), Duration::ZERO).unwrap();
    let (send, receive) = mpsc::channel();
    let root = folder.path().to_owned();
    let waiter = std::thread::spawn(move || {
        let second = Lock::take(&root, &owner("second"), LONG).unwrap();
        send.send(()).unwrap();
        drop(second);
    });
    while !first.is_wanted() {
        assert!(receive.try_recv().is_err(), "it was given while it was held");
        std::thread::yield_now();
    }
    drop(first);
    receive.recv_timeout(LONG).unwrap();
    waiter.join().unwrap();
}

#[test]
fn patience_ends() {
    let folder = tempfile::tempdir().unwrap();
    let first = Lock::take(folder.path(), &owner("first"), Duration::ZERO).unwrap();
    let tried = Lock::take(folder.path(), &owner("second"), Duration::from_millis(20));
    assert!(matches!(tried, Err(LockError::Held { .. })));
    drop(first);
    Lock::take(folder.path(), &owner("third"), LONG).unwrap();
}
