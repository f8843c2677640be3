//! Ctrl-C and the like: the first asks work to end in order, the second ends it at once.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

/// The exit code of what was ended by Ctrl-C, as shells have it.
const INTERRUPTED: i32 = 130;

/// The exit code of what lost its terminal, as shells have it.
const HUNG_UP: i32 = 129;

/// Calls back at the first signal to end; at the second the process ends.
pub(crate) fn on_stop(stop: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    std::thread::Builder::new().name("weft-signals".to_owned()).spawn(move || {
        let mut signals = signals.forever();
        if signals.next().is_some() {
            stop();
        }
        if signals.next().is_some() {
            // Nothing is lost by this: what was acknowledged is durable, and the rest is read again.
            std::process::exit(INTERRUPTED);
        }
    })?;
    Ok(())
}

/// Ends the process when its terminal is gone. Whoever reads keys from it finds its end again and again, and never comes back to look
/// whether it is to stop; and there is nothing left to be put right.
pub(crate) fn end_with_the_terminal() -> io::Result<()> {
    let mut signals = Signals::new([SIGHUP])?;
    std::thread::Builder::new().name("weft-terminal".to_owned()).spawn(move || {
        if signals.forever().next().is_some() {
            std::process::exit(HUNG_UP);
        }
    })?;
    Ok(())
}

/// Whether Ctrl-C was pressed.
#[derive(Default)]
pub(crate) struct Stop {
    is_asked: AtomicBool,
    /// Whether somebody looks at the other.
    is_waited_for: AtomicBool,
}

impl Stop {
    /// Begins to listen.
    pub(crate) fn listen() -> io::Result<Arc<Self>> {
        let stop = Arc::new(Self::default());
        let asked = Arc::clone(&stop);
        on_stop(move || asked.ask())?;
        Ok(stop)
    }

    /// Says that somebody looks whether it was pressed from now on.
    pub(crate) fn wait_for(&self) {
        self.is_waited_for.store(true, Ordering::Relaxed);
    }

    /// Returns whether it was pressed.
    pub(crate) fn is_asked(&self) -> bool {
        self.is_asked.load(Ordering::Relaxed)
    }

    /// Ends the command: in order between two batches, or at once where nobody looks yet.
    fn ask(&self) {
        self.is_asked.store(true, Ordering::Relaxed);
        if !self.is_waited_for.load(Ordering::Relaxed) {
            std::process::exit(0);
        }
    }
}
