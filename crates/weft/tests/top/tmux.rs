//! A terminal to test in, played by tmux: a shell in it, keys, and what stands on the screen.

use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

/// How long a screen is waited for.
const PATIENCE: Duration = Duration::from_secs(30);
/// How often it is looked at meanwhile.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// A terminal with a shell in it.
pub(crate) struct Tmux {
    /// The name of the tmux server, of this terminal alone.
    name: String,
}

/// Returns whether there is a tmux.
pub(crate) fn is_there() -> bool {
    Command::new("tmux").arg("-V").output().is_ok_and(|output| output.status.success())
}

impl Tmux {
    /// Starts a shell in a folder and types a command.
    pub(crate) fn start(name: &str, folder: &Path, command: &str) -> Self {
        let name = format!("weft-{name}-{}", std::process::id());
        let tmux = Self { name };
        let folder = folder.to_str().unwrap();
        let shell = "exec env PS1='ready> ' sh";
        tmux.run(&[
            "-f",
            "/dev/null",
            "new-session",
            "-d",
            "-x",
            "120",
            "-y",
            "40",
            "-c",
            folder,
            shell,
        ]);
        tmux.wait_for("ready>");
        tmux.text(command);
        tmux.keys(&["Enter"]);
        tmux
    }

    fn run(&self, args: &[&str]) -> Output {
        let output = Command::new("tmux").args(["-L", &self.name]).args(args).output().unwrap();
        assert!(output.status.success(), "{args:?}: {output:?}");
        output
    }

    /// Presses keys, by tmux's names.
    pub(crate) fn keys(&self, keys: &[&str]) {
        self.run(&[&["send-keys"], keys].concat());
    }

    /// Types a text.
    pub(crate) fn text(&self, text: &str) {
        self.run(&["send-keys", "-l", text]);
    }

    /// Makes the terminal another size.
    pub(crate) fn resize(&self, columns: u16, rows: u16) {
        let (columns, rows) = (columns.to_string(), rows.to_string());
        self.run(&["resize-window", "-x", &columns, "-y", &rows]);
    }

    /// Returns what stands on the screen.
    pub(crate) fn screen(&self) -> String {
        let output = self.run(&["capture-pane", "-p"]);
        String::from_utf8(output.stdout).unwrap()
    }

    /// Waits until a text stands on the screen.
    pub(crate) fn wait_for(&self, text: &str) {
        self.wait(text, |screen| screen.contains(text));
    }

    /// Waits until a text stands on the screen no longer.
    pub(crate) fn wait_until_gone(&self, text: &str) {
        self.wait("an end", |screen| !screen.contains(text));
    }

    /// Waits until a line of the screen is as asked for.
    pub(crate) fn wait_for_line(&self, is_meant: impl Fn(&str) -> bool) {
        self.wait("a line", |screen| screen.lines().any(&is_meant));
    }

    /// Waits until the program is over and the shell is there again.
    pub(crate) fn wait_until_left(&self) {
        self.wait("the shell", |screen| {
            screen.lines().rev().any(|line| line.trim_end() == "ready>")
        });
    }

    /// Writes all that comes to the terminal from now on to a file, byte by byte.
    pub(crate) fn record(&self, path: &Path) {
        let into = format!("cat > '{}'", path.to_str().unwrap());
        self.run(&["pipe-pane", "-O", &into]);
    }

    /// Waits until the screen is as asked for; what never comes is named.
    pub(crate) fn wait(&self, what: &str, is_there: impl Fn(&str) -> bool) {
        let until = Instant::now() + PATIENCE;
        loop {
            let screen = self.screen();
            if is_there(&screen) {
                return;
            }
            assert!(Instant::now() < until, "{what} never came:\n{screen}");
            std::thread::park_timeout(LOOK_EVERY);
        }
    }

    fn ask(&self, format: &str) -> String {
        let output = self.run(&["display-message", "-p", format]);
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// Returns the process of a program that the shell runs.
    pub(crate) fn process_of(&self, program: &str) -> u32 {
        let shell = self.ask("#{pane_pid}");
        let found = Command::new("pgrep").args(["-P", &shell, program]).output().unwrap();
        String::from_utf8(found.stdout).unwrap().trim().parse().unwrap()
    }

    /// Takes the terminal away, and waits until a process is over that had it.
    pub(crate) fn take_away(self, process: u32) {
        drop(self);
        let until = Instant::now() + PATIENCE;
        let is_there = || Path::new(&format!("/proc/{process}")).exists();
        while is_there() {
            assert!(Instant::now() < until, "process {process} goes on without its terminal");
            std::thread::park_timeout(LOOK_EVERY);
        }
    }

    /// Sends a signal to the program of a name that the shell runs.
    pub(crate) fn signal(&self, program: &str, signal: &str) {
        let shell = self.ask("#{pane_pid}");
        let sent =
            Command::new("pkill").args([&format!("-{signal}"), "-P", &shell, program]).status();
        assert!(sent.unwrap().success(), "no {program} runs in the terminal");
    }

    /// Asserts that the terminal is as a shell has it: the cursor shown, no mouse asked for, no other screen, lines and echo.
    pub(crate) fn assert_as_found(&self) {
        let modes = "#{cursor_flag} #{mouse_any_flag} #{alternate_on}";
        assert_eq!(self.ask(modes), "1 0 0");
        self.run(&["send-keys", "-R"]);
        self.text(
            "stty -a | tr ' ;' '\\n' | grep -x -e icanon -e echo -e isig | sort | xargs echo =",
        );
        self.keys(&["Enter"]);
        self.wait_for("= echo icanon isig");
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        let killed = Command::new("tmux").args(["-L", &self.name, "kill-server"]).output();
        assert!(killed.is_ok(), "tmux was there a moment ago");
    }
}
