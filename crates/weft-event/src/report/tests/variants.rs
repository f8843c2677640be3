//! The forms in which producers say the same: kinds of notifications, plans, errors, texts in blocks, options, old shapes.

use super::describe::{describe, read, whole};

/// Returns a hook's event with these members of its payload.
fn hook(event_type: &str, payload: &str) -> String {
    format!(
        r#"{{"version":"1.0.0","event_type":"hook.{event_type}","timestamp":"2026-11-14T09:30:00Z","agent_id":"a","message":"in short","hook":{{"hook_type":"H","raw_payload":{{{payload}}}}}}}"#
    )
}

/// Returns a collector event with these members of its own.
fn collector(event_type: &str, members: &str) -> String {
    format!(
        r#"{{"version":"1.0.0","event_type":"{event_type}","timestamp":"2026-11-14T09:30:00Z","agent_id":"a","message":"in short",{members}}}"#
    )
}

/// Returns an engine event with this payload.
fn engine(event_type: &str, payload: &str) -> String {
    format!(
        r#"{{"id":"e","runId":"r","ts":1,"seq":0,"type":"{event_type}","payload":{{{payload}}}}}"#
    )
}

/// Returns a needle event with these members of its data.
fn needle(event_type: &str, data: &str) -> String {
    format!(
        r#"{{"timestamp":"2026-11-14T09:30:00Z","event_type":"{event_type}","worker_id":"w","session_id":"s","sequence":0,"data":{{{data}}}}}"#
    )
}

/// Returns the reports of lines, one a line.
fn all(lines: impl IntoIterator<Item = String>) -> String {
    lines.into_iter().map(|line| whole(&line) + "\n").collect()
}

