//! What validation says about whole inputs, and what it counts.

use super::{Explain, Strictness, Subject, Validator};
use crate::Dialect;
use crate::event::{self, Expect};
use crate::input::Ending;
use crate::json::Tape;
use crate::problem::{Code, Problems};

const FINE: &str = r#"{"version":"1.0.0","event_type":"lifecycle.started","timestamp":"2026-01-01T00:00:00Z","agent_id":"@a"}"#;
const OWN: &str =
    r#"{"weft":1,"type":"log.pruned","id":"1","at":"2026-01-01T00:00:00Z","data":{}}"#;

/// Shows every finding and the counts.
fn report(mut validator: Validator, inputs: &[&str]) -> String {
    let mut out = String::new();
    let strictness = validator.strictness;
    for input in inputs {
        let mut lines = validator.lines(input.as_bytes());
        while let Some(item) = lines.read().unwrap() {
            let finding = validator.check(item);
            let name = finding.dialect.map_or("-", Dialect::as_str);
            for problem in finding.problems {
                let severity = strictness.severity(problem.code).as_str();
                let code = problem.code.as_str();
                out += &format!("{} {name} {severity} {code}: {problem}\n", finding.number);
            }
            if let Some(explanation) = finding.explanation {
                out += &format!("{} {explanation}\n", finding.number);
                out += &format!("  {}\n", explanation.to_json().as_str());
            }
        }
        validator.end_input(lines.n_seals());
    }
    let summary = validator.summary();
    for (dialect, counts) in summary.by_dialect() {
        out += &format!("{}: {counts:?}\n", dialect.map_or("unknown", Dialect::as_str));
    }
    let seals = summary.n_seals();
    out + &format!("{:?}, {seals} seals, errors: {}\n", summary.total(), summary.has_errors())
}

fn events(inputs: &[&str], strictness: Strictness) -> String {
    report(Validator::new(Subject::Event(Expect::Any), strictness, Explain::No), inputs)
}

