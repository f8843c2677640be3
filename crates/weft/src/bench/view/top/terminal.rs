//! A terminal for a program to draw on: a pseudo terminal whose bytes are kept as a picture, with the moment the last of them came.
//!
//! It knows what the screen writes and no more: text, moves of the cursor, and clearing.

use std::fs::{File, OpenOptions};
use std::io::Read as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use rustix::fs::OFlags;
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::bench::server::{PATIENCE, busy};

/// Columns and rows.
const COLUMNS: usize = 120;
const ROWS: usize = 40;

/// A program, and the terminal that it draws on.
pub(super) struct Terminal {
    child: Child,
    started: Instant,
    shown: Arc<Shown>,
    reader: Option<JoinHandle<()>>,
}

/// What the terminal shows.
#[derive(Default)]
struct Shown {
    picture: Mutex<Picture>,
    changed: Condvar,
}

/// The characters of a terminal.
struct Picture {
    cells: Vec<[char; COLUMNS]>,
    column: usize,
    row: usize,
    /// The beginning of a sequence or a character whose rest did not come yet.
    rest: Vec<u8>,
    /// When the last bytes came.
    at: Instant,
    is_over: bool,
}

impl Terminal {
    /// Starts a program on a terminal of its own.
    pub(super) fn start(mut command: Command) -> anyhow::Result<Self> {
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)
            .context("cannot open a terminal")?;
        grantpt(&ours)?;
        unlockpt(&ours)?;
        let name = ptsname(&ours, Vec::new())?;
        let name = name.to_str().context("the terminal has no name")?;
        let theirs = OpenOptions::new().read(true).write(true).custom_flags(NOCTTY).open(name)?;
        let (ws_col, ws_row) = (COLUMNS as u16, ROWS as u16);
        tcsetwinsize(&theirs, Winsize { ws_row, ws_col, ws_xpixel: 0, ws_ypixel: 0 })?;
        command.stdin(Stdio::from(theirs.try_clone()?)).stdout(Stdio::from(theirs));
        command.env("TERM", "xterm-256color").stderr(Stdio::null());
        let shown = Arc::<Shown>::default();
        let (reader, told) = (File::from(ours), Arc::clone(&shown));
        let started = Instant::now();
        let child = command.spawn().context("cannot start the program")?;
        // The command holds the program's end of the terminal, without which its end shows.
        drop(command);
        let reader = thread::Builder::new().spawn(move || read(reader, &told))?;
        Ok(Self { child, started, shown, reader: Some(reader) })
    }

    /// Waits until the picture is as wanted; returns how long that took from the start.
    pub(super) fn wait_for(
        &self,
        what: &str,
        is_meant: impl Fn(&[String]) -> bool,
    ) -> anyhow::Result<Duration> {
        let until = Instant::now() + PATIENCE;
        let mut picture = self.shown.lock();
        while !is_meant(&picture.lines()) {
            ensure!(!picture.is_over, "the screen ended before {what}");
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                bail!("{what} never came:\n{}", picture.lines().join("\n"));
            }
            let waited = self.shown.changed.wait_timeout(picture, left);
            picture = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        Ok(picture.at.saturating_duration_since(self.started))
    }

    /// Returns the lines that are shown.
    pub(super) fn lines(&self) -> Vec<String> {
        self.shown.lock().lines()
    }

    /// Returns how much of the processor the program has used; `None` where the system does not tell.
    pub(super) fn busy(&self) -> Option<Duration> {
        busy(self.child.id())
    }

    /// Ends the program as a service manager does.
    pub(super) fn stop(mut self) -> anyhow::Result<()> {
        kill_process(Pid::from_child(&self.child), Signal::TERM)?;
        let status = self.child.wait()?;
        ensure!(status.success(), "the screen ended with {status}");
        Ok(())
    }
}

/// The flag that keeps a terminal from becoming that of whoever opens it.
const NOCTTY: i32 = OFlags::NOCTTY.bits() as i32;

impl Drop for Terminal {
    fn drop(&mut self) {
        // It is ours alone; one that has ended is not there any more.
        drop(self.child.kill());
        drop(self.child.wait());
        if let Some(reader) = self.reader.take() {
            drop(reader.join());
        }
    }
}

impl Shown {
    fn lock(&self) -> MutexGuard<'_, Picture> {
        self.picture.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes in what a program writes until it has ended.
fn read(mut terminal: File, shown: &Shown) {
    let mut bytes = vec![0; 64 * 1024];
    loop {
        // A terminal whose program has ended cannot be read.
        let n = terminal.read(&mut bytes).unwrap_or(0);
        let mut picture = shown.lock();
        picture.is_over = n == 0;
        picture.at = Instant::now();
        picture.write(&bytes[..n]);
        shown.changed.notify_all();
        if n == 0 {
            return;
        }
    }
}

impl Default for Picture {
    fn default() -> Self {
        let cells = vec![[' '; COLUMNS]; ROWS];
        Self { cells, column: 0, row: 0, rest: Vec::new(), at: Instant::now(), is_over: false }
    }
}

impl Picture {
    fn lines(&self) -> Vec<String> {
        self.cells.iter().map(|row| row.iter().collect::<String>().trim_end().to_owned()).collect()
    }

    fn write(&mut self, bytes: &[u8]) {
        self.rest.extend_from_slice(bytes);
        let taken = std::mem::take(&mut self.rest);
        let whole = match std::str::from_utf8(&taken) {
            Ok(text) => text.len(),
            Err(cut) => cut.valid_up_to(),
        };
        let text = std::str::from_utf8(&taken[..whole]).unwrap_or_default();
        let mut left = text;
        while let Some(c) = left.chars().next() {
            let after = &left[c.len_utf8()..];
            left = match c {
                '\u{1b}' => match self.sequence(after) {
                    Some(after) => after,
                    None => break,
                },
                c => {
                    self.put(c);
                    after
                }
            };
        }
        self.rest = taken[whole - left.len()..].to_vec();
    }

    fn put(&mut self, c: char) {
        match c {
            '\r' => self.column = 0,
            '\n' => self.row += 1,
            c => {
                if let Some(cell) =
                    self.cells.get_mut(self.row).and_then(|row| row.get_mut(self.column))
                {
                    *cell = c;
                }
                self.column += 1;
            }
        }
    }

    /// Does what a sequence says that begins behind its escape; returns what stands behind it, or `None` if it is not whole.
    fn sequence<'t>(&mut self, text: &'t str) -> Option<&'t str> {
        let Some(inside) = text.strip_prefix('[') else {
            return (!text.is_empty()).then(|| text.get(1..)).flatten();
        };
        let end = inside.find(|c: char| ('@'..='~').contains(&c))?;
        let mut numbers = inside[..end].split(';').map(|number| number.parse().unwrap_or(1));
        match &inside[end..=end] {
            "H" => {
                let place = (numbers.next().unwrap_or(1_usize), numbers.next().unwrap_or(1));
                (self.row, self.column) = (place.0.max(1) - 1, place.1.max(1) - 1);
            }
            "J" => self.cells.iter_mut().for_each(|row| *row = [' '; COLUMNS]),
            _ => {}
        }
        Some(&inside[end + 1..])
    }
}
