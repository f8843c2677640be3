//! A small log with a bit of everything in it, and where each of its lines stands.

use std::ops::Range;
use std::path::{Path, PathBuf};

use weft_event::Dialect;
use weft_log::writer::{Entry, Writer};
use weft_log::{Carried, Mark, Position, TopicKey};

use crate::memory::{Files, MemoryDisk};

pub(crate) const ROOT: &str = "store";
pub(crate) const NOON_US: i64 = 1_794_744_000_000_000; // 2026-11-15T12:00:00Z
pub(crate) const DAY_US: i64 = 86_400_000_000;

/// The sizes of the groups of each segment.
const SEGMENTS: &[&[usize]] = &[&[2, 1, 3], &[4, 1], &[1, 2, 2]];

/// These two stand next to each other in one group and are the same but for the ids of their deliveries.
pub(crate) const TWINS: [u64; 2] = [8, 9];

/// A log, whole.
#[derive(Debug)]
pub(crate) struct Sample {
    pub(crate) files: Files,
    pub(crate) segments: Vec<Segment>,
    /// By position, from 1 at index 0.
    pub(crate) entries: Vec<(Entry, i64)>,
    /// Every `head` that ever was, with the position that came next.
    pub(crate) heads: Vec<(Vec<u8>, u64)>,
}

#[derive(Debug)]
pub(crate) struct Segment {
    pub(crate) path: PathBuf,
    /// Bytes of the opening seal, its line end included.
    pub(crate) opening: Range<usize>,
    /// The position after those of the segments before.
    pub(crate) first: u64,
    pub(crate) groups: Vec<Group>,
}

#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) first: u64,
    /// Bytes of each record's line, its line end included.
    pub(crate) lines: Vec<Range<usize>>,
    pub(crate) seal: Range<usize>,
}

/// What a line of a segment is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part<'s> {
    Opening,
    Record(u64),
    Seal(&'s Group),
}

impl Segment {
    /// Returns the position after its last record.
    pub(crate) fn next(&self) -> u64 {
        self.groups.last().map_or(self.first, Group::next)
    }

    /// Returns its lines in order, with the bytes of each.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (Part<'_>, Range<usize>)> {
        let opening = [(Part::Opening, self.opening.clone())];
        opening.into_iter().chain(self.groups.iter().flat_map(Group::parts))
    }
}

impl Group {
    pub(crate) fn next(&self) -> u64 {
        self.first + self.lines.len() as u64
    }

    fn parts(&self) -> impl Iterator<Item = (Part<'_>, Range<usize>)> {
        let records = (self.first..).zip(&self.lines);
        let records = records.map(|(position, line)| (Part::Record(position), line.clone()));
        records.chain([(Part::Seal(self), self.seal.clone())])
    }

    pub(crate) fn positions(&self) -> Range<u64> {
        self.first..self.next()
    }

    /// Returns its bytes, its seal included.
    pub(crate) fn bytes(&self) -> Range<usize> {
        self.lines[0].start..self.seal.end
    }
}

impl Sample {
    /// Returns the position after the last record.
    pub(crate) fn next(&self) -> u64 {
        self.entries.len() as u64 + 1
    }

    /// Returns the whole bytes of a segment.
    pub(crate) fn bytes(&self, segment_idx: usize) -> &[u8] {
        &self.files[&self.segments[segment_idx].path]
    }
}

pub(crate) fn head_path() -> PathBuf {
    Path::new(ROOT).join("head")
}

/// Writes the log.
pub(crate) fn sample() -> Sample {
    let disk = MemoryDisk::default();
    let (mut writer, _) =
        Writer::open(disk.clone(), ROOT.into(), NOON_US).expect("the disk is in memory");
    let head = |next| (disk.files()[&head_path()].clone(), next);
    let mut heads = vec![head(1)];
    let mut entries = Vec::new();
    let mut now_us = NOON_US;
    for (day, sizes) in (0_i64..).zip(SEGMENTS) {
        for size in *sizes {
            now_us = now_us.max(NOON_US + day * DAY_US) + 1_000_001;
            let first = entries.len() as u64 + 1;
            let group: Vec<_> = (first..).take(*size).map(entry).collect();
            writer.append(&group, now_us).expect("the disk is in memory");
            entries.extend(group.into_iter().map(|entry| (entry, now_us)));
            heads.push(head(entries.len() as u64 + 1));
        }
    }
    let files = disk.files();
    let segments = layout(&files, SEGMENTS);
    Sample { files, segments, entries, heads }
}

/// Returns where the lines stand, by counting line ends.
fn layout(files: &Files, sizes: &[&[usize]]) -> Vec<Segment> {
    let mut first = 1;
    let logs = files.iter().filter(|(path, _)| path.starts_with(Path::new(ROOT).join("log")));
    let segment = |((path, bytes), sizes): ((&PathBuf, &Vec<u8>), &&[usize])| {
        let mut start = 0;
        let mut line = || {
            let len = bytes[start..].iter().position(|byte| *byte == b'\n').expect("a line") + 1;
            start += len;
            start - len..start
        };
        let (opening, segment_first) = (line(), first);
        let mut groups = Vec::new();
        for size in *sizes {
            let lines = (0..*size).map(|_| line()).collect();
            groups.push(Group { first, lines, seal: line() });
            first += *size as u64;
        }
        assert_eq!(start, bytes.len(), "{} has more lines than were written", path.display());
        Segment { path: path.clone(), opening, first: segment_first, groups }
    };
    let segments: Vec<_> = logs.zip(sizes).map(segment).collect();
    assert_eq!(segments.len(), sizes.len());
    segments
}

/// Returns the event that stands at a position.
pub(crate) fn entry(position: u64) -> Entry {
    let twin = TWINS.contains(&position);
    let line = match position {
        _ if twin => "{\"twin\":true}".to_owned(),
        2 => "{\"text\":\"\\u007b\\\"weft_seal\\\":\\n\\\\ \u{e4}\u{20ac}\u{1f980}\"}".to_owned(),
        3 => "{}".to_owned(),
        // What looks like a seal inside an event is none.
        5 => "{\"in\":{\"weft_seal\":{\"pos\":1,\"hash\":\"00\"}}}".to_owned(),
        7 => "{\"a\":{\"b\":{\"prev\":\"x\",\"hash\":\"y\"}}}".to_owned(),
        _ => format!("{{\"n\":{position},\"blank\": [1, 2.50e3, null]}}"),
    };
    let line = line.into_bytes();
    let dialects = Dialect::ALL;
    let topic = |key: Option<&str>| TopicKey {
        topic: "loop:\"\u{fc}\"".to_owned(),
        key: key.map(str::to_owned),
    };
    let mark = Mark {
        dialect: dialects[usize::try_from(position).expect("small") % dialects.len()],
        via: if position.is_multiple_of(4) { "hook" } else { "http" }.into(),
        crc: crc32c::crc32c(&line),
        delivery: (twin || position.is_multiple_of(5))
            .then(|| format!("file:\u{e4}\"}}}}@{position}")),
        topic: match position % 6 {
            1 => Some(topic(None)),
            2 => Some(topic(Some("k\\\u{20ac}"))),
            _ => None,
        },
        carried: (position == 11)
            .then_some(Carried { position: Position::FIRST, at_us: NOON_US - 5 }),
        conflict: (position == 6).then_some(Position::FIRST),
    };
    Entry { line: line.into(), mark }
}
