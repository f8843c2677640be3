//! What there is to see of a gateway.

use insta::assert_snapshot;
use serde_json::{Value, json};
use weft_event::sample::events;

use super::{Gateway, Rows};
use crate::Rules;
use crate::scene::{at, gateway, late};
use crate::testing::{assert_law, demo, fold, place};

fn rows(lines: impl IntoIterator<Item = String>, seconds: i64) -> Rows {
    let gateway: Gateway = fold(&late(lines));
    gateway.rows(at(seconds), &Rules::default())
}

fn source(kind: &str, component: &str) -> Value {
    json!({"component_type": kind, "component_id": component, "transport": "internal"})
}

fn routing(session: &str) -> Value {
    json!({"agent_id": "porter", "session_id": session, "policy_tags": []})
}

fn mail(session: &str, channel: &str, seconds: i64) -> String {
    let source = json!({
        "component_type": "listener",
        "component_id": "listener-irc",
        "platform": "irc",
        "channel_id": channel,
        "actor_id": "ana",
        "message_id": format!("m{seconds}"),
        "transport": "internal",
    });
    gateway(
        source,
        routing(session),
        seconds,
        "channel.message.received",
        json!({"text": "how far?"}),
    )
}

fn reply(session: &str, target: Option<&str>, seconds: i64) -> String {
    let mut routing = routing(session);
    if let Some(channel) = target {
        routing["target"] = json!({"platform": "mail", "channel_id": channel});
    }
    let payload = json!({"response_id": format!("r{seconds}"), "content": [{"type": "text", "text": "done"}], "actions": []});
    gateway(source("gateway", "gateway-1"), routing, seconds, "agent.response.created", payload)
}

