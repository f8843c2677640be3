//! The file of tokens: who may ask from afar. It holds no token, only what each one hashes to, so that who reads it cannot use it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use weft_event::json::{Json, Tape, Value};
use weft_log::Store;

/// The file in a store.
const FILE: &str = "tokens.json";
/// What is locked while the file is changed.
const LOCK_FILE: &str = "tokens.lock";
/// What tokens are hashed for, so that the same text hashed for something else gives another hash.
const PURPOSE: &str = "weft 2026 access token";
/// What every token begins with, so that it is recognised where it should not be.
const PREFIX: &str = "weft_";
/// Random bytes of a token.
const SECRET_BYTES: usize = 32;
/// Digits of a token's id.
const ID_DIGITS: usize = 8;
/// Tokens of one store.
pub const TOKENS_MAX: usize = 1000;
/// Bytes of a token's name.
pub const NAME_BYTES_MAX: usize = 100;

/// What a token may be used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// To read events, streams and figures.
    Read,
    /// To send events.
    Write,
    /// For everything, subscriptions and tokens included.
    Admin,
}

impl Scope {
    /// Every scope.
    pub const ALL: [Scope; 3] = [Scope::Read, Scope::Write, Scope::Admin];

    /// Returns the word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Scope::Read => "read",
            Scope::Write => "write",
            Scope::Admin => "admin",
        }
    }

    /// Returns the scope of a word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == word)
    }
}

/// A token as it is known: not the token itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is revoked by.
    pub id: String,
    /// What its owner calls it.
    pub name: String,
    /// What it may be used for.
    pub scopes: Vec<Scope>,
    /// When it was made, in microseconds since 1970.
    pub made_us: i64,
    /// From when on it is refused, if ever.
    pub expires_us: Option<i64>,
    hash: blake3::Hash,
}

impl Token {
    /// Returns whether it may be used for this.
    pub fn may(&self, needed: Scope) -> bool {
        self.scopes.iter().any(|scope| *scope == needed || *scope == Scope::Admin)
    }

    /// Returns whether its time is over.
    pub fn is_expired(&self, now_us: i64) -> bool {
        self.expires_us.is_some_and(|expires_us| expires_us <= now_us)
    }
}

/// A token that is asked for.
#[derive(Clone, Copy, Debug)]
pub struct NewToken<'n> {
    /// What its owner calls it; its id where nothing is said.
    pub name: Option<&'n str>,
    /// What it may be used for.
    pub scopes: &'n [Scope],
    /// From when on it is refused, in microseconds since 1970.
    pub expires_us: Option<i64>,
}

/// A token that was just made. It is shown once and kept nowhere; its text does not appear where values are printed for debugging.
pub struct Secret(String);

impl Secret {
    /// Returns the token.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// Why tokens could not be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// The file cannot be read.
    #[error("cannot read {path}")]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file is not as it was written.
    #[error("{path} is damaged: no token is accepted until it is repaired or removed")]
    Damaged {
        /// The file.
        path: PathBuf,
    },
    /// The file cannot be written.
    #[error("cannot write {path}")]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// There are as many tokens as there may be.
    #[error("there are {TOKENS_MAX} tokens already: revoke one that is not used any more")]
    TooMany,
    /// The name is empty, too long, or has control characters.
    #[error("a token's name has 1 to {NAME_BYTES_MAX} bytes and no control characters")]
    Name,
    /// A token without a scope is of no use.
    #[error("a token needs a scope: read, write or admin")]
    NoScope,
    /// A token that is never good is of no use either.
    #[error("a token that expires has to do so later than now")]
    Expired,
    /// There is no such token.
    #[error("there is no token with the id or name {which}: `weft token list` shows all of them")]
    Unknown {
        /// What was asked for.
        which: String,
    },
    /// Several tokens have the name.
    #[error(
        "{n} tokens have the name {which}: name the one by its id, as `weft token list` shows it"
    )]
    Several {
        /// The name.
        which: String,
        /// How many.
        n: usize,
    },
}

/// The tokens of a store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tokens(Vec<Token>);

impl Tokens {
    /// Returns them in the order they were made.
    pub fn list(&self) -> &[Token] {
        &self.0
    }

    /// Returns what is known of a token. Takes as long for one that nobody made, and for one that is nearly right.
    pub fn find(&self, token: &str) -> Option<&Token> {
        let hash = hash_of(token);
        let mut found = None;
        for known in &self.0 {
            // The hashes compare in constant time, and all of them are compared.
            if known.hash == hash {
                found = Some(known);
            }
        }
        found
    }
}

/// Tells one state of the file from the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp(Option<(u64, i64, i64, u64)>);

/// Where the tokens of a store are kept.
#[derive(Clone, Debug)]
pub struct TokenFile {
    folder: PathBuf,
}

impl TokenFile {
    /// Returns the file of a store. Nothing is opened or made before it is needed.
    pub fn new(store: &Store) -> Self {
        Self { folder: store.root().to_owned() }
    }

    /// Returns what tells this state of the file from another.
    pub fn stamp(&self) -> Result<Stamp, TokenError> {
        let path = self.path();
        match fs::metadata(&path) {
            Ok(file) => Ok(Stamp(Some((file.ino(), file.mtime(), file.mtime_nsec(), file.len())))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Stamp(None)),
            Err(source) => Err(TokenError::Read { path, source }),
        }
    }

    /// Reads the tokens; none if there is no file.
    pub fn read(&self) -> Result<Tokens, TokenError> {
        let path = self.path();
        let mut bytes = Vec::new();
        match File::open(&path).and_then(|mut file| file.read_to_end(&mut bytes)) {
            Ok(_) => parse(&bytes).ok_or(TokenError::Damaged { path }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Tokens::default()),
            Err(source) => Err(TokenError::Read { path, source }),
        }
    }

