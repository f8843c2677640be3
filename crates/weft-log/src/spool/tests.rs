//! What is left in the spool is taken from it: whole, at least once, whatever happens in between.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use uuid::Uuid;
use weft_event::Dialect;

use super::{Entry, FILE, FOLDER, SpoolError, take};
use crate::{Store, TopicKey};

fn entry(id: u128, line: &str) -> Entry<'_> {
    Entry {
        at_us: 1_794_736_800_123_456,
        via: Cow::Borrowed("hook"),
        id: Uuid::from_u128(id),
        dialect: None,
        topic: None,
        line: line.as_bytes(),
    }
}

fn put(store: &Path, entry: &Entry<'_>) -> Result<(), SpoolError> {
    super::put(&Store::at(store), entry)
}

/// Takes everything and finishes; returns the ids and lines in order.
fn drain(store: &Path) -> Vec<(u128, String)> {
    let Some(mut taken) = take(store).expect("the spool can be read") else { return Vec::new() };
    let mut entries = Vec::new();
    while let Some(entry) = taken.read().expect("the spool can be read") {
        let line = String::from_utf8(entry.line.to_vec()).expect("tests write UTF-8");
        entries.push((entry.id.as_u128(), line));
    }
    taken.finish().expect("the spool can be emptied");
    entries
}

fn spool_file(store: &Path) -> std::path::PathBuf {
    store.join(FOLDER).join(FILE)
}

