//! Notify: a person is told when something needs one, by rules, once for each cause.
//!
//! [`memory`] decides what is told when, `send` sends it, `told` keeps what was told. One task of the server looks at the inbox
//! when the views change and when time alone may have changed it. Whatever a message meets on its way stops nothing else.

mod bell;
pub mod memory;
pub mod quiet;
pub mod rule;
#[cfg(test)]
mod scene;
mod send;
mod told;
mod wording;

use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use tokio::task::{JoinError, JoinSet};
use weft_view::inbox::Need;

use crate::Core;
use crate::views::Live;
use memory::{Memory, Message, Now};

pub use bell::Bell;
pub use rule::{Channel, Pattern, Rule};
pub use send::{SendError, desktop_tool, secret_file, send_example_blocking};
pub use told::{Last, Told};
pub use wording::Worded;

/// How long more is waited for after something changed.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// How often it is looked where nothing comes: silence is a need as well.
const LOOK_QUIET_EVERY: Duration = Duration::from_secs(5);

/// How long messages under way are waited for at the end.
const END_PATIENCE: Duration = Duration::from_secs(2);

/// Who is told of what.
#[derive(Clone, Debug)]
pub struct Notify {
    /// The rules.
    pub rules: Vec<Rule>,
    /// The time zone that quiet hours are in.
    pub zone: TimeZone,
}

/// Tells whoever is to be told until the server ends.
pub async fn follow(core: Core, notify: Notify) {
    let Notify { mut rules, zone } = notify;
    // Terminals ring for themselves.
    rules.retain(|rule| rule.channel != Channel::Bell);
    if rules.is_empty() {
        return;
    }
    let told = core.reads().aside(Told::read).await;
    let told = told.unwrap_or_else(|error| {
        tracing::warn!("cannot read what was told: {error}");
        Told::default()
    });
    let (memory, live) = (told.memory(&rules), core.views().clone());
    Keeper { core, rules, zone, memory, told, flights: JoinSet::new(), live }.run().await;
}

struct Keeper {
    core: Core,
    rules: Vec<Rule>,
    zone: TimeZone,
    memory: Memory,
    told: Told,
    flights: JoinSet<Landed>,
    /// Notices what comes while it is looked.
    live: Live,
}

/// A message that arrived or was given up.
struct Landed {
    rule: String,
    last: Last,
}

impl Keeper {
    async fn run(mut self) {
        let core = self.core.clone();
        while !core.is_ended() {
            let again_ns = tokio::select! {
                () = core.ended() => break,
                again_ns = self.look() => again_ns,
            };
            tokio::select! {
                () = core.ended() => break,
                () = change(&mut self.live, again_ns) => {}
                Some(landed) = self.flights.join_next() => self.landed(landed).await,
            }
        }
        let end = async {
            while let Some(landed) = self.flights.join_next().await {
                self.landed(landed).await;
            }
        };
        // What does not arrive in time is told when the server starts again.
        drop(tokio::time::timeout(END_PATIENCE, end).await);
    }

    /// Looks at the inbox and sends what is due; returns when to look again.
    async fn look(&mut self) -> Option<i64> {
        let live = self.core.views().clone();
        // What was needed in the past is not told as if it were now.
        if !live.reached(self.core.last()).await {
            return None;
        }
        let needs: Vec<Need> = self.core.reads().aside(move |_| live.needs(now_ns())).await;
        let now = Now { ns: now_ns(), zone: &self.zone };
        let outlook = self.memory.look(&self.rules, &needs, now);
        outlook.tell.iter().for_each(|message| self.send(message));
        outlook.again_ns
    }

    fn send(&mut self, message: &Message) {
        let Some(rule) = self.rules.iter().find(|rule| rule.name == message.rule).cloned() else {
            return;
        };
        let (store, worded) = (self.core.store().clone(), Worded::new(message, now_ns()));
        self.flights.spawn(async move {
            let sent = send::send(&store, &rule, &worded).await;
            let error = sent.err().map(|error| send::told(&error));
            let (n_needs, title) = (worded.n_needs, worded.title);
            let last = Last { at_ns: now_ns(), n_needs, title, error };
            Landed { rule: rule.name, last }
        });
    }

    async fn landed(&mut self, landed: Result<Landed, JoinError>) {
        let Landed { rule, last } =
            landed.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()));
        if let Some(error) = &last.error {
            tracing::warn!("nobody was told by the rule {rule}: {error}");
        }
        self.memory.landed(&rule, last.at_ns);
        self.told.put(&rule, last, &self.memory);
        self.told.retain(&self.rules);
        let told = self.told.clone();
        if let Err(error) = self.core.reads().aside(move |store| told.write(store)).await {
            tracing::warn!("cannot keep what was told: {error}");
        }
    }
}

/// Waits until there may be something new to tell.
async fn change(live: &mut Live, again_ns: Option<i64>) {
    let wait = again_ns.map(|again_ns| {
        Duration::from_nanos(again_ns.saturating_sub(now_ns()).max(0).unsigned_abs())
    });
    let wait = wait.unwrap_or(LOOK_QUIET_EVERY).min(LOOK_QUIET_EVERY);
    let more = async {
        if live.changed().await {
            tokio::time::sleep(LOOK_EVERY).await;
        } else {
            std::future::pending().await
        }
    };
    tokio::select! {
        () = tokio::time::sleep(wait) => {}
        () = more => {}
    }
}

fn now_ns() -> i64 {
    i64::try_from(Timestamp::now().as_nanosecond()).unwrap_or(i64::MAX)
}
