//! Causes before effects: what is needed for a line to be said was said before it.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::{NIGHTS, each};
use crate::json::Value;
use crate::{Dialect, Facts};

/// What must have been said before a line, and what it makes possible, as words and ids.
#[derive(Default)]
struct Links {
    needs: Vec<String>,
    gives: Vec<String>,
}

impl Links {
    fn need(&mut self, what: &str, id: Option<Cow<'_, str>>) {
        self.needs.push(format!("{what} {}", id.expect(what)));
    }

    fn give(&mut self, what: &str, id: Option<Cow<'_, str>>) {
        self.gives.push(format!("{what} {}", id.expect(what)));
    }
}

fn links(facts: &Facts<'_>, event: Value<'_>) -> Links {
    let mut links = Links::default();
    match facts.dialect {
        Dialect::Collector => of_collector(&mut links, facts, event),
        Dialect::Pinchy => of_pinchy(&mut links, facts, event),
        Dialect::Engine => of_engine(&mut links, facts, event),
        Dialect::Idle => of_idle(&mut links, facts, event),
        Dialect::Needle | Dialect::Weft => {}
    }
    links
}

fn of_collector(links: &mut Links, facts: &Facts<'_>, event: Value<'_>) {
    let (span, session) = (facts.span.clone(), facts.session.clone());
    let metadata = event.get("metadata").unwrap();
    match facts.event_type.as_ref() {
        "hook.session_start" => links.give("session", session),
        "hook.pre_tool_use" => links.give("tool call", span),
        "hook.post_tool_use" | "hook.post_tool_use_failure" | "hook.permission_denied" => {
            links.need("tool call", span);
        }
        "hook.subagent_start" => links.give("subagent", facts.actor.clone()),
        "hook.subagent_stop" => links.need("subagent", facts.actor.clone()),
        "decision.made" => links.give("decision", metadata.text_at("decision_id")),
        "decision.rationale" | "decision.rejected" => {
            links.need("decision", metadata.text_at("decision_id"));
        }
        _ => links.need("session", session),
    }
}

fn of_pinchy(links: &mut Links, facts: &Facts<'_>, event: Value<'_>) {
    let payload = event.get("payload").unwrap();
    let says = |name: &str| payload.text_at(name);
    let message = event.get("source").unwrap().text_at("message_id");
    match facts.event_type.as_ref() {
        "channel.message.received" => {
            links.give("message", message);
            links.give("trace", facts.trace.clone());
        }
        "cron.triggered" => links.give("trace", facts.trace.clone()),
        "channel.message.edited" | "channel.message.deleted" => links.need("message", message),
        "agent.turn.started" => {
            links.need("trace", facts.trace.clone());
            links.give("turn", says("turn_id"));
        }
        "agent.response.created" => links.give("response", says("response_id")),
        "agent.turn.completed" => {
            links.need("turn", says("turn_id"));
            links.need("response", says("response_id"));
        }
        "agent.turn.failed" => links.need("turn", says("turn_id")),
        "tool.call.requested" => links.give("call", says("call_id")),
        "tool.call.completed" | "tool.call.failed" => links.need("call", says("call_id")),
        "pairing.started" => links.give("pairing", says("pairing_id")),
        "pairing.completed" => {
            links.need("pairing", says("pairing_id"));
            links.give("fingerprint", says("mtls_cert_fingerprint"));
        }
        "pairing.failed" => links.need("pairing", says("pairing_id")),
        "config.applied" => links.give("revision", says("revision_id")),
        "config.reverted" => links.need("revision", says("revision_id")),
        _ => {}
    }
    if let Some(fingerprint) = event.get("source").unwrap().text_at("mtls_cert_fingerprint") {
        links.need("fingerprint", Some(fingerprint));
    }
}

fn of_engine(links: &mut Links, facts: &Facts<'_>, event: Value<'_>) {
    let payload = event.get("payload").unwrap();
    match facts.event_type.as_ref() {
        "AgentActionProposed" => links.give("proposed", facts.span.clone()),
        "ToolCallStarted" => {
            links.need("proposed", facts.span.clone());
            links.give("started", facts.span.clone());
        }
        "ToolCallChunk" => links.need("started", facts.span.clone()),
        "ToolCallFinished" => {
            links.need("started", facts.span.clone());
            links.give("finished", facts.span.clone());
        }
        "Observation" => links.need("finished", facts.span.clone()),
        "JudgeResult" => {
            for call in payload.get("evidence").unwrap().items().filter_map(Value::as_text) {
                let call = call.strip_prefix("events:").map(|call| call.to_owned().into());
                links.need("finished", call);
            }
        }
        _ => {}
    }
    if let Some(to) = payload.text_at("to") {
        links.need(
            "state",
            Some(format!("{:?} {}", facts.actor, payload.text_at("from").unwrap()).into()),
        );
        links.give("state", Some(format!("{:?} {to}", facts.actor).into()));
    } else if facts.order == Some(0) {
        links.give("state", Some(format!("{:?} IDLE", facts.actor).into()));
    }
}