#[test]
fn what_is_put_is_taken_in_order_and_then_gone() {
    let store = tempfile::tempdir().unwrap();
    assert!(take(store.path()).unwrap().is_none());
    put(store.path(), &entry(1, r#"{"a":1}"#)).unwrap();
    put(store.path(), &entry(2, r#"{"b":"ü"}"#)).unwrap();
    insta::assert_snapshot!(fs::read_to_string(spool_file(store.path())).unwrap(), @r#"
    {"weft_spool":{"at":1794736800123456,"via":"hook","id":"00000000-0000-0000-0000-000000000001","bytes":7,"crc":"7558734d"}}
    {"a":1}
    {"weft_spool":{"at":1794736800123456,"via":"hook","id":"00000000-0000-0000-0000-000000000002","bytes":10,"crc":"e2a49a48"}}
    {"b":"ü"}
    "#);
    assert_eq!(drain(store.path()), [(1, r#"{"a":1}"#.into()), (2, r#"{"b":"ü"}"#.into())]);
    assert!(take(store.path()).unwrap().is_none());
    assert_eq!(fs::read_dir(store.path().join(FOLDER)).unwrap().count(), 0);
}

#[test]
fn an_entry_keeps_all_that_was_said_of_it() {
    let store = tempfile::tempdir().unwrap();
    let topic = TopicKey { topic: "loop:\"current\"".into(), key: Some("a\nb".into()) };
    let dialect = Some(Dialect::Idle);
    let said = Entry { dialect, topic: Some(topic), ..entry(7, r#"{"event":"STATE"}"#) };
    let append_only = TopicKey { topic: "loop:trace".into(), key: None };
    let other = Entry { topic: Some(append_only), via: "emit".into(), ..entry(8, "") };
    put(store.path(), &said).unwrap();
    put(store.path(), &other).unwrap();
    let mut taken = take(store.path()).unwrap().unwrap();
    assert_eq!(taken.read().unwrap(), Some(said));
    assert_eq!(taken.read().unwrap(), Some(other));
    assert_eq!(taken.read().unwrap(), None);
}

#[test]
fn only_the_owner_can_read_the_spool() {
    use std::os::unix::fs::PermissionsExt as _;
    let store = tempfile::tempdir().unwrap();
    put(store.path(), &entry(1, "{}")).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&spool_file(store.path())), 0o600);
    assert_eq!(mode(&store.path().join(FOLDER)), 0o700);
}

#[test]
fn what_cannot_be_an_entry_is_refused_with_the_reason() {
    let store = tempfile::tempdir().unwrap();
    let refused = put(store.path(), &entry(1, "{}\n{}"));
    assert!(matches!(refused, Err(SpoolError::LineBreak)), "{refused:?}");
    let long = "x".repeat((16 << 20) + 1);
    let refused = put(store.path(), &entry(1, &long));
    assert!(matches!(refused, Err(SpoolError::TooLong { bytes: 16_777_217 })), "{refused:?}");
    let topic = TopicKey { topic: "x".repeat(20_000), key: None };
    let refused = put(store.path(), &Entry { topic: Some(topic), ..entry(1, "{}") });
    assert!(matches!(refused, Err(SpoolError::HeaderTooLong { .. })), "{refused:?}");
    let refused = put(&store.path().join("none"), &entry(1, "{}"));
    assert!(matches!(refused, Err(SpoolError::Write { .. })), "{refused:?}");
    assert!(take(store.path()).unwrap().is_none());
}

#[test]
fn a_spool_that_nobody_takes_does_not_fill_the_disk() {
    let store = tempfile::tempdir().unwrap();
    put(store.path(), &entry(1, "{}")).unwrap();
    fs::File::options()
        .write(true)
        .open(spool_file(store.path()))
        .unwrap()
        .set_len(super::SPOOL_BYTES_MAX)
        .unwrap();
    let refused = put(store.path(), &entry(2, "{}"));
    assert!(matches!(refused, Err(SpoolError::Full { .. })), "{refused:?}");
}

#[test]
fn the_longest_line_passes() {
    let store = tempfile::tempdir().unwrap();
    let long = "x".repeat(16 << 20);
    put(store.path(), &entry(1, &long)).unwrap();
    put(store.path(), &entry(2, "{}")).unwrap();
    let taken = drain(store.path());
    assert_eq!(taken.iter().map(|(_, line)| line.len()).collect::<Vec<_>>(), [16 << 20, 2]);
}

#[test]
fn who_dies_while_taking_leaves_everything_to_the_next() {
    let store = tempfile::tempdir().unwrap();
    put(store.path(), &entry(1, "{}")).unwrap();
    let mut died = take(store.path()).unwrap().unwrap();
    assert!(died.read().unwrap().is_some());
    drop(died);
    put(store.path(), &entry(2, "{}")).unwrap();
    let ids: Vec<_> = drain(store.path()).into_iter().map(|(id, _)| id).collect();
    assert_eq!(ids, [1, 2]);
}

#[test]
fn finishing_early_removes_only_what_was_read() {
    let store = tempfile::tempdir().unwrap();
    put(store.path(), &entry(1, "{}")).unwrap();
    drop(take(store.path()).unwrap());
    put(store.path(), &entry(2, "{}")).unwrap();
    put(store.path(), &entry(3, "{}")).unwrap();
    let mut taken = take(store.path()).unwrap().unwrap();
    taken.read().unwrap();
    taken.read().unwrap();
    taken.finish().unwrap();
    let ids: Vec<_> = drain(store.path()).into_iter().map(|(id, _)| id).collect();
    assert_eq!(ids, [2, 3]);
}

const LINES: [&str; 3] = [r#"{"a":1}"#, r#"{"s":{"weft_spool":{}}}"#, r#"{"c":"three"}"#];

/// A spool of three entries, and where each ends.
fn small_spool() -> (Vec<u8>, [usize; 3]) {
    let mut bytes = Vec::new();
    let ends = [0, 1, 2].map(|idx| {
        bytes.extend(entry(idx as u128, LINES[idx]).encode().unwrap());
        bytes.len()
    });
    (bytes, ends)
}

/// Returns a folder where syncing costs nothing, if there is one: thousands of syncs take minutes on a busy disk.
fn folder_in_memory() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }.unwrap()
}

/// Takes from a spool with these bytes; returns the ids of the entries, and what was set aside.
fn take_bytes(bytes: &[u8]) -> (Vec<usize>, Vec<u8>) {
    let store = folder_in_memory();
    fs::create_dir(store.path().join(FOLDER)).unwrap();
    fs::write(spool_file(store.path()), bytes).unwrap();
    let ids = drain(store.path()).into_iter().map(|(id, line)| {
        let id = usize::try_from(id).expect("a flipped id does not pass");
        assert_eq!(line, LINES[id]);
        id
    });
    let ids = ids.collect();
    let aside = fs::read_dir(store.path().join("aside")).into_iter().flatten();
    let aside = aside.flat_map(|file| fs::read(file.unwrap().path()).unwrap()).collect();
    (ids, aside)
}

#[test]
fn a_cut_anywhere_costs_only_the_entry_it_hits_and_no_byte() {
    let (bytes, ends) = small_spool();
    for cut in 0..bytes.len() {
        let whole = ends.iter().filter(|&&end| end - 1 <= cut).count();
        let (ids, aside) = take_bytes(&bytes[..cut]);
        assert_eq!(ids, (0..whole).collect::<Vec<_>>(), "cut at {cut}");
        let kept = if whole == 0 { 0 } else { ends[whole - 1].min(cut) };
        assert_eq!(aside, bytes[kept..cut], "cut at {cut}");
    }
}

#[test]
fn an_entry_after_one_that_was_cut_off_is_found() {
    let (bytes, ends) = small_spool();
    for cut in ends[0]..ends[1] - 1 {
        let torn = [&bytes[..cut], &bytes[ends[1]..]].concat();
        let (ids, aside) = take_bytes(&torn);
        assert_eq!(ids, [0, 2], "cut at {cut}");
        assert_eq!(aside, bytes[ends[0]..cut], "cut at {cut}");
    }
}

#[test]
fn a_flipped_bit_costs_only_the_entry_it_hits() {
    let (mut bytes, ends) = small_spool();
    for bit in 0..bytes.len() * 8 {
        let at = bit / 8;
        bytes[at] ^= 1 << (bit % 8);
        let hit = ends.iter().filter(|&&end| end <= at).count();
        let start = if hit == 0 { 0 } else { ends[hit - 1] };
        let (ids, aside) = take_bytes(&bytes);
        if at == ends[hit] - 1 {
            assert_eq!(ids, [0, 1, 2], "bit {bit}");
            assert_eq!(aside, [bytes[at]], "bit {bit}");
        } else {
            assert_eq!(ids, (0..3).filter(|id| *id != hit).collect::<Vec<_>>(), "bit {bit}");
            assert_eq!(aside, bytes[start..ends[hit]], "bit {bit}");
        }
        bytes[at] ^= 1 << (bit % 8);
    }
}

#[test]
fn a_file_that_is_no_spool_is_set_aside_whole() {
    let noise: Vec<u8> =
        (0..300_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    assert_eq!(take_bytes(&noise), (vec![], noise.clone()));
    let (bytes, _) = small_spool();
    let both = [noise.as_slice(), &bytes, &noise].concat();
    assert_eq!(take_bytes(&both), (vec![0, 1, 2], [noise.clone(), noise].concat()));
}

const N_THREADS: u128 = 4;
const N_EACH: u128 = 120;

#[test]
fn threads_put_while_others_take_and_nothing_is_lost() {
    let store = tempfile::tempdir().unwrap();
    let store = store.path();
    let done = AtomicBool::new(false);
    let taken: Vec<(u128, String)> = thread::scope(|scope| {
        let putting: Vec<_> = (0..N_THREADS)
            .map(|thread| {
                scope.spawn(move || put_numbered(store, thread * N_EACH..(thread + 1) * N_EACH))
            })
            .collect();
        let taking: Vec<_> = (0..2).map(|_| scope.spawn(|| take_until(store, &done))).collect();
        putting.into_iter().for_each(|thread| thread.join().unwrap());
        done.store(true, Ordering::SeqCst);
        taking.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    let ids: BTreeSet<u128> = taken.iter().map(|(id, _)| *id).collect();
    assert_eq!(ids, (0..N_THREADS * N_EACH).collect());
    for (id, line) in taken {
        assert_eq!(line, numbered(id));
    }
    assert!(!store.join("aside").exists());
}

fn numbered(id: u128) -> String {
    let filler = "x".repeat(usize::try_from(id * 37 % 6000).unwrap());
    format!(r#"{{"n":{id},"filler":"{filler}"}}"#)
}

fn put_numbered(store: &Path, ids: std::ops::Range<u128>) {
    for id in ids {
        put(store, &entry(id, &numbered(id))).unwrap();
    }
}

fn take_until(store: &Path, done: &AtomicBool) -> Vec<(u128, String)> {
    let mut all = Vec::new();
    loop {
        let is_last = done.load(Ordering::SeqCst);
        all.extend(drain(store));
        if is_last {
            return all;
        }
        thread::yield_now();
    }
}

/// The part of a process that puts entries: as a test of its own it uses a store of its own.
#[test]
fn a_process_puts_and_says_so_after_each() {
    let own = tempfile::tempdir().unwrap();
    let (store, first) = match std::env::var("WEFT_TEST_SPOOL") {
        Ok(told) => {
            let (first, store) = told.split_once(' ').unwrap();
            (Path::new(store).to_owned(), first.parse().unwrap())
        }
        Err(_) => (own.path().to_owned(), 0_u128),
    };
    for id in first..first + N_EACH {
        put(&store, &entry(id, &numbered(id))).unwrap();
        println!("\nput {id}");
    }
    let n_own = if own.path() == store { N_EACH } else { 0 };
    assert_eq!(drain(own.path()).len() as u128, n_own);
}

fn putting_process(store: &Path, first: u128) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "spool::tests::a_process_puts_and_says_so_after_each", "--nocapture"])
        .env("WEFT_TEST_SPOOL", format!("{first} {}", store.display()))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn processes_that_are_killed_leave_all_that_they_were_told_is_safe() {
    const N_ROUNDS: u128 = 6;
    let store = tempfile::tempdir().unwrap();
    let store = store.path();
    let done = AtomicBool::new(false);
    let (told, taken) = thread::scope(|scope| {
        let taking = scope.spawn(|| take_until(store, &done));
        let rounds: Vec<_> =
            (0..N_ROUNDS).map(|round| scope.spawn(move || put_and_kill(store, round))).collect();
        let told: BTreeSet<u128> =
            rounds.into_iter().flat_map(|round| round.join().unwrap()).collect();
        done.store(true, Ordering::SeqCst);
        (told, taking.join().unwrap())
    });
    let ids: BTreeSet<u128> = taken.iter().map(|(id, _)| *id).collect();
    assert!(told.len() as u128 >= N_ROUNDS, "{told:?}");
    assert_eq!(told.difference(&ids).collect::<Vec<_>>(), Vec::<&u128>::new());
    for (id, line) in taken {
        assert_eq!(line, numbered(id));
    }
}

/// Runs a process, kills it after some of its entries, and returns the entries it was told are safe.
fn put_and_kill(store: &Path, round: u128) -> Vec<u128> {
    let mut process = putting_process(store, round * N_EACH);
    let mut told = Vec::new();
    let output = BufReader::new(process.stdout.take().unwrap());
    for line in output.lines() {
        let line = line.unwrap();
        let Some(id) = line.strip_prefix("put ") else { continue };
        told.push(id.parse().unwrap());
        if told.len() as u128 == 5 + round * 20 {
            process.kill().unwrap();
        }
    }
    process.wait().unwrap();
    told
}
