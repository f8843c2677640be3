//! `weft config`: what is set, where that comes from, and the file to change it in.

use std::env;
use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::process::Command as Process;
use std::sync::Arc;

use anyhow::Context as _;
use clap::Subcommand;
use weft_event::json::Json;
use weft_log::redact::{Redaction, Settings};
use weft_log::{Network, Store};
use weft_server::config::{ConfigError, Setting, Sources, resolve};
use weft_server::notify::Rule;
use weft_server::views::Judgement;

use crate::Outcome;
use crate::columns::Columns;
use crate::output::{Marked, Shown, print, tell};
use crate::stores::{self, StoreArgs};

pub(crate) use weft_server::config::Config;

/// The file in a store.
const FILE: &str = "config.toml";

/// What the environment says that is no setting.
const NO_SETTINGS: [&str; 2] = ["WEFT_STORE", "WEFT_SESSION"];

/// The editor where nobody named one.
const EDITOR: &str = "vi";

const TEMPLATE: &str = "\
# Settings of `weft up` for this store. `weft config show` lists all of them; docs/config.md describes them.
# Flags and WEFT_… variables outrank this file.

# listen = \"127.0.0.1:9338\"
# log = \"warn\"

[http]
# hosts = [\"weft.example\"]

[tls]
# cert = \"/etc/weft/cert.pem\"
# key = \"/etc/weft/key.pem\"

[sessions]
# claude = true
# codex = true

# [[folder]]
# path = \"~/.needle/logs\"

[redact]
# sources_off = [\"demo\"]
# rules_off = [\"jwt\"]

# [[redact.own]]
# name = \"acme-token\"
# contains = \"acme_\"
# pattern = 'acme_[a-z0-9]{32}'

[rules]
# silent = \"5m\"

# [[budget]]
# per = \"day\"
# usd = 20

# [[notify]]
# name = \"desk\"
# when = [\"permission\", \"answer\", \"blocked\"]
# desktop = true

[limits]
# body_bytes_max = \"16M\"
";

const EXAMPLES: &str = "\
Examples:
  weft config show     every setting, its value, and where that comes from
  weft config check    whether the file is right
  weft config edit     open the file in $VISUAL or $EDITOR, and check it then
  weft config path     where the file is

The order is: flag, environment (WEFT_LISTEN, WEFT_LIMITS_BODY_BYTES_MAX …), file, default.
Exit codes: 0 all is well, 1 something is wrong with a setting, 2 wrong use or an unreadable file.";

/// Show the settings of a store's server, and change them
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    store: StoreArgs,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Show every setting and where it comes from
    Show {
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Say whether every setting is right
    Check,
    /// Open the file in an editor, and check it then
    Edit,
    /// Print where the file is
    Path,
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    let path = args.store.folder()?.join(FILE);
    match args.command {
        Command::Show { json } => show(&path, json),
        Command::Check => check(&path),
        Command::Edit => {
            let store = stores::make_unset(&args.store.folder()?, Network::Refuse)?;
            edit(&store.root().join(FILE))
        }
        Command::Path => {
            print(format!("{}\n", path.display()).as_bytes())?;
            Ok(Outcome::Fine)
        }
    }
}

/// Returns the settings of a store's server; flags name settings too.
pub(crate) fn load(store: &Store, flags: &[(&str, String)]) -> anyhow::Result<Config> {
    match settle(&store.root().join(FILE), flags)? {
        Ok((config, _)) => Ok(config),
        Err(errors) => {
            let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
            Err(Marked(lines.join("\n")).into())
        }
    }
}

/// Returns a store with the redaction that its settings describe. Where they are wrong, all built-in rules are applied, and it is
/// told: nothing is kept as it comes because of a slip of the pen.
pub(crate) fn redacting(store: Store) -> Store {
    if is_unset(&store) {
        return store;
    }
    let settled = settle(&store.root().join(FILE), &[]);
    let wrong = match settled {
        Ok(Ok((config, _))) if config.redact == Settings::default() => return store,
        Ok(Ok((config, _))) => {
            return store.with_redaction(Arc::new(Redaction::new(config.redact)));
        }
        Ok(Err(errors)) => errors.first().map(ToString::to_string).unwrap_or_default(),
        Err(error) => format!("{error:#}"),
    };
    tell(format_args!(
        "note: {}; secrets are redacted by the built-in rules alone, and no other setting counts",
        Shown(&wrong)
    ));
    store
}

