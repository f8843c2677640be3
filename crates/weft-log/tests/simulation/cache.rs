//! What the system holds of one file in memory, where turmoil cannot say it: what to undo if a sync fails, and pages that are taken
//! for clean and are not on the disk.

use std::os::unix::fs::FileExt as _;

use turmoil::fs::shim::std::fs as sim;

use crate::rng::Rng;

/// What a sync that fails has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FailedSync {
    /// Nothing: the next sync tries again.
    Nothing,
    /// Everything.
    Done,
    /// The pages are gone: what was there before can be read, and zeros where the file grew, for its length stays.
    Dropped,
    /// The pages can be read, are taken for clean, and are not on the disk.
    Clean,
}

impl FailedSync {
    pub(crate) const ALL: [Self; 4] = [Self::Nothing, Self::Done, Self::Dropped, Self::Clean];
}

#[derive(Debug, Default)]
pub(crate) struct Cached {
    /// Changes since the last sync, in order.
    changes: Vec<Change>,
    /// Pages that are taken for clean: they can be read, and no sync writes them.
    clean: Vec<(u64, Vec<u8>)>,
}

#[derive(Debug)]
struct Change {
    offset: u64,
    /// Bytes that were written there; `None` if the file was cut there.
    n_written: Option<usize>,
    /// What stood there before, and zeros where nothing did.
    before: Vec<u8>,
}

impl Cached {
    /// Returns where the pages end that are taken for clean.
    pub(crate) fn end(&self) -> u64 {
        self.clean.iter().map(|(offset, bytes)| offset + bytes.len() as u64).max().unwrap_or(0)
    }

    /// Puts the pages that are taken for clean over what was read below them.
    pub(crate) fn read(&self, buffer: &mut [u8], offset: u64) {
        for (at, bytes) in &self.clean {
            for (byte, place) in bytes.iter().zip(*at..) {
                let idx = place.checked_sub(offset).and_then(|idx| usize::try_from(idx).ok());
                if let Some(read) = idx.and_then(|idx| buffer.get_mut(idx)) {
                    *read = *byte;
                }
            }
        }
    }

    /// Notes a write that is about to be made.
    pub(crate) fn note_write(&mut self, file: &sim::File, n_bytes: usize, offset: u64) {
        let before = read(file, offset, n_bytes);
        self.changes.push(Change { offset, n_written: Some(n_bytes), before });
        let end = offset + n_bytes as u64;
        let whole = std::mem::take(&mut self.clean);
        for (at, bytes) in whole {
            let clean_end = at + bytes.len() as u64;
            let part = |from: u64, upto: u64| {
                let index = |at_byte: u64| usize::try_from(at_byte - at).expect("files are small");
                (from < upto).then(|| (from, bytes[index(from)..index(upto)].to_vec()))
            };
            self.clean.extend(part(at, clean_end.min(offset)));
            self.clean.extend(part(at.max(end), clean_end));
        }
    }

    /// Notes a cut that is about to be made.
    pub(crate) fn note_cut(&mut self, file: &sim::File, len: u64) {
        let len_before = file.metadata().expect("an open file is there").len();
        let n_cut = usize::try_from(len_before.saturating_sub(len)).expect("files are small");
        let before = read(file, len, n_cut);
        self.changes.push(Change { offset: len, n_written: None, before });
        self.clean.retain_mut(|(at, bytes)| {
            bytes.truncate(usize::try_from(len.saturating_sub(*at)).expect("files are small"));
            !bytes.is_empty()
        });
    }

    pub(crate) fn note_sync(&mut self) {
        self.changes.clear();
    }

    /// Lets a sync fail; of the pages that it loses some may be on the disk all the same.
    pub(crate) fn fail_sync(
        &mut self,
        file: &sim::File,
        how: FailedSync,
        page_bytes: usize,
        rng: &mut Rng,
    ) {
        let has_cut = self.changes.iter().any(|change| change.n_written.is_none());
        let is_lost = match how {
            FailedSync::Nothing | FailedSync::Done => false,
            FailedSync::Dropped => true,
            // A cut is no page.
            FailedSync::Clean => !has_cut,
        };
        if !is_lost {
            return;
        }
        let changes = std::mem::take(&mut self.changes);
        if how == FailedSync::Clean {
            let page = |change: &Change| (change.offset, change.n_written.unwrap_or(0));
            let pages: Vec<_> = changes.iter().map(page).collect();
            for (offset, n_bytes) in pages {
                self.clean.push((offset, read(file, offset, n_bytes)));
            }
        }
        let lost_percent = rng.pick(&[50, 100]);
        for Change { offset, before, .. } in changes.iter().rev() {
            for (page, at) in before.chunks(page_bytes).zip((*offset..).step_by(page_bytes)) {
                if rng.percent(lost_percent) {
                    file.write_at(page, at).expect("turmoil is told of no write errors");
                }
            }
        }
    }

    /// Gives the memory of some pages that are taken for clean to something else.
    pub(crate) fn evict(&mut self, rng: &mut Rng) {
        self.clean.retain(|_| rng.percent(70));
    }
}

/// Reads bytes, and zeros where there are none.
fn read(file: &sim::File, offset: u64, n_bytes: usize) -> Vec<u8> {
    let mut bytes = vec![0; n_bytes];
    file.read_at(&mut bytes, offset).expect("turmoil is told of no read errors");
    bytes
}
