//! A new subscription: its arguments, and what is told once it is made.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context as _;
use weft_log::log::Log;
use weft_log::query::Records;
use weft_server::limits::SubscriptionLimits;
use weft_server::subs::change;
use weft_server::subs::definition::{Blobs, Definition, Kind, Request, Retry, SecretRef};
use weft_server::subs::secrets;

use crate::output::{Format, print, tell};
use crate::stores::{self, PATIENCE, StoreArgs};
use crate::times::now_ns;

#[derive(clap::Args)]
#[command(group = clap::ArgGroup::new("way").required(true))]
pub(super) struct Args {
    /// Its name: letters, digits, . _ -
    name: String,
    /// Which events; all if nothing is said
    #[arg(long, value_name = "FILTER", default_value = "")]
    filter: String,
    /// Post each event to this address, signed
    #[arg(long, value_name = "URL", group = "way")]
    webhook: Option<String>,
    /// Post each event to this OTLP endpoint, as a log record; the path is /v1/logs if there is none
    #[arg(long, value_name = "URL", group = "way")]
    otlp: Option<String>,
    /// Keep the events for a program that asks for them over HTTP
    #[arg(long, group = "way")]
    pull: bool,
    /// Run this for each event, with the record on its standard input; everything after it belongs to it
    #[arg(long, value_name = "CMD", group = "way", num_args = 1.., allow_hyphen_values = true)]
    command: Vec<String>,
    /// Put values back that were too large for their events; without it what is delivered has their references
    #[arg(long)]
    blobs: bool,
    /// Where to begin: `start`, `now`, or the position of the first event
    #[arg(long, value_name = "start|now|POSITION", default_value = "now")]
    from: String,
    /// A file with the secret that deliveries are signed with [default: one is made]
    #[arg(long, value_name = "FILE", requires = "webhook")]
    secret_file: Option<PathBuf>,
    /// Tries of an event before it is put on the list of the dead
    #[arg(long, value_name = "N", default_value_t = Retry::default().attempts_max)]
    attempts: u32,
    /// Seconds that a delivery may take, or that an event is lent for
    #[arg(long, value_name = "SECONDS", default_value_t = Retry::default().timeout.as_secs())]
    timeout: u64,
    /// Sessions that are delivered side by side
    #[arg(long, value_name = "N", default_value_t = Retry::default().parallel_max)]
    parallel: usize,
}

pub(super) fn run(store: &StoreArgs, args: Args, format: Format) -> anyhow::Result<()> {
    let store = store.make()?;
    if !store.is_there() {
        Log::open(store.clone(), stores::briefly(PATIENCE), &mut |_| {})?.close()?;
    }
    let kind = kind(&args)?;
    let start = match &*args.from {
        "start" => 0,
        "now" => Records::open(store.clone())?.head().next.get() - 1,
        text => super::position(&store, text, "--from is start, now, or a position from 1")? - 1,
    };
    let retry = Retry {
        attempts_max: args.attempts,
        timeout: Duration::from_secs(args.timeout),
        parallel_max: args.parallel,
        ..Retry::default()
    };
    let blobs = if args.blobs { Blobs::Restored } else { Blobs::Referenced };
    let (name, filter, now_ns) = (args.name, args.filter, now_ns());
    let definition = Definition::new(Request { name, filter, start, kind, blobs, retry, now_ns })?;
    let max = SubscriptionLimits::default().subscriptions_max;
    let change = change::add(&super::read(&store)?, &definition, max)?;
    if let Kind::Webhook { secret, .. } = &definition.kind {
        match secret {
            SecretRef::Store => drop(secrets::make(&store, &definition.name)?),
            SecretRef::File(_) => drop(secrets::read(&store, &definition.name, secret)?),
        }
    }
    super::write(&store, &change)?;
    let name = &definition.name;
    tell(format_args!(
        "{name} begins at position {}; it is served while `weft up` runs",
        start + 1
    ));
    if let Kind::Webhook { secret: SecretRef::Store, .. } = &definition.kind {
        let file = secrets::file(&store, name);
        tell(format_args!(
            "the secret that its deliveries are signed with is in {}",
            file.display()
        ));
    }
    if format == Format::Json {
        let line = weft_event::json::Json::object(|object| definition.write(object));
        print(format!("{}\n", line.as_str()).as_bytes())?;
    }
    Ok(())
}

fn kind(args: &Args) -> anyhow::Result<Kind> {
    if let Some(url) = &args.webhook {
        let secret = match &args.secret_file {
            None => SecretRef::Store,
            Some(file) => {
                let file = file
                    .canonicalize()
                    .with_context(|| format!("cannot read {}", file.display()))?;
                let text = file.into_os_string().into_string().ok();
                SecretRef::File(text.context("the name of the secret's file is not text")?)
            }
        };
        return Ok(Kind::Webhook { url: url.clone(), secret });
    }
    if let Some(url) = &args.otlp {
        return Ok(Kind::Otlp { url: url.clone() });
    }
    Ok(match args.command.is_empty() {
        true => Kind::Pull,
        false => Kind::Command { argv: args.command.clone() },
    })
}