/// Returns whether nothing is set, neither in a file nor in the environment: a hook has no time to look at every setting.
fn is_unset(store: &Store) -> bool {
    let is_setting = |name: OsString| {
        name.as_encoded_bytes().starts_with(b"WEFT_") && !NO_SETTINGS.iter().any(|it| name == *it)
    };
    let is_missing = |error: io::Error| error.kind() == io::ErrorKind::NotFound;
    fs::symlink_metadata(store.root().join(FILE)).is_err_and(is_missing)
        && !env::vars_os().any(|(name, _)| is_setting(name))
}

/// Returns what a store's views are judged by. Where its settings are wrong, that is told when the store is opened.
pub(crate) fn judgement(store: &Store) -> Judgement {
    right(store).map_or_else(Judgement::default, |config| config.judgement())
}

/// Returns who is told when something needs a person.
pub(crate) fn notify(store: &Store) -> Vec<Rule> {
    right(store).map(|config| config.notify).unwrap_or_default()
}

/// Returns the settings of a store, if they are right.
fn right(store: &Store) -> Option<Config> {
    match settle(&store.root().join(FILE), &[]) {
        Ok(Ok((config, _))) => Some(config),
        Ok(Err(_)) | Err(_) => None,
    }
}

type Settled = Result<(Config, Vec<Setting>), Vec<ConfigError>>;

fn settle(path: &Path, flags: &[(&str, String)]) -> anyhow::Result<Settled> {
    let text = match fs::read_to_string(path) {
        Ok(text) => Some(text),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error).with_context(|| format!("cannot read {}", path.display())),
    };
    let environment = |name: &str| env::var(name).ok();
    let file = text.as_deref().map(|text| (path, text));
    Ok(resolve(&Sources { file, environment: &environment, flags }))
}

fn show(path: &Path, json: bool) -> anyhow::Result<Outcome> {
    let settings = match settle(path, &[])? {
        Ok((_, settings)) => settings,
        Err(errors) => return Ok(tell_errors(&errors)),
    };
    let text = if json {
        let one = |setting: &Setting| {
            Json::object(|object| {
                object.text("value", &setting.value);
                object.text("from", &setting.origin.to_string());
            })
        };
        let all = Json::object(|object| {
            settings.iter().for_each(|setting| object.json(setting.name, &one(setting)));
        });
        format!("{}\n", all.as_str())
    } else {
        let row = |Setting { name, value, origin }: &Setting| {
            vec![(*name).to_owned(), value.clone(), origin.to_string()]
        };
        let mut table = Columns::new(["SETTING", "VALUE", "FROM"], None);
        table.render(settings.iter().map(row).collect())
    };
    print(text.as_bytes())?;
    Ok(Outcome::Fine)
}

fn check(path: &Path) -> anyhow::Result<Outcome> {
    match settle(path, &[])? {
        Ok(_) => Ok(Outcome::Fine),
        Err(errors) => Ok(tell_errors(&errors)),
    }
}

fn tell_errors(errors: &[ConfigError]) -> Outcome {
    for error in errors {
        tell(format_args!("{}", Shown(&error.to_string())));
    }
    Outcome::Found
}

fn edit(path: &Path) -> anyhow::Result<Outcome> {
    let mut options = OpenOptions::new();
    match options.write(true).create_new(true).mode(0o600).open(path) {
        Ok(mut file) => file.write_all(TEMPLATE.as_bytes()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
    .with_context(|| format!("cannot write {}", path.display()))?;
    let named = |name: &str| env::var(name).ok().filter(|editor| !editor.trim().is_empty());
    let editor = named("VISUAL").or_else(|| named("EDITOR")).unwrap_or_else(|| EDITOR.to_owned());
    // Editors are named with arguments too, as in `code --wait`.
    let mut words = editor.split_whitespace();
    let mut process = Process::new(words.next().unwrap_or(EDITOR));
    let ended = process.args(words).arg(path).status();
    let ended = ended.with_context(|| format!("cannot start the editor `{editor}`"))?;
    if !ended.success() {
        anyhow::bail!("the editor `{editor}` ended with {ended}");
    }
    check(path)
}
