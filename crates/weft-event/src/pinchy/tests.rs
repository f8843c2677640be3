//! What the pinchy dialect accepts, warns about and refuses, and the facts it gives.

use super::payload::{
    ConfigApplied, CronTriggered, MessageReceived, PairingCompleted, PairingFailed, PairingStarted,
    ResponseCreated, ToolCompleted, ToolFailed, ToolRequested,
};
use super::{ComponentType, Event, EventType, TAXONOMY, Transport, is_turn_driving};
use crate::Dialect;
use crate::json::{Tape, canonical};
use crate::shape::Wire;
use crate::testing::{check, constraints, facts_of, show};

/// At least one event of each type, and one for each value of each enumeration.
const EVENTS: &str = include_str!("../../tests/fixtures/pinchy/events.jsonl");

/// Returns an event that is fine, with one piece of its text replaced.
fn with(old: &str, new: &str) -> String {
    const LINE: &str = r#"{"version":"v1","event_id":"e-1","trace_id":"t-1","occurred_at":"2026-02-13T15:30:00Z","event_type":"agent.turn.started","tenant_id":"acme","source":{"component_type":"gateway","component_id":"gateway-1"},"routing":{"agent_id":"helper","session_id":"s-1"},"payload":{}}"#;
    assert!(LINE.contains(old), "{old}");
    LINE.replacen(old, new, 1)
}

