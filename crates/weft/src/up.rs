//! `weft up`: the server, in the foreground, until Ctrl-C.

mod demo;
mod heap;
mod journal;

use std::env;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context as _;
use jiff::tz::TimeZone;
use weft_log::redact::Redaction;
use weft_log::{Network, Store};
use weft_server::address::Addresses;
use weft_server::notify::Notify;
use weft_server::player::Play;
use weft_server::serve::{self, Listen, serve_blocking};

use crate::Outcome;
use crate::clients;
use crate::config::{self, Config};
use crate::output::print;
use crate::stores::{self, StoreArgs};

const EXAMPLES: &str = "\
Examples:
  weft up                            HTTP on loopback and the socket, until Ctrl-C
  weft up --listen 127.0.0.1:8080    at this address and no other
  weft up --store ~/agents           on this store, which is made if there is none
  weft up --listen 0.0.0.0:9338 --tls-cert cert.pem --tls-key key.pem
                                     for other machines too, which need a token (weft token new), encrypted
  weft up --demo                     with a made-up team at work, in a store that goes when it ends

The dashboard is a page at the address behind `browse`.
While it runs, other commands write through it: nothing has to be changed for that. It says where it is and is quiet then;
WEFT_LOG=info lets it say more.
Exit codes: 0 it was ended, 2 wrong use, another server has the store, or it cannot be opened.";

/// Run the server: HTTP on loopback, and the socket that commands write through
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    store: StoreArgs,
    /// Speak HTTP at this address [default: 127.0.0.1:9338, or another port if that is taken]; can be given more than once
    #[arg(long, value_name = "ADDR:PORT")]
    listen: Vec<SocketAddr>,
    /// Encrypt HTTP with this certificate: a PEM file, the server's own first
    #[arg(long, value_name = "FILE")]
    tls_cert: Option<PathBuf>,
    /// The certificate's key: a PEM file
    #[arg(long, value_name = "FILE")]
    tls_key: Option<PathBuf>,
    /// Play a made-up team at work; without --store in a store of its own, which is removed at the end
    #[arg(long)]
    demo: bool,
    /// How many seconds of the demo pass in one
    #[arg(long, value_name = "N", default_value_t = 1.0, requires = "demo", value_parser = demo::parse_speed)]
    speed: f64,
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    heap::share();
    // Removed when it is dropped, at the end.
    let own = (args.demo && !args.store.is_named()).then(demo::folder).transpose()?;
    let folder = match &own {
        Some(own) => own.path().to_owned(),
        None => args.store.folder()?,
    };
    let store = stores::make_unset(&folder, Network::Refuse)?;
    let config = config::load(&store, &flags(&args))?;
    let store = store.with_redaction(Arc::new(Redaction::new(config.redact.clone())));
    journal::start(config.log)?;
    // Nobody can guess where that is.
    let hint = match &own {
        Some(_) => format!("look    weft tail --store {}\n", store.root().display()),
        None => String::new(),
    };
    serve(store, config, args.demo.then(|| demo::play(args.speed)), &hint)?;
    Ok(Outcome::Fine)
}

/// Returns the settings that flags say.
fn flags(args: &Args) -> Vec<(&'static str, String)> {
    let listen: Vec<String> = args.listen.iter().map(ToString::to_string).collect();
    let file = |file: &Option<PathBuf>| file.as_ref().map(|file| file.display().to_string());
    let flags = [
        ("listen", (!listen.is_empty()).then(|| listen.join(","))),
        ("tls.cert", file(&args.tls_cert)),
        ("tls.key", file(&args.tls_key)),
    ];
    flags.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

fn serve(store: Store, config: Config, play: Option<Play>, hint: &str) -> anyhow::Result<()> {
    let (tls, judgement) = (config.tls(), config.judgement());
    let folders = clients::followed(&config)?;
    let listen = match config.listen {
        Some(addresses) => Listen::At(addresses),
        None => Listen::Anywhere,
    };
    let options = serve::Options {
        store: store.clone(),
        owner: stores::owner(),
        listen,
        hosts: config.hosts,
        origins: config.origins,
        tls,
        runtime: runtime_folder(),
        limits: config.limits,
        judgement,
        notify: Notify { rules: config.notify, zone: TimeZone::system() },
        folders,
        play,
    };
    let ready = |addresses: &Addresses| {
        // Whoever started us may not read it; the server runs all the same.
        drop(print((told(&store, addresses) + hint).as_bytes()));
    };
    serve_blocking(options, ready).context("cannot start the server")
}

/// Returns what is said once the server can be reached.
fn told(store: &Store, addresses: &Addresses) -> String {
    let mut text = String::new();
    for url in addresses.urls() {
        text += &format!("http    {url}\n");
    }
    text += &format!("socket  {}\n", addresses.socket.display());
    text += &format!("store   {}\n", store.root().display());
    if addresses.is_open {
        text += &format!("access  {}\n", open(addresses));
    }
    if let Some(page) = addresses.page() {
        text += &format!("browse  {page}\n");
    }
    text
}

/// Returns what it means that other machines can reach a server.
pub(crate) fn open(addresses: &Addresses) -> String {
    let safety = match addresses.is_tls {
        true => "encrypted",
        false => "NOT encrypted: tokens and events can be read on the way (tls.cert, tls.key)",
    };
    format!("open to other machines, every request needs a token; {safety}")
}

/// Returns the folder for what lives as long as the user's session.
fn runtime_folder() -> PathBuf {
    let named = env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    let own = || env::temp_dir().join(format!("weft-{}", rustix::process::getuid().as_raw()));
    named.filter(|folder| folder.is_absolute()).unwrap_or_else(own)
}
