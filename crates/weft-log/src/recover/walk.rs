//! Walking what stands beyond `head`, and bringing it in order.

use std::io;
use std::path::{Path, PathBuf};

use super::{
    ASIDE_FOLDER, Error, Finding, HEAD_FILE, LOG_FOLDER, Recovered, Start, at, begin_segment,
    create, is_sealed, open_head, read_opening, sync_root,
};
use crate::disk::{Access, Disk, DiskFile};
use crate::head::HEAD_BYTES;
use crate::redact::Notes;
use crate::scan::{Fault, Link, Scan, Stretch};
use crate::seal::Seal;
use crate::segment::{Form, SegmentName};
use crate::writer::{GROUP_BYTES_MAX, SEAL_BYTES_MAX};
use crate::{Head, Position};

/// The most that one commit can leave torn.
const TORN_BYTES_MAX: u64 = (GROUP_BYTES_MAX + SEAL_BYTES_MAX) as u64;

/// Bytes written again at a time.
const COPY_BYTES: usize = 1 << 20;

/// Walks everything beyond `head`, or the last segment where there is no `head`, and makes the log ready to be written.
pub(super) fn walk<D: Disk>(
    disk: &D,
    root: &Path,
    now_us: i64,
    segments: &[(SegmentName, Form)],
    head: Option<Head>,
) -> Result<Recovered<D::File>, Error> {
    let mut walk = Walk {
        disk,
        root,
        folder: root.join(LOG_FOLDER),
        segments: segments
            .iter()
            .filter(|(_, form)| *form == Form::Plain)
            .map(|(name, _)| *name)
            .collect(),
        end: Start::fresh(disk, now_us).head,
        least: None,
        before_last: None,
        n_good: 0,
        is_damaged: false,
        suspects: Vec::new(),
        findings: Vec::new(),
        notes: Notes::default(),
    };
    let is_headless = head.is_none();
    let from = walk.start(head)?;
    let from_segment = walk.end.segment;
    let from_next = walk.least.as_ref().unwrap_or(&walk.end).next;
    for name in walk.segments.clone() {
        if name >= from_segment {
            let offset = if name == from_segment { from } else { 0 };
            walk.walk_segment(name, offset)?;
        }
    }
    if walk.end.number == 0 {
        // No seal is good: the store was being made when its maker ended.
        walk.set_aside_after(None)?;
        return create(disk, root, now_us, Start::fresh(disk, now_us));
    }
    if let Some(least) = walk.least.take_if(|least| least.next > walk.end.next) {
        walk.end = least;
    }
    walk.make_durable(from_segment, from)?;
    if is_headless {
        sync_root(disk, root)?;
    }
    walk.finish(from_next, now_us)
}

struct Walk<'d, D> {
    disk: &'d D,
    root: &'d Path,
    folder: PathBuf,
    /// Those that are not archives.
    segments: Vec<SegmentName>,
    /// The end of what is good so far.
    end: Head,
    /// What `head` says, if that is not there: the end is not before it.
    least: Option<Head>,
    /// The end before the last good group, in case a later segment repeats that group.
    before_last: Option<Head>,
    n_good: u64,
    /// Whether something bad is followed by something good.
    is_damaged: bool,
    /// What is bad since the last good group.
    suspects: Vec<Finding>,
    findings: Vec<Finding>,
    /// What was redacted.
    notes: Notes,
}

