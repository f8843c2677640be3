//! Telling the records that damage left whole from those that it hit.

use std::ops::Range;

use memchr::{memchr, memmem};
use weft_event::json::Tape;

use super::{Bound, Closing, Fault, Line, is_object};
use crate::seal::{self, Seal};
use crate::{Mark, Position};

/// How many ends of a seal are tried from one beginning: the text `"}}` can stand in a name that a producer chose.
const SEAL_ENDS_MAX: usize = 64;

/// Returns the first good seal that does not stand on a line of its own, because the line end before or after it is damaged. One
/// that an event holds as a value is told by what JSON has around values, and no line end becomes by one flipped bit.
pub(super) fn hidden_seal(bytes: &[u8], tape: &mut Tape) -> Option<Closing> {
    for start in memmem::find_iter(bytes, seal::PREFIX) {
        if start > 0 && b":,[ \t\r".contains(&bytes[start - 1]) {
            continue;
        }
        for end in memmem::find_iter(&bytes[start..], b"\"}}").take(SEAL_ENDS_MAX) {
            let line_end = start + end + 3;
            if bytes.get(line_end).is_some_and(|after| b"},] \t\r".contains(after)) {
                continue;
            }
            if let Ok((seal, hash)) = Seal::decode(&bytes[start..line_end], tape) {
                let end = bytes.len().min(line_end + 1);
                return Some(Closing { seal, hash, start, end, is_own_line: false });
            }
        }
    }
    None
}

/// Returns the records of a damaged group that its seal still vouches for, by the checksum of each; adds those lost to `faults`.
pub(super) fn by_checksum(
    body: &[u8],
    seal: &Seal,
    faults: &mut Vec<Fault>,
    tape: &mut Tape,
) -> Vec<Line> {
    let (lines, marks) = (lines(body), &seal.marks);
    // What the damage did not reach stands in its place, counted from either end.
    let is_same = |(line, mark): &(&Split, &Mark)| line.crc == mark.crc;
    let n_before = lines.iter().zip(marks).take_while(is_same).count();
    let (rest, rest_marks) = (lines[n_before..].iter(), marks[n_before..].iter());
    let n_after = rest.rev().zip(rest_marks.rev()).take_while(is_same).count();
    let (n_lines, n_marks) = (lines.len() - n_after, marks.len() - n_after);

    let hit = &lines[n_before..n_lines];
    let hit_marks = n_before..n_marks;
    let matches = match hit.len() == hit_marks.len() {
        true => hit_marks.zip(hit).filter(|(idx, line)| line.crc == marks[*idx].crc).collect(),
        false => in_order(hit, marks, hit_marks),
    };
    let group = Group { body, seal };
    let mut found: Vec<_> =
        (0..).zip(&lines[..n_before]).map(|(idx, line)| group.line(idx, line)).collect();
    let (mut idx, mut start) =
        (n_before, lines.get(n_before).map_or(body.len(), |line| line.start));
    for (match_idx, line) in matches {
        group.dig(start..line.start, idx..match_idx, &mut found, tape);
        found.push(group.line(match_idx, line));
        (idx, start) = (match_idx + 1, line.end + 1);
    }
    let end = lines.get(n_lines).map_or(body.len(), |line| line.start);
    group.dig(start..end, idx..n_marks, &mut found, tape);
    let after = (n_marks..).zip(&lines[n_lines..]);
    found.extend(after.map(|(idx, line)| group.line(idx, line)));
    report_lost(seal.first, seal.next(), &found, faults);
    found
}

/// A part of a body between line ends.
struct Split {
    start: usize,
    end: usize,
    crc: u32,
}

fn lines(body: &[u8]) -> Vec<Split> {
    let mut lines = Vec::new();
    let mut start = 0;
    while start < body.len() {
        let end = memchr(b'\n', &body[start..]).map_or(body.len(), |newline| start + newline);
        lines.push(Split { start, end, crc: crc32c::crc32c(&body[start..end]) });
        start = end + 1;
    }
    lines
}

/// Returns the lines that are records, each with the first mark that fits it after the one before.
fn in_order<'l>(
    lines: &'l [Split],
    marks: &[Mark],
    mut wanted: Range<usize>,
) -> Vec<(usize, &'l Split)> {
    let mut matches = Vec::new();
    for line in lines.iter().filter(|line| line.end > line.start) {
        let ahead = marks[wanted.clone()].iter().position(|mark| mark.crc == line.crc);
        if let Some(ahead) = ahead {
            matches.push((wanted.start + ahead, line));
            wanted.start += ahead + 1;
        }
    }
    matches
}

