//! What is known of groups that were redacted: read from the log when a body first does not fit its seal.
//!
//! The record of a redaction stands behind what it is about, so that only the segments from there on are looked through.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use memchr::{memchr_iter, memrchr};

use super::note::{LINE_BEGIN, Note};
use crate::disk::{Access, Disk};
use crate::reader::Source;
use crate::recover::{self, LOG_FOLDER};
use crate::scan::{Bytes as _, Scan, Stretch};
use crate::seal;
use crate::segment::{Form, SegmentName};
use crate::{Hash, Position};

/// Bytes read at a time.
const READ_BYTES: usize = 64 << 10;

/// The redactions of a log, as far as they were read.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    by_group: HashMap<Position, Vec<Note>>,
    /// From which segment on, and up to which bytes of which one, the log was looked through.
    looked: Option<(SegmentName, Upto)>,
}

/// How far the log was looked through.
type Upto = (SegmentName, u64);

/// Why the log cannot be looked through.
#[derive(Debug, thiserror::Error)]
#[error("cannot read {path}")]
pub(crate) struct NotesError {
    pub(crate) path: PathBuf,
    pub(crate) source: io::Error,
}

impl Notes {
    /// Reads a stretch of a segment again as what a redaction left, if one did.
    pub(crate) fn explain<D: Disk, B: crate::scan::Bytes>(
        &mut self,
        (disk, root): (&D, &Path),
        name: SegmentName,
        scan: &mut Scan<B>,
        stretch: Stretch,
    ) -> Result<Stretch, NotesError> {
        let Some((seal, _)) = stretch.seal.as_ref().filter(|_| !stretch.is_whole) else {
            return Ok(stretch);
        };
        let first = seal.first;
        let Some(body) = memchr::memmem::rfind(scan.bytes(), seal::PREFIX) else {
            return Ok(stretch);
        };
        let hash = Hash::of(&scan.bytes()[..body]);
        if self.find(first, hash).is_none_or(|note| note.body != Some(hash)) {
            self.look(disk, root, name)?;
        }
        Ok(match self.find(first, hash) {
            Some(note) => scan.redacted(stretch, body, note),
            None => stretch,
        })
    }

    /// Returns what is known of a group: best of it with this body, else the newest.
    pub(super) fn find(&self, first: Position, body: Hash) -> Option<&Note> {
        let notes = self.by_group.get(&first)?;
        notes.iter().rev().find(|note| note.body == Some(body)).or(notes.last())
    }

    /// Looks through the log from a segment on, unless that was done and nothing came since.
    pub(super) fn look<D: Disk>(
        &mut self,
        disk: &D,
        root: &Path,
        from: SegmentName,
    ) -> Result<(), NotesError> {
        let folder = root.join(LOG_FOLDER);
        let in_folder = |source| NotesError { path: folder.clone(), source };
        let listed = recover::list_segments(disk, &folder)
            .map_err(|error| in_folder(io::Error::other(error)))?;
        let Some((last, form)) = listed.last().copied() else { return Ok(()) };
        let end = match form {
            Form::Plain => open(disk, &folder, last, form).and_then(|mut source| len(&mut source)),
            Form::Archive => Ok(0),
        };
        let upto = (last, end.map_err(in_folder)?);
        if self.looked.is_some_and(|(since, reached)| since <= from && reached == upto) {
            return Ok(());
        }
        self.by_group.clear();
        for (name, form) in listed.into_iter().filter(|(name, _)| *name >= from) {
            let path = folder.join(name.file(form));
            let read = open(disk, &folder, name, form)
                .and_then(|mut source| self.read_segment(&mut source));
            match read {
                // It was pruned since the segments were listed; what is still of use in it was carried.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                read => read.map_err(|source| NotesError { path, source })?,
            }
        }
        self.looked = Some((from, upto));
        Ok(())
    }

    fn read_segment<F: crate::disk::DiskFile>(&mut self, source: &mut Source<F>) -> io::Result<()> {
        let (mut buffer, mut offset) = (Vec::new(), 0);
        loop {
            let kept = buffer.len();
            buffer.resize(kept + READ_BYTES, 0);
            let n = source.read_at(&mut buffer[kept..], offset)?;
            buffer.truncate(kept + n);
            offset += n as u64;
            let whole = match n {
                0 => buffer.len(),
                _ => memrchr(b'\n', &buffer).map_or(0, |newline| newline + 1),
            };
            for start in memchr::memmem::find_iter(&buffer[..whole], LINE_BEGIN) {
                let is_line = start == 0 || buffer[start - 1] == b'\n';
                let end = memchr_iter(b'\n', &buffer[start..whole]).next();
                let line = &buffer[start..end.map_or(whole, |end| start + end)];
                if let Some(note) = Note::read(line).filter(|_| is_line) {
                    self.by_group.entry(note.first).or_default().push(note);
                }
            }
            buffer.drain(..whole);
            if n == 0 {
                return Ok(());
            }
        }
    }
}

fn open<D: Disk>(
    disk: &D,
    folder: &Path,
    name: SegmentName,
    form: Form,
) -> io::Result<Source<D::File>> {
    let path = folder.join(name.file(form));
    match form {
        Form::Plain => match disk.open(&path, Access::Read) {
            // It may have been archived since the segments were listed.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                open(disk, folder, name, Form::Archive)
            }
            opened => opened.map(Source::Plain),
        },
        Form::Archive => disk.open_archive(&path).map(Source::Archive),
    }
}

fn len<F: crate::disk::DiskFile>(source: &mut Source<F>) -> io::Result<u64> {
    match source {
        Source::Plain(file) => file.len(),
        Source::Archive(_) => Ok(0),
    }
}
