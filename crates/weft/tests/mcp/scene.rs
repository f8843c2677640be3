//! A store in a folder of its own, the server on it, and whoever talks over lines.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use weft_event::Dialect;
use weft_event::event::{self, Expect};
use weft_event::json::Tape;
use weft_event::problem::Problems;

/// How long anything may take before a test has failed.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// The modern version of the protocol.
pub(crate) const MODERN: &str = "2026-07-28";

/// A folder with a store.
pub(crate) struct Scene {
    pub(crate) folder: TempDir,
}

impl Scene {
    pub(crate) fn new() -> Self {
        let scene = Self { folder: TempDir::new().unwrap() };
        scene.run(&["init"]);
        scene
    }

    /// Returns the command, to be started here.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_weft"));
        command.args(args);
        self.place(&mut command);
        command
    }

    /// Puts a command here, away from whatever the machine has set.
    pub(crate) fn place(&self, command: &mut Command) {
        let folder = self.folder.path();
        command.current_dir(folder).env_remove("WEFT_STORE").env_remove("CLAUDE_CODE_SESSION_ID");
        command.env("HOME", folder.join("home")).env("TZ", "UTC").stdin(Stdio::null());
    }

    /// Runs to the end; returns what it prints.
    pub(crate) fn run(&self, args: &[&str]) -> String {
        let Output { status, stdout, stderr } = self.command(args).output().unwrap();
        assert!(status.success(), "{args:?}: {}", String::from_utf8_lossy(&stderr));
        String::from_utf8(stdout).unwrap()
    }

    /// Returns every event of the log; each is valid without so much as a warning.
    pub(crate) fn log(&self) -> Vec<Value> {
        let lines = self.run(&["log", "--limit", "all", "--format", "jsonl"]);
        let read = |line: &str| {
            let (mut tape, mut problems) = (Tape::new(), Problems::new());
            let expect = Expect::Dialect(Dialect::Collector);
            event::read(&mut tape, line.as_bytes(), expect, &mut problems).expect("an event");
            assert!(problems.list().is_empty(), "{line}: {:?}", problems.list());
            serde_json::from_str(line).unwrap()
        };
        lines.lines().map(read).collect()
    }

    /// Starts `weft mcp` for a session.
    pub(crate) fn pipe(&self, session: &str) -> Talk {
        let mut command = self.command(&["mcp"]);
        command.env("CLAUDE_CODE_SESSION_ID", session);
        Talk::start(command)
    }
}

/// A server that runs.
pub(crate) struct Up {
    child: Child,
    /// Address and port.
    pub(crate) http: String,
}

impl Up {
    pub(crate) fn start(scene: &Scene) -> Self {
        let mut command = scene.command(&["up", "--listen", "127.0.0.1:0"]);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let lines = lines(child.stdout.take().unwrap());
        let first = lines.recv_timeout(PATIENCE).expect("the server starts");
        let (_, http) = first.split_once("://").expect(&first);
        let http = http.trim().to_owned();
        // It is ready when it has said everything.
        lines.recv_timeout(PATIENCE).unwrap();
        lines.recv_timeout(PATIENCE).unwrap();
        Self { child, http }
    }

    /// Ends it as a service manager does, and waits for that.
    pub(crate) fn end(mut self) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
        assert!(self.child.wait().unwrap().success());
    }

    /// Sends a request; returns the status and the body of the answer.
    pub(crate) fn ask(&self, method: &str, headers: &[(&str, &str)], body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.http).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut request = format!("{method} /mcp HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|(name, _)| *name == "Host") {
            request += &format!("Host: {}\r\n", self.http);
        }
        headers.iter().for_each(|(name, value)| request += &format!("{name}: {value}\r\n"));
        request += &format!("Content-Length: {}\r\n\r\n{body}", body.len());
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").expect(&answer);
        (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
    }
}

impl Drop for Up {
    fn drop(&mut self) {
        // One that was waited for is gone already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Somebody who is told lines, and answers with lines.
pub(crate) struct Talk {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Talk {
    pub(crate) fn start(mut command: Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (stdin, lines) = (child.stdin.take(), lines(child.stdout.take().unwrap()));
        Self { child, stdin, lines }
    }

    pub(crate) fn say(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(format!("{line}\n").as_bytes()).unwrap();
        stdin.flush().unwrap();
    }

    /// Returns the next line, which is JSON.
    pub(crate) fn hear(&mut self) -> Value {
        match self.lines.recv_timeout(PATIENCE) {
            Ok(line) => serde_json::from_str(&line).expect(&line),
            Err(_) => panic!("it says nothing: {}", self.complaints()),
        }
    }

    pub(crate) fn ask(&mut self, what: &Value) -> Value {
        self.say(&what.to_string());
        self.hear()
    }

    /// Calls a tool in the modern era, without a client in between; returns the result.
    pub(crate) fn call(&mut self, name: &str, arguments: Value) -> Value {
        let params = json!({ "name": name, "arguments": arguments, "_meta": meta() });
        let answer = self.ask(&request(1, "tools/call", params));
        assert!(answer["result"].is_object(), "{answer}");
        answer["result"].clone()
    }

    /// Closes the way in, and returns whatever is said until the end.
    pub(crate) fn end(mut self) -> Vec<String> {
        drop(self.stdin.take());
        let rest = std::iter::from_fn(|| self.lines.recv_timeout(PATIENCE).ok()).collect();
        let status = self.child.wait().unwrap();
        let complaints = self.complaints();
        assert!(status.success(), "{complaints}");
        assert_eq!(complaints, "");
        rest
    }

    fn complaints(&mut self) -> String {
        drop(self.child.kill());
        let mut text = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut text).unwrap();
        text
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Returns what a modern client says with each request.
pub(crate) fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

pub(crate) fn request(id: u64, method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

fn lines(stream: impl std::io::Read + Send + 'static) -> Receiver<String> {
    let (send, lines) = mpsc::channel();
    std::thread::spawn(move || {
        let stream = BufReader::new(stream);
        stream.lines().map_while(Result::ok).try_for_each(|line| send.send(line).ok())
    });
    lines
}
