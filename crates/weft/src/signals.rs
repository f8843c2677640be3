//! Ctrl-C and the like: the first asks work to end in order, the second ends it at once.

use std::io;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

/// The exit code of what was ended by Ctrl-C, as shells have it.
const INTERRUPTED: i32 = 130;

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
