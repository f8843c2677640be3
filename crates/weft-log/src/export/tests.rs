//! Which files an export makes, and what stands in them.

use std::fs;
use std::path::Path;

use super::{Layout, Options, Summary, Values, agent_name, export};
use crate::filter::Filter;
use crate::log::{Batch, Durability};
use crate::testing::{Scene, admit};

fn collector(agent: &str, event_type: &str, time: &str) -> String {
    format!(
        r#"{{"version":"1.0.0","event_type":"{event_type}","timestamp":"{time}","agent_id":"{agent}"}}"#
    )
}

fn scene(lines: &[String]) -> Scene {
    let scene = Scene::empty();
    let log = scene.log();
    let events = lines.iter().map(|line| admit(scene.store.root(), line, None)).collect();
    log.append(Batch { events, conditions: Vec::new(), durability: Durability::Synced }).unwrap();
    log.close().unwrap();
    scene
}

fn run(scene: &Scene, layout: Layout, filter: &str, folder: &Path) -> (Summary, Vec<String>) {
    let filter = Filter::parse(filter, 0).unwrap();
    let options = Options { layout, filter: &filter, values: Values::Restored, folder };
    let summary = export(&scene.store, &options, &mut |_, _| {}).unwrap();
    let mut files: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    (summary, files)
}

fn four() -> Vec<String> {
    vec![
        collector("@a/b", "lifecycle.started", "2026-01-01T23:59:59Z"),
        collector("c", "decision.made", "2026-01-02T01:00:00+02:00"),
        collector("c", "lifecycle.completed", "2026-01-02T00:00:00Z"),
        r#"{"schema":0,"event":"ABORT","reason":"USER_CANCELLED","stack":[]}"#.to_owned(),
    ]
}

#[test]
fn days_are_those_of_the_events_in_utc() {
    let lines = four();
    let scene = scene(&lines[..3]);
    let folder = tempfile::tempdir().unwrap();
    let (summary, files) = run(&scene, Layout::Daily, "", folder.path());
    assert_eq!(files, ["events-2026-01-01.jsonl", "events-2026-01-02.jsonl"]);
    let first = fs::read_to_string(folder.path().join(&files[0])).unwrap();
    assert_eq!(first, format!("{}\n{}\n", lines[0], lines[1]));
    assert_eq!((summary.n_events, summary.n_files), (3, 2));
    // Again, it is the same.
    assert_eq!(run(&scene, Layout::Daily, "", folder.path()), (summary, files));
}

#[test]
fn agents_have_files_of_their_own_and_whoever_has_no_name_an_empty_one() {
    let scene = scene(&four());
    let folder = tempfile::tempdir().unwrap();
    let (_, files) = run(&scene, Layout::Agent, "", folder.path());
    assert_eq!(files.len(), 4);
    assert_eq!(files[0], "events-%40a%2Fb-2026-01-01.jsonl");
    assert!(files[1].starts_with("events--2"), "{files:?}");
    assert_eq!(files[2..], ["events-c-2026-01-01.jsonl", "events-c-2026-01-02.jsonl"]);
}

#[test]
fn decisions_and_filters_leave_out_the_rest() {
    let scene = scene(&four());
    let folder = tempfile::tempdir().unwrap();
    let (summary, files) = run(&scene, Layout::Decisions, "", folder.path());
    assert_eq!((summary.n_events, &*files), (1, &["decisions-2026-01-01.jsonl".to_owned()][..]));
    let folder = tempfile::tempdir().unwrap();
    let (summary, files) = run(&scene, Layout::Daily, "actor:c since:2026-01-02", folder.path());
    assert_eq!((summary.n_events, &*files), (1, &["events-2026-01-02.jsonl".to_owned()][..]));
}

#[test]
fn large_values_are_put_back() {
    let line = collector("c", "lifecycle.started", "2026-01-01T00:00:00Z");
    let large = format!(r#"{},"message":"{}"}}"#, &line[..line.len() - 1], "x".repeat(2 << 20));
    let scene = scene(std::slice::from_ref(&large));
    let folder = tempfile::tempdir().unwrap();
    let (summary, files) = run(&scene, Layout::Daily, "", folder.path());
    assert_eq!(summary.n_left, 0);
    assert_eq!(fs::read_to_string(folder.path().join(&files[0])).unwrap(), format!("{large}\n"));
}

#[test]
fn a_long_name_is_cut_and_told_from_others_by_its_hash() {
    let [a, b] = ["a", "b"].map(|end| agent_name(&format!("{}{end}", "x/".repeat(100))));
    assert!(a != b && a.len() < 200, "{a}");
    assert_eq!(agent_name("@backend-engineer~1"), "%40backend-engineer%7E1");
}
