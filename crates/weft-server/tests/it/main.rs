//! The server as its clients meet it: real sockets, a real store.

mod client;
mod cloudevents;
mod crowd;
mod guarded;
mod health;
mod hostile;
mod limits;
mod openapi;
mod otlp;
mod post;
mod read;
mod server;
mod source;
mod stream;
mod versions;
mod views;
mod websocket;
