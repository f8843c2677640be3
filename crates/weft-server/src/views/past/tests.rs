//! A fold that is kept or taken on is the state that the log has there.

use super::super::fold::tests::{Scene, at};
use super::*;

fn folded(pasts: &Pasts, scene: &Scene, end: u64) -> Arc<Fold> {
    let moment = Moment::Position(at(end));
    pasts.fold_at(scene.store(), moment, 0).expect("it can be folded").0
}

#[test]
fn a_past_that_is_kept_or_taken_on_is_the_same_state() {
    const N: u64 = 120;
    let scene = Scene::of(N);
    let pasts = Pasts::default();
    // Forward, back, further than is kept, and the same again.
    for end in [10, 10, 11, 60, 30, 61, 100, N, 10, 60, 2, 101] {
        let fold = folded(&pasts, &scene, end);
        assert_eq!(fold.upto(), end);
        assert_eq!(*fold.views(), scene.folded_whole(end), "at {end}");
        assert!(lock(&pasts.slots).len() <= PASTS_MAX);
    }
}

#[test]
fn all_who_ask_for_one_position_are_given_one_fold() {
    let scene = Scene::of(50);
    let pasts = Pasts::default();
    let first = folded(&pasts, &scene, 40);
    std::thread::scope(|scope| {
        let asked = [(); 4].map(|()| scope.spawn(|| folded(&pasts, &scene, 40)));
        for fold in asked {
            assert!(Arc::ptr_eq(&first, &fold.join().expect("it is folded")));
        }
    });
}

#[test]
fn a_past_beyond_the_end_is_told_also_where_one_is_kept() {
    let scene = Scene::of(5);
    let pasts = Pasts::default();
    folded(&pasts, &scene, 5);
    let beyond = pasts.fold_at(scene.store(), Moment::Position(at(6)), 0);
    assert!(matches!(beyond, Err(FoldError::Beyond { last: 5, .. })));
    scene.append(6..=6);
    assert_eq!(*folded(&pasts, &scene, 6).views(), scene.folded_whole(6));
}