/// A damaged group whose seal is good.
struct Group<'a> {
    body: &'a [u8],
    seal: &'a Seal,
}

impl Group<'_> {
    fn line(&self, idx: usize, Split { start, end, .. }: &Split) -> Line {
        line_of(self.seal, idx, *start, *end)
    }

    /// Looks for records that a damaged line end joined: each begins where the one before it ended, or after one bad byte.
    fn dig(
        &self,
        between: Range<usize>,
        wanted: Range<usize>,
        found: &mut Vec<Line>,
        tape: &mut Tape,
    ) {
        let mut starts = [between.start, between.start];
        for idx in wanted {
            let crc = self.seal.marks[idx].crc;
            let record = starts.into_iter().find_map(|start| {
                let end = self.end_of_record(start..between.end, crc, tape)?;
                Some((start, end))
            });
            // If it is hit itself, the next one can only stand after the next line end, and was found by that.
            let Some((start, end)) = record else { return };
            found.push(line_of(self.seal, idx, start, end));
            starts = [end + 1, end];
        }
    }

    /// Returns where the record ends that begins a range and has a checksum.
    fn end_of_record(&self, range: Range<usize>, crc: u32, tape: &mut Tape) -> Option<usize> {
        if self.body.get(range.start) != Some(&b'{') {
            return None;
        }
        let mut crc_so_far = 0;
        let last = range.clone().find(|at| {
            crc_so_far = crc32c::crc32c_append(crc_so_far, &self.body[*at..=*at]);
            crc_so_far == crc && is_object(&self.body[range.start..=*at], tape)
        })?;
        Some(last + 1)
    }
}

fn line_of(seal: &Seal, idx: usize, start: usize, end: usize) -> Line {
    Line { position: seal.first.plus(idx as u64), start, end, mark_idx: Some(idx) }
}

/// Returns the lines of groups without a good seal, and what is wrong.
pub(super) fn unsealed(
    bytes: &[u8],
    first: Position,
    next: Position,
    bound: Bound,
    tape: &mut Tape,
) -> (Vec<Line>, Vec<Fault>) {
    let n_wanted = next.get().saturating_sub(first.get());
    let mut events = Vec::new();
    let mut n_before_bad = None;
    let mut start = 0;
    while start < bytes.len() {
        let end = memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |newline| start + newline);
        let text = &bytes[start..end];
        // Half a line is no object, so that one whose end alone is gone is still a record.
        if !is_object(text, tape) {
            n_before_bad.get_or_insert(events.len());
        } else if !text.starts_with(seal::PREFIX) && !is_like_seal(text) {
            events.push((start, end));
        }
        start = end + 1;
    }
    if events.len() as u64 != n_wanted {
        let n_sure = match bound {
            Bound::Seal => 0,
            Bound::End => n_before_bad.unwrap_or(events.len()),
        };
        events.truncate(n_sure.min(usize::try_from(n_wanted).unwrap_or(usize::MAX)));
    }
    let mut faults = Vec::new();
    let lines: Vec<Line> = (0..)
        .zip(&events)
        .map(|(idx, (start, end))| Line {
            position: first.plus(idx),
            start: *start,
            end: *end,
            mark_idx: None,
        })
        .collect();
    if let (Some(first), Some(last)) = (lines.first(), lines.last()) {
        faults.push(Fault::Unsealed { first: first.position, last: last.position });
    }
    report_lost(first, next, &lines, &mut faults);
    if faults.is_empty() && !bytes.is_empty() {
        faults.push(Fault::Stray { bytes: bytes.len() as u64 });
    }
    (lines, faults)
}

/// Returns whether a line is a seal whose beginning is damaged: an object that ends as seals do.
fn is_like_seal(line: &[u8]) -> bool {
    line.ends_with(b"\"}}")
        && memmem::find(line, b"\",\"hash\":\"").is_some_and(|at| line.len() - at == 77)
}

/// Adds the positions from `first` up to but without `next` that no line has.
fn report_lost(first: Position, next: Position, lines: &[Line], faults: &mut Vec<Fault>) {
    let mut expected = first.get();
    let ends = lines.iter().map(|line| line.position).chain([next]);
    for position in ends {
        let before = Position::new(position.get() - 1);
        if let (Some(first), Some(last)) = (Position::new(expected), before)
            && first <= last
        {
            faults.push(Fault::Lost { first, last });
        }
        expected = position.get().saturating_add(1);
    }
}
