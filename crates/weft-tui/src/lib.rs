//! The terminal screen of the views: who needs me, who is stuck, what everyone does, what happened, what it cost.
//!
//! [`App`] is the state and knows no terminal, clock or file; [`draw`] shows it; [`run`] puts both to work on a terminal, with the
//! records that a [`Source`] gives.

mod app;
mod draw;
mod feed;
mod keys;
mod listing;
mod mode;
mod panel;
mod panels;
mod played;
mod reading;
mod run;
#[cfg(test)]
mod scene;
pub mod source;
mod tail;
mod talk;
mod terminal;
mod text;
mod theme;
mod trace;
mod typed;

pub use app::{App, Effect, Input, Settings};
pub use draw::draw;
pub use feed::{Order, Told};
pub use panel::Panel;
pub use played::Played;
pub use run::{Ring, RunError, run};
pub use source::Source;
pub use text::Zone;
pub use theme::Theme;
