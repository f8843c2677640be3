//! `pinchy`: the envelope of the Pinchy gateway, version 1, with the payload contracts of its event types.
//!
//! The envelope's schema alone decides whether an event is valid. What its payload or its transport lacks is a warning.

mod facts;
pub mod payload;
mod report;
mod types;

use std::borrow::Cow;

use crate::dialect::Speech;
use crate::event::report_repeated_keys;
use crate::json::{Json, Kind, Value};
use crate::problem::{Code, Problems};
use crate::shape::{Check, Draft, Fields, Rule, Wire as _, check_fields, record, text_enum};

pub use types::{EventType, TAXONOMY, is_turn_driving};

/// The version that Weft reads and writes.
pub const VERSION: &str = "v1";

/// Most events that wait in the queue of one session; the gateway refuses the next.
pub const SESSION_QUEUE_MAX: usize = 256;

/// Largest body that the gateway takes.
pub const BODY_BYTES_MAX: usize = 2 << 20;

text_enum! {
    /// What kind of component an event came from.
    pub enum ComponentType {
        /// It takes messages in from a platform.
        Listener = "listener",
        /// The gateway itself.
        Gateway = "gateway",
        /// It is told of events.
        Subscriber = "subscriber",
        /// It starts jobs by the clock.
        Cron = "cron",
        /// It runs tools.
        ToolHost = "tool_host",
        /// A person at the controls.
        Operator = "operator",
        /// It gives access to a model; not in the document's list.
        Provider = "provider",
    }
}

text_enum! {
    /// How an event reached the gateway.
    pub enum Transport {
        /// A socket on the same machine.
        UnixSocket = "unix_socket",
        /// Plain HTTP.
        Http = "http",
        /// A plain WebSocket.
        Ws = "ws",
        /// HTTP with mutual TLS.
        MtlsHttp = "mtls_http",
        /// A WebSocket with mutual TLS.
        MtlsWs = "mtls_ws",
        /// Within the gateway's own process.
        Internal = "internal",
    }
}

record! {
    /// The component that an event came from, and the place it took it from.
    pub struct Source = SOURCE("Source", Refused) {
        /// Kind of the component.
        component_type: ! ComponentType = Check::Text(Rule::Tolerant(
            &["listener", "gateway", "subscriber", "cron", "tool_host", "operator"],
            &[("provider", Code::ComponentProvider)],
        ));
        /// The component.
        component_id: ! Cow<'a, str> = Check::TEXT;
        /// Platform of a message, such as discord.
        platform: ? Cow<'a, str> = Check::TEXT;
        /// Channel on the platform.
        channel_id: ? Cow<'a, str> = Check::TEXT;
        /// Who acted on the platform.
        actor_id: ? Cow<'a, str> = Check::TEXT;
        /// Message on the platform.
        message_id: ? Cow<'a, str> = Check::TEXT;
        /// The request that brought it.
        request_id: ? Cow<'a, str> = Check::TEXT;
        /// The paired component it came from, if that is a remote one.
        peer_id: ? Cow<'a, str> = Check::TEXT;
        /// Fingerprint of that component's certificate.
        mtls_cert_fingerprint: ? Cow<'a, str> = Check::TEXT;
        /// How it reached the gateway.
        transport: ? Transport = Check::Text(Rule::OneOf(Transport::WORDS));
    }
}

record! {
    /// Where an answer goes.
    pub struct Target = TARGET("Target", Refused) {
        /// The platform.
        platform: ? Cow<'a, str> = Check::TEXT;
        /// The channel.
        channel_id: ? Cow<'a, str> = Check::TEXT;
        /// The thread in the channel.
        thread_id: ? Cow<'a, str> = Check::TEXT;
        /// A phone number or the like.
        address: ? Cow<'a, str> = Check::TEXT;
    }
}

record! {
    /// Whom an event is for.
    pub struct Routing = ROUTING("Routing", Refused) {
        /// The agent.
        agent_id: ! Cow<'a, str> = Check::TEXT;
        /// The session.
        session_id: ! Cow<'a, str> = Check::TEXT;
        /// Scope of the agent's memory; global if left out.
        isolation_key: ? Cow<'a, str> = Check::TEXT;
        /// Where the answer goes; else to the channel that was last active in the session.
        target: ? Target<'a> = Check::Shape(&TARGET);
        /// Names of the policies that apply.
        policy_tags: ? Vec<Cow<'a, str>> = Check::TEXTS;
    }
}

