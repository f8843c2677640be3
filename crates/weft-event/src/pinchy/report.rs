//! What a gateway event reports beyond its facts: messages, answers, jobs, and the components around the gateway.

use super::{EVENT, EVENT_TYPE, EventType, PAYLOAD, SOURCE_SLOT};
use crate::facts::Facts;
use crate::json::Value;
use crate::report::read::{id, prose_of, text_of};
use crate::report::{
    Call, CallPhase, Config, Job, Mail, MailChange, Part, Peer, PeerPhase, Place, Reply, Report,
    Turn, TurnPhase,
};
use crate::shape::Fields;
use crate::time;

const ROUTING: usize = EVENT.slot("routing");

pub(super) fn report<'a>(fields: &Fields<'a>, _facts: &Facts<'a>) -> Report<'a> {
    let source = fields.get(SOURCE_SLOT);
    let of_source = |name| source.and_then(|source| text_of(source, &[name]));
    let place = Place {
        component_kind: of_source("component_type"),
        component: of_source("component_id"),
        ..Place::default()
    };
    let parts = (fields.word(EVENT_TYPE, EventType::ALL), fields.get(PAYLOAD));
    let part = match parts {
        (Some(event_type), Some(payload)) => part(fields, event_type, payload),
        (_, _) => Part::Nothing,
    };
    Report { part, place: place.boxed() }
}

fn part<'a>(fields: &Fields<'a>, event_type: EventType, payload: Value<'a>) -> Part<'a> {
    let mail = |change| Part::Mail(Box::new(mail(fields, change, payload)));
    let turn = |phase| Part::Turn(turn(phase, payload));
    let call = |phase| Part::Call(call(phase, payload));
    let peer = |phase| Part::Peer(Box::new(peer(phase, payload)));
    match event_type {
        EventType::MessageReceived => mail(MailChange::Received),
        EventType::MessageEdited => mail(MailChange::Edited),
        EventType::MessageDeleted => mail(MailChange::Deleted),
        EventType::CronTriggered => Part::Job(Box::new(job(payload))),
        EventType::HeartbeatTick => Part::Heartbeat,
        EventType::TurnStarted => turn(TurnPhase::Began),
        EventType::TurnCompleted => turn(TurnPhase::Completed),
        EventType::TurnFailed => turn(TurnPhase::Failed),
        EventType::ResponseCreated => Part::Reply(Box::new(reply(fields, payload))),
        EventType::ToolRequested => call(CallPhase::Running),
        EventType::ToolCompleted => call(CallPhase::Completed),
        EventType::ToolFailed => call(CallPhase::Failed),
        EventType::PairingStarted => peer(PeerPhase::Started),
        EventType::PairingCompleted => peer(PeerPhase::Completed),
        EventType::PairingFailed => peer(PeerPhase::Failed),
        EventType::ConfigApplied => Part::Config(Box::new(config(payload, false))),
        EventType::ConfigReverted => Part::Config(Box::new(config(payload, true))),
    }
}

fn mail<'a>(fields: &Fields<'a>, change: MailChange, payload: Value<'a>) -> Mail<'a> {
    let source = fields.get(SOURCE_SLOT);
    let of_source = |name| source.and_then(|source| text_of(source, &[name]));
    Mail {
        change,
        platform: of_source("platform"),
        channel: of_source("channel_id"),
        author: of_source("actor_id"),
        id: of_source("message_id").or_else(|| text_of(payload, &["message_id"])),
        text: prose_of(payload, &["text", "content"]),
    }
}

fn turn<'a>(phase: TurnPhase, payload: Value<'a>) -> Turn<'a> {
    let turn = payload.get("turn_id").or_else(|| payload.get("turn"));
    Turn { phase, id: turn.and_then(id), words: prose_of(payload, &["text", "content"]) }
}

fn call<'a>(phase: CallPhase, payload: Value<'a>) -> Call<'a> {
    let result = payload.get("result").or_else(|| payload.get("error"));
    Call { phase, input: payload.get("args"), result }
}

/// Reads an answer. It goes where the event is routed to, or where one of its actions says.
fn reply<'a>(fields: &Fields<'a>, payload: Value<'a>) -> Reply<'a> {
    let actions = payload.get("actions");
    let mut overrides = actions.into_iter().flat_map(Value::items);
    let target = fields.get(ROUTING).and_then(|routing| routing.get("target"));
    let target = target.or_else(|| overrides.find_map(|action| action.get("target_override")));
    let of_target = |names: &[&str]| target.and_then(|target| text_of(target, names));
    let kinds = actions.into_iter().flat_map(Value::items);
    Reply {
        id: text_of(payload, &["response_id"]),
        text: prose_of(payload, &["content", "text"]),
        platform: of_target(&["platform"]),
        channel: of_target(&["channel_id", "address"]),
        actions: kinds.filter_map(|action| text_of(action, &["kind"])).collect(),
    }
}

fn peer<'a>(phase: PeerPhase, payload: Value<'a>) -> Peer<'a> {
    let text = |name| text_of(payload, &[name]);
    Peer {
        phase,
        pairing: text("pairing_id"),
        component: text("remote_component_id"),
        component_kind: text("remote_component_type"),
        uri: text("remote_uri"),
        fingerprint: text("mtls_cert_fingerprint"),
        error: text("error_code"),
    }
}

fn job(payload: Value<'_>) -> Job<'_> {
    let scheduled = text_of(payload, &["scheduled_for"]);
    Job {
        name: text_of(payload, &["job_name"]),
        scheduled_ns: scheduled.and_then(|time| time::parse_rfc3339(&time)),
        reason: text_of(payload, &["reason"]),
    }
}

fn config(payload: Value<'_>, is_reverted: bool) -> Config<'_> {
    let text = |name| text_of(payload, &[name]);
    Config { is_reverted, revision: text("revision_id"), by: text("applied_by") }
}
