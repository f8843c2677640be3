//! How far every file was read, kept between runs in one small file of the store.
//!
//! Losing it, or a line of it, only costs reading again: the log recognises what it has.

use std::collections::{HashMap, HashSet};
use std::fs::{File, Metadata};
use std::io::{self, Write as _};
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use weft_event::input::{Item, Lines};
use weft_event::json::{Json, Tape};

use super::{SourceError, name};
use crate::spool::durable;

/// How much of a file's start, and of what stands before the place reached, tells whether it is still the same.
const FINGERPRINT_BYTES: u64 = 1 << 10;
const FILE: &str = "ingest.state";
const HEADER: &str = "{\"weft_ingest\":1}\n";

/// What the file system calls a file, whatever its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId {
    /// The device's number.
    pub device: u64,
    /// The inode's number on it.
    pub inode: u64,
}

impl FileId {
    pub(super) fn of(file: &Metadata) -> Self {
        Self { device: file.dev(), inode: file.ino() }
    }
}

/// Tells files apart that stood under one name one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Incarnation {
    /// Digest of the first line.
    pub first_line: u64,
    /// How many files before it had the same name and the same first line, and were still there when it came.
    pub generation: u32,
}

/// How far one file was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// Where it stands, or stood when it was last seen.
    pub path: Arc<Path>,
    /// What its lines are named by: its first real path, which it keeps when it is renamed.
    pub name: Arc<str>,
    /// What the file system calls it.
    pub id: FileId,
    /// Where reading goes on.
    pub offset: u64,
    /// The number of the line there, from 1.
    pub number: u64,
    /// Which of the files of its name it is; `None` before its first line.
    pub incarnation: Option<Incarnation>,
    /// Digest of the file's start and of what stands before `offset`, up to 1 KiB each.
    pub fingerprint: u64,
    /// What has to be remembered of the lines read, as JSON, where they are rows of a session.
    pub state: Option<String>,
}

/// Returns the fingerprint of a file that was read up to this offset; `None` if it is shorter.
pub(super) fn fingerprint(file: &File, offset: u64) -> io::Result<Option<u64>> {
    let len = offset.min(FINGERPRINT_BYTES);
    let mut buffer = [0; FINGERPRINT_BYTES as usize];
    let bytes = &mut buffer[..usize::try_from(len).expect("1 KiB fits")];
    let mut hasher = blake3::Hasher::new();
    for at in [0, offset - len] {
        match file.read_exact_at(bytes, at) {
            Ok(()) => hasher.update(bytes),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            Err(error) => return Err(error),
        };
    }
    Ok(Some(first_bytes(&hasher.finalize())))
}

/// Returns the digest of a first line.
pub(super) fn digest(line: &[u8]) -> u64 {
    first_bytes(&blake3::hash(line))
}

fn first_bytes(hash: &blake3::Hash) -> u64 {
    let (first, _) = hash.as_bytes().split_first_chunk().expect("a hash has 32 bytes");
    u64::from_be_bytes(*first)
}

/// The checkpoints of a store.
#[derive(Debug)]
pub struct Checkpoints {
    file: PathBuf,
    by_id: HashMap<FileId, Entry>,
    by_path: HashMap<Arc<Path>, FileId>,
    /// What was set or forgotten since the last save.
    changed: HashSet<FileId>,
    /// What the file has otherwise than `by_id`, or has not: other processes have saved it so.
    others: HashMap<FileId, Option<Entry>>,
    /// Which file all of this was read from or written to; `None` if there was none.
    stamp: Option<Stamp>,
}

/// What tells a file of checkpoints from the one that another process puts in its place.
type Stamp = (FileId, u64, i64, i64);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    checkpoint: Arc<Checkpoint>,
    /// Whether another file has taken its path.
    is_former: bool,
}

impl Checkpoints {
    /// Reads the checkpoints of a store. Lines that are damaged are left out.
    pub fn load(store: &Path) -> Result<Self, SourceError> {
        let file = store.join(FILE);
        // A file that comes in its place meanwhile is read again.
        let stamp = file.metadata().ok().map(|file| stamp(&file));
        let by_id =
            load(&file).map_err(|source| SourceError::State { path: file.clone(), source })?;
        let current = by_id.values().filter(|entry| !entry.is_former);
        let by_path = current
            .map(|Entry { checkpoint, .. }| (Arc::clone(&checkpoint.path), checkpoint.id))
            .collect();
        let (changed, others) = (HashSet::new(), HashMap::new());
        Ok(Self { file, by_id, by_path, changed, others, stamp })
    }

    /// Returns the checkpoint of a file by what the file system calls it.
    pub fn by_id(&self, id: FileId) -> Option<&Arc<Checkpoint>> {
        self.by_id.get(&id).map(|entry| &entry.checkpoint)
    }

    /// Returns the checkpoint of the file that was last seen at this path.
    pub fn by_path(&self, path: &Path) -> Option<&Arc<Checkpoint>> {
        self.by_path.get(path).and_then(|id| self.by_id(*id))
    }

