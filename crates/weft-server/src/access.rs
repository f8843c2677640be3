//! Who may ask for what: which hosts and origins are ours, whether a token is needed, and what each token may do.
//!
//! It knows names and tokens, and nothing of HTTP; [`crate::http`] asks it for every request.

pub mod tokens;

use std::sync::Arc;
use std::sync::{Mutex, PoisonError};

use weft_log::Store;

use tokens::{Scope, Stamp, TokenError, TokenFile, Tokens};

/// Whether a request without a token is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Demand {
    /// It is: the server listens where only this machine can ask.
    Nothing,
    /// It is not.
    Token,
}

/// How access is ruled.
#[derive(Clone, Debug)]
pub struct Rules {
    /// Whether a token is needed.
    pub demand: Demand,
    /// Host names that requests may be for, beside this machine's own, without a port. Where a token is demanded and none is
    /// named, any will do.
    pub hosts: Vec<String>,
    /// Origins of pages that may ask, beside the server's own, such as `https://board.example`.
    pub origins: Vec<String>,
}

/// The rules, and the tokens as they are now. Cheap to clone.
#[derive(Clone)]
pub struct Access {
    shared: Arc<Shared>,
}

struct Shared {
    rules: Rules,
    file: TokenFile,
    read: Mutex<Option<(Stamp, Tokens)>>,
}

/// What a token is good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is known, and may do what was asked.
    Granted,
    /// It is known, and may not.
    WrongScope,
    /// It is known, and its time is over.
    Expired,
    /// Nobody made it, or it was revoked.
    Unknown,
}

impl Access {
    /// Returns the access to a store under these rules.
    pub fn new(store: &Store, rules: Rules) -> Self {
        let file = TokenFile::new(store);
        Self { shared: Arc::new(Shared { rules, file, read: Mutex::default() }) }
    }

    /// Returns the access of a server that only this machine can reach.
    pub fn local(store: &Store) -> Self {
        let demand = Demand::Nothing;
        Self::new(store, Rules { demand, hosts: Vec::new(), origins: Vec::new() })
    }

    /// Returns the rules.
    pub fn rules(&self) -> &Rules {
        &self.shared.rules
    }

    /// Returns whether requests may be for this host: a name or address without its port.
    pub fn knows_host(&self, host: &str) -> bool {
        let Rules { demand, hosts, .. } = self.rules();
        let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        let is_local = host.eq_ignore_ascii_case("localhost")
            || bare.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback());
        let is_named = hosts.iter().any(|known| known.eq_ignore_ascii_case(host));
        is_local || is_named || (*demand == Demand::Token && hosts.is_empty())
    }

    /// Returns whether pages of this origin may ask although it is not the server's own.
    pub fn knows_origin(&self, origin: &str) -> bool {
        let same = |known: &String| known.trim_end_matches('/').eq_ignore_ascii_case(origin);
        self.rules().origins.iter().any(same)
    }

    /// Returns what a token is good for at a time, in microseconds since 1970. The file is read again whenever it has changed, so that
    /// what is revoked is refused at once.
    pub fn judge(&self, token: &str, needed: Scope, now_us: i64) -> Result<Verdict, TokenError> {
        let stamp = self.shared.file.stamp()?;
        let mut read = self.shared.read.lock().unwrap_or_else(PoisonError::into_inner);
        let tokens = match &mut *read {
            Some((known, tokens)) if *known == stamp => tokens,
            stale => &mut stale.insert((stamp, self.shared.file.read()?)).1,
        };
        Ok(match tokens.find(token) {
            None => Verdict::Unknown,
            Some(found) if found.is_expired(now_us) => Verdict::Expired,
            Some(found) if found.may(needed) => Verdict::Granted,
            Some(_) => Verdict::WrongScope,
        })
    }
}

/// A token that was let in, to be asked about again while what it asked for lasts.
#[derive(Clone)]
pub struct Pass {
    access: Access,
    token: String,
    scope: Scope,
}

impl Pass {
    /// Keeps a token that was good for a scope.
    pub fn new(access: &Access, token: &str, scope: Scope) -> Self {
        Self { access: access.clone(), token: token.to_owned(), scope }
    }

    /// Returns whether it would be let in again.
    pub fn is_good(&self, now_us: i64) -> bool {
        matches!(self.access.judge(&self.token, self.scope, now_us), Ok(Verdict::Granted))
    }
}

#[cfg(test)]
mod tests;