record! {
    /// One event of the Pinchy gateway.
    pub struct Event = EVENT("Pinchy Event Envelope v1", Refused) {
        /// Version of the envelope.
        version: ! Cow<'a, str> = Check::Text(Rule::OneOf(&[VERSION]));
        /// Id of this very event, best a UUID of version 7.
        event_id: ! Cow<'a, str> = Check::TEXT;
        /// What ties it to events of other services.
        trace_id: ! Cow<'a, str> = Check::TEXT;
        /// Key that stays the same when the producer tries again.
        idempotency_key: ? Cow<'a, str> = Check::TEXT;
        /// When it happened.
        occurred_at: ! Cow<'a, str> = Check::TIME;
        /// What happened.
        event_type: ! EventType = Check::Text(Rule::OneOf(EventType::WORDS));
        /// Whose it is.
        tenant_id: ! Cow<'a, str> = Check::TEXT;
        /// Where it came from.
        source: ! Source<'a> = Check::Shape(&SOURCE);
        /// Whom it is for.
        routing: ! Routing<'a> = Check::Shape(&ROUTING);
        /// What belongs to the type.
        payload: ! Json<'a> = Check::Object;
        /// Anything else.
        meta: ? Json<'a> = Check::Object;
    }
}

pub(crate) static SPEECH: Speech = Speech {
    validate,
    facts: facts::facts,
    report: report::report,
    taxonomy: &TAXONOMY,
    root: &Check::Shape(&EVENT),
    documents: payload::CONTRACTS,
    schema_id: "pinchy/event-envelope-v1",
    draft: Draft::Twenty,
};

const VERSION_SLOT: usize = EVENT.slot("version");
const EVENT_TYPE: usize = EVENT.slot("event_type");
const IDEMPOTENCY_KEY: usize = EVENT.slot("idempotency_key");
const SOURCE_SLOT: usize = EVENT.slot("source");
const PAYLOAD: usize = EVENT.slot("payload");

/// Returns whether an event over this transport must say which paired component it came from.
pub fn requires_peer_identity(transport: Transport) -> bool {
    match transport {
        Transport::MtlsHttp | Transport::MtlsWs => true,
        Transport::UnixSocket | Transport::Http | Transport::Ws | Transport::Internal => false,
    }
}

/// Returns whether such a producer may send an event again, and so should give it an idempotency key.
pub fn may_retry(component: ComponentType, transport: Transport) -> bool {
    let component = match component {
        ComponentType::Listener | ComponentType::Cron => true,
        ComponentType::Gateway
        | ComponentType::Subscriber
        | ComponentType::ToolHost
        | ComponentType::Operator
        | ComponentType::Provider => false,
    };
    let transport = match transport {
        Transport::Http | Transport::Ws => true,
        Transport::UnixSocket | Transport::MtlsHttp | Transport::MtlsWs | Transport::Internal => {
            false
        }
    };
    component && transport
}

fn validate(fields: &mut Fields<'_>, problems: &mut Problems) {
    report_repeated_keys(fields.object(), problems);
    fields.check_as(&EVENT, problems);
    if fields.get(VERSION_SLOT).is_some_and(|version| !version.is_text(VERSION)) {
        problems.soften(Code::Version, |problem| {
            problem.code == Code::Enum && problem.pointer == "/version"
        });
    }
    let payload = fields.get(PAYLOAD).filter(|payload| payload.kind() == Kind::Object);
    if let (Some(event_type), Some(payload)) = (fields.word(EVENT_TYPE, EventType::ALL), payload)
        && let Some(contract) = payload::contract(event_type)
    {
        problems.in_payload(|problems| {
            check_fields(contract, payload, problems);
        });
    }
    if let Some(source) = fields.get(SOURCE_SLOT) {
        check_source(fields, source, problems);
    }
}

/// Checks what the transport of an event demands of its producer.
fn check_source(fields: &Fields<'_>, source: Value<'_>, problems: &mut Problems) {
    let Some(transport) = source.get("transport").and_then(Transport::read) else { return };
    if requires_peer_identity(transport) {
        for name in ["peer_id", "mtls_cert_fingerprint"] {
            if source.get(name).is_none() {
                let transport = transport.as_str();
                let message = format!("an event over {transport} should say its peer: `{name}`");
                problems.absent(source, name, Code::PeerIdentity, &message);
            }
        }
    }
    if fields.get(IDEMPOTENCY_KEY).is_some() {
        return;
    }
    let component = source.get("component_type").and_then(ComponentType::read);
    if let Some(component) = component.filter(|&component| may_retry(component, transport)) {
        let message = format!(
            "a {} may send an event over {} again and should give it an `idempotency_key`",
            component.as_str(),
            transport.as_str()
        );
        let event = fields.object();
        problems.absent(event, "idempotency_key", Code::NoIdempotencyKey, &message);
    }
}

#[cfg(test)]
mod tests;
