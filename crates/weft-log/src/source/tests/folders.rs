//! Folders that come later, the order of their files, and what grows while old files are read.

use std::fs::{self, File};
use std::time::{Duration, SystemTime};

use super::super::{First, Form};
use super::{Input, Mode, Pick, QUICK, Scene, Sources};

fn folder(scene: &Scene, name: &str) -> Input {
    Input::Folder { path: scene.path(name), form: Form::Events }
}

fn state(sources: &Sources) -> (bool, usize) {
    let folder = sources.folders().next().unwrap();
    (folder.is_there, folder.n_files)
}

/// Sets when a file was changed, in seconds after some beginning.
fn change_at(scene: &Scene, name: &str, seconds: u64) {
    let at = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000 + seconds);
    File::options().append(true).open(scene.path(name)).unwrap().set_modified(at).unwrap();
}

#[test]
fn a_folder_that_is_not_there_is_told_and_read_when_it_comes() {
    let scene = Scene::new();
    let mut sources = scene.with(vec![folder(&scene, "logs")], QUICK, Pick::ALL);
    assert_eq!(scene.next(&mut sources), "! logs does not exist\n");
    assert_eq!(state(&sources), (false, 0));
    scene.write("logs/a.jsonl", "[1]\n");
    assert_eq!(scene.next_n(&mut sources, 2), "! logs is there now\nlogs/a.jsonl:1@0: [1]\n");
    assert_eq!(state(&sources), (true, 1));
    fs::remove_dir_all(scene.path("logs")).unwrap();
    let gone = scene.next_n(&mut sources, 2);
    let mut gone: Vec<&str> = gone.lines().collect();
    gone.sort_unstable();
    assert_eq!(gone, ["! logs does not exist", "! logs/a.jsonl is gone"]);
    assert_eq!(state(&sources), (false, 0));
    scene.write("logs/b.jsonl", "[2]\n");
    assert_eq!(scene.next_n(&mut sources, 2), "! logs is there now\nlogs/b.jsonl:1@0: [2]\n");
}

#[test]
fn a_run_without_following_says_that_a_folder_is_missing() {
    let scene = Scene::new();
    let mut sources = scene.with(vec![folder(&scene, "logs")], Mode::Once, Pick::ALL);
    assert_eq!(scene.next(&mut sources), "! logs does not exist\n");
    assert!(sources.read().unwrap().is_none());
}

#[test]
fn files_come_in_the_order_asked_for() {
    let scene = Scene::new();
    for (name, seconds) in [("a.jsonl", 20), ("b.jsonl", 30), ("in/c.jsonl", 10)] {
        scene.write(name, "[1]\n");
        change_at(&scene, name, seconds);
    }
    let order = |pick: Pick| {
        let mut sources = scene.with(vec![folder(&scene, "")], Mode::Once, pick);
        let shown = scene.next(&mut sources);
        shown.lines().map(|line| line.split(':').next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(order(Pick::ALL), ["a.jsonl", "b.jsonl", "in/c.jsonl"]);
    let first = |first| Pick { first, changed_since: None };
    assert_eq!(order(first(First::Newest)), ["b.jsonl", "a.jsonl", "in/c.jsonl"]);
    assert_eq!(order(first(First::Oldest)), ["in/c.jsonl", "a.jsonl", "b.jsonl"]);
    let since = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_020);
    let since = Pick { first: First::Oldest, changed_since: Some(since) };
    assert_eq!(order(since), ["a.jsonl", "b.jsonl"]);
}

#[test]
fn what_grows_does_not_wait_for_what_is_old() {
    let scene = Scene::new();
    let line = format!("\"{}\"\n", "x".repeat(1000));
    for n in 0..12 {
        scene.write(&format!("old-{n:02}.jsonl"), line.repeat(4000));
    }
    scene.write("a-new.jsonl", "[1]\n");
    let mut sources = scene.with(vec![folder(&scene, "")], QUICK, Pick::ALL);
    assert!(scene.next(&mut sources).starts_with("a-new.jsonl:1@0: [1]\n"));
    scene.append("a-new.jsonl", "[2]\n");
    // The hint comes when it comes, but long before the end of what is old.
    let comes = (0..8).any(|_| scene.next(&mut sources).contains("a-new.jsonl:2@4: [2]\n"));
    assert!(comes && !sources.has_caught_up());
}
