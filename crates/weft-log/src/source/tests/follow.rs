//! Following: what is written comes, what happens to the files is told, and stopping stops.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use super::super::watch::Watch;
use super::{Mode, Polled, QUICK, Scene};

#[test]
fn a_line_comes_when_its_line_break_does() {
    let scene = Scene::new();
    scene.write("a.jsonl", "{\"n\":1}\n{\"n\":");
    let mut sources = scene.follow();
    assert_eq!(scene.next(&mut sources), "a.jsonl:1@0: {\"n\":1}\n");
    scene.append("a.jsonl", "2}");
    scene.append("b.jsonl", "{\"b\":1}\n");
    assert_eq!(scene.next(&mut sources), "b.jsonl:1@0: {\"b\":1}\n");
    scene.append("a.jsonl", "\n{");
    assert_eq!(scene.next(&mut sources), "a.jsonl:2@8: {\"n\":2}\n");
    scene.append("a.jsonl", "\n \"n\": 3\n");
    scene.append("b.jsonl", "{\"b\":2}\n");
    assert_eq!(scene.next(&mut sources), "b.jsonl:2@8: {\"b\":2}\n");
    scene.append("a.jsonl", "}\n");
    assert_eq!(scene.next(&mut sources), "a.jsonl:3@16: {  \"n\": 3 }\n");
}

#[test]
fn new_files_and_folders_are_picked_up() {
    let scene = Scene::new();
    let mut sources = scene.follow();
    assert_eq!(scene.next(&mut sources), "! . has no files named *.jsonl, *.ndjson or *.json\n");
    scene.write("new/deep/a.jsonl", "[1]\n");
    assert_eq!(scene.next(&mut sources), "new/deep/a.jsonl:1@0: [1]\n");
    scene.write("new/deep/b.jsonl", "[2]\n");
    assert_eq!(scene.next(&mut sources), "new/deep/b.jsonl:1@0: [2]\n");
    scene.write("other.txt", "[9]\n");
    scene.write(".hidden/c.jsonl", "[9]\n");
    scene.write("c.jsonl", "[3]\n");
    assert_eq!(scene.next(&mut sources), "c.jsonl:1@0: [3]\n");
}

#[test]
fn everything_is_found_without_hints() {
    let scene = Scene::new();
    scene.write("a.jsonl", "[1]\n");
    let mut sources = scene.follow();
    sources.watch = Some(Watch::deaf());
    assert_eq!(scene.next(&mut sources), "a.jsonl:1@0: [1]\n");
    scene.append("a.jsonl", "[2]\n");
    assert_eq!(scene.next(&mut sources), "a.jsonl:2@4: [2]\n");
    scene.write("new/b.jsonl", "[3]\n");
    assert_eq!(scene.next(&mut sources), "new/b.jsonl:1@0: [3]\n");
    scene.write("new/c.jsonl", "[4]\n");
    assert_eq!(scene.next(&mut sources), "new/c.jsonl:1@0: [4]\n");
}

#[test]
fn hints_come_before_the_next_look() {
    let scene = Scene::new();
    scene.write("a.jsonl", "[1]\n");
    let mode = Mode::Follow { look_interval: Duration::from_secs(20) };
    let mut sources = scene.sources_of(&[""], mode);
    assert_eq!(scene.next(&mut sources), "a.jsonl:1@0: [1]\n");
    scene.append("a.jsonl", "[2]\n");
    scene.write("b.jsonl", "[3]\n");
    // Hints of two files may come one by one, and in either order.
    let came = scene.next_n(&mut sources, 2);
    let came: BTreeSet<&str> = came.lines().collect();
    assert_eq!(came, BTreeSet::from(["a.jsonl:2@4: [2]", "b.jsonl:1@0: [3]"]));
}

#[test]
fn a_rotated_file_is_finished_before_its_successor() {
    let scene = Scene::new();
    scene.write("a.jsonl", "{\"n\":1}\n");
    let mut sources = scene.follow();
    scene.next(&mut sources);
    scene.append("a.jsonl", "{\"n\":2}\n");
    scene.rename("a.jsonl", "a.jsonl.1");
    scene.write("a.jsonl", "{\"n\":4}\n");
    let shown = scene.next_n(&mut sources, 3);
    assert!(shown.ends_with("a.jsonl:2@8: {\"n\":2}\na.jsonl:1@0: {\"n\":4}\n"), "{shown}");
    scene.append("a.jsonl.1", "{\"n\":3}\n");
    assert_eq!(scene.next(&mut sources), "a.jsonl:3@16: {\"n\":3}\n");
}

#[test]
fn the_torn_end_of_a_rotated_file_comes_when_nobody_writes_to_it() {
    let scene = Scene::new();
    scene.write("a.jsonl", "{\"n\":1}\n");
    let mut sources = scene.follow();
    scene.next(&mut sources);
    scene.append("a.jsonl", "{\"n\":");
    fs::remove_file(scene.path("a.jsonl")).unwrap();
    assert_eq!(scene.next_n(&mut sources, 2), "! a.jsonl is gone\na.jsonl:2@8: {\"n\":<end>\n");
}

