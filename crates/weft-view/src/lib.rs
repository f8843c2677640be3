//! The views: state folded from records, and nothing else. Who is doing what, who needs a person, what it cost, what is left.
//!
//! A view is a function of the records it was given, in whatever order they came: pieces, repeats and delays change nothing. It
//! does no I/O and reads no clock; where time matters, the time is an argument.

pub mod at;
mod bounded;
pub mod decisions;
pub mod digest;
mod distinct;
pub mod entry;
pub mod errors;
pub mod files;
mod first;
pub mod fleet;
pub mod gateway;
pub mod inbox;
pub mod judgement;
pub mod lanes;
pub mod latest;
pub mod loops;
pub mod money;
mod name;
mod ordered;
pub mod packed;
pub mod prices;
pub mod rules;
pub mod runs;
#[cfg(test)]
mod scene;
pub mod sessions;
mod shed;
mod snug;
pub mod stuck;
#[cfg(test)]
mod testing;
pub mod traces;
pub mod trail;
pub mod usage;
pub mod view;
pub mod views;
mod way;
pub mod what;
pub mod word;
pub mod work;

pub use at::At;
pub use entry::{Entry, Stamp};
pub use first::First;
pub use judgement::Judgement;
pub use latest::Latest;
pub use money::Money;
pub use prices::Prices;
pub use rules::Rules;
pub use trail::Trail;
pub use view::View;
pub use views::{VERSIONS, Views};
pub use what::what;
pub use word::Word;
