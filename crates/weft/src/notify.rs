//! `weft notify`: the rules by which a person is told, how they are doing, and whether they work.

use std::io::{self, IsTerminal as _};

use anyhow::Context as _;
use clap::Subcommand;
use jiff::tz::TimeZone;
use weft_event::json::{Json, Object};
use weft_event::time::format_rfc3339;
use weft_log::Store;
use weft_server::notify::quiet::{next_ns, until_ns};
use weft_server::notify::{Channel, Last, Rule, Told, secret_file, send_example_blocking};

use crate::Outcome;
use crate::columns::{Columns, terminal_columns};
use crate::config;
use crate::output::{Format, Shown, plural, print, tell};
use crate::stores::{self, StoreArgs};
use crate::times::{Clock, TimeArgs, now_ns};

/// What rings.
pub(crate) const BELL: &str = "\x07";

const EXAMPLES: &str = "\
Examples:
  weft notify list           the rules of this store, what each told last, and when it is quiet
  weft notify test           send an example by every rule, and say what came of it
  weft notify test phone     by this rule

Rules are [[notify]] tables of config.toml: `weft config edit` opens it, docs/notify.md describes them. `weft up` tells; a bell
rings in `weft top` and `weft inbox --watch`.
Exit codes: 0 all is well, 1 an example did not arrive, 2 wrong use, no such rule, or wrong settings.";

/// List who is told when something needs a person, and try it
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
    #[command(flatten)]
    store: StoreArgs,
}

#[derive(Subcommand)]
enum Action {
    /// List the rules, what each told last, and when it is quiet
    List {
        #[command(flatten)]
        times: TimeArgs,
        /// Print one JSON object a line
        #[arg(long)]
        json: bool,
    },
    /// Send an example at once, and say what came of it
    Test {
        /// The rule [default: all of them]
        name: Option<String>,
    },
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    let store = stores::open(&args.store.folder()?)?;
    let rules = config::load(&store, &[])?.notify;
    match args.action {
        Action::List { times, json } => {
            let told = Told::read(&store).context("cannot read what was told")?;
            let format = if json { Format::Json } else { Format::Text };
            print(list(&store, &rules, &told, (format, &Clock::new(times))).as_bytes())?;
            Ok(Outcome::Fine)
        }
        Action::Test { name } => test(&store, &rules, name.as_deref()),
    }
}

fn list(store: &Store, rules: &[Rule], told: &Told, (format, clock): (Format, &Clock)) -> String {
    if format == Format::Json {
        let line = |rule: &Rule| {
            let object = Json::object(|object| write(object, store, rule, told.last(&rule.name)));
            format!("{}\n", object.as_str())
        };
        return rules.iter().map(line).collect();
    }
    if rules.is_empty() {
        return "there are no rules: docs/notify.md says how to make one\n".to_owned();
    }
    let row = |rule: &Rule| {
        let last = told.last(&rule.name);
        let outcome = match last {
            None => String::new(),
            Some(Last { error: Some(error), .. }) => format!("failed: {error}"),
            Some(Last { title, .. }) => title.clone(),
        };
        vec![
            rule.name.clone(),
            way(rule),
            kinds(rule),
            quiet(rule, clock),
            last.map(|last| clock.brief(last.at_ns)).unwrap_or_default(),
            outcome,
        ]
    };
    let header = ["NAME", "HOW", "WHEN", "QUIET", "LAST TOLD", "WHAT"];
    Columns::new(header, terminal_columns()).render(rules.iter().map(row).collect())
}

