//! Which of several ways counts in which the same figures came.
//!
//! One answer of a model may be told by the session's file, by a hook, by a log record, a span and a meter. No two of them can be
//! told to be of the same answer, so that they are summed up apart, and for each session and model the way that says most counts,
//! never the sum of two. A way that does not name models is compared as a whole.

use super::{Account, Portion, Tally, Tokens};
use crate::way::Way;

/// How much something says: more tokens, then more cost, then more reports.
type Weight = (u64, u64, u64);

/// Returns the portions of a session that count.
pub(super) fn counted(account: &Account) -> Vec<&Portion> {
    let mut counted = Vec::new();
    count(account, &mut counted);
    counted
}

/// Puts the portions of a session that count in the place of those of another one.
pub(super) fn count<'b>(account: &'b Account, counted: &mut Vec<&'b Portion>) {
    let portions = &account.portions;
    counted.clear();
    // Mostly there is one way, and it says all.
    if portions.iter().all(|portion| portion.way == portions[0].way) {
        counted.extend(portions);
    } else {
        counted.extend(chosen(portions));
    }
}

/// Returns the portions of the ways that say most.
fn chosen(portions: &[Portion]) -> Vec<&Portion> {
    let mut best = by_model(portions);
    for way in Way::ALL {
        let whole: Vec<&Portion> = portions.iter().filter(|portion| portion.way == way).collect();
        if weight(&whole) > weight(&best) {
            best = whole;
        }
    }
    best
}

/// Returns the portions with a model, of each model those of the way that says most.
fn by_model(portions: &[Portion]) -> Vec<&Portion> {
    let mut chosen = Vec::new();
    // Portions are ordered by model, then by way.
    for of_model in portions.chunk_by(|a, b| a.model == b.model) {
        if of_model[0].model.is_none() {
            continue;
        }
        let ways = of_model.chunk_by(|a, b| a.way == b.way);
        let best = ways.max_by_key(|of_way| weight(&of_way.iter().collect::<Vec<_>>()));
        chosen.extend(best.into_iter().flatten());
    }
    chosen
}

/// Returns whether money was spent without saying on what: then it was spent on these tokens, and they need no estimate.
pub(super) fn is_paid(portions: &[&Portion]) -> bool {
    portions.iter().any(|portion| portion.tally.lone_cost_nano > 0)
}

fn weight(portions: &[&Portion]) -> Weight {
    let mut sum = Tally::default();
    portions.iter().for_each(|portion| sum.add(&portion.tally));
    (sum.tokens.total(), sum.cost_nano(), sum.n_reports)
}

/// Returns what was kept of sessions by model and day, with what counts of another one.
pub(super) fn merged(mut past: Vec<Portion>, account: &Account) -> Vec<Portion> {
    let counted = counted(account);
    let is_paid = is_paid(&counted);
    for portion in counted {
        let mut portion = Portion { actor: None, task: None, ..portion.clone() };
        if is_paid {
            portion.tally.bare = Tokens::default();
        }
        match past.binary_search_by(|other| other.key().cmp(&portion.key())) {
            Ok(idx) => past[idx].tally.add(&portion.tally),
            Err(idx) => past.insert(idx, portion),
        }
    }
    past
}
