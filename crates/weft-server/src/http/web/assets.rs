//! The files of the dashboard: what each is, its hash, and how it is compressed. They are in the binary; a debug build reads them from
//! `web/dist` each time, so that whoever works on the dashboard sees it without building the server again.

use std::io::Write as _;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;

/// What stands in for a dashboard that is not built.
const ABSENT: &[u8] = include_bytes!("absent.html");

/// The page that every address of the dashboard gives.
pub(super) const INDEX: &str = "/index.html";

/// What a page is.
pub(super) const HTML: &str = "text/html; charset=utf-8";

/// The kinds of files that a dashboard has, by the ends of their names. What compressing gains nothing on is marked.
const KINDS: &[(&str, &str, Gain)] = &[
    ("html", HTML, Gain::Much),
    ("js", "text/javascript; charset=utf-8", Gain::Much),
    ("css", "text/css; charset=utf-8", Gain::Much),
    ("json", "application/json", Gain::Much),
    ("map", "application/json", Gain::Much),
    ("webmanifest", "application/manifest+json", Gain::Much),
    ("svg", "image/svg+xml", Gain::Much),
    ("txt", "text/plain; charset=utf-8", Gain::Much),
    ("png", "image/png", Gain::None),
    ("ico", "image/x-icon", Gain::None),
    ("woff2", "font/woff2", Gain::None),
];

/// What compressing a kind of file gains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gain {
    Much,
    None,
}

/// Returns what is known of the kind of a file by the end of its name.
fn kind_of(path: &str) -> Option<(&'static str, Gain)> {
    let (_, end) = path.rsplit_once('.')?;
    KINDS.iter().find(|(known, ..)| *known == end).map(|(_, kind, gain)| (*kind, *gain))
}

/// Returns whether an address is that of a file; any other is one of the dashboard's pages. Names in pages' addresses may have dots.
pub(super) fn is_file(path: &str) -> bool {
    let is_at_root = path.rfind('/') == Some(0);
    path.starts_with("/assets/") || kind_of(path).is_some() || (is_at_root && path.contains('.'))
}

/// The files of one dashboard.
#[derive(Debug)]
pub(super) struct Assets {
    files: Vec<Asset>,
}

impl Assets {
    /// Takes files. Where none is the page of the dashboard, ours that says how to build it is.
    pub(super) fn new(files: impl Iterator<Item = Asset>) -> Self {
        let mut files: Vec<_> = files.collect();
        if !files.iter().any(|file| file.path == INDEX) {
            files = vec![Asset::new(INDEX.to_owned(), Bytes::from_static(ABSENT))];
        }
        Self { files }
    }

    /// Returns the file at an address.
    pub(super) fn find(&self, path: &str) -> Option<&Asset> {
        self.files.iter().find(|file| file.path == path)
    }

    /// Returns the address of the script that draws a page: its file has the page's name, then a hash.
    pub(super) fn script_of(&self, page: &str) -> Option<&str> {
        let is_its_own = |path: &&str| {
            let name = path.strip_prefix("/assets/").and_then(|name| name.strip_suffix(".js"));
            let name = name.and_then(|name| name.split_once('-'));
            name.is_some_and(|(name, _hash)| name.eq_ignore_ascii_case(page))
        };
        self.files.iter().map(|file| &*file.path).find(is_its_own)
    }
}

/// One file.
#[derive(Debug)]
pub(super) struct Asset {
    path: String,
    bytes: Bytes,
    /// A part of its hash.
    tag: String,
    /// Made when it is first asked for, unless it was when the server was built.
    gzip: OnceLock<Bytes>,
}

impl Asset {
    /// Takes what is at an address.
    pub(super) fn new(path: String, bytes: Bytes) -> Self {
        let tag = blake3::hash(&bytes).to_hex()[..16].to_owned();
        Self { path, bytes, tag, gzip: OnceLock::new() }
    }

    /// Returns what it is.
    pub(super) fn kind(&self) -> &'static str {
        kind_of(&self.path).map_or("application/octet-stream", |(kind, _)| kind)
    }

    /// Returns whether its name changes whenever it does.
    pub(super) fn is_immutable(&self) -> bool {
        self.path.starts_with("/assets/")
    }

    /// Returns it as it is, and what it is known by.
    pub(super) fn plain(&self) -> (Bytes, String) {
        (self.bytes.clone(), format!("\"{}\"", self.tag))
    }

    /// Returns it compressed, and what that is known by; `None` where nothing is gained.
    pub(super) fn gzip(&self) -> Option<(Bytes, String)> {
        let gains = kind_of(&self.path).is_some_and(|(_, gain)| gain == Gain::Much);
        gains.then(|| {
            let bytes = self.gzip.get_or_init(|| compress(&self.bytes));
            (bytes.clone(), format!("\"{}-gzip\"", self.tag))
        })
    }
}

fn compress(bytes: &[u8]) -> Bytes {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    let written = encoder.write_all(bytes).and_then(|()| encoder.finish());
    written.expect("memory takes everything").into()
}

/// Returns the dashboard that is in the binary.
#[cfg(not(web_on_disk))]
pub(super) fn current() -> Arc<Assets> {
    /// Address, bytes, and the same compressed.
    const FILES: &[(&str, &[u8], &[u8])] = include!(concat!(env!("OUT_DIR"), "/web.rs"));
    static ASSETS: std::sync::LazyLock<Arc<Assets>> = std::sync::LazyLock::new(|| {
        let files = FILES.iter().map(|(path, bytes, gzip)| {
            let asset = Asset::new((*path).to_owned(), Bytes::from_static(bytes));
            Asset { gzip: OnceLock::from(Bytes::from_static(gzip)), ..asset }
        });
        Arc::new(Assets::new(files))
    });
    Arc::clone(&ASSETS)
}

/// Returns the dashboard as it is built now.
#[cfg(web_on_disk)]
pub(super) fn current() -> Arc<Assets> {
    fn collect(folder: &std::path::Path, below: &str, files: &mut Vec<Asset>) {
        let Ok(entries) = std::fs::read_dir(folder) else { return };
        for entry in entries.flatten() {
            let path = format!("{below}/{}", entry.file_name().to_string_lossy());
            match std::fs::read(entry.path()) {
                Ok(bytes) => files.push(Asset::new(path, bytes.into())),
                Err(_is_folder) => collect(&entry.path(), &path, files),
            }
        }
    }
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/dist");
    let mut files = Vec::new();
    collect(folder.as_ref(), "", &mut files);
    Arc::new(Assets::new(files.into_iter()))
}

#[cfg(test)]
mod tests;
