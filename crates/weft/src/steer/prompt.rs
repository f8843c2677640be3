//! The prompts of frames: each a file of its own that only its owner can read, and a copy in the log; and beside them what is noted of
//! the work.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use weft_event::digest_parts;
use weft_event::idle::Topic;
use weft_log::query::Records;
use weft_log::{PROMPTS_FOLDER, Store, TopicKey};
use weft_runtime::loops::Frame;

use super::VIA;

/// The file of one.
const FILE: &str = "prompt.txt";

/// Returns where the prompt of a frame is.
pub(super) fn path(store: &Store, frame_id: &str) -> anyhow::Result<PathBuf> {
    let root = store.root().canonicalize().context("cannot tell where the store is")?;
    Ok(root.join(PROMPTS_FOLDER).join(frame_id).join(FILE))
}

/// Returns whether a loop may ever have begun in a store.
pub(crate) fn has_any(store: &Path) -> bool {
    store.join(PROMPTS_FOLDER).is_dir()
}

/// Returns where the newest commits of the work in a folder are noted, beside the prompts.
pub(crate) fn commits_of(store: &Path, folder: &Path) -> PathBuf {
    let digest = digest_parts(&[folder.as_os_str().as_encoded_bytes()]);
    let digest: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    store.join(PROMPTS_FOLDER).join(format!("commits-{digest}"))
}

/// Writes a prompt without its secrets, as the log has it, for nobody else to read.
pub(super) fn write(store: &Store, path: &Path, prompt: &str) -> anyhow::Result<()> {
    let unwritable = || format!("cannot write the prompt {}", path.display());
    if let Some(folder) = path.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(folder).with_context(unwritable)?;
    }
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    let mut file = options.open(path).with_context(unwritable)?;
    let prompt = store.redaction().redact(VIA, prompt.as_bytes());
    file.write_all(&prompt).with_context(unwritable)
}

/// Returns the prompt of a frame, from its file or from the log; empty if it is nowhere.
pub(crate) fn read(records: &mut Records, frame: &Frame) -> String {
    fs::read_to_string(&frame.prompt_file)
        .ok()
        .or_else(|| from_log(records, frame))
        .unwrap_or_default()
}

/// Writes the file of a prompt again, if it is gone.
pub(crate) fn restore(records: &mut Records, frame: &Frame) -> anyhow::Result<()> {
    if frame.prompt_file.exists() {
        return Ok(());
    }
    let store = records.store().clone();
    match from_log(records, frame) {
        Some(prompt) => write(&store, &frame.prompt_file, &prompt),
        None => Ok(()),
    }
}

fn from_log(records: &mut Records, frame: &Frame) -> Option<String> {
    let topic = TopicKey { topic: Topic::LoopTrace.to_string(), key: Some(frame.id.clone()) };
    let found = records.latest(&topic).ok()??;
    let event: serde_json::Value = serde_json::from_slice(&found.line).ok()?;
    event.get("details")?.get("prompt")?.as_str().map(str::to_owned)
}
