//! Subscriptions from end to end: a real log, real sockets, receivers that fail on purpose, and servers that die.

mod blobs;
mod command;
mod hanging;
mod pull;
mod receiver;
mod restart;
mod server;
mod webhook;