/// Returns an event of a type with a payload.
fn event_of(event_type: &str, payload: &str) -> String {
    let line = with(r#""payload":{}"#, &format!(r#""payload":{payload}"#));
    line.replace("agent.turn.started", event_type)
}

#[test]
fn the_schema_states_what_the_document_states() {
    let document = include_str!("../../tests/fixtures/pinchy/envelope.schema.json");
    assert_eq!(constraints(&Dialect::Pinchy.schema()), constraints(document));
    assert!(Dialect::Pinchy.schema().contains(r#""$id":"pinchy/event-envelope-v1""#));
}

#[test]
fn every_type_and_every_enumerated_value_is_accepted_without_a_warning() {
    for line in EVENTS.lines() {
        assert_eq!(check(Dialect::Pinchy, line), "fine", "{line}");
    }
    for word in EventType::WORDS {
        let event_type = format!(r#""event_type":"{word}""#);
        assert!(EVENTS.contains(&event_type), "no event of type {word}");
    }
    let names: Vec<_> = TAXONOMY.rows().iter().map(|row| row.name).collect();
    assert_eq!(names, EventType::WORDS);
}

#[test]
fn typed_events_and_payloads_write_what_they_read() {
    fn rewritten<'a, T: Wire<'a>>(value: crate::json::Value<'a>) -> String {
        let mut out = String::new();
        T::read(value).expect("the payload has its type").write(&mut out);
        out
    }
    let mut tape = Tape::new();
    for line in EVENTS.lines() {
        let value = tape.parse(line).unwrap();
        assert_eq!(value.raw(), line);
        let event = Event::read(value).unwrap();
        assert_eq!(event.to_line(), line);
        let payload = value.get("payload").unwrap();
        let written = match event.event_type {
            EventType::MessageReceived => rewritten::<MessageReceived<'_>>(payload),
            EventType::CronTriggered => rewritten::<CronTriggered<'_>>(payload),
            EventType::ResponseCreated => rewritten::<ResponseCreated<'_>>(payload),
            EventType::ToolRequested => rewritten::<ToolRequested<'_>>(payload),
            EventType::ToolCompleted => rewritten::<ToolCompleted<'_>>(payload),
            EventType::ToolFailed => rewritten::<ToolFailed<'_>>(payload),
            EventType::PairingStarted => rewritten::<PairingStarted<'_>>(payload),
            EventType::PairingCompleted => rewritten::<PairingCompleted<'_>>(payload),
            EventType::PairingFailed => rewritten::<PairingFailed<'_>>(payload),
            EventType::ConfigApplied => rewritten::<ConfigApplied<'_>>(payload),
            EventType::MessageEdited
            | EventType::MessageDeleted
            | EventType::HeartbeatTick
            | EventType::TurnStarted
            | EventType::TurnCompleted
            | EventType::TurnFailed
            | EventType::ConfigReverted => continue,
        };
        let mut second = Tape::new();
        assert_eq!(canonical(second.parse(&written).unwrap()), canonical(payload));
    }
}

#[test]
fn a_broken_envelope_shows_all_that_is_wrong_with_it() {
    let types = r#"{"version":1,"event_id":1,"trace_id":1,"idempotency_key":1,"occurred_at":1,"event_type":1,"tenant_id":1,"source":{"component_type":1,"component_id":1,"platform":1,"channel_id":1,"actor_id":1,"message_id":1,"request_id":1,"peer_id":1,"mtls_cert_fingerprint":1,"transport":1},"routing":{"agent_id":1,"session_id":1,"isolation_key":1,"target":{"platform":1,"channel_id":1,"thread_id":1,"address":1},"policy_tags":["a",1]},"payload":[],"meta":[]}"#;
    insta::assert_snapshot!(check(Dialect::Pinchy, types), @"
    error type: /version: expected string, found number
    error type: /event_id: expected string, found number
    error type: /trace_id: expected string, found number
    error type: /idempotency_key: expected string, found number
    error type: /occurred_at: expected string, found number
    error type: /event_type: expected string, found number
    error type: /tenant_id: expected string, found number
    error type: /source/component_type: expected string, found number
    error type: /source/component_id: expected string, found number
    error type: /source/platform: expected string, found number
    error type: /source/channel_id: expected string, found number
    error type: /source/actor_id: expected string, found number
    error type: /source/message_id: expected string, found number
    error type: /source/request_id: expected string, found number
    error type: /source/peer_id: expected string, found number
    error type: /source/mtls_cert_fingerprint: expected string, found number
    error type: /source/transport: expected string, found number
    error type: /routing/agent_id: expected string, found number
    error type: /routing/session_id: expected string, found number
    error type: /routing/isolation_key: expected string, found number
    error type: /routing/target/platform: expected string, found number
    error type: /routing/target/channel_id: expected string, found number
    error type: /routing/target/thread_id: expected string, found number
    error type: /routing/target/address: expected string, found number
    error type: /routing/policy_tags/1: expected string, found number
    error type: /payload: expected object, found array
    error type: /meta: expected object, found array
    ");
    let values = r#"{"version":"v2","event_id":"","trace_id":"","occurred_at":"2026-02-13","event_type":"agent.turn.start","tenant_id":"","source":{"component_type":"listner","component_id":"","transport":"tcp","x":1},"routing":{"agent_id":"","session_id":"","target":{"x":1},"policy_tags":{},"x":1},"payload":{},"x":1}"#;
    insta::assert_snapshot!(check(Dialect::Pinchy, values), @"
    error version: /version: must be `v1`, not `v2`
    error format: /occurred_at: `2026-02-13` is not an RFC 3339 time with an offset, such as 2026-01-31T09:30:00Z
    error enum: /event_type: `agent.turn.start` is not one of channel.message.received, channel.message.edited, channel.message.deleted, cron.triggered, heartbeat.tick, agent.turn.started, agent.turn.completed, agent.turn.failed, agent.response.created, tool.call.requested, tool.call.completed, tool.call.failed, pairing.started, pairing.completed, pairing.failed, config.applied, config.reverted; did you mean `agent.turn.started`?
    error enum: /source/component_type: `listner` is not one of listener, gateway, subscriber, cron, tool_host, operator; did you mean `listener`?
    error enum: /source/transport: `tcp` is not one of unix_socket, http, ws, mtls_http, mtls_ws, internal; did you mean `http`?
    error unknown_field: /source/x: `x` is not a field of Source
    error unknown_field: /routing/target/x: `x` is not a field of Target
    error type: /routing/policy_tags: expected array, found object
    error unknown_field: /routing/x: `x` is not a field of Routing
    error unknown_field: /x: `x` is not a field of Pinchy Event Envelope v1
    ");
    insta::assert_snapshot!(check(Dialect::Pinchy, "{}"), @"
    error missing: /version: `version` is missing
    error missing: /event_id: `event_id` is missing
    error missing: /trace_id: `trace_id` is missing
    error missing: /occurred_at: `occurred_at` is missing
    error missing: /event_type: `event_type` is missing
    error missing: /tenant_id: `tenant_id` is missing
    error missing: /source: `source` is missing
    error missing: /routing: `routing` is missing
    error missing: /payload: `payload` is missing
    ");
    let inner = with(r#"{"component_type":"gateway","component_id":"gateway-1"}"#, "{}");
    let inner = inner.replace(r#"{"agent_id":"helper","session_id":"s-1"}"#, "{}");
    insta::assert_snapshot!(check(Dialect::Pinchy, &inner), @"
    error missing: /source/component_type: `component_type` is missing
    error missing: /source/component_id: `component_id` is missing
    error missing: /routing/agent_id: `agent_id` is missing
    error missing: /routing/session_id: `session_id` is missing
    ");
    let objects = with(r#"{"component_type":"gateway","component_id":"gateway-1"}"#, r#""x""#);
    let objects = objects.replace(r#"{"agent_id":"helper","session_id":"s-1"}"#, "[]");
    insta::assert_snapshot!(check(Dialect::Pinchy, &objects), @"
    error type: /source: expected object, found string
    error type: /routing: expected object, found array
    ");
}

#[test]
fn a_field_that_stands_twice_is_an_error_and_null_is_no_string() {
    let line = with(r#""tenant_id":"acme""#, r#""tenant_id":"acme","tenant_id":"acme""#);
    insta::assert_snapshot!(check(Dialect::Pinchy, &line), @"error duplicate_key: /tenant_id: the key `tenant_id` stands twice");
    let line = with(r#""trace_id":"t-1""#, r#""trace_id":null"#);
    insta::assert_snapshot!(check(Dialect::Pinchy, &line), @"error type: /trace_id: expected string, found null");
}

#[test]
fn a_component_of_type_provider_is_tolerated() {
    insta::assert_snapshot!(check(Dialect::Pinchy, &with(r#":"gateway""#, r#":"provider""#)), @"warning component_provider: /source/component_type: `provider` is tolerated, not specified");
    let document = &ComponentType::WORDS[..ComponentType::WORDS.len() - 1];
    for word in document {
        let line = with(r#":"gateway""#, &format!(r#":"{word}""#));
        assert_eq!(check(Dialect::Pinchy, &line), "fine", "{word}");
    }
}

/// A payload of each contract with every field of the wrong type or value.
const BROKEN_PAYLOADS: [(&str, &str); 10] = [
    (
        "channel.message.received",
        r#"{"text":1,"attachments":[{"type":"sticker","url":1,"mime_type":1,"name":1},1],"reply_to_message_id":1,"raw":[]}"#,
    ),
    (
        "cron.triggered",
        r#"{"job_id":1,"job_name":1,"scheduled_for":"15:30","triggered_at":1,"input":1,"reason":"bored"}"#,
    ),
    (
        "agent.response.created",
        r#"{"response_id":1,"content":[{"type":"html","text":1}],"actions":[{"kind":"shout","target_override":1,"args":1}],"usage":{"input_tokens":1.5,"output_tokens":"2","model":1,"provider":1}}"#,
    ),
    ("tool.call.requested", r#"{"call_id":1,"tool_name":1,"args":1,"timeout_ms":"1"}"#),
    (
        "tool.call.completed",
        r#"{"call_id":1,"tool_name":1,"status":"error","result":1,"duration_ms":-1}"#,
    ),
    (
        "tool.call.failed",
        r#"{"call_id":1,"tool_name":1,"status":"ok","error":{"code":1,"message":1,"retryable":1},"duration_ms":"1"}"#,
    ),
    ("pairing.started", r#"{"pairing_id":1,"remote_uri":1,"remote_component_type":"gateway"}"#),
    (
        "pairing.completed",
        r#"{"pairing_id":1,"remote_component_id":1,"remote_component_type":"operator","remote_public_key_ed25519":1,"remote_public_key_x25519":1,"mtls_cert_fingerprint":1}"#,
    ),
    (
        "pairing.failed",
        r#"{"pairing_id":1,"remote_uri":1,"error_code":"timeout","error_message":1}"#,
    ),
    (
        "config.applied",
        r#"{"revision_id":1,"checksum":1,"applied_by":"cron","source_platform":1,"source_channel_id":1,"validation":{"schema_valid":1,"semantic_valid":1,"smoke_test_passed":1}}"#,
    ),
];

#[test]
fn payload_violations_are_warnings() {
    let problems = |(event_type, payload): &(&str, &str)| {
        check(Dialect::Pinchy, &event_of(event_type, payload))
    };
    let found: String = BROKEN_PAYLOADS.iter().map(problems).collect();
    insta::assert_snapshot!(found, @"
    warning payload.type: /payload/text: expected string, found number
    warning payload.enum: /payload/attachments/0/type: `sticker` is not one of image, audio, file, video
    warning payload.type: /payload/attachments/0/url: expected string, found number
    warning payload.type: /payload/attachments/0/mime_type: expected string, found number
    warning payload.type: /payload/attachments/0/name: expected string, found number
    warning payload.type: /payload/attachments/1: expected object, found number
    warning payload.type: /payload/reply_to_message_id: expected string, found number
    warning payload.type: /payload/raw: expected object, found array
    warning payload.type: /payload/job_id: expected string, found number
    warning payload.type: /payload/job_name: expected string, found number
    warning payload.format: /payload/scheduled_for: `15:30` is not an RFC 3339 time with an offset, such as 2026-01-31T09:30:00Z
    warning payload.type: /payload/triggered_at: expected string, found number
    warning payload.type: /payload/input: expected object, found number
    warning payload.enum: /payload/reason: `bored` is not one of heartbeat, scheduled_task
    warning payload.type: /payload/response_id: expected string, found number
    warning payload.enum: /payload/content/0/type: must be `text`, not `html`
    warning payload.type: /payload/content/0/text: expected string, found number
    warning payload.enum: /payload/actions/0/kind: `shout` is not one of send_message, react, platform_action
    warning payload.type: /payload/actions/0/target_override: expected object, found number
    warning payload.type: /payload/actions/0/args: expected object, found number
    warning payload.type: /payload/usage/input_tokens: expected integer, found a number with a fraction
    warning payload.type: /payload/usage/output_tokens: expected integer, found string
    warning payload.type: /payload/usage/model: expected string, found number
    warning payload.type: /payload/usage/provider: expected string, found number
    warning payload.type: /payload/call_id: expected string, found number
    warning payload.type: /payload/tool_name: expected string, found number
    warning payload.type: /payload/args: expected object, found number
    warning payload.type: /payload/timeout_ms: expected integer, found string
    warning payload.type: /payload/call_id: expected string, found number
    warning payload.type: /payload/tool_name: expected string, found number
    warning payload.enum: /payload/status: must be `ok`, not `error`
    warning payload.type: /payload/result: expected object, found number
    warning payload.format: /payload/duration_ms: -1 is less than 0
    warning payload.type: /payload/call_id: expected string, found number
    warning payload.type: /payload/tool_name: expected string, found number
    warning payload.enum: /payload/status: `ok` is not one of error, timeout, retryable_error
    warning payload.type: /payload/error/code: expected string, found number
    warning payload.type: /payload/error/message: expected string, found number
    warning payload.type: /payload/error/retryable: expected boolean, found number
    warning payload.type: /payload/duration_ms: expected integer, found string
    warning payload.type: /payload/pairing_id: expected string, found number
    warning payload.type: /payload/remote_uri: expected string, found number
    warning payload.enum: /payload/remote_component_type: `gateway` is not one of tool_host, listener, subscriber, provider
    warning payload.type: /payload/pairing_id: expected string, found number
    warning payload.type: /payload/remote_component_id: expected string, found number
    warning payload.enum: /payload/remote_component_type: `operator` is not one of tool_host, listener, subscriber, provider
    warning payload.type: /payload/remote_public_key_ed25519: expected string, found number
    warning payload.type: /payload/remote_public_key_x25519: expected string, found number
    warning payload.type: /payload/mtls_cert_fingerprint: expected string, found number
    warning payload.type: /payload/pairing_id: expected string, found number
    warning payload.type: /payload/remote_uri: expected string, found number
    warning payload.enum: /payload/error_code: `timeout` is not one of SIGNATURE_INVALID, CHALLENGE_FAILED, TIMEOUT, UNREACHABLE
    warning payload.type: /payload/error_message: expected string, found number
    warning payload.type: /payload/revision_id: expected string, found number
    warning payload.type: /payload/checksum: expected string, found number
    warning payload.enum: /payload/applied_by: `cron` is not one of agent, operator
    warning payload.type: /payload/source_platform: expected string, found number
    warning payload.type: /payload/source_channel_id: expected string, found number
    warning payload.type: /payload/validation/schema_valid: expected boolean, found number
    warning payload.type: /payload/validation/semantic_valid: expected boolean, found number
    warning payload.type: /payload/validation/smoke_test_passed: expected boolean, found number
    ");
}

#[test]
fn only_the_fields_that_identify_a_payload_can_be_missing() {
    let problems = |event_type: &str| {
        let found = check(Dialect::Pinchy, &event_of(event_type, "{}"));
        format!("{event_type}\n{}\n", found.trim_end())
    };
    let found: String = EventType::WORDS.iter().map(|event_type| problems(event_type)).collect();
    insta::assert_snapshot!(found, @"
    channel.message.received
    fine
    channel.message.edited
    fine
    channel.message.deleted
    fine
    cron.triggered
    warning payload.missing: /payload/job_id: `job_id` is missing
    heartbeat.tick
    fine
    agent.turn.started
    fine
    agent.turn.completed
    fine
    agent.turn.failed
    fine
    agent.response.created
    warning payload.missing: /payload/response_id: `response_id` is missing
    tool.call.requested
    warning payload.missing: /payload/call_id: `call_id` is missing
    warning payload.missing: /payload/tool_name: `tool_name` is missing
    tool.call.completed
    warning payload.missing: /payload/call_id: `call_id` is missing
    warning payload.missing: /payload/tool_name: `tool_name` is missing
    tool.call.failed
    warning payload.missing: /payload/call_id: `call_id` is missing
    warning payload.missing: /payload/tool_name: `tool_name` is missing
    pairing.started
    warning payload.missing: /payload/pairing_id: `pairing_id` is missing
    pairing.completed
    warning payload.missing: /payload/pairing_id: `pairing_id` is missing
    pairing.failed
    warning payload.missing: /payload/pairing_id: `pairing_id` is missing
    config.applied
    warning payload.missing: /payload/revision_id: `revision_id` is missing
    config.reverted
    fine
    ");
}

#[test]
fn a_payload_checked_as_a_document_is_judged_by_errors() {
    let judge = |name: &str, text: &str| {
        let mut tape = Tape::new();
        let mut problems = crate::problem::Problems::new();
        let known = Dialect::Pinchy.check_document(name, tape.parse(text).unwrap(), &mut problems);
        if known { show(&problems) } else { "no such document".to_owned() }
    };
    insta::assert_snapshot!(judge("cron.triggered", r#"{"job_id":"j","reason":"bored"}"#), @"error enum: /reason: `bored` is not one of heartbeat, scheduled_task");
    assert_eq!(judge("config.applied", r#"{"revision_id":"r","x":1}"#), "fine");
    assert_eq!(judge("config.reverted", "{}"), "no such document");
    assert_eq!(Dialect::Pinchy.documents().count(), 10);
}

#[test]
fn an_event_over_mutual_tls_says_from_which_peer() {
    let over = |transport: &str, extra: &str| {
        let source = format!(r#""gateway-1","transport":"{transport}"{extra}"#);
        check(Dialect::Pinchy, &with(r#""gateway-1""#, &source))
    };
    insta::assert_snapshot!(over("mtls_http", ""), @"
    warning peer_identity: /source/peer_id: an event over mtls_http should say its peer: `peer_id`
    warning peer_identity: /source/mtls_cert_fingerprint: an event over mtls_http should say its peer: `mtls_cert_fingerprint`
    ");
    insta::assert_snapshot!(over("mtls_ws", r#","peer_id":"p""#), @"warning peer_identity: /source/mtls_cert_fingerprint: an event over mtls_ws should say its peer: `mtls_cert_fingerprint`");
    insta::assert_snapshot!(over("mtls_ws", r#","mtls_cert_fingerprint":"f""#), @"warning peer_identity: /source/peer_id: an event over mtls_ws should say its peer: `peer_id`");
    assert_eq!(over("mtls_ws", r#","peer_id":"p","mtls_cert_fingerprint":"f""#), "fine");
    for transport in ["unix_socket", "http", "ws", "internal"] {
        assert_eq!(over(transport, ""), "fine", "{transport}");
    }
}

#[test]
fn a_listener_or_cron_over_http_or_ws_gives_an_idempotency_key() {
    let mut warned = Vec::new();
    for component in ComponentType::WORDS {
        for transport in Transport::WORDS {
            let source = format!(
                r#""component_type":"{component}","transport":"{transport}","peer_id":"p","mtls_cert_fingerprint":"f""#
            );
            let line = with(r#""component_type":"gateway""#, &source);
            if check(Dialect::Pinchy, &line).contains("no_idempotency_key") {
                warned.push(format!("{component} over {transport}"));
            }
        }
    }
    assert_eq!(
        warned,
        ["listener over http", "listener over ws", "cron over http", "cron over ws"]
    );
    let line = with(r#""gateway","#, r#""listener","transport":"http","#);
    insta::assert_snapshot!(check(Dialect::Pinchy, &line), @"warning no_idempotency_key: /idempotency_key: a listener may send an event over http again and should give it an `idempotency_key`");
    let keyed = line.replace(r#""tenant_id""#, r#""idempotency_key":"k","tenant_id""#);
    assert_eq!(check(Dialect::Pinchy, &keyed), "fine");
}

#[test]
fn turns_are_driven_by_messages_and_jobs() {
    let driving: Vec<_> = EventType::ALL
        .iter()
        .filter(|event_type| is_turn_driving(**event_type))
        .map(|event_type| event_type.as_str())
        .collect();
    assert_eq!(
        driving,
        [
            "channel.message.received",
            "channel.message.edited",
            "channel.message.deleted",
            "cron.triggered"
        ]
    );
}

#[test]
fn facts_of_each_type() {
    let mut seen = std::collections::HashSet::new();
    let mut facts = String::new();
    for line in EVENTS.lines() {
        let described = facts_of(line);
        let (event_type, rest) = described.split_once('\n').unwrap();
        if seen.insert(event_type.to_owned()) {
            let told = |row: &&str| {
                !["time:", "session:", "tenant:", "identity:", "trace:"]
                    .iter()
                    .any(|name| row.starts_with(name))
            };
            let rows: Vec<_> = rest.lines().filter(told).collect();
            facts += &format!("{event_type}; {}\n", rows.join("; "));
        }
    }
    insta::assert_snapshot!(facts, @"
    type: channel.message.received; actor: helper; retry key: tenant acme, component discord-1, idempotency key discord:m-41:image; status: thinking; level: info; message: Please look at this
    type: channel.message.edited; actor: helper; retry key: tenant acme, component discord-1, idempotency key discord:m-41:edit; level: info; message: Please look at that
    type: channel.message.deleted; actor: helper; retry key: tenant acme, component discord-1, idempotency key discord:m-41:delete; level: info
    type: cron.triggered; actor: helper; status: started; level: info; task: job-3
    type: heartbeat.tick; actor: subscriber-1; level: debug
    type: agent.turn.started; actor: helper; status: thinking; level: info
    type: agent.response.created; actor: helper; status: progress; level: info; message: It is done; usage: 1200 tokens in, 80 tokens out, model m-large, provider acme
    type: agent.turn.completed; actor: helper; status: completed; level: info
    type: agent.turn.failed; actor: helper; status: error; level: error; message: the model did not answer
    type: tool.call.requested; actor: helper; status: tool_use; level: info; tool: read_file; path: src/main.rs; span: call-1
    type: tool.call.completed; actor: helper; status: progress; level: info; tool: read_file; duration: 123 ms; span: call-1
    type: tool.call.failed; actor: helper; status: progress; level: warn; tool: shell; duration: 123 ms; message: exit code 2; span: call-2
    type: pairing.started; actor: gateway-1; status: waiting; level: info
    type: pairing.completed; actor: gateway-1; subject: host-2; status: progress; level: info
    type: pairing.failed; actor: gateway-1; status: error; level: error; message: no such luck
    type: config.applied; actor: console; level: info
    type: config.reverted; actor: gateway-1; level: warn
    ");
    insta::assert_snapshot!(facts_of(EVENTS.lines().next().unwrap()), @"
    type: channel.message.received
    time: 2026-02-13T15:30:01.250Z
    actor: helper
    session: session-7
    tenant: acme
    identity: id 0198c0de-0000-7000-8000-000000000001
    retry key: tenant acme, component discord-1, idempotency key discord:m-41:image
    status: thinking
    level: info
    message: Please look at this
    trace: trace-1
    ");
}

#[test]
fn facts_of_a_broken_event_are_what_can_be_read() {
    insta::assert_snapshot!(facts_of(r#"{"version":"v1","tenant_id":1,"event_type":"x","source":[],"routing":{"session_id":"s"},"payload":1}"#), @"
    type: x
    session: s
    level: info
    ");
}

#[test]
fn a_member_that_is_no_text_takes_no_message_away() {
    let line = event_of("channel.message.received", r#"{"text":"hello","error_message":null}"#);
    assert!(facts_of(&line).contains("message: hello\n"));
}