#[test]
fn every_line_gets_its_verdict_and_one_bad_line_does_not_stop_the_rest() {
    let input = format!("{FINE}\nnope\n[1]\n{{}}\n{OWN}\n{{\"weft_seal\":{{}}}}\n{FINE}");
    insta::assert_snapshot!(events(&[&input], Strictness::Tolerant), @"
    2 - error json: not JSON: unexpected character at column 1, near `nope`
    3 - error not_an_object: an event is an object, not array
    4 - error unknown_dialect: no dialect has such a shape (it is empty); name one with --dialect, or see --explain
    collector: Counts { events: 2, valid: 2, invalid: 0, warnings: 0 }
    weft: Counts { events: 1, valid: 1, invalid: 0, warnings: 0 }
    unknown: Counts { events: 3, valid: 0, invalid: 3, warnings: 0 }
    Counts { events: 6, valid: 3, invalid: 3, warnings: 0 }, 1 seals, errors: true
    ");
}

#[test]
fn a_line_that_ends_too_early_is_torn_at_the_end_of_the_file_only() {
    let torn = &FINE[..FINE.len() - 4];
    let input = format!("{torn}\n{FINE}\n{torn}");
    insta::assert_snapshot!(events(&[&input], Strictness::Tolerant), @"
    1 - error json: not JSON: the line ends inside a value at column 100
    3 - error torn_line: the file ends inside this line
    collector: Counts { events: 1, valid: 1, invalid: 0, warnings: 0 }
    unknown: Counts { events: 2, valid: 0, invalid: 2, warnings: 0 }
    Counts { events: 3, valid: 1, invalid: 2, warnings: 0 }, 0 seals, errors: true
    ");
    insta::assert_snapshot!(events(&[&format!("{{\n \"a\": [,]\n}}\n{FINE}")], Strictness::Tolerant), @"
    1 - error json: not JSON: unexpected character on line 2 of it, column 8, near `,]
    }`
    collector: Counts { events: 1, valid: 1, invalid: 0, warnings: 0 }
    unknown: Counts { events: 1, valid: 0, invalid: 1, warnings: 0 }
    Counts { events: 2, valid: 1, invalid: 1, warnings: 0 }, 0 seals, errors: true
    ");
}

#[test]
fn a_line_cut_off_at_any_byte_is_torn() {
    let line = r#"{"é€😀":"\ud83d\ude00\n","n":[-1.5e-3,0,true,false,null,{}]}"#;
    for end in 1..line.len() {
        let mut problems = Problems::new();
        let cut = &line.as_bytes()[..end];
        assert!(
            event::parse(&mut Tape::new(), cut, Ending::EndOfInput, &mut problems).is_none(),
            "{end}"
        );
        let codes: Vec<_> = problems.list().iter().map(|problem| problem.code).collect();
        assert_eq!(codes, [Code::TornLine], "{:?}", String::from_utf8_lossy(cut));
    }
}

#[test]
fn what_stands_before_an_event_falls_to_it() {
    let input = format!("\u{feff}{FINE}\n\0\0");
    insta::assert_snapshot!(events(&[&input, &input], Strictness::Tolerant), @"
    1 - warning byte_order_mark: the file starts with a byte-order mark
    2 - warning nul_bytes: NUL bytes before this line (2), as a crash leaves them
    1 - warning byte_order_mark: the file starts with a byte-order mark
    2 - warning nul_bytes: NUL bytes before this line (2), as a crash leaves them
    collector: Counts { events: 2, valid: 2, invalid: 0, warnings: 2 }
    unknown: Counts { events: 0, valid: 0, invalid: 0, warnings: 2 }
    Counts { events: 2, valid: 2, invalid: 0, warnings: 4 }, 0 seals, errors: false
    ");
    insta::assert_snapshot!(events(&[&input], Strictness::Strict), @"
    1 - error byte_order_mark: the file starts with a byte-order mark
    2 - error nul_bytes: NUL bytes before this line (2), as a crash leaves them
    collector: Counts { events: 1, valid: 0, invalid: 1, warnings: 0 }
    Counts { events: 1, valid: 0, invalid: 1, warnings: 0 }, 0 seals, errors: true
    ");
}

#[test]
fn strictness_turns_warnings_into_errors() {
    let input = FINE.replace("\"@a\"", "\"@a\",\"status\":\"blocked\"");
    insta::assert_snapshot!(events(&[&input], Strictness::Tolerant), @"
    1 collector warning status_mismatch: /status: `lifecycle.started` means `started`; the stated `blocked` counts
    collector: Counts { events: 1, valid: 1, invalid: 0, warnings: 1 }
    Counts { events: 1, valid: 1, invalid: 0, warnings: 1 }, 0 seals, errors: false
    ");
    insta::assert_snapshot!(events(&[&input], Strictness::Strict), @"
    1 collector error status_mismatch: /status: `lifecycle.started` means `started`; the stated `blocked` counts
    collector: Counts { events: 1, valid: 0, invalid: 1, warnings: 0 }
    Counts { events: 1, valid: 0, invalid: 1, warnings: 0 }, 0 seals, errors: true
    ");
}

#[test]
fn explanations_say_what_settled_the_dialect() {
    let input = [
        FINE,
        r#"{"version":"1.0.0","event_type":"lifecycle.started","timestamp":"2026-01-01T00:00:00Z","agent_id":"@a","level":"info"}"#,
        r#"{"event_type":"lifecycle.started"}"#,
        r#"{"agent_id":"@a","runId":"r"}"#,
        r#"{"x":1}"#,
        "[]",
        "nope",
    ]
    .join("\n");
    let any = Validator::new(Subject::Event(Expect::Any), Strictness::Tolerant, Explain::Yes);
    insta::assert_snapshot!(report(any, &[&input]), @r#"
    1 collector, the only one that fits: collector by `version` `agent_id` (complete)
      {"dialect":"collector","settled":"only_fit","fits":[{"dialect":"collector","marks":["version","agent_id"],"complete":true}]}
    2 collector, the best of those that fit: collector by `version` `agent_id` (complete), needle by `level` (incomplete)
      {"dialect":"collector","settled":"best_fit","fits":[{"dialect":"collector","marks":["version","agent_id"],"complete":true},{"dialect":"needle","marks":["level"],"complete":false}]}
    3 collector error missing: /version: `version` is missing
    3 collector error missing: /timestamp: `timestamp` is missing
    3 collector error missing: /agent_id: `agent_id` is missing
    3 collector, the only one with this type
      {"dialect":"collector","settled":"type_name","fits":[]}
    4 - error ambiguous_dialect: fits collector and engine equally well; name one with --dialect collector
    4 none, as several fit equally well: collector by `agent_id` (incomplete), engine by `runId` (incomplete)
      {"dialect":null,"settled":"ambiguous","fits":[{"dialect":"collector","marks":["agent_id"],"complete":false},{"dialect":"engine","marks":["runId"],"complete":false}]}
    5 - error unknown_dialect: no dialect has such a shape (it has `x`); name one with --dialect, or see --explain
    5 none, as no key and no type tells
      {"dialect":null,"settled":"unknown","fits":[]}
    6 - error not_an_object: an event is an object, not array
    6 none, as it is not an object
      {"dialect":null,"settled":"not_an_object","fits":[]}
    7 - error json: not JSON: unexpected character at column 1, near `nope`
    collector: Counts { events: 3, valid: 2, invalid: 1, warnings: 0 }
    unknown: Counts { events: 4, valid: 0, invalid: 4, warnings: 0 }
    Counts { events: 7, valid: 2, invalid: 5, warnings: 0 }, 0 seals, errors: true
    "#);
    let subject = Subject::Event(Expect::Dialect(Dialect::Collector));
    let named = Validator::new(subject, Strictness::Tolerant, Explain::Yes);
    insta::assert_snapshot!(report(named, &[FINE, "{"]), @r#"
    1 collector, as named
      {"dialect":"collector","settled":"named","fits":[{"dialect":"collector","marks":["version","agent_id"],"complete":true}]}
    1 collector error torn_line: the file ends inside this line
    collector: Counts { events: 2, valid: 1, invalid: 1, warnings: 0 }
    Counts { events: 2, valid: 1, invalid: 1, warnings: 0 }, 0 seals, errors: true
    "#);
}

#[test]
fn a_document_is_checked_by_its_own_shape() {
    let subject = Subject::Document { dialect: Dialect::Collector, name: "legacy-row" };
    let new = || Validator::new(subject, Strictness::Tolerant, Explain::No);
    let row = r#"{"agent_id":"@a","status":"waiting","timestamp":"2026-01-01T00:00:00Z"}"#;
    insta::assert_snapshot!(report(new(), &[row, FINE]), @"
    1 collector error missing: /status: `status` is missing
    collector: Counts { events: 2, valid: 1, invalid: 1, warnings: 0 }
    Counts { events: 2, valid: 1, invalid: 1, warnings: 0 }, 0 seals, errors: true
    ");
    insta::assert_snapshot!(report(new(), &["{ \"agent_id\": \"@a\",\n  \"status\": \"waiting\",\n \"timestamp\": 0 }\n"]), @"
    1 collector error type: /timestamp: expected string, found number
    collector: Counts { events: 1, valid: 0, invalid: 1, warnings: 0 }
    Counts { events: 1, valid: 0, invalid: 1, warnings: 0 }, 0 seals, errors: true
    ");
}

#[test]
#[should_panic(expected = "no document nonsense")]
fn a_document_that_the_dialect_does_not_have_is_a_fault_of_the_caller() {
    let subject = Subject::Document { dialect: Dialect::Collector, name: "nonsense" };
    Validator::new(subject, Strictness::Tolerant, Explain::No);
}

/// Returns the codes found in a line and how often each, and the last message of each.
fn found(dialect: Dialect, line: &str) -> String {
    let subject = Subject::Event(Expect::Dialect(dialect));
    let mut validator = Validator::new(subject, Strictness::Tolerant, Explain::No);
    let mut lines = validator.lines(line.as_bytes());
    let finding = validator.check(lines.read().unwrap().unwrap());
    let mut codes: Vec<_> = finding.problems.iter().map(|problem| problem.code).collect();
    codes.dedup();
    let count = |code| {
        let of_code = || finding.problems.iter().filter(|problem| problem.code == code);
        let last = of_code().next_back().unwrap();
        format!("{} {}, at last {last}\n", of_code().count(), code.as_str())
    };
    codes.into_iter().map(count).collect()
}

/// The place of a problem costs a walk over the line, so that these lines took minutes without a limit.
#[test]
fn a_line_of_nothing_but_problems_is_done_with_soon() {
    const N: usize = 20_000;
    let unknown: String = (0..N).map(|n| format!(",\"k{n}\":0")).collect();
    let repeated = ",\"data\":{}".repeat(N);
    let pinchy = format!(r#"{{"version":"v1"{unknown}}}"#);
    insta::assert_snapshot!(found(Dialect::Pinchy, &pinchy), @"100 unknown_field, at last /k99: `k99` is not a field of Pinchy Event Envelope v1; further errors are left out");
    let own = OWN.strip_suffix('}').unwrap();
    insta::assert_snapshot!(found(Dialect::Weft, &format!("{own}{repeated}}}")), @"100 duplicate_key, at last /data: the key `data` stands twice; further errors are left out");
    let engine = r#"{"id":"1","runId":"r","ts":1,"seq":0,"type":"Error","payload":{"#;
    insta::assert_snapshot!(found(Dialect::Engine, &format!("{engine}\"data\":0{repeated}}}}}")), @"100 duplicate_key, at last /payload/data: the key `data` stands twice; further errors are left out");
    let restore = r#"{"type":"checkpoint.restore","id":"a","id":"b"}"#;
    let restores = vec![restore; N].join(",");
    let last = r#"{"x":1,"x":2}"#;
    insta::assert_snapshot!(found(Dialect::Engine, &format!("{engine}\"all\":[{restores},{last}]}}}}")), @"
    100 checkpoint_id, at last /payload/all/99/id: the second `id` is read as `checkpointId`; further warnings are left out
    1 duplicate_key, at last /payload/all/20000/x: the key `x` stands twice
    ");
}
