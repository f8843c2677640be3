//! Whoever looks and whoever takes in go by turns.

use super::*;

#[test]
fn who_waits_looks_before_more_is_taken_in() {
    let live = Live::new(Judgement::default());
    let order = Mutex::new(Vec::new());
    let taking = live.write();
    thread::scope(|scope| {
        scope.spawn(|| {
            let _looking = live.read();
            lock(&order).push("looked");
        });
        while *lock(&live.shared.n_waiting) == 0 {
            thread::yield_now();
        }
        drop(taking);
        let _taking = live.write();
        lock(&order).push("took");
    });
    assert_eq!(*lock(&order), ["looked", "took"]);
    assert_eq!(*lock(&live.shared.n_waiting), 0);
}
