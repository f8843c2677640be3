//! Reading files into the log while the server runs: folders of events, and those in which agents record their sessions.

pub mod judge;
