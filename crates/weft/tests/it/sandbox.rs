//! A folder of its own for each test, and the binary run in it.

use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// A valid event of the collector dialect.
pub(crate) const FINE: &str = r#"{"version":"1.0.0","event_type":"lifecycle.started","timestamp":"2026-01-01T00:00:00Z","agent_id":"@a"}"#;
/// A valid event with a warning.
pub(crate) const ODD: &str = r#"{"version":"1.0.0","event_type":"lifecycle.started","timestamp":"2026-01-01T00:00:00Z","agent_id":"@a","status":"blocked"}"#;
/// A valid event of Weft's own dialect.
pub(crate) const OWN: &str =
    r#"{"weft":1,"type":"log.pruned","id":"1","at":"2026-01-01T00:00:00Z","data":{}}"#;

/// A folder that the binary runs in.
pub(crate) struct Sandbox {
    folder: TempDir,
}

/// What a run left behind.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Sandbox {
    /// Returns a sandbox with these files.
    pub(crate) fn with(files: &[(&str, &[u8])]) -> Self {
        let sandbox = Self { folder: TempDir::new().unwrap() };
        for (name, bytes) in files {
            let path = sandbox.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        }
        sandbox
    }

    /// Returns a sandbox with these files and a store.
    pub(crate) fn with_store(files: &[(&str, &[u8])]) -> Self {
        let sandbox = Self::with(files);
        let ran = sandbox.run(&["init"]);
        assert_eq!(ran.code, 0, "{}", ran.show());
        sandbox
    }

    /// Returns the folder of the store.
    pub(crate) fn store(&self) -> PathBuf {
        self.path().join(".weft")
    }

    /// Returns the lines of the log in order, read with nothing but the names of its files.
    pub(crate) fn log(&self) -> Vec<String> {
        let mut files: Vec<_> = std::fs::read_dir(self.store().join("log"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        files.sort();
        let text: String =
            files.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect();
        text.lines()
            .filter(|line| !line.starts_with("{\"weft_seal\":"))
            .map(str::to_owned)
            .collect()
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the command, to be started in the sandbox.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(binary());
        command.args(args).current_dir(self.path()).env_remove("COLUMNS");
        command.env_remove("WEFT_STORE").env("TZ", "UTC").stdin(Stdio::null());
        command
    }

    /// Runs to the end.
    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        Ran::from(self.command(args).output().unwrap())
    }

    /// Runs to the end with this on standard input.
    pub(crate) fn pipe(&self, args: &[&str], input: &[u8]) -> Ran {
        self.pipe_with(args, input, |_| {})
    }

    /// Does the same with a command that is changed before.
    pub(crate) fn pipe_with(
        &self,
        args: &[&str],
        input: &[u8],
        change: impl FnOnce(&mut Command),
    ) -> Ran {
        let mut command = self.command(args);
        change(&mut command);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        std::thread::scope(|scope| {
            scope.spawn(move || match stdin.write_all(input) {
                // It may end before it has read everything.
                Err(error) if error.kind() == ErrorKind::BrokenPipe => {}
                written => written.unwrap(),
            });
            Ran::from(child.wait_with_output().unwrap())
        })
    }
}

impl Ran {
    /// Returns everything about the run as text.
    pub(crate) fn show(&self) -> String {
        format!("{}--- stderr\n{}--- exit {}", self.stdout, self.stderr, self.code)
    }
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().expect("it was not killed by a signal"),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// Returns where the binary is.
pub(crate) fn binary() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_weft"))
}

/// Runs without any files.
pub(crate) fn weft(args: &[&str]) -> Ran {
    Sandbox::with(&[]).run(args)
}

/// Validates one file of these bytes.
pub(crate) fn validate(bytes: impl AsRef<[u8]>) -> String {
    Sandbox::with(&[("a.jsonl", bytes.as_ref())]).run(&["validate", "a.jsonl"]).show()
}
