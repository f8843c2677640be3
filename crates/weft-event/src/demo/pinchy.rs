//! The gateway: two channels in which an agent answers people and jobs, and the house around them.

mod house;
mod turn;

use super::Cast;
use super::dice::Deck;
use super::pen;
use super::stage::{Pause, Stage};
use crate::Dialect;
use crate::dice::Dice;
use crate::json::Object;
use crate::pinchy::{EventType, VERSION};
use crate::time::{MILLI_NS, format_rfc3339};

const TENANT: &str = "harbor";

/// The agent of each channel, its session, and where people talk.
const CHANNELS: [Channel; 2] = [
    Channel { agent: "porter", session: "irc:night-watch", platform: "irc", id: "#night-watch" },
    Channel { agent: "clerk", session: "mail:support", platform: "mail", id: "support" },
];

/// Where what belongs to no conversation is kept.
const HOUSE: Channel =
    Channel { agent: "porter", session: "gateway", platform: "irc", id: "#operations" };

const TURNS: &[Scene] = &[
    Scene::Chat,
    Scene::Chat,
    Scene::Chat,
    Scene::ChatWithTool,
    Scene::ChatWithTool,
    Scene::ToolFails,
    Scene::Edited,
    Scene::Deleted,
    Scene::TurnFails,
    Scene::Job,
];

const ERRANDS: &[Scene] = &[
    Scene::Tick,
    Scene::Tick,
    Scene::Tick,
    Scene::Tick,
    Scene::Tick,
    Scene::Tick,
    Scene::Configure,
    Scene::Revert,
    Scene::PairingFails,
    Scene::Pair,
];

#[derive(Clone, Copy, Debug)]
enum Scene {
    Chat,
    ChatWithTool,
    ToolFails,
    Edited,
    Deleted,
    TurnFails,
    Job,
    Tick,
    Configure,
    Revert,
    PairingFails,
    Pair,
}

/// What each place begins with, the last first, so that the first minute shows everything.
fn opening(place: usize) -> Vec<Scene> {
    match place {
        0 => vec![Scene::Job, Scene::ToolFails, Scene::ChatWithTool],
        1 => vec![Scene::TurnFails, Scene::Deleted, Scene::Edited],
        _ => vec![Scene::Revert, Scene::PairingFails, Scene::Tick, Scene::Pair],
    }
}

#[derive(Clone, Copy, Debug)]
struct Channel {
    agent: &'static str,
    session: &'static str,
    platform: &'static str,
    id: &'static str,
}

/// A channel or the house, with its own clock.
#[derive(Debug)]
struct Place {
    channel: Channel,
    at_ns: i64,
    planned: Vec<Scene>,
}

/// A tool host on another machine, once it is paired.
#[derive(Debug)]
struct Peer {
    id: &'static str,
    fingerprint: String,
}

/// The gateway and what is around it.
#[derive(Debug)]
pub(super) struct Gateway {
    /// The two channels, then the house.
    places: [Place; 3],
    turns: Deck<Scene>,
    errands: Deck<Scene>,
    peer: Option<Peer>,
    n_messages: u64,
    revision: u64,
    /// The minute for which a job was last started.
    job_minute_ns: i64,
}

impl Gateway {
    pub(super) fn new(stage: &mut Stage) -> Self {
        let places = std::array::from_fn(|idx| Place {
            channel: CHANNELS.get(idx).copied().unwrap_or(HOUSE),
            at_ns: stage.later(stage.start_ns, (200, 3_000)),
            planned: opening(idx),
        });
        Self {
            places,
            turns: Deck::new(TURNS),
            errands: Deck::new(ERRANDS),
            peer: None,
            n_messages: stage.dice.between(1_000, 9_000),
            revision: stage.dice.between(40, 400),
            job_minute_ns: i64::MIN,
        }
    }
}

impl Cast for Gateway {
    fn free_ns(&self) -> i64 {
        self.places.iter().map(|place| place.at_ns).min().unwrap_or(i64::MAX)
    }

    fn play(&mut self, stage: &mut Stage) {
        let free = (0..3).min_by_key(|&p| self.places[p].at_ns).expect("there are three");
        let deck = if free < CHANNELS.len() { &mut self.turns } else { &mut self.errands };
        let planned = self.places[free].planned.pop();
        stage.hurry = planned.is_some();
        let scene = planned.unwrap_or_else(|| deck.deal(&mut stage.dice));
        let mut play = Play { gateway: self, stage };
        match scene {
            Scene::Chat => play.chat(free, 0),
            Scene::ChatWithTool => play.chat(free, 2),
            Scene::ToolFails => play.tool_fails(free),
            Scene::Edited => play.edited(free),
            Scene::Deleted => play.deleted(free),
            Scene::TurnFails => play.turn_fails(free),
            Scene::Job => play.job(free),
            Scene::Tick => play.tick(free),
            Scene::Configure => drop(play.configure(free)),
            Scene::Revert => play.revert(free),
            Scene::PairingFails => play.pairing_fails(free),
            Scene::Pair => play.pair(free),
        }
    }
}

