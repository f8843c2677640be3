//! Every single damage of its kind, one after the other.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::damage::Damage;
use crate::judge::{Case, HeadState, judge, judge_head};
use crate::sample::{Sample, head_path, sample};

/// So many cases fail before the rest is not tried.
const FAILED_MAX: usize = 5;

/// Returns whether every bit is flipped under every `head`, and not one of each byte under one of them.
fn is_long() -> bool {
    std::env::var("WEFT_TEST_EFFORT").is_ok_and(|effort| effort == "long")
}

/// Runs all cases, fails with the first few that failed, and returns how many there were.
fn run(sample: &Sample, cases: impl Iterator<Item = (Damage, HeadState)>) -> u64 {
    let mut n_cases = 0;
    let mut failed = Vec::new();
    for (damage, head) in cases {
        n_cases += 1;
        let case = Case { sample, damage, head };
        if catch_unwind(AssertUnwindSafe(|| judge(case))).is_err() {
            failed.push(case);
            assert!(failed.len() < FAILED_MAX, "{failed:?} and maybe more");
        }
    }
    assert!(failed.is_empty(), "{failed:?}");
    assert!(n_cases > 0);
    n_cases
}

/// Returns each damage with every `head` that a power cut can have left, or with one of them in turn, and with none at all.
fn with_wrong_heads(
    sample: &Sample,
    damages: impl Iterator<Item = Damage>,
) -> impl Iterator<Item = (Damage, HeadState)> {
    let n_heads = sample.heads.len() - 1;
    let is_long = is_long();
    damages.enumerate().flat_map(move |(n, damage)| {
        let stale = if is_long { 0..n_heads } else { n % n_heads..n % n_heads + 1 };
        let heads = stale.map(HeadState::Stale).chain([HeadState::Missing]);
        heads.map(move |head| (damage, head))
    })
}

/// Returns the place of every byte of the log.
fn bytes(sample: &Sample) -> impl Iterator<Item = (usize, usize)> {
    let n_segments = sample.segments.len();
    (0..n_segments).flat_map(|segment_idx| {
        (0..sample.bytes(segment_idx).len()).map(move |at| (segment_idx, at))
    })
}

fn flip((segment_idx, at): (usize, usize), bit: u8) -> Damage {
    Damage::Flip { segment_idx, at, bit }
}

#[test]
fn every_flipped_bit_costs_no_more_than_the_line_it_is_in() {
    let sample = sample();
    let bits = bytes(&sample).flat_map(|place| (0..8).map(move |bit| flip(place, bit)));
    println!("{} cases", run(&sample, bits.map(|damage| (damage, HeadState::Right))));
}

#[test]
fn every_flipped_byte_is_found_whatever_head_says() {
    let sample = sample();
    let bits = if is_long() { 0..8 } else { 0..1 };
    let flips = bytes(&sample).flat_map(|place| bits.clone().map(move |bit| flip(place, bit)));
    println!("{} cases", run(&sample, with_wrong_heads(&sample, flips)));
}

/// Returns damage of the other kinds.
fn others(sample: &Sample) -> impl Iterator<Item = Damage> {
    let removed = bytes(sample).map(|(segment_idx, at)| Damage::Remove { segment_idx, at });
    let cut = bytes(sample).map(|(segment_idx, len)| Damage::Cut { segment_idx, len });
    let by_segment = sample.segments.iter().enumerate().flat_map(|(segment_idx, segment)| {
        let lines = 0..segment.parts().count();
        let lines = lines.map(move |line_idx| Damage::RemoveLine { segment_idx, line_idx });
        let groups = 0..segment.groups.len() - 1;
        let swapped = groups.map(move |group_idx| Damage::Swap { segment_idx, group_idx });
        lines.chain(swapped).chain([Damage::Delete { segment_idx }])
    });
    removed.chain(cut).chain(by_segment)
}

#[test]
fn every_cut_and_everything_removed_or_moved_costs_no_more_than_what_it_hits() {
    let sample = sample();
    println!("{} cases", run(&sample, others(&sample).map(|damage| (damage, HeadState::Right))));
}

#[test]
fn every_cut_and_everything_removed_or_moved_is_found_whatever_head_says() {
    let sample = sample();
    println!("{} cases", run(&sample, with_wrong_heads(&sample, others(&sample))));
}

/// A damaged `head` is none, or says what it said; whoever opens the store makes it again.
#[test]
fn every_damage_to_head_is_seen_and_made_good() {
    let sample = sample();
    let whole = &sample.files[&head_path()];
    let flips = (0..whole.len() * 8).map(|bit| {
        let mut head = whole.clone();
        head[bit / 8] ^= 1 << (bit % 8);
        Some(head)
    });
    let cuts = (0..whole.len()).map(|len| Some(whole[..len].to_vec()));
    let longer = [Some([&whole[..], b"\n"].concat())];
    let mut n_cases = 0;
    for head in flips.chain(cuts).chain(longer).chain([None]) {
        let mut files = sample.files.clone();
        files.remove(&head_path());
        files.extend(head.map(|head| (head_path(), head)));
        judge_head(&sample, &files);
        n_cases += 1;
    }
    println!("{n_cases} cases");
}
