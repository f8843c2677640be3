//! What one seed does to the log: the life of a machine from power cut to power cut.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use weft_event::Dialect;
use weft_log::disk::{Access, Disk as _, DiskFile as _};
use weft_log::reader::{ReadError, Reader};
use weft_log::recover::{ASIDE_FOLDER, Finding, LOG_FOLDER};
use weft_log::writer::{Entry, WriteError, Writer};
use weft_log::{Mark, Position};

use crate::cache::FailedSync;
use crate::disk::{Failing, Faults, SimDisk};
use crate::model::{Look, Model, Told, Violation, Wrong};
use crate::rng::Rng;
use crate::seen::Seen;

pub(crate) const ROOT: &str = "/store";
pub(crate) const NOON_US: i64 = 1_794_744_000_000_000; // 2026-11-15T12:00:00Z
const HOUR_US: i64 = 3_600_000_000;

/// How often the log may fail to open while calls fail, before they stop failing.
const OPENS_MAX: usize = 4;

/// Everything of one seed that outlives a power cut.
pub(crate) struct Run {
    pub(crate) rng: Rng,
    pub(crate) disk: SimDisk,
    model: Model,
    pub(crate) seen: Seen,
    /// What happened, if somebody wants to read it.
    pub(crate) trace: Option<Vec<String>>,
    now_us: i64,
    segment_bytes: u64,
    n_lines: u64,
    /// Groups that the client was not told durable, and may ask for again.
    unanswered: Vec<Vec<Vec<u8>>>,
    /// Whether the power is cut when the process next ends.
    is_cut_next: bool,
}

/// How a step left the writer.
enum After {
    /// It can be used.
    Open(Box<Writer<SimDisk>>),
    /// The power is cut.
    Cut,
}

impl Run {
    pub(crate) fn new(mut rng: Rng, disk: SimDisk, trace: Option<Vec<String>>) -> Self {
        let segment_bytes = rng.pick(&[300, 1000, 4000, 1 << 20]);
        Self {
            rng,
            disk,
            model: Model::default(),
            seen: Seen::default(),
            trace,
            now_us: NOON_US,
            segment_bytes,
            n_lines: 0,
            unanswered: Vec::new(),
            is_cut_next: false,
        }
    }

    /// Lives until the power is cut.
    pub(crate) fn live(&mut self) -> Result<(), Violation> {
        self.disk.restore_power();
        self.model.doubt_written();
        let mut after = self.open()?;
        let n_steps = 1 + self.rng.below(10);
        for _ in 0..n_steps {
            let After::Open(writer) = after else { break };
            after = self.step(writer)?;
        }
        // The machine may as well go while a group is written and not synced.
        self.note(|| "power cut".to_owned());
        self.seen.power_cuts += 1;
        self.is_cut_next = false;
        Ok(())
    }

    /// Looks at the log once more after the last power cut, with nothing failing.
    pub(crate) fn judge(&mut self) -> Result<(), Violation> {
        self.disk.restore_power();
        self.model.doubt_written();
        self.open_soundly()?;
        Ok(())
    }

    /// Makes a log while calls fail or the process ends, and appends to it afterwards.
    pub(crate) fn make_under(&mut self, faults: &Faults) -> Result<(), Violation> {
        self.disk.shared().faults = faults.clone();
        self.open_once()?;
        self.disk.revive();
        let mut writer = self.open_soundly()?;
        self.append(&mut writer, Told::Durable);
        self.append(&mut writer, Told::Durable);
        Ok(())
    }

    /// Appends a group while calls fail or the process ends, then goes on with the same writer if there is one.
    pub(crate) fn append_under(&mut self, faults: &Faults) -> Result<(), Violation> {
        let mut writer = self.open_soundly()?;
        self.append(&mut writer, Told::Durable);
        self.disk.shared().faults = faults.clone();
        self.append(&mut writer, Told::Written);
        let is_synced = self.sync(&mut writer);
        self.disk.shared().faults = Faults::default();
        if is_synced {
            // Whatever is asked for again is now answered by what is read.
            self.look(Look::Opened)?;
        } else {
            self.model.doubt_written();
        }
        if self.disk.shared().is_ended {
            self.disk.revive();
            writer = self.open_soundly()?;
        }
        self.append(&mut writer, Told::Durable);
        self.look(Look::Beside)
    }

    /// Opens the log with nothing failing.
    fn open_soundly(&mut self) -> Result<Writer<SimDisk>, Violation> {
        self.disk.shared().faults = Faults::default();
        self.open_once()?.ok_or_else(|| Violation::new(Wrong::Closed, "nothing failed"))
    }

