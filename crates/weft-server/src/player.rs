//! Plays events into the log at their times, as if agents ran: what `weft up --demo` shows.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;
use weft_event::Dialect;
use weft_event::event::Expect;
use weft_log::admit::{Admitted, Arrival, Gate, Strictness};
use weft_log::blobs::Which;
use weft_log::log::{Batch, Durability};

use crate::Core;
use crate::metrics::Marks;
use crate::writer::{WriteFailure, chain};

/// Events that are appended together at most.
const TOGETHER_MAX: usize = 512;

/// How long the player waits where the log cannot be written.
const PAUSE: Duration = Duration::from_millis(200);

/// An event with the time it happens at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scene {
    /// When, in nanoseconds since 1970. Never before that of the event before it.
    pub due_ns: i64,
    /// The event, on one line.
    pub line: String,
    /// Its dialect.
    pub dialect: Dialect,
    /// The way it would come in.
    pub via: Cow<'static, str>,
}

/// What is played, and how fast.
pub struct Play {
    /// The events, in the order of their times.
    pub scenes: Box<dyn Iterator<Item = Scene> + Send>,
    /// The time of the beginning, in nanoseconds since 1970.
    pub start_ns: i64,
    /// How many seconds of the play pass in one.
    pub speed: f64,
}

/// Plays to the end of the play or of the server.
pub(crate) async fn play(core: Core, play: Play) {
    let Play { mut scenes, start_ns, speed } = play;
    let began = Instant::now();
    let mut gate = Gate::new(core.store(), Which::Largest, Strictness::Lenient);
    let mut next = scenes.next();
    while let Some(scene) = &next {
        let after = Duration::from_nanos(u64::try_from(scene.due_ns - start_ns).unwrap_or(0));
        tokio::select! {
            () = core.ended() => return,
            () = tokio::time::sleep_until(began + after.div_f64(speed)) => {}
        }
        let now_ns = began.elapsed().mul_f64(speed).as_nanos();
        let now_ns = start_ns.saturating_add(i64::try_from(now_ns).unwrap_or(i64::MAX));
        let mut due = VecDeque::new();
        while due.len() < TOGETHER_MAX
            && let Some(scene) = next.take_if(|scene| due.is_empty() || scene.due_ns <= now_ns)
        {
            due.push_back(scene);
            next = scenes.next();
        }
        let events = due.iter().filter_map(|scene| admit(&mut gate, scene)).collect();
        if !append(&core, events).await {
            return;
        }
    }
}

fn admit(gate: &mut Gate, scene: &Scene) -> Option<Admitted> {
    let arrival = Arrival {
        line: scene.line.as_bytes(),
        expect: Expect::Dialect(scene.dialect),
        via: &scene.via,
        delivery: None,
        topic: None,
    };
    match gate.admit(&arrival) {
        Ok(event) => Some(event),
        Err(refusal) => {
            tracing::error!(error = %chain(&refusal), "an event of the play is not valid");
            None
        }
    }
}

/// Appends events, however long the log takes to be ready; returns whether the play goes on.
async fn append(core: &Core, events: Vec<Admitted>) -> bool {
    let batch = Batch { events, conditions: Vec::new(), durability: Durability::Synced };
    let (marks, counters) = (Marks::of(&batch), core.counters());
    loop {
        let began = Instant::now();
        let answer = core.appender().append(batch.clone()).await;
        counters.answered(began.elapsed(), &answer);
        match answer {
            Ok(answer) => {
                counters.stored(&marks, &answer.outcomes);
                return true;
            }
            Err(WriteFailure::Closed) => return false,
            Err(
                error @ (WriteFailure::Busy
                | WriteFailure::Opening { .. }
                | WriteFailure::Append(_)),
            ) => {
                tracing::debug!(error = %chain(&error), "the play waits");
            }
        }
        tokio::select! {
            () = core.ended() => return false,
            () = tokio::time::sleep(PAUSE) => {}
        }
    }
}
