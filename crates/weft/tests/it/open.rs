//! A server that other machines can reach: who is let in, and what is said about it.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::Value;
use weft_log::{Network, Store};
use weft_server::access::tokens::{NewToken, Scope, TokenFile};

use crate::sandbox::{FINE, Ran, Sandbox};
use crate::served::{PATIENCE, Served};

/// Makes a token of a scope; returns the header that it is sent in.
fn bearer(sandbox: &Sandbox, scope: &str) -> String {
    let ran = sandbox.run(&["token", "new", scope, "--scope", scope]);
    assert_eq!(ran.code, 0, "{}", ran.show());
    format!("Bearer {}", ran.stdout.trim())
}

/// Starts a server that listens everywhere; it is asked over loopback all the same.
fn start(sandbox: &Sandbox, environment: &[(&str, &str)]) -> Served {
    let mut command = sandbox.command(&["up", "--listen", "0.0.0.0:0"]);
    let mut served = Served::start_with({
        command.envs(environment.iter().copied());
        command
    });
    served.http = served.http.replace("0.0.0.0", "127.0.0.1");
    served
}

/// Returns the status and the code of an answer.
fn told(answer: &str) -> String {
    let status = answer.split(' ').nth(1).unwrap();
    let body = answer.split_once("\r\n\r\n").unwrap().1;
    let json: Value = serde_json::from_str(body).unwrap_or_default();
    format!("{status} {}", json["error"]["code"].as_str().unwrap_or_default())
}

#[test]
fn nobody_listens_for_others_without_a_token_that_is_good() {
    let sandbox = Sandbox::with_store(&[]);
    let up = || sandbox.run(&["up", "--listen", "127.0.0.1:0", "--listen", "0.0.0.0:0"]).show();
    insta::assert_snapshot!(up(), @"
    --- stderr
    error: cannot start the server: other machines can reach 0.0.0.0:0, so that every request needs a token, and there is none: make one with `weft token new NAME --scope write`, or listen on a loopback address
    --- exit 2
    ");
    assert!(!sandbox.store().join("weft.sock").exists());
    let store = Store::make(&sandbox.store(), Network::Force).unwrap();
    let old = NewToken { name: None, scopes: &[Scope::Admin], expires_us: Some(2) };
    TokenFile::new(&store).add(&old, 1).unwrap();
    assert!(up().contains("there is none"), "{}", up());
    std::fs::write(sandbox.store().join("config.toml"), "listen = '[::]:0'\n").unwrap();
    let told = sandbox.run(&["up"]).stderr;
    assert!(told.contains("other machines can reach [::]:0"), "{told}");
    let looked = sandbox.run(&["doctor"]);
    let line = looked.stdout.lines().find(|line| line.contains("access")).unwrap().to_owned();
    insta::assert_snapshot!(line, @"wrong access   other machines would reach [::]:0, and there is no token: `weft up` does not start like this; `weft token new NAME --scope write` makes one");
    std::fs::write(sandbox.store().join("tokens.json"), "[").unwrap();
    assert!(sandbox.run(&["up"]).stderr.contains("tokens.json is damaged"));
}

#[test]
fn every_request_needs_a_token_of_the_right_scope_also_over_loopback() {
    let sandbox = Sandbox::with_store(&[]);
    let [read, write] = ["read", "write"].map(|scope| bearer(&sandbox, scope));
    let served = start(&sandbox, &[]);
    let access = served.said.recv_timeout(PATIENCE).unwrap();
    insta::assert_snapshot!(access, @"access  open to other machines, every request needs a token; NOT encrypted: tokens and events can be read on the way (tls.cert, tls.key)");
    let ask = |method: &str, path: &str, token: Option<&str>, body: &str| {
        let headers = token.map(|token| ("Authorization", token));
        told(&served.ask(method, path, headers.as_slice(), body))
    };
    assert_eq!(ask("POST", "/v1/events", None, FINE), "401 no_token");
    assert_eq!(ask("POST", "/v1/events", Some(&read), FINE), "403 wrong_scope");
    assert_eq!(ask("POST", "/v1/events", Some(&write), FINE), "202 ");
    assert_eq!(ask("GET", "/v1/events", None, ""), "401 no_token");
    assert_eq!(ask("GET", "/v1/events", Some(&write), ""), "403 wrong_scope");
    assert_eq!(ask("GET", "/v1/events", Some(&read), ""), "200 ");
    assert_eq!(ask("GET", "/v1/subscriptions", Some(&read), ""), "200 ");
    assert_eq!(ask("POST", "/v1/subscriptions", Some(&read), "{}"), "403 wrong_scope");
    assert_eq!(ask("GET", "/healthz", None, ""), "200 ");
    // The socket is its owner's, with or without tokens.
    assert_eq!(sandbox.pipe(&["emit"], FINE.as_bytes()).code, 0);
    let said: Value =
        serde_json::from_slice(&std::fs::read(sandbox.store().join("server.json")).unwrap())
            .unwrap();
    assert_eq!((&said["open"], &said["tls"]), (&Value::Bool(true), &Value::Bool(false)));
    let status = sandbox.run(&["status"]).stdout;
    assert!(status.contains("NOT encrypted"), "{status}");
    assert_eq!(served.end(), (Some(0), String::new()));
}

#[test]
fn it_can_be_reached_at_an_address_that_is_not_loopback() {
    let sandbox = Sandbox::with_store(&[]);
    let read = bearer(&sandbox, "read");
    // Whatever this machine calls itself on its network; the route need not lead anywhere.
    let probe = std::net::UdpSocket::bind("0.0.0.0:0").unwrap();
    let own = probe.connect("192.0.2.1:9").and_then(|()| probe.local_addr());
    let Ok(own) = own.map(|own| own.ip()) else { return };
    let mut there = start(&sandbox, &[]);
    there.http = there.http.replace("127.0.0.1", &own.to_string());
    assert!(TcpStream::connect(&there.http).is_ok());
    assert_eq!(told(&there.get("/v1/events")), "401 no_token");
    let answer = there.ask("GET", "/v1/events", &[("Authorization", &read)], "");
    assert_eq!(told(&answer), "200 ");
}

#[test]
fn hosts_and_origins_that_are_named_are_the_only_ones() {
    let sandbox = Sandbox::with_store(&[]);
    let read = bearer(&sandbox, "read");
    let settings = "[http]\nhosts = ['weft.example']\norigins = ['https://never.example']\n";
    std::fs::write(sandbox.store().join("config.toml"), settings).unwrap();
    let served = start(&sandbox, &[("WEFT_HTTP_ORIGINS", "https://board.example")]);
    let ask = |host: &str, origin: &str| {
        let request = served.ask_as(
            host,
            "GET",
            "/v1/events",
            &[("Authorization", &read), ("Origin", origin)],
            "",
        );
        told(&request)
    };
    assert_eq!(ask("weft.example:9338", "https://weft.example:9338"), "200 ");
    assert_eq!(ask("weft.example", "https://board.example"), "200 ");
    assert_eq!(ask("weft.example", "https://never.example"), "403 wrong_origin");
    assert_eq!(ask("other.example", "https://board.example"), "403 wrong_host");
    assert_eq!(ask("localhost", "https://board.example"), "200 ");
}

/// Streams that are open at once, of a server that was given room for far fewer.
const N_STREAMS: usize = 1000;

#[test]
fn as_many_streams_as_the_settings_allow_are_open_whatever_the_shell_says() {
    let own = getrlimit(Resource::Nofile);
    let wanted = own.maximum.map_or(4096, |maximum| maximum.min(4096));
    setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), ..own }).unwrap();
    let sandbox = Sandbox::with_store(&[]);
    let weft = sandbox.command(&["up", "--listen", "127.0.0.1:0"]);
    let mut command = std::process::Command::new("sh");
    command.args(["-c", "ulimit -Sn 256 && exec \"$0\" \"$@\""]).arg(weft.get_program());
    command.args(weft.get_args()).current_dir(sandbox.path()).env_remove("WEFT_STORE");
    let served = Served::start_with(command);
    let open = |_| {
        let mut stream = TcpStream::connect(&served.http).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.write_all(b"GET /v1/stream HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
        stream
    };
    let mut streams: Vec<TcpStream> = (0..N_STREAMS).map(open).collect();
    for stream in &mut streams {
        let mut answer = [0; 15];
        stream.read_exact(&mut answer).unwrap();
        assert_eq!(&answer, b"HTTP/1.1 200 OK");
    }
    let metrics = served.get("/metrics");
    assert!(metrics.contains(&format!("\nweft_streams {N_STREAMS}\n")), "{metrics}");
}

