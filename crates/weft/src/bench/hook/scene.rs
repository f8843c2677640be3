//! Where hooks are measured: a store with many records, a loop that runs in it, and a repository for the work; and what the hooks
//! are told.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, ensure};

use super::super::log::weft::Weft;

/// The session whose loop is decided.
const SESSION: &str = "7c1e9a52-3f0d-4b86-9e21-5ad40c77b318";
/// More than any run needs: a loop that ends is not measured.
const MANY: &str = "1000000000";

/// What of the environment would change an answer.
const AROUND: [&str; 6] = [
    "WEFT_LOOP_OFF",
    "IDLE_LOOP_DISABLE",
    "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP",
    "WEFT_SESSION",
    "CLAUDE_CODE_SESSION_ID",
    "TRACEPARENT",
];

/// What a hook is told of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moment {
    /// A tool is about to be used.
    ToolCall,
    /// The agent is about to stop.
    Stop,
    /// What it knows is about to be compacted.
    PreCompact,
    /// It comes back.
    SessionStart,
}

impl Moment {
    /// Those that are answered.
    pub(super) const DECIDED: [Moment; 3] =
        [Moment::Stop, Moment::PreCompact, Moment::SessionStart];

    /// Returns how many records it leaves beside its own.
    pub(super) fn n_posted(self) -> u64 {
        match self {
            Moment::Stop => 2,
            Moment::PreCompact => 1,
            Moment::ToolCall | Moment::SessionStart => 0,
        }
    }

    /// Returns what Claude Code says, at another moment for each id.
    pub(super) fn payload(self, id: &str, work: &Path) -> String {
        let rest = match self {
            Moment::ToolCall => format!(
                r#""permission_mode":"default","effort":{{"level":"high"}},"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{{"command":"cargo test -p tide -- --nocapture","description":"Run the tide tests"}},"tool_use_id":"toolu_{id}""#
            ),
            Moment::Stop => format!(
                r#""permission_mode":"default","hook_event_name":"Stop","stop_hook_active":false,"last_assistant_message":"The tide tests pass; the gauge is next ({id}).""#
            ),
            Moment::PreCompact => {
                r#""hook_event_name":"PreCompact","trigger":"auto","custom_instructions":"""#
                    .to_owned()
            }
            Moment::SessionStart => {
                r#""hook_event_name":"SessionStart","source":"compact""#.to_owned()
            }
        };
        let work = work.display();
        format!(
            "{{\"session_id\":\"{SESSION}\",\"transcript_path\":\"{work}/{SESSION}.jsonl\",\"cwd\":\"{work}\",\"prompt_id\":\"b2d95f1e-{id}\",{rest}}}\n"
        )
    }
}

/// Takes away what would change an answer.
pub(super) fn alone(command: &mut Command) -> &mut Command {
    for name in AROUND {
        command.env_remove(name);
    }
    command
}

/// Makes a store with so many records, and returns its folder.
pub(super) fn store(folder: PathBuf, n_stored: u64) -> anyhow::Result<PathBuf> {
    Weft::open(&folder)?.store_world(1, n_stored)?;
    Ok(folder)
}

/// Makes a repository with a commit and a change.
pub(super) fn repository(folder: PathBuf) -> anyhow::Result<PathBuf> {
    fs::create_dir(&folder)?;
    fs::write(folder.join("tide.txt"), "high\n")?;
    for args in [
        &["init", "--quiet"][..],
        &["add", "."],
        &["-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "Begin"],
    ] {
        let mut git = Command::new("git");
        let done = git.arg("-C").arg(&folder).args(args).stdin(Stdio::null()).status();
        ensure!(done.context("cannot run git")?.success(), "git {} failed", args.join(" "));
    }
    fs::write(folder.join("tide.txt"), "low\n")?;
    Ok(folder)
}

/// Begins the loop that is decided. It is judged by whether anything changes, as loops are where nothing is said.
pub(super) fn begin_loop(store: &Path, work: &Path) -> anyhow::Result<()> {
    let program = std::env::current_exe().context("cannot tell where this program is")?;
    let mut command = Command::new(program);
    command.args(["loop", "start", "--session", SESSION, "--max", MANY, "--patience", MANY]);
    command.arg("--store").arg(store).arg("Measure the tide").current_dir(work);
    let ran = alone(&mut command).stdin(Stdio::null()).stdout(Stdio::null()).status()?;
    ensure!(ran.success(), "cannot begin a loop");
    Ok(())
}
