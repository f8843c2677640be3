//! Sorting more than fits in memory: records fill a buffer, full buffers become sorted runs, runs are merged.
//!
//! A record is a key and a payload, both bytes; keys are compared as bytes. Where runs are kept is the caller's affair.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};

/// How many runs are merged at once. It bounds open files and, with the longest record, memory.
const FAN_IN: usize = 16;
/// Limits of the buffer that each run is read through.
const READ_BYTES_MIN: usize = 4 << 10;
const READ_BYTES_MAX: usize = 256 << 10;
/// What a buffer grows by at first.
const GROW_BYTES_MIN: usize = 64 << 10;

/// Takes records in any order.
#[derive(Debug)]
pub(super) struct Sorter<F, S> {
    spill: S,
    budget_bytes: usize,
    buffer: Buffer,
    runs: Vec<Run<F>>,
}

/// Gives the records back in the order of their keys.
#[derive(Debug)]
pub(super) enum Sorted<F> {
    /// All of them fitted.
    Memory { buffer: Buffer, next: usize },
    /// The first of every run.
    Runs { heads: BinaryHeap<Head<F>>, used: bool },
}

/// One record.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record<'b> {
    pub(super) key: &'b [u8],
    pub(super) payload: &'b [u8],
}

#[derive(Debug, Default)]
pub(super) struct Buffer {
    bytes: Vec<u8>,
    entries: Vec<Entry>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    start: usize,
    key_bytes: u32,
    payload_bytes: u32,
}

#[derive(Debug)]
struct Run<F> {
    file: F,
    n_records: u64,
    /// How often its records were merged before.
    level: u32,
}

/// The next record of a run.
#[derive(Debug)]
pub(super) struct Head<F> {
    reader: BufReader<F>,
    n_left: u64,
    key: Vec<u8>,
    payload: Vec<u8>,
}

impl<F: Read + Write + Seek, S: FnMut() -> io::Result<F>> Sorter<F, S> {
    /// Returns a sorter that holds `budget_bytes` of records, or one if that is larger, and asks `spill` for a place for the rest.
    pub(super) fn new(budget_bytes: usize, spill: S) -> Self {
        Self { spill, budget_bytes, buffer: Buffer::default(), runs: Vec::new() }
    }

    pub(super) fn push(&mut self, key: &[u8], payload: &[u8]) -> io::Result<()> {
        let added = key.len() + payload.len() + size_of::<Entry>();
        if !self.buffer.entries.is_empty()
            && self.buffer.size_bytes().saturating_add(added) > self.budget_bytes
        {
            self.spill_buffer()?;
        }
        self.buffer.push(key, payload, self.budget_bytes);
        Ok(())
    }

    pub(super) fn sort(mut self) -> io::Result<Sorted<F>> {
        if self.runs.is_empty() {
            self.buffer.sort();
            return Ok(Sorted::Memory { buffer: self.buffer, next: 0 });
        }
        self.spill_buffer()?;
        self.buffer = Buffer::default();
        while self.runs.len() > FAN_IN {
            let n_surplus = self.runs.len() - FAN_IN + 1;
            self.merge_last(n_surplus.min(FAN_IN))?;
        }
        let heads = heads(self.runs, self.budget_bytes)?;
        Ok(Sorted::Runs { heads, used: false })
    }

    fn spill_buffer(&mut self) -> io::Result<()> {
        self.buffer.sort();
        let mut writer = BufWriter::new((self.spill)()?);
        for &entry in &self.buffer.entries {
            write_record(&mut writer, self.buffer.record(entry))?;
        }
        let n_records = self.buffer.entries.len() as u64;
        self.runs.push(Run { file: into_file(writer)?, n_records, level: 0 });
        self.buffer.clear();
        while let Some(level) = self.runs.last().map(|run| run.level)
            && self.runs.iter().rev().take_while(|run| run.level == level).count() == FAN_IN
        {
            self.merge_last(FAN_IN)?;
        }
        Ok(())
    }

    /// Makes one run of the last `n` of them.
    fn merge_last(&mut self, n: usize) -> io::Result<()> {
        let last = self.runs.split_off(self.runs.len() - n);
        let n_records = last.iter().map(|run| run.n_records).sum();
        let level = 1 + last.iter().map(|run| run.level).max().unwrap_or(0);
        let mut sorted = Sorted::Runs { heads: heads(last, self.budget_bytes)?, used: false };
        let mut writer = BufWriter::new((self.spill)()?);
        while let Some(record) = sorted.read()? {
            write_record(&mut writer, record)?;
        }
        self.runs.push(Run { file: into_file(writer)?, n_records, level });
        Ok(())
    }
}

