//! Spans: those about agents are events at their end, the others are counted.

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::{encode, facts, grpc, in_both_forms, post, text};
use crate::server::Server;

const TRACES: &str = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";

fn spans(spans: Vec<Value>) -> Value {
    json!({"resourceSpans": [{
        "resource": {"attributes": [text("service.name", "planner")]},
        "scopeSpans": [{"scope": {"name": "s"}, "spans": spans}],
    }]})
}

fn span(id: u8, name: &str, status: u64, attributes: Vec<Value>) -> Value {
    json!({
        "traceId": "0af7651916cd43dd8448eb211c80319c",
        "spanId": format!("00000000000000{id:02x}"),
        "parentSpanId": "b7ad6b7169203331",
        "name": name,
        "kind": 1,
        "startTimeUnixNano": "1794736800000000000",
        "endTimeUnixNano": "1794736801500000000",
        "attributes": attributes,
        "status": {"code": status},
    })
}

fn number(key: &str, n: u64) -> Value {
    json!({"key": key, "value": {"intValue": n.to_string()}})
}

#[test]
fn spans_about_agents_become_events_and_others_are_counted() {
    let request = spans(vec![
        span(
            1,
            "chat claude",
            0,
            vec![
                text("gen_ai.operation.name", "chat"),
                text("gen_ai.system", "anthropic"),
                text("gen_ai.conversation.id", "c1"),
                text("gen_ai.response.model", "claude"),
                number("gen_ai.usage.input_tokens", 1105),
                number("gen_ai.usage.cache_read.input_tokens", 1000),
                number("gen_ai.usage.cache_write.input_tokens", 100),
                number("gen_ai.usage.output_tokens", 7),
            ],
        ),
        span(
            2,
            "execute_tool Bash",
            2,
            vec![
                text("gen_ai.operation.name", "execute_tool"),
                text("gen_ai.tool.name", "Bash"),
                text("gen_ai.tool.call.id", "toolu_1"),
                text("gen_ai.agent.name", "coder"),
            ],
        ),
        span(3, "GET /", 0, vec![text("http.request.method", "GET")]),
    ]);
    let [(protobuf, answer), (json, told)] = in_both_forms("/v1/traces", &request);
    assert_snapshot!(told.text(), @r#"{"partialSuccess":{"errorMessage":"1 spans not kept: it names no agent, no tool and no model"}}"#);
    let message = b"1 spans not kept: it names no agent, no tool and no model";
    assert!(answer.body.ends_with(message) && answer.body[2] == 0x12, "{:?}", answer.body);
    assert_snapshot!(facts(&protobuf), @"
    otlp collector
    type: activity.thinking
    time: 2026-11-15T10:00:01.500Z
    actor: planner
    session: c1
    identity: id 90fccc22-6731-82be-9ba0-99752bd6aea6
    status: thinking
    level: info
    duration: 1500 ms
    message: chat claude
    trace: 0af7651916cd43dd8448eb211c80319c
    span: 0000000000000001
    parent span: b7ad6b7169203331
    usage: 5 tokens in, 7 tokens out, 1000 tokens cache read, 100 tokens cache write, model claude, provider anthropic
    otlp collector
    type: system.error
    time: 2026-11-15T10:00:01.500Z
    actor: coder
    identity: id 8b57e925-c60a-8c3c-b510-456255c07e89
    status: error
    level: error
    tool: Bash
    duration: 1500 ms
    message: execute_tool Bash
    trace: 0af7651916cd43dd8448eb211c80319c
    span: toolu_1
    parent span: b7ad6b7169203331
    ");
    assert_eq!(facts(&json), facts(&protobuf));
    let metrics = protobuf.client().get("/metrics");
    assert!(metrics.text().contains("weft_otlp_not_kept_total{signal=\"traces\"} 1\n"));
    let stored = protobuf.stored();
    assert!(stored[0].contains(r#""usage_from":"span""#), "{}", stored[0]);
}

#[test]
fn a_span_counts_once_however_it_comes() {
    let server = Server::start();
    let message = encode(&spans(vec![span(1, "claude_code.tool", 0, Vec::new())]));
    assert_eq!(post(&server, "/v1/traces", super::PROTOBUF, &message).status, 200);
    assert_eq!(grpc::export(&server, TRACES, &grpc::frame(0, &message), &[]).status, "0");
    assert_eq!(server.stored().len(), 1);
}