#[test]
fn a_renamed_file_is_followed_under_its_new_name() {
    let scene = Scene::new();
    scene.write("a.jsonl", "{\"n\":1}\n");
    let mut sources = scene.follow();
    scene.next(&mut sources);
    scene.rename("a.jsonl", "b.jsonl");
    scene.append("b.jsonl", "{\"n\":2}\n");
    let batches = scene.next_n(&mut sources, 2);
    let lines: Vec<&str> = batches.lines().filter(|line| !line.starts_with('!')).collect();
    assert!(lines[0].ends_with(":2@8: {\"n\":2}"), "{batches}");
    assert_eq!(lines.len(), 1, "{batches}");
}

#[test]
fn a_file_that_shrinks_is_read_from_its_start() {
    let scene = Scene::new();
    scene.write("a.jsonl", "{\"n\":1}\n{\"n\":2}\n");
    let mut sources = scene.follow();
    scene.next(&mut sources);
    scene.write("a.jsonl", "{\"n\":3}\n");
    let expected = "! a.jsonl was truncated; reading it from its start\na.jsonl:1@0: {\"n\":3}\n";
    // The first look may come while the file is empty.
    assert_eq!(scene.next_n(&mut sources, 2), expected);
    scene.write("a.jsonl", "{\"n\":4}\n");
    let shown = scene.next_n(&mut sources, 2);
    assert!(shown.ends_with("a.jsonl:1@0: {\"n\":4}\n"), "{shown}");
}

#[test]
fn a_file_that_is_not_there_yet_is_told_and_awaited() {
    let scene = Scene::new();
    let mut sources = scene.sources_of(&["later.log"], QUICK);
    assert_eq!(scene.next(&mut sources), "! later.log does not exist\n");
    scene.write("later.log", "[1]\n");
    assert_eq!(scene.next(&mut sources), "later.log:1@0: [1]\n");
}

#[test]
fn a_link_that_leads_elsewhere_now_is_followed_there() {
    let scene = Scene::new();
    scene.write("one.log", "[1]\n");
    scene.write("two.log", "[2]\n");
    symlink(scene.path("one.log"), scene.path("now")).unwrap();
    let mut sources = scene.sources_of(&["now"], QUICK);
    assert_eq!(scene.next(&mut sources), "now:1@0: [1]\n");
    symlink(scene.path("two.log"), scene.path("new")).unwrap();
    scene.rename("new", "now");
    let shown = scene.next_n(&mut sources, 2);
    assert!(shown.ends_with("now:1@0: [2]\n"), "{shown}");
}

#[test]
fn a_deleted_file_is_let_go_and_a_new_one_of_its_name_is_read() {
    let scene = Scene::new();
    scene.write("a.jsonl", "[1]\n");
    let mut sources = scene.follow();
    scene.next(&mut sources);
    fs::remove_file(scene.path("a.jsonl")).unwrap();
    assert_eq!(scene.next(&mut sources), "! a.jsonl is gone\n");
    scene.write("a.jsonl", "[22]\n");
    let shown = scene.next_n(&mut sources, 1);
    assert!(shown.ends_with("a.jsonl:1@0: [22]\n"), "{shown}");
}

#[test]
fn a_line_that_never_ends_is_not_read_over_and_over() {
    let scene = Scene::new();
    scene.write("a.jsonl", "[1]\n\"");
    let mut sources = scene.follow();
    scene.next(&mut sources);
    for n in 0..40 {
        scene.append("a.jsonl", vec![b'x'; 500_000]);
        scene.append("b.jsonl", format!("[{n:02}]\n"));
        assert!(scene.next(&mut sources).starts_with("b.jsonl:"));
    }
    scene.append("a.jsonl", "\"\n[2]\n");
    let shown = scene.next_n(&mut sources, 2);
    insta::assert_snapshot!(shown, @"
    a.jsonl:2@4: the line is 20000002 bytes long, the limit is 16777216
    a.jsonl:3@20000007: [2]
    ");
}

#[test]
fn stopping_ends_the_wait_and_the_next_run_goes_on() {
    let scene = Scene::new();
    scene.write("a.jsonl", "[1]\n");
    let mut sources = scene.follow();
    scene.next(&mut sources);
    let stop = Arc::clone(&sources.options.stop);
    let ended = thread::spawn(move || {
        let batch = sources.read().unwrap();
        sources.finish().unwrap();
        batch.is_none()
    });
    stop.store(true, Ordering::Relaxed);
    assert!(ended.join().unwrap());
    scene.append("a.jsonl", "[2]\n");
    assert_eq!(scene.run(), "a.jsonl:2@4: [2]\n");
}

#[test]
fn following_comes_back_whenever_it_has_waited() {
    let scene = Scene::new();
    scene.write("a.jsonl", "{\"n\":1}\n");
    let mut sources = scene.follow();
    let Polled::Batch(batch) = sources.poll().unwrap() else { panic!("there is a line") };
    assert_eq!(batch.len(), 1);
    assert!(matches!(sources.poll().unwrap(), Polled::Idle));
}
