//! Where a running server is, for commands and people: `server.json` in the store's folder while it runs.

use std::fs;
use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use weft_event::json::{Json, Object, Tape, Value};

/// The file in a store.
const FILE: &str = "server.json";

/// More bytes than a server writes about itself.
const FILE_BYTES_MAX: usize = 64 << 10;

/// Where a server is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Addresses {
    /// Its process.
    pub pid: u32,
    /// Where it speaks HTTP.
    pub http: Vec<SocketAddr>,
    /// Whether it is encrypted there.
    pub is_tls: bool,
    /// Whether other machines can reach it there.
    pub is_open: bool,
    /// Its socket.
    pub socket: PathBuf,
    /// When it was started (RFC 3339).
    pub started: String,
    /// Its version.
    pub version: String,
}

impl Addresses {
    /// Returns where it speaks HTTP as addresses of pages.
    pub fn urls(&self) -> impl Iterator<Item = String> {
        let scheme = if self.is_tls { "https" } else { "http" };
        self.http.iter().map(move |http| format!("{scheme}://{http}"))
    }

    /// Returns where a person on this machine finds the dashboard.
    pub fn page(&self) -> Option<String> {
        let first = self.http.first()?;
        let scheme = if self.is_tls { "https" } else { "http" };
        // An address that stands for all of a machine's is none to go to.
        let page = match first.ip().is_unspecified() {
            true => format!("{scheme}://localhost:{}/", first.port()),
            false => format!("{scheme}://{first}/"),
        };
        Some(if self.is_open { page + "#token=TOKEN" } else { page })
    }

    /// Writes the file of a store, whole or not at all.
    pub fn publish(&self, store: &Path) -> io::Result<()> {
        let mut text = String::new();
        let mut object = Object::begin(&mut text);
        self.write(&mut object);
        object.end();
        text.push('\n');
        let early = store.join(format!("{FILE}.{}", std::process::id()));
        let mut options = fs::OpenOptions::new();
        let mut file = options.write(true).create(true).truncate(true).mode(0o600).open(&early)?;
        file.write_all(text.as_bytes())?;
        drop(file);
        fs::rename(&early, store.join(FILE))
    }

    /// Writes its members.
    pub(crate) fn write(&self, object: &mut Object<'_>) {
        object.json("pid", &Json::integer(self.pid));
        match self.http.first() {
            Some(first) => object.text("http", &first.to_string()),
            None => object.json("http", &Json::null()),
        }
        if self.http.len() > 1 {
            let all = self.http.iter().map(|address| Json::text(&address.to_string()));
            object.json("listen", &Json::array(all));
        }
        object.json("tls", &Json::bool(self.is_tls));
        object.json("open", &Json::bool(self.is_open));
        object.text("socket", &self.socket.to_string_lossy());
        object.text("started", &self.started);
        object.text("version", &self.version);
    }

    /// Reads what the server of a store said of itself; `None` if there is nothing readable. It may be gone.
    pub fn read(store: &Path) -> Option<Self> {
        let bytes = fs::read(store.join(FILE)).ok()?;
        let mut tape = Tape::new();
        let value = tape.parse_bytes(bytes.get(..bytes.len().min(FILE_BYTES_MAX))?).ok()?;
        Self::of(value)
    }

    /// Reads its members.
    pub fn of(value: Value<'_>) -> Option<Self> {
        let address = |text: Value<'_>| text.as_text()?.parse().ok();
        let http = match value.get("listen") {
            Some(all) => all.items().filter_map(address).collect(),
            None => value.get("http").and_then(address).into_iter().collect(),
        };
        let is = |name: &str| value.get(name).and_then(Value::as_bool) == Some(true);
        let text = |name: &str| value.text_at(name).map(|text| text.into_owned());
        Some(Self {
            pid: u32::try_from(value.get("pid")?.as_u64()?).ok()?,
            http,
            is_tls: is("tls"),
            is_open: is("open"),
            socket: text("socket")?.into(),
            started: text("started").unwrap_or_default(),
            version: text("version").unwrap_or_default(),
        })
    }

    /// Removes the file of a store.
    pub fn withdraw(store: &Path) -> io::Result<()> {
        match fs::remove_file(store.join(FILE)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            other => other,
        }
    }
}
