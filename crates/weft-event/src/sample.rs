//! Made-up events of every type of every dialect, from a seed: what tests, benchmarks and demonstrations feed on.
//!
//! Every event is valid without a warning, and the same seed always gives the same events. Nothing here reads a clock.

mod collector;
mod draw;
mod engine;
mod idle;
mod needle;
mod own;
mod pinchy;
mod prose;

use crate::Dialect;
use crate::json::Object;

use draw::Draw;

/// How often each dialect turns up in [`events`], relative to the others.
const MIX: [(Dialect, u64); 6] = [
    (Dialect::Collector, 6),
    (Dialect::Needle, 7),
    (Dialect::Engine, 4),
    (Dialect::Pinchy, 4),
    (Dialect::Idle, 3),
    (Dialect::Weft, 1),
];

/// Nanoseconds between two events of [`events`], at most.
const STEP_NS_MAX: u64 = 900_000_000;

/// Returns an endless mixed stream: all dialects, times that only go forward, dense sequences per producer.
///
/// Each dialect deals its types like a deck of cards, so that every type comes before any comes again.
pub fn events(seed: u64) -> impl Iterator<Item = String> {
    let mut draw = Draw::new(seed);
    let mut decks = MIX.map(|(dialect, share)| Deck::new(dialect, share));
    let shares = decks.iter().map(|deck| deck.share).sum();
    std::iter::repeat_with(move || {
        let mut ticket = draw.dice.below(shares);
        let deck = decks.iter_mut().find(|deck| {
            let found = ticket < deck.share;
            ticket = ticket.saturating_sub(deck.share);
            found
        });
        let deck = deck.expect("a ticket is under the sum of the shares");
        let event_type = deck.deal(&mut draw);
        draw.at_ns += draw.dice.below(STEP_NS_MAX) as i64;
        event(deck.dialect, event_type, &mut draw)
    })
}

/// Returns one event of a type. A type that the dialect does not list is written in the form of its common ones.
pub fn of_type(dialect: Dialect, event_type: &str, seed: u64) -> String {
    let mut draw = Draw::new(seed);
    draw.nth = draw.dice.below(500);
    event(dialect, event_type, &mut draw)
}

/// Returns one of the dialect's documents that are not events; `None` if it has none of this name.
pub fn document(dialect: Dialect, name: &str, seed: u64) -> Option<String> {
    let mut draw = Draw::new(seed);
    let mut out = String::new();
    let mut object = Object::begin(&mut out);
    let known = match dialect {
        Dialect::Collector => collector::write_document(&mut object, name, &mut draw),
        Dialect::Engine => engine::write_document(&mut object, name, &mut draw),
        Dialect::Idle => idle::write_document(&mut object, name, &mut draw),
        Dialect::Needle => needle::write_document(&mut object, name, &mut draw),
        Dialect::Pinchy => pinchy::write_document(&mut object, name, &mut draw),
        Dialect::Weft => false,
    };
    object.end();
    known.then_some(out)
}

fn event(dialect: Dialect, event_type: &str, draw: &mut Draw) -> String {
    let mut out = String::with_capacity(768);
    let mut object = Object::begin(&mut out);
    match dialect {
        Dialect::Idle => idle::write(&mut object, event_type, draw),
        Dialect::Collector => collector::write(&mut object, event_type, draw),
        Dialect::Pinchy => pinchy::write(&mut object, event_type, draw),
        Dialect::Engine => engine::write(&mut object, event_type, draw),
        Dialect::Needle => needle::write(&mut object, event_type, draw),
        Dialect::Weft => own::write(&mut object, event_type, draw),
    }
    object.end();
    out
}

/// The types of one dialect, dealt without repeats until all are out.
struct Deck {
    dialect: Dialect,
    share: u64,
    cards: Vec<&'static str>,
    n_dealt: u64,
}

impl Deck {
    /// A dialect without types gets no share.
    fn new(dialect: Dialect, share: u64) -> Self {
        let share = if dialect.taxonomy().rows().is_empty() { 0 } else { share };
        Self { dialect, share, cards: Vec::new(), n_dealt: 0 }
    }

    fn deal(&mut self, draw: &mut Draw) -> &'static str {
        if self.cards.is_empty() {
            self.cards = self.dialect.taxonomy().rows().iter().map(|row| row.name).collect();
        }
        draw.nth = self.n_dealt;
        self.n_dealt += 1;
        let idx = draw.dice.below(self.cards.len() as u64) as usize;
        self.cards.swap_remove(idx)
    }
}

#[cfg(test)]
mod tests;
