//! Claude Code's transcripts: `<session>.jsonl`, and `agent-<id>.jsonl` for every subagent.
//!
//! A row is known by its `uuid`, which copies of it keep. An answer of the model stands in one row for each of its blocks, and each
//! repeats what the answer used up.

mod answer;
mod said;
mod system;
mod title;

use std::borrow::Cow;

use super::Client;
use super::calls::Calls;
use super::draft::{Scene, Type};
use super::row;
use super::tokens::Answers;
use crate::json::{Json, Object, Value};
use title::Titles;

/// What is remembered of a transcript.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Reader {
    /// The session and the subagent, as the file's name has them.
    named_session: Option<String>,
    named_agent: Option<String>,
    /// The session whose beginning was told last.
    begun: Option<String>,
    prompt: Option<String>,
    time: Option<String>,
    calls: Calls,
    answers: Answers,
    /// The answer that ended a turn last.
    ended: Option<String>,
    /// What the session has cost so far.
    cost_usd: f64,
    titles: Titles,
}

impl Reader {
    pub(super) fn new(stem: &str) -> Self {
        let agent = stem.strip_prefix("agent-").filter(|id| !id.is_empty());
        let named_session = match agent {
            Some(_) => None,
            None => Some(stem.to_owned()).filter(|stem| !stem.is_empty()),
        };
        Self { named_session, named_agent: agent.map(str::to_owned), ..Self::default() }
    }

    /// Reads a row. Those of kinds that tell nothing of what the agent does are passed over, and so are those nobody knows.
    pub(super) fn read(&mut self, row: Value<'_>, events: &mut Vec<String>) {
        let Some(kind) = row::text(row, "type") else { return };
        if let Some(prompt) = row::id(row, "promptId") {
            self.prompt = Some(prompt.into_owned());
        }
        let Some(scene) = self.scene(row) else { return };
        match &*kind {
            "user" => {
                self.begin(row, &scene, events);
                self.read_user(row, &scene, events);
            }
            "assistant" => {
                self.begin(row, &scene, events);
                self.read_assistant(row, &scene, events);
            }
            "system" => self.read_system(row, &scene, events),
            "attachment" => self.read_attachment(row, &scene, events),
            "ai-title" => self.titles.read(row, "aiTitle", &scene, events),
            "custom-title" => self.titles.read(row, "customTitle", &scene, events),
            "summary" => self.titles.read(row, "summary", &scene, events),
            "pr-link" => pull_request(row, &scene, events),
            "cost-state" => self.read_cost(row, &scene, events),
            _ => {}
        }
    }

    /// Returns where a row stands; `None` if it has no session, or nothing says when it was.
    fn scene<'a>(&mut self, row: Value<'a>) -> Option<Scene<'a>> {
        if let Some((time, _)) = row::time(row) {
            self.time = Some(time);
        }
        let time = self.time.clone()?;
        let time_ns = crate::time::parse_rfc3339(&time)?;
        // A fork copies rows and says whose they are.
        let origin = row.get("forkedFrom").and_then(|from| row::id(from, "sessionId"));
        let named = || self.named_session.clone().map(Cow::Owned);
        let session = origin.or_else(|| row::id(row, "sessionId")).or_else(named)?;
        let named = || self.named_agent.clone().map(Cow::Owned);
        Some(Scene {
            client: Client::ClaudeCode,
            session,
            agent: row::id(row, "agentId").or_else(named),
            prompt: self.prompt.clone().map(Cow::Owned),
            time: Cow::Owned(time),
            time_ns,
        })
    }

    /// Tells the beginning of a session with its first row.
    fn begin(&mut self, row: Value<'_>, scene: &Scene<'_>, events: &mut Vec<String>) {
        if self.begun.as_deref() == Some(&scene.session) {
            return;
        }
        self.begun = Some(scene.session.clone().into_owned());
        let said = |name: &str| row::text(row, name);
        scene
            .started()
            .with("cwd", said("cwd"))
            .with("git_branch", said("gitBranch"))
            .with("client_version", said("version"))
            .with("entrypoint", said("entrypoint"))
            .write(scene, events);
    }

    pub(super) fn keep_sums(&mut self, before: &Self) {
        self.cost_usd = before.cost_usd;
    }

    pub(super) fn save(&self, object: &mut Object<'_>) {
        let texts = [
            ("begun", &self.begun),
            ("prompt", &self.prompt),
            ("time", &self.time),
            ("ended", &self.ended),
        ];
        for (name, text) in texts {
            text.iter().for_each(|text| object.text(name, text));
        }
        object.json("cost_usd", &Json::number(self.cost_usd));
        self.calls.save(object);
        self.answers.save(object);
        self.titles.save(object);
    }

    pub(super) fn resume(&mut self, state: Value<'_>) -> Option<()> {
        let said = |name: &str| state.text_at(name).map(Cow::into_owned);
        (self.begun, self.prompt) = (said("begun"), said("prompt"));
        (self.time, self.ended) = (said("time"), said("ended"));
        self.cost_usd = state.get("cost_usd")?.as_f64()?;
        self.calls = Calls::resume(state)?;
        self.answers = Answers::resume(state)?;
        self.titles = Titles::resume(state)?;
        Some(())
    }
}

/// Returns the id of an event that a row tells of: the row's own, and which of its events it is.
fn row_id(row: Value<'_>, scene: &Scene<'_>, part: &str) -> [u8; 16] {
    let copied = row.get("forkedFrom").and_then(|from| row::id(from, "messageUuid"));
    match copied.or_else(|| row::id(row, "uuid")) {
        Some(uuid) => scene.id(&["row", &uuid, part]),
        None => scene.id(&["row of", &scene.session, row.raw(), part]),
    }
}

fn pull_request(row: Value<'_>, scene: &Scene<'_>, events: &mut Vec<String>) {
    if let Some(url) = row::text(row, "prUrl") {
        let id = scene.id(&["pull request", &scene.session, &url]);
        let draft = scene.draft(Type::Progress, id, format!("Pull request {}", row::head(&url)));
        draft.with("pull_request", Some(&*url)).write(scene, events);
    }
}
