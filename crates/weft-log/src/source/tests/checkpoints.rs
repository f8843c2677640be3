//! The file of checkpoints: damage costs reading again, and nothing else.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use super::super::name;
use super::super::{Checkpoint, Checkpoints, FileId, Incarnation};

fn checkpoint(path: &str, inode: u64) -> Checkpoint {
    Checkpoint {
        path: Path::new(path).into(),
        name: path.into(),
        id: FileId { device: 64_769, inode },
        offset: 812,
        number: 9,
        incarnation: Some(Incarnation { first_line: 0x00c0_ffee, generation: 0 }),
        fingerprint: u64::MAX - 1,
        state: None,
    }
}

#[test]
fn what_is_saved_is_loaded() {
    let store = tempfile::tempdir().unwrap();
    let mut checkpoints = Checkpoints::load(store.path()).unwrap();
    let bytes = OsString::from_vec(b"/logs/\xff%.jsonl".to_vec());
    let odd = Checkpoint {
        path: PathBuf::from(bytes).into(),
        incarnation: None,
        ..checkpoint("/logs/was", 3)
    };
    let rows = Some(r#"{"v":1,"calls":[["t","Bash",7]]}"#.to_owned());
    let session = Checkpoint { state: rows, ..checkpoint("/logs/s.jsonl", 4) };
    let all = [session, checkpoint("/logs/a.jsonl", 1), checkpoint("/logs/b.jsonl", u64::MAX), odd];
    all.iter().for_each(|checkpoint| checkpoints.set(Arc::new(checkpoint.clone())));
    checkpoints.save().unwrap();
    insta::assert_snapshot!(fs::read_to_string(store.path().join("ingest.state")).unwrap(), @r#"
    {"weft_ingest":1}
    {"path":"/logs/a.jsonl","device":64769,"inode":1,"offset":812,"line":9,"first":"0000000000c0ffee","generation":0,"fingerprint":"fffffffffffffffe","crc":"8b2580e8"}
    {"path":"/logs/b.jsonl","device":64769,"inode":18446744073709551615,"offset":812,"line":9,"first":"0000000000c0ffee","generation":0,"fingerprint":"fffffffffffffffe","crc":"5bfb604b"}
    {"path":"/logs/s.jsonl","device":64769,"inode":4,"offset":812,"line":9,"first":"0000000000c0ffee","generation":0,"fingerprint":"fffffffffffffffe","rows":{"v":1,"calls":[["t","Bash",7]]},"crc":"c7dbc3cf"}
    {"path":"/logs/%ff%25.jsonl","name":"/logs/was","device":64769,"inode":3,"offset":812,"line":9,"fingerprint":"fffffffffffffffe","crc":"f99e7071"}
    "#);
    let loaded = Checkpoints::load(store.path()).unwrap();
    for checkpoint in &all {
        assert_eq!(loaded.by_id(checkpoint.id).map(AsRef::as_ref), Some(checkpoint));
        assert_eq!(loaded.by_path(&checkpoint.path).map(AsRef::as_ref), Some(checkpoint));
    }
    assert_eq!(loaded.by_path(Path::new("/logs/c.jsonl")), None);
}

#[test]
fn a_path_that_another_file_has_taken_leads_to_the_new_one() {
    let store = tempfile::tempdir().unwrap();
    let mut checkpoints = Checkpoints::load(store.path()).unwrap();
    checkpoints.set(Arc::new(checkpoint("/logs/a.jsonl", 1)));
    checkpoints.set(Arc::new(checkpoint("/logs/a.jsonl", 2)));
    checkpoints.save().unwrap();
    let loaded = Checkpoints::load(store.path()).unwrap();
    assert_eq!(loaded.by_path(Path::new("/logs/a.jsonl")).unwrap().id.inode, 2);
    assert!(loaded.by_id(FileId { device: 64_769, inode: 1 }).is_some());
}

#[test]
fn two_processes_keep_each_others_checkpoints() {
    let store = tempfile::tempdir().unwrap();
    let mut one = Checkpoints::load(store.path()).unwrap();
    let mut two = Checkpoints::load(store.path()).unwrap();
    one.set(Arc::new(checkpoint("/a.jsonl", 1)));
    two.set(Arc::new(checkpoint("/b.jsonl", 2)));
    one.save().unwrap();
    two.save().unwrap();
    let loaded = Checkpoints::load(store.path()).unwrap();
    assert!(loaded.by_path(Path::new("/a.jsonl")).is_some());
    assert!(loaded.by_path(Path::new("/b.jsonl")).is_some());
}

#[test]
fn what_another_process_saves_between_two_saves_stays() {
    let store = tempfile::tempdir().unwrap();
    let offset = |path: &str| {
        let loaded = Checkpoints::load(store.path()).unwrap();
        loaded.by_path(Path::new(path)).map(|checkpoint| checkpoint.offset)
    };
    let mut one = Checkpoints::load(store.path()).unwrap();
    one.set(Arc::new(checkpoint("/a.jsonl", 1)));
    one.set(Arc::new(checkpoint("/b.jsonl", 2)));
    one.set(Arc::new(checkpoint("/c.jsonl", 3)));
    one.save().unwrap();
    let mut two = Checkpoints::load(store.path()).unwrap();
    two.set(Arc::new(Checkpoint { offset: 700, ..checkpoint("/a.jsonl", 1) }));
    two.forget(checkpoint("/b.jsonl", 2).id);
    two.set(Arc::new(checkpoint("/d.jsonl", 4)));
    two.save().unwrap();
    for own in [800, 900] {
        one.set(Arc::new(Checkpoint { offset: own, ..checkpoint("/c.jsonl", 3) }));
        one.save().unwrap();
        assert_eq!(offset("/a.jsonl"), Some(700));
        assert_eq!(offset("/b.jsonl"), None);
        assert_eq!(offset("/c.jsonl"), Some(own));
        assert!(offset("/d.jsonl").is_some());
    }
    one.set(Arc::new(Checkpoint { offset: 950, ..checkpoint("/a.jsonl", 1) }));
    one.save().unwrap();
    assert_eq!(offset("/a.jsonl"), Some(950));
    assert!(offset("/d.jsonl").is_some());
    fs::remove_file(store.path().join("ingest.state")).unwrap();
    one.set(Arc::new(Checkpoint { offset: 960, ..checkpoint("/a.jsonl", 1) }));
    one.save().unwrap();
    assert_eq!(offset("/a.jsonl"), Some(960));
    assert_eq!(offset("/c.jsonl"), None);
}

#[test]
fn saving_at_once_leaves_a_whole_file() {
    let store = tempfile::tempdir().unwrap();
    let store = store.path();
    thread::scope(|scope| {
        for inode in 1..=4 {
            scope.spawn(move || {
                let mut checkpoints = Checkpoints::load(store).unwrap();
                for offset in 0..10 {
                    let path = format!("/{inode}.jsonl");
                    checkpoints.set(Arc::new(Checkpoint { offset, ..checkpoint(&path, inode) }));
                    checkpoints.save().unwrap();
                }
            });
        }
    });
    let loaded = Checkpoints::load(store).unwrap();
    assert!((1..=4).contains(&loaded.iter().count()));
    assert_eq!(fs::read_dir(store).unwrap().count(), 1);
}

#[test]
fn a_cut_or_flipped_bit_loses_a_checkpoint_and_never_changes_one() {
    let store = tempfile::tempdir().unwrap();
    let mut checkpoints = Checkpoints::load(store.path()).unwrap();
    let all = [checkpoint("/a.jsonl", 1), checkpoint("/b.jsonl", 2)];
    all.iter().for_each(|checkpoint| checkpoints.set(Arc::new(checkpoint.clone())));
    checkpoints.save().unwrap();
    let file = store.path().join("ingest.state");
    let whole = fs::read(&file).unwrap();
    let n_loaded = |bytes: &[u8]| {
        fs::write(&file, bytes).unwrap();
        let loaded = Checkpoints::load(store.path()).unwrap();
        for (checkpoint, _) in loaded.iter() {
            assert!(all.contains(checkpoint), "{checkpoint:?}");
        }
        loaded.iter().count()
    };
    for cut in 0..whole.len() {
        n_loaded(&whole[..cut]);
    }
    for bit in 0..whole.len() * 8 {
        let mut flipped = whole.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        // A line break that is gone costs both lines it stood between.
        let is_break = whole[bit / 8] == b'\n' || flipped[bit / 8] == b'\n';
        assert!(is_break || n_loaded(&flipped) >= 1, "bit {bit}");
    }
    assert_eq!(n_loaded(&whole), 2);
}

#[test]
fn paths_are_text_and_come_back() {
    for bytes in [b"/a b".as_slice(), b"/100%", b"/%25", b"/\xc3\xbc", b"/\xc3", b"\xff\xfe", b""] {
        let path = PathBuf::from(OsString::from_vec(bytes.to_vec()));
        assert_eq!(name::decode(&name::encode(&path)), Some(path));
    }
    for wrong in ["%", "%2", "%zz", "%61", "a%"] {
        assert_eq!(name::decode(wrong), None, "{wrong}");
    }
}
