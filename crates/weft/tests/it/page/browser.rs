//! A browser without a screen, told what to do over two pipes in the DevTools protocol.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::served::PATIENCE;

/// Names that the browser goes by.
const NAMES: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// What keeps it from everything but the page.
const FLAGS: [&str; 12] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--disable-dev-shm-usage",
    "--no-proxy-server",
    "--remote-debugging-pipe",
];

/// A browser with one page.
pub(super) struct Browser {
    child: Child,
    say: File,
    hear: BufReader<File>,
    /// Of the page.
    session: Option<String>,
    n_said: u64,
    _folder: TempDir,
}

impl Browser {
    /// Opens a page in a browser; `None` if there is none on this machine that starts.
    pub(super) fn open(url: &str) -> Option<Self> {
        let is_there = |name: &&&str| {
            let tried = Command::new(name).arg("--version").stderr(Stdio::null()).output();
            tried.is_ok_and(|tried| tried.status.success())
        };
        let name = NAMES.iter().find(is_there)?;
        let folder = TempDir::new().unwrap();
        let pipes = ["to", "from"].map(|name| folder.path().join(name));
        assert!(Command::new("mkfifo").args(&pipes).status().unwrap().success());
        let mut shell = Command::new("sh");
        // The browser reads from descriptor 3 and writes to 4.
        shell.args(["-c", r#"exec "$0" "$@" 3<to 4>from"#, name]).args(FLAGS);
        shell.arg(format!("--user-data-dir={}", folder.path().display())).arg("about:blank");
        shell.current_dir(folder.path()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = shell.spawn().unwrap();
        // Each waits for the other end to be opened, in the same order as the shell does it.
        let say = File::options().write(true).open(&pipes[0]).unwrap();
        let hear = BufReader::new(File::open(&pipes[1]).unwrap());
        let (session, n_said) = (None, 0);
        let mut browser = Self { child, say, hear, session, n_said, _folder: folder };
        // Some sandboxes have one that cannot start.
        browser.tell("Browser.getVersion", json!({})).ok()?;
        let target = browser.ask("Target.createTarget", json!({"url":url}))["targetId"].clone();
        let attach = json!({"targetId":target,"flatten":true});
        let session = browser.ask("Target.attachToTarget", attach);
        browser.session = Some(session["sessionId"].as_str().unwrap().to_owned());
        Some(browser)
    }

    /// Has the page compute something, and returns it.
    pub(super) fn run(&mut self, script: &str) -> Value {
        let evaluate = json!({"expression":script,"returnByValue":true});
        let ran = self.ask("Runtime.evaluate", evaluate);
        assert!(ran.get("exceptionDetails").is_none(), "{script}: {ran}");
        ran["result"]["value"].clone()
    }

    /// Waits until the page computes something that is true.
    pub(super) fn until(&mut self, script: &str) {
        let began = Instant::now();
        while self.run(script) != true {
            assert!(began.elapsed() < PATIENCE, "in time: {script}");
        }
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.tell(method, params).expect("the browser is there")
    }

    /// Asks something; an error if the browser has ended.
    fn tell(&mut self, method: &str, params: Value) -> io::Result<Value> {
        self.n_said += 1;
        let mut message = json!({"id":self.n_said,"method":method,"params":params});
        if let Some(session) = &self.session {
            message["sessionId"] = session.as_str().into();
        }
        self.say.write_all(message.to_string().as_bytes())?;
        self.say.write_all(b"\0")?;
        loop {
            let mut answer = Vec::new();
            if self.hear.read_until(0, &mut answer)? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            answer.pop();
            let answer: Value = serde_json::from_slice(&answer)?;
            // Whatever else it says is of no interest.
            if answer["id"] == self.n_said {
                assert!(answer.get("error").is_none(), "{method}: {answer}");
                return Ok(answer["result"].clone());
            }
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // One that ended by itself is gone already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
