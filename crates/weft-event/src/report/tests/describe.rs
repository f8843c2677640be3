//! Reports as text, for a person to check.

use std::borrow::Cow;

use crate::event::{self, Expect};
use crate::json::{Tape, Value, canonical};
use crate::problem::Problems;
use crate::report::{Decision, Lineage, Loop, Mail, Part, Peer, Place, Plan, Reply, Report, Work};
use crate::time::format_rfc3339;

/// A report in words: what it is about, and what it says of that.
pub(super) struct Described {
    what: String,
    says: Vec<(&'static str, String)>,
    place: Vec<(&'static str, String)>,
}

impl Described {
    /// Returns what it is about, with the names of what it says.
    pub(super) fn brief(&self) -> String {
        let says = self.says.iter().map(|(name, _)| *name);
        let place = self.place.iter().map(|(name, _)| *name);
        let mut out = self.what.clone();
        says.for_each(|name| out.push_str(&format!(" {name}")));
        place.for_each(|name| out.push_str(&format!(" @{name}")));
        out
    }

    /// Returns all of it but the place.
    pub(super) fn whole(&self) -> String {
        let says = self.says.iter().map(|(name, text)| format!(" {name}={text}"));
        self.what.chars().chain(says.collect::<String>().chars()).collect()
    }

    /// Returns the place.
    pub(super) fn place(&self) -> String {
        let place: Vec<_> =
            self.place.iter().map(|(name, text)| format!("{name}={text}")).collect();
        place.join(" ")
    }
}

/// Hands out what an event reports.
pub(super) fn read<T>(line: &str, with: impl FnOnce(&Report<'_>) -> T) -> T {
    let mut tape = Tape::new();
    let mut problems = Problems::new();
    let event = event::read(&mut tape, line.as_bytes(), Expect::Any, &mut problems);
    let event = event.unwrap_or_else(|| panic!("no event: {line}"));
    with(&event.report(&event.facts()))
}

/// Returns what an event reports, in words, all but the place.
pub(super) fn whole(line: &str) -> String {
    read(line, |report| describe(report).whole())
}

/// Collects what is there.
#[derive(Default)]
struct Says(Vec<(&'static str, String)>);

impl Says {
    fn text(&mut self, name: &'static str, text: &Option<Cow<'_, str>>) -> &mut Self {
        self.0.extend(text.as_ref().map(|text| (name, format!("{text:?}"))));
        self
    }

    fn texts(&mut self, name: &'static str, texts: &[Cow<'_, str>]) -> &mut Self {
        self.0.extend((!texts.is_empty()).then(|| (name, format!("{texts:?}"))));
        self
    }

    fn json(&mut self, name: &'static str, value: Option<Value<'_>>) -> &mut Self {
        self.0.extend(value.map(|value| (name, canonical(value))));
        self
    }

    fn flag(&mut self, name: &'static str, is_set: bool) -> &mut Self {
        self.0.extend(is_set.then(|| (name, "yes".to_owned())));
        self
    }

    fn number(&mut self, name: &'static str, number: Option<impl ToString>) -> &mut Self {
        self.0.extend(number.map(|number| (name, number.to_string())));
        self
    }
}

pub(super) fn describe(report: &Report<'_>) -> Described {
    let mut says = Says::default();
    let what = describe_part(&report.part, &mut says);
    let mut place = Says::default();
    if let Some(Place { host, folder, branch, model, component_kind, component }) =
        report.place.as_deref()
    {
        place.text("host", host).text("folder", folder).text("branch", branch);
        place.text("model", model).text("kind", component_kind).text("component", component);
    }
    Described { what, says: says.0, place: place.0 }
}

fn describe_part(part: &Part<'_>, says: &mut Says) -> String {
    match part {
        Part::Nothing => "-".to_owned(),
        Part::Heartbeat => "heartbeat".to_owned(),
        Part::Words(words) => {
            says.text("text", &words.text);
            format!("words {} {}", words.by.as_str(), words.saying.as_str())
        }
        Part::Turn(turn) => {
            says.text("id", &turn.id).text("words", &turn.words);
            format!("turn {}", turn.phase.as_str())
        }
        Part::Call(call) => {
            says.json("input", call.input).json("result", call.result);
            format!("call {}", call.phase.as_str())
        }
        Part::Ask(ask) => {
            says.flag("answered", ask.is_answer).text("id", &ask.id);
            format!("ask {}", ask.kind.as_str())
        }
        Part::Wait { until } => {
            format!("wait until {}", until.map_or("it ends", |until| until.as_str()))
        }
        Part::Handoff => "handoff".to_owned(),
        Part::Decision(decision) => describe_decision(decision, says),
        Part::Work(work) => describe_work(work, says),
        Part::Plan(plan) => describe_plan(plan, says),
        Part::Loop(told) => describe_loop(told, says),
        Part::Run(run) => {
            says.text("reason", &run.reason).number("state", Some(&run.state));
            "run".to_owned()
        }
        Part::Judge(judge) => {
            says.texts("reasons", &judge.reasons).texts("evidence", &judge.evidence);
            format!("judge {}", judge.verdict.as_str())
        }
        Part::Budget(budget) => format!("budget {}", budget.as_str()),
        Part::Lease(lease) => {
            says.texts("actors", &lease.actors);
            says.number("until", lease.until_ns.map(format_rfc3339));
            format!("lease {}", lease.change.as_str())
        }
        Part::Finding(finding) => format!("finding {}", finding.as_str()),
        Part::Mail(mail) => describe_mail(mail, says),
        Part::Reply(reply) => describe_reply(reply, says),
        Part::Peer(peer) => describe_peer(peer, says),
        Part::Job(job) => {
            says.text("name", &job.name).text("reason", &job.reason);
            says.number("scheduled", job.scheduled_ns.map(format_rfc3339));
            "job".to_owned()
        }
        Part::Config(config) => {
            says.flag("reverted", config.is_reverted);
            says.text("revision", &config.revision).text("by", &config.by);
            "config".to_owned()
        }
    }
}

fn describe_decision(decision: &Decision<'_>, says: &mut Says) -> String {
    says.text("id", &decision.id).flag("made", decision.is_made);
    says.text("chosen", &decision.chosen).texts("options", &decision.options);
    says.text("rationale", &decision.rationale).text("category", &decision.category);
    says.text("rejected", &decision.rejected).text("reason", &decision.reason);
    "decision".to_owned()
}

fn describe_work(work: &Work<'_>, says: &mut Says) -> String {
    says.text("title", &work.title).text("parent", &work.parent);
    says.number("lineage", work.lineage.map(Lineage::as_str));
    says.text("child", &work.child).number("attempt", work.attempt);
    format!("work {}", work.change.as_str())
}

fn describe_plan(plan: &Plan<'_>, says: &mut Says) -> String {
    says.number("version", plan.version).text("goal", &plan.goal);
    let steps = plan.steps.iter().map(|step| {
        let hard_stop = if step.is_hard_stop { "!" } else { "" };
        let needs = if step.needs.is_empty() { "" } else { &format!(" {:?}", step.needs) };
        format!("{}:{}{hard_stop} {}{needs}", step.id, step.status.as_str(), step.title)
    });
    says.0.push(("steps", format!("[{}]", steps.collect::<Vec<_>>().join(", "))));
    "plan".to_owned()
}

fn describe_loop(told: &Loop<'_>, says: &mut Says) -> String {
    let frames = told.frames.iter().map(|frame| {
        let mut says = Says::default();
        says.text("issue", &frame.issue).text("filter", &frame.filter);
        says.text("branch", &frame.branch);
        let says: String = says.0.iter().map(|(name, text)| format!(" {name}={text}")).collect();
        format!("{} {} {}/{}{says}", frame.id, frame.mode, frame.iter, frame.max)
    });
    let frames: Vec<_> = frames.collect();
    says.text("reason", &told.reason).text("request", &told.request);
    says.number("frames", (!frames.is_empty()).then(|| format!("[{}]", frames.join(", "))));
    says.text("goal", &told.goal).text("next", &told.next_step);
    format!("loop {}", told.phase.as_str())
}

fn describe_mail(mail: &Mail<'_>, says: &mut Says) -> String {
    says.text("platform", &mail.platform).text("channel", &mail.channel);
    says.text("author", &mail.author).text("id", &mail.id).text("text", &mail.text);
    format!("mail {}", mail.change.as_str())
}

fn describe_reply(reply: &Reply<'_>, says: &mut Says) -> String {
    says.text("id", &reply.id).text("text", &reply.text);
    says.text("platform", &reply.platform).text("channel", &reply.channel);
    says.texts("actions", &reply.actions);
    "reply".to_owned()
}

fn describe_peer(peer: &Peer<'_>, says: &mut Says) -> String {
    says.text("pairing", &peer.pairing).text("component", &peer.component);
    says.text("kind", &peer.component_kind).text("uri", &peer.uri);
    says.text("fingerprint", &peer.fingerprint).text("error", &peer.error);
    format!("peer {}", peer.phase.as_str())
}
