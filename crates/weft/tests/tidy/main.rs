//! Tidy: what the compiler does not check about the tree. Each rule is one test that lists every offender at once, and has a
//! test beside it that shows it can fail.

mod code;
mod crates;
mod examples;
mod links;
mod machine;
mod packages;
mod reach;
mod source;
mod tree;