    /// Reads the log, which nothing hinders, and holds it against the model.
    fn look(&mut self, look: Look) -> Result<(), Violation> {
        let found = self
            .read()
            .map_err(|error| Violation::new(Wrong::Closed, format!("cannot read: {error:?}")))??;
        self.model.look(&found, look)
    }

    pub(crate) fn note(&mut self, what: impl FnOnce() -> String) {
        if let Some(trace) = &mut self.trace {
            trace.push(what());
        }
    }

    /// Opens the log, through failures and ends of the process; then nothing fails any more.
    fn open(&mut self) -> Result<After, Violation> {
        for n_tries in 0.. {
            let is_last = n_tries == OPENS_MAX;
            let free_bytes = self.disk.shared().faults.free_bytes.filter(|_| !is_last);
            self.disk.shared().faults = Faults { free_bytes, ..Faults::default() };
            if !is_last && self.rng.percent(30) {
                self.arm();
            }
            if let Some(writer) = self.open_once()? {
                return Ok(After::Open(Box::new(writer)));
            }
            if self.disk.shared().is_ended {
                if self.is_cut_next {
                    self.seen.cuts_in_recovery += 1;
                    return Ok(After::Cut);
                }
                self.kill();
            }
        }
        unreachable!("the last try returns")
    }

    /// Tries to open the log; checks it if that succeeds. Returns `None` if it failed and something had to fail.
    fn open_once(&mut self) -> Result<Option<Writer<SimDisk>>, Violation> {
        let n_failed = self.n_failed();
        let opened = Writer::open(self.disk.clone(), PathBuf::from(ROOT), self.now_us);
        let has_failed = self.n_failed() > n_failed || self.disk.shared().is_ended;
        if has_failed {
            self.model.doubt_written();
        }
        let (writer, findings) = match opened {
            Ok(_) if self.disk.shared().is_ended => return Ok(None),
            Ok(opened) => opened,
            Err(error) if has_failed => {
                self.note(|| format!("open: {error:?}"));
                return Ok(None);
            }
            Err(error) => return Err(Violation::new(Wrong::Closed, format!("{error:?}"))),
        };
        self.note(|| format!("open: {findings:?}"));
        self.disarm();
        for finding in &findings {
            match finding {
                Finding::Revived { .. } => self.seen.revived += 1,
                Finding::Torn { bytes, aside, .. } => {
                    self.seen.torn += 1;
                    let kept = self.disk.open(aside, Access::Read).and_then(|kept| kept.len());
                    if kept.as_ref().ok() != Some(bytes) {
                        return Err(Violation::new(Wrong::Lost, format!("{finding:?}: {kept:?}")));
                    }
                }
                Finding::Damaged { .. } | Finding::Missing { .. } | Finding::ClockBehind { .. } => {
                    return Err(Violation::new(Wrong::Damaged, format!("{finding:?}")));
                }
            }
        }
        self.look(Look::Opened)?;
        drop(writer);
        self.open_again().map(Some)
    }

    /// Opens a log that was just opened: nothing is found, and nothing changes.
    fn open_again(&mut self) -> Result<Writer<SimDisk>, Violation> {
        let root = Path::new(ROOT);
        let folders = [root.to_owned(), root.join(LOG_FOLDER), root.join(ASIDE_FOLDER)];
        let before = self.disk.contents(&folders);
        let (writer, findings) = Writer::open(self.disk.clone(), PathBuf::from(ROOT), self.now_us)
            .map_err(|error| Violation::new(Wrong::Closed, format!("again: {error:?}")))?;
        if !findings.is_empty() {
            return Err(Violation::new(Wrong::Unsettled, format!("{findings:?}")));
        }
        let after = self.disk.contents(&folders);
        if before != after {
            let differ = |path: &&PathBuf| before.get(*path) != after.get(*path);
            let paths: Vec<_> = before.keys().chain(after.keys()).filter(differ).collect();
            return Err(Violation::new(Wrong::Unsettled, format!("{paths:?} changed")));
        }
        if writer.next().get() != self.model.n_records() as u64 + 1 {
            let what = format!("next is {}, of {}", writer.next(), self.model.n_records());
            return Err(Violation::new(Wrong::Moved, what));
        }
        Ok(writer.with_segment_bytes(self.segment_bytes))
    }

    fn n_failed(&self) -> u64 {
        let met = self.disk.shared().met;
        met.failed_calls + met.full
    }

