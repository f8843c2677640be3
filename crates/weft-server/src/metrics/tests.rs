//! What Prometheus reads off the counters.

use std::time::{Duration, Instant};

use weft_event::Dialect;
use weft_log::TopicKey;
use weft_log::log::{Answer, AppendError, Durability};

use super::{Counters, Readings, Tally};
use crate::writer::WriteFailure;

fn rendered(counters: &Counters) -> String {
    let (since, indexed) = (Instant::now(), Some(7));
    let (position, queue_bytes, n_streams) = (10, 2048, 3);
    let redacted = vec![("jwt".to_owned(), 4)];
    counters.render(&Readings { since, position, indexed, queue_bytes, n_streams, redacted })
}

/// Returns the lines that are not about how long the server runs, and no remarks.
fn samples(counters: &Counters) -> String {
    let text = rendered(counters);
    let kept = text.lines().filter(|line| !line.starts_with('#') && !line.contains("uptime"));
    kept.collect::<Vec<_>>().join("\n")
}

#[test]
fn events_are_counted_by_dialect_and_way() {
    let counters = Counters::default();
    let mut tally = Tally::default();
    tally.accept(Dialect::Needle);
    tally.accept(Dialect::Needle);
    tally.repeat(Dialect::Pinchy);
    tally.refuse(Some(Dialect::Idle));
    tally.refuse(None);
    counters.count("http", &tally);
    counters.count("a way of my own", &tally);
    let samples = samples(&counters);
    let events = samples.lines().filter(|line| line.starts_with("weft_events"));
    insta::assert_snapshot!(events.collect::<Vec<_>>().join("\n"), @r#"
    weft_events_accepted_total{dialect="needle",via="http"} 2
    weft_events_accepted_total{dialect="needle",via="other"} 2
    weft_events_repeated_total{dialect="pinchy",via="http"} 1
    weft_events_repeated_total{dialect="pinchy",via="other"} 1
    weft_events_refused_total{dialect="idle",via="http"} 1
    weft_events_refused_total{dialect="none",via="http"} 1
    weft_events_refused_total{dialect="idle",via="other"} 1
    weft_events_refused_total{dialect="none",via="other"} 1
    "#);
}

#[test]
fn the_buckets_of_the_histogram_add_up() {
    let counters = Counters::default();
    for us in [0, 50, 51, 9_999, 10_000_001] {
        counters.appended(Duration::from_micros(us));
    }
    let text = samples(&counters);
    let picked = text.lines().filter(|line| {
        ["\"0.00005\"", "\"0.0001\"", "\"0.01\"", "\"10\"", "+Inf", "_sum", "_count"]
            .iter()
            .any(|word| line.contains(word))
    });
    insta::assert_snapshot!(picked.collect::<Vec<_>>().join("\n"), @r#"
    weft_append_seconds_bucket{le="0.00005"} 2
    weft_append_seconds_bucket{le="0.0001"} 3
    weft_append_seconds_bucket{le="0.01"} 4
    weft_append_seconds_bucket{le="10"} 4
    weft_append_seconds_bucket{le="+Inf"} 5
    weft_append_seconds_sum 10.010101
    weft_append_seconds_count 5
    "#);
}

#[test]
fn every_sample_has_a_kind_and_a_help() {
    let text = rendered(&Counters::default());
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let name = line.split(['{', ' ']).next().expect("a sample has a name");
        let family = ["_bucket", "_sum", "_count"]
            .iter()
            .find_map(|end| name.strip_suffix(end))
            .unwrap_or(name);
        assert!(text.contains(&format!("# TYPE {family} ")), "{line}");
        assert!(text.contains(&format!("# HELP {family} ")), "{line}");
    }
    assert!(text.contains("weft_index_lag_records 3\n"), "{text}");
    assert!(text.contains("weft_queue_bytes 2048\n"), "{text}");
    assert!(text.contains("weft_secrets_redacted_total{rule=\"jwt\"} 4\n"), "{text}");
}

#[test]
fn an_append_is_counted_by_its_answer() {
    let counters = Counters::default();
    let took = Duration::from_micros(60);
    let fine = Answer { outcomes: Vec::new(), durability: Durability::Synced };
    let topic = TopicKey { topic: "plan".to_owned(), key: Some("k".to_owned()) };
    let unmet = AppendError::Condition { topic, actual: None };
    let answers = [Ok(fine), Err(WriteFailure::Busy), Err(WriteFailure::Closed), Err(unmet.into())];
    answers.iter().for_each(|answer| counters.answered(took, answer));
    let counted = |name: &str| {
        let samples = samples(&counters);
        samples.lines().find_map(|line| line.strip_prefix(name)).unwrap().trim().to_owned()
    };
    let all = || {
        [
            "weft_append_seconds_count",
            "weft_requests_turned_away_total",
            "weft_append_failures_total",
        ]
        .map(counted)
        .join(" ")
    };
    assert_eq!((all().as_str(), counters.is_failing()), ("1 1 0", false));
    counters.answered(took, &Err(AppendError::Left.into()));
    assert_eq!((all().as_str(), counters.is_failing()), ("1 1 1", true));
}
