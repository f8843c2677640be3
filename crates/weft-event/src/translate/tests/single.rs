//! Single events: what goes into which field, and what happens where something is missing, odd or changed.

use super::{everything, to, with_event};
use crate::facts::carried;
use crate::idle::Mode;
use crate::testing::{check, facts_of};
use crate::translate::{Fill, Loss, Numbering, Target, Untranslatable, translate};
use crate::{Dialect, event};

const PRE_TOOL_USE: &str = r#"{"version":"1.0.0","event_type":"hook.pre_tool_use","timestamp":"2026-01-01T00:00:00.123456Z","agent_id":"@a","event_id":"550e8400-e29b-41d4-a716-446655440000","session_id":"s1","source":"hook","status":"tool_use","message":"Using Read","progress":0.5,"tool":{"tool_name":"Read","tool_input":{"file_path":"/src/a.rs"},"duration_ms":12},"correlation":{"trace_id":"trace-abc","span_id":"toolu_01","parent_span_id":"p1","root_agent_id":"@root"},"metadata":{"task_id":"t1","tenant_id":"acme","usage":{"input_tokens":5,"model":"m"}}}"#;

/// Returns a translation with the object that was added taken apart: the line without it, and what it carries.
fn shown(line: &str, target: Target, fill: &Fill) -> String {
    let there = match to(line, target, fill) {
        Ok(there) => there.line,
        Err(error) => return error.to_string(),
    };
    with_event(&there, |event| {
        let value = event.value();
        let place = ["metadata", "meta", "payload", "data"].iter().find_map(|name| value.get(name));
        let added = value.get("weft").or_else(|| place?.get("weft"));
        let added = added.expect("a translation has an object of ours").raw();
        let (kept, _) = added.split_once(r#","event":"#).expect("it holds the original");
        format!("{}\n{kept}}}", there.replace(added, "…"))
    })
}

#[test]
fn facts_go_into_the_targets_own_fields_first() {
    let fill = Fill {
        mode: Some(Mode::Loop),
        prompt_file: Some("/p/prompt.txt".to_owned()),
        ..Fill::default()
    };
    insta::assert_snapshot!(shown(PRE_TOOL_USE, Target::Pinchy, &fill), @r#"
    {"version":"v1","event_id":"550e8400-e29b-41d4-a716-446655440000","trace_id":"trace-abc","occurred_at":"2026-01-01T00:00:00.123456Z","event_type":"tool.call.requested","tenant_id":"acme","source":{"component_type":"gateway","component_id":"@a","transport":"internal"},"routing":{"agent_id":"@a","session_id":"s1"},"payload":{"call_id":"toolu_01","tool_name":"Read","text":"Using Read","args":{"file_path":"/src/a.rs"},"duration_ms":12,"usage":{"input_tokens":5,"model":"m"}},"meta":{"weft":…}}
    {"dialect":"collector","type":"hook.pre_tool_use","facts":{"parent":"@root","parent_span":"p1","task":"t1","progress":0.5}}
    "#);
    insta::assert_snapshot!(shown(PRE_TOOL_USE, Target::Engine, &fill), @r#"
    {"id":"550e8400-e29b-41d4-a716-446655440000","runId":"s1","ts":1767225600123,"seq":0,"type":"ToolCallStarted","payload":{"text":"Using Read","tool":"Read","toolCallId":"toolu_01","path":"/src/a.rs","taskId":"t1","durationMs":12,"usage":{"input_tokens":5,"model":"m"},"weft":…}}
    {"dialect":"collector","type":"hook.pre_tool_use","facts":{"actor":"@a","parent":"@root","tenant":"acme","trace":"trace-abc","parent_span":"p1","time":"2026-01-01T00:00:00.123456Z","order":null,"progress":0.5}}
    "#);
    insta::assert_snapshot!(shown(PRE_TOOL_USE, Target::Needle, &fill), @r#"
    {"schema_version":1,"timestamp":"2026-01-01T00:00:00.123456Z","event_type":"hook.pre_tool_use","worker_id":"@a","session_id":"s1","sequence":0,"bead_id":"t1","data":{"message":"Using Read","tool":"Read","path":"/src/a.rs","model":"m","weft":…},"duration_ms":12,"trace_id":"trace-abc","span_id":"toolu_01"}
    {"dialect":"collector","type":"hook.pre_tool_use","facts":{"parent":"@root","tenant":"acme","parent_span":"p1","order":null,"status":"tool_use","progress":0.5,"usage":{"input_tokens":5,"model":"m"}}}
    "#);
    insta::assert_snapshot!(shown(PRE_TOOL_USE, Target::Idle, &fill), @"idle has no type for `hook.pre_tool_use` of collector: A tool is about to run");
    let progress = PRE_TOOL_USE.replace("hook.pre_tool_use", "activity.progress");
    let progress = progress.replace(r#""status":"tool_use","#, "");
    insta::assert_snapshot!(shown(&progress, Target::Idle, &fill), @r#"
    {"schema":0,"event":"STATE","run_id":"loop-9714828-1680219443","updated_at":"2026-01-01T00:00:00.123456Z","stack":[{"id":"loop-9714828-1680219443","mode":"loop","iter":5,"max":10,"prompt_file":"/p/prompt.txt","issue_id":"t1"}],"session_id":"s1","weft":…}
    {"dialect":"collector","type":"activity.progress","facts":{"actor":"@a","parent":"@root","tenant":"acme","tool":"Read","path":"/src/a.rs","message":"Using Read","trace":"trace-abc","span":"toolu_01","parent_span":"p1","duration_ms":12,"usage":{"input_tokens":5,"model":"m"}}}
    "#);
    let needle = r#"{"timestamp":"2026-01-01T00:00:00Z","event_type":"bead.failed","worker_id":"w","session_id":"s","sequence":7,"bead_id":"bd-1","data":{"error":"no route","duration_ms":90},"trace_id":"t","span_id":"x"}"#;
    insta::assert_snapshot!(shown(needle, Target::Collector, &fill), @r#"
    {"version":"1.0.0","event_type":"lifecycle.error","timestamp":"2026-01-01T00:00:00Z","agent_id":"w","event_id":"5ab57219-b582-8a80-b268-39cfaa353f4c","session_id":"s","status":"error","message":"no route","tool":{"duration_ms":90},"correlation":{"trace_id":"t","span_id":"x"},"metadata":{"task_id":"bd-1","weft":…}}
    {"dialect":"needle","type":"bead.failed","facts":{"order":7,"level":"warn"}}
    "#);
}

#[test]
fn what_is_demanded_and_missing_is_named_with_its_flag() {
    let bare = r#"{"schema":0,"event":"DONE","reason":"COMPLETE","stack":[]}"#;
    let none = Fill::default();
    insta::assert_snapshot!(shown(bare, Target::Collector, &none), @"collector demands `timestamp`, `agent_id`, which the event lacks; give them with --time --agent");
    insta::assert_snapshot!(shown(bare, Target::Pinchy, &Fill { time_ns: Some(0), ..none.clone() }), @"pinchy demands `tenant_id`, `routing.agent_id`, `routing.session_id`, which the event lacks; give them with --tenant --agent --session");
    insta::assert_snapshot!(shown(bare, Target::Engine, &Fill { time_ns: Some(0), ..none.clone() }), @"engine demands `runId`, which the event lacks; give it with --session");
    insta::assert_snapshot!(shown(PRE_TOOL_USE, Target::Idle, &none), @"idle has no type for `hook.pre_tool_use` of collector: A tool is about to run");
    let started = r#"{"version":"1.0.0","event_type":"lifecycle.started","timestamp":"2026-01-01T00:00:00Z","agent_id":"loop-1-2"}"#;
    insta::assert_snapshot!(shown(started, Target::Idle, &none), @"idle demands `stack.prompt_file`, which the event lacks; give it with --prompt-file");
    insta::assert_snapshot!(shown(started, Target::Needle, &none), @"needle demands `session_id`, which the event lacks; give it with --session");
}

#[test]
fn a_closed_dialect_without_the_type_says_so() {
    let effort = r#"{"timestamp":"2026-01-01T00:00:00Z","event_type":"effort.recorded","worker_id":"w","session_id":"s","sequence":7,"data":{}}"#;
    insta::assert_snapshot!(shown(effort, Target::Pinchy, &everything()), @"pinchy has no type for `effort.recorded` of needle: What a bead has used so far");
}

#[test]
fn events_without_a_number_are_counted_within_their_producer() {
    let line = |agent: &str| {
        format!(
            r#"{{"version":"1.0.0","event_type":"lifecycle.started","timestamp":"2026-01-01T00:00:00Z","agent_id":"{agent}","session_id":"s"}}"#
        )
    };
    let numbered = r#"{"id":"i","runId":"b","ts":1,"seq":41,"type":"AgentMessage","payload":{}}"#;
    let mut numbering = Numbering::new();
    let mut sequence = |line: &str| {
        with_event(line, |event| {
            let there = translate(event, Target::Needle, &Fill::default(), &mut numbering).unwrap();
            with_event(&there.line, |event| event.value().get("sequence").unwrap().as_u64())
        })
    };
    assert_eq!(["a", "b", "a"].map(|agent| sequence(&line(agent))), [Some(0), Some(0), Some(1)]);
    let b = line("b").replace(r#""s""#, r#""b""#);
    assert_eq!([numbered, &b].map(sequence), [Some(41), Some(42)]);
}

#[test]
fn an_event_that_was_changed_is_translated_anew() {
    let there = to(PRE_TOOL_USE, Target::Pinchy, &Fill::default()).unwrap().line;
    assert_eq!(to(&there, Target::Collector, &Fill::default()).unwrap().line, PRE_TOOL_USE);
    let changed = there.replacen("Using Read", "Using Write", 1);
    let back = to(&changed, Target::Collector, &Fill::default()).unwrap().line;
    assert_ne!(back, PRE_TOOL_USE);
    assert!(facts_of(&back).contains("message: Using Write"), "{back}");
    let retyped = there.replacen("tool.call.requested", "tool.call.completed", 1);
    let back = to(&retyped, Target::Collector, &Fill::default()).unwrap().line;
    assert_ne!(back, PRE_TOOL_USE);
}

#[test]
fn ids_are_kept_where_they_fit_and_the_same_each_time() {
    let id = |line: &str, target: Target, name: &str| {
        let there = to(line, target, &everything()).unwrap().line;
        with_event(&there, |event| event.value().text_at(name).map(|id| id.into_owned()))
    };
    let uuid = Some("550e8400-e29b-41d4-a716-446655440000".to_owned());
    assert_eq!(id(PRE_TOOL_USE, Target::Pinchy, "event_id"), uuid);
    assert_eq!(id(PRE_TOOL_USE, Target::Engine, "id"), uuid);
    let needle = r#"{"timestamp":"2026-01-01T00:00:00Z","event_type":"worker.started","worker_id":"w","session_id":"s","sequence":7,"data":{}}"#;
    let made = id(needle, Target::Collector, "event_id");
    insta::assert_snapshot!(made.clone().unwrap(), @"5ab57219-b582-8a80-b268-39cfaa353f4c");
    assert_eq!(id(needle, Target::Pinchy, "event_id"), made);
    let other = needle.replace("7,", "8,");
    assert_ne!(id(&other, Target::Collector, "event_id"), made);
}

#[test]
fn two_equal_events_without_an_identity_stay_two() {
    let done = r#"{"schema":0,"event":"DONE","reason":"COMPLETE","stack":[]}"#;
    let fill = everything();
    let mut numbering = Numbering::new();
    numbering.begin("a.jsonl");
    let mut id = || {
        with_event(done, |event| {
            let there = translate(event, Target::Pinchy, &fill, &mut numbering).unwrap();
            with_event(&there.line, |event| event.value().text_at("event_id").unwrap().into_owned())
        })
    };
    let (first, second) = (id(), id());
    assert_ne!(first, second);
    numbering.begin("a.jsonl");
    with_event(done, |event| {
        let again = translate(event, Target::Pinchy, &fill, &mut numbering).unwrap();
        assert!(again.line.contains(&first));
    });
}

#[test]
fn an_old_form_becomes_the_proper_one_of_its_dialect() {
    let none = Fill::default();
    let row = r#"{"agent_id":"@a","status":"waiting","timestamp":"2026-01-01T00:00:00Z"}"#;
    insta::assert_snapshot!(to(row, Target::Collector, &none).unwrap().line, @r#"{"version":"1.0.0","event_type":"coordination.waiting","timestamp":"2026-01-01T00:00:00Z","agent_id":"@a","status":"waiting"}"#);
    let state = r#"{"schema":1,"event":"DONE","reason":"COMPLETE","stack":[],"x":[1, 2]}"#;
    insta::assert_snapshot!(to(state, Target::Idle, &none).unwrap().line, @r#"{"schema":0,"event":"DONE","reason":"COMPLETE","stack":[],"x":[1, 2]}"#);
    let legacy = r#"{"ts":"2026-01-01T00:00:00Z","event":"worker.started","worker":"w","session":"s","data":{}}"#;
    insta::assert_snapshot!(to(legacy, Target::Needle, &none).unwrap().line, @r#"{"schema_version":1,"timestamp":"2026-01-01T00:00:00Z","event_type":"worker.started","worker_id":"w","session_id":"s","sequence":0,"data":{"weft":{"dialect":"needle","type":"worker.started","facts":{"order":null}}}}"#);
    let mismatch = PRE_TOOL_USE.replace(r#""status":"tool_use""#, r#""status":"blocked""#);
    let there = to(&mismatch, Target::Collector, &none).unwrap().line;
    assert_eq!(check(Dialect::Collector, &there), "fine");
    assert!(facts_of(&there).contains("status: blocked"), "{there}");
    for (line, target) in [(row, Target::Needle), (legacy, Target::Pinchy)] {
        let there = to(line, target, &everything()).unwrap().line;
        let from = with_event(line, |event| Target::parse(event.dialect().as_str()).unwrap());
        assert_eq!(to(&there, from, &none).unwrap().line, line);
    }
}

#[test]
fn everything_that_is_missing_is_named_at_once() {
    let none = Fill::default();
    let done = r#"{"schema":0,"event":"DONE","reason":"COMPLETE","stack":[]}"#;
    for target in [Target::Collector, Target::Pinchy, Target::Engine, Target::Needle] {
        let Err(Untranslatable::Missing { lacks, .. }) = to(done, target, &none) else {
            panic!("{} demands more than a DONE has", target.as_str());
        };
        assert!(lacks.0.len() > 1, "{lacks}");
    }
    insta::assert_snapshot!(shown(done, Target::Pinchy, &none), @"pinchy demands `occurred_at`, `tenant_id`, `routing.agent_id`, `routing.session_id`, which the event lacks; give them with --time --tenant --agent --session");
    let issue = Fill { mode: Some(Mode::Issue), ..none };
    let started = r#"{"version":"1.0.0","event_type":"lifecycle.started","timestamp":"2026-01-01T00:00:00Z","agent_id":"@a"}"#;
    insta::assert_snapshot!(shown(started, Target::Idle, &issue), @"idle demands `stack.prompt_file`, `stack.worktree_path`, `stack.branch`, `stack.base_ref`, `stack.issue_id`, which the event lacks; give them with --prompt-file --worktree --branch --base-ref --task");
}

#[test]
fn both_old_forms_of_needle_keep_their_facts() {
    let event = r#"{"ts":"2026-01-01T00:00:00Z","event":"bead.failed","worker":"w","level":"error","session":"s","data":{"n":1}}"#;
    let flat =
        r#"{"ts":1767225600000,"worker":"w","level":"error","msg":"bead.failed","session":"s"}"#;
    let carried = r#""facts":{"order":null,"level":"error"}"#;
    for line in [event, flat] {
        let there = to(line, Target::Needle, &Fill::default()).unwrap().line;
        assert_eq!(check(Dialect::Needle, &there), "fine");
        assert!(there.contains(carried), "{there}");
        let differ = with_event(line, |old| {
            with_event(&there, |new| carried::difference(&old.facts(), &new.facts()))
        });
        assert_eq!(differ.len(), 0, "{there}");
    }
    insta::assert_snapshot!(to(event, Target::Needle, &Fill::default()).unwrap().line, @r#"{"schema_version":1,"timestamp":"2026-01-01T00:00:00Z","event_type":"bead.failed","worker_id":"w","session_id":"s","sequence":0,"data":{"n":1,"weft":{"dialect":"needle","type":"bead.failed","facts":{"order":null,"level":"error"}}},"level":"error"}"#);
    let nameless = event.replace(r#""worker":"w""#, r#""worker":"""#);
    for (line, fact) in [(event, "tenant: acme"), (&nameless, "actor: agent-1")] {
        let there = to(line, Target::Needle, &everything()).unwrap().line;
        assert!(facts_of(&there).contains(fact), "{there}");
    }
    let taken = event.replace(r#""n":1"#, r#""weft":{"facts":{"tool":"t"}}"#);
    let there = to(&taken, Target::Needle, &Fill::default()).unwrap().line;
    assert!(!facts_of(&there).contains("tool"), "{there}");
}

#[test]
fn an_original_that_cannot_be_nested_is_kept_as_text() {
    let twice = r#"{"id":"i","runId":"r","ts":1,"seq":0,"type":"AgentActionProposed","payload":{"action":{"id":"a","type":"checkpoint.restore","id":"c"}}}"#;
    let deep = format!(
        r#"{{"version":"1.0.0","event_type":"lifecycle.started","timestamp":"2026-01-01T00:00:00Z","agent_id":"@a","metadata":{{"deep":{}{}}}}}"#,
        "[".repeat(125),
        "]".repeat(125)
    );
    for (line, from) in [(twice, Target::Engine), (deep.as_str(), Target::Collector)] {
        for target in [Target::Collector, Target::Needle, Target::Engine] {
            if target != from {
                let there = to(line, target, &everything()).unwrap();
                assert!(there.line.contains(r#""event":"{\"#), "{}", there.line);
                assert_eq!(to(&there.line, from, &Fill::default()).unwrap().line, line);
            }
        }
    }
}

#[test]
fn an_original_that_is_too_long_to_be_kept_is_a_loss() {
    let long = PRE_TOOL_USE.replace("Using Read", &"x".repeat(9 << 20));
    let there = to(&long, Target::Needle, &Fill::default()).unwrap();
    assert_eq!(there.losses, [Loss::Original]);
    let back = to(&there.line, Target::Collector, &Fill::default()).unwrap().line;
    let mut tape = crate::json::Tape::new();
    let mut problems = crate::problem::Problems::new();
    let expect = event::Expect::Dialect(Dialect::Collector);
    let facts = event::read(&mut tape, back.as_bytes(), expect, &mut problems).unwrap().facts();
    assert_eq!(facts.message.map(|message| message.len()), Some(9 << 20));
    assert_eq!(facts.tool.as_deref(), Some("Read"));
}
