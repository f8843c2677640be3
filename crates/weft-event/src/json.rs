//! JSON as the rest of the crate needs it: one borrowed pass over a line, values that point into it, and a writer.
//!
//! It knows nothing of dialects, and it never builds a tree: a [`Tape`] is a flat list of nodes that is reused from line to line.

mod canonical;
mod name;
mod number;
mod parse;
mod picks;
mod pretty;
mod string;
mod value;
mod vocabulary;
mod write;

pub use canonical::{canonical, digest};
pub use parse::{DEPTH_MAX, LINE_BYTES_MAX, Syntax, SyntaxError, Tape};
pub use pretty::pretty;
pub use value::{Items, Kind, Members, Value};
pub use write::{Json, Object, write_text};

pub(crate) use name::{Ends, NAMES_MAX, Name, Names, same_name, text_hash};
pub(crate) use picks::{Picked, Picks};
pub(crate) use value::push_token;

#[cfg(test)]
mod tests;
