//! Files in which agents record sessions: what they tell comes as events, also in pieces, compressed, rewritten and again.

use std::fs;
use std::time::{Duration, SystemTime};

use weft_event::transcript::Client;

use super::super::{First, Form};
use super::{Input, Mode, Pick, QUICK, Scene, Sources};

fn prompt(n: u32) -> String {
    format!(
        r#"{{"type":"user","uuid":"u{n}","timestamp":"2026-01-01T00:00:0{n}Z","sessionId":"s","message":{{"content":"say {n}"}}}}"#
    )
}

/// Returns a row of an answer, of which each repeats what was used up.
fn answer(n: u32, output: u32) -> String {
    format!(
        r#"{{"type":"assistant","uuid":"a{n}","timestamp":"2026-01-01T00:00:0{n}Z","sessionId":"s","requestId":"r","message":{{"id":"m","content":[],"usage":{{"input_tokens":9,"output_tokens":{output}}}}}}}"#
    )
}

fn sources(scene: &Scene, client: Client, mode: Mode) -> Sources {
    let input = Input::Folder { path: scene.path(""), form: Form::Sessions(client) };
    scene.with(vec![input], mode, Pick { first: First::Newest, changed_since: None })
}

/// Reads everything once, with the checkpoints kept; returns the messages of the events.
fn run(scene: &Scene, client: Client) -> Vec<String> {
    let mut sources = sources(scene, client, Mode::Once);
    let mut messages = Vec::new();
    while let Some(batch) = sources.read().unwrap() {
        messages.extend(said(&scene.show(&batch)));
        sources.settle(&batch).unwrap();
    }
    sources.finish().unwrap();
    messages
}

