//! The message board: topics, what is posted to them, and the requests that loops answer.

use super::{Play, Run, time_of};
use crate::demo::pen;
use crate::demo::prose::{SUMMARIES, Task};
use crate::demo::stage::Pause;
use crate::idle::{Command, Refusal};
use crate::time::MILLI_NS;

/// The topics that every board has.
const TOPICS: [(&str, &str); 6] = [
    ("loop:current", "The state of the running loop"),
    ("loop:anchor", "What is needed to go on after compaction"),
    ("loop:trace", "What the loops' hooks did"),
    ("loop:control", "Requests to loops, and their answers"),
    ("project:harbor", "What everybody should know"),
    ("agent:reviewer", "Word to the reviewer"),
];

/// Who posts.
#[derive(Clone, Copy)]
struct Author {
    id: &'static str,
    role: &'static str,
}

const WORKER: Author = Author { id: "night-loop", role: "worker" };
const REVIEWER: Author = Author { id: "reviewer", role: "reviewer" };

impl Play<'_> {
    /// The board is set up by whoever comes first; the others come when it is there.
    pub(super) fn open_board(&mut self) {
        if !self.loops.topics.is_empty() {
            return;
        }
        for (name, description) in TOPICS {
            let id = self.new_topic(name, description);
            self.loops.topics.push((name, id));
        }
        let at_ns = self.place().at_ns;
        for place in &mut self.loops.places {
            place.at_ns = place.at_ns.max(at_ns);
        }
    }

    /// A topic is made; returns its id.
    fn new_topic(&mut self, name: &str, description: &str) -> String {
        self.wait((20, 90));
        let at_ns = self.place().at_ns;
        let id = self.stage.dice.ulid(at_ns);
        self.say((0, 0), |object, place, _| {
            object.text("type", "topic");
            object.text("id", &id);
            object.text("name", name);
            object.text("description", description);
            pen::plain(object, "created_at", place.at_ns / MILLI_NS);
        });
        id
    }

    /// Returns the id of a topic that every board has.
    fn topic(&self, name: &str) -> String {
        let topic = self.loops.topics.iter().find(|(known, _)| *known == name);
        topic.map(|(_, id)| id.clone()).unwrap_or_default()
    }

    /// Posts a message; returns its id.
    fn post(
        &mut self,
        pause: Pause,
        (topic, parent): (&str, Option<&str>),
        author: Author,
        body: &str,
    ) -> String {
        self.wait(pause);
        let at_ns = self.place().at_ns;
        let id = self.stage.dice.ulid(at_ns);
        self.say((0, 0), |object, place, dice| {
            object.text("type", "message");
            object.text("id", &id);
            object.text("topic_id", topic);
            match parent {
                Some(parent) => object.text("parent_id", parent),
                None => object.key("parent_id").push_str("null"),
            }
            object.text("body", body);
            pen::plain(object, "created_at", place.at_ns / MILLI_NS);
            pen::nest(object, "sender", |sender| {
                let id = if author.id == WORKER.id { place.name } else { author.id };
                sender.text("id", id);
                sender.text("name", id);
                sender.text("model", "claude-sonnet-4-5");
                sender.text("role", author.role);
            });
            pen::nest(object, "git", |git| {
                git.text("oid", &dice.hex(40));
                git.text("head", "main");
                pen::plain(git, "dirty", dice.chance(40));
                git.text("prefix", "");
            });
        });
        id
    }

    /// Tells everybody.
    pub(super) fn announce(&mut self, text: &str) {
        let topic = self.topic("project:harbor");
        self.post((300, 1_500), (&topic, None), WORKER, text);
    }

    /// An issue gets a topic, a first word and an answer.
    pub(super) fn discuss(&mut self, issue: &str, task: &Task) {
        let topic = self.new_topic(&format!("issue:{issue}"), task.title);
        let first = self.post((200, 900), (&topic, None), WORKER, task.prompt);
        let body = format!("Please keep {} as it is.", task.test);
        self.post((900, 4_000), (&topic, Some(&first)), REVIEWER, &body);
    }

    /// The reviewer is asked directly, and answers.
    pub(super) fn ask_reviewer(&mut self, task: &Task) {
        let topic = self.topic("agent:reviewer");
        let body = format!("Please look at: {}", task.commit);
        let asked = self.post((300, 1_500), (&topic, None), WORKER, &body);
        let answer = self.stage.dice.pick(&SUMMARIES);
        self.post((5_000, 20_000), (&topic, Some(&asked)), REVIEWER, answer);
    }

    /// A loop is asked for something, takes the request, and does it.
    pub(super) fn control(&mut self, run: &Run, command: Command, reason: &str) {
        let id = self.request(run, command, reason);
        self.answer((200, 1_500), run, &id, None);
    }

    /// A loop that has ended is asked to go on, and cannot.
    pub(super) fn refused(&mut self, run: &Run) {
        let id = self.request(run, Command::Resume, "I pressed the wrong key");
        self.answer((200, 900), run, &id, Some(Refusal::InvalidState));
    }

    fn request(&mut self, run: &Run, command: Command, reason: &str) -> String {
        let id = self.stage.dice.random_uuid();
        self.say((3_000, 12_000), |object, place, _| {
            pen::plain(object, "schema", 0);
            object.text("event", "REQUEST");
            object.text("request_id", &id);
            object.text("ts", &time_of(place.at_ns));
            object.text("run_id", &run.id);
            object.text("session_id", &place.session);
            object.text("command", command.as_str());
            object.text("reason", reason);
        });
        id
    }

    fn answer(&mut self, pause: Pause, run: &Run, id: &str, refusal: Option<Refusal>) {
        for word in ["ACK", "RESULT"] {
            self.say(pause, |object, place, _| {
                pen::plain(object, "schema", 0);
                object.text("event", word);
                object.text("request_id", id);
                object.text("ts", &time_of(place.at_ns));
                object.text("run_id", &run.id);
                object.text("session_id", &place.session);
                if word == "RESULT" {
                    pen::plain(object, "ok", refusal.is_none());
                    if let Some(refusal) = refusal {
                        object.text("code", refusal.as_str());
                    }
                    pen::nest(object, "details", |details| {
                        pen::plain(details, "iteration", run.iter);
                    });
                }
            });
        }
    }
}
