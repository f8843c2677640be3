//! A server that is encrypted, seen by clients that trust its certificate; and a webhook to a receiver that is.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use rcgen::CertifiedKey;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, ServerConnection, StreamOwned};
use serde_json::Value;
use weft_server::tls::TlsFiles;

use crate::sandbox::{FINE, Sandbox};
use crate::served::{PATIENCE, Served};

/// Makes a certificate for this machine, and its key, under a name in the sandbox.
fn certificate(sandbox: &Sandbox, name: &str) -> TlsFiles {
    let names = ["localhost".to_owned(), "127.0.0.1".to_owned()];
    let CertifiedKey { cert, signing_key } = rcgen::generate_simple_self_signed(names).unwrap();
    let file = |end: &str| sandbox.path().join(format!("{name}.{end}.pem"));
    let files = TlsFiles { cert: file("cert"), key: file("key") };
    fs::write(&files.cert, cert.pem()).unwrap();
    fs::write(&files.key, signing_key.serialize_pem()).unwrap();
    fs::set_permissions(&files.key, fs::Permissions::from_mode(0o600)).unwrap();
    files
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn start(sandbox: &Sandbox, files: &TlsFiles) -> Served {
    let (cert, key) = (text(&files.cert), text(&files.key));
    let args = ["up", "--listen", "127.0.0.1:0", "--tls-cert", cert, "--tls-key", key];
    Served::start_with(sandbox.command(&args))
}

type Secure = StreamOwned<ClientConnection, TcpStream>;

/// Connects as a client that trusts this certificate alone.
fn connect(served: &Served, cert: &Path) -> Secure {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(cert).unwrap()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider);
    let config = config.with_safe_default_protocol_versions().unwrap();
    let config = config.with_root_certificates(roots).with_no_client_auth();
    let name = ServerName::try_from("localhost").unwrap();
    let client = ClientConnection::new(Arc::new(config), name).unwrap();
    let stream = TcpStream::connect(&served.http).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    StreamOwned::new(client, stream)
}

fn send(stream: &mut Secure, method: &str, path: &str, headers: &str, body: &str) {
    let length = body.len();
    let request = format!(
        "{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
    );
    stream.write_all(request.as_bytes()).unwrap();
}

