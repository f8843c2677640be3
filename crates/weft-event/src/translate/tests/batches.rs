//! Many events in one export request: within its limits, in their order, and the same events when they come back.

use super::{DIALECTS, to, with_event};
use crate::json::{Json, Tape, Value};
use crate::translate::otlp::{BATCH_BYTES_MAX, BATCH_RECORDS_MAX, Batch, Request, Signal};
use crate::translate::{Fill, Origin, Target, open};
use crate::{Dialect, sample};

/// Puts lines into requests.
fn batched<'l>(lines: impl IntoIterator<Item = &'l str>) -> Vec<Request> {
    let mut batch = Batch::new();
    let mut requests = Vec::new();
    for line in lines {
        requests.extend(with_event(line, |event| batch.push(event, Some(7))));
    }
    requests.extend(batch.take());
    requests
}

/// Returns the events out of a request, which are all as they were sent.
fn unbatched(request: &Request) -> Vec<String> {
    let mut tape = Tape::new();
    let opened = open(tape.parse(&request.json).unwrap(), &Fill::default()).unwrap();
    assert_eq!(opened.len(), request.n_records);
    let line = |opened: Result<crate::translate::Opened, _>| {
        let opened = opened.unwrap();
        assert_eq!((opened.origin, opened.losses), (Origin::Original, vec![]), "{}", opened.line);
        opened.line
    };
    opened.into_iter().map(line).collect()
}

/// Returns the attributes of the one record of an event in OTLP that have these names, as `name=value`.
fn attributes(line: &str, prefixes: &[&str]) -> String {
    let request = to(line, Target::Otlp, &Fill::default()).unwrap().line;
    let mut tape = Tape::new();
    let request = tape.parse(&request).unwrap();
    let mut record = request;
    for list in Signal::Logs.lists() {
        record = record.get(list).unwrap().items().next().unwrap();
    }
    let shown = |attribute: Value<'_>| {
        let key = attribute.text_at("key").unwrap().into_owned();
        let (_, value) = attribute.get("value").unwrap().members().next().unwrap();
        let text = value.as_text().map_or(value.raw().to_owned(), |text| text.into_owned());
        prefixes.iter().any(|prefix| key.starts_with(prefix)).then(|| format!("{key}={text}"))
    };
    let all: Vec<_> = record.get("attributes").unwrap().items().filter_map(shown).collect();
    all.join(" ")
}

#[test]
fn every_type_of_every_dialect_comes_back_as_it_was_in_its_place() {
    let types = |dialect: Dialect| {
        let taxonomy = dialect.taxonomy();
        taxonomy.rows().iter().map(move |row| sample::of_type(dialect, row.name, 1))
    };
    let lines: Vec<String> = DIALECTS.into_iter().flat_map(types).collect();
    assert!(lines.len() > 100);
    let requests = batched(lines.iter().map(String::as_str));
    let back: Vec<_> = requests.iter().flat_map(unbatched).collect();
    assert_eq!(back, lines);
    let mixed: Vec<&String> = (0..lines.len()).map(|n| &lines[(n * 37) % lines.len()]).collect();
    let requests = batched(mixed.iter().map(|line| line.as_str()));
    let back: Vec<_> = requests.iter().flat_map(unbatched).collect();
    assert_eq!(back.iter().collect::<Vec<_>>(), mixed, "where dialects change from line to line");
}

#[test]
fn an_event_without_a_time_shows_when_it_was_seen_and_stays_without() {
    let line = r#"{"schema":0,"event":"DONE","reason":"COMPLETE","stack":[]}"#;
    let requests = batched([line]);
    assert!(requests[0].json.contains(r#""timeUnixNano":"7""#), "{}", requests[0].json);
    assert_eq!(unbatched(&requests[0]), [line]);
}

#[test]
fn a_request_keeps_to_its_limits() {
    let small = sample::of_type(Dialect::Needle, "bead.completed", 1);
    let many: Vec<_> = std::iter::repeat_n(small.as_str(), BATCH_RECORDS_MAX + 1).collect();
    let counts: Vec<_> = batched(many).iter().map(|request| request.n_records).collect();
    assert_eq!(counts, [BATCH_RECORDS_MAX, 1]);

    let large = |n_bytes: usize| {
        let text = Json::text(&"x".repeat(n_bytes));
        small.replacen(r#""data":{"#, &format!(r#""data":{{"pad":{},"#, text.as_str()), 1)
    };
    let [half, whole] = [BATCH_BYTES_MAX / 2, 2 * BATCH_BYTES_MAX].map(large);
    let requests = batched([&*small, &half, &half, &whole, &small]);
    let counts: Vec<_> = requests.iter().map(|request| request.n_records).collect();
    assert_eq!(counts, [2, 1, 1, 1], "what is too large for any goes alone");
    assert!(requests[..2].iter().all(|request| request.json.len() < BATCH_BYTES_MAX + 1024));
    assert_eq!(Batch::new().take(), None);
}

#[test]
fn a_record_says_what_the_conventions_have_names_for() {
    let names = ["gen_ai.", "error."];
    let tool = r#"{"version":"1.0.0","event_type":"hook.post_tool_use_failure","timestamp":"2026-03-10T09:00:04.250Z","agent_id":"@a","session_id":"s","source":"hook","status":"error","tool":{"tool_name":"Bash"},"correlation":{"trace_id":"t","span_id":"toolu_1"}}"#;
    insta::assert_snapshot!(attributes(tool, &names), @"gen_ai.agent.id=@a gen_ai.conversation.id=s gen_ai.operation.name=execute_tool gen_ai.tool.call.id=toolu_1 error.type=hook.post_tool_use_failure gen_ai.tool.name=Bash");
    let begins = tool.replace("hook.post_tool_use_failure", "hook.subagent_start");
    let begins =
        begins.replace(r#""status":"error","tool":{"tool_name":"Bash"}"#, r#""status":"started""#);
    insta::assert_snapshot!(attributes(&begins, &names), @"gen_ai.agent.id=@a gen_ai.conversation.id=s gen_ai.operation.name=invoke_agent");
    let usage = r#"{"version":"v1","event_id":"e","trace_id":"4bf92f3577b34da6a3ce929d0e0e4736","occurred_at":"2026-01-01T00:00:00Z","event_type":"agent.response.created","tenant_id":"acme","source":{"component_type":"gateway","component_id":"g"},"routing":{"agent_id":"a","session_id":"s"},"payload":{"response_id":"r","content":[],"usage":{"input_tokens":5,"output_tokens":7,"cache_read_tokens":100,"cache_write_tokens":20,"model":"m","provider":"anthropic"}}}"#;
    insta::assert_snapshot!(attributes(usage, &names), @"gen_ai.agent.id=a gen_ai.conversation.id=s gen_ai.operation.name=chat gen_ai.usage.input_tokens=125 gen_ai.usage.output_tokens=7 gen_ai.usage.cache_read.input_tokens=100 gen_ai.usage.cache_write.input_tokens=20 gen_ai.request.model=m gen_ai.provider.name=anthropic");
}