fn of_idle(links: &mut Links, facts: &Facts<'_>, event: Value<'_>) {
    let says = |name: &str| event.text_at(name);
    match facts.event_type.as_ref() {
        "topic" => links.give("topic", says("id")),
        "message" => {
            links.need("topic", says("topic_id"));
            if let Some(parent) = says("parent_id") {
                links.need("posted", Some(parent));
            }
            links.give("posted", says("id"));
        }
        "STATE" => links.give("run", facts.actor.clone()),
        "trace.LOOP_START" => {}
        "control.REQUEST" => links.give("request", says("request_id")),
        "control.ACK" => {
            links.need("request", says("request_id"));
            links.give("ack", says("request_id"));
        }
        "control.RESULT" => links.need("ack", says("request_id")),
        _ => links.need("run", facts.actor.clone()),
    }
}

#[test]
fn nothing_is_answered_before_it_is_asked_for() {
    each(
        &NIGHTS[..2],
        |said: &mut HashSet<String>, moment, event| {
            let links = links(&event.facts(), event.value());
            for need in links.needs {
                assert!(said.contains(&need), "{need} is missing before {}", moment.line);
            }
            said.extend(links.gives);
        },
        |_| {},
    );
}

/// What is known of the beads and files while a night goes by.
#[derive(Default)]
struct Yard {
    /// Who has a bead, and what was last said about it.
    beads: HashMap<String, (String, &'static str)>,
    done: HashSet<String>,
    files: HashMap<String, String>,
    stuck: HashSet<String>,
}

impl Yard {
    /// Takes one event of a worker about its bead.
    fn bead(&mut self, event_type: &str, worker: &str, bead: &str) {
        let step = |before: &[&str], after: &'static str, yard: &mut Self| {
            let (holder, last) = yard.beads.get(bead).cloned().unwrap_or_default();
            assert_eq!(holder, worker, "{event_type} of {bead}");
            assert!(before.contains(&last), "{event_type} of {bead} after {last}");
            yard.beads.insert(bead.to_owned(), (holder, after));
        };
        match event_type {
            "bead.claimed" | "bead.claim.succeeded" => {
                assert!(!self.done.contains(bead), "{bead} is done already");
                let before = self.beads.insert(bead.to_owned(), (worker.to_owned(), "claimed"));
                assert_eq!(before, None, "{bead} has a worker");
            }
            "bead.prompt_built" => step(&["claimed"], "prompted", self),
            "bead.agent_started" | "agent.dispatched" => step(&["prompted"], "at work", self),
            "bead.agent_completed" | "agent.completed" => step(&["at work"], "worked", self),
            "error.agent_crash" => step(&["at work"], "crashed", self),
            "bead.completed" => {
                step(&["worked"], "completed", self);
                self.beads.remove(bead);
                self.done.insert(bead.to_owned());
            }
            "bead.failed" => step(&["worked"], "failed", self),
            "bead.released" => {
                step(&["failed", "worked"], "released", self);
                self.beads.remove(bead);
            }
            "bead.mitosis.complete" => {
                step(&["claimed"], "split", self);
                self.beads.remove(bead);
                self.done.insert(bead.to_owned());
            }
            "mend.orphan_released" => {
                self.beads.remove(bead);
            }
            _ => {}
        }
    }

    /// Takes one event about a file.
    fn file(&mut self, event_type: &str, worker: &str, path: &str) {
        match event_type {
            "file.checkout" => {
                let before = self.files.insert(path.to_owned(), worker.to_owned());
                assert_eq!(before, None, "{path} is held already");
            }
            "file.conflict" => assert_ne!(self.files.get(path).expect(path), worker),
            "file.release" => assert_eq!(self.files.remove(path).expect(path), worker),
            "lock.expired" => assert!(self.files.remove(path).is_some(), "{path} is not held"),
            _ => {}
        }
    }
}

#[test]
fn beads_and_files_have_one_holder_and_their_steps_in_order() {
    each(
        &NIGHTS[..2],
        |yard: &mut Yard, moment, event| {
            let facts = event.facts();
            if moment.dialect != Dialect::Needle {
                return;
            }
            let (name, worker) = (facts.event_type.as_ref(), facts.actor.as_deref().unwrap());
            if let Some(bead) = &facts.task {
                yard.bead(name, worker, bead);
            }
            if let Some(path) = &facts.path {
                yard.file(name, worker, path);
            }
            match (name, facts.subject.as_deref()) {
                ("heartbeat.stuck_detected", Some(stuck)) => {
                    assert!(yard.stuck.insert(stuck.to_owned()), "{}", moment.line);
                }
                ("heartbeat.recovery", Some(stuck)) => {
                    assert!(yard.stuck.remove(stuck), "{}", moment.line);
                }
                _ => {}
            }
        },
        |yard| assert!(yard.done.len() > 50, "{} beads are done", yard.done.len()),
    );
}

#[test]
fn what_a_budget_has_used_is_the_sum_of_what_was_recorded() {
    each(
        &NIGHTS[..2],
        |costs: &mut (HashMap<String, f64>, usize), moment, event| {
            let facts = event.facts();
            let (Some(usage), Dialect::Needle) = (&facts.usage, facts.dialect) else { return };
            let sum = costs.0.entry(facts.actor.clone().unwrap().into_owned()).or_default();
            match facts.event_type.as_ref() {
                "effort.recorded" => *sum += usage.cost_usd.unwrap(),
                "budget.warning" | "budget.exceeded" | "budget.stop" => {
                    let used = usage.used.unwrap();
                    assert!((used - *sum).abs() < 1e-6, "{used}, not {sum}: {}", moment.line);
                    costs.1 += 1;
                }
                _ => {}
            }
        },
        |(_, n_told)| assert!(n_told > 3, "budgets were told of {n_told} times"),
    );
}
