//! CloudEvents and OTLP: what is written, and what is made of those that others wrote.

use super::{everything, to};
use crate::json::{Tape, Value};
use crate::testing::{describe, show};
use crate::translate::{Fill, Loss, Origin, Target, open};
use crate::{event, problem::Problems};

const NEEDLE: &str = r#"{"schema_version":1,"timestamp":"2026-04-21T11:20:19.962811515Z","event_type":"bead.completed","worker_id":"tcb alpha","session_id":"d7261357","sequence":17,"bead_id":"bd-abc123","data":{"duration_ms":90},"trace_id":"not hex","span_id":"00f067aa0ba902b7"}"#;

/// Checks an envelope on one line.
type Check = fn(&str);

/// The envelopes, and what makes a proper one.
pub(super) const ENVELOPES: [(Target, Check); 2] =
    [(Target::CloudEvents, assert_cloudevent), (Target::Otlp, assert_log_record)];

/// Checks what the CloudEvents specification asks of attributes: their names, and values that are text without controls.
fn assert_cloudevent(line: &str) {
    let mut tape = Tape::new();
    let event = tape.parse(line).unwrap();
    for (key, value) in event.members() {
        let name = key.as_text().unwrap();
        let is_name = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
        assert!(name.len() <= 20 && name.bytes().all(is_name), "{name} in {line}");
        if name != "data" {
            let text = value.as_text().unwrap_or_else(|| panic!("{name} in {line}"));
            assert!(!text.is_empty() && !text.contains(char::is_control), "{name} in {line}");
        }
    }
    for name in ["specversion", "id", "source", "type", "data"] {
        assert!(event.get(name).is_some(), "{name} in {line}");
    }
    let uri = event.text_at("source").unwrap();
    assert!(uri.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._~:%".contains(&b)), "{uri}");
}

/// Checks what OTLP/JSON asks of a log record: ids in hex, whole numbers of 64 bits as text.
fn assert_log_record(line: &str) {
    let mut tape = Tape::new();
    let request = tape.parse(line).unwrap();
    let record = request
        .get("resourceLogs")
        .and_then(|logs| logs.items().next()?.get("scopeLogs")?.items().next()?.get("logRecords"))
        .and_then(|records| records.items().next())
        .unwrap();
    for (name, len) in [("traceId", 32), ("spanId", 16)] {
        let is_hex = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
        let id = record.text_at(name);
        assert!(id.is_none_or(|id| id.len() == len && id.bytes().all(is_hex)), "{line}");
    }
    let is_digits = |value: Value<'_>| {
        value.as_text().is_some_and(|text| text.bytes().all(|b| b.is_ascii_digit()))
    };
    assert!(record.get("timeUnixNano").is_none_or(is_digits), "{line}");
    for attribute in record.get("attributes").unwrap().items() {
        let (kind, value) = attribute.get("value").unwrap().members().next().unwrap();
        match kind.raw_text().unwrap() {
            "stringValue" => assert!(value.as_text().is_some(), "{line}"),
            "intValue" => assert!(is_digits(value), "{line}"),
            "doubleValue" => assert!(value.as_f64().is_some(), "{line}"),
            "boolValue" => assert!(value.as_bool().is_some(), "{line}"),
            other => panic!("{other} in {line}"),
        }
    }
}

/// Opens an envelope; returns every event in it with its facts, or what is missing.
fn opened(line: &str, fill: &Fill) -> String {
    let mut tape = Tape::new();
    let Some(opened) = open(tape.parse(line).unwrap(), fill) else { return "no envelope".into() };
    let mut out = String::new();
    for opened in opened {
        let opened = match opened {
            Ok(opened) => opened,
            Err(error) => {
                out.push_str(&format!("{error}\n"));
                continue;
            }
        };
        let mut tape = Tape::new();
        let mut problems = Problems::new();
        let expect = event::Expect::Any;
        let event = event::read(&mut tape, opened.line.as_bytes(), expect, &mut problems).unwrap();
        assert_eq!(show(&problems), "fine", "{}", opened.line);
        assert_eq!(event.dialect(), opened.dialect);
        let origin = match opened.origin {
            Origin::Original => "original",
            Origin::Made => "made",
        };
        let losses: Vec<_> = opened.losses.iter().map(ToString::to_string).collect();
        let dialect = opened.dialect.as_str();
        out.push_str(&format!("{origin} {dialect} {losses:?}\n{}", describe(&event.facts())));
    }
    out
}

