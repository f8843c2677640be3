//! What is appended is read again, over segments and after opening again.

use std::path::Path;

use super::Writer;
use crate::Position;
use crate::disk::RealDisk;
use crate::reader::Reader;
use crate::recover::Finding;
use crate::testing::{DAY_US, NOON_US, entry};

fn open(root: &Path, now_us: i64) -> (Writer<RealDisk>, Vec<Finding>) {
    Writer::open(RealDisk, root.to_owned(), now_us).unwrap()
}

fn read(root: &Path, from: u64) -> String {
    let from = Position::new(from).unwrap();
    let mut reader = Reader::open(RealDisk, root.to_owned(), from).unwrap();
    let mut found = String::new();
    while let Some(batch) = reader.read().unwrap() {
        assert_eq!(batch.stretch.faults, []);
        for (record, _) in batch.records() {
            let line = String::from_utf8(record.line.to_vec()).unwrap();
            found.push_str(&format!("{}:{} ", record.meta.position, &line[6..line.len() - 2]));
        }
    }
    found
}

#[test]
fn records_come_back_in_order_from_any_position() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let (mut writer, findings) = open(root, NOON_US);
    assert_eq!(findings, []);
    assert_eq!(writer.append(&[entry("a"), entry("b")], NOON_US).unwrap().get(), 1);
    assert_eq!(writer.append(&[entry("c")], NOON_US).unwrap().get(), 3);
    assert_eq!(writer.append(&[entry("d")], NOON_US + DAY_US).unwrap().get(), 4);
    drop(writer);
    let (mut writer, findings) = open(root, NOON_US);
    assert_eq!(findings, []);
    writer.append(&[entry("e")], NOON_US).unwrap();
    assert_eq!(read(root, 1), "1:a 2:b 3:c 4:d 5:e ");
    assert_eq!(read(root, 2), "2:b 3:c 4:d 5:e ");
    assert_eq!(read(root, 5), "5:e ");
    assert_eq!(read(root, 6), "");
    let mut names: Vec<_> = std::fs::read_dir(root.join("log"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["events-2026-11-15.0000.jsonl", "events-2026-11-16.0000.jsonl"]);
}

#[test]
fn a_reader_goes_on_as_the_log_grows() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let (mut writer, _) = open(root, NOON_US);
    let mut reader = Reader::open(RealDisk, root.to_owned(), Position::FIRST).unwrap();
    assert!(reader.read().unwrap().is_none());
    for (idx, day) in [0, 0, 1, 1, 3].into_iter().enumerate() {
        writer.append(&[entry("x")], NOON_US + day * DAY_US).unwrap();
        let batch = reader.read().unwrap().expect("the group just written");
        assert_eq!(batch.records().next().unwrap().0.meta.position.get(), idx as u64 + 1);
        let mileage = batch.mileage;
        assert!(reader.read().unwrap().is_none());
        let mut resumed = Reader::resume(RealDisk, root.to_owned(), mileage).unwrap().unwrap();
        assert!(resumed.read().unwrap().is_none());
    }
}

#[test]
fn what_is_written_and_not_synced_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let (mut writer, _) = open(root, NOON_US);
    writer.write(&[entry("a")], NOON_US).unwrap();
    assert_eq!(read(root, 1), "");
    writer.sync().unwrap();
    assert_eq!(read(root, 1), "1:a ");
}

#[test]
fn a_torn_tail_is_kept_aside_and_a_whole_one_revived() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let (mut writer, _) = open(root, NOON_US);
    writer.append(&[entry("a")], NOON_US).unwrap();
    writer.write(&[entry("b")], NOON_US).unwrap();
    let segment = root.join("log/events-2026-11-15.0000.jsonl");
    let whole = std::fs::read(&segment).unwrap();
    drop(writer);

    let (writer, findings) = open(root, NOON_US);
    let second = Position::new(2).unwrap();
    assert_eq!(findings, [Finding::Revived { first: second, last: second }]);
    assert_eq!(read(root, 1), "1:a 2:b ");
    drop(writer);

    std::fs::write(&segment, [&whole[..], b"{\"n\":\"torn"].concat()).unwrap();
    let (mut writer, findings) = open(root, NOON_US);
    let [Finding::Torn { bytes: 10, aside, .. }] = &findings[..] else { panic!("{findings:?}") };
    assert_eq!(std::fs::read(aside).unwrap(), b"{\"n\":\"torn");
    assert_eq!(std::fs::read(&segment).unwrap(), whole);
    writer.append(&[entry("c")], NOON_US).unwrap();
    assert_eq!(read(root, 1), "1:a 2:b 3:c ");
}

/// Returns a file's length, and how much of the disk it takes.
#[cfg(target_os = "linux")]
fn taken(root: &Path, day: &str) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt as _;

    let about = std::fs::metadata(root.join(format!("log/events-{day}.0000.jsonl"))).unwrap();
    (about.len(), about.blocks() * 512)
}

#[cfg(target_os = "linux")]
#[test]
fn space_is_set_aside_while_much_is_written_and_given_back() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let large = [entry(&"x".repeat(40_000))];
    let slack = |(len, bytes): (u64, u64)| bytes.saturating_sub(len);
    let (mut writer, _) = open(root, NOON_US);
    writer.append(&[entry("a")], NOON_US).unwrap();
    assert!(slack(taken(root, "2026-11-15")) < 64 << 10, "a few events need none");
    writer.append(&large, NOON_US).unwrap();
    writer.append(&large, NOON_US).unwrap();
    let (len, bytes) = taken(root, "2026-11-15");
    assert_eq!(len, writer.head().end, "nobody sees it");
    assert!(slack((len, bytes)) > 2 << 20, "{bytes} bytes for {len}");
    writer.append(&large, NOON_US + DAY_US).unwrap();
    assert!(slack(taken(root, "2026-11-15")) < 64 << 10, "a segment that ends gives it back");
    assert!(slack(taken(root, "2026-11-16")) > 2 << 20);
    drop(writer);
    let (len, bytes) = taken(root, "2026-11-16");
    assert!(slack((len, bytes)) < 64 << 10, "and so does a writer: {bytes} bytes for {len}");
    assert_eq!(read(root, 1).split_whitespace().count(), 4);
}
