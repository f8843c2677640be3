//! What the hooks of coding agents and the files of their sessions report.

use super::describe::whole;

/// Returns what the events of a fixture report, a line for each type and report, without those that report nothing.
fn reports(events: &str) -> String {
    let mut out: Vec<String> = Vec::new();
    for line in events.lines() {
        let hook: serde_json::Value = serde_json::from_str(line).expect("a fixture is JSON");
        let event_type = hook["event_type"].as_str().expect("an event has a type");
        let report = whole(line);
        if report != "-" {
            out.push(format!("{event_type}: {report}"));
        }
    }
    out.join("\n")
}

#[test]
fn hooks_of_claude_code_report_what_is_said_asked_and_done() {
    let events = include_str!("../../../tests/fixtures/hooks/claude-code.events.jsonl");
    insta::assert_snapshot!(reports(events), @r#"
    hook.session_start: words program title text="Tide tables"
    hook.prompt_submit: words person prompt text="Why does the tide table skip an hour in March?\nLook at the tests first."
    hook.pre_tool_use: call running input={"command":"cargo test -p tide","description":"Run the tide tests"}
    hook.permission_request: ask permission
    hook.permission_denied: call denied input={"prompt":"Read the table","url":"https://tides.example/table"} result="Network access is not allowed in this project"
    hook.post_tool_use: call completed input={"command":"cargo test -p tide","description":"Run the tide tests"} result={"interrupted":false,"isImage":false,"noOutputExpected":false,"stderr":"","stdout":"running 12 tests\ntest tide::spring ... ok\n"}
    hook.post_tool_use: call completed input={"lat":51.64,"lon":-8.5} result="The depth there is 12 m."
    hook.pre_tool_use: call running input={"file_path":"/home/ana/harbor/src/tide.rs","limit":80}
    hook.post_tool_use_failure: call failed input={"command":"cargo test -p moon"} result="Exit code 101\nerror: no package named moon"
    hook.notification: ask permission
    hook.subagent_stop: turn completed id="a4d2c8f1e0b3a297" words="Three callers, all in src/tide.rs."
    hook.task_created: work created title="Handle the missing hour"
    hook.task_completed: work completed title="Handle the missing hour"
    hook.stop: turn completed id="b2d95f1e-0c44-4a7b-8f13-9e6d2c5a7b10" words="Fixed: the table now counts in UTC."
    hook.stop_failure: turn failed id="b2d95f1e-0c44-4a7b-8f13-9e6d2c5a7b10"
    hook.message_display: words agent message text="Fixed: the table now counts in UTC."
    hook.elicitation: ask answer id="el-7"
    hook.elicitation_result: ask answer answered=yes id="el-7"
    hook.notification: words program notice text="The agent has finished 🌊"
    "#);
}

#[test]
fn hooks_of_codex_report_the_same() {
    let events = include_str!("../../../tests/fixtures/hooks/codex.events.jsonl");
    insta::assert_snapshot!(reports(events), @r#"
    hook.prompt_submit: words person prompt text="Explain the tide table"
    hook.pre_tool_use: call running input={"command":"cargo test -p tide"}
    hook.permission_request: ask permission
    hook.post_tool_use: call completed input={"command":"cargo test -p tide"} result="running 12 tests\ntest result: ok"
    hook.subagent_stop: turn completed id="019b2f46-1111-7222-8333-444455556666"
    hook.stop: turn completed id="019b2f45-0a11-7b90-8c3d-1e2f3a4b5c6d" words="The table counts hours, not tides."
    "#);
}

#[test]
fn a_transcript_reports_whole_texts_calls_and_turns() {
    let events = include_str!(
        "../../../tests/fixtures/transcripts/claude/projects/-home-ana-harbor/5b0e7c1a-92d4-4f6b-8a37-c1d2e3f40516.jsonl.events"
    );
    insta::assert_snapshot!(reports(events), @r#"
    activity.prompt: words person prompt text="What is the tide at noon?\nLook into tides.csv."
    activity.thinking: words agent thought text="The table has a row for every hour.\nI look for 12:00."
    activity.message: words agent message text="I look into the table."
    activity.tool_use: call running input={"command":"grep 12:00 tides.csv","description":"Find noon"}
    activity.tool_use: call running input={"file_path":"/home/ana/harbor/tides.csv"}
    activity.tool_result: call completed result="12:00,3.1"
    activity.tool_result: call failed result="hour,metres\n[image]"
    activity.tool_use: call running input={"description":"Moon","prompt":"Check the moon","subagent_type":"Explore"}
    activity.tool_result: call completed result="Full moon"
    activity.prompt: words person prompt text="And at midnight?"
    activity.message: words agent message text="At noon the tide is 3.1 m.\n\nAt midnight it is 0.4 m."
    activity.turn_completed: turn completed id="c0a7d3b1-6e52-4d18-9f0b-7a1b2c3d4e5f" words="At noon the tide is 3.1 m. …"
    system.title: words program title text="Tide tables"
    system.title: words program title text="Noon tide"
    activity.prompt: words person prompt text="Draw it\n[image]"
    activity.turn_aborted: turn aborted id="d1b8e4c2-7f63-4e29-80ac-8b2c3d4e5f60"
    activity.turn_failed: turn failed id="d1b8e4c2-7f63-4e29-80ac-8b2c3d4e5f60"
    activity.tool_use: call running input={"query":"spring tide"}
    activity.tool_result: call completed result="[web_search_result]"
    activity.tool_use: call running input={}
    activity.tool_result: call failed result="no moon"
    activity.tool_use: call running input={"url":"https://tides.example"}
    activity.tool_result: call failed result="{\"type\":\"web_fetch_tool_result_error\",\"error_code\":\"url_not_accessible\"}"
    system.title: words program title text="Spring tide"
    system.title: words program title text="Noon tide"
    "#);
}

#[test]
fn a_rollout_reports_the_same() {
    let events = include_str!(
        "../../../tests/fixtures/transcripts/codex/sessions/2026/11/14/rollout-2026-11-14T09-30-00-019b2f44-7d31-7c02-a5e8-60f1b2c3d4e5.jsonl.events"
    );
    insta::assert_snapshot!(reports(events), @r#"
    activity.prompt: words person prompt text="Explain the tide table"
    activity.thinking: words agent thought text="**Looking at the table**"
    activity.tool_use: call running input={"command":["cat","tides.csv"],"workdir":"/home/ana/harbor"}
    activity.tool_result: call failed result="cat: no such file\n"
    activity.tool_use: call running input={"input":"*** Begin Patch"}
    activity.tool_result: call completed result="Success"
    activity.tool_use: call running input={"command":["ls"],"type":"exec"}
    activity.tool_result: call completed result="tides.csv"
    activity.tool_use: call running input={"query":"tide","type":"search"}
    activity.tool_result: call completed result=""
    activity.tool_use: call running input={"input":"not json"}
    activity.tool_result: call completed result="full\n[input_image]"
    activity.tool_use: call running input={"query":"tide"}
    activity.tool_result: call completed result=""
    activity.tool_use: call running input={"input":"A tide"}
    activity.tool_result: call completed result=""
    activity.message: words agent message text="The table has hours and metres."
    activity.turn_completed: turn completed id="019b2f45-0a11-7b90-8c3d-1e2f3a4b5c6d" words="The table has hours and metres."
    activity.prompt: words person prompt text="Explain the tide table"
    activity.turn_aborted: turn aborted id="019b2f46-1b22-7ca1-9d4e-2f3a4b5c6d7e"
    activity.message: words agent message text="I go back."
    activity.turn_failed: turn failed id="019b2f46-1b22-7ca1-9d4e-2f3a4b5c6d7e"
    activity.message: words agent message text="Once more."
    activity.message: words agent message text="Once more."
    activity.turn_completed: turn completed id="019b2f47-2c33-7db2-8e5f-3a4b5c6d7e8f" words="Once more."
    "#);
}
