//! Every token counts once, in whichever way it is told.

use super::{
    CHAT, Fixture, ROLLOUT, ROLLOUT_FORK, ROLLOUT_SUBAGENT, SUBAGENT, TRANSCRIPT, read, with_facts,
};
use crate::Usage;
use crate::transcript::Client;

/// Returns the sum of what events say was used up, and how many of them say so.
fn sum(events: &[String]) -> String {
    let mut sum = Usage { cost_usd: Some(0.0), ..Usage::default() };
    let mut n = 0;
    for event in events {
        with_facts(event, |facts| {
            let Some(usage) = &facts.usage else { return };
            n += 1;
            let add = |sum: &mut Option<u64>, count: Option<u64>| {
                *sum = Some(sum.unwrap_or(0) + count.unwrap_or(0));
            };
            add(&mut sum.input_tokens, usage.input_tokens);
            add(&mut sum.output_tokens, usage.output_tokens);
            add(&mut sum.cache_read_tokens, usage.cache_read_tokens);
            add(&mut sum.cache_write_tokens, usage.cache_write_tokens);
            sum.cost_usd = Some(sum.cost_usd.unwrap() + usage.cost_usd.unwrap_or(0.0));
        });
    }
    format!("{n} events: {sum}")
}

#[test]
fn an_answer_in_several_rows_is_counted_once_and_to_its_last_figure() {
    // msg_01A: 4 + 21000 + 300 in, 88 out, told by four rows, the first of which has 1 out.
    insta::assert_snapshot!(sum(&TRANSCRIPT.read()), @"7 events: 17 tokens in, 167 tokens out, 63800 tokens cache read, 420 tokens cache write, 0.75 USD");
    insta::assert_snapshot!(sum(&SUBAGENT.read()), @"2 events: 6 tokens in, 17 tokens out, 1640 tokens cache read, 40 tokens cache write, 0 USD");
}

#[test]
fn sums_that_grow_are_counted_by_their_differences() {
    // The last sum of the thread: 19000 in, of which 16000 from a cache and 500 into one, 300 out.
    insta::assert_snapshot!(sum(&ROLLOUT.read()), @"2 events: 2500 tokens in, 300 tokens out, 16000 tokens cache read, 500 tokens cache write, 0 USD");
}

#[test]
fn history_of_another_thread_is_not_counted_again() {
    let new = |fixture: Fixture| {
        let before = ROLLOUT.read();
        let id = |event: &str| {
            with_facts(event, |facts| facts.identity.own.as_ref().unwrap().to_string())
        };
        let before: Vec<String> = before.iter().map(|event| id(event)).collect();
        let new = fixture.read().into_iter().filter(|event| !before.contains(&id(event)));
        sum(&new.collect::<Vec<_>>())
    };
    insta::assert_snapshot!(new(ROLLOUT_FORK), @"1 events: 100 tokens in, 10 tokens out, 900 tokens cache read, 0 tokens cache write, 0 USD");
    insta::assert_snapshot!(new(ROLLOUT_SUBAGENT), @"1 events: 500 tokens in, 20 tokens out, 500 tokens cache read, 0 tokens cache write, 0 USD");
}

#[test]
fn a_row_that_is_written_again_counts_what_is_new() {
    insta::assert_snapshot!(sum(&CHAT.read()), @"1 events: 205 tokens in, 42 tokens out, 1000 tokens cache read, 0 tokens cache write, 0 USD");
}

#[test]
fn parts_of_an_answer_may_stand_apart_and_grow() {
    let row = |n: u32, output: u32| {
        format!(
            r#"{{"type":"assistant","uuid":"u{n}","timestamp":"2026-01-01T00:00:00Z","sessionId":"s","requestId":"r{}","message":{{"id":"m{}","content":[],"usage":{{"input_tokens":10,"output_tokens":{output}}}}}}}"#,
            n % 2,
            n % 2
        )
    };
    let rows = [row(0, 1), row(1, 5), row(2, 40), row(3, 5), row(4, 7)].join("\n");
    insta::assert_snapshot!(sum(&read(Client::ClaudeCode, "s.jsonl", &rows)), @"3 events: 20 tokens in, 45 tokens out, 0 tokens cache read, 0 tokens cache write, 0 USD");
}

#[test]
fn a_cost_that_begins_anew_is_counted_from_there() {
    let row = |usd: f64| {
        format!(
            r#"{{"type":"cost-state","sessionId":"s","timestamp":"2026-01-01T00:00:00Z","totalCostUSD":{usd}}}"#
        )
    };
    let rows = [row(1.0), row(1.5), row(1.5), row(0.25)].join("\n");
    insta::assert_snapshot!(sum(&read(Client::ClaudeCode, "s.jsonl", &rows)), @"3 events: 0 tokens in, 0 tokens out, 0 tokens cache read, 0 tokens cache write, 1.75 USD");
}

#[test]
fn a_sum_that_shrinks_counts_the_last_answer() {
    let row = |total: u32, last: u32| {
        format!(
            r#"{{"timestamp":"2026-01-01T00:00:00Z","type":"event_msg","payload":{{"type":"token_count","info":{{"total_token_usage":{{"input_tokens":{total}}},"last_token_usage":{{"input_tokens":{last}}}}}}}}}"#
        )
    };
    let rows = [row(100, 100), row(30, 30), row(50, 20)].join("\n");
    let path = "rollout-2026-01-01T00-00-00-019b2f44-7d31-7c02-a5e8-60f1b2c3d4e5.jsonl";
    insta::assert_snapshot!(sum(&read(Client::Codex, path, &rows)), @"3 events: 150 tokens in, 0 tokens out, 0 tokens cache read, 0 tokens cache write, 0 USD");
}