    /// Lets calls fail, or the process end, within the next operation.
    fn arm(&mut self) {
        let mut faults = Faults::default();
        match self.rng.below(4) {
            0 => faults.percent = self.rng.pick(&[5, 20, 50, 100]),
            1 => faults.ends_after = Some(self.rng.below(20)),
            2 => {
                faults.percent = self.rng.pick(&[5, 20, 50]);
                faults.ends_after = Some(self.rng.below(20));
            }
            _ => {
                let (after, n) = (self.rng.below(6), 1 + self.rng.below(2));
                let how = self.rng.pick(&FailedSync::ALL);
                faults.failing = Some(Failing { after, n, how });
            }
        }
        self.is_cut_next = self.rng.percent(50);
        self.note(|| format!("{faults:?}"));
        let mut shared = self.disk.shared();
        faults.free_bytes = shared.faults.free_bytes;
        shared.faults = faults;
    }

    /// Lets nothing fail any more, but for a disk that is full.
    fn disarm(&mut self) {
        let mut shared = self.disk.shared();
        let free_bytes = shared.faults.free_bytes;
        shared.faults = Faults { free_bytes, ..Faults::default() };
    }

    fn kill(&mut self) {
        self.note(|| "kill".to_owned());
        self.seen.kills += 1;
        self.disk.revive();
    }

    fn step(&mut self, mut writer: Box<Writer<SimDisk>>) -> Result<After, Violation> {
        let n_failed = self.n_failed();
        if self.rng.percent(25) {
            self.arm();
        }
        if self.rng.percent(40) {
            self.disk.shared().faults.free_bytes = None;
        }
        match self.rng.below(12) {
            0..=3 => self.append(&mut writer, Told::Durable),
            4 | 5 => self.append(&mut writer, Told::Written),
            6 => {
                self.sync(&mut writer);
            }
            7 => self.move_clock(),
            8 => {
                self.disk.shared().faults.free_bytes = match self.rng.below(2) {
                    0 => Some(self.rng.below(700)),
                    _ => None,
                };
                self.append(&mut writer, Told::Durable);
            }
            9 => {
                let found = self.read();
                if self.n_failed() == n_failed && !self.disk.shared().is_ended {
                    // After a failed write of `head` there may be nothing to read by until the log is opened again.
                    if let Ok(found) = found {
                        self.model.look(&found?, Look::Beside)?;
                    }
                }
            }
            10 => return self.retry(writer),
            _ => {
                self.kill();
                drop(writer);
                return self.open();
            }
        }
        self.end_step(writer, n_failed)
    }

    /// Ends the process if that was to happen, and lets nothing fail any more.
    fn end_step(
        &mut self,
        writer: Box<Writer<SimDisk>>,
        n_failed: u64,
    ) -> Result<After, Violation> {
        if self.n_failed() > n_failed {
            self.model.doubt_written();
        }
        let is_ended = self.disk.shared().is_ended;
        self.disarm();
        if !is_ended {
            return Ok(After::Open(writer));
        }
        drop(writer);
        if self.is_cut_next {
            return Ok(After::Cut);
        }
        self.kill();
        self.open()
    }

    fn append(&mut self, writer: &mut Writer<SimDisk>, wanted: Told) {
        let n = 1 + self.rng.below(4);
        let lines: Vec<_> = (0..n).map(|_| self.line()).collect();
        self.append_lines(writer, lines, wanted);
    }

    /// Asks for a group, and notes what was answered.
    fn append_lines(&mut self, writer: &mut Writer<SimDisk>, lines: Vec<Vec<u8>>, wanted: Told) {
        self.now_us += 1;
        self.seen.appends += 1;
        let entries: Vec<_> = lines.iter().map(|line| entry(line)).collect();
        self.model.ask(lines.clone());
        let answer = match wanted {
            Told::Durable => writer.append(&entries, self.now_us),
            Told::Nothing | Told::Written => writer.write(&entries, self.now_us),
        };
        self.note(|| format!("{wanted:?} {} from {}: {answer:?}", lines.len(), text(&lines[0])));
        let is_told = !self.disk.shared().is_ended;
        match answer {
            Ok(first) if is_told => {
                // Before it writes a group the writer syncs the one before.
                self.model.synced();
                let group = self.model.last();
                (group.told, group.first) = (wanted, Some(first.get()));
            }
            Ok(first) => self.model.last().first = Some(first.get()),
            Err(WriteError::Indeterminate { .. }) => self.seen.indeterminate += 1,
            Err(WriteError::NoSegment(_) | WriteError::Reopen(_)) => {
                self.seen.refused += 1;
                self.model.refuse_last();
            }
        }
        if self.rng.percent(60) {
            self.unanswered.push(lines);
        }
    }