#[test]
fn a_notification_asks_or_tells_by_its_kind() {
    let kinds = [
        "permission_prompt",
        "idle_prompt",
        "agent_needs_input",
        "elicitation_dialog",
        "elicitation_url_dialog",
        "elicitation_complete",
        "elicitation_response",
        "auth_success",
        "agent_completed",
    ];
    let notification = |kind: &str| {
        let payload = format!(r#""message":"all of it","notification_type":"{kind}""#);
        format!("{kind}: {}\n", whole(&hook("notification", &payload)))
    };
    insta::assert_snapshot!(kinds.map(notification).concat(), @r#"
    permission_prompt: ask permission
    idle_prompt: ask idle
    agent_needs_input: ask answer
    elicitation_dialog: ask answer
    elicitation_url_dialog: ask answer
    elicitation_complete: ask answer answered=yes
    elicitation_response: ask answer answered=yes
    auth_success: words program notice text="all of it"
    agent_completed: words program notice text="all of it"
    "#);
    insta::assert_snapshot!(whole(&hook("notification", "")), @r#"words program notice text="in short""#);
}

#[test]
fn a_call_has_failed_if_something_says_so() {
    let lines = [
        hook("post_tool_use", r#""tool_response":{"stdout":"ok"}"#),
        hook("post_tool_use", r#""tool_response":{"is_error":true}"#),
        hook("post_tool_use", r#""tool_response":{"isError":true}"#),
        hook("post_tool_use_failure", r#""error":"exit 1""#),
        hook("permission_denied", r#""tool_input":{"command":"rm"},"reason":"too much""#),
        collector("activity.tool_result", r#""tool":{"tool_result":"fine"}"#),
        collector("activity.tool_result", r#""metadata":{"is_error":true}"#),
        collector("activity.tool_use", r#""tool":{"tool_name":"Bash","tool_input":{}}"#),
        collector("activity.tool_use", r#""tool":{"tool_name":"Bash","tool_result":"fine"}"#),
        engine("ToolCallFinished", r#""ok":false"#),
        engine("ToolCallFinished", r#""observation":{"ok":false,"summary":"no"}"#),
        engine("ToolCallFinished", r#""error":"gone""#),
        engine("ToolCallFinished", r#""error":null,"output":"4""#),
        engine("Observation", r#""ok":true,"summary":"yes""#),
    ];
    insta::assert_snapshot!(all(lines), @r#"
    call completed result={"stdout":"ok"}
    call failed result={"is_error":true}
    call failed result={"isError":true}
    call failed result="exit 1"
    call denied input={"command":"rm"} result="too much"
    call completed result="fine"
    call failed
    call running input={}
    call completed result="fine"
    call failed
    call failed result={"ok":false,"summary":"no"}
    call failed result="gone"
    call completed result="4"
    call completed result={"ok":true,"summary":"yes"}
    "#);
}

#[test]
fn a_text_may_stand_in_blocks() {
    let lines = [
        engine(
            "AgentMessage",
            r#""content":[{"type":"text","text":"one"},{"type":"x"},{"text":"two"}]"#,
        ),
        engine("AgentMessage", r#""content":["one","two"]"#),
        engine("AgentMessageChunk", r#""delta":"on""#),
        engine("UserMessage", r#""text":"","message":"go""#),
        engine("UserMessage", r#""text":7"#),
        collector("activity.prompt", r#""metadata":{"text":"all of it"}"#),
        collector("activity.prompt", r#""metadata":{}"#),
        hook("stop", r#""last_assistant_message":"done""#),
        hook("stop", r#""last_assistant_message":null,"prompt_id":"p""#),
    ];
    insta::assert_snapshot!(all(lines), @r#"
    words agent message text="one\ntwo"
    words agent message text="one\ntwo"
    words agent chunk text="on"
    words person prompt text="go"
    words person prompt
    words person prompt text="all of it"
    words person prompt text="in short"
    turn completed words="done"
    turn completed id="p"
    "#);
}

#[test]
fn a_plan_is_the_payload_or_in_it() {
    let steps = r#""steps":[{"id":"a","title":"Look","status":"pending","done":true},{"id":2,"title":"Do","status":"in_progress","hardStop":true,"needs":["a"]},{"title":"Prove","dependsOn":["a",{"id":"b"}]},{"id":"d","title":"Tell","status":"skipped","done":true},7]"#;
    let lines = [
        engine("PlanUpdated", &format!(r#""version":3,"goal":"Mend it",{steps}"#)),
        engine("PlanUpdated", &format!(r#""plan":{{"version":3,"goal":"Mend it",{steps}}}"#)),
        engine("PlanUpdated", r#""plan":{"goal":"Mend it"}"#),
        engine("PlanUpdated", r#""steps":[]"#),
    ];
    insta::assert_snapshot!(all(lines), @r#"
    plan version=3 goal="Mend it" steps=[a:done Look, 2:running! Do ["a"], 3:pending Prove ["a", "b"], d:skipped Tell]
    plan version=3 goal="Mend it" steps=[a:done Look, 2:running! Do ["a"], 3:pending Prove ["a", "b"], d:skipped Tell]
    -
    plan steps=[]
    "#);
}

#[test]
fn a_run_tells_its_state_its_task_and_its_verdict() {
    let lines = [
        engine("StateChanged", r#""to":"PAUSED","reason":"pause""#),
        engine("StateChanged", r#""state":"FINISHED""#),
        engine("StateChanged", r#""reason":"pause""#),
        engine("TaskUpdated", r#""taskId":"t","goal":"Mend it","workspace":"/srv/app""#),
        engine("TaskUpdated", r#""task":{"taskId":"t","goal":"Mend it","workspace":"/srv/app"}"#),
        engine("JudgeResult", r#""status":"fail","reasons":["red"],"evidence":["events:e"]"#),
        engine("JudgeResult", r#""result":{"status":"pass","reasons":[],"evidence":[{"id":"e"}]}"#),
        engine("JudgeResult", r#""status":"maybe""#),
    ];
    insta::assert_snapshot!(all(lines.clone()), @r#"
    run reason="pause" state=PAUSED
    run state=FINISHED
    -
    work worked title="Mend it"
    work worked title="Mend it"
    judge fail reasons=["red"] evidence=["events:e"]
    judge pass evidence=["e"]
    -
    "#);
    let of_task = |line: &String| read(line, |report| describe(report).place());
    insta::assert_snapshot!(lines[3..5].iter().map(of_task).collect::<Vec<_>>().join("\n"), @r#"
    folder="/srv/app"
    folder="/srv/app"
    "#);
}

#[test]
fn an_action_that_asks_a_person_is_a_question_until_it_is_over() {
    let lines = [
        engine(
            "AgentActionProposed",
            r#""action":{"id":"q","type":"user.ask","question":"Which?"}"#,
        ),
        engine("ToolCallStarted", r#""toolCallId":"q","tool":"user.ask""#),
        engine("ToolCallFinished", r#""toolCallId":"q","tool":"user.ask","ok":true"#),
        engine("AgentActionProposed", r#""action":{"id":"c","type":"fs.read","path":"x"}"#),
        engine("ToolCallStarted", r#""id":"c","type":"fs.read","path":"x""#),
        engine("ToolCallChunk", r#""toolCallId":"c","chunk":"import""#),
    ];
    insta::assert_snapshot!(all(lines), @r#"
    ask answer id="q"
    ask answer id="q"
    ask answer answered=yes id="q"
    call proposed input={"id":"c","path":"x","type":"fs.read"}
    call running input={"id":"c","path":"x","type":"fs.read"}
    call output result="import"
    "#);
}

#[test]
fn a_decision_has_its_options_by_either_name_and_in_either_form() {
    let made = |options: &str| {
        let metadata =
            format!(r#""decision_id":"d","chosen":"SQLite",{options},"rationale":"fast""#);
        collector("decision.made", &format!(r#""metadata":{{{metadata}}}"#))
    };
    let lines = [
        made(r#""options":["SQLite","a file"]"#),
        made(r#""options_considered":["SQLite","a file"]"#),
        made(r#""options":[{"name":"SQLite","score":3},{"option":"a file"},{}]"#),
        made(r#""options":"many""#),
        collector("decision.rationale", r#""metadata":{"decision_id":"d"}"#),
        collector(
            "decision.rejected",
            r#""metadata":{"decision_id":"d","option":"a file","reason":"slow","category":"store"}"#,
        ),
    ];
    insta::assert_snapshot!(all(lines), @r#"
    decision id="d" made=yes chosen="SQLite" options=["SQLite", "a file"] rationale="fast"
    decision id="d" made=yes chosen="SQLite" options=["SQLite", "a file"] rationale="fast"
    decision id="d" made=yes chosen="SQLite" options=["SQLite", "a file"] rationale="fast"
    decision id="d" made=yes chosen="SQLite" rationale="fast"
    decision id="d" rationale="in short"
    decision id="d" category="store" rejected="a file" reason="slow"
    "#);
}

#[test]
fn agents_wait_for_a_status_and_hand_over() {
    let lines = [
        collector(
            "coordination.waiting",
            r#""metadata":{"waiting_for":"b","expected_status":"completed"}"#,
        ),
        collector(
            "coordination.waiting",
            r#""metadata":{"waiting_for":"b","expected_status":"soon"}"#,
        ),
        collector("coordination.handoff", r#""metadata":{"handoff_to":"b"}"#),
        collector("coordination.blocked", r#""metadata":{"needs":"a person"}"#),
    ];
    insta::assert_snapshot!(all(lines), @"
    wait until completed
    wait until it ends
    handoff
    -
    ");
}

#[test]
fn a_bead_is_told_of_by_every_producer() {
    let lines = [
        needle("bead.claim.attempted", r#""bead_id":"b","attempt":2"#),
        needle("bead.claim.race_lost", r#""bead_id":"b""#),
        needle("bead.claim.succeeded", r#""bead_id":"b","title":"Mend it""#),
        needle("bead.mitosis.child_created", r#""bead_id":"b","child_id":"c","title":"Half""#),
        needle("unravel.alternative_created", r#""parent_bead_id":"b","child_bead_id":"c""#),
        needle("weave.bead_created", r#""bead_id":"c","parent_bead_id":"b""#),
        needle("error.timeout", r#""bead_id":"b""#),
        needle("error.timeout", ""),
        needle("error.claim_failed", r#""bead_id":"b""#),
        needle("verification.passed", r#""bead_id":"b""#),
        r#"{"ts":"2026-02-03T04:05:06Z","event":"bead.claimed","worker":"w","session":"s","data":{"bead_id":"b"}}"#.to_owned(),
        r#"{"ts":1770091508000,"worker":"w","level":"warn","msg":"hook.failed","bead":"b","hook":"lint","error":"exit 1"}"#.to_owned(),
        r#"{"ts":1770091508000,"worker":"w","level":"info","msg":"Reading the plan"}"#.to_owned(),
    ];
    insta::assert_snapshot!(all(lines), @r#"
    work tried attempt=2
    work retried
    work claimed title="Mend it"
    work split title="Half" lineage=child child="c"
    work created lineage=alternative child="c"
    work created parent="b" lineage=weave
    work failed
    -
    -
    -
    work claimed
    call failed result="exit 1"
    -
    "#);
}

#[test]
fn whoever_wants_a_file_is_named() {
    let lines = [
        needle("file.conflict", r#""path":"x","workers":["v","w"]"#),
        needle("lock.priority_bump", r#""path":"x","worker_id":"v""#),
        needle("lock.priority_bump_received", r#""path":"x","from_worker":"v""#),
        needle("file.checkout", r#""path":"x","until":"2026-11-14T10:00:00Z""#),
        own("lease.changed", r#""key":"x","owner":"v","until":"2026-11-14T10:00:00Z""#),
        own("lease.changed", r#""key":"x","owner":"v","until":null"#),
        own("issue.changed", r#""issue_id":"7","title":"Mend it","status":"closed""#),
        own("issue.changed", r#""issue_id":"7","title":"Mend it""#),
    ];
    insta::assert_snapshot!(all(lines), @r#"
    lease conflict actors=["v", "w"]
    lease wanted actors=["w"]
    lease wanted actors=["v"]
    lease taken until=2026-11-14T10:00:00Z
    lease taken until=2026-11-14T10:00:00Z
    lease released
    work completed title="Mend it"
    -
    "#);
}

/// Returns a record of ours with these members of its data.
fn own(event_type: &str, data: &str) -> String {
    format!(
        r#"{{"weft":1,"type":"{event_type}","id":"i","at":"2026-11-14T09:30:00Z","data":{{{data}}}}}"#
    )
}

#[test]
fn a_loop_tells_its_frames_its_end_and_what_is_asked_of_it() {
    let records = include_str!("../../../tests/fixtures/idle/records.jsonl").lines();
    let events = include_str!("../../../tests/fixtures/idle/examples.jsonl").lines();
    insta::assert_snapshot!(all(events.chain(records).map(str::to_owned)), @r#"
    loop state frames=[loop-1703123456-12345 loop 3/10]
    loop state frames=[grind-1703123456-12345 grind 3/100 filter="priority:1", issue-auth-123-1703123456 issue 2/10 issue="auth-123" branch="idle/issue/auth-123"]
    loop done reason="COMPLETE"
    loop abort reason="USER_CANCELLED"
    loop abort
    loop anchor goal="Working on issue: auth-123" next="Continue working on the task. Check git status and loop state."
    -
    words agent message text="[alice] ANALYSIS: a race in the auth flow"
    words person message text="seen"
    loop trace reason="ITERATION"
    loop control reason="pause" request="r-1"
    loop control reason="taken" request="r-1"
    loop control reason="invalid_state" request="r-1"
    loop done reason="COMPLETE"
    loop abort reason="NO_PROGRESS"
    loop anchor goal="Tidy the parser" next="Go on."
    "#);
}

#[test]
fn an_answer_goes_where_it_is_routed_or_where_its_action_says() {
    let reply = |routing: &str, payload: &str| {
        format!(
            r#"{{"version":"v1","event_id":"e","trace_id":"t","occurred_at":"2026-11-14T09:30:00Z","event_type":"agent.response.created","tenant_id":"acme","source":{{"component_type":"gateway","component_id":"g"}},"routing":{{"agent_id":"a","session_id":"s"{routing}}},"payload":{{"response_id":"r",{payload}}}}}"#
        )
    };
    let texts = r#""content":[{"type":"text","text":"one"},{"type":"text","text":"two"}]"#;
    let action = r#""actions":[{"kind":"react"},{"kind":"send_message","target_override":{"channel_id":"ops"}}]"#;
    let lines = [
        reply(r#","target":{"platform":"sms","address":"+15550100"}"#, texts),
        reply("", action),
        reply("", r#""usage":{}"#),
    ];
    insta::assert_snapshot!(all(lines), @r#"
    reply id="r" text="one\ntwo" platform="sms" channel="+15550100"
    reply id="r" channel="ops" actions=["react", "send_message"]
    reply id="r"
    "#);
}

#[test]
fn the_place_is_told_by_whatever_knows_it() {
    let lines = [
        hook("session_start", r#""cwd":"/srv/app","model":"m-large","session_title":"Tides""#),
        hook("cwd_changed", r#""cwd":"/srv","old_cwd":"/srv","new_cwd":"/srv/app""#),
        hook("post_model_switch", r#""cwd":"/srv","from_model":"m","to_model":"m-large""#),
        collector(
            "lifecycle.started",
            r#""metadata":{"cwd":"/srv/app","git_branch":"tides","hostname":"quay"}"#,
        ),
        collector(
            "activity.progress",
            r#""context":{"worktree_path":"/srv/w","branch_name":"tides"}"#,
        ),
        needle("worker.booting", r#""host":"quay-2""#),
        r#"{"timestamp":"2026-05-02T08:00:00Z","event_type":"worker.idle","worker_id":"w","session_id":"s","sequence":0,"data":{},"workspace":"/srv/app"}"#.to_owned(),
        r#"{"ts":"2026-02-03T04:05:07Z","event":"bead.failed","worker":{"runner":"claude","model":"sonnet"},"session":"s","data":{}}"#.to_owned(),
    ];
    let place = |line: &String| read(line, |report| describe(report).place());
    insta::assert_snapshot!(lines.each_ref().map(place).join("\n"), @r#"
    folder="/srv/app" model="m-large"
    folder="/srv/app"
    folder="/srv" model="m-large"
    host="quay" folder="/srv/app" branch="tides"
    folder="/srv/w" branch="tides"
    host="quay-2"
    folder="/srv/app"
    model="sonnet"
    "#);
}

#[test]
fn a_row_of_the_old_status_table_reports_nothing() {
    let row = r#"{"agent_id":"a","status":"waiting","message":"for b","timestamp":"2026-11-14T09:30:00Z"}"#;
    assert_eq!(whole(row), "-");
}
