//! A disk that is full, in two ways: files that may not grow beyond a size, and a small file system of its own.

use std::process::Output;

use crate::index;
use crate::scene::{Scene, needle, shown};

/// Events in the file that is read: about 600 KB.
const EVENTS: u64 = 3_000;

/// Runs the binary where no file may grow beyond so many KiB. The signal that comes with it is switched off, so that writes fail
/// as they do on a full disk.
fn run_limited(scene: &Scene, kib: u64, args: &str) -> Output {
    let weft = env!("CARGO_BIN_EXE_weft");
    let script = format!("trap '' XFSZ; ulimit -f {kib}; exec {weft} {args}");
    scene.program("bash", &["-c", &script]).output().unwrap()
}

#[test]
fn what_was_stored_before_the_disk_was_full_stays_and_the_rest_follows() {
    for kib in [0, 1, 8, 33, 64, 100, 200, 400, 800] {
        let scene = Scene::new();
        scene.append("a.jsonl", (1..=EVENTS).map(|number| needle("w", number)));
        let output = run_limited(&scene, kib, "ingest a.jsonl");
        let before = scene.census();
        before.assert_in_order();
        match output.status.code() {
            Some(0) => assert_eq!(before.n_records, EVENTS, "{}", shown(&output)),
            Some(2) => {
                let told = String::from_utf8_lossy(&output.stderr).into_owned();
                let why = told.contains("File too large") || told.contains("disk I/O error");
                assert!(told.contains("error: cannot ") && why, "{told}");
            }
            _ => panic!("{}", shown(&output)),
        }
        // Until there is room again, single events are refused or kept, and never half.
        let type_and_agent = "--type lifecycle.started --agent a";
        let emitted = run_limited(&scene, kib, &format!("emit {type_and_agent} --store other"));
        assert!(matches!(emitted.status.code(), Some(0 | 2)), "{}", shown(&emitted));
        let again = scene.weft(&["ingest", "a.jsonl"]).output().unwrap();
        assert!(again.status.success(), "{}", shown(&again));
        let after = scene.census();
        after.assert_in_order();
        assert_eq!(after.n_records, EVENTS, "at {kib} KiB");
        assert!(
            (1..=before.n_records)
                .all(|number| after.once("w", number) == before.once("w", number))
        );
        index::assert_equals_a_rebuild(&scene.store());
    }
}

#[test]
fn a_small_file_system_fills_up_and_is_made_room_on() {
    let scene = Scene::new();
    scene.append("a.jsonl", (1..=EVENTS).map(|number| needle("w", number)));
    let weft = env!("CARGO_BIN_EXE_weft");
    // A mount of its own, gone with the shell; 700 KB are taken, then given back.
    let script = format!(
        "mkdir small && mount -t tmpfs -o size=1m none small || exit 77
         head -c 700000 /dev/zero > small/ballast
         {weft} ingest a.jsonl --store small/store; echo first $?
         rm small/ballast; mount -o remount,size=64m none small
         {weft} ingest a.jsonl --store small/store; echo second $?
         cp -r small/store kept"
    );
    let output = scene.program("unshare", &["-rm", "bash", "-c", &script]).output();
    let Ok(output) = output else { return println!("skipped: there is no unshare") };
    if output.status.code() == Some(77) || !scene.path("kept").exists() {
        return println!("skipped: no file system can be mounted: {}", shown(&output));
    }
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(told, "first 2\nsecond 0\n", "{}", shown(&output));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("No space left on device"), "{said}");
    let census = crate::scene::Census::of(&scene.path("kept"));
    census.assert_in_order();
    assert_eq!(census.n_records, EVENTS);
}
