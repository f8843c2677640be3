//! What was durable is not given out again, wherever it stands.

use crate::disk::RealDisk;
use crate::recover::{Error, Finding, read_head};
use crate::seal::{FORMAT, Opening, Seal};
use crate::segment::Form;
use crate::testing::{NOON_US, entry};
use crate::writer::Writer;
use crate::{Hash, Head};

#[test]
fn a_group_beyond_an_old_head_counts_although_bytes_before_it_are_gone() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let open = || Writer::open(RealDisk, root.to_owned(), NOON_US).unwrap();
    let (mut writer, _) = open();
    writer.append(&[entry("a")], NOON_US).unwrap();
    let old_head = std::fs::read(root.join("head")).unwrap();
    writer.append(&[entry("b")], NOON_US).unwrap();
    drop(writer);
    std::fs::write(root.join("head"), old_head).unwrap();
    let segment = root.join("log/events-2026-11-15.0000.jsonl");
    let mut bytes = std::fs::read(&segment).unwrap();
    bytes.remove(20);
    std::fs::write(&segment, &bytes).unwrap();

    let (mut writer, findings) = open();
    assert!(matches!(findings[0], Finding::Missing { .. }), "{findings:?}");
    assert_eq!(std::fs::read(&segment).unwrap(), bytes);
    assert_eq!(writer.append(&[entry("c")], NOON_US).unwrap().get(), 3);
}

#[test]
fn a_log_of_a_newer_version_is_not_written_to_however_whole_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let open = || Writer::open(RealDisk, root.to_owned(), NOON_US);
    drop(open().unwrap());
    let head = read_head(&RealDisk, root).unwrap().unwrap();
    let path = root.join("log").join(head.segment.file(Form::Plain));
    let opening = Opening { store: head.store.clone(), format: FORMAT + 1, segment: head.number };
    let seal = Seal {
        first: head.next,
        bytes: 0,
        at_us: head.at_us,
        marks: Vec::new(),
        opening: Some(opening),
        body: Hash::of(b""),
        prev: Hash::ZERO,
    };
    let mut line = Vec::new();
    let hash = seal.encode(&mut line);
    let end = line.len() as u64;
    for torn in ["", "{\"half"] {
        let bytes = [&line[..], torn.as_bytes()].concat();
        std::fs::write(&path, &bytes).unwrap();
        std::fs::write(root.join("head"), Head { end, hash, ..head.clone() }.encode()).unwrap();
        let error = open().map(drop).unwrap_err();
        assert!(
            error.to_string().ends_with("this version reads up to 1: use a newer one"),
            "{error}"
        );
        assert!(matches!(error, Error::Newer { .. }));
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
    }
}
