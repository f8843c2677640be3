//! The first of many in order: the rest is counted, and nothing is made of it.

use std::cmp::Ordering;

/// The first rows of a view, in its order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct First<R> {
    /// The rows.
    pub rows: Vec<R>,
    /// How many more there are.
    pub n_more: usize,
}

/// Makes rows of the first `limit` of all, in order.
pub(crate) fn first<T, R>(
    mut all: Vec<T>,
    limit: usize,
    order: impl Fn(&T, &T) -> Ordering,
    row: impl FnMut(T) -> R,
) -> First<R> {
    let n_more = all.len().saturating_sub(limit);
    if n_more > 0 {
        all.select_nth_unstable_by(limit, &order);
        all.truncate(limit);
    }
    all.sort_by(order);
    First { rows: all.into_iter().map(row).collect(), n_more }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::gateway::Rows;
    use crate::scene::night;
    use crate::usage::{By, Limit, LimitOf, Per};
    use crate::{Judgement, Views};

    proptest! {
        #[test]
        fn it_is_what_sorting_all_of_them_begins_with(
            all in proptest::collection::vec(0..50_u8, 0..40),
            limit in 0..50_usize,
        ) {
            let mut sorted = all.clone();
            sorted.sort_unstable();
            let n_more = sorted.len().saturating_sub(limit);
            sorted.truncate(limit);
            let wanted = First { rows: sorted, n_more };
            prop_assert_eq!(first(all, limit, u8::cmp, |it| it), wanted);
        }
    }

    /// Asserts that the first rows are those that all rows begin with, for limits around how many there are.
    fn assert_begins<R: PartialEq + std::fmt::Debug>(
        all: &[R],
        mut first: impl FnMut(usize) -> First<R>,
    ) {
        for limit in [0, 1, 2, 7, all.len().saturating_sub(1), all.len(), all.len() + 1] {
            let First { rows, n_more } = first(limit);
            assert_eq!(rows, all[..limit.min(all.len())]);
            assert_eq!(n_more, all.len().saturating_sub(limit));
        }
    }

    #[test]
    fn the_first_rows_of_a_view_are_those_that_all_of_them_begin_with() {
        let mut n_seen = 0_u64;
        night(5, 3_000, |views, now_ns| {
            n_seen += 1;
            if n_seen.is_multiple_of(20) {
                assert_pages(views, now_ns);
            }
        });
    }

    fn assert_pages(views: &Views, now_ns: i64) {
        let judgement = Judgement::default();
        let Judgement { rules, prices, .. } = &judgement;
        let Views { fleet, work, decisions, loops, runs, usage, gateway, .. } = views;
        assert_begins(&fleet.rows(now_ns, rules), |limit| fleet.first(limit, now_ns, rules));
        assert_begins(&work.rows(now_ns), |limit| work.first(limit, now_ns));
        assert_begins(&work.plans(now_ns), |limit| work.first_plans(limit, now_ns));
        assert_begins(&decisions.rows(), |limit| decisions.first(limit));
        assert_begins(&loops.rows(now_ns, rules), |limit| loops.first(limit, now_ns, rules));
        assert_begins(&runs.rows(now_ns, rules), |limit| runs.first(limit, now_ns, rules));
        for by in [By::Actor, By::Session, By::Task, By::Model, By::Day] {
            assert_begins(&usage.rows(by, prices), |limit| usage.first(limit, by, prices));
        }
        let of = LimitOf::Tokens(100_000);
        let limits = [Per::Actor, Per::Day].map(|per| Limit { per: vec![per], of }).to_vec();
        let judgement = Judgement { limits, ..judgement.clone() };
        assert_begins(&usage.all_budgets(&judgement, now_ns), |limit| {
            usage.first_budgets(limit, &judgement, now_ns)
        });
        let parts = |rows: Rows| -> Vec<serde_json::Value> {
            let Rows { components, sessions, outbox, peers, jobs, revisions } = rows;
            let parts = [
                serde_json::to_value(components),
                serde_json::to_value(sessions),
                serde_json::to_value(outbox),
                serde_json::to_value(peers),
                serde_json::to_value(jobs),
                serde_json::to_value(revisions),
            ];
            let rows = parts.map(|part| part.expect("rows can be written as JSON"));
            rows.into_iter().flat_map(|part| part.as_array().cloned().unwrap_or_default()).collect()
        };
        assert_begins(&parts(gateway.rows(now_ns, rules)), |limit| {
            let (rows, n_more) = gateway.first(limit, now_ns, rules);
            First { rows: parts(rows), n_more }
        });
    }
}
