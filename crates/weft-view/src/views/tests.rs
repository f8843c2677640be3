//! What holds for every view.

mod reach;
mod snapshot;

use crate::testing::{assert_law, demo, fold, through_a_snapshot};
use crate::{VERSIONS, View};

/// How late a line may come, in lines of the whole world.
const LATE_MAX: usize = 40;

macro_rules! every_view_keeps_the_law {
    ($($test:ident: $view:ty;)+) => {
        $(
            #[test]
            fn $test() {
                assert_law::<$view>(&demo(11, 600), LATE_MAX);
            }
        )+

        #[test]
        fn every_view_is_under_the_law() {
            let tested = [$(<$view as View>::NAME),+];
            assert_eq!(tested, VERSIONS.map(|(name, _)| name));
        }
    };
}

every_view_keeps_the_law! {
    fleet_does_not_mind_the_order: crate::fleet::Fleet;
    sessions_do_not_mind_the_order: crate::sessions::Sessions;
    traces_do_not_mind_the_order: crate::traces::Traces;
    work_does_not_mind_the_order: crate::work::Work;
    decisions_do_not_mind_the_order: crate::decisions::Decisions;
    loops_do_not_mind_the_order: crate::loops::Loops;
    runs_do_not_mind_the_order: crate::runs::Runs;
    the_gateway_does_not_mind_the_order: crate::gateway::Gateway;
    usage_does_not_mind_the_order: crate::usage::UsageBook;
    files_do_not_mind_the_order: crate::files::Files;
    errors_do_not_mind_the_order: crate::errors::Errors;
}

#[test]
fn a_snapshot_says_the_same() {
    let fleet: crate::fleet::Fleet = fold(&demo(3, 500));
    assert_eq!(through_a_snapshot(&fleet), fleet);
}
