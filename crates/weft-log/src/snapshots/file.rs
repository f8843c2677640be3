//! The file of a snapshot: one line that says what it is, with a hash over itself and all that follows, then the content in zstd.

use std::fs::File;
use std::io::{self, BufWriter, IntoInnerError, Read as _, Write};
use std::path::Path;

use weft_event::json::{Json, Object, Tape};

use crate::priority::yield_turn;
use crate::{Hash, Position};

/// The version of the file's form.
const FORMAT: u64 = 1;

/// Bytes of the line at most.
const LINE_BYTES_MAX: usize = 4096;

/// Bytes of a content at most; a file that claims more is none of ours.
const CONTENT_BYTES_MAX: u64 = 1 << 30;

/// Bytes that are packed, hashed or written at a time.
const PIECE_BYTES: usize = 64 * 1024;

/// How the line's last member begins: the hash over what stands before it and after the line.
const HASH: &str = ",\"hash\":\"";

/// What a snapshot says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Header {
    /// The store's id.
    pub(super) store: String,
    /// The first position that the log kept.
    pub(super) first: Position,
    /// The version of what is saved.
    pub(super) version: String,
    /// When the store was last redacted, as a word that is only compared.
    pub(super) era: String,
    /// The position of the last record in it.
    pub(super) position: Position,
}

/// What a file has.
pub(super) struct Content {
    line: String,
    packed: Vec<u8>,
}

/// Makes the content of a file. What `fill` writes is packed as it comes: unpacked it may be ten times as much.
pub(super) fn pack(
    header: &Header,
    level: i32,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<Content> {
    let encoder = zstd::stream::write::Encoder::new(Vec::new(), level)?;
    let mut content =
        BufWriter::with_capacity(PIECE_BYTES, Counting { inner: encoder, n_bytes: 0 });
    fill(&mut content)?;
    let Counting { inner, n_bytes } = content.into_inner().map_err(IntoInnerError::into_error)?;
    let packed = inner.finish()?;
    let mut line = String::new();
    let mut object = Object::begin(&mut line);
    object.json("weft_snapshot", &Json::integer(FORMAT));
    object.text("store", &header.store);
    object.json("first", &Json::integer(header.first.get()));
    object.text("version", &header.version);
    object.text("era", &header.era);
    object.json("position", &Json::integer(header.position.get()));
    object.json("bytes", &Json::integer(n_bytes));
    let hash = hash(line.as_bytes(), &packed);
    line.push_str(HASH);
    line.push_str(&hash.to_string());
    line.push_str("\"}\n");
    if line.len() > LINE_BYTES_MAX {
        return Err(io::Error::other("the version of a snapshot is too long"));
    }
    Ok(Content { line, packed })
}

impl Content {
    /// Writes it in pieces: nobody else has the processor while the system takes one.
    pub(super) fn write(&self, mut file: impl Write) -> io::Result<()> {
        file.write_all(self.line.as_bytes())?;
        self.packed.chunks(PIECE_BYTES).try_for_each(|piece| {
            yield_turn();
            file.write_all(piece)
        })
    }
}

/// What counts the bytes that go through it.
struct Counting<W> {
    inner: W,
    n_bytes: u64,
}

impl<W: Write> Write for Counting<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        yield_turn();
        let n_written = self.inner.write(bytes)?;
        self.n_bytes += n_written as u64;
        Ok(n_written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Returns the content of a file; `None` unless it is whole and says of itself what is expected.
pub(super) fn read(bytes: &[u8], expected: &Header) -> Option<Vec<u8>> {
    let (line, packed) = split(bytes)?;
    let (header, n_bytes) = parse(line)?;
    let (covered, said) = line.rsplit_once(HASH)?;
    let said = Hash::parse(said.strip_suffix("\"}")?)?;
    if header != *expected || said != hash(covered.as_bytes(), packed) {
        return None;
    }
    let n_bytes = usize::try_from(n_bytes).ok()?;
    let content = zstd::bulk::decompress(packed, n_bytes).ok()?;
    (content.len() == n_bytes).then_some(content)
}

/// Returns what a file says of itself, without a look at the rest of it.
pub(super) fn read_header(path: &Path) -> Option<Header> {
    let mut start = Vec::new();
    File::open(path).ok()?.take(LINE_BYTES_MAX as u64).read_to_end(&mut start).ok()?;
    let (line, _) = split(&start)?;
    parse(line).map(|(header, _)| header)
}

fn split(bytes: &[u8]) -> Option<(&str, &[u8])> {
    let end = memchr::memchr(b'\n', bytes).filter(|end| *end < LINE_BYTES_MAX)?;
    Some((std::str::from_utf8(&bytes[..end]).ok()?, &bytes[end + 1..]))
}

/// Returns what the line says, and how many bytes the content has.
fn parse(line: &str) -> Option<(Header, u64)> {
    let mut tape = Tape::new();
    let line = tape.parse(line).ok()?;
    let number = |name| line.get(name)?.as_u64();
    let text = |name| Some(line.text_at(name)?.into_owned());
    let header = Header {
        store: text("store")?,
        first: Position::new(number("first")?)?,
        version: text("version")?,
        era: text("era")?,
        position: Position::new(number("position")?)?,
    };
    let n_bytes = number("bytes")?;
    let is_ours = number("weft_snapshot")? == FORMAT && n_bytes <= CONTENT_BYTES_MAX;
    is_ours.then_some((header, n_bytes))
}

fn hash(line: &[u8], packed: &[u8]) -> Hash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(line);
    for piece in packed.chunks(PIECE_BYTES) {
        yield_turn();
        hasher.update(piece);
    }
    Hash::of_pieces(&hasher)
}
