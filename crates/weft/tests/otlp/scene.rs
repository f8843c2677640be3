//! A store in a folder of its own, and a server on it.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;
use weft_log::Position;
use weft_log::disk::RealDisk;
use weft_log::reader::Reader;

/// `weft up` on an empty store.
pub(crate) struct Scene {
    folder: TempDir,
    server: Child,
    http: String,
}

/// What the log holds of an event.
pub(crate) struct Record {
    pub(crate) via: String,
    pub(crate) line: String,
}

impl Scene {
    /// Starts a server, and waits until it says where it is.
    pub(crate) fn start() -> Self {
        let folder = TempDir::new().unwrap();
        let weft = |args: &[&str]| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_weft"));
            command.args(args).current_dir(folder.path()).env_remove("WEFT_STORE");
            command
        };
        assert!(weft(&["init"]).output().unwrap().status.success());
        let mut up = weft(&["up", "--listen", "127.0.0.1:0"]);
        let mut server = up.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut first = String::new();
        BufReader::new(server.stdout.as_mut().unwrap()).read_line(&mut first).unwrap();
        let http = first.trim().rsplit("//").next().unwrap().to_owned();
        Self { folder, server, http }
    }

    /// Returns the server's address and port.
    pub(crate) fn http(&self) -> &str {
        &self.http
    }

    /// Ends the server, and returns what is in the log.
    pub(crate) fn end(mut self) -> Vec<Record> {
        let pid = Pid::from_child(&self.server);
        kill_process(pid, Signal::TERM).unwrap();
        assert!(self.server.wait().unwrap().success());
        let root = self.folder.path().join(".weft");
        let mut reader = Reader::open(RealDisk, root, Position::FIRST).unwrap();
        let mut all = Vec::new();
        while let Some(batch) = reader.read().unwrap() {
            all.extend(batch.records().map(|(record, _)| Record {
                via: record.meta.mark.as_ref().unwrap().via.clone(),
                line: str::from_utf8(record.line).unwrap().to_owned(),
            }));
        }
        all
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        // One that ended already needs no ending.
        drop(self.server.kill());
        drop(self.server.wait());
    }
}