/// Returns the message of each event in a text; other lines as they are.
fn said(shown: &str) -> Vec<String> {
    let message = |line: &str| {
        let (_, rest) = line.split_once(r#""message":""#)?;
        Some(rest.split('"').next()?.to_owned())
    };
    shown.lines().map(|line| message(line).unwrap_or_else(|| line.to_owned())).collect()
}

#[test]
fn rows_come_as_events_and_a_second_run_goes_on() {
    let scene = Scene::new();
    scene.write("p/s.jsonl", format!("{}\n{}\n", prompt(1), answer(2, 1)));
    scene.write("p/notes.json", "{}");
    assert_eq!(run(&scene, Client::ClaudeCode), ["Session started", "say 1", "10 tokens"]);
    scene.append("p/s.jsonl", format!("{}\n{}\n", answer(3, 1), answer(4, 31)));
    // Only what is more than was counted before.
    assert_eq!(run(&scene, Client::ClaudeCode), ["30 tokens"]);
    assert_eq!(run(&scene, Client::ClaudeCode), [""; 0]);
}

#[test]
fn a_last_row_without_its_line_break_is_told_again_with_it() {
    let scene = Scene::new();
    scene.write("s.jsonl", format!("{}\n{}", prompt(1), answer(2, 1)));
    assert_eq!(run(&scene, Client::ClaudeCode), ["Session started", "say 1", "10 tokens"]);
    scene.append("s.jsonl", format!("\n{}\n", prompt(3)));
    assert_eq!(run(&scene, Client::ClaudeCode), ["10 tokens", "say 3"]);
}

#[test]
fn what_is_no_row_comes_as_it_is() {
    let scene = Scene::new();
    scene.write("s.jsonl", format!("\0\0{}\n[1]\n{}\n", prompt(1), prompt(2)));
    let all = run(&scene, Client::ClaudeCode);
    assert_eq!(all[1..], ["Session started", "say 1", "s.jsonl:2@111: [1]", "say 2"]);
    assert!(all[0].contains("NUL"), "{}", all[0]);
}

#[test]
fn a_file_that_was_cut_is_read_from_its_start() {
    let scene = Scene::new();
    scene.write("s.jsonl", format!("{}\n{}\n", prompt(1), answer(2, 5)));
    run(&scene, Client::ClaudeCode);
    scene.write("s.jsonl", format!("{}\n", answer(2, 5)));
    let again = run(&scene, Client::ClaudeCode);
    assert_eq!(
        again,
        ["! s.jsonl was truncated; reading it from its start", "Session started", "14 tokens"]
    );
}

fn cost(usd: f64) -> String {
    format!(
        r#"{{"type":"cost-state","sessionId":"s","timestamp":"2026-01-01T00:00:00Z","totalCostUSD":{usd}}}"#
    )
}

#[test]
fn a_sum_goes_on_where_it_was_when_the_rows_before_are_gone() {
    let scene = Scene::new();
    scene.write("s.jsonl", format!("{}\n{}\n{}\n", prompt(1), cost(1.0), cost(1.5)));
    assert_eq!(run(&scene, Client::ClaudeCode)[2..], ["1.0000 USD", "0.5000 USD"]);
    // The client made its file smaller, of the costs only the last is left, and it has grown since.
    scene.write("s.jsonl", format!("{}\n{}\n", prompt(1), cost(2.0)));
    assert_eq!(run(&scene, Client::ClaudeCode).last().unwrap(), "0.5000 USD");
    fs::remove_file(scene.path("s.jsonl")).unwrap();
    scene.write("new.jsonl", format!("{}\n{}\n", prompt(1), cost(2.25)));
    scene.rename("new.jsonl", "s.jsonl");
    assert_eq!(run(&scene, Client::ClaudeCode).last().unwrap(), "0.2500 USD");
}

#[test]
fn files_that_are_left_out_keep_their_places() {
    let scene = Scene::new();
    scene.write("s.jsonl", format!("{}\n", prompt(1)));
    run(&scene, Client::ClaudeCode);
    let left_out = |since: SystemTime| {
        let input =
            Input::Folder { path: scene.path(""), form: Form::Sessions(Client::ClaudeCode) };
        let pick = Pick { first: First::Oldest, changed_since: Some(since) };
        let mut sources = scene.with(vec![input], Mode::Once, pick);
        assert!(sources.read().unwrap().is_none());
        sources.finish().unwrap();
    };
    left_out(SystemTime::now() + Duration::from_secs(3600));
    scene.append("s.jsonl", format!("{}\n", prompt(2)));
    left_out(SystemTime::now() + Duration::from_secs(3600));
    assert_eq!(run(&scene, Client::ClaudeCode), ["say 2"]);
}

#[test]
fn following_tells_a_row_when_it_is_written() {
    let scene = Scene::new();
    scene.write("s.jsonl", format!("{}\n", prompt(1)));
    let mut sources = sources(&scene, Client::ClaudeCode, QUICK);
    assert_eq!(said(&scene.next(&mut sources)), ["Session started", "say 1"]);
    let row = prompt(2);
    scene.append("s.jsonl", &row[..40]);
    scene.append("s.jsonl", format!("{}\n", &row[40..]));
    assert_eq!(said(&scene.next(&mut sources)), ["say 2"]);
}

#[test]
fn a_compressed_file_is_read_once() {
    let scene = Scene::new();
    let name =
        "2026/01/01/rollout-2026-01-01T00-00-00-019b2f44-7d31-7c02-a5e8-60f1b2c3d4e5.jsonl.zst";
    let rows = |n: u32| {
        let row = |n| {
            format!(
                r#"{{"timestamp":"2026-01-01T00:00:00Z","type":"event_msg","payload":{{"type":"user_message","message":"say {n}"}}}}"#
            )
        };
        let rows: Vec<String> = (1..=n).map(row).collect();
        zstd::encode_all(rows.join("\n").as_bytes(), 3).unwrap()
    };
    scene.write(name, rows(2));
    scene.write("history.jsonl", "{}\n");
    assert_eq!(run(&scene, Client::Codex), ["say 1", "say 2"]);
    assert_eq!(run(&scene, Client::Codex), [""; 0]);
    scene.write(name, rows(3));
    assert_eq!(run(&scene, Client::Codex), ["say 1", "say 2", "say 3"]);
    scene.write(name, b"nothing of the kind");
    let broken = run(&scene, Client::Codex);
    assert!(broken.len() == 1 && broken[0].starts_with("! cannot read 2026"), "{broken:?}");
}

#[test]
fn a_large_compressed_file_comes_in_batches() {
    let scene = Scene::new();
    let row = |n: u32| {
        format!(
            r#"{{"timestamp":"2026-01-01T00:00:00Z","type":"event_msg","payload":{{"type":"user_message","message":"say {n}"}}}}"#
        )
    };
    let rows: Vec<String> = (0..20_000).map(row).collect();
    let name = "rollout-2026-01-01T00-00-00-019b2f44-7d31-7c02-a5e8-60f1b2c3d4e5.jsonl.zst";
    scene.write(name, zstd::encode_all(rows.join("\n").as_bytes(), 1).unwrap());
    let mut sources = sources(&scene, Client::Codex, Mode::Once);
    let mut sizes = Vec::new();
    while let Some(batch) = sources.read().unwrap() {
        sizes.push(batch.len());
        sources.settle(&batch).unwrap();
    }
    assert!(sizes.len() > 2 && sizes.iter().sum::<usize>() == 20_000, "{sizes:?}");
}

#[test]
fn files_read_as_events_before_are_read_as_sessions() {
    let scene = Scene::new();
    scene.write("s.jsonl", format!("{}\n", prompt(1)));
    assert!(scene.run().starts_with("s.jsonl:1@0: {\"type\":\"user\""));
    assert_eq!(run(&scene, Client::ClaudeCode), ["Session started", "say 1"]);
    assert!(scene.run().starts_with("s.jsonl:1@0: {\"type\":\"user\""));
}
