//! Subscriptions: named readers of the log that are given every matching event at least once, in order within a session.
//!
//! Everything about them stands in the log ([`books`]), and who starts a server reads it back.

pub mod books;
pub mod change;
pub mod definition;
pub mod schedule;
pub mod secrets;
