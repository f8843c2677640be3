//! Metrics: counts of tokens and costs, as amounts and as running totals.

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::{encode, facts, grpc, in_both_forms, post, text, unwritable};
use crate::server::Server;

const METRICS: &str = "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export";

fn metrics(metrics: Vec<Value>) -> Value {
    json!({"resourceMetrics": [{
        "resource": {"attributes": [text("service.name", "claude-code")]},
        "scopeMetrics": [{"scope": {"name": "com.anthropic.claude_code"}, "metrics": metrics}],
    }]})
}

/// Returns a metric with one point: `temporality` 1 for amounts, 2 for running totals.
fn tokens(temporality: u64, start: i64, time: i64, value: &str) -> Value {
    json!({"name": "claude_code.token.usage", "unit": "tokens", "sum": {
        "aggregationTemporality": temporality,
        "isMonotonic": true,
        "dataPoints": [{
            "startTimeUnixNano": start.to_string(),
            "timeUnixNano": time.to_string(),
            "asInt": value,
            "attributes": [text("session.id", "4f0c"), text("type", "output"), text("model", "claude")],
        }],
    }})
}

/// Returns a time so many seconds from now: series that begin after the server did count whole.
fn soon(seconds: i64) -> i64 {
    let now = jiff::Timestamp::now().as_nanosecond();
    i64::try_from(now).expect("a time of today") + seconds * 1_000_000_000
}

/// Returns what was used up by each event, in order.
fn used(server: &Server) -> Vec<String> {
    let facts = facts(server);
    let lines =
        facts.lines().filter(|line| line.starts_with("usage: ") || *line == "otlp collector");
    lines.map(ToOwned::to_owned).collect()
}

#[test]
fn amounts_of_tokens_and_costs_become_events() {
    let cost = json!({"name": "claude_code.cost.usage", "unit": "USD", "sum": {
        "aggregationTemporality": 1,
        "isMonotonic": true,
        "dataPoints": [{"timeUnixNano": "1794736800000000000", "asDouble": 0.25, "attributes": [text("model", "claude")]}],
    }});
    let histogram = json!({"name": "gen_ai.client.token.usage", "histogram": {
        "aggregationTemporality": 1,
        "dataPoints": [{
            "timeUnixNano": "1794736800000000000", "count": "2", "sum": 30.0,
            "bucketCounts": ["1", "1"], "explicitBounds": [16.0],
            "attributes": [text("gen_ai.token.type", "input"), text("gen_ai.request.model", "m")],
        }],
    }});
    let gauge = json!({"name": "process.memory", "gauge": {"dataPoints": [{"timeUnixNano": "1", "asInt": "5"}]}});
    let request = metrics(vec![
        tokens(1, 1_794_736_740_000_000_000, 1_794_736_800_000_000_000, "1200"),
        cost,
        histogram,
        gauge,
    ]);
    let [(protobuf, _), (json, told)] = in_both_forms("/v1/metrics", &request);
    assert_snapshot!(told.text(), @r#"{"partialSuccess":{"errorMessage":"1 data points not kept: it counts neither tokens nor costs"}}"#);
    assert_eq!(
        used(&protobuf),
        [
            "otlp collector",
            "usage: 1200 tokens out, model claude",
            "otlp collector",
            "usage: 0.25 USD, model claude",
            "otlp collector",
            "usage: 30 tokens in, model m",
        ]
    );
    assert_eq!(facts(&json), facts(&protobuf));
    let stored = protobuf.stored();
    assert!(stored[0].contains(r#""usage_from":"metric","metric":{"name":"claude_code.token.usage","unit":"tokens","temporality":"delta","value":1200}"#), "{}", stored[0]);
}

#[test]
fn running_totals_count_what_came_since_the_last_one() {
    let server = Server::start();
    let began = soon(0);
    let totals = [(1, "100"), (2, "100"), (3, "150"), (2, "100")];
    for (at, total) in totals {
        let request = encode(&metrics(vec![tokens(2, began, began + at, total)]));
        for _ in 0..2 {
            assert_eq!(post(&server, "/v1/metrics", super::PROTOBUF, &request).status, 200);
        }
    }
    let each = ["100", "0", "50"];
    let expected =
        each.map(|n| ["otlp collector".to_owned(), format!("usage: {n} tokens out, model claude")]);
    assert_eq!(used(&server), expected.concat(), "each total once, and none that is late");
}

#[test]
fn a_series_that_began_before_the_server_has_a_base() {
    let server = Server::start();
    let began = soon(-3600);
    for (at, total) in [(1, "5000"), (2, "5030")] {
        let message = encode(&metrics(vec![tokens(2, began, began + at, total)]));
        assert_eq!(grpc::export(&server, METRICS, &grpc::frame(0, &message), &[]).status, "0");
    }
    assert_eq!(
        used(&server),
        ["otlp collector", "otlp collector", "usage: 30 tokens out, model claude"]
    );
}

#[test]
fn what_could_not_be_stored_is_counted_when_it_comes_again() {
    let server = Server::start();
    let began = soon(0);
    let send = |at: i64, total: &str| {
        let request = encode(&metrics(vec![tokens(2, began, began + at, total)]));
        post(&server, "/v1/metrics", super::PROTOBUF, &request).status
    };
    assert_eq!(send(1, "100"), 200);
    let repair = unwritable(&server);
    assert_eq!(send(2, "160"), 503);
    repair();
    assert_eq!(send(2, "160"), 200);
    let used = used(&server);
    let ours: Vec<&str> =
        used.iter().map(String::as_str).filter(|line| line.starts_with("usage")).collect();
    assert_eq!(ours, ["usage: 100 tokens out, model claude", "usage: 60 tokens out, model claude"]);
}