#[test]
fn the_doctor_tells_what_runs_and_not_what_is_set() {
    let sandbox = Sandbox::with_store(&[]);
    bearer(&sandbox, "write");
    let access = |served: &Served| {
        let looked = sandbox.run(&["doctor"]).stdout;
        let line = looked.lines().find(|line| line.contains(" access ")).unwrap();
        line.replace(served.http.rsplit(':').next().unwrap(), "PORT")
    };
    let served = start(&sandbox, &[]);
    insta::assert_snapshot!(access(&served), @"note  access   other machines reach 0.0.0.0:PORT with 1 token, not encrypted: set tls.cert and tls.key, or keep to a network you trust");
    std::fs::remove_file(sandbox.store().join("tokens.json")).unwrap();
    insta::assert_snapshot!(access(&served), @"wrong access   other machines reach 0.0.0.0:PORT, and there is no token: nobody is let in; `weft token new NAME --scope write` makes one");
    drop(served);
    // What is set counts for the next one, and not for one that keeps to this machine.
    std::fs::write(sandbox.store().join("config.toml"), "listen = '0.0.0.0:0'\n").unwrap();
    let served = Served::start(&sandbox);
    insta::assert_snapshot!(access(&served), @"ok    access   this machine alone, 0 tokens");
}

#[test]
fn a_system_that_lets_too_little_be_open_is_told() {
    let sandbox = Sandbox::with_store(&[]);
    let doctor = sandbox.command(&["doctor"]);
    let mut command = std::process::Command::new("sh");
    command.args(["-c", "ulimit -n 4096 && exec \"$0\" \"$@\""]).arg(doctor.get_program());
    command.args(doctor.get_args()).current_dir(sandbox.path()).env_remove("WEFT_STORE");
    let ran = Ran::from(command.output().unwrap());
    let line = ran.stdout.lines().find(|line| line.contains("crowd")).unwrap();
    insta::assert_snapshot!(line, @"note  crowd    the system lets a process have 4096 files and connections open, and 12000 connections need 12768: raise it (`ulimit -Hn`, LimitNOFILE= of a unit), or lower limits.connections_max");
    assert_eq!(ran.code, 0, "it is good to know, and nothing has to be done");
}
