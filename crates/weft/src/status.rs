//! `weft status`: whether a server runs on the store, where, and how far it is.

use std::time::Duration;

use weft_event::json::{Json, Tape, Value};
use weft_log::Store;
use weft_server::address::Addresses;
use weft_server::socket::client::{Client, ClientError};

use crate::Outcome;
use crate::explain::show::write_rows;
use crate::output::{plural, print};
use crate::stores::StoreArgs;
use crate::up;

/// How long the server may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);

const EXAMPLES: &str = "\
Examples:
  weft status                      whether a server runs on the store, and where
  weft status --json | jq -r .http let a program read it

Exit codes: 0 a server runs, 1 none does, 2 it does not answer or there is no store.";

/// Tell whether a server runs on the store, and where
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    store: StoreArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    let store = Store::open(&args.store.folder()?)?;
    let status = match Client::of_store(store.root(), PATIENCE).and_then(|mut it| it.status()) {
        Ok(status) => status,
        Err(ClientError::NotRunning) => {
            let object = Json::object(|object| object.json("running", &Json::bool(false)));
            let text = if args.json { object.as_str() } else { "no server runs on the store" };
            print(format!("{text}\n").as_bytes())?;
            return Ok(Outcome::Found);
        }
        Err(error) => return Err(error.into()),
    };
    let mut tape = Tape::new();
    let status = tape.parse(&status)?;
    let text = if args.json {
        let object = Json::object(|object| {
            object.json("running", &Json::bool(true));
            status.members().for_each(|(key, value)| {
                object.json(&key.as_text().unwrap_or_default(), &Json::of(value));
            });
        });
        format!("{}\n", object.as_str())
    } else {
        show(status)
    };
    print(text.as_bytes())?;
    Ok(Outcome::Fine)
}

fn show(status: Value<'_>) -> String {
    let text = |name: &str| status.text_at(name).unwrap_or_default().into_owned();
    let number = |value: Value<'_>, name: &str| value.get(name).and_then(Value::as_u64);
    let mut rows = Vec::new();
    if let Some(addresses) = Addresses::of(status) {
        let up = number(status, "uptime_s").unwrap_or_default();
        let Addresses { pid, version, .. } = &addresses;
        rows.push(("server", format!("process {pid}, version {version}, up {}", time(up))));
        rows.extend(addresses.urls().map(|url| ("http", url)));
        if addresses.is_open {
            rows.push(("access", up::open(&addresses)));
        }
        rows.push(("socket", addresses.socket.display().to_string()));
    }
    rows.push(("store", format!("{} ({})", text("store"), text("store_id"))));
    rows.push(("log", format!("position {}", number(status, "last").unwrap_or_default())));
    let opening = status
        .get("opening")
        .and_then(|opening| Some((number(opening, "position")?, number(opening, "last")?)));
    let state = match opening {
        Some((position, last)) => {
            format!("the index is brought up to date, {position} of {last} records")
        }
        None => "ready for writing".to_owned(),
    };
    rows.push(("state", state));
    rows.extend(status.get("tail").into_iter().flat_map(tail).map(|row| ("folder", row)));
    let redacted = status.get("redacted").into_iter().flat_map(Value::members);
    let redacted =
        redacted.filter_map(|(rule, n)| Some(format!("{} {}", rule.as_text()?, n.as_u64()?)));
    let redacted: Vec<String> = redacted.collect();
    if !redacted.is_empty() {
        rows.push(("redacted", redacted.join(", ")));
    }
    let mut text = String::new();
    write_rows(&mut text, &rows);
    text
}

/// Returns a row for each folder that is followed, and one for how far that is.
fn tail(tail: Value<'_>) -> Vec<String> {
    let number =
        |value: Value<'_>, name: &str| value.get(name).and_then(Value::as_u64).unwrap_or(0);
    let is_set =
        |value: Value<'_>, name: &str| value.get(name).and_then(Value::as_bool) == Some(true);
    let folders = tail.get("folders").into_iter().flat_map(Value::items);
    let mut rows: Vec<String> = folders
        .map(|folder| {
            let path = folder.text_at("path").unwrap_or_default();
            match is_set(folder, "exists") {
                true => format!("{path}: {}", plural(number(folder, "files"), "file")),
                false => format!("{path} does not exist"),
            }
        })
        .collect();
    if let Some(error) = tail.text_at("error") {
        rows.push(format!("none is followed: {error}"));
        return rows;
    }
    let state = if is_set(tail, "caught_up") { "all read" } else { "older files are being read" };
    let (stored, refused) = (plural(number(tail, "stored"), "event"), number(tail, "refused"));
    rows.push(format!("{state}; {stored} stored, {refused} refused since the start"));
    rows
}

/// Returns a time in its largest units.
fn time(seconds: u64) -> String {
    match (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60, seconds % 60) {
        (0, 0, 0, seconds) => format!("{seconds}s"),
        (0, 0, minutes, seconds) => format!("{minutes}m {seconds}s"),
        (0, hours, minutes, _) => format!("{hours}h {minutes}m"),
        (days, hours, _, _) => format!("{days}d {hours}h"),
    }
}
