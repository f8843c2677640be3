//! Whoever looks and whoever takes in go by turns, and what nobody waits for comes together.

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

#[tokio::test(start_paused = true)]
async fn records_gather_until_they_are_many_or_somebody_waits_for_them() {
    let live = Live::new(Judgement::default());
    let wanted = || live.shared.wanted.subscribe();
    let took = async |n_there, next| {
        let began = tokio::time::Instant::now();
        gather(n_there, next, wanted()).await;
        began.elapsed()
    };
    assert_eq!(took(1, 8).await, GATHER);
    assert_eq!(took(GATHER_RECORDS_MAX, 8).await, Duration::ZERO);
    let soon = GATHER / 4;
    let (asked, waited) = tokio::join!(
        async {
            tokio::time::sleep(soon).await;
            // Nothing takes anything in here: it is asked for, and never there.
            tokio::time::timeout(Duration::ZERO, live.reached(8)).await
        },
        took(1, 8),
    );
    assert!(asked.is_err());
    assert_eq!(waited, soon);
    // What was asked for stays so, and what comes after it does not.
    assert_eq!((took(1, 8).await, took(1, 9).await), (Duration::ZERO, GATHER));
}
