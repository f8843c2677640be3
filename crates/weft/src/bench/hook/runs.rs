//! Who takes part: how each is started and told.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::Context as _;

use super::scene::{self, Moment};

pub(super) const TRUE: &str = "true";
pub(super) const SYNC: &str = "fdatasync";
pub(super) const FLOOR: &str = "true and fdatasync";
pub(super) const WEFT_SERVED: &str = "weft, with a server";
pub(super) const WEFT_ALONE: &str = "weft, without";
pub(super) const BASH: &str = "bash and jq";
pub(super) const PYTHON: &str = "Python 3";

/// The shell script that one would write: one jq, appended to a file.
const BASH_SCRIPT: &str = r#"jq -c '{version:"1.0.0",event_type:"hook.pre_tool_use",timestamp:(now|todate),agent_id:("session-"+.session_id[:8]),session_id,source:"hook",status:"tool_use",message:("Using "+.tool_name),tool:{tool_name,tool_input},hook:{hook_type:.hook_event_name,raw_payload:.}}' >> "$0""#;

/// The Python program that one would write, appended to a file.
const PYTHON_SCRIPT: &str = r#"import json, sys
from datetime import datetime, timezone
p = json.load(sys.stdin)
event = {"version": "1.0.0", "event_type": "hook.pre_tool_use",
    "timestamp": datetime.now(timezone.utc).isoformat(), "agent_id": "session-" + p["session_id"][:8],
    "session_id": p["session_id"], "source": "hook", "status": "tool_use", "message": "Using " + p["tool_name"],
    "tool": {"tool_name": p["tool_name"], "tool_input": p["tool_input"]},
    "hook": {"hook_type": p["hook_event_name"], "raw_payload": p}}
with open(sys.argv[1], "a") as f:
    f.write(json.dumps(event) + "\n")
"#;

/// The system's own Python starts faster than one behind a version manager.
const PYTHONS: [&str; 2] = ["/usr/bin/python3", "python3"];

/// A program that takes part.
pub(super) struct Program {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    /// What it is told of.
    pub(super) moment: Moment,
    program: OsString,
    args: Vec<OsString>,
}

impl Program {
    /// Runs it once, and returns what it prints.
    pub(super) fn answer(&self, payload: &str) -> anyhow::Result<String> {
        let mut command = Command::new(&self.program);
        scene::alone(command.args(&self.args)).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().with_context(|| format!("cannot start {}", self.name))?;
        self.tell(&mut child, payload)?;
        Ok(String::from_utf8_lossy(&child.wait_with_output()?.stdout).into_owned())
    }

    pub(super) fn start(&self) -> anyhow::Result<Child> {
        let mut command = Command::new(&self.program);
        scene::alone(command.args(&self.args));
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().with_context(|| format!("cannot start {}", self.name))
    }

    /// Writes the payload, and closes the pipe.
    pub(super) fn tell(&self, child: &mut Child, payload: &str) -> anyhow::Result<()> {
        let mut stdin = child.stdin.take().context("it has a stdin")?;
        match stdin.write_all(payload.as_bytes()) {
            // Who does nothing may be gone already.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            written => Ok(written?),
        }
    }
}

/// A hook that is measured with a server, and without.
pub(super) const HOOKS: [(Moment, [&str; 2]); 4] = [
    (Moment::ToolCall, [WEFT_SERVED, WEFT_ALONE]),
    (Moment::Stop, ["Stop, with a server", "Stop, without"]),
    (Moment::PreCompact, ["PreCompact, with", "PreCompact, without"]),
    (Moment::SessionStart, ["SessionStart, with", "SessionStart, without"]),
];

/// Returns those who can take part.
pub(super) fn programs(served: &Path, alone: &Path, folder: &Path) -> anyhow::Result<Vec<Program>> {
    let moment = Moment::ToolCall;
    let (name, about) = (TRUE, "a program that does nothing");
    let mut programs =
        vec![Program { name, about, moment, program: "true".into(), args: Vec::new() }];
    let weft = std::env::current_exe().context("cannot tell where this program is")?;
    for (moment, names) in HOOKS {
        for (name, store) in names.into_iter().zip([served, alone]) {
            let words = ["hook", "--agent", "claude-code", "--store"].map(OsString::from);
            let mut args = words.to_vec();
            args.push(store.into());
            let about = match moment {
                Moment::ToolCall if name == WEFT_SERVED => "durable in the log",
                Moment::ToolCall => "durable in the spool",
                Moment::Stop => "the loop goes on: its state, and why, are durable",
                Moment::PreCompact => "an anchor is durable",
                Moment::SessionStart => "the agent is told where it was",
            };
            if moment != Moment::ToolCall {
                args.push("--decide".into());
            }
            programs.push(Program { name, about, moment, program: weft.clone().into(), args });
        }
    }
    let about = "appended to a file, not durable";
    if is_there("bash") && is_there("jq") {
        let args = vec!["-c".into(), BASH_SCRIPT.into(), folder.join("bash.jsonl").into()];
        programs.push(Program { name: BASH, about, moment, program: "bash".into(), args });
    }
    if let Some(python) = PYTHONS.into_iter().find(|python| is_there(python)) {
        let args = vec!["-c".into(), PYTHON_SCRIPT.into(), folder.join("python.jsonl").into()];
        programs.push(Program { name: PYTHON, about, moment, program: python.into(), args });
    }
    Ok(programs)
}

fn is_there(program: &str) -> bool {
    let mut command = Command::new(program);
    command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
