//! `weft mcp` and `/mcp` as clients meet them: the official ones for Python and TypeScript in both eras of the protocol, and our own
//! bytes for what they never send.
#![expect(clippy::unwrap_used, reason = "a test that cannot set its scene has failed")]
#![expect(clippy::print_stdout, reason = "what is not tested is said")]

mod clients;
mod http;
mod install;
mod pipe;
mod scene;
mod topics;
