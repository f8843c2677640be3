//! Snapshots with anything in them: whole ones, damaged ones, and the corpus of the fuzz target.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use super::super::Views;
use crate::testing::{Placed, apply_to, demo};
use crate::{Judgement, inbox, packed};

/// Changed snapshots of each size.
const N_CHANGED: usize = 150;

/// What takes the place of a part of a snapshot: nothing, one, a few, the largest number, and half a number.
const PARTS: [&[u8]; 6] =
    [&[], &[0], &[1], &[7, 7, 7], &[255, 255, 255, 255, 255, 255, 255, 255, 255, 1], &[128]];

fn fold(views: &mut Views, lines: &[Placed]) {
    lines.iter().for_each(|placed| apply_to(placed, |entry| views.apply(entry)));
}

fn saved(n_records: usize) -> Vec<u8> {
    let mut views = Views::default();
    fold(&mut views, &demo(7, n_records));
    save(&views)
}

fn save(views: &Views) -> Vec<u8> {
    let mut saved = Vec::new();
    packed::write(views, &mut saved).unwrap();
    saved
}

/// Reads bytes as views. Where they are some, the log goes on from there, and they say the same when they are saved and read again.
fn go_on(content: &[u8]) {
    let Ok(mut views) = packed::read::<Views>(content) else { return };
    inbox::needs(&views, i64::MAX, &Judgement::default());
    fold(&mut views, &demo(7, 30));
    let again: Views = packed::read(&save(&views)).unwrap();
    assert_eq!(again, views);
}

fn assert_upheld(content: &[u8]) {
    let outcome = catch_unwind(AssertUnwindSafe(|| go_on(content)));
    assert!(outcome.is_ok(), "{content:?}");
}

#[test]
fn what_the_fuzzer_begins_with_is_read_or_refused() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/snapshot");
    let files: Vec<_> = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    assert!(!files.is_empty());
    files.iter().for_each(|path| assert_upheld(&fs::read(path).unwrap()));
}

#[test]
fn a_snapshot_that_is_cut_is_none() {
    let whole = saved(1);
    assert!(packed::read::<Views>(&whole).is_ok());
    for end in 0..whole.len() {
        assert!(packed::read::<Views>(&whole[..end]).is_err(), "cut at {end}");
    }
}

#[test]
fn a_snapshot_with_other_values_is_read_or_refused() {
    let mut state = 0x5EED_0006_u64;
    let mut below = |max: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as usize % max
    };
    for n_records in [0, 5, 40] {
        let whole = saved(n_records);
        assert_upheld(&whole);
        for _ in 0..N_CHANGED {
            let mut changed = whole.clone();
            let at = below(changed.len());
            let end = (at + below(8)).min(changed.len());
            changed.splice(at..end, PARTS[below(PARTS.len())].iter().copied());
            assert_upheld(&changed);
        }
    }
}
