//! What is wrong with the files of a certificate is told, and replaced ones count.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use rcgen::{CertifiedKey, KeyPair};

use super::*;

fn made(folder: &Path) -> TlsFiles {
    let CertifiedKey { cert, signing_key } =
        rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    let files = TlsFiles { cert: folder.join("cert.pem"), key: folder.join("key.pem") };
    fs::write(&files.cert, cert.pem()).expect("written");
    fs::write(&files.key, signing_key.serialize_pem()).expect("written");
    files
}

/// Returns what is said of the files, without their folder.
fn said(files: &TlsFiles) -> String {
    let folder = files.cert.parent().expect("a folder").display().to_string();
    match files.load() {
        Ok(_) => "fine".to_owned(),
        Err(error) => crate::writer::chain(&error).replace(&folder, "DIR"),
    }
}

#[test]
fn a_bad_file_is_told_with_its_name_and_the_way_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = made(folder.path());
    assert_eq!(said(&files), "fine");
    let (cert, key) = (fs::read(&files.cert).expect("it is there"), fs::read(&files.key).unwrap());
    let with = |cert: &[u8], key: &[u8]| {
        fs::write(&files.cert, cert).expect("written");
        fs::write(&files.key, key).expect("written");
        said(&files)
    };
    insta::assert_snapshot!(with(b"", &key), @"there is no certificate in DIR/cert.pem: it has to be PEM, the server's own first, then those that vouch for it");
    insta::assert_snapshot!(with(&key, &key), @"there is no certificate in DIR/cert.pem: it has to be PEM, the server's own first, then those that vouch for it");
    insta::assert_snapshot!(with(&cert, &cert), @"there is no key in DIR/key.pem: it has to be PEM, and not locked with a passphrase");
    let locked =
        b"-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIIB\n-----END ENCRYPTED PRIVATE KEY-----\n";
    insta::assert_snapshot!(with(&cert, locked), @"there is no key in DIR/key.pem: it has to be PEM, and not locked with a passphrase");
    insta::assert_snapshot!(with(&cert[..cert.len() / 2], &key), @"the certificate in DIR/cert.pem is damaged: a section of it is not whole");
    insta::assert_snapshot!(with(b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", &key), @"the certificate in DIR/cert.pem cannot be used with the key in DIR/key.pem: invalid peer certificate: BadEncoding");
    let other = KeyPair::generate().expect("a key").serialize_pem();
    insta::assert_snapshot!(with(&cert, other.as_bytes()), @"the key in DIR/key.pem is not that of the certificate in DIR/cert.pem");
    fs::remove_file(&files.key).expect("it is there");
    insta::assert_snapshot!(said(&files), @"cannot read the key DIR/key.pem: No such file or directory (os error 2)");
}

#[test]
fn a_key_that_others_may_read_is_seen() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = made(folder.path());
    let mut seen = |mode| {
        fs::set_permissions(&files.key, fs::Permissions::from_mode(mode)).expect("it is ours");
        files.is_key_open()
    };
    assert_eq!([0o600, 0o400, 0o640, 0o604].map(&mut seen), [false, false, true, true]);
}

#[test]
fn replaced_files_count_for_new_connections_and_broken_ones_do_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = made(folder.path());
    let tls = Tls::load(files.clone()).expect("they are fine");
    let config = || Arc::clone(&tls.current.lock().expect("nobody panicked").config);
    drop(tls.acceptor());
    let first = config();
    fs::remove_file(&files.key).expect("it is there");
    drop(tls.acceptor());
    assert!(Arc::ptr_eq(&first, &config()), "the old one stays");
    made(folder.path());
    drop(tls.acceptor());
    let second = config();
    assert!(!Arc::ptr_eq(&first, &second), "the new one counts");
    drop(tls.acceptor());
    assert!(Arc::ptr_eq(&second, &config()), "it is read once");
}
