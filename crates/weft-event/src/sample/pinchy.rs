//! Made-up pinchy envelopes, each with the payload of its type.

use super::draw::Draw;
use crate::Dialect;
use crate::json::{Json, Object};

const PLATFORMS: [&str; 3] = ["discord", "slack", "whatsapp"];

pub(super) fn write(object: &mut Object<'_>, event_type: &str, draw: &mut Draw) {
    let component = match event_type.split('.').next() {
        Some("channel") => "listener",
        Some("cron" | "heartbeat") => "cron",
        Some("tool") => "tool_host",
        Some("pairing" | "config") => "operator",
        _ => draw.dice.pick(&["gateway", "subscriber"]),
    };
    object.text("version", "v1");
    object.text("event_id", &draw.uuid());
    object.text("trace_id", &draw.dice.hex(32));
    if matches!(component, "listener" | "cron") {
        object.text("idempotency_key", &format!("{component}:{}", draw.dice.hex(20)));
    }
    object.text("occurred_at", &draw.time());
    object.text("event_type", event_type);
    object.text("tenant_id", draw.dice.pick(&["acme", "zoë-labs"]));
    object.json("source", &source(component, draw));
    object.json("routing", &routing(draw));
    object.json("payload", &Json::object(|payload| write_payload(payload, event_type, draw)));
    if draw.dice.chance(25) {
        let meta = Json::object(|meta| {
            meta.text("build", "2026.3.1");
            meta.json("retries", &draw.count(0, 3));
        });
        object.json("meta", &meta);
    }
}

fn source(component: &str, draw: &mut Draw) -> Json<'static> {
    let transport =
        draw.dice.pick(&["unix_socket", "http", "ws", "mtls_http", "mtls_ws", "internal"]);
    Json::object(|source| {
        source.text("component_type", component);
        source.text("component_id", &format!("{component}-{}", draw.producer()));
        if component == "listener" {
            source.text("platform", draw.dice.pick(&PLATFORMS));
            source.text("channel_id", &format!("C{}", draw.dice.below(90_000)));
            source.text("actor_id", &format!("U{}", draw.dice.below(90_000)));
            source.text("message_id", &draw.dice.hex(18));
        }
        if transport.starts_with("mtls") {
            source.text("peer_id", &format!("peer-{}", draw.producer()));
            source.text("mtls_cert_fingerprint", &format!("sha256:{}", draw.dice.hex(64)));
        }
        source.text("transport", transport);
    })
}

fn routing(draw: &mut Draw) -> Json<'static> {
    Json::object(|routing| {
        routing.text("agent_id", draw.dice.pick(&["concierge", "müller"]));
        routing.text("session_id", &format!("sess-{}", &draw.steady_uuid(6)[24..]));
        if draw.dice.chance(50) {
            let target = Json::object(|target| {
                target.text("platform", draw.dice.pick(&PLATFORMS));
                target.text("channel_id", &format!("C{}", draw.dice.below(90_000)));
                target.text("thread_id", &draw.dice.hex(10));
            });
            routing.json("target", &target);
        }
        if draw.dice.chance(30) {
            let tags = ["pii", "no-export"].map(Json::text);
            routing.json("policy_tags", &Json::array(tags));
        }
    })
}

/// Writes the payload of a type that has a contract; `false` for other names.
pub(super) fn write_document(object: &mut Object<'_>, name: &str, draw: &mut Draw) -> bool {
    let known = Dialect::Pinchy.documents().any(|document| document == name);
    if known {
        write_payload(object, name, draw);
    }
    known
}

fn write_payload(payload: &mut Object<'_>, event_type: &str, draw: &mut Draw) {
    match event_type {
        "channel.message.received" | "channel.message.edited" => {
            draw.write_prose(payload, "text", 4);
            if draw.dice.chance(40) {
                payload.json("attachments", &Json::array([attachment(draw)]));
            }
        }
        "channel.message.deleted" => payload.text("message_id", &draw.dice.hex(18)),
        "cron.triggered" => {
            payload.text("job_id", &format!("job-{}", draw.dice.below(20)));
            payload.text("job_name", "nightly résumé");
            payload.text("scheduled_for", &draw.time_in(-1));
            payload.text("triggered_at", &draw.time_in(0));
            payload.json("input", &Json::empty_object());
            payload.text("reason", draw.dice.pick(&["heartbeat", "scheduled_task"]));
        }
        "heartbeat.tick" => payload.json("interval_ms", &Json::integer(30_000)),
        "agent.response.created" => write_response(payload, draw),
        "tool.call.requested" | "tool.call.completed" | "tool.call.failed" => {
            write_call(payload, event_type, draw);
        }
        "pairing.started" | "pairing.completed" | "pairing.failed" => {
            write_pairing(payload, event_type, draw);
        }
        "config.applied" | "config.reverted" => write_config(payload, draw),
        _ => {
            payload.text("turn_id", &draw.uuid());
            draw.write_prose(payload, "detail", 4);
        }
    }
}