/// Who says something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Speaker {
    Listener,
    Gateway,
    Cron,
    ToolHost,
    Operator,
    Subscriber,
}

/// What an envelope says beside its payload.
struct Cover<'a> {
    event_type: EventType,
    speaker: Speaker,
    trace: &'a str,
    /// The message on the platform, for what listeners say.
    message: Option<&'a str>,
}

/// One scene of the gateway.
struct Play<'p> {
    gateway: &'p mut Gateway,
    stage: &'p mut Stage,
}

impl Play<'_> {
    fn wait(&mut self, p: usize, pause: Pause) {
        let place = &mut self.gateway.places[p];
        place.at_ns = self.stage.later(place.at_ns, pause);
    }

    fn at_ns(&self, p: usize) -> i64 {
        self.gateway.places[p].at_ns
    }

    /// Says one event after a pause; `fill` writes its payload.
    fn say(
        &mut self,
        p: usize,
        pause: Pause,
        cover: &Cover<'_>,
        fill: impl FnOnce(&mut Object<'_>, &mut Dice),
    ) {
        self.wait(p, pause);
        let Place { at_ns, channel, .. } = self.gateway.places[p];
        let mut line = String::with_capacity(896);
        let mut object = Object::begin(&mut line);
        let event_id = self.stage.dice.uuid(at_ns);
        object.text("version", VERSION);
        object.text("event_id", &event_id);
        object.text("trace_id", cover.trace);
        if let Speaker::Listener | Speaker::Cron = cover.speaker {
            let word = cover.event_type.as_str();
            pen::text(
                &mut object,
                "idempotency_key",
                format_args!("{word}:{}", cover.message.unwrap_or(&event_id)),
            );
        }
        object.text("occurred_at", &format_rfc3339(at_ns / MILLI_NS * MILLI_NS));
        object.text("event_type", cover.event_type.as_str());
        object.text("tenant_id", TENANT);
        pen::nest(&mut object, "source", |source| self.write_source(source, channel, cover));
        pen::nest(&mut object, "routing", |routing| {
            routing.text("agent_id", channel.agent);
            routing.text("session_id", channel.session);
            pen::nest(routing, "target", |target| {
                target.text("platform", channel.platform);
                target.text("channel_id", channel.id);
            });
            pen::texts(routing, "policy_tags", &["night"]);
        });
        pen::nest(&mut object, "payload", |payload| fill(payload, &mut self.stage.dice));
        object.end();
        self.stage.put(at_ns, Dialect::Pinchy, "http", line);
        self.gateway.places[p].at_ns = at_ns.saturating_add(MILLI_NS);
    }

    fn write_source(&self, source: &mut Object<'_>, channel: Channel, cover: &Cover<'_>) {
        let (component, id, transport) = match (cover.speaker, &self.gateway.peer) {
            (Speaker::Listener, _) => ("listener", channel.platform, "http"),
            (Speaker::Gateway, _) => ("gateway", "gateway-1", "internal"),
            (Speaker::Cron, _) => ("cron", "cron-1", "internal"),
            (Speaker::ToolHost, Some(peer)) => ("tool_host", peer.id, "mtls_ws"),
            (Speaker::ToolHost, None) => ("tool_host", "toolhost-local", "unix_socket"),
            (Speaker::Operator, _) => ("operator", "console", "unix_socket"),
            (Speaker::Subscriber, _) => ("subscriber", "archive-1", "unix_socket"),
        };
        source.text("component_type", component);
        match cover.speaker {
            Speaker::Listener => pen::text(source, "component_id", format_args!("listener-{id}")),
            Speaker::Gateway
            | Speaker::Cron
            | Speaker::ToolHost
            | Speaker::Operator
            | Speaker::Subscriber => source.text("component_id", id),
        }
        if let Some(message) = cover.message {
            source.text("platform", channel.platform);
            source.text("channel_id", channel.id);
            source.text("actor_id", "ana");
            source.text("message_id", message);
        }
        if let (Speaker::ToolHost, Some(peer)) = (cover.speaker, &self.gateway.peer) {
            source.text("peer_id", peer.id);
            source.text("mtls_cert_fingerprint", &peer.fingerprint);
        }
        source.text("transport", transport);
    }

    /// Returns the id of a new trace.
    fn trace(&mut self) -> String {
        self.stage.dice.hex(32)
    }
}
