//! A store to post to, and what its commands print with the ids and times of this run taken out.

use std::process::Command;

use crate::sandbox::{Ran, Sandbox};

/// Three messages whose ids begin alike; one id is the beginning of another.
pub(crate) const JWZ_PREFIXES: &str = r#"{"type":"topic","id":"01HP","name":"old","description":"","created_at":1703721600000}
{"type":"message","id":"01HQA","topic_id":"01HP","parent_id":null,"body":"short","created_at":1703721600001,"sender":null,"git":null}
{"type":"message","id":"01HQAB1","topic_id":"01HP","parent_id":"01HQA","body":"long","created_at":1703721600002,"sender":null,"git":null}
{"type":"message","id":"01HQC","topic_id":"01HP","parent_id":null,"body":"other","created_at":1703721600003,"sender":null,"git":null}
"#;

/// A store, who posts, and the ids that were made, in order.
pub(super) struct Board {
    pub(super) sandbox: Sandbox,
    env: Vec<(&'static str, String)>,
    ids: Vec<String>,
}

impl Board {
    pub(super) fn new() -> Self {
        let env = vec![("USER", "ann".to_owned())];
        Self { sandbox: Sandbox::with_store(&[]), env, ids: Vec::new() }
    }

    /// Returns one with a topic of each kind.
    pub(super) fn with_topics() -> Self {
        let mut board = Self::new();
        board.all(&[&["topic", "new", "tasks"], &["topic", "new", "status", "--last-value"]]);
        board
    }

    /// Sets a variable for all that follows.
    pub(super) fn env(&mut self, name: &'static str, value: &str) -> &mut Self {
        self.env.push((name, value.to_owned()));
        self
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = self.sandbox.command(args);
        command.env_remove("CLAUDE_CODE_SESSION_ID");
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        command
    }

    pub(super) fn run(&self, args: &[&str]) -> Ran {
        Ran::from(self.command(args).output().unwrap())
    }

    /// Runs with this on standard input.
    pub(super) fn pipe(&self, args: &[&str], input: &[u8]) -> Ran {
        self.sandbox.pipe(args, input)
    }

    /// Posts, and returns the id.
    pub(super) fn post(&mut self, topic: &str, args: &[&str]) -> String {
        self.made(&[&["post", topic, "--quiet"], args].concat())
    }

    /// Answers, and returns the id.
    pub(super) fn reply(&mut self, to: &str, text: &str) -> String {
        self.made(&["reply", to, "--quiet", "-m", text])
    }

    fn made(&mut self, args: &[&str]) -> String {
        let ran = self.run(args);
        assert_eq!(ran.code, 0, "{}", ran.show());
        let id = ran.stdout.trim().to_owned();
        self.ids.push(id.clone());
        id
    }

    /// Runs commands one after the other; returns what they leave, without what differs from run to run: what they say to people
    /// behind a mark, and the exit code where it is not 0.
    pub(super) fn all(&mut self, commands: &[&[&str]]) -> String {
        let mut text = String::new();
        for args in commands {
            let Ran { code, stdout, stderr } = self.run(args);
            text += &self.scrub(&format!("$ weft {}\n", args.join(" ").trim_end()));
            let said: String = stderr.lines().map(|line| format!("! {line}\n")).collect();
            text += &self.scrub(&(stdout + &said));
            if code != 0 {
                text += &format!("exit {code}\n");
            }
        }
        text
    }

    /// Takes ids and times of this run out.
    fn scrub(&mut self, text: &str) -> String {
        let mut out = String::new();
        for word in text.split_inclusive(|c: char| !c.is_ascii_alphanumeric()) {
            let (plain, end) = match word.char_indices().last() {
                Some((at, c)) if !c.is_ascii_alphanumeric() => word.split_at(at),
                Some(_) | None => (word, ""),
            };
            // Those that are written in a test are of 2023 and 2024.
            let is_ulid = plain.len() == 26 && plain.starts_with('0') && !plain.starts_with("01H");
            if is_ulid && !self.ids.iter().any(|id| id == plain) {
                self.ids.push(plain.to_owned());
            }
            let is_now =
                plain.len() == 13 && plain.parse().is_ok_and(|ms: u64| ms > 1_750_000_000_000);
            match self.ids.iter().position(|id| id == plain) {
                Some(at) => out += &format!("ID-{at}"),
                None if is_now => out += "MS",
                None => out += plain,
            }
            out += end;
        }
        let ages = ["now", "0s ago", "1s ago", "2s ago", "3s ago", "4s ago", "5s ago", "6s ago"];
        for (before, behind) in [(", ", ","), (", ", "\n"), ("(", ")")] {
            for age in ages {
                out =
                    out.replace(&format!("{before}{age}{behind}"), &format!("{before}AGO{behind}"));
            }
        }
        clocks(&out)
    }
}

/// Takes times of day away that an age stands behind, and times of receipt.
fn clocks(text: &str) -> String {
    let line = |line: &str| match (line.find(" (AGO)"), line.trim_start().split_once(' ')) {
        (Some(at), Some((name, _))) if name == "received" || name == "time" => {
            format!("  {name} AGO{}", &line[at + 6..])
        }
        (Some(at), _) => {
            let start = line[..at].trim_end_matches(|c: char| c.is_ascii_digit() || c == ':').len();
            format!("{}CLOCK{}", &line[..start], &line[at + 6..])
        }
        (None, _) => line.to_owned(),
    };
    text.lines().map(|text| line(text) + "\n").collect()
}
