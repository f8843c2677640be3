//! Segments that go, and a power cut right after: what is left is whole.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use weft_log::Position;
use weft_log::disk::Disk as _;
use weft_log::prune;
use weft_log::reader::Reader;
use weft_log::recover::{Finding, LOG_FOLDER};
use weft_log::segment::SegmentName;
use weft_log::writer::Writer;

use crate::disk::{Honesty, SimDisk};
use crate::life::{NOON_US, ROOT, entry};
use crate::rng::Rng;

/// Records that are written, each into a segment of its own.
const N_RECORDS: u64 = 6;

/// What is there after the power cut.
#[derive(Debug, Default, PartialEq, Eq)]
struct Left {
    findings: Vec<Finding>,
    kept: Vec<u64>,
    next: u64,
}

fn open(disk: &SimDisk) -> (Writer<SimDisk>, Vec<Finding>) {
    let opened = Writer::open(disk.clone(), PathBuf::from(ROOT), NOON_US);
    let (writer, findings) = opened.expect("nothing fails");
    (writer.with_segment_bytes(1), findings)
}

/// Writes a log and removes all of its segments but the last.
fn write_and_prune(disk: &SimDisk) {
    let (mut writer, _) = open(disk);
    for n in 1..=N_RECORDS {
        let line = format!("{{\"n\":{n}}}");
        writer.append(&[entry(line.as_bytes())], NOON_US).expect("nothing fails");
    }
    let folder = Path::new(ROOT).join(LOG_FOLDER);
    let names = disk.list(&folder).expect("it is there");
    let mut files: Vec<_> = names.iter().filter_map(|name| SegmentName::parse(name)).collect();
    files.sort_by_key(|(name, _)| *name);
    files.pop();
    prune::remove(disk, Path::new(ROOT), &files).expect("nothing fails");
}

fn look(disk: &SimDisk) -> Left {
    let (writer, findings) = open(disk);
    let root = PathBuf::from(ROOT);
    let last = Position::new(N_RECORDS).expect("it is one");
    let mut reader = Reader::open(disk.clone(), root, last).expect("it can be read");
    let mut kept = Vec::new();
    while let Some(batch) = reader.read().expect("it can be read") {
        kept.extend(batch.records().map(|(record, _)| record.meta.position.get()));
    }
    Left { findings, kept, next: writer.next().get() }
}

/// Prunes, cuts the power, and returns what is there then.
fn prune_and_cut(seed: u64) -> Left {
    let mut rng = Rng::new(seed);
    let mut sim = crate::machine(seed, &mut rng);
    let page_bytes = rng.pick(&[64, 512, 4096]);
    let disk = SimDisk::new(rng, Honesty::Honest, page_bytes);
    let left = Rc::new(RefCell::new((false, Left::default())));
    let host = Rc::clone(&left);
    sim.host("machine", move || {
        let (disk, host) = (disk.clone(), Rc::clone(&host));
        async move {
            let (is_pruned, left) = &mut *host.borrow_mut();
            disk.restore_power();
            if *is_pruned {
                *left = look(&disk);
            } else {
                write_and_prune(&disk);
                *is_pruned = true;
            }
            Ok(())
        }
    });
    for _ in 0..2 {
        sim.step().expect("nothing panics");
        sim.crash("machine");
        sim.bounce("machine");
    }
    left.take().1
}

#[test]
fn a_power_cut_after_segments_went_leaves_a_log_that_is_whole() {
    let whole = Left { findings: Vec::new(), kept: vec![N_RECORDS], next: N_RECORDS + 1 };
    let lefts = (1..=200).map(|seed| (seed, prune_and_cut(seed)));
    let wrong: Vec<_> = lefts.filter(|(_, left)| *left != whole).collect();
    assert!(wrong.is_empty(), "{} of 200 seeds, as {:?}", wrong.len(), wrong[0]);
}