impl<F: Read> Sorted<F> {
    /// Returns the next record.
    pub(super) fn read(&mut self) -> io::Result<Option<Record<'_>>> {
        match self {
            Sorted::Memory { buffer, next } => {
                let entry = buffer.entries.get(*next).copied();
                *next += 1;
                Ok(entry.map(|entry| buffer.record(entry)))
            }
            Sorted::Runs { heads, used } => {
                if std::mem::replace(used, true)
                    && let Some(mut top) = heads.peek_mut()
                    && !top.advance()?
                {
                    PeekMut::pop(top);
                }
                Ok(heads.peek().map(|head| Record { key: &head.key, payload: &head.payload }))
            }
        }
    }
}

impl Buffer {
    fn push(&mut self, key: &[u8], payload: &[u8], budget_bytes: usize) {
        let added = key.len() + payload.len();
        if self.bytes.capacity() - self.bytes.len() < added {
            // Doubling would let a full buffer take twice its budget.
            let room = budget_bytes.saturating_sub(self.bytes.capacity());
            self.bytes.reserve_exact(added.max(self.bytes.len().max(GROW_BYTES_MIN).min(room)));
        }
        let length = |bytes: &[u8]| u32::try_from(bytes.len()).expect("a line is at most 16 MiB");
        let start = self.bytes.len();
        let entry = Entry { start, key_bytes: length(key), payload_bytes: length(payload) };
        self.entries.push(entry);
        self.bytes.extend_from_slice(key);
        self.bytes.extend_from_slice(payload);
    }

    fn size_bytes(&self) -> usize {
        self.bytes.len() + self.entries.len() * size_of::<Entry>()
    }

    fn record(&self, entry: Entry) -> Record<'_> {
        let (key, rest) = self.bytes[entry.start..].split_at(entry.key_bytes as usize);
        Record { key, payload: &rest[..entry.payload_bytes as usize] }
    }

    fn key(&self, entry: Entry) -> &[u8] {
        &self.bytes[entry.start..entry.start + entry.key_bytes as usize]
    }

    fn sort(&mut self) {
        let mut entries = std::mem::take(&mut self.entries);
        entries.sort_unstable_by(|a, b| self.key(*a).cmp(self.key(*b)));
        self.entries = entries;
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.entries.clear();
    }
}

fn heads<F: Read + Seek>(
    runs: Vec<Run<F>>,
    budget_bytes: usize,
) -> io::Result<BinaryHeap<Head<F>>> {
    let capacity = (budget_bytes / FAN_IN).clamp(READ_BYTES_MIN, READ_BYTES_MAX);
    let mut heads = BinaryHeap::with_capacity(runs.len());
    for mut run in runs {
        run.file.seek(SeekFrom::Start(0))?;
        let reader = BufReader::with_capacity(capacity, run.file);
        let mut head = Head { reader, n_left: run.n_records, key: Vec::new(), payload: Vec::new() };
        if head.advance()? {
            heads.push(head);
        }
    }
    Ok(heads)
}

impl<F: Read> Head<F> {
    /// Reads the next record; returns whether there was one.
    fn advance(&mut self) -> io::Result<bool> {
        if self.n_left == 0 {
            return Ok(false);
        }
        self.n_left -= 1;
        let key_bytes = read_length(&mut self.reader)?;
        let payload_bytes = read_length(&mut self.reader)?;
        self.key.resize(key_bytes, 0);
        self.reader.read_exact(&mut self.key)?;
        self.payload.resize(payload_bytes, 0);
        self.reader.read_exact(&mut self.payload)?;
        Ok(true)
    }
}

/// The heap gives the greatest first, so the smallest key is the greatest head.
impl<F> Ord for Head<F> {
    fn cmp(&self, other: &Self) -> Ordering {
        other.key.cmp(&self.key)
    }
}

impl<F> PartialOrd for Head<F> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<F> PartialEq for Head<F> {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl<F> Eq for Head<F> {}

fn write_record(writer: &mut impl Write, record: Record<'_>) -> io::Result<()> {
    for bytes in [record.key, record.payload] {
        writer.write_all(&(bytes.len() as u32).to_le_bytes())?;
    }
    writer.write_all(record.key)?;
    writer.write_all(record.payload)
}

fn read_length(reader: &mut impl Read) -> io::Result<usize> {
    let mut length = [0; 4];
    reader.read_exact(&mut length)?;
    Ok(u32::from_le_bytes(length) as usize)
}

fn into_file<F: Write>(writer: BufWriter<F>) -> io::Result<F> {
    writer.into_inner().map_err(io::IntoInnerError::into_error)
}

#[cfg(test)]
mod tests;