/// Asks on a connection of its own; returns the whole answer.
fn ask(served: &Served, cert: &Path, method: &str, path: &str, body: &str) -> String {
    let mut stream = connect(served, cert);
    send(&mut stream, method, path, "Connection: close\r\n", body);
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn requests_streams_and_websockets_are_encrypted() {
    let sandbox = Sandbox::with_store(&[]);
    let files = certificate(&sandbox, "own");
    let served = start(&sandbox, &files);
    let answer = ask(&served, &files.cert, "POST", "/v1/events", FINE);
    assert!(answer.starts_with("HTTP/1.1 202 "), "{answer}");

    let mut stream = BufReader::new(connect(&served, &files.cert));
    send(stream.get_mut(), "GET", "/v1/stream?after=0", "", "");
    let mut lines = stream.by_ref().lines().map(Result::unwrap);
    assert_eq!(lines.next().unwrap(), "HTTP/1.1 200 OK");
    let first = lines.find(|line| line.starts_with("data: ")).unwrap();
    assert!(first.contains(FINE), "{first}");
    assert_eq!(sandbox.pipe(&["emit"], FINE.replace("@a", "@b").as_bytes()).code, 0);
    let second = lines.find(|line| line.starts_with("data: ")).unwrap();
    assert!(second.contains("@b"), "{second}");

    let mut stream = BufReader::new(connect(&served, &files.cert));
    let upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    send(stream.get_mut(), "GET", "/v1/stream?after=0", upgrade, "");
    let mut lines = stream.by_ref().lines().map(Result::unwrap);
    assert_eq!(lines.next().unwrap(), "HTTP/1.1 101 Switching Protocols");
    assert!(lines.any(|line| line.is_empty()));
    let mut frame = [0; 4];
    stream.read_exact(&mut frame).unwrap();
    assert_eq!((frame[0], frame[1]), (0x81, 126), "a text of up to 64 KiB");
    let mut record = vec![0; usize::from(u16::from_be_bytes([frame[2], frame[3]]))];
    stream.read_exact(&mut record).unwrap();
    assert!(String::from_utf8(record).unwrap().contains(FINE));
    drop(stream);
    assert_eq!(served.end(), (Some(0), String::new()));
}

#[test]
fn everywhere_it_is_said_that_it_is_encrypted() {
    let sandbox = Sandbox::with_store(&[]);
    let files = certificate(&sandbox, "own");
    let served = start(&sandbox, &files);
    let url = format!("https://{}", served.http);
    let said = fs::read(sandbox.store().join("server.json")).unwrap();
    let said: Value = serde_json::from_slice(&said).unwrap();
    assert_eq!((&said["tls"], &said["open"]), (&Value::Bool(true), &Value::Bool(false)));
    for args in [["status"].as_slice(), &["doctor"], &["up"]] {
        let shown = sandbox.run(args).show();
        assert!(shown.contains(&url), "{args:?} {shown}");
    }
    let json: Value = serde_json::from_str(&sandbox.run(&["status", "--json"]).stdout).unwrap();
    assert_eq!(json["tls"], true);
    // Whoever forgets the s is told.
    let plain = served.get("/healthz");
    assert!(plain.starts_with("HTTP/1.1 400 Bad Request\r\n") && plain.contains("needs_tls"));
}

#[test]
fn curl_trusts_it_by_its_certificate_and_not_without() {
    if Command::new("curl").arg("--version").output().is_err() {
        println!("curl is not installed: not tried");
        return;
    }
    let sandbox = Sandbox::with_store(&[]);
    let files = certificate(&sandbox, "own");
    let served = start(&sandbox, &files);
    let port = served.http.rsplit_once(':').unwrap().1;
    let curl = |args: &[&str]| {
        let url = format!("https://localhost:{port}/v1/events");
        let mut command = Command::new("curl");
        let ran = command.args(["--silent", "--noproxy", "*", "--max-time", "60"]).args(args);
        ran.args(["--json", FINE, &url]).output().unwrap()
    };
    let trusting = curl(&["--cacert", text(&files.cert)]);
    let answer: Value = serde_json::from_slice(&trusting.stdout).unwrap();
    assert_eq!(answer["accepted"], true);
    assert_eq!(curl(&[]).status.code(), Some(60), "the certificate is nobody's");
}

#[test]
fn a_bad_file_keeps_the_server_from_starting_and_is_named() {
    let sandbox = Sandbox::with_store(&[]);
    let (own, other) = (certificate(&sandbox, "own"), certificate(&sandbox, "other"));
    let folder = text(sandbox.path()).to_owned();
    let up = |cert: &Path, key: &Path| {
        let args = ["up", "--tls-cert", text(cert), "--tls-key", text(key)];
        sandbox.run(&args).show().replace(&folder, "HERE")
    };
    insta::assert_snapshot!(up(&own.cert, &other.key), @"
    --- stderr
    error: cannot start the server: the key in HERE/other.key.pem is not that of the certificate in HERE/own.cert.pem
    --- exit 2
    ");
    insta::assert_snapshot!(up(&own.key, &own.key), @"
    --- stderr
    error: cannot start the server: there is no certificate in HERE/own.key.pem: it has to be PEM, the server's own first, then those that vouch for it
    --- exit 2
    ");
    insta::assert_snapshot!(up(&sandbox.path().join("none.pem"), &own.key), @"
    --- stderr
    error: cannot start the server: cannot read the certificate HERE/none.pem: No such file or directory (os error 2)
    --- exit 2
    ");
    insta::assert_snapshot!(sandbox.run(&["up", "--tls-cert", "own.cert.pem"]).show(), @"
    --- stderr
    error: --tls-cert: `tls.cert` is set and `tls.key` is not: a certificate needs its key
    --- exit 2
    ");
    let settings = format!("[tls]\ncert = '{}'\nkey = 'none.pem'\n", text(&own.cert));
    fs::write(sandbox.store().join("config.toml"), settings).unwrap();
    let looked = sandbox.run(&["doctor"]).stdout.replace(&folder, "HERE");
    let line = looked.lines().find(|line| line.contains(" tls ")).unwrap();
    insta::assert_snapshot!(line, @"wrong tls      cannot read the key HERE/.weft/none.pem: No such file or directory (os error 2): `weft up` does not start like this");
}

#[test]
fn files_are_named_by_flag_environment_or_file_in_this_order() {
    let sandbox = Sandbox::with_store(&[]);
    let own = certificate(&sandbox, "own");
    fs::copy(&own.cert, sandbox.store().join("c.pem")).unwrap();
    fs::copy(&own.key, sandbox.store().join("k.pem")).unwrap();
    let settings = "listen = '127.0.0.1:0'\n[tls]\ncert = 'c.pem'\nkey = 'k.pem'\n";
    fs::write(sandbox.store().join("config.toml"), settings).unwrap();
    let served = Served::start_with(sandbox.command(&["up"]));
    assert!(ask(&served, &own.cert, "GET", "/healthz", "").starts_with("HTTP/1.1 200 "));
    drop(served);
    let second = certificate(&sandbox, "second");
    let environment = [("WEFT_TLS_CERT", &second.cert), ("WEFT_TLS_KEY", &second.key)];
    let mut command = sandbox.command(&["up"]);
    command.envs(environment);
    let served = Served::start_with(command);
    assert!(ask(&served, &second.cert, "GET", "/healthz", "").starts_with("HTTP/1.1 200 "));
    drop(served);
    let third = certificate(&sandbox, "third");
    let (cert, key) = (text(&third.cert), text(&third.key));
    let mut command = sandbox.command(&["up", "--tls-cert", cert, "--tls-key", key]);
    command.envs(environment);
    let served = Served::start_with(command);
    assert!(ask(&served, &third.cert, "GET", "/healthz", "").starts_with("HTTP/1.1 200 "));
}

#[test]
fn a_key_that_others_may_read_is_told() {
    let sandbox = Sandbox::with_store(&[]);
    let files = certificate(&sandbox, "own");
    fs::set_permissions(&files.key, fs::Permissions::from_mode(0o644)).unwrap();
    let (code, told) = start(&sandbox, &files).end();
    let told: Value = serde_json::from_str(&told).unwrap();
    let key = files.key.display();
    assert_eq!((code, &told["level"]), (Some(0), &"WARN".into()));
    assert_eq!(told["message"], format!("other users may read the key {key}: chmod 600 {key}"));
}

#[test]
fn a_certificate_that_is_replaced_counts_at_once() {
    let sandbox = Sandbox::with_store(&[]);
    let files = certificate(&sandbox, "own");
    let served = start(&sandbox, &files);
    let first = sandbox.path().join("first.pem");
    fs::copy(&files.cert, &first).unwrap();
    assert!(ask(&served, &first, "GET", "/healthz", "").starts_with("HTTP/1.1 200 "));
    certificate(&sandbox, "own");
    assert!(ask(&served, &files.cert, "GET", "/healthz", "").starts_with("HTTP/1.1 200 "));
    let mut old = connect(&served, &first);
    assert!(old.write_all(b"GET / HTTP/1.1\r\n").is_err(), "the old one is not shown any more");
}

#[test]
fn who_never_shakes_hands_holds_nobody_up() {
    let sandbox = Sandbox::with_store(&[]);
    let files = certificate(&sandbox, "own");
    let served = start(&sandbox, &files);
    let silent = TcpStream::connect(&served.http).unwrap();
    let mut begun = TcpStream::connect(&served.http).unwrap();
    begun.write_all(&[0x16, 3, 1, 2]).unwrap();
    assert!(ask(&served, &files.cert, "GET", "/healthz", "").starts_with("HTTP/1.1 200 "));
    let began = Instant::now();
    assert_eq!(served.end(), (Some(0), String::new()));
    assert!(began.elapsed() < PATIENCE / 10, "{:?}", began.elapsed());
    drop((silent, begun));
}

/// Takes one request over TLS and answers it; returns it whole.
fn receive(listener: &TcpListener, files: &TlsFiles) -> std::io::Result<String> {
    let (stream, _) = listener.accept()?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let config = Arc::new(files.load().unwrap());
    let mut stream = StreamOwned::new(ServerConnection::new(config).unwrap(), stream);
    let (mut request, mut piece) = (Vec::new(), [0; 4096]);
    loop {
        let n = stream.read(&mut piece)?;
        request.extend_from_slice(&piece[..n]);
        let text = String::from_utf8_lossy(&request).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        if body.len() >= length.unwrap().parse().unwrap() {
            stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n")?;
            return Ok(text);
        }
    }
}

#[test]
fn a_webhook_goes_to_an_encrypted_receiver_if_its_certificate_is_trusted() {
    let sandbox = Sandbox::with_store(&[]);
    let (own, other) = (certificate(&sandbox, "own"), certificate(&sandbox, "other"));
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://localhost:{}/hook", listener.local_addr().unwrap().port());
    let add = sandbox.run(&["sub", "add", "hook", "--from", "start", "--webhook", &url]);
    assert_eq!(add.code, 0, "{}", add.show());
    assert_eq!(sandbox.pipe(&["emit"], FINE.as_bytes()).code, 0);
    let up = |trusted: &PathBuf| {
        let mut command = sandbox.command(&["up", "--listen", "127.0.0.1:0"]);
        command.env("SSL_CERT_FILE", trusted).env_remove("SSL_CERT_DIR");
        Served::start_with(command)
    };

    let distrusting = up(&other.cert);
    assert!(receive(&listener, &own).is_err(), "nothing is sent to whoever is not trusted");
    let shown = distrusting.get("/v1/subscriptions/hook");
    let json: Value = serde_json::from_str(shown.split_once("\r\n\r\n").unwrap().1).unwrap();
    assert_eq!((&json["live"]["delivered"], &json["dead"]), (&0.into(), &0.into()), "{json}");
    assert_eq!(distrusting.end().0, Some(0));

    let trusting = up(&own.cert);
    let received =
        thread::scope(|scope| scope.spawn(|| receive(&listener, &own).unwrap()).join().unwrap());
    assert!(received.starts_with("POST /hook HTTP/1.1\r\n") && received.contains(FINE));
    assert!(received.contains("weft-signature: "), "{received}");
    assert_eq!(trusting.end().0, Some(0));
}