fn attachment(draw: &mut Draw) -> Json<'static> {
    Json::object(|attachment| {
        attachment.text("type", draw.dice.pick(&["image", "audio", "file", "video"]));
        attachment.text("url", &format!("https://files.example.com/{}", draw.dice.hex(12)));
        attachment.text("mime_type", "application/octet-stream");
        attachment.text("name", "größe.bin");
    })
}

fn write_response(payload: &mut Object<'_>, draw: &mut Draw) {
    payload.text("response_id", &draw.uuid());
    let content = Json::object(|content| {
        content.text("type", "text");
        draw.write_prose(content, "text", 4);
    });
    payload.json("content", &Json::array([content]));
    let action = Json::object(|action| {
        action.text("kind", draw.dice.pick(&["send_message", "react", "platform_action"]));
        action.json("args", &Json::object(|args| args.text("emoji", "👍")));
    });
    payload.json("actions", &Json::array([action]));
    payload.json("usage", &draw.usage());
}

fn write_call(payload: &mut Object<'_>, event_type: &str, draw: &mut Draw) {
    let (name, input) = draw.tool_call();
    payload.text("call_id", &draw.uuid());
    payload.text("tool_name", name);
    match event_type {
        "tool.call.requested" => {
            payload.json("args", &input);
            payload.json("timeout_ms", &Json::integer(30_000));
            return;
        }
        "tool.call.completed" => {
            payload.text("status", "ok");
            let result = Json::object(|result| draw.write_prose(result, "stdout", 4));
            payload.json("result", &result);
        }
        _ => {
            payload.text("status", draw.dice.pick(&["error", "timeout", "retryable_error"]));
            let error = Json::object(|error| {
                error.text("code", "E_TOOL");
                draw.write_prose(error, "message", 2);
                error.json("retryable", &Json::bool(draw.dice.chance(50)));
            });
            payload.json("error", &error);
        }
    }
    payload.json("duration_ms", &draw.duration());
}

fn write_pairing(payload: &mut Object<'_>, event_type: &str, draw: &mut Draw) {
    let remote = draw.dice.pick(&["tool_host", "listener", "subscriber", "provider"]);
    payload.text("pairing_id", &draw.uuid());
    match event_type {
        "pairing.started" => {
            payload.text("remote_uri", "ws://10.0.0.1:5225");
            payload.text("remote_component_type", remote);
        }
        "pairing.completed" => {
            payload.text("remote_component_id", &format!("{remote}-{}", draw.dice.below(9)));
            payload.text("remote_component_type", remote);
            payload.text("remote_public_key_ed25519", "MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrB");
            payload.text("remote_public_key_x25519", "MCowBQYDK2VuAyEAhSDwCYkwp1R0i33c");
            payload.text("mtls_cert_fingerprint", &format!("sha256:{}", draw.dice.hex(64)));
        }
        _ => {
            let codes = ["SIGNATURE_INVALID", "CHALLENGE_FAILED", "TIMEOUT", "UNREACHABLE"];
            payload.text("remote_uri", "ws://10.0.0.1:5225");
            payload.text("error_code", draw.dice.pick(&codes));
            draw.write_prose(payload, "error_message", 2);
        }
    }
}

fn write_config(payload: &mut Object<'_>, draw: &mut Draw) {
    payload.text("revision_id", &format!("rev-{}", draw.dice.below(500)));
    payload.text("checksum", &format!("sha256:{}", draw.dice.hex(64)));
    payload.text("applied_by", draw.dice.pick(&["agent", "operator"]));
    payload.text("source_platform", draw.dice.pick(&PLATFORMS));
    payload.text("source_channel_id", &format!("C{}", draw.dice.below(90_000)));
    let validation = Json::object(|validation| {
        for name in ["schema_valid", "semantic_valid", "smoke_test_passed"] {
            validation.json(name, &Json::bool(true));
        }
    });
    payload.json("validation", &validation);
}
