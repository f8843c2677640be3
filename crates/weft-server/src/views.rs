//! The views of a store: folded from its log by whoever asks, and while a server runs kept up to date by it.
//!
//! A fold begins at the newest snapshot that is of use and leaves others on its way. Nothing depends on one: without any, the whole
//! log is read.

mod fold;
mod live;
mod moment;
mod name;
mod page;
mod past;
mod reading;

pub use fold::{Fold, FoldError, fold, fold_at};
pub use live::{Live, Seen, follow};
pub(crate) use live::{caught_up, now};
pub use moment::{Moment, MomentError};
pub use name::{GROUPINGS, Name};
pub use page::{Ask, Page, Row};
pub(crate) use reading::Reading;
pub use weft_view::Judgement;
