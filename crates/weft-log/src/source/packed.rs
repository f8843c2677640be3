//! Compressed files of sessions, which agents make of those they are done with. One is read from its start to its end, and then
//! not again unless it changes.

use std::fs::{self, File};
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use weft_event::input::{Item, Lines};
use weft_event::json::Tape;
use zstd::stream::read::Decoder;

use super::batch::{Batch, Origin};
use super::checkpoint::{Checkpoint, Checkpoints, FileId, Incarnation, digest, fingerprint};
use super::form::{Form, Translator};
use super::stream::Streamed;
use super::{Start, name};

/// The largest window that a file may ask memory for, as a power of 2.
const WINDOW_LOG_MAX: u32 = 27;

/// Returns whether a file is compressed, by its name.
pub(super) fn is_packed(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "zst")
}

/// A compressed file that is being read.
pub(super) struct Packed {
    lines: Lines<Decoder<'static, BufReader<File>>>,
    form: Form,
    translator: Option<Translator>,
    tape: Tape,
    incarnation: Option<Incarnation>,
    /// What is noted at the end: that all of it was read.
    checkpoint: Arc<Checkpoint>,
}

impl Packed {
    /// Opens a file; `None` if it was read before and has not changed.
    pub(super) fn open(
        path: &Path,
        form: Form,
        checkpoints: &Checkpoints,
        start: Start,
    ) -> io::Result<Option<Self>> {
        let about = fs::metadata(path)?;
        if !about.is_file() {
            return Ok(None);
        }
        let file = File::open(path)?;
        let (id, len) = (FileId::of(&about), about.len());
        let Some(found) = fingerprint(&file, len)? else { return Ok(None) };
        let is_read = |known: &Arc<Checkpoint>| known.offset == len && known.fingerprint == found;
        if start == Start::Checkpoint
            && checkpoints.by_id(id).or_else(|| checkpoints.by_path(path)).is_some_and(is_read)
        {
            return Ok(None);
        }
        let mut decoder = Decoder::new(file)?;
        decoder.window_log_max(WINDOW_LOG_MAX)?;
        let checkpoint = Checkpoint {
            path: path.into(),
            name: name::encode(&path.canonicalize()?).into(),
            id,
            offset: len,
            number: 1,
            incarnation: None,
            fingerprint: found,
            state: None,
        };
        Ok(Some(Self {
            lines: Lines::new(decoder),
            form,
            translator: Translator::new(form, path, None),
            tape: Tape::new(),
            incarnation: None,
            checkpoint: Arc::new(checkpoint),
        }))
    }

    pub(super) fn path(&self) -> PathBuf {
        self.checkpoint.path.to_path_buf()
    }

    /// Reads into a batch until it is full. At the end it is noted that the file was read.
    pub(super) fn read(&mut self, batch: &mut Batch) -> io::Result<Streamed> {
        let Checkpoint { path, name, .. } = &*self.checkpoint;
        batch.begin(Origin::File {
            path: Arc::clone(path),
            name: Arc::clone(name),
            incarnation: self.incarnation,
            form: self.form,
        });
        while !batch.is_full() {
            let Some(item) = self.lines.read()? else {
                batch.progress.push(Arc::clone(&self.checkpoint));
                return Ok(Streamed::End);
            };
            if let Item::Line(line) = item
                && self.incarnation.is_none()
            {
                let first_line = digest(&line.on_one_line());
                let incarnation = Incarnation { first_line, generation: 0 };
                self.incarnation = Some(incarnation);
                batch.settle(incarnation);
            }
            match &mut self.translator {
                Some(translator) => translator.push(item, &mut self.tape, batch),
                None => batch.push(item),
            }
        }
        Ok(Streamed::More)
    }
}
