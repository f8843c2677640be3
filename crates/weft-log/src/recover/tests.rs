//! What was durable is not given out again, wherever it stands.

use crate::disk::RealDisk;
use crate::recover::Finding;
use crate::testing::{NOON_US, entry};
use crate::writer::Writer;

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
