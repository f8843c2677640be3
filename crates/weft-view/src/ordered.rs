//! A bounded map that knows in which order its values are shown, so that the first of them are found without a look at the others.

use std::collections::BTreeSet;
use std::fmt::Debug;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::First;
use crate::bounded::Bounded;

/// Something that is shown in an order, which it knows by itself.
pub(crate) trait Ranked {
    /// What it is ordered by; the least is shown first.
    type Rank: Clone + Debug + Ord;
    /// One for each time that it is shown.
    type Ranks: IntoIterator<Item = Self::Rank> + PartialEq;

    /// Returns where it is shown.
    fn ranks(&self) -> Self::Ranks;

    /// Returns what decides between equal ranks, the least first, before names do. What changes with every event belongs here: it
    /// is looked at only when rows are asked for.
    fn rank_among_equals(&self) -> i64 {
        0
    }
}

/// At most `MAX` values by name, and their order.
#[derive(Clone, Debug)]
pub(crate) struct Ordered<V: Ranked, const MAX: usize> {
    values: Bounded<V, MAX>,
    /// Every rank of every value, with the value's place. It follows from the values, and is neither saved nor compared.
    order: BTreeSet<(V::Rank, usize)>,
}

impl<V: Ranked, const MAX: usize> Default for Ordered<V, MAX> {
    fn default() -> Self {
        Self { values: Bounded::default(), order: BTreeSet::new() }
    }
}

impl<V: Ranked + PartialEq, const MAX: usize> PartialEq for Ordered<V, MAX> {
    fn eq(&self, other: &Self) -> bool {
        self.values == other.values
    }
}

impl<V: Ranked + Serialize, const MAX: usize> Serialize for Ordered<V, MAX> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.values.serialize(serializer)
    }
}

impl<'de, V: Ranked + Deserialize<'de>, const MAX: usize> Deserialize<'de> for Ordered<V, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let values = Bounded::<V, MAX>::deserialize(deserializer)?;
        let places = values.iter().enumerate();
        let ranks = |(place, (_, value)): (usize, (&str, &V))| {
            value.ranks().into_iter().map(move |rank| (rank, place))
        };
        let order = places.flat_map(ranks).collect();
        Ok(Self { values, order })
    }
}

impl<V: Ranked + Default, const MAX: usize> Ordered<V, MAX> {
    /// Changes the value of a name that something happened to at this time; nothing if the map is full and nothing in it is older.
    pub(crate) fn change(&mut self, name: &str, at_ns: i64, change: impl FnOnce(&mut V)) {
        let Self { values, order } = self;
        let let_go = |place: usize, gone: &V| {
            for rank in gone.ranks() {
                order.remove(&(rank, place));
            }
        };
        let Some((place, value)) = values.touch_in_place(name, at_ns, let_go) else { return };
        let before = value.ranks();
        change(value);
        let after = value.ranks();
        if before != after {
            for rank in before {
                order.remove(&(rank, place));
            }
            order.extend(after.into_iter().map(|rank| (rank, place)));
        }
    }
}

impl<V: Ranked, const MAX: usize> Ordered<V, MAX> {
    /// Returns the value of a name.
    pub(crate) fn get(&self, name: &str) -> Option<&V> {
        self.values.get(name)
    }

    /// Returns how often values are shown.
    pub(crate) fn n_shown(&self) -> usize {
        self.order.len()
    }

    /// Returns the values in order from a rank on, those of equal ranks in no order.
    pub(crate) fn from(&self, rank: V::Rank) -> impl Iterator<Item = (&V::Rank, &str, &V)> {
        self.order.range((rank, 0)..).map(|at| self.shown(at))
    }

    fn shown<'o>(&'o self, (rank, place): &'o (V::Rank, usize)) -> (&'o V::Rank, &'o str, &'o V) {
        let (name, value) = self.values.at(*place);
        (rank, name, value)
    }

    /// Makes rows of the first `limit` values, in order.
    pub(crate) fn first<R>(&self, limit: usize, mut row: impl FnMut(&str, &V) -> R) -> First<R> {
        let mut shown: Vec<(&V::Rank, &str, &V)> = Vec::new();
        for at in &self.order {
            let is_equal = shown.last().is_some_and(|(last, _, _)| **last == at.0);
            if shown.len() >= limit && !is_equal {
                break;
            }
            shown.push(self.shown(at));
        }
        shown.sort_by(|(a_rank, a_name, a), (b_rank, b_name, b)| {
            let by_rank = a_rank.cmp(b_rank);
            let by_rank = by_rank.then_with(|| a.rank_among_equals().cmp(&b.rank_among_equals()));
            by_rank.then_with(|| a_name.cmp(b_name))
        });
        shown.truncate(limit);
        let n_more = self.order.len() - shown.len();
        First { rows: shown.into_iter().map(|(_, name, value)| row(name, value)).collect(), n_more }
    }
}

#[cfg(test)]
mod tests;
