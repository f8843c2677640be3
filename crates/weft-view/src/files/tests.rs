//! Who touched what, who holds what, and who gets in whose way.

use insta::assert_snapshot;

use super::{Access, Collision, FILES_MAX, FileRow, Files, Windows, access};
use crate::scene::late;
use crate::testing::{Placed, START_NS, assert_law, fold};

const SECOND_NS: i64 = 1_000_000_000;
/// The moment that questions are asked: 08:10.
const NOW_NS: i64 = START_NS + 600 * SECOND_NS;

/// Returns a tool call as a hook tells it: `pre` or `post`.
fn hook(hook: &str, time: &str, actor: &str, tool: &str, path: &str, call: &str) -> String {
    format!(
        r#"{{"version":"1.0.0","event_type":"hook.{hook}_tool_use","timestamp":"2026-11-15T08:{time}Z","agent_id":"{actor}","session_id":"s-{actor}","source":"hook","tool":{{"tool_name":"{tool}","tool_input":{{"file_path":"{path}"}}}},"hook":{{"hook_type":"{hook}","raw_payload":{{"tool_use_id":"{call}"}}}},"correlation":{{"span_id":"{call}"}}}}"#
    )
}

fn edit(time: &str, actor: &str, path: &str) -> String {
    hook("pre", time, actor, "Edit", path, &format!("{actor}-{time}"))
}

/// Returns an event of a worker.
fn worker(event_type: &str, time: &str, actor: &str, sequence: u64, data: &str) -> String {
    format!(
        r#"{{"schema_version":1,"timestamp":"2026-11-15T08:{time}Z","event_type":"{event_type}","worker_id":"{actor}","session_id":"w","sequence":{sequence},"data":{{{data}}}}}"#
    )
}

fn files(lines: &[String]) -> Files {
    let lines: Vec<Placed> = late(lines.to_vec());
    assert_law::<Files>(&lines, lines.len());
    fold(&lines)
}

fn shown(rows: &[FileRow]) -> String {
    let line = |row: &FileRow| {
        let names = |actors: &[super::ActorRow]| {
            let names = actors.iter().map(|row| format!("{}×{}", row.actor, row.n));
            names.collect::<Vec<_>>().join(" ")
        };
        let (readers, writers) = (names(&row.readers), names(&row.writers));
        format!("{} heat {} read by [{readers}] written by [{writers}]\n", row.path, row.heat)
    };
    rows.iter().map(line).collect()
}

fn collisions(files: &Files) -> String {
    let line = |found: &Collision| {
        let Collision { kind, what, actors, positions, is_reported, .. } = found;
        let by = if *is_reported { " (reported)" } else { "" };
        format!("{kind:?} {what}: {} {positions:?}{by}\n", actors.join(" "))
    };
    files.collisions(NOW_NS, &Windows::default()).iter().map(line).collect()
}

#[test]
fn tools_are_known_by_what_they_do_to_a_file() {
    let tools =
        ["Edit", "mcp__disk__write_file", "fs.applyPatch", "Read", "fs.search", "grep", "Bash"];
    let known = tools.map(access);
    use Access::{Other, Read, Write};
    assert_eq!(known, [Write, Write, Write, Read, Read, Read, Other]);
}

