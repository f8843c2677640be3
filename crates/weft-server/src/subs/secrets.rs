//! The secrets that deliveries are signed with. They stand in files of the store or where the user keeps them, never in the log.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use ring::rand::{SecureRandom as _, SystemRandom};
use weft_log::Store;

use super::definition::SecretRef;

/// Most bytes of a secret.
const SECRET_BYTES_MAX: u64 = 4096;

/// Why there is no secret.
#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    /// A file cannot be read or written.
    #[error("cannot use the secret in {path}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// It is empty, or far too long.
    #[error("the secret in {place} must have 1 to {SECRET_BYTES_MAX} bytes")]
    Length {
        /// Where it stands.
        place: String,
    },
    /// The system gives no random numbers.
    #[error("the system gives no random numbers")]
    Random,
}

/// Returns the file of a subscription's own secret.
pub fn file(store: &Store, name: &str) -> PathBuf {
    store.root().join("secrets").join(name)
}

/// Makes a secret for a subscription, in a file that only its owner reads; one that is there stays. Returns it.
pub fn make(store: &Store, name: &str) -> Result<String, SecretError> {
    let path = file(store, name);
    let io = |source| SecretError::Io { path: path.clone(), source };
    let folder = path.parent().expect("a secret is in a folder");
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(io)?;
    let mut bytes = [0; 32];
    SystemRandom::new().fill(&mut bytes).map_err(|_unspecified| SecretError::Random)?;
    let secret: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path) {
        Ok(mut file) => {
            file.write_all(secret.as_bytes()).and_then(|()| file.sync_all()).map_err(io)?;
            Ok(secret)
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => read_file(&path),
        Err(error) => Err(io(error)),
    }
}

/// Removes a subscription's own secret, if it has one.
pub fn remove(store: &Store, name: &str) -> Result<(), SecretError> {
    let path = file(store, name);
    match fs::remove_file(&path) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(source) => Err(SecretError::Io { path, source }),
    }
}

/// Returns the secret of a subscription.
pub fn read(store: &Store, name: &str, secret: &SecretRef) -> Result<String, SecretError> {
    match secret {
        SecretRef::Store => read_file(&file(store, name)),
        SecretRef::File(path) => read_file(Path::new(path)),
    }
}

fn read_file(path: &Path) -> Result<String, SecretError> {
    let io = |source| SecretError::Io { path: path.to_owned(), source };
    let place = || path.display().to_string();
    if fs::metadata(path).map_err(io)?.len() > SECRET_BYTES_MAX {
        return Err(SecretError::Length { place: place() });
    }
    let text = fs::read_to_string(path).map_err(io)?;
    let secret = text.trim_end_matches(['\r', '\n']);
    check(secret, &place())?;
    Ok(secret.to_owned())
}

fn check(secret: &str, place: &str) -> Result<(), SecretError> {
    let is_fine = !secret.is_empty() && secret.len() as u64 <= SECRET_BYTES_MAX;
    if is_fine { Ok(()) } else { Err(SecretError::Length { place: place.to_owned() }) }
}
