//! The views of a store: folded from its log by whoever asks, and while a server runs kept up to date by it.
//!
//! A fold begins at the newest snapshot that is of use and leaves others on its way. Nothing depends on one: without any, the whole
//! log is read.

mod fold;
mod live;
mod moment;
mod name;
mod page;

pub use fold::{Fold, FoldError, fold, fold_at};
pub(crate) use live::now;
pub use live::{Live, Seen, follow};
pub use moment::{Moment, MomentError};
pub use name::{GROUPINGS, Name};
pub use page::{Ask, Judgement, Page, Row};