#[test]
fn a_cloudevent_holds_the_event_and_says_what_routers_ask() {
    insta::assert_snapshot!(to(NEEDLE, Target::CloudEvents, &Fill::default()).unwrap().line, @r#"{"specversion":"1.0","id":"bb0e3178-81ba-8630-8b5b-c59f081ce34d","source":"urn:weft:needle:tcb%20alpha","type":"dev.weft.needle.bead.completed","subject":"task/bd-abc123","time":"2026-04-21T11:20:19.962811515Z","datacontenttype":"application/json","sequence":"00000000000000000017","traceparent":"00-0ea377388b218c09687c3df0a8e8117e-00f067aa0ba902b7-01","weftdialect":"needle","weftstatus":"completed","weftsession":"d7261357","data":{"schema_version":1,"timestamp":"2026-04-21T11:20:19.962811515Z","event_type":"bead.completed","worker_id":"tcb alpha","session_id":"d7261357","sequence":17,"bead_id":"bd-abc123","data":{"duration_ms":90},"trace_id":"not hex","span_id":"00f067aa0ba902b7"}}"#);
}

#[test]
fn a_log_record_has_the_names_that_collectors_know() {
    insta::assert_snapshot!(to(NEEDLE, Target::Otlp, &Fill::default()).unwrap().line, @r#"{"resourceLogs":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"needle"}}]},"scopeLogs":[{"scope":{"name":"weft"},"logRecords":[{"timeUnixNano":"1776770419962811515","observedTimeUnixNano":"1776770419962811515","severityNumber":9,"severityText":"INFO","eventName":"bead.completed","body":{"stringValue":"bead.completed"},"attributes":[{"key":"weft.dialect","value":{"stringValue":"needle"}},{"key":"needle.worker.id","value":{"stringValue":"tcb alpha"}},{"key":"needle.session.id","value":{"stringValue":"d7261357"}},{"key":"needle.sequence","value":{"intValue":"17"}},{"key":"needle.bead.id","value":{"stringValue":"bd-abc123"}},{"key":"gen_ai.agent.id","value":{"stringValue":"tcb alpha"}},{"key":"session.id","value":{"stringValue":"d7261357"}},{"key":"gen_ai.conversation.id","value":{"stringValue":"d7261357"}},{"key":"gen_ai.operation.name","value":{"stringValue":"invoke_agent"}},{"key":"event.sequence","value":{"intValue":"17"}},{"key":"weft.status","value":{"stringValue":"completed"}},{"key":"weft.task","value":{"stringValue":"bd-abc123"}},{"key":"duration_ms","value":{"intValue":"90"}},{"key":"weft.trace_id","value":{"stringValue":"not hex"}},{"key":"weft.event","value":{"stringValue":"{\"schema_version\":1,\"timestamp\":\"2026-04-21T11:20:19.962811515Z\",\"event_type\":\"bead.completed\",\"worker_id\":\"tcb alpha\",\"session_id\":\"d7261357\",\"sequence\":17,\"bead_id\":\"bd-abc123\",\"data\":{\"duration_ms\":90},\"trace_id\":\"not hex\",\"span_id\":\"00f067aa0ba902b7\"}"}}],"traceId":"0ea377388b218c09687c3df0a8e8117e","spanId":"00f067aa0ba902b7"}]}]}]}"#);
    let usage = r#"{"version":"v1","event_id":"e","trace_id":"4BF92F3577B34DA6A3CE929D0E0E4736","occurred_at":"2026-01-01T00:00:00Z","event_type":"agent.response.created","tenant_id":"acme","source":{"component_type":"gateway","component_id":"g"},"routing":{"agent_id":"a","session_id":"s"},"payload":{"response_id":"r","content":[{"type":"text","text":"Hello"}],"usage":{"input_tokens":5,"output_tokens":7,"cache_read_tokens":100,"model":"m","provider":"p"}}}"#;
    insta::assert_snapshot!(to(usage, Target::Otlp, &Fill::default()).unwrap().line, @r#"{"resourceLogs":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"pinchy"}}]},"scopeLogs":[{"scope":{"name":"weft"},"logRecords":[{"timeUnixNano":"1767225600000000000","observedTimeUnixNano":"1767225600000000000","severityNumber":9,"severityText":"INFO","eventName":"agent.response.created","body":{"stringValue":"Hello"},"attributes":[{"key":"weft.dialect","value":{"stringValue":"pinchy"}},{"key":"gen_ai.agent.id","value":{"stringValue":"a"}},{"key":"session.id","value":{"stringValue":"s"}},{"key":"gen_ai.conversation.id","value":{"stringValue":"s"}},{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}},{"key":"tenant.id","value":{"stringValue":"acme"}},{"key":"weft.status","value":{"stringValue":"progress"}},{"key":"weft.trace_id","value":{"stringValue":"4BF92F3577B34DA6A3CE929D0E0E4736"}},{"key":"gen_ai.usage.input_tokens","value":{"intValue":"105"}},{"key":"gen_ai.usage.output_tokens","value":{"intValue":"7"}},{"key":"gen_ai.usage.cache_read.input_tokens","value":{"intValue":"100"}},{"key":"gen_ai.request.model","value":{"stringValue":"m"}},{"key":"gen_ai.provider.name","value":{"stringValue":"p"}},{"key":"weft.event","value":{"stringValue":"{\"version\":\"v1\",\"event_id\":\"e\",\"trace_id\":\"4BF92F3577B34DA6A3CE929D0E0E4736\",\"occurred_at\":\"2026-01-01T00:00:00Z\",\"event_type\":\"agent.response.created\",\"tenant_id\":\"acme\",\"source\":{\"component_type\":\"gateway\",\"component_id\":\"g\"},\"routing\":{\"agent_id\":\"a\",\"session_id\":\"s\"},\"payload\":{\"response_id\":\"r\",\"content\":[{\"type\":\"text\",\"text\":\"Hello\"}],\"usage\":{\"input_tokens\":5,\"output_tokens\":7,\"cache_read_tokens\":100,\"model\":\"m\",\"provider\":\"p\"}}}"}}],"traceId":"4bf92f3577b34da6a3ce929d0e0e4736"}]}]}]}"#);
}

#[test]
fn a_foreign_cloudevent_becomes_a_collector_event_and_itself_again() {
    let foreign = r#"{"specversion":"1.0","id":"A234-1234-1234","source":"https://github.com/cloudevents/spec/pull","type":"com.github.pull_request.opened","subject":"123","time":"2018-04-05T17:31:00Z","sequence":"00000000000000000007","traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01","datacontenttype":"text/xml","data":"<much wow=\"xml\"/>"}"#;
    insta::assert_snapshot!(opened(foreign, &Fill::default()), @"
    made collector []
    type: activity.progress
    time: 2018-04-05T17:31:00Z
    actor: https://github.com/cloudevents/spec/pull
    order: 7
    identity: id 1298c66b-79f9-8a58-8d3c-c5b66624de10
    status: progress
    level: info
    message: com.github.pull_request.opened 123
    trace: 0af7651916cd43dd8448eb211c80319c
    span: b7ad6b7169203331
    ");
    let mut tape = Tape::new();
    let made = open(tape.parse(foreign).unwrap(), &Fill::default()).unwrap();
    let made = &made[0].as_ref().unwrap().line;
    assert_eq!(to(made, Target::CloudEvents, &Fill::default()).unwrap().line, foreign);
    let changed = made.replace("com.github", "org.github");
    assert_ne!(to(&changed, Target::CloudEvents, &Fill::default()).unwrap().line, foreign);
    let timeless = r#"{"specversion":"1.0","id":"1","source":"/a","type":"t"}"#;
    insta::assert_snapshot!(opened(timeless, &Fill::default()), @"the CloudEvent lacks `time`; give it with --time");
    insta::assert_snapshot!(opened(timeless, &Fill { time_ns: Some(0), ..Fill::default() }), @"
    made collector []
    type: activity.progress
    time: 1970-01-01T00:00:00Z
    actor: /a
    identity: id 63601062-bbe2-8797-959e-82580be4945d
    status: progress
    level: info
    message: t
    ");
}

#[test]
fn an_event_inside_a_foreign_cloudevent_is_found() {
    let wrapped = format!(
        r#"[{{"specversion":"1.0","id":"1","source":"/bus","type":"t","data":{NEEDLE}}},{{"specversion":"1.0","id":"2","source":"/bus","type":"t","data":{NEEDLE}}}]"#
    );
    let mut tape = Tape::new();
    let opened = open(tape.parse(&wrapped).unwrap(), &Fill::default()).unwrap();
    assert_eq!(opened.len(), 2);
    for opened in opened {
        let opened = opened.unwrap();
        assert_eq!((opened.origin, opened.line.as_str()), (Origin::Original, NEEDLE));
    }
}

#[test]
fn records_of_claude_code_become_collector_events() {
    let attribute = |key: &str, value: &str| {
        format!(r#"{{"key":"{key}","value":{{"stringValue":"{value}"}}}}"#)
    };
    let record = |name: &str, more: &[String]| {
        format!(
            r#"{{"timeUnixNano":"1794736800000000000","body":{{"stringValue":"claude_code.{name}"}},"attributes":[{},{{"key":"event.sequence","value":{{"intValue":"17"}}}},{}]}}"#,
            attribute("session.id", "4f0c"),
            more.join(",")
        )
    };
    let tool = record(
        "tool_result",
        &[
            attribute("tool_name", "Bash"),
            attribute("tool_use_id", "toolu_01"),
            attribute("success", "false"),
            attribute("duration_ms", "812"),
        ],
    );
    let number = |key: &str, n: u64| format!(r#"{{"key":"{key}","value":{{"intValue":{n}}}}}"#);
    let api = record(
        "api_request",
        &[
            attribute("model", "claude"),
            number("input_tokens", 5),
            number("cache_read_tokens", 1000),
            r#"{"key":"cost_usd","value":{"doubleValue":0.25}}"#.to_owned(),
        ],
    );
    let request = format!(
        r#"{{"resourceLogs":[{{"resource":{{"attributes":[{}]}},"scopeLogs":[{{"scope":{{"name":"com.anthropic.claude_code.events"}},"logRecords":[{tool},{api}]}}]}}]}}"#,
        attribute("service.name", "claude-code")
    );
    insta::assert_snapshot!(opened(&request, &Fill::default()), @"
    made collector []
    type: hook.post_tool_use_failure
    time: 2026-11-15T10:00:00Z
    actor: session-4f0c
    session: 4f0c
    identity: id 6ce07d79-5fe5-8166-a70a-69daa124cc74
    status: progress
    level: info
    tool: Bash
    duration: 812 ms
    message: claude_code.tool_result
    span: toolu_01
    made collector []
    type: activity.thinking
    time: 2026-11-15T10:00:00Z
    actor: session-4f0c
    session: 4f0c
    identity: id 812d94fb-b575-862c-9afa-829fb402ea36
    status: thinking
    level: info
    message: claude_code.api_request
    usage: 5 tokens in, 1000 tokens cache read, 0.25 USD, model claude
    ");
    let mut tape = Tape::new();
    let made = open(tape.parse(&request).unwrap(), &Fill::default()).unwrap();
    let made = &made[0].as_ref().unwrap().line;
    let back = to(made, Target::Otlp, &Fill::default()).unwrap().line;
    assert_eq!(back, request.replace(&format!(",{api}"), ""));
}

#[test]
fn records_of_needle_become_needle_events() {
    let request = r#"{"resourceLogs":[{"resource":{"attributes":[]},"scopeLogs":[{"scope":{"name":"needle"},"logRecords":[{"timeUnixNano":"1794736800000000000","severityNumber":17,"eventName":"error.timeout","attributes":[{"key":"needle.worker.id","value":{"stringValue":"w"}},{"key":"needle.session.id","value":{"stringValue":"s"}},{"key":"needle.sequence","value":{"intValue":"3"}},{"key":"needle.bead.id","value":{"stringValue":"bd-1"}},{"key":"duration_ms","value":{"intValue":"90"}},{"key":"list","value":{"arrayValue":{"values":[{"boolValue":true},{"kvlistValue":{"values":[{"key":"k","value":{"doubleValue":1.5}}]}},{}]}}}],"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"0000000000000000"}]}]}]}"#;
    let mut tape = Tape::new();
    let made = open(tape.parse(request).unwrap(), &Fill::default()).unwrap();
    insta::assert_snapshot!(made[0].as_ref().unwrap().line, @r#"{"schema_version":1,"timestamp":"2026-11-15T10:00:00Z","event_type":"error.timeout","worker_id":"w","session_id":"s","sequence":3,"bead_id":"bd-1","data":{"duration_ms":90,"list":[true,{"k":1.5},null]},"trace_id":"0af7651916cd43dd8448eb211c80319c"}"#);
    let bare = request.replace(r#""scope":{"name":"needle"},"#, "");
    assert!(opened(&bare, &Fill::default()).starts_with("made needle []"));
    insta::assert_snapshot!(opened(request, &Fill::default()), @r#"
    made needle ["resource, scope and observed time of the log record are not kept in the event"]
    type: error.timeout
    time: 2026-11-15T10:00:00Z
    actor: w
    session: s
    order: 3
    identity: worker w, session s, sequence 3
    status: error
    level: error
    duration: 90 ms
    trace: 0af7651916cd43dd8448eb211c80319c
    task: bd-1
    "#);
}

#[test]
fn what_a_needle_event_cannot_say_is_kept_beside_it() {
    let request = |more: &str, attributes: &str| {
        format!(
            r#"{{"resourceLogs":[{{"scopeLogs":[{{"logRecords":[{{"timeUnixNano":"1000000000","eventName":"bead.failed",{more}"attributes":[{{"key":"needle.worker.id","value":{{"stringValue":"w"}}}},{{"key":"needle.session.id","value":{{"stringValue":"s"}}}},{{"key":"needle.sequence","value":{{"intValue":"3"}}}}{attributes}]}}]}}]}}]}}"#
        )
    };
    let made = |request: &str| {
        let mut tape = Tape::new();
        let opened = open(tape.parse(request).unwrap(), &Fill::default()).unwrap();
        opened[0].clone().unwrap()
    };
    let usual = request(
        r#""severityNumber":13,"severityText":"WARN","body":{"stringValue":"It broke"},"flags":0,"#,
        r#",{"key":"event.name","value":{"stringValue":"bead.failed"}},{"key":"n","value":{"intValue":"1"}}"#,
    );
    insta::assert_snapshot!(made(&usual).line, @r#"{"schema_version":1,"timestamp":"1970-01-01T00:00:01Z","event_type":"bead.failed","worker_id":"w","session_id":"s","sequence":3,"data":{"n":1,"message":"It broke"}}"#);
    let loud = request(r#""severityNumber":18,"flags":1,"#, "");
    insta::assert_snapshot!(made(&loud).line, @r#"{"schema_version":1,"timestamp":"1970-01-01T00:00:01Z","event_type":"bead.failed","worker_id":"w","session_id":"s","sequence":3,"data":{"weft":{"dialect":"otlp","type":"bead.failed","facts":{"level":"error"},"event":{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"timeUnixNano":"1000000000","eventName":"bead.failed","severityNumber":18,"flags":1,"attributes":[{"key":"needle.worker.id","value":{"stringValue":"w"}},{"key":"needle.session.id","value":{"stringValue":"s"}},{"key":"needle.sequence","value":{"intValue":"3"}}]}]}]}]}}}}"#);
    let text = |key: &str| format!(r#",{{"key":"{key}","value":{{"stringValue":"x"}}}}"#);
    let body = r#""body":{"kvlistValue":{"values":[{"key":"k","value":{"intValue":"1"}}]}},"#;
    for (more, attributes) in [
        (r#""severityNumber":18,"flags":1,"#, String::new()),
        (r#""severityText":"LOUD","#, String::new()),
        (r#""flags":1,"#, String::new()),
        (r#""droppedAttributesCount":2,"#, String::new()),
        (r#""body":{"intValue":"5"},"#, String::new()),
        (r#""body":{"stringValue":"It broke"},"#, text("message")),
        (r#""traceId":"not hex","#, String::new()),
        (r#""unheardOf":{},"#, String::new()),
        (body, text("beside")),
        ("", text("needle.other")),
        ("", text("event.name")),
        ("", text("weft")),
        ("", text("n") + &text("n")),
    ] {
        let request = request(more, &attributes);
        let made = made(&request);
        assert_eq!(made.losses, [], "{request}");
        assert_eq!(to(&made.line, Target::Needle, &Fill::default()).unwrap().line, made.line);
        let back = to(&made.line, Target::Otlp, &Fill::default()).unwrap().line;
        assert_eq!(back, request, "{}", made.line);
    }
    for (more, attributes) in [(body, String::new()), ("", text("n"))] {
        assert!(!made(&request(more, &attributes)).line.contains(r#""weft":"#));
    }
}

#[test]
fn what_was_changed_in_a_record_counts() {
    let none = Fill::default();
    let collector = r#"{"version":"1.0.0","event_type":"activity.progress","timestamp":"2026-01-01T00:00:00Z","agent_id":"@a","message":"half"}"#;
    let record = to(collector, Target::Otlp, &none).unwrap().line;
    for (from, into, fact) in [
        (r#""body":{"stringValue":"half"}"#, r#""body":{"stringValue":"done"}"#, "message: done"),
        (r#""severityNumber":9"#, r#""severityNumber":17"#, "level: error"),
        ("1767225600000000000", "1767225601000000000", "time: 2026-01-01T00:00:01Z"),
        (r#"{"stringValue":"@a"}"#, r#"{"stringValue":"@b"}"#, "actor: @b"),
        (r#"{"stringValue":"progress"}"#, r#"{"stringValue":"blocked"}"#, "status: blocked"),
        (
            r#""attributes":[{"key":"weft"#,
            r#""attributes":[{"key":"gen_ai.usage.output_tokens","value":{"intValue":"7"}},{"key":"weft"#,
            "usage: 7 tokens out",
        ),
    ] {
        let changed = record.replacen(from, into, 2);
        assert_ne!(changed, record);
        let opened = opened(&changed, &none);
        assert!(opened.starts_with("made collector []\n"), "{opened}");
        assert!(opened.contains(fact), "{fact}: {opened}");
    }
    let enriched = record.replace(
        r#""attributes":[{"key":"weft"#,
        r#""flags":1,"attributes":[{"key":"host.name","value":{"stringValue":"h"}},{"key":"weft"#,
    );
    assert!(opened(&enriched, &none).starts_with("original"));
    let renamed = record.replace(r#""eventName":"activity.progress""#, r#""eventName":"e""#);
    insta::assert_snapshot!(opened(&renamed, &none), @"/resourceLogs/0/scopeLogs/0/logRecords/0: the record was changed: its type is not that of `weft.event`, which cannot take it");
    let given =
        Fill { session: Some("s".to_owned()), tenant: Some("t".to_owned()), ..none.clone() };
    let filled = to(collector, Target::Otlp, &given).unwrap().line;
    assert!(filled.contains(r#""weft.filled""#) && opened(&filled, &none).starts_with("original"));
}

#[test]
fn a_record_without_time_and_agent_lacks_both() {
    let request = r#"{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"eventName":"e"}]}]}]}"#;
    insta::assert_snapshot!(opened(request, &Fill::default()), @"the log record lacks `timeUnixNano`, `gen_ai.agent.id`; give them with --time --agent");
    let fill = Fill { time_ns: Some(1), ..Fill::default() };
    insta::assert_snapshot!(opened(request, &fill), @"the log record lacks `gen_ai.agent.id`; give it with --agent");
}

#[test]
fn what_is_no_envelope_is_left_alone() {
    let with_field = NEEDLE.replacen('{', r#"{"specversion":2,"#, 1);
    for line in ["{}", "[{}]", "1", "[1]", NEEDLE, &with_field] {
        assert_eq!(opened(line, &Fill::default()), "no envelope", "{line}");
    }
    for empty in [r#"{"resourceLogs":[]}"#, "[]"] {
        assert_eq!(opened(empty, &Fill::default()), "");
    }
}

/// What is inside an envelope as text may have line breaks that a line cannot have.
#[test]
fn an_event_out_of_an_envelope_is_on_one_line() {
    let inside = NEEDLE.replacen(',', ",\n ", 1);
    let text = crate::json::Json::text(&inside);
    let text = text.as_str();
    let cloudevent = format!(
        r#"{{"specversion":"1.0","id":"1","source":"s","type":"t","weftdialect":"needle","data":{text}}}"#
    );
    let request = format!(
        r#"{{"resourceLogs":[{{"scopeLogs":[{{"logRecords":[{{"attributes":[{{"key":"weft.dialect","value":{{"stringValue":"needle"}}}},{{"key":"weft.event","value":{{"stringValue":{text}}}}}]}}]}}]}}]}}"#
    );
    for envelope in [cloudevent, request] {
        let mut tape = Tape::new();
        let opened = open(tape.parse(&envelope).unwrap(), &Fill::default()).unwrap();
        assert_eq!(opened[0].as_ref().unwrap().line, inside.replace('\n', " "));
    }
    for &target in Target::ALL {
        let there = to(&inside, target, &everything());
        assert!(there.is_ok_and(|there| !there.line.contains('\n')), "{}", target.as_str());
    }
}

/// Every event out of a request keeps a copy of its resource; a large one with many records would fill all memory.
#[test]
fn a_large_resource_is_not_copied_into_every_event() {
    const N: usize = 5_000;
    let name = "n".repeat(8 << 10);
    let record = r#"{"timeUnixNano":"1","body":{"stringValue":"b"}}"#;
    let request = |n: usize| {
        let records = vec![record; n].join(",");
        format!(
            r#"{{"resourceLogs":[{{"resource":{{"attributes":[{{"key":"service.name","value":{{"stringValue":"s"}}}},{{"key":"k","value":{{"stringValue":"{name}"}}}}]}},"scopeLogs":[{{"logRecords":[{records}]}}]}}]}}"#
        )
    };
    let open_all = |request: &str| {
        let mut tape = Tape::new();
        open(tape.parse(request).unwrap(), &Fill::default()).unwrap()
    };
    let few = open_all(&request(2));
    assert!(few.iter().flatten().all(|opened| opened.line.contains(&name)));
    let many = open_all(&request(N));
    assert_eq!(many.len(), N);
    assert!(many.iter().flatten().all(|opened| opened.losses == [Loss::Surroundings]));
    let n_bytes: usize = many.iter().flatten().map(|opened| opened.line.len()).sum();
    assert!(n_bytes < 4 << 20, "{n_bytes} bytes");
}

#[test]
fn records_that_are_too_many_to_tell_are_told_to_be_left_out() {
    let records = vec!["5"; 150].join(",");
    let request = format!(r#"{{"resourceLogs":[{{"scopeLogs":[{{"logRecords":[{records}]}}]}}]}}"#);
    let mut tape = Tape::new();
    let opened = open(tape.parse(&request).unwrap(), &Fill::default()).unwrap();
    assert_eq!(opened.len(), crate::problem::PROBLEMS_MAX);
    let last = opened.last().unwrap().as_ref().unwrap_err().to_string();
    let place = "/resourceLogs/0/scopeLogs/0/logRecords/99";
    assert_eq!(
        last,
        format!("{place}: expected object, found number; further errors are left out")
    );
}
