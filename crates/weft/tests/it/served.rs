//! A server that runs in a sandbox, and the ways to talk to it.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use weft_server::socket::client::Client;

use crate::sandbox::Sandbox;

/// How long anything may take before a test has failed.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// `weft up` in a sandbox.
pub(crate) struct Served {
    child: Child,
    /// Address and port.
    pub(crate) http: String,
    pub(crate) socket: String,
    /// What else it says.
    pub(crate) said: Receiver<String>,
}

impl Served {
    /// Starts a server on the sandbox's store, and waits until it is ready.
    pub(crate) fn start(sandbox: &Sandbox) -> Self {
        Self::start_with(sandbox.command(&["up", "--listen", "127.0.0.1:0"]))
    }

    /// Starts one with these settings, each a name such as `limits.heartbeat` and its value.
    pub(crate) fn start_set(sandbox: &Sandbox, settings: &[(&str, &str)]) -> Self {
        let mut command = sandbox.command(&["up", "--listen", "127.0.0.1:0"]);
        for (name, value) in settings {
            let name = name.replace('.', "_").to_ascii_uppercase();
            command.env(format!("WEFT_{name}"), value);
        }
        Self::start_with(command)
    }

    pub(crate) fn start_with(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let lines = lines(child.stdout.take().unwrap());
        let mut take = |name: &str| match lines.recv_timeout(PATIENCE) {
            Ok(line) => line.strip_prefix(name).expect(&line).trim().to_owned(),
            Err(_) => {
                child.kill().unwrap();
                let mut said = String::new();
                child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
                panic!("the server did not start: {said}");
            }
        };
        let (http, socket) = (take("http"), take("socket"));
        take("store");
        let (_, http) = http.split_once("://").expect("an address");
        Self { child, http: http.to_owned(), socket, said: lines }
    }

    /// Returns a connection to its socket.
    pub(crate) fn client(&self) -> Client {
        Client::connect(self.socket.as_ref(), PATIENCE).unwrap()
    }

    /// Returns the bytes of memory that it has now.
    pub(crate) fn resident_bytes(&self) -> u64 {
        self.memory("VmRSS:")
    }

    /// Returns the most memory that it ever had.
    pub(crate) fn peak_bytes(&self) -> u64 {
        self.memory("VmHWM:")
    }

    fn memory(&self, name: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() << 10
    }

    /// Returns how many sockets it has open.
    pub(crate) fn n_sockets(&self) -> usize {
        let open = std::fs::read_dir(format!("/proc/{}/fd", self.child.id())).unwrap();
        let is_socket = |to: &std::path::PathBuf| to.to_string_lossy().starts_with("socket:");
        // One that was closed meanwhile is none any more.
        open.filter_map(|fd| std::fs::read_link(fd.unwrap().path()).ok()).filter(is_socket).count()
    }

    /// Sends a signal.
    pub(crate) fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args([name, &pid]).status().unwrap().success());
    }

    /// Waits for its end; returns its exit code and what it said on stderr.
    pub(crate) fn wait(mut self) -> (Option<i32>, String) {
        let mut said = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        (self.child.wait().unwrap().code(), said)
    }

    /// Ends it as a service manager does.
    pub(crate) fn end(self) -> (Option<i32>, String) {
        self.signal("-TERM");
        self.wait()
    }

    /// Asks for a path over HTTP; returns the whole answer.
    pub(crate) fn get(&self, path: &str) -> String {
        self.ask("GET", path, &[], "")
    }

    /// Asks over HTTP; returns the whole answer.
    pub(crate) fn ask(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> String {
        self.ask_as(&self.http, method, path, headers, body)
    }

    /// Asks over HTTP by another name.
    pub(crate) fn ask_as(
        &self,
        host: &str,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> String {
        let mut stream = TcpStream::connect(&self.http).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let more: String =
            headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let length = body.len();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Length: {length}\r\n{more}\r\n{body}"
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // One that was waited for is gone already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Returns the lines of a stream as they come.
pub(crate) fn lines(stream: impl std::io::Read + Send + 'static) -> Receiver<String> {
    let (send, lines) = mpsc::channel();
    std::thread::spawn(move || {
        let stream = BufReader::new(stream);
        stream.lines().map_while(Result::ok).try_for_each(|line| send.send(line).ok())
    });
    lines
}
