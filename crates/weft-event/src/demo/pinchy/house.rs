//! The house: signs of life, revisions of the configuration, and pairing with components on other machines.

use super::{Cover, Peer, Play, Speaker};
use crate::demo::pen;
use crate::demo::stage::Pause;
use crate::json::Object;
use crate::pinchy::EventType;

const TOOL_HOST: &str = "toolhost-quay-2";
const TOOL_HOST_URI: &str = "ws://10.0.0.12:5225";

impl Play<'_> {
    /// Says something of the house under a trace of its own.
    fn tell(
        &mut self,
        p: usize,
        pause: Pause,
        (event_type, speaker): (EventType, Speaker),
        fill: impl FnOnce(&mut Object<'_>),
    ) {
        let trace = self.trace();
        let cover = Cover { event_type, speaker, trace: &trace, message: None };
        self.say(p, pause, &cover, |payload, _| fill(payload));
    }

    /// A component is alive.
    pub(super) fn tick(&mut self, p: usize) {
        let speaker = self.stage.dice.pick(&[
            Speaker::Gateway,
            Speaker::Gateway,
            Speaker::ToolHost,
            Speaker::Subscriber,
        ]);
        self.tell(p, (4_000, 11_000), (EventType::HeartbeatTick, speaker), |payload| {
            pen::plain(payload, "interval_ms", 10_000);
        });
    }

    /// A configuration comes into force; returns its revision.
    pub(super) fn configure(&mut self, p: usize) -> String {
        self.gateway.revision += 1;
        let revision = format!("rev-{}", self.gateway.revision);
        let checksum = format!("sha256:{}", self.stage.dice.hex(64));
        let by = (EventType::ConfigApplied, Speaker::Operator);
        self.tell(p, (2_000, 8_000), by, |payload| {
            payload.text("revision_id", &revision);
            payload.text("checksum", &checksum);
            payload.text("applied_by", "operator");
            payload.text("source_platform", "irc");
            payload.text("source_channel_id", "#operations");
            pen::nest(payload, "validation", |validation| {
                pen::plain(validation, "schema_valid", true);
                pen::plain(validation, "semantic_valid", true);
                pen::plain(validation, "smoke_test_passed", true);
            });
        });
        revision
    }

    /// A configuration does harm and is taken back.
    pub(super) fn revert(&mut self, p: usize) {
        let revision = self.configure(p);
        let before = format!("rev-{}", self.gateway.revision - 1);
        let by = (EventType::ConfigReverted, Speaker::Gateway);
        self.tell(p, (3_000, 12_000), by, |payload| {
            payload.text("revision_id", &revision);
            payload.text("reverted_to", &before);
            payload.text("reason", "three turns failed in a row");
        });
    }

    /// The gateway pairs with a tool host, which may use its certificate from then on.
    pub(super) fn pair(&mut self, p: usize) {
        let pairing = self.stage.dice.random_uuid();
        let fingerprint = format!("sha256:{}", self.stage.dice.hex(64));
        self.begin_pairing(p, &pairing, TOOL_HOST_URI, "tool_host");
        let by = (EventType::PairingCompleted, Speaker::Gateway);
        self.tell(p, (500, 2_500), by, |payload| {
            payload.text("pairing_id", &pairing);
            payload.text("remote_component_id", TOOL_HOST);
            payload.text("remote_component_type", "tool_host");
            payload.text("mtls_cert_fingerprint", &fingerprint);
        });
        // Nobody uses the certificate before it is there.
        let paired_ns = self.at_ns(p);
        for place in &mut self.gateway.places {
            place.at_ns = place.at_ns.max(paired_ns);
        }
        self.gateway.peer = Some(Peer { id: TOOL_HOST, fingerprint });
    }

    fn begin_pairing(&mut self, p: usize, pairing: &str, uri: &str, kind: &str) {
        let by = (EventType::PairingStarted, Speaker::Operator);
        self.tell(p, (2_000, 8_000), by, |payload| {
            payload.text("pairing_id", pairing);
            payload.text("remote_uri", uri);
            payload.text("remote_component_type", kind);
        });
    }

    /// The other side does not answer as it should.
    pub(super) fn pairing_fails(&mut self, p: usize) {
        let pairing = self.stage.dice.random_uuid();
        let (uri, kind) = ("ws://10.0.0.31:5225", "listener");
        self.begin_pairing(p, &pairing, uri, kind);
        let (code, message) = self.stage.dice.pick(&[
            ("TIMEOUT", "no answer within 15 s"),
            ("UNREACHABLE", "nobody listens there"),
            ("CHALLENGE_FAILED", "the answer to the challenge was another"),
            ("SIGNATURE_INVALID", "the signature is not of the key that was shown"),
        ]);
        let by = (EventType::PairingFailed, Speaker::Gateway);
        self.tell(p, (2_000, 15_000), by, |payload| {
            payload.text("pairing_id", &pairing);
            payload.text("remote_uri", uri);
            payload.text("error_code", code);
            payload.text("error_message", message);
        });
    }
}