    fn sync(&mut self, writer: &mut Writer<SimDisk>) -> bool {
        let answer = writer.sync();
        self.note(|| format!("sync: {answer:?}"));
        let is_synced = answer.is_ok() && !self.disk.shared().is_ended;
        if is_synced {
            self.model.synced();
        }
        is_synced
    }

    /// Asks for a group again, as a client does that got no answer: what the log has is answered with its position.
    fn retry(&mut self, mut writer: Box<Writer<SimDisk>>) -> Result<After, Violation> {
        let Some(lines) = self.unanswered.pop() else { return Ok(After::Open(writer)) };
        // Only what is durable may be answered as a repeat; after a failure only opening the log again tells what is.
        let n_failed = self.n_failed();
        if !self.sync(&mut writer) || self.rng.percent(20) {
            drop(writer);
            self.model.doubt_written();
            if self.disk.shared().is_ended {
                if self.is_cut_next {
                    return Ok(After::Cut);
                }
                self.kill();
            }
            match self.open()? {
                After::Open(opened) => writer = opened,
                After::Cut => return Ok(After::Cut),
            }
        }
        self.disarm();
        self.look(Look::Opened)?;
        let n_known = lines.iter().filter(|line| self.model.position_of(line).is_some()).count();
        if n_known == lines.len() {
            self.note(|| format!("repeat of {}", text(&lines[0])));
            self.seen.repeats += 1;
            // The model has it for durable from here on.
            if self.rng.percent(30) {
                return Ok(After::Cut);
            }
        } else if n_known > 0 {
            let what = format!("{n_known} of {} records of a group are known", lines.len());
            return Err(Violation::new(Wrong::Half, what));
        } else {
            self.append_lines(&mut writer, lines, Told::Durable);
        }
        self.end_step(writer, n_failed)
    }

    fn move_clock(&mut self) {
        self.now_us += match self.rng.below(4) {
            0 => HOUR_US,
            1 => 13 * HOUR_US,
            2 => -HOUR_US,
            _ => -50 * HOUR_US,
        };
    }

    /// Reads all that a reader can see.
    #[expect(clippy::type_complexity, reason = "what failed and what is wrong are two things")]
    fn read(&mut self) -> Result<Result<Vec<(u64, Vec<u8>)>, Violation>, ReadError> {
        let mut reader = Reader::open(self.disk.clone(), PathBuf::from(ROOT), Position::FIRST)?;
        let mut found = Vec::new();
        let (mut last_segment, mut days, mut last_at_us) = (0, BTreeSet::new(), None);
        while let Some(batch) = reader.read()? {
            if !batch.stretch.faults.is_empty() {
                let what = format!("{}: {:?}", batch.segment, batch.stretch.faults);
                return Ok(Err(Violation::new(Wrong::Damaged, what)));
            }
            for (record, _) in batch.records() {
                if record.meta.at_us < last_at_us {
                    let what = format!("{}: received before the one before", record.meta.position);
                    return Ok(Err(Violation::new(Wrong::Moved, what)));
                }
                last_at_us = record.meta.at_us;
                found.push((record.meta.position.get(), record.line.to_vec()));
            }
            last_segment = last_segment.max(batch.number);
            days.insert(batch.segment.day().to_owned());
        }
        self.seen.segments = self.seen.segments.max(last_segment);
        self.seen.midnights = self.seen.midnights.max(days.len().saturating_sub(1) as u64);
        Ok(Ok(found))
    }

    /// Makes a line that was never there before.
    fn line(&mut self) -> Vec<u8> {
        self.n_lines += 1;
        let n_pad = match self.rng.below(20) {
            0 => 5000,
            1..=4 => 400,
            _ => self.rng.below(60),
        };
        let pad = "x".repeat(usize::try_from(n_pad).expect("it is small"));
        format!("{{\"n\":{},\"pad\":\"{pad}\"}}", self.n_lines).into_bytes()
    }
}

pub(crate) fn entry(line: &[u8]) -> Entry {
    let mark = Mark {
        dialect: Dialect::Idle,
        via: "test".into(),
        crc: crc32c::crc32c(line),
        delivery: None,
        topic: None,
        carried: None,
        conflict: None,
    };
    Entry { line: line.to_vec().into(), mark }
}

fn text(line: &[u8]) -> String {
    String::from_utf8_lossy(&line[..line.len().min(12)]).into_owned()
}
