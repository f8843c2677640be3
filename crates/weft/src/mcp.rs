//! `weft mcp`: agents write to the log and read it with tools of their own, over the Model Context Protocol.

mod shelf;

use std::env;

use anyhow::Context as _;

use crate::Outcome;
use crate::stores::StoreArgs;
use shelf::CommandShelf;

const EXAMPLES: &str = "\
Examples:
  weft mcp                       serve one client on standard input and output; clients start it

The client speaks the Model Context Protocol, a line a message. It goes through the server that runs on the store, or works on the \
store alone where none does. What it is told is in docs/mcp.md.
Exit codes: 0 all is well, 2 wrong use, or a file that cannot be read or written.";

/// Let agents write and read events with tools of their own
///
/// Without a subcommand it serves one client on standard input and output.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    store: StoreArgs,
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    let session = env::var("CLAUDE_CODE_SESSION_ID").ok().filter(|session| !session.is_empty());
    weft_server::mcp::serve_stdio(CommandShelf { store: args.store }, session)
        .context("serving on standard input and output")?;
    Ok(Outcome::Fine)
}
