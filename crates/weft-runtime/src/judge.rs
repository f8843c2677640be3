//! Whether work is done, by what commands say: the rules of seed 003's judge, run within limits, with their output as evidence.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use weft_event::digest_parts;
use weft_event::engine::judge::{JudgeStatus, combine, evidence_text};
use weft_event::json::Json;

use crate::process::{self, Ending, Finished, Heard, Limits};

/// How long a command may take, where its rule says nothing.
pub const TIME_DEFAULT: Duration = Duration::from_secs(300);
/// How long all rules of one decision may take: an agent waits ten minutes for its hook, then goes its way.
pub const TIME_MAX: Duration = Duration::from_secs(540);
/// Most bytes of a command's output that matches are looked for in.
const OUTPUT_BYTES_MAX: usize = 1 << 20;

/// A command that has to go well.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rule {
    /// Its name.
    pub id: String,
    #[serde(rename = "type")]
    kind: CommandWord,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// What its output must hold.
    #[serde(rename = "successMatch", default, skip_serializing_if = "Option::is_none")]
    pub success_match: Option<String>,
    /// What its output must not hold.
    #[serde(rename = "failMatch", default, skip_serializing_if = "Option::is_none")]
    pub fail_match: Option<String>,
    /// How long it may take, in seconds.
    #[serde(rename = "timeoutSeconds", default, skip_serializing_if = "Option::is_none")]
    pub timeout_s: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum CommandWord {
    #[serde(rename = "command")]
    Command,
}

impl Rule {
    /// Returns the rule that a line of shell has to succeed.
    pub fn shell(id: String, line: &str) -> Self {
        let command = ["sh", "-c", line].map(str::to_owned).to_vec();
        let (success_match, fail_match, timeout_s) = (None, None, None);
        Self { id, kind: CommandWord::Command, command, success_match, fail_match, timeout_s }
    }

    /// Returns the command as a person writes it.
    pub fn shown(&self) -> String {
        match self.command.as_slice() {
            [shell, flag, line] if shell == "sh" && flag == "-c" => line.clone(),
            words => words.join(" "),
        }
    }
}

/// What a rule came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// The rule.
    pub id: String,
    /// The verdict.
    pub status: JudgeStatus,
    /// Why, in a few words.
    pub reason: String,
    /// The end of what was printed, as much as evidence keeps.
    pub output: String,
    /// How long it took.
    pub took: Duration,
}

/// What all rules came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// The verdict over all of them.
    pub status: JudgeStatus,
    /// Each one's.
    pub checks: Vec<Checked>,
}

impl Judged {
    /// Returns the verdict of checks.
    pub fn of(checks: Vec<Checked>) -> Self {
        let verdicts: Vec<_> = checks.iter().map(|check| check.status).collect();
        Self { status: combine(&verdicts), checks }
    }

    /// Returns the result as seed 003 writes it: the verdict, why, and each check with the end of what it printed as its evidence.
    pub fn json(&self) -> Json<'static> {
        let failed = self.checks.iter().filter(|check| check.status != JudgeStatus::Pass);
        let reasons = failed.map(|check| Json::text(&check.reason));
        let evidence = self.checks.iter().map(|check| Json::text(&format!("checks:{}", check.id)));
        let checks = self.checks.iter().map(|check| {
            Json::object(|object| {
                object.text("id", &check.id);
                object.text("status", check.status.as_str());
                object.text("reason", &check.reason);
                object.text("output", &check.output);
                let took_ms = u64::try_from(check.took.as_millis()).unwrap_or(u64::MAX);
                object.json("took_ms", &Json::integer(took_ms));
            })
        });
        Json::object(|object| {
            object.text("status", self.status.as_str());
            object.json("reasons", &Json::array(reasons));
            object.json("evidence", &Json::array(evidence));
            object.json("checks", &Json::array(checks));
        })
    }

    /// Returns what the result is known by, so that an equal one can be told: the verdicts, and what was printed.
    pub fn digest(&self) -> String {
        let texts = self.checks.iter().flat_map(|check| [&check.id, &check.reason, &check.output]);
        let parts: Vec<_> = texts.map(String::as_bytes).collect();
        digest_parts(&parts).iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// Runs the rules in a folder, one after the other, and keeps what they print. All together may take [`TIME_MAX`].
pub fn judge(rules: &[Rule], folder: &Path) -> Judged {
    let begun = Instant::now();
    let left = || TIME_MAX.saturating_sub(begun.elapsed());
    Judged::of(rules.iter().map(|rule| check(rule, folder, left())).collect())
}

fn check(rule: &Rule, folder: &Path, left: Duration) -> Checked {
    let Some((program, args)) = rule.command.split_first() else {
        let reason = "it names no command".to_owned();
        let (id, output, took) = (rule.id.clone(), String::new(), Duration::ZERO);
        return Checked { id, status: JudgeStatus::Fail, reason, output, took };
    };
    let mut command = Command::new(program);
    command.args(args).current_dir(folder);
    let time = rule.timeout_s.map_or(TIME_DEFAULT, Duration::from_secs).min(left);
    let limits = Limits { time, output_bytes: OUTPUT_BYTES_MAX };
    match process::run(command, Heard::Together, limits) {
        Ok(finished) => judge_one(rule, &finished, time),
        Err(error) => Checked {
            id: rule.id.clone(),
            status: JudgeStatus::Fail,
            reason: format!("`{}` cannot be run: {error}", rule.shown()),
            output: String::new(),
            took: Duration::ZERO,
        },
    }
}

/// The exit code decides first, then what must not be in the output, then what must be.
fn judge_one(rule: &Rule, finished: &Finished, time: Duration) -> Checked {
    let text = String::from_utf8_lossy(&finished.output);
    let has = |wanted: &Option<String>| wanted.as_ref().is_some_and(|it| text.contains(it));
    let shown = rule.shown();
    let failure = match finished.ending {
        Ending::TimedOut => Some(format!("`{shown}` took longer than {} s", time.as_secs())),
        Ending::Signal(signal) => Some(format!("`{shown}` was ended by signal {signal}")),
        Ending::Code(0) if has(&rule.fail_match) => {
            let hit = rule.fail_match.as_deref().unwrap_or_default();
            Some(format!("`{shown}` printed `{hit}`"))
        }
        Ending::Code(0) if rule.success_match.is_some() && !has(&rule.success_match) => {
            let wanted = rule.success_match.as_deref().unwrap_or_default();
            Some(format!("`{shown}` did not print `{wanted}`"))
        }
        Ending::Code(0) => None,
        Ending::Code(code) => Some(format!("`{shown}` ended with code {code}")),
    };
    let (status, reason) = match failure {
        Some(reason) => (JudgeStatus::Fail, reason),
        None => (JudgeStatus::Pass, format!("`{shown}` went well")),
    };
    let output = tail(&text).to_owned();
    Checked { id: rule.id.clone(), status, reason, output, took: finished.took }
}

/// Returns the end of a text, as much as evidence keeps: what went wrong stands last.
fn tail(text: &str) -> &str {
    let n_kept = evidence_text(text).chars().count();
    let n_cut = text.chars().count() - n_kept;
    text.char_indices().nth(n_cut).map_or("", |(at, _)| &text[at..])
}

#[cfg(test)]
mod tests;