    /// Makes a token. It is in the answer and nowhere else.
    pub fn add(&self, new: &NewToken<'_>, now_us: i64) -> Result<(Token, Secret), TokenError> {
        let NewToken { name, scopes, expires_us } = *new;
        let is_name = |name: &str| {
            !name.is_empty() && name.len() <= NAME_BYTES_MAX && !name.chars().any(char::is_control)
        };
        if !name.is_none_or(is_name) {
            return Err(TokenError::Name);
        }
        let mut scopes = scopes.to_vec();
        scopes.sort_unstable();
        scopes.dedup();
        if scopes.is_empty() {
            return Err(TokenError::NoScope);
        }
        if expires_us.is_some_and(|expires_us| expires_us <= now_us) {
            return Err(TokenError::Expired);
        }
        let _lock = self.lock()?;
        let mut tokens = self.read()?;
        if tokens.0.len() >= TOKENS_MAX {
            return Err(TokenError::TooMany);
        }
        let secret = Secret(format!("{PREFIX}{}", random_hex(SECRET_BYTES)?));
        let hash = hash_of(secret.reveal());
        let id = hash.to_hex()[..ID_DIGITS].to_owned();
        let name = name.unwrap_or(&id).to_owned();
        let token = Token { id, name, scopes, made_us: now_us, expires_us, hash };
        tokens.0.push(token.clone());
        self.write(&tokens)?;
        Ok((token, secret))
    }

    /// Revokes the one token with this id or name.
    pub fn revoke(&self, which: &str) -> Result<Token, TokenError> {
        let _lock = self.lock()?;
        let mut tokens = self.read()?;
        let which = which.to_owned();
        let by_id = tokens.0.iter().position(|token| token.id == which);
        let named = |token: &&Token| token.name == which;
        let n = tokens.0.iter().filter(named).count();
        let place = match (by_id, n) {
            (Some(place), _) => place,
            (None, 0) => return Err(TokenError::Unknown { which }),
            (None, 1) => {
                let place = tokens.0.iter().position(|token| token.name == which);
                place.expect("one has the name")
            }
            (None, n) => return Err(TokenError::Several { which, n }),
        };
        let token = tokens.0.remove(place);
        self.write(&tokens)?;
        Ok(token)
    }

    fn path(&self) -> PathBuf {
        self.folder.join(FILE)
    }

    fn lock(&self) -> Result<File, TokenError> {
        let path = self.folder.join(LOCK_FILE);
        let locked = || {
            let lock = OpenOptions::new().append(true).create(true).mode(0o600).open(&path)?;
            lock.lock()?;
            Ok(lock)
        };
        locked().map_err(|source| TokenError::Write { path: path.clone(), source })
    }

    /// Puts a new file, readable by its owner alone, in the place of the old one.
    fn write(&self, tokens: &Tokens) -> Result<(), TokenError> {
        let path = self.path();
        let failed = |source| TokenError::Write { path: path.clone(), source };
        let new = self.folder.join(format!("{FILE}.new"));
        replace(&self.folder, &new, &path, &encode(tokens)).map_err(failed)
    }
}

fn replace(folder: &Path, new: &Path, path: &Path, text: &str) -> io::Result<()> {
    match fs::remove_file(new) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(new)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(new, path)?;
    File::open(folder)?.sync_all()
}

fn hash_of(token: &str) -> blake3::Hash {
    blake3::Hash::from_bytes(blake3::derive_key(PURPOSE, token.as_bytes()))
}

fn random_hex(n_bytes: usize) -> Result<String, TokenError> {
    let path = PathBuf::from("/dev/urandom");
    let mut bytes = vec![0; n_bytes];
    match File::open(&path).and_then(|mut source| source.read_exact(&mut bytes)) {
        Ok(()) => Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect()),
        Err(source) => Err(TokenError::Read { path, source }),
    }
}

fn encode(tokens: &Tokens) -> String {
    let tokens = tokens.0.iter().map(|token| {
        Json::object(|object| {
            object.text("id", &token.id);
            object.text("name", &token.name);
            let scopes = token.scopes.iter().map(|scope| Json::text(scope.as_str()));
            object.json("scopes", &Json::array(scopes));
            object.json("made", &Json::integer(token.made_us));
            if let Some(expires_us) = token.expires_us {
                object.json("expires", &Json::integer(expires_us));
            }
            object.text("blake3", &token.hash.to_hex());
        })
    });
    let file = Json::object(|file| {
        file.json("version", &Json::integer(1));
        file.json("tokens", &Json::array(tokens));
    });
    format!("{}\n", file.as_str())
}

fn parse(bytes: &[u8]) -> Option<Tokens> {
    let mut tape = Tape::new();
    let file = tape.parse_bytes(bytes.trim_ascii()).ok()?;
    let is_ours = file.get("version").and_then(Value::as_u64) == Some(1);
    let tokens = file.get("tokens").filter(|_| is_ours)?;
    let token = |value: Value<'_>| {
        let scope = |word: Value<'_>| Scope::parse(&word.as_text()?);
        Some(Token {
            id: value.text_at("id")?.into_owned(),
            name: value.text_at("name")?.into_owned(),
            scopes: value.get("scopes")?.items().map(scope).collect::<Option<_>>()?,
            made_us: value.get("made")?.as_i64()?,
            expires_us: match value.get("expires") {
                None => None,
                // What cannot be read must not be read as never.
                Some(expires) => Some(expires.as_i64()?),
            },
            hash: blake3::Hash::from_hex(value.text_at("blake3")?.as_bytes()).ok()?,
        })
    };
    Some(Tokens(tokens.items().map(token).collect::<Option<_>>()?))
}
