//! The demo: the made-up night of [`World`], beginning now, in a store of its own.

use anyhow::Context as _;
use tempfile::TempDir;
use weft_event::demo::{Moment, World};
use weft_server::player::{Play, Scene};

use crate::times::now_ns;

/// The fastest that a demo is played.
const SPEED_MAX: f64 = 10_000.0;

/// Reads how fast the demo is played.
pub(super) fn parse_speed(text: &str) -> Result<f64, &'static str> {
    const WRONG: &str = "a number above 0 and up to 10000, such as 1, 0.5 or 60";
    let speed: f64 = text.parse().map_err(|_no_number| WRONG)?;
    if speed > 0.0 && speed <= SPEED_MAX { Ok(speed) } else { Err(WRONG) }
}

/// Makes the folder for a demo's store.
pub(super) fn folder() -> anyhow::Result<TempDir> {
    tempfile::Builder::new().prefix("weft-demo-").tempdir().context("cannot make a store")
}

/// Returns the play, which begins now. Each is another night, so that two in one store are told apart.
pub(super) fn play(speed: f64) -> Play {
    let start_ns = now_ns();
    let scene = |Moment { due_ns, line, dialect, source }| Scene {
        due_ns,
        line,
        dialect,
        via: source.into(),
    };
    let world = World::new(start_ns.unsigned_abs(), start_ns);
    Play { scenes: Box::new(world.map(scene)), start_ns, speed }
}
