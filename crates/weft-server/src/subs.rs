//! Subscriptions: named readers of the log that are given every matching event at least once, in order within a session.

pub mod schedule;