fn write(object: &mut Object<'_>, store: &Store, rule: &Rule, last: Option<&Last>) {
    object.text("name", &rule.name);
    object.text("channel", rule.channel.as_str());
    match &rule.channel {
        Channel::Webhook { url, .. } => {
            object.text("webhook", url);
            let secret = secret_file(store, rule).map(|path| path.display().to_string());
            object.text("secret_file", &secret.unwrap_or_default());
        }
        Channel::Command { argv } => {
            object.json("command", &Json::array(argv.iter().map(|word| Json::text(word))));
        }
        Channel::Desktop | Channel::Bell => {}
    }
    object.json("when", &Json::array(rule.when.iter().map(|kind| Json::text(kind.as_str()))));
    for (name, time) in [("after_ms", rule.after), ("gather_ms", rule.gather)] {
        let ms = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        object.json(name, &Json::integer(ms));
    }
    let (now_ns, zone) = (now_ns(), TimeZone::system());
    object.json("is_quiet", &Json::bool(until_ns(&rule.quiet, now_ns, &zone).is_some()));
    if let Some((from_ns, until_ns)) = next_ns(&rule.quiet, now_ns, &zone) {
        object.text("quiet_from", &format_rfc3339(from_ns));
        object.text("quiet_until", &format_rfc3339(until_ns));
    }
    if let Some(Last { at_ns, n_needs, title, error }) = last {
        object.text("last_told", &format_rfc3339(*at_ns));
        object.json("last_needs", &Json::integer(*n_needs as u64));
        object.text("last_title", title);
        if let Some(error) = error {
            object.text("last_error", error);
        }
    }
}

fn way(rule: &Rule) -> String {
    match &rule.channel {
        Channel::Desktop | Channel::Bell => rule.channel.as_str().to_owned(),
        Channel::Webhook { url, .. } => format!("webhook {url}"),
        Channel::Command { argv } => format!("command {}", argv.join(" ")),
    }
}

fn kinds(rule: &Rule) -> String {
    let mut text = match rule.when == weft_view::inbox::NeedKind::ALL {
        true => "anything".to_owned(),
        false => rule.when.iter().map(|kind| kind.as_str()).collect::<Vec<_>>().join(", "),
    };
    let patterns = [("actor", &rule.actor), ("session", &rule.session)];
    for (name, pattern) in patterns.into_iter().filter_map(|(name, it)| Some((name, it.as_ref()?)))
    {
        text += &format!(" {name}={}", pattern.0);
    }
    text
}

fn quiet(rule: &Rule, clock: &Clock) -> String {
    let zone = TimeZone::system();
    match next_ns(&rule.quiet, clock.now_ns(), &zone) {
        None => String::new(),
        Some((from_ns, until_ns)) if from_ns <= clock.now_ns() => {
            format!("until {}", clock.brief(until_ns))
        }
        Some((from_ns, _)) => format!("from {}", clock.brief(from_ns)),
    }
}

fn test(store: &Store, rules: &[Rule], name: Option<&str>) -> anyhow::Result<Outcome> {
    let named = |rule: &&Rule| name.is_none_or(|name| rule.name == name);
    let chosen: Vec<&Rule> = rules.iter().filter(named).collect();
    if chosen.is_empty() {
        match name {
            Some(name) => anyhow::bail!("there is no rule `{name}`: weft notify list"),
            None => tell(format_args!("there are no rules: docs/notify.md says how to make one")),
        }
        return Ok(Outcome::Fine);
    }
    let mut n_failed = 0;
    for rule in chosen {
        let said = match try_rule(store, rule)? {
            None => "told".to_owned(),
            Some(why) => {
                n_failed += 1;
                format!("failed: {why}")
            }
        };
        print(format!("{}\t{}\t{}\n", rule.name, rule.channel.as_str(), Shown(&said)).as_bytes())?;
    }
    if n_failed > 0 {
        tell(format_args!("{} did not arrive", plural(n_failed, "example")));
        return Ok(Outcome::Found);
    }
    Ok(Outcome::Fine)
}

/// Sends an example by a rule; returns why it did not arrive, if it did not.
fn try_rule(store: &Store, rule: &Rule) -> anyhow::Result<Option<String>> {
    match rule.channel {
        Channel::Bell if !io::stdout().is_terminal() => {
            Ok(Some("this is no terminal, so that nothing rings".to_owned()))
        }
        Channel::Bell => {
            print(BELL.as_bytes())?;
            Ok(None)
        }
        Channel::Desktop | Channel::Webhook { .. } | Channel::Command { .. } => {
            let sent = send_example_blocking(store, rule, now_ns());
            Ok(sent.err().map(|error| format!("{:#}", anyhow::Error::new(error))))
        }
    }
}