#[test]
fn an_answer_goes_where_it_says_or_where_its_session_was_last_active() {
    let lines = [
        mail("s", "#old", 1),
        mail("s", "#new", 3),
        reply("s", None, 4),
        reply("s", Some("support"), 5),
    ];
    let rows = rows(lines, 10);
    let line = |row: &super::ReplyRow| {
        format!("{} {} {} {}", row.id, text(&row.platform), text(&row.channel), row.is_last_active)
    };
    assert_snapshot!(rows.outbox.iter().map(line).collect::<Vec<_>>().join("\n"), @"
    r5 mail support false
    r4 irc #new true
    ");
    assert_snapshot!(serde_json::to_string_pretty(&rows.sessions).expect("rows are JSON"), @r##"
    [
      {
        "tenant": "harbor",
        "session": "s",
        "agent": "porter",
        "n_turns": 0,
        "n_failed_turns": 0,
        "n_mails": 2,
        "n_replies": 2,
        "n_calls": 0,
        "platform": "irc",
        "channel": "#new",
        "author": "ana",
        "last_mail": "2026-11-15T08:00:03Z",
        "last_seen": "2026-11-15T08:00:05Z",
        "quiet_ms": 5000
      }
    ]
    "##);
}

#[test]
fn a_peer_that_comes_with_another_certificate_is_told() {
    let paired = |pairing: &str, fingerprint: &str, seconds| {
        let payload = json!({
            "pairing_id": pairing,
            "remote_component_id": "toolhost-1",
            "remote_component_type": "tool_host",
            "mtls_cert_fingerprint": fingerprint,
        });
        gateway(
            source("gateway", "gateway-1"),
            routing("gateway"),
            seconds,
            "pairing.completed",
            payload,
        )
    };
    let started = |pairing: &str, seconds| {
        let payload = json!({"pairing_id": pairing, "remote_uri": "ws://h", "remote_component_type": "tool_host"});
        gateway(
            source("operator", "console"),
            routing("gateway"),
            seconds,
            "pairing.started",
            payload,
        )
    };
    let lines = [
        paired("p-2", "sha256:b", 6),
        started("p-1", 1),
        paired("p-1", "sha256:a", 2),
        started("p-2", 5),
        started("p-3", 8),
    ];
    let line = |row: &super::PeerRow| {
        let changed = row
            .fingerprint_before
            .as_deref()
            .map(|before| format!(" was {before}"))
            .unwrap_or_default();
        format!("{} {} {}{changed}", row.pairing, row.phase.0.as_str(), text(&row.fingerprint))
    };
    assert_snapshot!(rows(lines, 10).peers.iter().map(line).collect::<Vec<_>>().join("\n"), @"
    p-3 started -
    p-2 completed sha256:b was sha256:a
    p-1 completed sha256:a
    ");
}

#[test]
fn the_revision_in_force_is_the_newest_that_was_not_taken_back() {
    let config = |revision: &str, event_type: &str, seconds| {
        let payload = json!({"revision_id": revision, "applied_by": "operator"});
        gateway(source("operator", "console"), routing("gateway"), seconds, event_type, payload)
    };
    let lines = [
        config("rev-1", "config.applied", 1),
        config("rev-2", "config.applied", 2),
        config("rev-2", "config.reverted", 3),
    ];
    let line = |row: &super::RevisionRow| {
        format!("{} current {} reverted {}", row.revision, row.is_current, row.is_reverted)
    };
    assert_snapshot!(rows(lines, 10).revisions.iter().map(line).collect::<Vec<_>>().join("\n"), @"
    rev-2 current false reverted true
    rev-1 current true reverted false
    ");
}

/// Returns a line for each row of a table.
fn lines<R>(rows: &[R], line: impl Fn(&R) -> String) -> String {
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn text(text: &Option<String>) -> &str {
    text.as_deref().unwrap_or("-")
}

#[test]
fn the_demo_shows_its_gateway() {
    let gateway: Gateway = fold(&demo(7, 1_500));
    let rows = gateway.rows(at(330), &Rules::default());
    let session = |row: &super::SessionRow| {
        let (tenant, channel) = (text(&row.tenant), text(&row.channel));
        format!(
            "{tenant} {}: {} turns, {} failed, {channel}",
            row.session, row.n_turns, row.n_failed_turns
        )
    };
    assert_snapshot!(lines(&rows.sessions, session), @"
    harbor irc:night-watch: 11 turns, 0 failed, #night-watch
    harbor mail:support: 14 turns, 3 failed, support
    ");
    let component = |row: &super::ComponentRow| {
        let heartbeat = row.last_heartbeat.map_or("no heartbeat", |_| "heartbeat");
        format!("{} {}: {heartbeat}, silent {}", text(&row.kind), row.component, row.is_silent)
    };
    assert_snapshot!(lines(&rows.components, component), @"
    cron cron-1: no heartbeat, silent false
    gateway gateway-1: heartbeat, silent false
    listener listener-irc: no heartbeat, silent false
    listener listener-mail: no heartbeat, silent false
    operator console: no heartbeat, silent false
    subscriber archive-1: heartbeat, silent false
    tool_host toolhost-local: no heartbeat, silent true
    tool_host toolhost-quay-2: heartbeat, silent false
    ");
    let job = |row: &super::JobRow| format!("{} {}: {} runs", row.job, text(&row.name), row.n_runs);
    assert_snapshot!(lines(&rows.jobs, job), @"
    job-12 nightly summary: 1 runs
    job-7 depot import: 2 runs
    ");
    let peer = |row: &super::PeerRow| {
        let change = row.fingerprint_before.as_ref().map_or("", |_| ", another certificate");
        format!("{} {} {}{change}", text(&row.component), row.phase.0.as_str(), text(&row.error))
    };
    assert_snapshot!(lines(&rows.peers, peer), @"
    toolhost-quay-2 completed -, another certificate
    toolhost-quay-2 completed -, another certificate
    - failed TIMEOUT
    - failed CHALLENGE_FAILED
    toolhost-quay-2 completed -, another certificate
    - failed TIMEOUT
    toolhost-quay-2 completed -, another certificate
    - failed TIMEOUT
    toolhost-quay-2 completed -
    ");
    let revision = |row: &super::RevisionRow| {
        format!("{} current {} reverted {}", row.revision, row.is_current, row.is_reverted)
    };
    assert_snapshot!(lines(&rows.revisions, revision), @"
    rev-107 current true reverted false
    rev-106 current false reverted true
    rev-105 current false reverted false
    rev-104 current false reverted false
    rev-103 current false reverted true
    rev-102 current false reverted false
    rev-101 current false reverted true
    rev-100 current false reverted true
    ");
    assert_eq!(rows.outbox.len(), 21);
}

#[test]
fn events_of_every_type_may_come_in_any_order() {
    assert_law::<Gateway>(&place(events(3).take(600)), 40);
}
