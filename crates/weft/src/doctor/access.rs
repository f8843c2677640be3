//! Who can reach the server from other machines, what they need for it, what it is encrypted with, and how many there can be.

use std::net::SocketAddr;

use jiff::Timestamp;
use weft_log::Store;
use weft_server::access::tokens::TokenFile;
use weft_server::address::Addresses;
use weft_server::descriptors;
use weft_server::tls::TlsFiles;

use super::Check;
use crate::config::Config;
use crate::output::plural;

/// Whether what is looked at is what a server does, or what one would do.
#[derive(Clone, Copy)]
enum Server {
    Runs,
    WouldRun,
}

/// Looks at what the server that runs says of itself, and where none answers at what is set.
pub(super) fn look(store: &Store, config: &Config, running: Option<&Addresses>) -> Vec<Check> {
    let tls = config.tls();
    let is_open = |address: &&SocketAddr| !address.ip().is_loopback();
    let mut checks = vec![match running {
        Some(said) => access(store, said.http.iter().find(is_open), Server::Runs, said.is_tls),
        None => {
            let open = config.listen.iter().flatten().find(is_open);
            access(store, open, Server::WouldRun, tls.is_some())
        }
    }];
    checks.extend(tls.as_ref().map(encryption));
    checks.push(crowd(config));
    checks
}

fn access(store: &Store, open: Option<&SocketAddr>, server: Server, is_tls: bool) -> Check {
    let tokens = match TokenFile::new(store).read() {
        Ok(tokens) => tokens,
        Err(error) => {
            let text = format!("{:#}", anyhow::Error::new(error));
            return Check::wrong("access", text, "nobody with a token is let in until then");
        }
    };
    let now_us = Timestamp::now().as_microsecond();
    let n_expired = tokens.list().iter().filter(|token| token.is_expired(now_us)).count();
    let n_good = tokens.list().len() - n_expired;
    let count = plural(n_good as u64, "token");
    match (open, n_good, is_tls, server) {
        (None, _, _, _) => Check::fine("access", format!("this machine alone, {count}")),
        (Some(address), 0, _, Server::WouldRun) => {
            let text = format!("other machines would reach {address}, and there is no token");
            let advice =
                "`weft up` does not start like this; `weft token new NAME --scope write` makes one";
            Check::wrong("access", text, advice)
        }
        (Some(address), 0, _, Server::Runs) => {
            let text = format!("other machines reach {address}, and there is no token");
            let advice = "nobody is let in; `weft token new NAME --scope write` makes one";
            Check::wrong("access", text, advice)
        }
        (Some(address), _, false, _) => {
            let text = format!("other machines reach {address} with {count}, not encrypted");
            Check::note("access", text, "set tls.cert and tls.key, or keep to a network you trust")
        }
        (Some(address), _, true, _) => {
            let text = format!("other machines reach {address} with {count}, encrypted");
            Check::fine("access", text)
        }
    }
}

fn encryption(files: &TlsFiles) -> Check {
    let (cert, key) = (files.cert.display(), files.key.display());
    match files.load() {
        Err(error) => {
            let text = format!("{:#}", anyhow::Error::new(error));
            Check::wrong("tls", text, "`weft up` does not start like this")
        }
        Ok(_) if files.is_key_open() => {
            Check::wrong("tls", format!("other users may read {key}"), format!("chmod 600 {key}"))
        }
        Ok(_) => Check::fine("tls", format!("the certificate {cert} and its key can be used")),
    }
}

fn crowd(config: &Config) -> Check {
    let n_connections = config.limits.connections_max;
    let needed = descriptors::needed(n_connections, config.listen.as_ref().map_or(1, Vec::len));
    match descriptors::limit() {
        Some(limit) if limit < needed => {
            let text = format!(
                "the system lets a process have {limit} files and connections open, and {n_connections} connections need {needed}"
            );
            let advice =
                "raise it (`ulimit -Hn`, LimitNOFILE= of a unit), or lower limits.connections_max";
            Check::note("crowd", text, advice)
        }
        Some(_) | None => Check::fine("crowd", format!("{n_connections} connections can be open")),
    }
}
