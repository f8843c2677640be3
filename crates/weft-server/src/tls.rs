//! Encryption of what is spoken over HTTP: the certificate and the key, read from their files, and again when those are replaced.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rustls::ServerConfig;
use rustls::pki_types::pem::{self, PemObject as _};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::TlsAcceptor;

/// The protocols that are spoken inside, the better one first.
const PROTOCOLS: [&[u8]; 2] = [b"h2", b"http/1.1"];

/// Where the certificate and the key are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    /// The server's certificate, and behind it those that vouch for it, as PEM.
    pub cert: PathBuf,
    /// Its key, as PEM.
    pub key: PathBuf,
}

/// Why nothing can be encrypted.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file cannot be read.
    #[error("cannot read {what} {path}")]
    Read {
        /// What is in it.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file of the certificate has none.
    #[error(
        "there is no certificate in {path}: it has to be PEM, the server's own first, then those that vouch for it"
    )]
    NoCertificate {
        /// The file.
        path: PathBuf,
    },
    /// The file of the key has none.
    #[error("there is no key in {path}: it has to be PEM, and not locked with a passphrase")]
    NoKey {
        /// The file.
        path: PathBuf,
    },
    /// A file is PEM, but broken.
    #[error("{what} in {path} is damaged: a section of it is not whole")]
    Damaged {
        /// What is in it.
        what: &'static str,
        /// The file.
        path: PathBuf,
    },
    /// They do not belong together.
    #[error("the key in {key} is not that of the certificate in {cert}")]
    Mismatch {
        /// The file of the certificate.
        cert: PathBuf,
        /// The file of the key.
        key: PathBuf,
    },
    /// They are of no use together.
    #[error("the certificate in {cert} cannot be used with the key in {key}")]
    Unusable {
        /// The file of the certificate.
        cert: PathBuf,
        /// The file of the key.
        key: PathBuf,
        /// Why.
        source: rustls::Error,
    },
}

/// What new connections are encrypted with. Cheap to clone.
#[derive(Clone)]
pub struct Tls {
    files: Arc<TlsFiles>,
    current: Arc<Mutex<Current>>,
}

struct Current {
    config: Arc<ServerConfig>,
    stamp: Option<Stamp>,
}

/// Tells one state of the two files from the next.
type Stamp = [(u64, i64, i64, u64); 2];

impl TlsFiles {
    /// Returns whether others than its owner may read the key.
    pub fn is_key_open(&self) -> bool {
        fs::metadata(&self.key).is_ok_and(|about| about.mode() & 0o077 != 0)
    }

    /// Reads both, and puts them together.
    pub fn load(&self) -> Result<ServerConfig, TlsError> {
        let cert_text = read("the certificate", &self.cert)?;
        let certs: Vec<CertificateDer<'static>> = CertificateDer::pem_slice_iter(&cert_text)
            .collect::<Result<_, _>>()
            .map_err(|_broken| damaged("the certificate", &self.cert))?;
        if certs.is_empty() {
            return Err(TlsError::NoCertificate { path: self.cert.clone() });
        }
        let key = match PrivateKeyDer::from_pem_slice(&read("the key", &self.key)?) {
            Ok(key) => key,
            Err(pem::Error::NoItemsFound) => {
                return Err(TlsError::NoKey { path: self.key.clone() });
            }
            Err(_broken) => return Err(damaged("the key", &self.key)),
        };
        let unusable = |error| {
            let (cert, key) = (self.cert.clone(), self.key.clone());
            match error {
                rustls::Error::InconsistentKeys(_) => TlsError::Mismatch { cert, key },
                source => TlsError::Unusable { cert, key, source },
            }
        };
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(unusable)?
            .with_no_client_auth()
            .with_single_cert(certs, key);
        let mut config = config.map_err(unusable)?;
        config.alpn_protocols = PROTOCOLS.map(<[u8]>::to_vec).to_vec();
        Ok(config)
    }

    fn stamp(&self) -> Option<Stamp> {
        let of = |path: &Path| {
            let about = fs::metadata(path).ok()?;
            Some((about.ino(), about.mtime(), about.mtime_nsec(), about.len()))
        };
        Some([of(&self.cert)?, of(&self.key)?])
    }
}

fn read(what: &'static str, path: &Path) -> Result<Vec<u8>, TlsError> {
    fs::read(path).map_err(|source| TlsError::Read { what, path: path.to_owned(), source })
}

fn damaged(what: &'static str, path: &Path) -> TlsError {
    TlsError::Damaged { what, path: path.to_owned() }
}

impl Tls {
    /// Reads the files.
    pub fn load(files: TlsFiles) -> Result<Self, TlsError> {
        let stamp = files.stamp();
        let config = Arc::new(files.load()?);
        let current = Current { config, stamp };
        Ok(Self { files: Arc::new(files), current: Arc::new(Mutex::new(current)) })
    }

    /// Returns what a new connection is encrypted with. Files that were replaced count from now on; as long as the new ones are of no
    /// use, the old ones do.
    pub fn acceptor(&self) -> TlsAcceptor {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        let stamp = self.files.stamp();
        if stamp != current.stamp {
            current.stamp = stamp;
            match self.files.load() {
                Ok(config) => {
                    tracing::info!("the certificate was replaced");
                    current.config = Arc::new(config);
                }
                Err(error) => {
                    let error = crate::writer::chain(&error);
                    tracing::warn!(%error, "the new certificate is of no use, the old one stays");
                }
            }
        }
        TlsAcceptor::from(Arc::clone(&current.config))
    }
}

#[cfg(test)]
mod tests;
