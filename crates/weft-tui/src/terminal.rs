//! The terminal, taken and given back: whatever happens it is left as it was found.

use std::io::{self, Stdout, Write as _};
use std::panic;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use crossterm::cursor::Show;
use crossterm::event::{
    DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture,
};
use crossterm::execute;
use crossterm::terminal::{
    Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::backend::CrosstermBackend;
use ratatui::layout::Size;
use ratatui::{Frame, Terminal};

/// The terminal while it is ours. It is given back when this is dropped, and before a panic is told.
pub(crate) struct Screen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
    /// Whether it is given back already, which a thread that panics does. Held while something is written, so that nothing comes after.
    is_lost: Arc<Mutex<bool>>,
}

impl Screen {
    /// Takes the terminal.
    pub(crate) fn take() -> io::Result<Self> {
        let is_lost = Arc::new(Mutex::new(false));
        let (lost, tell, ours) = (Arc::clone(&is_lost), panic::take_hook(), thread::current().id());
        panic::set_hook(Box::new(move |panicked| {
            // The thread that draws may hold it itself.
            if thread::current().id() == ours {
                give_back();
            } else {
                give_back_once(&lost);
            }
            tell(panicked);
        }));
        enable_raw_mode()?;
        // From here on it is given back whatever fails.
        let mut screen =
            Self { terminal: Terminal::new(CrosstermBackend::new(io::stdout()))?, is_lost };
        let out = screen.terminal.backend_mut();
        execute!(out, EnterAlternateScreen, EnableMouseCapture, EnableBracketedPaste)?;
        // Its own way to clear asks the terminal where the cursor is, and waits for the answer.
        execute!(out, Clear(ClearType::All))?;
        Ok(screen)
    }

    /// Returns whether a thread panicked.
    pub(crate) fn is_lost(&self) -> bool {
        *lock(&self.is_lost)
    }

    /// Returns how many columns and rows there are.
    pub(crate) fn size(&self) -> io::Result<Size> {
        self.terminal.size()
    }

    /// Draws a picture.
    pub(crate) fn draw(&mut self, draw: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        let is_lost = lock(&self.is_lost);
        if !*is_lost {
            self.terminal.draw(draw)?;
        }
        Ok(())
    }

    /// Puts text on the clipboard, where the terminal allows it.
    pub(crate) fn copy(&mut self, text: &str) -> io::Result<()> {
        self.say(&format!("\x1b]52;c;{}\x07", crate::text::base64(text.as_bytes())))
    }

    /// Rings the terminal's bell.
    pub(crate) fn ring(&mut self) -> io::Result<()> {
        self.say("\x07")
    }

    fn say(&mut self, text: &str) -> io::Result<()> {
        let is_lost = lock(&self.is_lost);
        if *is_lost {
            return Ok(());
        }
        let out = self.terminal.backend_mut();
        out.write_all(text.as_bytes())?;
        out.flush()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        give_back_once(&self.is_lost);
    }
}

fn lock(is_lost: &Mutex<bool>) -> MutexGuard<'_, bool> {
    is_lost.lock().unwrap_or_else(PoisonError::into_inner)
}

fn give_back_once(is_lost: &Mutex<bool>) {
    let mut is_lost = lock(is_lost);
    if !*is_lost {
        *is_lost = true;
        give_back();
    }
}

/// Gives the terminal back. What fails here has nobody left to be told to.
fn give_back() {
    let mut out = io::stdout();
    execute!(out, DisableBracketedPaste, DisableMouseCapture, LeaveAlternateScreen, Show)
        .unwrap_or_default();
    disable_raw_mode().unwrap_or_default();
}
