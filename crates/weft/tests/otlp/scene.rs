//! A store in a folder of its own, a server on it, and a receiver of what a server or a command sends.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc;

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;
use weft_log::Position;
use weft_log::disk::RealDisk;
use weft_log::reader::Reader;

/// A store of its own.
pub(crate) struct Home(TempDir);

impl Home {
    /// Makes an empty store.
    pub(crate) fn new() -> Self {
        let home = Self(TempDir::new().unwrap());
        assert!(home.run(&["init"]).status.success());
        home
    }

    /// Returns a command in the store's folder.
    pub(crate) fn weft(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_weft"));
        command.args(args).current_dir(self.0.path()).env_remove("WEFT_STORE");
        command
    }

    /// Runs a command to its end.
    pub(crate) fn run(&self, args: &[&str]) -> Output {
        self.weft(args).output().unwrap()
    }

    /// Starts a server, and waits until it says where it is.
    pub(crate) fn up(self) -> Scene {
        let mut up = self.weft(&["up", "--listen", "127.0.0.1:0"]);
        let mut server = up.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut first = String::new();
        BufReader::new(server.stdout.as_mut().unwrap()).read_line(&mut first).unwrap();
        let http = first.trim().rsplit("//").next().unwrap().to_owned();
        Scene { home: self, server, http }
    }

    /// Returns what is in the log.
    pub(crate) fn records(&self) -> Vec<Record> {
        let root = self.0.path().join(".weft");
        let mut reader = Reader::open(RealDisk, root, Position::FIRST).unwrap();
        let mut all = Vec::new();
        while let Some(batch) = reader.read().unwrap() {
            all.extend(batch.records().map(|(record, _)| Record {
                via: record.meta.mark.as_ref().unwrap().via.to_string(),
                line: str::from_utf8(record.line).unwrap().to_owned(),
            }));
        }
        all
    }
}

/// `weft up` on a store.
pub(crate) struct Scene {
    pub(crate) home: Home,
    server: Child,
    http: String,
}

/// What the log holds of an event.
pub(crate) struct Record {
    pub(crate) via: String,
    pub(crate) line: String,
}

impl Scene {
    /// Starts a server on an empty store.
    pub(crate) fn start() -> Self {
        Home::new().up()
    }

    /// Returns the server's address and port.
    pub(crate) fn http(&self) -> &str {
        &self.http
    }

    /// Ends the server.
    pub(crate) fn stop(&mut self) {
        let pid = Pid::from_child(&self.server);
        kill_process(pid, Signal::TERM).unwrap();
        assert!(self.server.wait().unwrap().success());
    }

    /// Ends the server, and returns what is in the log.
    pub(crate) fn end(mut self) -> Vec<Record> {
        self.stop();
        self.home.records()
    }
}

/// Takes requests on a port, answers as it was told, and hands on what came.
pub(crate) struct Receiver {
    pub(crate) url: String,
    pub(crate) bodies: mpsc::Receiver<String>,
}

impl Receiver {
    /// Starts one with its answers in order: code, further headers, body. The last one is given again and again.
    pub(crate) fn start(answers: &[(u16, &'static str, &'static str)]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let answers = answers.to_vec();
        let (send, bodies) = mpsc::channel();
        std::thread::spawn(move || {
            for n in 0.. {
                let (mut stream, _) = listener.accept().unwrap();
                let Some(body) = read_body(&stream) else { continue };
                if send.send(body).is_err() {
                    return;
                }
                let (code, headers, said) = answers[n.min(answers.len() - 1)];
                let n_bytes = said.len();
                let answer = format!(
                    "HTTP/1.1 {code} -\r\n{headers}Connection: close\r\nContent-Length: {n_bytes}\r\n\r\n{said}"
                );
                stream.write_all(answer.as_bytes()).unwrap();
            }
        });
        Self { url, bodies }
    }
}

/// Reads a request for `/v1/logs`; returns its body.
fn read_body(stream: &TcpStream) -> Option<String> {
    let mut reader = BufReader::new(stream);
    let (mut line, mut n_bytes) = (String::new(), 0);
    reader.read_line(&mut line).ok().filter(|n| *n > 0)?;
    assert_eq!(line, "POST /v1/logs HTTP/1.1\r\n");
    loop {
        line.clear();
        reader.read_line(&mut line).unwrap();
        let header = line.trim().to_ascii_lowercase();
        if let Some(length) = header.strip_prefix("content-length: ") {
            n_bytes = length.parse().unwrap();
        }
        assert!(!header.starts_with("content-type") || header.ends_with("application/json"));
        if header.is_empty() {
            let mut body = vec![0; n_bytes];
            reader.read_exact(&mut body).unwrap();
            return Some(String::from_utf8(body).unwrap());
        }
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        // One that ended already needs no ending.
        drop(self.server.kill());
        drop(self.server.wait());
    }
}