    /// Returns all of them, each with whether another file has taken its path.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&Arc<Checkpoint>, bool)> {
        self.by_id.values().map(|entry| (&entry.checkpoint, entry.is_former))
    }

    /// Notes how far a file was read.
    pub fn set(&mut self, checkpoint: Arc<Checkpoint>) {
        let id = checkpoint.id;
        if let Some(before) = self.by_path.insert(Arc::clone(&checkpoint.path), id)
            && before != id
            && let Some(entry) = self.by_id.get_mut(&before)
        {
            entry.is_former |= entry.checkpoint.path == checkpoint.path;
            self.changed.insert(before);
        }
        let entry = Entry { checkpoint, is_former: false };
        if self.by_id.get(&id) != Some(&entry) {
            self.by_id.insert(id, entry);
            self.changed.insert(id);
        }
    }

    /// Forgets a file.
    pub(super) fn forget(&mut self, id: FileId) {
        if let Some(entry) = self.by_id.remove(&id) {
            self.changed.insert(id);
            if self.by_path.get(&entry.checkpoint.path) == Some(&id) {
                self.by_path.remove(&entry.checkpoint.path);
            }
        }
    }

    /// Returns whether anything was set or forgotten since the last save.
    pub(super) fn is_changed(&self) -> bool {
        !self.changed.is_empty()
    }

    /// Writes what has changed; what other processes have saved of other files stays.
    pub fn save(&mut self) -> Result<(), SourceError> {
        if !self.is_changed() {
            return Ok(());
        }
        let failed = |source| SourceError::State { path: self.file.clone(), source };
        // Where nobody else has saved since, there is no need to read what is known.
        if self.file.metadata().ok().map(|file| stamp(&file)) != self.stamp {
            let mut saved = load(&self.file).map_err(failed)?;
            let gone = self.by_id.keys().filter(|id| !saved.contains_key(id));
            self.others = gone.map(|id| (*id, None)).collect();
            saved.retain(|id, entry| self.by_id.get(id) != Some(entry));
            self.others.extend(saved.into_iter().map(|(id, entry)| (id, Some(entry))));
        }
        self.others.retain(|id, _| !self.changed.contains(id));
        let own = self.by_id.iter().filter(|(id, _)| !self.others.contains_key(id));
        let others = self.others.values().flatten();
        let mut entries: Vec<&Entry> = own.map(|(_, entry)| entry).chain(others).collect();
        entries.sort_unstable_by(|a, b| a.checkpoint.path.cmp(&b.checkpoint.path));
        let mut written = None;
        let replaced = durable::replace(&self.file, |out| {
            out.write_all(HEADER.as_bytes())?;
            entries.iter().try_for_each(|entry| out.write_all(encode(entry).as_bytes()))?;
            out.flush()?;
            written = Some(stamp(&out.get_ref().metadata()?));
            Ok(())
        });
        replaced.map_err(failed)?;
        self.stamp = written;
        self.changed.clear();
        Ok(())
    }
}

fn stamp(file: &Metadata) -> Stamp {
    (FileId::of(file), file.len(), file.mtime(), file.mtime_nsec())
}

fn load(path: &Path) -> io::Result<HashMap<FileId, Entry>> {
    let mut entries = HashMap::new();
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(entries),
        Err(error) => return Err(error),
    };
    let mut lines = Lines::new(file);
    while let Some(item) = lines.read()? {
        if let Item::Line(line) = item
            && let Some(entry) = decode(line.bytes)
        {
            entries.insert(entry.checkpoint.id, entry);
        }
    }
    Ok(entries)
}

fn encode(entry: &Entry) -> String {
    let Entry { checkpoint, is_former } = entry;
    let path = name::encode(&checkpoint.path);
    let fields = Json::object(|line| {
        line.text("path", &path);
        if *checkpoint.name != path {
            line.text("name", &checkpoint.name);
        }
        line.json("device", &Json::integer(checkpoint.id.device));
        line.json("inode", &Json::integer(checkpoint.id.inode));
        line.json("offset", &Json::integer(checkpoint.offset));
        line.json("line", &Json::integer(checkpoint.number));
        if let Some(Incarnation { first_line, generation }) = checkpoint.incarnation {
            line.text("first", &format!("{first_line:016x}"));
            line.json("generation", &Json::integer(generation));
        }
        line.text("fingerprint", &format!("{:016x}", checkpoint.fingerprint));
        if let Some(state) = &checkpoint.state {
            line.key("rows").push_str(state);
        }
        if *is_former {
            line.json("former", &Json::bool(true));
        }
    });
    let fields = fields.as_str();
    let crc = crc32c::crc32c(fields.as_bytes());
    format!("{},\"crc\":\"{crc:08x}\"}}\n", &fields[..fields.len() - 1])
}

fn decode(line: &[u8]) -> Option<Entry> {
    let mut tape = Tape::new();
    let value = tape.parse_bytes(line).ok()?;
    let digits = |name| u64::from_str_radix(&value.text_at(name)?, 16).ok();
    let path = value.text_at("path")?;
    let incarnation = digits("first").map(|first_line| {
        let generation = value.get("generation")?.as_u64()?;
        Some(Incarnation { first_line, generation: u32::try_from(generation).ok()? })
    });
    let incarnation = match incarnation {
        Some(incarnation) => Some(incarnation?),
        None => None,
    };
    let checkpoint = Checkpoint {
        path: name::decode(&path)?.into(),
        name: value.text_at("name").as_deref().unwrap_or(&path).into(),
        id: FileId { device: value.get("device")?.as_u64()?, inode: value.get("inode")?.as_u64()? },
        offset: value.get("offset")?.as_u64()?,
        number: value.get("line")?.as_u64()?,
        incarnation,
        fingerprint: digits("fingerprint")?,
        state: value.get("rows").map(|state| state.raw().to_owned()),
    };
    let checkpoint = Arc::new(checkpoint);
    let entry = Entry { checkpoint, is_former: value.get("former").is_some() };
    (encode(&entry).trim_end().as_bytes() == line).then_some(entry)
}
