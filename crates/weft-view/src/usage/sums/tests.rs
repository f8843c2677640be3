//! That sums are what adding everything up gives, whatever comes in whatever way.

use std::collections::BTreeMap;

use proptest::prelude::*;

use crate::prices::{Price, Prices};
use crate::testing::{apply, place, through_a_snapshot};
use crate::usage::rows::day_name;
use crate::usage::{By, UsageBook, UsageRow};

const ALL: [By; 5] = [By::Actor, By::Session, By::Task, By::Model, By::Day];

/// Returns the rows that a look at all that is kept gives.
fn naive(book: &UsageBook, by: By, prices: &Prices) -> Vec<UsageRow> {
    let mut rows: BTreeMap<Option<String>, UsageRow> = BTreeMap::new();
    book.each(prices, |session, portion, estimate| {
        let name = match by {
            By::Actor => portion.actor.as_deref().map(str::to_owned),
            By::Session => session.map(str::to_owned),
            By::Task => portion.task.as_deref().map(str::to_owned),
            By::Model => portion.model.as_deref().map(str::to_owned),
            By::Day => Some(day_name(portion.day)),
        };
        let row = rows.entry(name.clone()).or_default();
        row.name = name;
        row.add(&portion.tally, &estimate);
    });
    let mut rows: Vec<UsageRow> = rows.into_values().collect();
    rows.sort_by(|a, b| {
        let weight = |row: &UsageRow| (row.cost_usd, row.total_tokens);
        weight(b).cmp(&weight(a)).then_with(|| a.name.cmp(&b.name))
    });
    rows
}

/// Returns rows without their times, which are of every way.
fn timeless(rows: Vec<UsageRow>) -> Vec<UsageRow> {
    let timeless = |row| UsageRow { first_seen: None, last_seen: None, ..row };
    rows.into_iter().map(timeless).collect()
}

/// Returns an event with usage, as one of three ways tells it.
fn line(nth: usize, [way, session, actor, task, model, used]: [usize; 6]) -> String {
    let time = format!("2026-11-1{}T09:00:{:02}Z", nth % 3, nth % 60);
    let model = ["claude-sonnet-4-5", "gpt-5", "my-own"].get(model);
    let model = model.map(|model| format!(r#","model":"{model}""#)).unwrap_or_default();
    let used = [
        r#""input_tokens":1000,"output_tokens":100"#,
        r#""input_tokens":70,"cache_read_tokens":900,"cost_usd":0.25"#,
        r#""cost_usd":0.5"#,
        r#""total_tokens":7"#,
    ][used];
    let told = [
        r#""event_type":"activity.thinking""#.to_owned(),
        format!(r#""event_type":"activity.usage","event_id":"019cb022-dc57-786c-a795-{nth:012}""#),
        format!(
            r#""event_type":"hook.stop","source":"hook","hook":{{"hook_type":"Stop","raw_payload":{{"session_id":"s{session}","prompt_id":"{nth}"}}}}"#
        ),
    ];
    let told = &told[way];
    let more = [r#""#, r#","client":"claude-code","source":"transcript""#, ""][way];
    let session =
        if session == 0 { String::new() } else { format!(r#","session_id":"s{session}""#) };
    format!(
        r#"{{"version":"1.0.0",{told},"timestamp":"{time}","agent_id":"a{actor}"{session},"metadata":{{"task_id":"t{task}","usage":{{{used}{model}}}{more}}}}}"#
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn they_are_what_a_look_at_everything_gives(
        told in proptest::collection::vec(
            (0..3_usize, 0..4_usize, 0..3_usize, 0..3_usize, 0..4_usize, 0..4_usize), 1..60),
        cut in 0..60_usize,
    ) {
        let mut dear = Prices::default();
        let model = "my-own";
        let as_of = "2026-11-01";
        dear.set(&Price { model, as_of, input: 900.0, output: 1.0, cache_read: 1.0, cache_write: 1.0 });
        let lines = told.into_iter().enumerate();
        let lines = lines.map(|(nth, (a, b, c, d, e, f))| line(nth, [a, b, c, d, e, f]));
        let mut book = UsageBook::default();
        for (nth, placed) in place(lines).iter().enumerate() {
            if nth == cut {
                book = through_a_snapshot(&book);
            }
            apply(&mut book, placed);
            for (by, prices) in ALL.into_iter().flat_map(|by| [(by, Prices::default()), (by, dear.clone())]) {
                let wanted = timeless(naive(&book, by, &prices));
                prop_assert_eq!(timeless(book.rows(by, &prices)), wanted, "{:?}", by);
                let (first, all) = (book.first(2, by, &prices), book.rows(by, &prices));
                prop_assert_eq!(first.rows.len() + first.n_more, all.len());
                prop_assert_eq!(&first.rows, &all[..first.rows.len()]);
            }
        }
    }
}
