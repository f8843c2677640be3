//! Reading what is there, and the next time what is new.

use std::fs;
use std::os::unix::fs::symlink;

use super::super::{OPEN_FILES_MAX, SourceError};
use super::{Batch, Input, Mode, Options, Pick, Scene, Sources, Start};

#[test]
fn a_folder_is_searched_in_order_for_files_of_events() {
    let scene = Scene::new();
    for name in ["b.jsonl", "a/z.ndjson", "a/y.json", "c.txt", "d.jsonl.1", ".h/x.jsonl", "a.jsonl"]
    {
        scene.write(name, format!("\"{name}\"\n"));
    }
    symlink(scene.path("c.txt"), scene.path("link.jsonl")).unwrap();
    symlink(scene.path("a"), scene.path("again")).unwrap();
    symlink(scene.path("b.jsonl"), scene.path("same.jsonl")).unwrap();
    insta::assert_snapshot!(scene.run(), @r#"
    a/y.json:1@0: "a/y.json"
    a/z.ndjson:1@0: "a/z.ndjson"
    a.jsonl:1@0: "a.jsonl"
    b.jsonl:1@0: "b.jsonl"
    link.jsonl:1@0: "c.txt"
    "#);
    insta::assert_snapshot!(scene.run_of(&[".h"]), @r#".h/x.jsonl:1@0: ".h/x.jsonl""#);
}

#[test]
fn an_input_without_anything_says_so() {
    let scene = Scene::new();
    fs::create_dir(scene.path("empty")).unwrap();
    insta::assert_snapshot!(scene.run_of(&["empty", "none.jsonl"]), @"
    ! empty has no files named *.jsonl, *.ndjson or *.json
    ! none.jsonl does not exist
    ");
}

#[test]
fn the_next_run_reads_only_what_is_new() {
    let scene = Scene::new();
    scene.write("a.jsonl", "{\"n\":1}\r\n\n{\n  \"n\": 2\n}\n");
    insta::assert_snapshot!(scene.run(), @r#"
    a.jsonl:1@0: {"n":1}
    a.jsonl:3@10: {   "n": 2 }
    "#);
    insta::assert_snapshot!(scene.run(), @"");
    scene.append("a.jsonl", "{\"n\":3}\n");
    scene.write("b.jsonl", "{\"n\":4}\n");
    insta::assert_snapshot!(scene.run(), @r#"
    a.jsonl:6@23: {"n":3}
    b.jsonl:1@0: {"n":4}
    "#);
}

#[test]
fn a_run_from_the_start_reads_everything_under_the_same_names() {
    let scene = Scene::new();
    scene.write("a.jsonl", "{\"n\":1}\n{\"n\":2}\n");
    scene.run();
    let ids = |start| {
        let mut sources = scene.started(&[""], Mode::Once, start);
        let batch = sources.read().unwrap();
        batch.iter().flat_map(Batch::arrived).filter_map(|line| line.delivery()).collect::<Vec<_>>()
    };
    assert_eq!(ids(Start::Beginning), scene.ids());
    assert_eq!(ids(Start::Checkpoint), [""; 0]);
    // Another file at the same path has other names.
    scene.write("a.jsonl", "{\"n\":3}\n{\"n\":2}\n");
    assert_eq!(ids(Start::Beginning), scene.ids());
}

#[test]
fn a_torn_last_line_comes_as_it_is_and_again_when_it_is_whole() {
    let scene = Scene::new();
    scene.write("a.jsonl", "{\"n\":1}\n{\"n\":");
    insta::assert_snapshot!(scene.run(), @r#"
    a.jsonl:1@0: {"n":1}
    a.jsonl:2@8: {"n":<end>
    "#);
    let torn = scene.ids();
    scene.append("a.jsonl", "2}");
    insta::assert_snapshot!(scene.run(), @r#"a.jsonl:2@8: {"n":2}<end>"#);
    scene.append("a.jsonl", "\n{\"n\":3}\n");
    insta::assert_snapshot!(scene.run(), @r#"
    a.jsonl:2@8: {"n":2}
    a.jsonl:3@16: {"n":3}
    "#);
    assert_eq!(torn, scene.ids()[..2]);
}

#[test]
fn faults_of_the_file_are_told_where_they_are() {
    let scene = Scene::new();
    scene.write("bom.jsonl", b"\xef\xbb\xbf{\"n\":1}\n\0\0\0{\"n\":2}\n");
    scene.write("utf16.jsonl", b"\xff\xfe{\0}\0\n\0");
    let long = [b"\"".as_slice(), &vec![b'x'; 16 << 20], b"\"\n{\"n\":3}\n"].concat();
    scene.write("long.jsonl", long);
    insta::assert_snapshot!(scene.run(), @r#"
    bom.jsonl:1@0: the file starts with a byte-order mark
    bom.jsonl:1@3: {"n":1}
    bom.jsonl:2@11: NUL bytes before this line (3), as a crash leaves them
    bom.jsonl:2@14: {"n":2}
    long.jsonl:1@0: the line is 16777218 bytes long, the limit is 16777216
    long.jsonl:2@16777219: {"n":3}
    utf16.jsonl:1@0: the file is UTF-16; convert it first: iconv -f UTF-16 -t UTF-8
    "#);
    scene.append("bom.jsonl", "{\"n\":4}\n");
    scene.append("long.jsonl", "{\"n\":5}\n");
    insta::assert_snapshot!(scene.run(), @r#"
    bom.jsonl:3@22: {"n":4}
    long.jsonl:3@16777227: {"n":5}
    utf16.jsonl:1@0: the file is UTF-16; convert it first: iconv -f UTF-16 -t UTF-8
    "#);
}

#[test]
fn a_truncated_file_is_read_from_its_start() {
    let scene = Scene::new();
    scene.write("a.jsonl", "{\"n\":1}\n{\"n\":2}\n");
    scene.run();
    scene.write("a.jsonl", "{\"n\":3}\n");
    insta::assert_snapshot!(scene.run(), @r#"
    ! a.jsonl was truncated; reading it from its start
    a.jsonl:1@0: {"n":3}
    "#);
}

#[test]
fn a_file_that_was_rewritten_in_place_is_read_from_its_start() {
    let scene = Scene::new();
    scene.write("a.jsonl", "{\"n\":1}\n{\"n\":2}\n");
    scene.run();
    scene.write("a.jsonl", "{\"n\":8}\n{\"n\":9}\n{\"n\":7}\n");
    insta::assert_snapshot!(scene.run(), @r#"
    ! a.jsonl was rewritten; reading it from its start
    a.jsonl:1@0: {"n":8}
    a.jsonl:2@8: {"n":9}
    a.jsonl:3@16: {"n":7}
    "#);
}

#[test]
fn a_file_that_was_replaced_by_a_longer_copy_is_read_on() {
    let scene = Scene::new();
    scene.write("a.jsonl", "{\"n\":1}\n{\"n\":2}\n");
    scene.run();
    let ids = scene.ids();
    scene.write("new", "{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n");
    scene.rename("new", "a.jsonl");
    insta::assert_snapshot!(scene.run(), @r#"a.jsonl:3@16: {"n":3}"#);
    assert_eq!(ids, scene.ids()[..2]);
}

#[test]
fn a_file_rotated_between_runs_is_finished_and_its_successor_read() {
    let scene = Scene::new();
    scene.write("a.jsonl", "{\"n\":1}\n");
    scene.run();
    scene.append("a.jsonl", "{\"n\":2}\n");
    scene.rename("a.jsonl", "a.jsonl.1");
    scene.write("a.jsonl", "{\"n\":3}\n");
    insta::assert_snapshot!(scene.run(), @r#"
    ! a.jsonl was rotated; reading the new one from its start
    a.jsonl.1:2@8: {"n":2}
    a.jsonl:1@0: {"n":3}
    "#);
    insta::assert_snapshot!(scene.run(), @"");
}

#[test]
fn a_file_that_was_rotated_and_has_no_successor_yet_is_finished() {
    let scene = Scene::new();
    scene.write("a.jsonl", "{\"n\":1}\n");
    scene.run();
    scene.append("a.jsonl", "{\"n\":2}\n");
    scene.rename("a.jsonl", "a.jsonl.1");
    insta::assert_snapshot!(scene.run(), @r#"
    ! . has no files named *.jsonl, *.ndjson or *.json
    a.jsonl.1:2@8: {"n":2}
    "#);
    insta::assert_snapshot!(scene.run(), @"! . has no files named *.jsonl, *.ndjson or *.json");
}

#[test]
fn a_renamed_file_keeps_its_place_and_its_name() {
    let scene = Scene::new();
    scene.write("a.jsonl", "{\"n\":1}\n");
    scene.run();
    let ids = scene.ids();
    scene.rename("a.jsonl", "a.1.jsonl");
    scene.append("a.1.jsonl", "{\"n\":2}\n");
    scene.write("a.jsonl", "{\"n\":1}\n{\"n\":9}\n");
    let mut sources = scene.sources_of(&[""], Mode::Once);
    let mut arrived = Vec::new();
    while let Some(batch) = sources.read().unwrap() {
        arrived.extend(batch.arrived().filter_map(|arrived| arrived.delivery()));
    }
    // The successor begins with the same line, and is still another file.
    let stem = ids[0].strip_suffix("@0").unwrap();
    assert_eq!(arrived, [format!("{stem}@8"), format!("{stem}.1@0"), format!("{stem}.1@8")]);
}

#[test]
fn ids_are_those_of_path_first_line_and_offset() {
    let scene = Scene::new();
    scene.write("a%\u{fc}.jsonl", "{\"n\":1}\n{\"n\":1}\n");
    let ids = scene.ids();
    let path = scene.path("a%25\u{fc}.jsonl").display().to_string();
    assert_eq!(ids[1], format!("file:{path}#d88775a5e63750fd@8"));
    assert_eq!(ids, scene.ids());
    scene.append("a%\u{fc}.jsonl", "{\"n\":2}\n");
    assert_eq!(ids, scene.ids()[..2]);
    scene.write("a%\u{fc}.jsonl", "{\"n\":3}\n{\"n\":1}\n");
    assert_ne!(ids[1], scene.ids()[1]);
}

#[test]
fn what_was_not_settled_is_read_again() {
    let scene = Scene::new();
    scene.write("a.jsonl", "{\"n\":1}\n");
    let mut sources = scene.sources_of(&[""], Mode::Once);
    let batch = sources.read().unwrap().unwrap();
    sources.finish().unwrap();
    assert_eq!(scene.run(), scene.show(&batch));
}

#[test]
fn a_file_of_any_size_comes_in_batches() {
    let scene = Scene::new();
    let lines: Vec<String> =
        (0..120_000).map(|n| format!("{{\"n\":{n},\"x\":\"{n:0100}\"}}")).collect();
    scene.write("a.jsonl", lines.join("\n"));
    let mut sources = scene.sources_of(&["a.jsonl"], Mode::Once);
    let mut read = Vec::new();
    while let Some(batch) = sources.read().unwrap() {
        assert!(batch.n_bytes() <= super::super::BATCH_BYTES_MAX + 200);
        for (idx, arrived) in (read.len()..).zip(batch.arrived()) {
            let super::Item::Line(line) = arrived.item else { panic!("{arrived:?}") };
            assert_eq!(line.number, idx as u64 + 1);
        }
        read.extend(batch.arrived().map(|arrived| match arrived.item {
            super::Item::Line(line) => String::from_utf8(line.bytes.to_vec()).unwrap(),
            super::Item::Fault(fault) => fault.kind.to_string(),
        }));
    }
    assert_eq!(read, lines);
}

#[test]
fn many_files_are_read_with_few_open() {
    let scene = Scene::new();
    for n in 0..1000 {
        scene.write(&format!("{}/{n}.jsonl", n % 10), format!("{n}\n"));
    }
    let mut sources = scene.sources_of(&[""], Mode::Once);
    let mut n_lines = 0;
    while let Some(batch) = sources.read().unwrap() {
        n_lines += batch.len();
        assert!(sources.files.open.len() <= OPEN_FILES_MAX);
    }
    assert_eq!(n_lines, 1000);
}

#[test]
fn the_store_is_not_read_into_itself() {
    let scene = Scene::new();
    scene.write("a.jsonl", "1\n");
    for own in ["store/log/events.jsonl", "store/rejected/r.jsonl"] {
        scene.write(own, "2\n");
    }
    let sources = |input: &str| {
        let inputs = vec![Input::Path(scene.path(input))];
        let (store, stop) = (scene.path("store"), Default::default());
        Sources::new(
            inputs,
            Options { store, mode: Mode::Once, start: Start::Checkpoint, pick: Pick::ALL, stop },
        )
    };
    let batch = sources("").unwrap().read().unwrap().unwrap();
    assert_eq!(scene.show(&batch), "a.jsonl:1@0: 1\n");
    for own in ["store", "store/log", "store/log/events.jsonl"] {
        assert!(matches!(sources(own).err(), Some(SourceError::OwnStore { .. })), "{own}");
    }
}

#[test]
fn an_unreadable_file_does_not_stop_the_rest() {
    let scene = Scene::new();
    scene.write("b.jsonl", "1\n");
    symlink(scene.path("a.jsonl"), scene.path("a.jsonl")).unwrap();
    let shown = scene.run();
    let (notice, rest) = shown.split_once('\n').unwrap();
    assert_eq!((notice, rest), ("! cannot read a.jsonl", "b.jsonl:1@0: 1\n"));
}
