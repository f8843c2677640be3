//! What agents write: sentences, paths, commands and tool calls, with the quotes, escapes and scripts that real ones have.

use super::draw::Draw;
use crate::json::{Json, Object, write_text};

const SUBJECTS: [&str; 12] = [
    "The parser",
    "The retry loop",
    "Test `login_expires`",
    "The migration",
    "Worker 3",
    "The \"strict\" mode",
    "El módulo de pagos",
    "Die Prüfsumme",
    "日本語の入力",
    "The index build",
    "C:\\build\\agent",
    "The review",
];
const VERBS: [&str; 8] = [
    "now covers",
    "still fails on",
    "was split from",
    "waits for",
    "no longer needs",
    "agrees with",
    "was checked against",
    "runs before",
];
const OBJECTS: [&str; 12] = [
    "the empty input",
    "lines that end in \\r\\n",
    "the nightly job",
    "three of four cases",
    "the café fixture ☕",
    "a lock held by @qa-engineer",
    "`SELECT * FROM runs WHERE id = \"7\"`",
    "the second attempt",
    "naïve clients",
    "tabs\tand spaces",
    "emoji 🚀 in branch names",
    "the 2-hour limit",
];
const FOLDERS: [&str; 6] =
    ["src/auth", "src/api/v2", "tests/it", "crates/store/src", "docs", "web/src/größe"];
const FILES: [&str; 8] = [
    "session.rs",
    "login_test.py",
    "routes.ts",
    "README.md",
    "schema.sql",
    "mod util.go",
    "main.rs",
    "index.html",
];
const COMMANDS: [&str; 8] = [
    "cargo test -p store -- --nocapture",
    "npm run build && npm test",
    "rg -n \"TODO|FIXME\" src | head -20",
    "git diff --stat HEAD~1",
    "printf '%s\\n' \"$PATH\" | tr ':' '\\n'",
    "python3 -m pytest tests/it -q",
    "ls -la",
    "sed -n '1,40p' src/api/v2/routes.ts",
];
const MODELS: [&str; 3] = ["claude-opus-4-7", "claude-sonnet-4-5", "gpt-5.2-codex"];

impl Draw {
    /// Returns one sentence.
    pub(super) fn sentence(&mut self) -> String {
        format!(
            "{} {} {}.",
            self.dice.pick(&SUBJECTS),
            self.dice.pick(&VERBS),
            self.dice.pick(&OBJECTS)
        )
    }

    /// Returns up to `sentences_max` sentences, over several lines.
    pub(super) fn text(&mut self, sentences_max: u64) -> String {
        let n = self.dice.between(1, sentences_max);
        let sentences: Vec<_> = (0..n).map(|_| self.sentence()).collect();
        sentences.join(self.dice.pick(&[" ", "\n", "\n\n"]))
    }

    pub(super) fn path(&mut self) -> String {
        format!("{}/{}", self.dice.pick(&FOLDERS), self.dice.pick(&FILES))
    }

    pub(super) fn absolute_path(&mut self) -> String {
        format!("/home/ana/app/{}", self.path())
    }

    pub(super) fn command(&mut self) -> &'static str {
        self.dice.pick(&COMMANDS)
    }

    pub(super) fn model(&mut self) -> &'static str {
        self.dice.pick(&MODELS)
    }

    /// Returns some lines of code.
    pub(super) fn code(&mut self, lines_max: u64) -> String {
        let n = self.dice.between(1, lines_max);
        let line = |n: u64| format!("    let row_{n} = table.get(\"key-{}\")?;\n", n * 7 % 31);
        (0..n).map(|_| line(self.dice.below(40))).collect()
    }

    /// Returns a tool's name and what it is given.
    pub(super) fn tool_call(&mut self) -> (&'static str, Json<'static>) {
        let name = self.dice.pick(&[
            "Bash",
            "Read",
            "Edit",
            "Grep",
            "Write",
            "TodoWrite",
            "mcp__tracker__update",
        ]);
        let input = Json::object(|input| match name {
            "Bash" => {
                input.text("command", self.command());
                input.text("description", &self.sentence());
            }
            "Read" => {
                input.text("file_path", &self.absolute_path());
                input.json("limit", &self.count(20, 2_000));
            }
            "Edit" => {
                input.text("file_path", &self.absolute_path());
                input.text("old_string", &self.code(2));
                input.text("new_string", &self.code(4));
                input.json("replace_all", &Json::bool(false));
            }
            "Grep" => {
                input.text("pattern", "fn\\s+\\w+_test\\(");
                input.text("path", self.dice.pick(&FOLDERS));
            }
            "Write" => {
                input.text("file_path", &self.absolute_path());
                input.text("content", &self.code(8));
            }
            "TodoWrite" => input.json("todos", &self.todos()),
            _ => {
                input.text("issue", &format!("auth-{}", self.dice.below(300)));
                let labels = ["backend", "naïve", "p1"].map(Json::text);
                input.json("labels", &Json::array(labels));
            }
        });
        (name, input)
    }

    fn todos(&mut self) -> Json<'static> {
        let n = self.dice.between(1, 4);
        let todo = |_| {
            Json::object(|todo| {
                todo.text("content", &self.sentence());
                todo.text("status", self.dice.pick(&["pending", "in_progress", "completed"]));
            })
        };
        Json::array((0..n).map(todo))
    }

    /// Returns what a model call used.
    pub(super) fn usage(&mut self) -> Json<'static> {
        Json::object(|usage| {
            usage.json("input_tokens", &self.count(200, 90_000));
            usage.json("output_tokens", &self.count(20, 8_000));
            usage.text("model", self.model());
            usage.text("provider", "anthropic");
        })
    }

    /// Writes a member of up to `sentences_max` sentences; some the way that writers do which keep to ASCII.
    pub(super) fn write_prose(&mut self, object: &mut Object<'_>, name: &str, sentences_max: u64) {
        let text = self.text(sentences_max);
        let out = object.key(name);
        let start = out.len();
        write_text(out, &text);
        if self.dice.chance(12) && !out[start..].is_ascii() {
            let ascii = to_ascii(&out[start..]);
            out.truncate(start);
            out.push_str(&ascii);
        }
    }
}

fn to_ascii(json: &str) -> String {
    let mut out = String::with_capacity(json.len() * 2);
    for c in json.chars() {
        if c.is_ascii() {
            out.push(c);
        } else {
            let mut units = [0; 2];
            c.encode_utf16(&mut units)
                .iter()
                .for_each(|unit| out.push_str(&format!("\\u{unit:04x}")));
        }
    }
    out
}
