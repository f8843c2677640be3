//! The server as its clients meet it: real sockets, a real store.

mod client;
mod cloudevents;
mod crowd;
mod filter;
mod guarded;
mod health;
mod hostile;
mod limits;
mod loops;
mod openapi;
mod otlp;
mod post;
mod read;
mod server;
mod source;
mod spans;
mod store;
mod stream;
mod talk;
mod timeline;
mod versions;
mod views;
mod web;
mod websocket;