#[test]
fn a_call_is_one_touch_however_often_it_is_told() {
    let files = files(&[
        hook("pre", "01:00", "ana", "Edit", "/h/a.rs", "t1"),
        hook("post", "01:02", "ana", "Edit", "/h/a.rs", "t1"),
        hook("pre", "01:03", "ana", "Read", "/h/a.rs", "t2"),
        hook("post", "01:04", "ana", "Read", "/h/a.rs", "t2"),
        hook("pre", "01:05", "bob", "Read", "/h/b.rs", "t3"),
    ]);
    assert_snapshot!(shown(&files.rows(NOW_NS)), @"
    /h/a.rs heat 2 read by [ana×1] written by [ana×1]
    /h/b.rs heat 1 read by [bob×1] written by []
    ");
    let row = &files.rows(NOW_NS)[0];
    assert_eq!((row.first_seen.unwrap().0 - START_NS) / SECOND_NS, 60);
    assert_eq!((row.last_seen.unwrap().0 - START_NS) / SECOND_NS, 64);
}

#[test]
fn heat_is_what_happened_in_the_hour_before() {
    let files = files(&[edit("01:00", "ana", "/h/a.rs"), edit("09:00", "ana", "/h/a.rs")]);
    let heat = |minutes: i64| files.rows(START_NS + minutes * 60 * SECOND_NS)[0].heat;
    assert_eq!([heat(0), heat(5), heat(10), heat(65), heat(70)], [0, 1, 2, 1, 0]);
}

#[test]
fn a_file_without_its_folder_is_the_one_that_ends_so() {
    let files = files(&[
        edit("01:00", "ana", "/h/src/a.rs"),
        edit("01:01", "bob", "src/a.rs"),
        edit("01:02", "bob", "./other/a.rs"),
    ]);
    assert_snapshot!(shown(&files.rows(NOW_NS)), @"
    /h/src/a.rs heat 2 read by [] written by [bob×1 ana×1]
    other/a.rs heat 1 read by [] written by [bob×1]
    ");
}

#[test]
fn two_who_write_one_file_within_seconds_collide() {
    let files = files(&[
        edit("01:00", "ana", "/h/src/a.rs"),
        edit("01:05", "bob", "/h/src/a.rs"),
        edit("01:09", "ana", "/h/src/a.rs"),
        edit("02:00", "ana", "/h/docs/b.md"),
        edit("02:06", "bob", "/h/docs/b.md"),
        edit("03:00", "ana", "/h/web/c.ts"),
        edit("03:30", "bob", "/h/web/d.ts"),
        edit("04:00", "ana", "/h/lib/e.c"),
        edit("04:31", "bob", "/h/lib/f.c"),
        hook("pre", "04:32", "ana", "Read", "/h/lib/f.c", "t9"),
    ]);
    assert_snapshot!(collisions(&files), @"
    Folder /h/web: ana bob [6, 7]
    Folder /h/docs: ana bob [4, 5]
    File /h/src/a.rs: ana bob [1, 2, 3]
    ");
}

#[test]
fn what_a_producer_found_and_what_its_touches_show_is_one_collision() {
    let conflict = |time, path| {
        worker(
            "file.conflict",
            time,
            "ana",
            1,
            &format!(r#""path":"{path}","workers":["ana","bob"]"#),
        )
    };
    let files = files(&[
        edit("01:00", "ana", "/h/a.rs"),
        edit("01:02", "bob", "/h/a.rs"),
        conflict("01:10", "/h/a.rs"),
        conflict("05:00", "/h/z.rs"),
    ]);
    assert_snapshot!(collisions(&files), @"
    File /h/z.rs: ana bob [4] (reported)
    File /h/a.rs: ana bob [1, 2, 3] (reported)
    ");
}

#[test]
fn a_bead_that_two_claim_is_a_collision_unless_it_was_let_go() {
    let claim = |time, actor, n, bead: &str| {
        worker("bead.claimed", time, actor, n, &format!(r#""bead_id":"{bead}""#))
    };
    let files = files(&[
        claim("01:00", "ana", 1, "bd-1"),
        claim("01:59", "bob", 1, "bd-1"),
        claim("02:00", "ana", 2, "bd-2"),
        worker("bead.released", "02:10", "ana", 3, r#""bead_id":"bd-2""#),
        claim("02:20", "bob", 2, "bd-2"),
    ]);
    assert_snapshot!(collisions(&files), @"Task bd-1: ana bob [1, 2]");
}

#[test]
fn a_lease_shows_its_holder_and_who_waits_for_it() {
    let files = files(&[
        worker("file.checkout", "01:00", "ana", 1, r#""path":"a.rs""#),
        worker("lock.priority_bump", "01:10", "bob", 1, r#""path":"a.rs","worker_id":"ana""#),
        worker("file.checkout", "02:00", "cy", 1, r#""path":"b.rs""#),
        worker("file.release", "02:10", "cy", 2, r#""path":"b.rs""#),
        worker("file.stale", "03:00", "keeper", 1, r#""path":"a.rs""#),
        worker("lock.expired", "03:01", "keeper", 2, r#""path":"a.rs""#),
    ]);
    let leases: Vec<_> = files.rows(NOW_NS).into_iter().filter_map(|row| row.lease).collect();
    assert_snapshot!(serde_json::to_string_pretty(&leases).unwrap(), @r#"
    [
      {
        "holder": "ana",
        "since": "2026-11-15T08:01:00Z",
        "held_ms": 540000,
        "wanted_by": [
          "bob"
        ],
        "is_stale": true,
        "is_expired": true,
        "position": 1
      }
    ]
    "#);
}

#[test]
fn the_files_touched_longest_ago_are_forgotten() {
    let lines = (0..=FILES_MAX).map(|n| {
        let time = format!("{:02}:{:02}.{:03}", n / 2_000, n / 100 % 20, n % 100);
        hook("pre", &time, "ana", "Edit", &format!("/h/{n}.rs"), "t")
    });
    let files: Files = fold(&late(lines));
    let paths: Vec<String> = files.rows(NOW_NS).into_iter().map(|row| row.path).collect();
    assert!(paths.len() <= FILES_MAX);
    assert!(
        paths.contains(&format!("/h/{FILES_MAX}.rs")) && !paths.contains(&"/h/0.rs".to_owned())
    );
}
