//! What the engine dialect accepts, warns about and refuses, and the facts it gives.

use super::action::{ACTIONS, Action, CheckpointRestore, FsRead, Observation};
use super::judge::{self, EvidencePack, JudgeResult, JudgeRule, JudgeStatus};
use super::plan::{Plan, TaskConfig};
use super::{Event, EventType, RunState, StateReason, TAXONOMY};
use crate::Dialect;
use crate::json::{Tape, canonical};
use crate::problem::Problems;
use crate::shape::Wire;
use crate::testing::{check, facts_of, show};

/// The document's example.
const EVENTS: &str = include_str!("../../tests/fixtures/engine/events.jsonl");
/// A run with an event of each type.
const RUN: &str = include_str!("../../tests/fixtures/engine/run.jsonl");
/// The document's actions, as they stand.
const ACTION_LINES: &str = include_str!("../../tests/fixtures/engine/action.jsonl");

/// The document's examples of what is not an event.
const DOCUMENTS: [(&str, &str); 6] = [
    ("observation", include_str!("../../tests/fixtures/engine/observation.jsonl")),
    ("plan", include_str!("../../tests/fixtures/engine/plan.jsonl")),
    ("task", include_str!("../../tests/fixtures/engine/task.jsonl")),
    ("rule", include_str!("../../tests/fixtures/engine/rule.jsonl")),
    ("result", include_str!("../../tests/fixtures/engine/result.jsonl")),
    ("evidence", include_str!("../../tests/fixtures/engine/evidence.jsonl")),
];

/// Returns the problems of a document, one a line, or `fine`.
fn judge_as(name: &str, text: &str) -> String {
    let mut tape = Tape::new();
    let mut problems = Problems::new();
    let value = tape.parse(text).unwrap();
    assert!(Dialect::Engine.check_document(name, value, &mut problems), "no document {name}");
    show(&problems)
}

/// Returns a text as its typed record writes it.
macro_rules! rewritten {
    ($Type:ident, $text:expr) => {{
        let mut tape = Tape::new();
        $Type::read(tape.parse($text).unwrap()).expect("the text is of the type").to_line()
    }};
}

/// Returns the text with its keys sorted and its white space gone.
fn sorted(text: &str) -> String {
    canonical(Tape::new().parse(text).unwrap())
}

#[test]
fn the_documents_examples_are_accepted_in_their_kind() {
    for line in EVENTS.lines().chain(RUN.lines()) {
        assert_eq!(check(Dialect::Engine, line), "fine", "{line}");
        assert_eq!(rewritten!(Event, line), line);
    }
    for (name, text) in DOCUMENTS {
        assert_eq!(judge_as(name, text), "fine", "{name}");
    }
    for line in ACTION_LINES.lines().filter(|line| !line.contains("checkpoint.restore")) {
        assert_eq!(judge_as("action", line), "fine", "{line}");
    }
}

#[test]
fn typed_documents_write_what_they_read() {
    for (name, text) in DOCUMENTS {
        let written = match name {
            "observation" => rewritten!(Observation, text),
            "plan" => rewritten!(Plan, text),
            "task" => rewritten!(TaskConfig, text),
            "rule" => rewritten!(JudgeRule, text),
            "result" => rewritten!(JudgeResult, text),
            "evidence" => rewritten!(EvidencePack, text),
            other => panic!("{other} has no type"),
        };
        assert_eq!(written, text.trim_end(), "{name}");
    }
    for line in ACTION_LINES.lines().filter(|line| !line.contains("checkpoint.restore")) {
        assert_eq!(sorted(&rewritten!(Action, line)), sorted(line));
    }
}

