//! What the mutations start from: sample events, and the shapes from the field that are not samples because they warn.

use weft_event::{Dialect, sample};

use crate::dice::Dice;

/// Lines that Weft reads with a warning and the schema refuses.
fn tolerated(dialect: Dialect) -> &'static [&'static str] {
    match dialect {
        Dialect::Collector => &[
            r#"{"agent_id":"@qa","status":"blocked","message":"m","timestamp":"2025-12-13T20:45:00Z"}"#,
            r#"{"version":"1.1.0","event_type":"git.commit_created","timestamp":"2025-12-13T20:45:00Z","agent_id":"@qa","source":"cli","context":{"task_id":"7"}}"#,
            r#"{"version":"2.0.0","event_type":"hook.stop","timestamp":"2025-12-13T20:45:00Z","agent_id":"@qa"}"#,
        ],
        Dialect::Idle => &[
            r#"{"schema":1,"event":"STATE","run_id":"loop-1703123456-12345","updated_at":"2024-12-21T10:00:00Z","stack":[]}"#,
            r#"{"schema":0,"event":"DONE","reason":"STUCK","stack":[]}"#,
            r#"{"goal":"g","mode":"loop","iteration":"3/10","progress":"p","modified_files":"a","next_step":"n","timestamp":"2024-12-21T10:00:00Z"}"#,
            r#"{"type":"message","id":"01J","topic_id":"01K","body":[104,105],"created_at":1703123456000,"sender":null,"git":null}"#,
        ],
        Dialect::Pinchy => &[
            r#"{"version":"v1","event_id":"e","trace_id":"t","occurred_at":"2026-02-13T15:30:00Z","event_type":"tool.call.failed","tenant_id":"t","source":{"component_type":"provider","component_id":"c","transport":"mtls_ws"},"routing":{"agent_id":"a","session_id":"s"},"payload":{"status":"ok"}}"#,
        ],
        Dialect::Engine => &[
            r#"{"id":"e","runId":"r","ts":1710000000000,"seq":0,"type":"Unheard","payload":{}}"#,
            r#"{"id":"e","runId":"r","ts":1710000000000,"seq":0,"type":"AgentActionProposed","payload":{"action":{"id":"a","type":"rocket.launch"}}}"#,
        ],
        Dialect::Needle => &[
            r#"{"ts":"2026-04-21T11:20:19Z","event":"worker.started","worker":"tcb-alpha","level":"info","session":"d7","data":{}}"#,
            r#"{"ts":"2026-04-21T11:20:19Z","event":"bead.claimed","worker":{"runner":"r","provider":"p","model":"m","identifier":"i"},"session":"d7","data":{"bead_id":"bd-1"}}"#,
            r#"{"ts":1710000000000,"worker":"tcb-alpha","level":"warn","msg":"slow","bead":"bd-1"}"#,
            r#"{"timestamp":"2026-04-21T11:20:19Z","event_type":"never.heard","worker_id":"w","session_id":"s","sequence":0,"data":{}}"#,
        ],
        Dialect::Weft => &[],
    }
}

pub(crate) fn event(dialect: Dialect, dice: &mut Dice) -> String {
    let tolerated = tolerated(dialect);
    if !tolerated.is_empty() && dice.chance(5) {
        return dice.pick(tolerated).to_owned();
    }
    let rows = dialect.taxonomy().rows();
    sample::of_type(dialect, rows[dice.below(rows.len())].name, dice.bits())
}

pub(crate) fn document(dialect: Dialect, name: &str, dice: &mut Dice) -> String {
    let document = sample::document(dialect, name, dice.bits());
    document.unwrap_or_else(|| panic!("no sample of {} {name}", dialect.as_str()))
}
