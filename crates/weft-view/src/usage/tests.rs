//! What usage says, and that it says nothing twice.

use insta::assert_snapshot;

use super::{BudgetMarks, BudgetRow, By, Limit, LimitOf, Per, SESSIONS_MAX, UsageBook, UsageRow};
use crate::scene::late;
use crate::testing::{START_NS, assert_law, fold, place};
use crate::{Money, Prices};

/// Returns an event of the collector with usage.
fn told(session: &str, agent: &str, time: &str, usage: &str) -> String {
    format!(
        r#"{{"version":"1.0.0","event_type":"activity.thinking","timestamp":"2026-11-15T{time}Z","agent_id":"{agent}","session_id":"{session}","metadata":{{"task_id":"har-1","usage":{usage}}}}}"#
    )
}

/// Returns the same as the file of a session tells it; each needs a number of its own.
fn recorded(n: u64, session: &str, agent: &str, time: &str, usage: &str) -> String {
    format!(
        r#"{{"version":"1.0.0","event_type":"activity.usage","timestamp":"2026-11-15T{time}Z","agent_id":"{agent}","event_id":"019cb022-dc57-786c-a795-{n:012}","session_id":"{session}","metadata":{{"client":"claude-code","source":"transcript","usage":{usage}}}}}"#
    )
}

/// Returns the same as a hook tells it.
fn hooked(session: &str, agent: &str, time: &str, usage: &str) -> String {
    format!(
        r#"{{"version":"1.0.0","event_type":"hook.stop","timestamp":"2026-11-15T{time}Z","agent_id":"{agent}","session_id":"{session}","source":"hook","hook":{{"hook_type":"Stop","raw_payload":{{"session_id":"{session}","prompt_id":"{time}"}}}},"correlation":{{"span_id":"{time}"}},"metadata":{{"usage":{usage}}}}}"#
    )
}

fn effort(sequence: u64, bead: &str, data: &str) -> String {
    format!(
        r#"{{"schema_version":1,"timestamp":"2026-11-15T09:00:0{sequence}Z","event_type":"effort.recorded","worker_id":"alpha","session_id":"w1","sequence":{sequence},"bead_id":"{bead}","data":{{"bead_id":"{bead}",{data}}}}}"#
    )
}

fn budget(event_type: &str, sequence: u64, data: &str) -> String {
    format!(
        r#"{{"schema_version":1,"timestamp":"2026-11-15T09:00:0{sequence}Z","event_type":"budget.{event_type}","worker_id":"alpha","session_id":"w1","sequence":{sequence},"bead_id":"bd-1","data":{{"bead_id":"bd-1",{data}}}}}"#
    )
}

fn book(lines: &[String]) -> UsageBook {
    let lines = late(lines.to_vec());
    assert_law::<UsageBook>(&lines, lines.len());
    fold(&lines)
}

fn shown(rows: &[UsageRow]) -> String {
    let line = |row: &UsageRow| {
        let UsageRow { input_tokens, output_tokens, cache_read_tokens, .. } = row;
        let name = row.name.as_deref().unwrap_or("-");
        let [cost, reported, estimated] =
            [row.cost_usd, row.reported_usd, row.estimated_usd].map(Money::dollars);
        format!(
            "{name}: {input_tokens}+{output_tokens}+{cache_read_tokens} of {}, ${cost} (reported {reported}, estimated {estimated}), unpriced {}\n",
            row.total_tokens, row.unpriced_tokens
        )
    };
    rows.iter().map(line).collect()
}

fn by(book: &UsageBook, by: By) -> String {
    shown(&book.rows(by, &Prices::default()))
}

const SONNET: &str = r#"{"input_tokens":1000,"output_tokens":100,"cache_read_tokens":5000,"model":"claude-sonnet-4-5"}"#;