#[test]
fn every_known_action_reads_as_its_own_type() {
    let unknown = |line: &str| {
        let mut tape = Tape::new();
        matches!(Action::read(tape.parse(line).unwrap()), Some(Action::Unknown(_)))
    };
    for line in ACTION_LINES.lines() {
        assert!(!unknown(line), "{line}");
    }
    for name in &ACTIONS[12..] {
        let line = format!(r#"{{"id":"a","type":"{name}","note":1}}"#);
        assert!(!unknown(&line), "{line}");
        assert_eq!(judge_as("action", &line), "fine");
        assert_eq!(rewritten!(Action, &line), line);
    }
    assert_eq!(ACTIONS.len(), 16);
}

#[test]
fn a_builder_writes_a_valid_action() {
    let read = FsRead { id: "a-1".into(), path: "src/main.rs".into(), ..FsRead::default() };
    let action = Action::FsRead(read);
    insta::assert_snapshot!(action.to_line(), @r#"{"id":"a-1","type":"fs.read","path":"src/main.rs"}"#);
    assert_eq!((action.id(), action.name()), ("a-1", "fs.read"));
    assert_eq!(judge_as("action", &action.to_line()), "fine");
}

#[test]
fn an_unknown_action_is_kept_with_a_warning() {
    let line = r#"{"id":"a","type":"terminal.runs","program":"x"}"#;
    insta::assert_snapshot!(judge_as("action", line), @"warning unknown_action: /type: `terminal.runs` is kept, but not known; did you mean `terminal.run`?");
    assert_eq!(rewritten!(Action, line), line);
}

#[test]
fn the_second_id_of_checkpoint_restore_is_the_checkpoints() {
    let line = ACTION_LINES.lines().find(|line| line.contains("checkpoint.restore")).unwrap();
    insta::assert_snapshot!(judge_as("action", line), @"warning checkpoint_id: /id: the second `id` is read as `checkpointId`");
    let written = rewritten!(Action, line);
    insta::assert_snapshot!(written, @r#"{"id":"...","type":"checkpoint.restore","checkpointId":"checkpoint-id"}"#);
    assert_eq!(judge_as("action", &written), "fine");
    assert_eq!(rewritten!(CheckpointRestore, &written), written);
}

#[test]
fn only_that_one_key_may_stand_twice() {
    let mut found = String::new();
    for line in [
        r#"{"id":"a","type":"checkpoint.restore"}"#,
        r#"{"id":"a","type":"checkpoint.restore","checkpointId":"c","id":"d"}"#,
        r#"{"id":"a","type":"checkpoint.restore","id":1}"#,
        r#"{"id":"a","type":"checkpoint.restore","id":"c","id":"d"}"#,
        r#"{"id":"a","type":"checkpoint.restore","checkpointId":"c","checkpointId":"d"}"#,
        r#"{"id":"a","type":"git.status","id":"b"}"#,
    ] {
        found += &format!("{line}\n{}\n", judge_as("action", line).trim_end());
    }
    insta::assert_snapshot!(found, @r#"
    {"id":"a","type":"checkpoint.restore"}
    warning bare_action: /checkpointId: `checkpointId` is missing
    {"id":"a","type":"checkpoint.restore","checkpointId":"c","id":"d"}
    error duplicate_key: /id: the key `id` stands twice
    {"id":"a","type":"checkpoint.restore","id":1}
    error missing: /checkpointId: `checkpointId` is missing
    error duplicate_key: /id: the key `id` stands twice
    {"id":"a","type":"checkpoint.restore","id":"c","id":"d"}
    warning checkpoint_id: /id: the second `id` is read as `checkpointId`
    error duplicate_key: /id: the key `id` stands twice
    {"id":"a","type":"checkpoint.restore","checkpointId":"c","checkpointId":"d"}
    error duplicate_key: /checkpointId: the key `checkpointId` stands twice
    {"id":"a","type":"git.status","id":"b"}
    error duplicate_key: /id: the key `id` stands twice
    "#);
}

#[test]
fn an_event_may_carry_such_an_action_but_not_be_one() {
    let line = r#"{"id":"e","runId":"r","ts":1,"seq":0,"type":"AgentActionProposed","payload":{"actions":[{"id":"a","type":"checkpoint.restore","id":"c"}]}}"#;
    insta::assert_snapshot!(check(Dialect::Engine, line), @"warning checkpoint_id: /payload/actions/0/id: the second `id` is read as `checkpointId`");
    let line = r#"{"id":"e","id":"f","runId":"r","ts":1,"seq":0,"type":"checkpoint.restore","payload":{}}"#;
    insta::assert_snapshot!(check(Dialect::Engine, line), @"
    warning unknown_type: /type: `checkpoint.restore` is kept, but not known
    error duplicate_key: /id: the key `id` stands twice
    ");
}

#[test]
fn a_broken_event_shows_all_that_is_wrong_with_it() {
    let line = r#"{"id":1,"runId":1,"ts":"now","seq":-1,"type":1,"payload":[]}"#;
    insta::assert_snapshot!(check(Dialect::Engine, line), @"
    error type: /id: expected string, found number
    error type: /runId: expected string, found number
    error type: /ts: expected integer, found string
    error range: /seq: -1 is less than 0
    error type: /type: expected string, found number
    error type: /payload: expected object, found array
    ");
    let line = r#"{"id":"","runId":"","ts":1.5,"seq":0.5,"type":"","payload":null}"#;
    insta::assert_snapshot!(check(Dialect::Engine, line), @"
    error length: /id: must not be empty
    error length: /runId: must not be empty
    error type: /ts: expected integer, found a number with a fraction
    error type: /seq: expected integer, found a number with a fraction
    error length: /type: must not be empty
    error type: /payload: expected object, found null
    ");
    insta::assert_snapshot!(check(Dialect::Engine, "{}"), @"
    error missing: /id: `id` is missing
    error missing: /runId: `runId` is missing
    error missing: /ts: `ts` is missing
    error missing: /seq: `seq` is missing
    error missing: /type: `type` is missing
    error missing: /payload: `payload` is missing
    ");
}

#[test]
fn an_unknown_event_type_is_kept_with_a_warning() {
    let line = EVENTS.replace("ToolCallStarted", "ToolCallStart");
    insta::assert_snapshot!(check(Dialect::Engine, line.trim_end()), @"warning unknown_type: /type: `ToolCallStart` is kept, but not known; did you mean `ToolCallStarted`?");
    let names: Vec<_> = TAXONOMY.rows().iter().map(|row| row.name).collect();
    assert_eq!(names, EventType::WORDS);
}

#[test]
fn every_action_field_is_checked() {
    let mut found = String::new();
    for line in [
        r#"{"id":"","type":""}"#,
        r#"{"id":1,"type":1}"#,
        "{}",
        r#"{"id":"a","type":"terminal.run","program":1,"args":["x",1],"cwd":1}"#,
        r#"{"id":"a","type":"terminal.exec","cmd":1,"cwd":1}"#,
        r#"{"id":"a","type":"fs.read","path":1}"#,
        r#"{"id":"a","type":"fs.write","path":1,"content":1}"#,
        r#"{"id":"a","type":"fs.applyPatch","path":1,"patch":1}"#,
        r#"{"id":"a","type":"fs.search","pattern":1,"paths":"src"}"#,
        r#"{"id":1,"type":"git.status"}"#,
        r#"{"id":"a","type":"git.diff","path":1}"#,
        r#"{"id":"a","type":"git.commit","message":1}"#,
        r#"{"id":"a","type":"checkpoint.create","label":1}"#,
        r#"{"id":"a","type":"checkpoint.restore","checkpointId":1}"#,
        r#"{"id":"a","type":"browser.fetch","url":1}"#,
        r#"{"id":"a","type":"tests.run","command":1,"cwd":1}"#,
        r#"{"id":"a","type":"plan.update","plan":1}"#,
        r#"{"id":"a","type":"task.update","task":1}"#,
        r#"{"id":"a","type":"user.ask","question":1}"#,
    ] {
        found += &judge_as("action", line);
    }
    insta::assert_snapshot!(found, @"
    error length: /id: must not be empty
    error length: /type: must not be empty
    error type: /id: expected string, found number
    error type: /type: expected string, found number
    error missing: /id: `id` is missing
    error missing: /type: `type` is missing
    error type: /program: expected string, found number
    error type: /args/1: expected string, found number
    error type: /cwd: expected string, found number
    error type: /cmd: expected string, found number
    error type: /cwd: expected string, found number
    error type: /path: expected string, found number
    error type: /path: expected string, found number
    error type: /content: expected string, found number
    error type: /path: expected string, found number
    error type: /patch: expected string, found number
    error type: /pattern: expected string, found number
    error type: /paths: expected array, found string
    error type: /id: expected string, found number
    error type: /path: expected string, found number
    error type: /message: expected string, found number
    error type: /label: expected string, found number
    error type: /checkpointId: expected string, found number
    error type: /url: expected string, found number
    error type: /command: expected array, found number
    error type: /cwd: expected string, found number
    error type: /plan: expected object, found number
    error type: /task: expected object, found number
    error type: /question: expected string, found number
    ");
}

#[test]
fn a_proposed_action_is_judged_by_its_name() {
    let event = |action: &str| {
        format!(
            r#"{{"id":"e","runId":"r","ts":1,"seq":0,"type":"AgentActionProposed","payload":{{"action":{{"id":"a","type":"{action}"}}}}}}"#
        )
    };
    assert_eq!(check(Dialect::Engine, &event("git.status")), "fine");
    insta::assert_snapshot!(check(Dialect::Engine, &event("zork.do")), @"warning unknown_action: /payload/action/type: `zork.do` is not a known action; it is never executed");
}

#[test]
fn a_sequence_has_a_largest_number() {
    let event = |seq: &str| {
        format!(r#"{{"id":"e","runId":"r","ts":1,"seq":{seq},"type":"Error","payload":{{}}}}"#)
    };
    assert_eq!(check(Dialect::Engine, &event("9007199254740991")), "fine");
    insta::assert_snapshot!(check(Dialect::Engine, &event("99999999999999999999999")), @"error range: /seq: 99999999999999999999999 is more than 9007199254740991");
}

#[test]
fn the_base_shape_of_an_action_is_kept_with_a_warning() {
    insta::assert_snapshot!(judge_as("action", r#"{"id":"tool-uuid","type":"terminal.run"}"#), @"
    warning bare_action: /program: `program` is missing
    warning bare_action: /args: `args` is missing
    ");
}

/// Returns the names of the fields that an object lacks, by its problems.
fn missing(name: &str, text: &str) -> String {
    let found = judge_as(name, text);
    let rest = found.lines().filter_map(|line| line.strip_prefix("error missing: /"));
    rest.filter_map(|rest| Some(rest.split_once(':')?.0)).collect::<Vec<_>>().join(", ")
}

#[test]
fn an_action_needs_all_that_the_document_does_not_call_optional() {
    let needs = |action: &&str| {
        let missing = missing("action", &format!(r#"{{"id":"a","type":"{action}","note":1}}"#));
        format!("{action} needs [{missing}]\n")
    };
    insta::assert_snapshot!(ACTIONS.iter().map(needs).collect::<String>(), @"
    terminal.run needs [program, args]
    terminal.exec needs [cmd]
    fs.read needs [path]
    fs.write needs [path, content]
    fs.applyPatch needs [path, patch]
    fs.search needs [pattern, paths]
    git.status needs []
    git.diff needs []
    git.commit needs [message]
    checkpoint.create needs []
    checkpoint.restore needs [checkpointId]
    browser.fetch needs [url]
    tests.run needs []
    plan.update needs []
    task.update needs []
    user.ask needs []
    ");
}

#[test]
fn a_document_needs_what_gives_it_its_meaning() {
    let needs = |name: &str| format!("{name} needs [{}]\n", missing(name, "{}"));
    insta::assert_snapshot!(Dialect::Engine.documents().map(needs).collect::<String>(), @"
    action needs [id, type]
    observation needs [ok, summary]
    plan needs [version, goal, steps]
    task needs [taskId, workspace, goal]
    rule needs [id, type]
    result needs [status, reasons, evidence]
    evidence needs [iteration, summary]
    ");
    assert_eq!(
        missing("plan", r#"{"version":1,"goal":"g","steps":[{}]}"#),
        "steps/0/id, steps/0/title, steps/0/status"
    );
    assert_eq!(missing("rule", r#"{"id":"r","type":"command"}"#), "command");
    assert_eq!(missing("rule", r#"{"id":"r","type":"tests"}"#), "");
}

/// Documents with every field of the wrong type or value.
const BROKEN_DOCUMENTS: [(&str, &str); 10] = [
    ("observation", r#"{"ok":1,"summary":1,"exitCode":0.5,"artifacts":1,"raw":1}"#),
    (
        "plan",
        r#"{"version":-1,"goal":1,"steps":[{"id":"","title":1,"criteria":[1],"status":"open","done":1,"hardStop":1},1]}"#,
    ),
    (
        "task",
        r#"{"taskId":"","workspace":1,"goal":1,"completion":[1],"budget":{"maxIterations":-1,"maxToolCalls":0.5,"maxWallTimeMs":"1"},"riskPolicy":{"allowNetwork":1,"commandPolicy":1,"pathPolicy":1},"autonomy":"full"}"#,
    ),
    ("task", r#"{"taskId":"t","workspace":"w","goal":"g","budget":1,"riskPolicy":1}"#),
    ("rule", r#"{"id":"","type":"command","command":["npm",1],"successMatch":1,"failMatch":1}"#),
    ("rule", r#"{"id":1,"type":"vibes"}"#),
    ("rule", r#"{"id":"r","type":1}"#),
    ("result", r#"{"status":"ok","reasons":[1],"evidence":1,"checks":[1]}"#),
    (
        "evidence",
        r#"{"iteration":-1,"stepId":1,"toolCalls":[1],"diff":1,"errors":[1],"summary":1}"#,
    ),
    ("evidence", "[]"),
];

#[test]
fn every_field_of_the_other_documents_is_checked() {
    let problems = |(name, text): &(&str, &str)| judge_as(name, text);
    insta::assert_snapshot!(BROKEN_DOCUMENTS.iter().map(problems).collect::<String>(), @"
    error type: /ok: expected boolean, found number
    error type: /summary: expected string, found number
    error type: /exitCode: expected integer, found a number with a fraction
    error type: /artifacts: expected object, found number
    error type: /raw: expected object, found number
    error range: /version: -1 is less than 0
    error type: /goal: expected string, found number
    error length: /steps/0/id: must not be empty
    error type: /steps/0/title: expected string, found number
    error type: /steps/0/criteria/0: expected string, found number
    error enum: /steps/0/status: `open` is not one of pending, running, done, skipped, error
    error type: /steps/0/done: expected boolean, found number
    error type: /steps/0/hardStop: expected boolean, found number
    error type: /steps/1: expected object, found number
    error length: /taskId: must not be empty
    error type: /workspace: expected string, found number
    error type: /goal: expected string, found number
    error type: /completion/0: expected string, found number
    error range: /budget/maxIterations: -1 is less than 0
    error type: /budget/maxToolCalls: expected integer, found a number with a fraction
    error type: /budget/maxWallTimeMs: expected integer, found string
    error type: /riskPolicy/allowNetwork: expected boolean, found number
    error type: /riskPolicy/commandPolicy: expected string, found number
    error type: /riskPolicy/pathPolicy: expected string, found number
    error enum: /autonomy: `full` is not one of auto, semi, plan-only
    error type: /budget: expected object, found number
    error type: /riskPolicy: expected object, found number
    error length: /id: must not be empty
    error type: /command/1: expected string, found number
    error type: /successMatch: expected string, found number
    error type: /failMatch: expected string, found number
    error type: /id: expected string, found number
    error enum: /type: `vibes` is not one of command, tests, git_clean, no_error
    error type: /type: expected string, found number
    error enum: /status: `ok` is not one of pass, fail, pending, skip
    error type: /reasons/0: expected string, found number
    error type: /evidence: expected array, found number
    error type: /checks/0: expected object, found number
    error range: /iteration: -1 is less than 0
    error type: /stepId: expected string, found number
    error type: /toolCalls/0: expected string, found number
    error type: /diff: expected string, found number
    error type: /errors/0: expected string, found number
    error type: /summary: expected string, found number
    error type: expected object, found array
    ");
}

#[test]
fn the_printed_schemas_give_the_same_verdicts() {
    let valid = |name: &str, text: &str| {
        let schema = Dialect::Engine.document_schema(name).unwrap();
        let schema = serde_json::from_str(&schema).unwrap();
        jsonschema::is_valid(&schema, &serde_json::from_str(text).unwrap())
    };
    for (name, text) in DOCUMENTS {
        assert!(valid(name, text), "{name} {text}");
    }
    for (name, text) in BROKEN_DOCUMENTS {
        assert!(!valid(name, text), "{name} {text}");
    }
    for line in ACTION_LINES.lines().filter(|line| !line.contains("checkpoint.restore")) {
        assert!(valid("action", line), "{line}");
    }
    for action in ACTIONS {
        let bare = format!(r#"{{"id":"a","type":"{action}"}}"#);
        assert_eq!(valid("action", &bare), judge_as("action", &bare) == "fine", "{bare}");
    }
    assert!(valid("action", r#"{"id":"a","type":"shell"}"#));
}

#[test]
fn every_enumerated_word_of_a_document_is_accepted() {
    let swap = |name: &str, old: &str, words: &[&str]| {
        let (_, text) = DOCUMENTS.iter().find(|(known, _)| *known == name).unwrap();
        for word in words {
            let line = text.replace(&format!(r#""{old}""#), &format!(r#""{word}""#));
            assert_eq!(judge_as(name, &line), "fine", "{line}");
        }
    };
    swap("plan", "pending", &["pending", "running", "done", "skipped", "error"]);
    swap("task", "auto", &["auto", "semi", "plan-only"]);
    swap("rule", "command", &["tests", "git_clean", "no_error"]);
    swap("result", "pass", &["pass", "fail", "pending", "skip"]);
    assert_eq!(StateReason::WORDS.len(), 17);
}

#[test]
fn a_verdict_is_as_good_as_its_worst_rule() {
    use JudgeStatus::{Fail, Pass, Pending, Skip};
    for (verdicts, whole) in [
        (&[Pass, Pending, Fail][..], Fail),
        (&[Pass, Pending, Skip], Pending),
        (&[Skip, Pass], Pass),
        (&[Skip, Skip], Skip),
        (&[], Skip),
    ] {
        assert_eq!(judge::combine(verdicts), whole, "{verdicts:?}");
    }
}

#[test]
fn evidence_is_cut_between_characters() {
    let long = "é".repeat(2_001);
    assert_eq!(judge::evidence_text(&long).chars().count(), 2_000);
    assert_eq!(judge::evidence_text("short"), "short");
}

#[test]
fn facts_of_a_run() {
    let facts = |line: &str| {
        let told = |row: &&str| {
            let dull = ["time:", "actor:", "session:", "identity:"];
            !dull.iter().any(|name| row.starts_with(name))
        };
        let described = facts_of(line);
        let rows: Vec<_> = described.lines().filter(told).collect();
        rows.join("; ") + "\n"
    };
    insta::assert_snapshot!(RUN.lines().map(facts).collect::<String>(), @"
    type: StateChanged; order: 0; status: progress; level: info; message: start
    type: UserMessage; order: 1; status: thinking; level: info; message: Fix the failing tests
    type: AgentMessageChunk; order: 2; status: thinking; level: debug; message: I will
    type: AgentMessageDone; order: 3; status: progress; level: info; message: I will read the code; usage: 900 tokens in, 12 tokens out, model m-large
    type: AgentMessage; order: 4; status: thinking; level: info; message: Reading; usage: 1 tokens in, 0.25 USD
    type: AgentActionProposed; order: 5; status: thinking; level: info; tool: fs.read; path: src/main.ts; span: tool-1; task: step-1
    type: ToolCallStarted; order: 6; status: tool_use; level: info; tool: fs.read; path: src/main.ts; span: tool-1
    type: ToolCallChunk; order: 7; status: tool_use; level: debug; tool: fs.read; message: import; span: tool-1
    type: ToolCallFinished; order: 8; status: progress; level: info; tool: fs.read; duration: 200 ms; span: tool-1
    type: Observation; order: 9; status: progress; level: warn; message: 2 tests failed; span: tool-2
    type: PlanUpdated; order: 10; status: progress; level: info
    type: TaskUpdated; order: 11; status: progress; level: info; task: task-1
    type: JudgeResult; order: 12; status: progress; level: warn
    type: JudgeResult; order: 13; status: progress; level: info
    type: Error; order: 14; status: error; level: error; message: the agent did not answer
    type: StateChanged; order: 15; status: completed; level: info; message: judge_pass
    ");
    insta::assert_snapshot!(facts_of(RUN.lines().next().unwrap()), @"
    type: StateChanged
    time: 2024-03-09T16:00:00Z
    actor: run-1
    session: run-1
    order: 0
    identity: id e-0
    status: progress
    level: info
    message: start
    ");
}

#[test]
fn the_state_of_a_run_says_its_status() {
    let status = |state: &RunState| {
        let payload = format!(r#"{{"state":"{}"}}"#, state.as_str());
        let line = EVENTS.replace("ToolCallStarted", "StateChanged").replace("{}", &payload);
        let facts = facts_of(&line);
        let told =
            facts.lines().filter(|row| row.starts_with("status") || row.starts_with("level"));
        format!("{}; {}\n", state.as_str(), told.collect::<Vec<_>>().join("; "))
    };
    insta::assert_snapshot!(RunState::ALL.iter().map(status).collect::<String>(), @"
    IDLE; level: info
    RUNNING; status: progress; level: info
    PAUSED; status: waiting; level: info
    AWAITING_USER; status: waiting; level: info
    ERROR; status: error; level: error
    FINISHED; status: completed; level: info
    ");
}

#[test]
fn facts_of_a_broken_event_are_what_can_be_read() {
    insta::assert_snapshot!(facts_of(r#"{"runId":"r","seq":3,"ts":9223372036854775807,"type":"New","payload":1}"#), @"
    type: New
    actor: r
    session: r
    order: 3
    identity: run r, seq 3
    level: info
    ");
}

#[test]
fn a_task_is_named_in_the_payload_or_in_the_task_that_it_holds() {
    let named = |payload: &str| {
        let line = format!(
            r#"{{"id":"e","runId":"r","ts":1,"seq":0,"type":"TaskUpdated","payload":{{{payload}}}}}"#
        );
        assert!(facts_of(&line).contains("\ntask: t-1\n"), "{}", facts_of(&line));
    };
    named(r#""taskId":"t-1","task":{"taskId":"t-2"}"#);
    named(r#""task":{"taskId":"t-1","goal":"g"}"#);
}

#[test]
fn an_action_that_asks_a_person_says_what_it_asks() {
    let proposed = |action: &str| {
        let line = format!(
            r#"{{"id":"e","runId":"r","ts":1,"seq":0,"type":"AgentActionProposed","payload":{{"action":{action}}}}}"#
        );
        let facts = facts_of(&line);
        facts.lines().find_map(|line| line.strip_prefix("message: ").map(str::to_owned))
    };
    let asks = proposed(r#"{"id":"q","type":"user.ask","question":"Which table?"}"#);
    assert_eq!(asks.as_deref(), Some("Which table?"));
    assert_eq!(proposed(r#"{"id":"q","type":"user.ask","question":7}"#), None);
}
