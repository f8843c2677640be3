//! What a user gets of an archive: the segment back, from anywhere in it; and after damage, everything but the frames hit.

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::ops::Range;
use std::process::Command;

use proptest::prelude::*;

use super::{
    Cuts, Damaged, OpenError, ReadError, Reader, State, Summary, VerifyError, WriteError,
    verify_against, write, write_frames,
};

/// Small frames, so that a test sees many.
const SMALL: (u64, u64) = (300, 900);

/// Returns a segment of `n` groups and where each ends.
fn segment(n: usize) -> (Vec<u8>, Vec<u64>) {
    let mut segment = Vec::new();
    let mut ends = Vec::new();
    for group in 0..n {
        for line in 0..=group % 4 {
            let secret = crate::Hash::of(&[group as u8, line as u8]);
            writeln!(segment, r#"{{"event_type":"bead.claimed","n":{group},"id":"{secret}"}}"#)
                .unwrap();
        }
        writeln!(segment, r#"{{"weft_seal":{{"pos":{group},"n":{}}}}}"#, group % 4 + 1).unwrap();
        ends.push(segment.len() as u64);
    }
    (segment, ends)
}

fn pack(segment: &[u8], ends: &[u64], (bytes, bytes_max): (u64, u64)) -> (Vec<u8>, Summary) {
    let mut out = Vec::new();
    let cuts = Cuts::new(ends.iter().copied(), bytes, bytes_max);
    let summary = write_frames(&mut &segment[..], cuts, &mut out, 3).unwrap();
    assert_eq!(summary.archive_bytes, out.len() as u64);
    assert_eq!(summary.bytes, segment.len() as u64);
    (out, summary)
}

fn file_of(bytes: &[u8]) -> File {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    file
}

fn open(archive: &[u8]) -> Result<Reader, OpenError> {
    Reader::open(file_of(archive))
}

/// Reads all that can be read: each byte of the segment, or `None` where it is reported lost.
fn salvage(reader: &mut Reader) -> Vec<Option<u8>> {
    let mut found = Vec::new();
    let mut buf = [0; 256];
    loop {
        match reader.read_at(found.len() as u64, &mut buf) {
            Ok(0) => break,
            Ok(n) => found.extend(buf[..n].iter().copied().map(Some)),
            Err(ReadError::Damaged(Damaged { offset, bytes, .. })) => {
                assert_eq!(offset, found.len() as u64, "a frame is lost from its first byte");
                found.resize((offset + bytes) as usize, None);
            }
            Err(ReadError::Cut { offset }) => {
                assert_eq!(offset, found.len() as u64);
                break;
            }
            Err(ReadError::Io(error)) => panic!("{error}"),
        }
    }
    assert_eq!(found.len() as u64, reader.len());
    found
}

/// Returns the frames of a sound archive: where each stands in the file, and what it holds of the segment.
fn frames_of(archive: &[u8]) -> Vec<(Range<usize>, Range<usize>)> {
    let reader = open(archive).unwrap();
    let range = |at: u64, bytes: usize| at as usize..at as usize + bytes;
    let frame = |frame: &super::frames::Frame| {
        (range(frame.packed_at, frame.packed_bytes), range(frame.at, frame.bytes))
    };
    reader.frames.iter().map(frame).collect()
}

#[test]
fn frames_end_at_the_first_seal_past_their_size() {
    let (segment, ends) = segment(12);
    let (archive, summary) = pack(&segment, &ends, SMALL);
    let frames = frames_of(&archive);
    assert_eq!((summary.n_frames, summary.n_cut), (frames.len(), 0));
    assert!(frames.len() >= 4);
    for (_, held) in &frames[..frames.len() - 1] {
        let first = ends.iter().find(|end| **end >= held.start as u64 + SMALL.0);
        assert_eq!(first, Some(&(held.end as u64)));
    }
}

#[test]
fn a_group_without_a_seal_in_reach_is_cut_at_the_limit() {
    let segment = vec![b'x'; 2500];
    let (archive, summary) = pack(&segment, &[100, 2000], SMALL);
    let ends: Vec<usize> = frames_of(&archive).iter().map(|(_, held)| held.end).collect();
    assert_eq!(ends, [100, 1000, 1900, 2000, 2500]);
    assert_eq!(summary.n_cut, 2);
    assert!(salvage(&mut open(&archive).unwrap()).into_iter().eq(segment.into_iter().map(Some)));
}

#[test]
fn every_offset_can_be_sought() {
    let (segment, ends) = segment(9);
    let (archive, _) = pack(&segment, &ends, SMALL);
    let mut reader = open(&archive).unwrap();
    assert_eq!(reader.state(), State::Whole);
    let mut buf = [0; 64];
    for offset in (0..segment.len()).rev() {
        let n = reader.read_at(offset as u64, &mut buf).unwrap();
        assert!(n > 0);
        assert_eq!(buf[..n], segment[offset..offset + n]);
    }
    for offset in [segment.len() as u64, segment.len() as u64 + 1, u64::MAX] {
        assert_eq!(reader.read_at(offset, &mut buf).unwrap(), 0);
    }
}

#[test]
fn frames_read_in_turn_stay_decoded() {
    let (segment, ends) = segment(9);
    let (archive, _) = pack(&segment, &ends, SMALL);
    let file = file_of(&archive);
    let mut reader = Reader::open(file.try_clone().unwrap()).unwrap();
    let (first, second) = (0, frames_of(&archive)[1].1.start as u64);
    let mut buf = [0; 8];
    reader.read_at(first, &mut buf).unwrap();
    reader.read_at(second, &mut buf).unwrap();
    file.set_len(0).unwrap();
    reader.read_at(first, &mut buf).unwrap();
    reader.read_at(second, &mut buf).unwrap();
    let third = frames_of(&archive)[2].1.start as u64;
    assert!(matches!(reader.read_at(third, &mut buf), Err(ReadError::Damaged(_))));
}

#[test]
fn an_empty_segment_is_an_archive_without_frames() {
    let (archive, summary) = pack(&[], &[], SMALL);
    assert_eq!(summary.n_frames, 0);
    let mut reader = open(&archive).unwrap();
    assert_eq!((reader.len(), reader.state()), (0, State::Whole));
    assert_eq!(reader.read_at(0, &mut [0]).unwrap(), 0);
    verify_against(&mut reader, &mut &b""[..]).unwrap();
}

#[test]
fn a_segment_that_shrank_is_refused() {
    let result = write(&mut &b"{}\n"[..], [3, 9].into_iter(), &mut Vec::new(), 3);
    assert!(matches!(result, Err(WriteError::Short { bytes: 3, seal_end: 9 })));
}

#[test]
fn other_files_are_refused() {
    let (segment, ends) = segment(9);
    let random: Vec<u8> =
        (0..4096_u32).flat_map(|n| *crate::Hash::of(&n.to_le_bytes()).as_bytes()).collect();
    let large = zstd::encode_all(&vec![b'x'; super::FRAME_BYTES_MAX + 1][..], 1).unwrap();
    for foreign in [&b""[..], b"x", b"\x28\xb5", &segment, &random, &large] {
        assert!(matches!(open(foreign), Err(OpenError::NotAnArchive)));
    }
    let footer_alone = &pack(&segment, &ends, SMALL).0;
    let footer_alone = &footer_alone[footer_alone.len() - 9..];
    assert!(matches!(open(footer_alone), Err(OpenError::NotAnArchive)));
}

#[test]
fn an_archive_is_proven_before_its_original_goes() {
    let (segment, ends) = segment(9);
    let (archive, _) = pack(&segment, &ends, SMALL);
    let verify = |archive: &[u8], mut original: &[u8]| {
        verify_against(&mut open(archive).unwrap(), &mut original)
    };
    verify(&archive, &segment).unwrap();

    let mut other = segment.clone();
    other[700] ^= 1;
    assert!(matches!(verify(&archive, &other), Err(VerifyError::Differs { offset: 700 })));
    let longer = [&segment[..], b"\n"].concat();
    let end = segment.len() as u64;
    assert!(
        matches!(verify(&archive, &longer), Err(VerifyError::Differs { offset }) if offset == end)
    );
    let shorter = &segment[..700];
    assert!(matches!(verify(&archive, shorter), Err(VerifyError::Differs { offset: 700 })));

    let mut damaged = archive.clone();
    damaged[30] ^= 1;
    assert!(matches!(verify(&damaged, &segment), Err(VerifyError::Archive(ReadError::Damaged(_)))));
    let table_lost = &archive[..archive.len() - 1];
    assert!(matches!(verify(table_lost, &segment), Err(VerifyError::Table)));
}

#[test]
fn any_flipped_bit_costs_at_most_the_frame_it_hits() {
    let (segment, ends) = segment(6);
    let (archive, _) = pack(&segment, &ends, SMALL);
    let frames = frames_of(&archive);
    assert!(frames.len() >= 3);
    let mut n_lost = 0;
    let mut file = file_of(&archive);
    for bit in 0..archive.len() * 8 {
        let flipped = archive[bit / 8] ^ 1 << (bit % 8);
        put_byte(&mut file, bit / 8, flipped);
        let mut reader = Reader::open(file.try_clone().unwrap()).unwrap();
        let found = salvage(&mut reader);
        let damage = reader.find_damage().unwrap();
        put_byte(&mut file, bit / 8, archive[bit / 8]);

        assert_eq!(found.len(), segment.len(), "bit {bit}");
        let hit = frames.iter().find(|(packed, _)| packed.contains(&(bit / 8)));
        for (at, byte) in found.iter().enumerate() {
            match byte {
                Some(byte) => assert_eq!(*byte, segment[at], "bit {bit}, byte {at}"),
                None => assert!(hit.is_some_and(|(_, held)| held.contains(&at)), "bit {bit}"),
            }
        }
        n_lost += usize::from(found.contains(&None));
        assert_eq!(damage.is_empty(), !found.contains(&None), "bit {bit}");
    }
    assert!(n_lost > archive.len(), "most flips in a frame must show");
}

fn put_byte(file: &mut File, at: usize, byte: u8) {
    file.seek(SeekFrom::Start(at as u64)).unwrap();
    file.write_all(&[byte]).unwrap();
}

#[test]
fn any_cut_keeps_the_frames_before_it_and_says_that_more_is_lost() {
    let (segment, ends) = segment(6);
    let (archive, _) = pack(&segment, &ends, SMALL);
    let frames = frames_of(&archive);
    let table_at = frames.last().unwrap().0.end;
    for cut in 0..archive.len() {
        let kept = frames.iter().rev().find(|(packed, _)| packed.end <= cut);
        let kept = kept.map_or(0, |(_, held)| held.end);
        let mut reader = match open(&archive[..cut]) {
            Err(OpenError::NotAnArchive) if kept == 0 => continue,
            opened => opened.unwrap(),
        };
        let expected = if cut >= table_at + 4 { State::TableDamaged } else { State::Cut };
        assert_eq!(reader.state(), expected, "cut at {cut}");
        let found: Option<Vec<u8>> = salvage(&mut reader).into_iter().collect();
        assert_eq!(found.as_deref(), Some(&segment[..kept]), "cut at {cut}");
    }
}

#[test]
fn a_lost_table_and_a_hit_frame_leave_what_stands_before_the_frame() {
    let (segment, ends) = segment(9);
    let (archive, _) = pack(&segment, &ends, SMALL);
    let frames = frames_of(&archive);
    let mut damaged = archive[..archive.len() - 1].to_vec();
    damaged[frames[1].0.end - 10] ^= 1;
    let mut reader = open(&damaged).unwrap();
    assert_eq!(reader.state(), State::Cut);
    let found: Option<Vec<u8>> = salvage(&mut reader).into_iter().collect();
    assert_eq!(found.as_deref(), Some(&segment[frames[0].1.clone()]));
}

#[test]
fn the_zstd_tool_reads_it_back() {
    let (segment, ends) = segment(9);
    let (archive, _) = pack(&segment, &ends, SMALL);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("events-2026-10-02.0000.jsonl.zst");
    std::fs::write(&path, &archive).unwrap();
    match Command::new("zstd").arg("-dcq").arg(&path).output() {
        Ok(output) => {
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            assert_eq!(output.stdout, segment);
        }
        Err(error) => println!("skipped: the zstd tool cannot be run: {error}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn no_damage_gives_wrong_bytes(
        hits in prop::collection::vec((any::<prop::sample::Index>(), 1_usize..60, any::<Option<u8>>()), 1..5),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let (segment, ends) = segment(12);
        let (mut archive, _) = pack(&segment, &ends, SMALL);
        for (at, n, byte) in hits {
            let at = at.index(archive.len());
            archive[at..].iter_mut().take(n).for_each(|hit| *hit = byte.unwrap_or(!*hit));
        }
        if let Some(cut) = cut {
            archive.truncate(cut.index(archive.len()));
        }
        if let Ok(mut reader) = open(&archive) {
            let found = salvage(&mut reader);
            prop_assert!(found.len() <= segment.len());
            let wrong = found.iter().zip(&segment).position(|(found, byte)| found.is_some_and(|found| found != *byte));
            prop_assert_eq!(wrong, None);
            prop_assert!(reader.state() == State::Cut || found.len() == segment.len());
        }
    }

    #[test]
    fn a_segment_comes_back_byte_for_byte(
        segment in prop::collection::vec(prop_oneof![Just(b'a'), any::<u8>()], 0..6000),
        mut ends in prop::collection::vec(0_u64..6000, 0..40),
        sizes in (50_u64..800, 800_u64..2000),
        (seek, want) in (0_usize..6500, 1_usize..700),
    ) {
        ends.retain(|end| *end <= segment.len() as u64);
        ends.sort_unstable();
        let (archive, summary) = pack(&segment, &ends, sizes);
        prop_assert_eq!(zstd::decode_all(&archive[..]).unwrap(), &segment[..]);
        let mut reader = open(&archive).unwrap();
        prop_assert_eq!(reader.len(), summary.bytes);
        verify_against(&mut reader, &mut &segment[..]).unwrap();
        let mut buf = vec![0; want];
        let n = reader.read_at(seek as u64, &mut buf).unwrap();
        prop_assert_eq!(n > 0, seek < segment.len());
        prop_assert_eq!(&buf[..n], &segment[seek.min(segment.len())..][..n]);
    }
}
