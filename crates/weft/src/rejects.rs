//! `weft rejects`: what was refused and why, and another try for it.

mod retry;
mod show;

use weft_log::rejected::Rejected;

use crate::Outcome;
use crate::output::Format;
use crate::stores::{self, StoreArgs};

const EXAMPLES: &str = "\
Examples:
  weft rejects                     what was refused, and how often for which reason
  weft rejects show 1f3a           one of them with its bytes; the first digits of its id will do
  weft rejects retry 1f3a 77c0     try these again
  weft rejects retry --all         try all of them again, as after an update of weft

What a retry stores is removed from what was refused.
Exit codes: 0 all is well, 1 a retry was refused again, 2 wrong use, or no such id.";

/// List what was refused, show one of it, or try it again
///
/// Whatever weft refuses it keeps, with the reason, where it came from and the bytes.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    store: StoreArgs,
    /// Print JSON, one object a line
    #[arg(long, global = true)]
    json: bool,
}

/// What to do with what was refused.
#[derive(clap::Subcommand)]
enum Action {
    /// List it, and count it by reason
    List,
    /// Show one refusal with its reasons and bytes
    Show {
        /// Its id, or the first digits of it
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Try to store it again
    Retry {
        /// The ids, or the first digits of them
        #[arg(value_name = "ID", required_unless_present = "all", conflicts_with = "all")]
        ids: Vec<String>,
        /// Try all of it
        #[arg(long)]
        all: bool,
    },
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    let format = if args.json { Format::Json } else { Format::Text };
    let store = stores::open(&args.store.folder()?)?;
    let rejected = Rejected::new(&store);
    match args.action {
        None | Some(Action::List) => show::list(&rejected, format),
        Some(Action::Show { id }) => show::one(&rejected, &id, format),
        Some(Action::Retry { ids, .. }) => retry::run(&args.store, rejected, &ids, format),
    }
}
