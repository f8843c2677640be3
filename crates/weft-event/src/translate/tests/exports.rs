//! Exports of agents: log records by their names, spans and data points, and the facts of the events they become.

use super::to;
use crate::json::{Json, Tape};
use crate::testing::{describe, show};
use crate::translate::otlp::{Reader, Series, Signal};
use crate::translate::{Fill, Target, open};
use crate::{event, problem::Problems};

/// An attribute: a text, or a number if it is written as one.
fn attribute(key: &str, value: &str) -> String {
    let value = match value.parse::<i64>() {
        Ok(n) => format!(r#"{{"intValue":"{n}"}}"#),
        Err(_) => format!(r#"{{"stringValue":{}}}"#, Json::text(value).as_str()),
    };
    format!(r#"{{"key":"{key}","value":{value}}}"#)
}

fn attributes(pairs: &[(&str, &str)]) -> String {
    let all = pairs.iter().map(|(key, value)| attribute(key, value)).collect::<Vec<_>>();
    format!("[{}]", all.join(","))
}

/// Puts records into a request of a service.
fn request(signal: Signal, service: &str, records: &str) -> String {
    let [resources, scopes, list] = signal.lists();
    let resource = attributes(&[("service.name", service)]);
    format!(
        r#"{{"{resources}":[{{"resource":{{"attributes":{resource}}},"{scopes}":[{{"{list}":[{records}]}}]}}]}}"#
    )
}

fn log(service: &str, name: &str, pairs: &[(&str, &str)]) -> String {
    let record = format!(
        r#"{{"timeUnixNano":"1794736800000000000","eventName":"{name}","attributes":{}}}"#,
        attributes(pairs)
    );
    request(Signal::Logs, service, &record)
}

fn span(name: &str, status: u8, pairs: &[(&str, &str)]) -> String {
    let record = format!(
        r#"{{"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"b7ad6b7169203331","parentSpanId":"","name":"{name}","startTimeUnixNano":"1794736800000000000","endTimeUnixNano":"1794736800250000000","attributes":{},"status":{{"code":{status}}}}}"#,
        attributes(pairs)
    );
    request(Signal::Traces, "s", &record)
}

/// Returns the type and some facts of the one event out of a request, which is valid without a warning; or why there is none.
fn facts(request: &str, names: &[&str]) -> String {
    let mut tape = Tape::new();
    let opened = open(tape.parse(request).unwrap(), &Fill::default()).unwrap();
    let [opened] = opened.as_slice() else { panic!("{} records", opened.len()) };
    let opened = match opened {
        Ok(opened) => opened,
        Err(error) => return error.to_string(),
    };
    let (mut tape, mut problems) = (Tape::new(), Problems::new());
    let expect = event::Expect::Any;
    let event = event::read(&mut tape, opened.line.as_bytes(), expect, &mut problems).unwrap();
    assert_eq!(show(&problems), "fine", "{}", opened.line);
    let back = to(&opened.line, Target::Otlp, &Fill::default()).unwrap().line;
    assert_eq!(back, request, "an event made of a request is that request again");
    let described = describe(&event.facts());
    let wanted = described.lines().filter(|line| {
        let name = line.split(": ").next().unwrap();
        ["type", "status"].contains(&name) || names.contains(&name)
    });
    wanted.collect::<Vec<_>>().join(" | ")
}

#[test]
fn records_of_codex_go_by_their_names() {
    let codex = |name: &str, pairs: &[(&str, &str)]| {
        let pairs = [&[("conversation.id", "c1")], pairs].concat();
        facts(&log("codex_cli_rs", name, &pairs), &["session", "tool", "span", "usage", "duration"])
    };
    insta::assert_snapshot!(codex("codex.conversation_starts", &[]), @"type: hook.session_start | session: c1 | status: started");
    insta::assert_snapshot!(codex("codex.user_prompt", &[("prompt_length", "5")]), @"type: hook.prompt_submit | session: c1 | status: thinking");
    insta::assert_snapshot!(codex("codex.tool_decision", &[("tool_name", "shell"), ("call_id", "call_1"), ("decision", "denied")]), @"type: hook.permission_denied | session: c1 | status: blocked | tool: shell | span: call_1");
    insta::assert_snapshot!(codex("codex.tool_decision", &[("tool_name", "shell"), ("call_id", "call_1"), ("decision", "approved")]), @"type: activity.progress | session: c1 | status: progress | tool: shell | span: call_1");
    insta::assert_snapshot!(codex("codex.tool_result", &[("tool_name", "shell"), ("call_id", "call_1"), ("success", "false"), ("duration_ms", "31"), ("arguments", "{\"path\":\"a\"}")]), @"type: hook.post_tool_use_failure | session: c1 | status: progress | tool: shell | duration: 31 ms | span: call_1");
    // What comes from a cache is among the tokens read, and counts as what it is.
    insta::assert_snapshot!(codex("codex.sse_event", &[("event.kind", "response.completed"), ("input_token_count", "1200"), ("cached_token_count", "1000"), ("output_token_count", "50"), ("reasoning_token_count", "20"), ("tool_token_count", "1250"), ("model", "gpt")]), @"type: activity.thinking | session: c1 | status: thinking | usage: 200 tokens in, 50 tokens out, 1000 tokens cache read, model gpt");
}

#[test]
fn records_of_gemini_go_by_their_names() {
    let gemini = |name: &str, pairs: &[(&str, &str)]| {
        let pairs = [&[("session.id", "g1")], pairs].concat();
        facts(&log("gemini-cli", name, &pairs), &["session", "tool", "usage", "path"])
    };
    insta::assert_snapshot!(gemini("gemini_cli.config", &[]), @"type: hook.session_start | session: g1 | status: started");
    insta::assert_snapshot!(gemini("gemini_cli.tool_call", &[("function_name", "read_file"), ("function_args", "{\"file_path\":\"/a\"}"), ("success", "true")]), @"type: hook.post_tool_use | session: g1 | status: progress | tool: read_file | path: /a");
    insta::assert_snapshot!(gemini("gemini_cli.api_response", &[("model", "gemini"), ("input_token_count", "120"), ("cached_content_token_count", "100"), ("output_token_count", "5"), ("thoughts_token_count", "7")]), @"type: activity.thinking | session: g1 | status: thinking | usage: 20 tokens in, 12 tokens out, 100 tokens cache read, model gemini");
    insta::assert_snapshot!(gemini("gemini_cli.api_error", &[]), @"type: system.error | session: g1 | status: error");
    insta::assert_snapshot!(gemini("gemini_cli.agent.finish", &[]), @"type: hook.subagent_stop | session: g1 | status: completed");
    insta::assert_snapshot!(gemini("gemini_cli.file_operation", &[]), @"type: activity.progress | session: g1 | status: progress");
}

#[test]
fn records_of_claude_code_say_where_they_belong() {
    let claude = |name: &str, pairs: &[(&str, &str)]| {
        let names = ["actor", "parent", "order", "span", "parent span", "usage"];
        facts(&log("claude-code", name, pairs), &names)
    };
    let prompt = ("prompt.id", "p1");
    insta::assert_snapshot!(claude("user_prompt", &[prompt]), @"type: hook.prompt_submit | actor: claude-code | status: thinking | span: p1");
    insta::assert_snapshot!(claude("tool_result", &[prompt, ("agent_id", "a1"), ("parent_agent_id", "a0"), ("tool_use_id", "toolu_1")]), @"type: hook.post_tool_use | actor: a1 | parent: a0 | status: progress | span: toolu_1 | parent span: p1");
    insta::assert_snapshot!(claude("api_request", &[prompt, ("input_tokens", "5"), ("cache_creation_tokens", "9"), ("model", "claude")]), @"type: activity.thinking | actor: claude-code | status: thinking | parent span: p1 | usage: 5 tokens in, 9 tokens cache write, model claude");
    insta::assert_snapshot!(claude("compaction", &[]), @"type: hook.post_compact | actor: claude-code | status: progress");
    let session = ("session.id", "7c1e9a52-3f0d-4b86-9e21-5ad40c77b318");
    insta::assert_snapshot!(claude("user_prompt", &[prompt, session]), @"type: hook.prompt_submit | actor: session-7c1e9a52 | status: thinking | span: p1");
    insta::assert_snapshot!(claude("compaction", &[session, ("event.sequence", "9")]), @"type: hook.post_compact | actor: session-7c1e9a52 | status: progress");
    insta::assert_snapshot!(claude("tool_result", &[session, ("agent_id", "a1")]), @"type: hook.post_tool_use | actor: a1 | status: progress");
}

#[test]
fn spans_go_by_what_they_name() {
    let shown = |name: &str, status: u8, pairs: &[(&str, &str)]| {
        facts(&span(name, status, pairs), &["actor", "tool", "task", "span", "duration", "usage"])
    };
    let operation = |word| ("gen_ai.operation.name", word);
    insta::assert_snapshot!(shown("execute_tool x", 0, &[operation("execute_tool"), ("gen_ai.tool.name", "x"), ("gen_ai.tool.call.id", "call")]), @"type: hook.post_tool_use | actor: s | status: progress | tool: x | duration: 250 ms | span: call");
    insta::assert_snapshot!(shown("invoke_agent a", 0, &[operation("invoke_agent"), ("gen_ai.agent.name", "a")]), @"type: lifecycle.completed | actor: a | status: completed | duration: 250 ms | span: b7ad6b7169203331");
    insta::assert_snapshot!(shown("invoke_agent a", 2, &[operation("invoke_agent")]), @"type: lifecycle.error | actor: s | status: error | duration: 250 ms | span: b7ad6b7169203331");
    insta::assert_snapshot!(shown("create_agent a", 1, &[operation("create_agent")]), @"type: lifecycle.started | actor: s | status: started | duration: 250 ms | span: b7ad6b7169203331");
    insta::assert_snapshot!(shown("embeddings m", 0, &[operation("embeddings"), ("gen_ai.usage.prompt_tokens", "9")]), @"type: activity.progress | actor: s | status: progress | duration: 250 ms | span: b7ad6b7169203331 | usage: 9 tokens in");
    insta::assert_snapshot!(shown("m", 0, &[("gen_ai.request.model", "m")]), @"type: activity.thinking | actor: s | status: thinking | duration: 250 ms | span: b7ad6b7169203331 | usage: model m");
    insta::assert_snapshot!(shown("t", 0, &[("tool_name", "t")]), @"type: hook.post_tool_use | actor: s | status: progress | tool: t | duration: 250 ms | span: b7ad6b7169203331");
    insta::assert_snapshot!(shown("work", 0, &[("needle.worker.id", "w"), ("needle.bead.id", "bd-1")]), @"type: activity.progress | actor: w | status: progress | duration: 250 ms | span: b7ad6b7169203331 | task: bd-1");
    insta::assert_snapshot!(shown("claude_code.interaction", 0, &[]), @"type: hook.stop | actor: s | status: completed | duration: 250 ms | span: b7ad6b7169203331");
    insta::assert_snapshot!(shown("claude_code.llm_request", 0, &[("input_tokens", "5"), ("cache_read_tokens", "9")]), @"type: activity.thinking | actor: s | status: thinking | duration: 250 ms | span: b7ad6b7169203331 | usage: 5 tokens in, 9 tokens cache read");
    insta::assert_snapshot!(shown("claude_code.tool", 2, &[("tool_name", "Bash")]), @"type: system.error | actor: s | status: error | tool: Bash | duration: 250 ms | span: b7ad6b7169203331");
    insta::assert_snapshot!(shown("claude_code.hook", 0, &[]), @"type: activity.progress | actor: s | status: progress | duration: 250 ms | span: b7ad6b7169203331");
    insta::assert_snapshot!(shown("GET /", 0, &[("http.request.method", "GET")]), @"not kept: it names no agent, no tool and no model");
}

/// Returns a running total of a series.
fn total(series: &str, start_ns: i64, time_ns: i64, total: f64) -> String {
    let metric = format!(
        r#"{{"name":"claude_code.cost.usage","sum":{{"aggregationTemporality":2,"isMonotonic":true,"dataPoints":[{{"startTimeUnixNano":"{start_ns}","timeUnixNano":"{time_ns}","asDouble":{total:?},"attributes":{}}}]}}}}"#,
        attributes(&[("session.id", series)])
    );
    request(Signal::Metrics, "s", &metric)
}

/// Measures a total; returns the costs that it says, or why it says none.
fn measure(series: &mut Series, request: &str) -> String {
    let mut tape = Tape::new();
    let mut said = Vec::new();
    let mut reader = Reader::new(Fill::default(), series);
    let malformed = reader.read(tape.parse(request).unwrap(), Signal::Metrics, &mut |taken| {
        said.push(match taken.outcome {
            Ok(opened) => {
                let (mut tape, mut problems) = (Tape::new(), Problems::new());
                let expect = event::Expect::Any;
                let event = event::read(&mut tape, opened.line.as_bytes(), expect, &mut problems);
                assert_eq!(show(&problems), "fine", "{}", opened.line);
                let usage = event.unwrap().facts().usage;
                usage.map_or("base".to_owned(), |usage| format!("{}", usage.cost_usd.unwrap()))
            }
            Err(error) => error.to_string(),
        });
    });
    assert_eq!(malformed.problems, []);
    said.join(", ")
}

#[test]
fn a_running_total_says_how_much_it_has_grown() {
    let mut series = Series::new(100);
    let mut at = |start, time, value| {
        let said = measure(&mut series, &total("a", start, time, value));
        series.keep();
        said
    };
    assert_eq!(at(50, 110, 7.0), "base", "it began before anybody measured");
    assert_eq!(at(50, 120, 9.5), "2.5");
    assert_eq!(at(50, 120, 9.5), "2.5", "the same total again is the same event again");
    assert_eq!(at(50, 110, 7.0), "not kept: a later total of the same series came before it");
    assert_eq!(at(50, 130, 1.0), "1", "it fell, so that it began again");
    assert_eq!(at(130, 140, 4.0), "4", "it says that it began again");
    assert_eq!(at(50, 150, 99.0), "not kept: a later total of the same series came before it");
    let mut series = Series::new(100);
    assert_eq!(measure(&mut series, &total("a", 100, 110, 7.0)), "7", "it began with us");
    series.keep();
    assert_eq!(measure(&mut series, &total("a", 100, 120, 8.0)), "1");
    series.forget();
    assert_eq!(measure(&mut series, &total("a", 100, 130, 9.0)), "2", "what was lost is in it");
    assert_eq!(measure(&mut series, &total("b", 100, 130, 9.0)), "9", "another series");
}

#[test]
fn points_that_count_nothing_are_not_kept() {
    let metric = |name: &str, data: &str, pairs: &[(&str, &str)]| {
        let point = format!(r#"{{"timeUnixNano":"5",{data},"attributes":{}}}"#, attributes(pairs));
        (name.to_owned(), point)
    };
    let shown = |(name, point): (String, String), kind: &str, more: &str| {
        let metric = format!(r#"{{"name":"{name}","{kind}":{{{more}"dataPoints":[{point}]}}}}"#);
        measure(&mut Series::new(0), &request(Signal::Metrics, "s", &metric))
    };
    let delta = r#""aggregationTemporality":1,"isMonotonic":true,"#;
    let cost = |data: &str| metric("claude_code.cost.usage", data, &[]);
    assert_eq!(shown(cost(r#""asDouble":0.5"#), "sum", delta), "0.5");
    assert_eq!(shown(cost(r#""asInt":"2""#), "sum", delta), "2");
    let no_count = "not kept: it is no sum and no histogram";
    assert_eq!(shown(cost(r#""asInt":"2""#), "gauge", ""), no_count);
    assert_eq!(shown(cost(r#""asInt":"2""#), "sum", r#""aggregationTemporality":1,"#), no_count);
    assert_eq!(shown(cost(r#""asInt":"2""#), "sum", r#""isMonotonic":true,"#), no_count);
    let empty = "not kept: it has no value";
    for data in [r#""asDouble":"NaN""#, r#""asInt":"-1""#, r#""x":1"#, r#""asInt":"2","flags":1"#] {
        assert_eq!(shown(cost(data), "sum", delta), empty, "{data}");
    }
    let unrelated = "not kept: it counts neither tokens nor costs";
    let of = |name: &str, pairs: &[(&str, &str)]| {
        shown(metric(name, r#""asInt":"2""#, pairs), "sum", delta)
    };
    assert_eq!(of("http.server.requests", &[]), unrelated);
    assert_eq!(of("claude_code.token.usage", &[("type", "unheard_of")]), unrelated);
    assert_eq!(of("gen_ai.client.inference.usage.reasoning.output_tokens", &[]), unrelated);
}
