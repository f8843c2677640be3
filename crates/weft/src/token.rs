//! `weft token`: who may ask a server from afar. A running server reads the tokens anew, so that nothing has to be restarted.

use anyhow::Context as _;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};
use weft_event::json::Json;
use weft_event::time::format_rfc3339;
use weft_log::Store;
use weft_log::log::Log;
use weft_server::access::tokens::{NewToken, Scope, Token, TokenFile};

use crate::Outcome;
use crate::columns::{Columns, terminal_columns};
use crate::output::{Format, Shown, print, tell};
use crate::stores::{PATIENCE, StoreArgs, briefly};
use crate::times::{Clock, TimeArgs};

const NS_PER_US: i64 = 1000;

const EXAMPLES: &str = "\
Examples:
  weft token new ci --scope write                   one that may send events; it is printed this once
  weft token new board --scope read --expires 90d   one that may read, for 90 days
  weft token new boss --scope admin                 one that may do everything
  TOKEN=$(weft token new ci --scope write)          to pass it on
  curl -H \"Authorization: Bearer $TOKEN\" https://weft.example:9338/v1/events
  weft token list                                   what there is, without the tokens themselves
  weft token revoke ci                              refuse it from now on

Tokens are needed where a server listens on more than loopback, and are checked wherever one is sent.
Exit codes: 0 it is done, 2 wrong use, or no such token.";

/// Make, list and revoke the tokens of a store's server
///
/// A token lets its holder read events, send them, or do everything. The store keeps what it hashes to, never the token itself. A
/// running server takes and refuses tokens at once.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
    #[command(flatten)]
    store: StoreArgs,
}

/// What to do with tokens.
#[derive(clap::Subcommand)]
enum Action {
    /// Make one, and print it this once
    New {
        /// What to call it [default: its id]
        name: Option<String>,
        /// What it may be used for: read, write (send events), admin (everything); can be given more than once
        #[arg(long, value_name = "SCOPE", required = true, value_delimiter = ',', value_parser = parse_scope)]
        scope: Vec<Scope>,
        /// Until when it is good: 12h, 90d, 1y, or a day or time such as 2027-01-31 [default: until it is revoked]
        #[arg(long, value_name = "TIME")]
        expires: Option<String>,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// List all of them
    List {
        #[command(flatten)]
        times: TimeArgs,
        /// Print JSON, one object a line
        #[arg(long)]
        json: bool,
    },
    /// Refuse one from now on
    Revoke {
        /// Its id, or its name if no other has it
        #[arg(value_name = "ID|NAME")]
        which: String,
    },
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    let folder = args.store.folder()?;
    match args.action {
        Action::New { name, scope, expires, json } => {
            let store = args.store.make()?;
            if !store.is_there() {
                Log::open(store.clone(), briefly(PATIENCE), &mut |_| {})?.close()?;
            }
            let file = TokenFile::new(&store);
            let now = Timestamp::now();
            let expires_us = expires.map(|text| parse_expiry(&text, now)).transpose()?;
            let new = NewToken { name: name.as_deref(), scopes: &scope, expires_us };
            make(&file, &new, now, if json { Format::Json } else { Format::Text })?;
        }
        Action::List { times, json } => {
            let tokens = TokenFile::new(&Store::open(&folder)?).read()?;
            let format = if json { Format::Json } else { Format::Text };
            print(list(tokens.list(), format, &Clock::new(times)).as_bytes())?;
        }
        Action::Revoke { which } => {
            let token = TokenFile::new(&Store::open(&folder)?).revoke(&which)?;
            tell(format_args!("{} is refused from now on", named(&token)));
        }
    }
    Ok(Outcome::Fine)
}

fn make(
    file: &TokenFile,
    new: &NewToken<'_>,
    now: Timestamp,
    format: Format,
) -> anyhow::Result<()> {
    let (token, secret) = file.add(new, now.as_microsecond())?;
    let until = match token.expires_us {
        Some(expires_us) => format!("until {}", time(expires_us)),
        None => "until it is revoked".to_owned(),
    };
    tell(format_args!("made {}: {}, {until}", named(&token), scopes(&token, " and ")));
    tell(format_args!("it is not shown again; send it as `Authorization: Bearer …`"));
    let text = match format {
        Format::Text => secret.reveal().to_owned(),
        Format::Json => Json::object(|object| {
            object.text("token", secret.reveal());
            write(&token, object);
        })
        .as_str()
        .to_owned(),
    };
    Ok(print(format!("{text}\n").as_bytes())?)
}

fn list(tokens: &[Token], format: Format, clock: &Clock) -> String {
    if format == Format::Json {
        let line = |token| format!("{}\n", Json::object(|object| write(token, object)).as_str());
        return tokens.iter().map(line).collect();
    }
    if tokens.is_empty() {
        return "there are no tokens\n".to_owned();
    }
    let row = |token: &Token| {
        let expires = match token.expires_us {
            None => "never".to_owned(),
            Some(_) if token.is_expired(clock.now_ns() / NS_PER_US) => "it has".to_owned(),
            Some(expires_us) => clock.brief(expires_us.saturating_mul(NS_PER_US)),
        };
        let made = clock.brief(token.made_us.saturating_mul(NS_PER_US));
        let name = Shown(&token.name).to_string();
        vec![token.id.clone(), name, scopes(token, ","), made, expires]
    };
    let header = ["ID", "NAME", "SCOPES", "MADE", "EXPIRES"];
    Columns::new(header, terminal_columns()).render(tokens.iter().map(row).collect())
}

fn write(token: &Token, object: &mut weft_event::json::Object<'_>) {
    object.text("id", &token.id);
    object.text("name", &token.name);
    let scopes = token.scopes.iter().map(|scope| Json::text(scope.as_str()));
    object.json("scopes", &Json::array(scopes));
    object.text("made", &time(token.made_us));
    match token.expires_us {
        Some(expires_us) => object.text("expires", &time(expires_us)),
        None => object.json("expires", &Json::null()),
    }
}

fn named(token: &Token) -> String {
    if token.name == token.id {
        return format!("the token {}", token.id);
    }
    format!("the token {} ({})", Shown(&token.name), token.id)
}

fn scopes(token: &Token, between: &str) -> String {
    let words: Vec<&str> = token.scopes.iter().map(|scope| scope.as_str()).collect();
    words.join(between)
}

fn time(us: i64) -> String {
    format_rfc3339(us.saturating_mul(NS_PER_US))
}

fn parse_scope(word: &str) -> Result<Scope, &'static str> {
    Scope::parse(word.trim()).ok_or("a scope is read, write or admin")
}

/// Reads a time to come: so long from now, or a day or time.
fn parse_expiry(text: &str, now: Timestamp) -> anyhow::Result<i64> {
    let from_now = || {
        let span: Span = text.parse().ok()?;
        Some(now.to_zoned(TimeZone::UTC).checked_add(span).ok()?.timestamp())
    };
    let day = || {
        let day: jiff::civil::Date = text.parse().ok()?;
        Some(day.to_zoned(TimeZone::system()).ok()?.timestamp())
    };
    let time = text.parse().ok().or_else(from_now).or_else(day);
    let wanted = "--expires is a time to come: 12h, 90d, 1y, 2027-01-31 or 2027-01-31T12:00:00Z";
    let time: Timestamp = time.context(wanted)?;
    anyhow::ensure!(time > now, wanted);
    Ok(i64::try_from(time.as_nanosecond()).ok().context(wanted)? / NS_PER_US)
}