impl<D: Disk> Walk<'_, D> {
    /// Sets where the walk starts: at `head`, or at the beginning of its segment if what it points at is not there; without it at
    /// the beginning of the last segment that says what it is. Returns the offset.
    fn start(&mut self, head: Option<Head>) -> Result<u64, Error> {
        let Some(head) = head else { return self.start_at_opening() };
        let mut first = None;
        if self.segments.contains(&head.segment) {
            let (path, file) = self.open(head.segment, Access::Read)?;
            if at(&path, is_sealed(&file, &head))? {
                let offset = head.end;
                self.end = head;
                return Ok(offset);
            }
            first = at(&path, first_seal(file))?;
        }
        self.findings.push(Finding::Missing { segment: head.segment, end: head.end });
        self.is_damaged = true;
        self.least = Some(head.clone());
        let offset = head.end;
        self.end = head;
        let Some(first) = first else { return Ok(offset) };
        (self.end.next, self.end.hash, self.end.at_us) = (first.first, first.prev, first.at_us);
        Ok(0)
    }

    fn start_at_opening(&mut self) -> Result<u64, Error> {
        for name in self.segments.iter().rev() {
            let (path, file) = self.open(*name, Access::Read)?;
            if let Some((seal, _, _)) = read_opening(&file, &path)?
                && let Some(opening) = seal.opening
            {
                // Before the opening: it may stand in the system's memory alone, as all that follows.
                self.end = Head {
                    store: opening.store,
                    segment: *name,
                    number: opening.segment,
                    seal: 0,
                    end: 0,
                    next: seal.first,
                    at_us: seal.at_us,
                    hash: seal.prev,
                };
                return Ok(0);
            }
        }
        if let Some(first) = self.segments.first() {
            self.end.segment = *first;
        }
        Ok(0)
    }

    fn walk_segment(&mut self, name: SegmentName, offset: u64) -> Result<(), Error> {
        let (path, file) = self.open(name, Access::Read)?;
        if offset == 0
            && let Some((opening, _, _)) = read_opening(&file, &path)?
        {
            let is_after = |end: &Head| (opening.prev, opening.first) == (end.hash, end.next);
            if let Some(before) = self.before_last.take_if(|before| is_after(before)) {
                // This segment was begun because the last group's write failed, and repeats that group or has another in its place.
                self.end = before;
            }
            if is_after(&self.end) {
                self.suspects.clear();
            }
        }
        let link = Link { next: self.end.next, hash: Some(self.end.hash) };
        let limit = at(&path, file.len())?;
        let mut scan = Scan::new(file, offset, limit, link);
        while let Some(stretch) = at(&path, scan.read())? {
            let explained = self.notes.explain((self.disk, self.root), name, &mut scan, stretch);
            let stretch =
                explained.map_err(|error| Error::Io { path: error.path, source: error.source })?;
            self.take(name, stretch);
        }
        Ok(())
    }

    fn take(&mut self, name: SegmentName, stretch: Stretch) {
        let (segment, offset) = (name, stretch.offset);
        let finding = |fault: Fault| Finding::Damaged { segment, offset, fault };
        self.suspects.extend(stretch.faults.into_iter().map(finding));
        let Some((seal, hash)) = stretch.seal.filter(|_| stretch.is_whole) else { return };
        // A whole group proves that what stands before it was durable once: it is damaged, and not torn.
        self.is_damaged |= !self.suspects.is_empty();
        self.findings.append(&mut self.suspects);
        let Head { store, number, .. } = self.end.clone();
        let (store, number) = match seal.opening {
            Some(ref opening) => (opening.store.clone(), opening.segment),
            None if name == self.end.segment => (store, number.max(1)),
            None => (store, number + 1),
        };
        let reached = Head {
            store,
            segment: name,
            number,
            seal: offset + seal.bytes,
            end: stretch.end,
            next: seal.next().max(self.end.next),
            at_us: seal.at_us.max(self.end.at_us),
            hash,
        };
        self.before_last = Some(std::mem::replace(&mut self.end, reached));
        self.n_good += 1;
    }

    /// Writes what is good beyond the start once more in place and syncs it: it may stand in the system's memory alone.
    fn make_durable(&mut self, from_segment: SegmentName, from: u64) -> Result<(), Error> {
        for name in self.segments.clone() {
            if self.n_good == 0 || name < from_segment || name > self.end.segment {
                continue;
            }
            let (path, file) = self.open(name, Access::Write)?;
            let mut offset = if name == from_segment { from } else { 0 };
            let len = at(&path, file.len())?;
            let upto = if name == self.end.segment { self.end.end } else { len };
            let mut buffer = vec![0; COPY_BYTES];
            while offset < upto {
                let wanted = usize::try_from(upto - offset).unwrap_or(COPY_BYTES).min(COPY_BYTES);
                let n = at(&path, file.read_at(&mut buffer[..wanted], offset))?;
                if n == 0 {
                    break;
                }
                at(&path, file.write_at(&buffer[..n], offset))?;
                offset += n as u64;
            }
            at(&path, file.sync())?;
        }
        Ok(())
    }

    /// Keeps aside what is torn, begins a new segment after damage, and writes `head`.
    fn finish(mut self, from_next: Position, now_us: i64) -> Result<Recovered<D::File>, Error> {
        self.set_aside_after(Some(self.end.segment))?;
        at(&self.folder, self.disk.sync_folder(&self.folder))?;
        if self.end.next > from_next {
            let last = Position::new(self.end.next.get() - 1).expect("it is after another");
            self.findings.push(Finding::Revived { first: from_next, last });
        }
        let file = match self.is_damaged {
            true => None,
            false => self.cut_tail()?,
        };
        let head_file = open_head(self.disk, self.root)?;
        let file = match file {
            Some(file) => file,
            None => {
                // No later name may be taken by what is left alone.
                let last = self.segments.last().copied().unwrap_or(self.end.segment);
                let after = Head { segment: last.max(self.end.segment), ..self.end.clone() };
                let (file, head) = begin_segment(self.disk, &self.folder, &after, now_us)?;
                self.end = head;
                file
            }
        };
        let path = self.root.join(HEAD_FILE);
        at(&path, head_file.write_at(&self.end.encode(), 0))?;
        at(&path, head_file.cut(HEAD_BYTES as u64))?;
        Ok(Recovered { head: self.end, head_file, file, findings: self.findings })
    }

    /// Cuts what stands after the last good group and keeps the bytes; returns the segment if it can be written on.
    fn cut_tail(&mut self) -> Result<Option<D::File>, Error> {
        let (segment, offset) = (self.end.segment, self.end.end);
        let (path, file) = self.open(segment, Access::Write)?;
        let bytes = at(&path, file.len())?.saturating_sub(offset);
        if bytes == 0 {
            return Ok(Some(file));
        }
        if bytes > TORN_BYTES_MAX {
            // More than one commit can have left: it is not ours to cut.
            self.findings.push(Finding::Damaged { segment, offset, fault: Fault::Stray { bytes } });
            return Ok(None);
        }
        let folder = self.aside_folder()?;
        let aside = folder.join(format!("{segment}.{offset}-{bytes}"));
        let kept = at(&aside, self.disk.open(&aside, Access::Create))?;
        let mut buffer = vec![0; usize::try_from(bytes).expect("one commit is that short")];
        let n = at(&path, file.read_at(&mut buffer, offset))?;
        at(&aside, kept.write_at(&buffer[..n], 0))?;
        at(&aside, kept.sync())?;
        at(&folder, self.disk.sync_folder(&folder))?;
        at(&path, file.cut(offset))?;
        at(&path, file.sync())?;
        self.findings.push(Finding::Torn { segment, offset, bytes, aside });
        Ok(Some(file))
    }

    /// Moves aside the segments after one, in which nothing is good: they were being made when the writer ended.
    fn set_aside_after(&mut self, last: Option<SegmentName>) -> Result<(), Error> {
        for segment in self.segments.clone().into_iter().filter(|name| Some(*name) > last) {
            let (path, file) = self.open(segment, Access::Read)?;
            let bytes = at(&path, file.len())?;
            if bytes > TORN_BYTES_MAX {
                self.is_damaged = true;
                self.findings.push(Finding::Damaged {
                    segment,
                    offset: 0,
                    fault: Fault::Stray { bytes },
                });
                continue;
            }
            let folder = self.aside_folder()?;
            let aside = folder.join(format!("{segment}.0-{bytes}"));
            at(&path, self.disk.rename(&path, &aside))?;
            at(&folder, self.disk.sync_folder(&folder))?;
            at(&self.folder, self.disk.sync_folder(&self.folder))?;
            self.segments.retain(|name| *name != segment);
            self.findings.push(Finding::Torn { segment, offset: 0, bytes, aside });
        }
        Ok(())
    }

    fn aside_folder(&self) -> Result<PathBuf, Error> {
        let folder = self.root.join(ASIDE_FOLDER);
        at(&folder, self.disk.make_folder(&folder))?;
        at(self.root, self.disk.sync_folder(self.root))?;
        Ok(folder)
    }

    fn open(&self, name: SegmentName, access: Access) -> Result<(PathBuf, D::File), Error> {
        let path = self.folder.join(name.file(Form::Plain));
        let file = match self.disk.open(&path, access) {
            Ok(file) => file,
            Err(source) => return Err(Error::Io { path, source }),
        };
        Ok((path, file))
    }
}

/// Returns the first good seal of a segment.
fn first_seal(file: impl DiskFile) -> io::Result<Option<Seal>> {
    let limit = file.len()?;
    let mut scan = Scan::new(file, 0, limit, Link { next: Position::FIRST, hash: None });
    loop {
        match scan.read()? {
            None => return Ok(None),
            Some(Stretch { seal: Some((seal, _)), .. }) => return Ok(Some(seal)),
            Some(Stretch { seal: None, .. }) => {}
        }
    }
}