#[test]
fn tokens_and_cost_are_grouped_five_ways() {
    let book = book(&[
        told("s1", "ana", "09:00:00", SONNET),
        told(
            "s1",
            "bob",
            "09:01:00",
            r#"{"input_tokens":10,"output_tokens":2,"cost_usd":0.5,"model":"gpt-5"}"#,
        ),
        told("s2", "bob", "23:59:59", r#"{"total_tokens":77,"model":"claude-sonnet-4-5"}"#),
        told("s2", "bob", "23:59:59", r#"{"input_tokens":5,"model":"my-own"}"#)
            .replace("-15T", "-16T"),
        effort(1, "bd-7", r#""tokens":{"input":3,"output":4},"cost":0.25"#),
        effort(2, "bd-7", r#""tokens":{"input":3,"output":4},"cost":0.25"#),
    ]);
    assert_snapshot!(by(&book, By::Actor), @"
    bob: 15+2+0 of 94, $0.5 (reported 0.5, estimated 0), unpriced 82
    alpha: 6+8+0 of 14, $0.5 (reported 0.5, estimated 0), unpriced 0
    ana: 1000+100+5000 of 6100, $0.006 (reported 0, estimated 0.006), unpriced 0
    ");
    assert_snapshot!(by(&book, By::Session), @"
    s1: 1010+102+5000 of 6112, $0.506 (reported 0.5, estimated 0.006), unpriced 0
    w1: 6+8+0 of 14, $0.5 (reported 0.5, estimated 0), unpriced 0
    s2: 5+0+0 of 82, $0 (reported 0, estimated 0), unpriced 82
    ");
    assert_snapshot!(by(&book, By::Task), @"
    har-1: 1015+102+5000 of 6194, $0.506 (reported 0.5, estimated 0.006), unpriced 82
    bd-7: 6+8+0 of 14, $0.5 (reported 0.5, estimated 0), unpriced 0
    ");
    assert_snapshot!(by(&book, By::Model), @"
    -: 6+8+0 of 14, $0.5 (reported 0.5, estimated 0), unpriced 0
    gpt-5: 10+2+0 of 12, $0.5 (reported 0.5, estimated 0), unpriced 0
    claude-sonnet-4-5: 1000+100+5000 of 6177, $0.006 (reported 0, estimated 0.006), unpriced 77
    my-own: 5+0+0 of 5, $0 (reported 0, estimated 0), unpriced 5
    ");
    assert_snapshot!(by(&book, By::Day), @"
    2026-11-15: 1016+110+5000 of 6203, $1.006 (reported 1, estimated 0.006), unpriced 77
    2026-11-16: 5+0+0 of 5, $0 (reported 0, estimated 0), unpriced 5
    ");
    assert_snapshot!(shown(&[book.total(&Prices::default())]), @"-: 1021+110+5000 of 6208, $1.006 (reported 1, estimated 0.006), unpriced 82");
}

#[test]
fn an_estimate_says_of_what_day_the_prices_are_that_made_it() {
    let with =
        |model: &str, rest: &str| format!(r#"{{"input_tokens":1000,"model":"{model}"{rest}}}"#);
    let book = book(&[
        told("s1", "ana", "09:00:00", &with("claude-sonnet-4-5", "")),
        told("s1", "ana", "09:01:00", &with("gpt-5.5", "")),
        told("s2", "bob", "09:02:00", &with("gpt-5", r#","cost_usd":0.5"#)),
        told("s3", "bob", "09:03:00", &with("my-own", "")),
    ]);
    let days = |by: By| {
        let day = |row: UsageRow| {
            let day = row.prices_as_of.unwrap_or_else(|| "nothing estimated".to_owned());
            format!("{}: {day}\n", row.name.unwrap_or_default())
        };
        book.rows(by, &Prices::default()).into_iter().map(day).collect::<String>()
    };
    assert_snapshot!(days(By::Model), @"
    gpt-5: nothing estimated
    gpt-5.5: 2026-05-13
    claude-sonnet-4-5: 2026-10-10
    my-own: nothing estimated
    ");
    assert_snapshot!(days(By::Session), @"
    s2: nothing estimated
    s1: 2026-05-13
    s3: nothing estimated
    ");
    let total = book.total(&Prices::default());
    assert_eq!(total.prices_as_of.as_deref(), Some("2026-05-13"), "the oldest that is in it");
}

#[test]
fn what_is_told_in_two_ways_counts_once() {
    let both = book(&[
        recorded(1, "s1", "session-s1", "09:00:00", SONNET),
        recorded(2, "s1", "session-s1", "09:01:00", SONNET),
        told("s1", "claude-code", "09:00:01", SONNET),
        hooked("s1", "session-s1", "09:02:00", r#"{"total_tokens":12200}"#),
    ]);
    assert_snapshot!(by(&both, By::Actor), @"session-s1: 2000+200+10000 of 12200, $0.012 (reported 0, estimated 0.012), unpriced 0");
}

#[test]
fn of_two_ways_that_say_the_same_the_one_with_the_cost_counts() {
    let with_cost = SONNET.replace("}", r#","cost_usd":0.0071}"#);
    let both = book(&[
        recorded(1, "s1", "session-s1", "09:00:00", SONNET),
        told("s1", "claude-code", "09:00:01", &with_cost),
    ]);
    assert_snapshot!(by(&both, By::Session), @"s1: 1000+100+5000 of 6100, $0.0071 (reported 0.0071, estimated 0), unpriced 0");
}

#[test]
fn each_model_of_a_session_is_taken_from_the_way_that_says_most_of_it() {
    let haiku = r#"{"input_tokens":400,"output_tokens":10,"model":"claude-haiku-4-5"}"#;
    let both = book(&[
        recorded(1, "s1", "session-s1", "09:00:00", SONNET),
        told(
            "s1",
            "claude-code",
            "09:00:01",
            r#"{"input_tokens":1000,"model":"claude-sonnet-4-5"}"#,
        ),
        told("s1", "claude-code", "09:00:01", haiku),
    ]);
    assert_snapshot!(by(&both, By::Model), @"
    claude-sonnet-4-5: 1000+100+5000 of 6100, $0.006 (reported 0, estimated 0.006), unpriced 0
    claude-haiku-4-5: 400+10+0 of 410, $0.00045 (reported 0, estimated 0.00045), unpriced 0
    ");
}

#[test]
fn a_cost_that_is_said_apart_from_its_tokens_is_not_estimated_again() {
    let paid = book(&[
        recorded(1, "s1", "session-s1", "09:00:00", SONNET),
        recorded(2, "s1", "session-s1", "09:00:02", r#"{"cost_usd":0.0125}"#),
    ]);
    assert_snapshot!(by(&paid, By::Session), @"s1: 1000+100+5000 of 6100, $0.0125 (reported 0.0125, estimated 0), unpriced 0");
}

#[test]
fn sessions_that_are_forgotten_stay_in_the_total() {
    let n = SESSIONS_MAX + 1;
    let lines = (0..n).map(|idx| told(&format!("s{idx}"), "ana", "09:00:00", SONNET));
    let book: UsageBook = fold(&place(lines));
    let prices = Prices::default();
    let total = book.total(&prices);
    assert_eq!(total.total_tokens, 6_100 * n as u64);
    assert_eq!(total.cost_usd.0, 6_000_000 * n as u64);
    assert!(book.rows(By::Session, &prices).len() <= SESSIONS_MAX);
    assert_eq!(book.rows(By::Model, &prices).len(), 1);
}

#[test]
fn a_budget_is_marked_by_what_was_said_last() {
    let lines = [
        budget("warning", 1, r#""used":4.1,"limit":5.0"#),
        budget("exceeded", 2, r#""used":5.2,"limit":5.0"#),
        budget("per_bead_exceeded", 3, r#""used":1.5,"limit":1.0"#),
        budget("warning", 4, r#""used":9.6,"limit":10.0"#),
    ];
    let shown = |rows: Vec<BudgetRow>| serde_json::to_string_pretty(&rows).unwrap();
    assert_snapshot!(shown(book(&lines).budgets(&BudgetMarks::default())), @r#"
    [
      {
        "mark": "exceeded",
        "scope": "task",
        "actor": "alpha",
        "session": "w1",
        "task": "bd-1",
        "used": 1.5,
        "limit": 1.0,
        "fraction": 1.5,
        "position": 3,
        "since": "2026-11-15T09:00:03Z"
      },
      {
        "mark": "critical",
        "scope": "actor",
        "actor": "alpha",
        "session": "w1",
        "used": 9.6,
        "limit": 10.0,
        "fraction": 0.96,
        "position": 4,
        "since": "2026-11-15T09:00:04Z"
      }
    ]
    "#);
}

#[test]
fn budgets_of_the_caller_are_held_against_what_counts() {
    let book = book(&[
        told("s1", "ana", "09:00:00", SONNET),
        told(
            "s1",
            "bob",
            "09:01:00",
            r#"{"input_tokens":10,"output_tokens":2,"cost_usd":0.5,"model":"gpt-5"}"#,
        ),
        told("s2", "bob", "09:00:00", SONNET).replace("-15T", "-14T"),
    ]);
    let limits = [
        Limit { per: vec![Per::Day], of: LimitOf::Cost(Money::from_dollars(0.6)) },
        Limit { per: vec![Per::Actor], of: LimitOf::Tokens(6_400) },
        Limit { per: vec![Per::Session], of: LimitOf::Cost(Money::from_dollars(0.5)) },
    ];
    let rows = book.limits(&limits, &Prices::default(), &BudgetMarks::default(), START_NS);
    let line = |row: &BudgetRow| {
        let name = [&row.actor, &row.session, &row.day].into_iter().flatten().next().unwrap();
        let (used, limit, unit) = (row.used.unwrap(), row.limit.unwrap(), row.unit.unwrap());
        format!("{:?} {:?} {name}: {used} of {limit} {unit}\n", row.mark, row.scope)
    };
    assert_snapshot!(rows.iter().map(line).collect::<String>(), @"
    Exceeded Session s1: 0.506 of 0.5 usd
    Critical Actor bob: 6112 of 6400 tokens
    Critical Actor ana: 6100 of 6400 tokens
    Warning Day 2026-11-15: 0.506 of 0.6 usd
    Ok Session s2: 0.006 of 0.5 usd
    ");
}
