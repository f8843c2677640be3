//! What settings come out as, where they come from, and what is said of wrong ones.

use super::*;

fn show(file: &str, environment: &[(&str, &str)], flags: &[(&str, String)]) -> String {
    let lookup = |name: &str| {
        let found = environment.iter().find(|(known, _)| *known == name);
        found.map(|(_, text)| (*text).to_owned())
    };
    let path = Path::new("config.toml");
    let sources = Sources { file: Some((path, file)), environment: &lookup, flags };
    match resolve(&sources) {
        Ok((_, settings)) => settings
            .iter()
            .filter(|setting| setting.origin != Origin::Default)
            .map(|Setting { name, value, origin }| format!("{name} = {value} ({origin})\n"))
            .collect(),
        Err(errors) => errors.iter().map(|error| format!("{error}\n")).collect(),
    }
}

#[test]
fn a_flag_outranks_the_environment_and_that_the_file() {
    let file = "log = 'info'\nlisten = ['127.0.0.1:1', '[::1]:2']\n\n[limits]\nbody_bytes_max = '8M'\nheartbeat = '5s'\nreads_max = 0x10\n";
    insta::assert_snapshot!(show(file, &[], &[]), @"
    listen = 127.0.0.1:1, [::1]:2 (file, line 2)
    log = info (file, line 1)
    limits.body_bytes_max = 8M (file, line 5)
    limits.heartbeat = 5s (file, line 6)
    limits.reads_max = 16 (file, line 7)
    ");
    let environment = [
        ("WEFT_LOG", "debug"),
        ("WEFT_LIMITS_HEARTBEAT", "90s"),
        ("WEFT_LISTEN", "127.0.0.1:3, 127.0.0.1:4"),
    ];
    insta::assert_snapshot!(show(file, &environment, &[("listen", "127.0.0.1:5".to_owned())]), @"
    listen = 127.0.0.1:5 (--listen)
    log = debug (WEFT_LOG)
    limits.body_bytes_max = 8M (file, line 5)
    limits.heartbeat = 90s (WEFT_LIMITS_HEARTBEAT)
    limits.reads_max = 16 (file, line 7)
    ");
}

#[test]
fn who_may_ask_and_what_it_is_encrypted_with_is_set_like_the_rest() {
    let file = "[http]\nhosts = ['weft.example', 'fd00::7', '10.0.0.7']\norigins = 'https://a.example:8443/, http://[::1]:1'\n[tls]\ncert = 'c.pem'\nkey = '/k.pem'\n";
    insta::assert_snapshot!(show(file, &[], &[]), @"
    http.hosts = weft.example, [fd00::7], 10.0.0.7 (file, line 2)
    http.origins = https://a.example:8443, http://[::1]:1 (file, line 3)
    tls.cert = c.pem (file, line 5)
    tls.key = /k.pem (file, line 6)
    ");
    let environment = [("WEFT_HTTP_HOSTS", "a, b"), ("WEFT_TLS_CERT", "e.pem")];
    insta::assert_snapshot!(show(file, &environment, &[("tls.cert", "f.pem".to_owned())]), @"
    http.hosts = a, b (WEFT_HTTP_HOSTS)
    http.origins = https://a.example:8443, http://[::1]:1 (file, line 3)
    tls.cert = f.pem (--tls-cert)
    tls.key = /k.pem (file, line 6)
    ");
    let wrong = "[http]\nhosts = ['a:1']\norigins = '*'\n[tls]\ncert = ''\n";
    insta::assert_snapshot!(show(wrong, &[("WEFT_HTTP_ORIGINS", "https://a/b")], &[]), @"
    config.toml:2:1: `a:1` is not a host name or address without a port, such as weft.example
    config.toml:3:1: `*` is not an origin, such as https://board.example:8443, without a path
    config.toml:5:1: `` is not the name of a file
    WEFT_HTTP_ORIGINS: `https://a/b` is not an origin, such as https://board.example:8443, without a path
    ");
    insta::assert_snapshot!(show("[tls]\ncert = 'c.pem'\n", &[], &[]), @"config.toml:2:1: `tls.cert` is set and `tls.key` is not: a certificate needs its key");
    insta::assert_snapshot!(show("", &[], &[("tls.key", "k.pem".to_owned())]), @"--tls-key: `tls.key` is set and `tls.cert` is not: a certificate needs its key");
    let path = Path::new("/store/config.toml");
    let sources = Sources { file: Some((path, file)), environment: &|_| None, flags: &[] };
    let (config, _) = resolve(&sources).unwrap();
    let files = config.tls().expect("both are named");
    assert_eq!(files.cert, Path::new("/store/c.pem"), "beside the file that names it");
    assert_eq!(files.key, Path::new("/k.pem"));
}

#[test]
fn redaction_is_set_by_source_by_rule_and_by_rules_of_ones_own() {
    let file = "[redact]\nsources_off = ['demo']\nrules_off = ['jwt', 'password']\n[[redact.own]]\nname = 'acme'\ncontains = 'acme_'\npattern = 'acme_[a-z]+'\n";
    insta::assert_snapshot!(show(file, &[("WEFT_REDACT_SOURCES_OFF", "http, emit")], &[]), @"
    redact.sources_off = http, emit (WEFT_REDACT_SOURCES_OFF)
    redact.rules_off = jwt, password (file, line 3)
    redact.own = acme (file, line 4)
    ");
    let wrong = "[redact]\nrules_off = ['jw']\nsources_off = 3\n[[redact.own]]\nname = 'acme'\ncontains = 'acme'\npattern = 'a('\n";
    insta::assert_snapshot!(show(wrong, &[("WEFT_REDACT_OWN", "a=b")], &[]), @r#"
    config.toml:2:1: there is no rule `jw`; there are private-key, aws-key-id, aws-secret-key, gcp-key, azure-key, github-token, gitlab-token, slack-token, slack-webhook, stripe-key, anthropic-key, openai-key, npm-token, pypi-token, weft-token, vendor-token, jwt, connection-string, url-password, authorization, password, secret
    config.toml:3:1: 3 is not a list of ways in, such as ["demo"], or ["*"] for all
    config.toml:4:10: the pattern of the rule `acme` is wrong: regex parse error:
        a(
         ^
    error: unclosed group
    WEFT_REDACT_OWN: `a=b` is not a list of tables: write [[redact.own]] above name, contains and pattern
    "#);
    let unknown = "[[redact.own]]\nname = 'acme'\nregex = 'a'\n";
    insta::assert_snapshot!(show(unknown, &[], &[]), @"config.toml:1:10: a rule has name, contains and pattern, and no `regex`");
}

#[test]
fn whatever_is_wrong_is_told_with_its_place() {
    let file = "lisen = 'x'\nfly = 1\n[limit]\na = 1\n[limits]\nbody_bytes = 1\nheartbeat = 5\nreads_max = 0\nstreams_max = -1\nqueue_bytes_max = 1.5\n";
    insta::assert_snapshot!(show(file, &[("WEFT_LOG", "loud")], &[("listen", "here".to_owned())]), @"
    config.toml:1:1: there is no setting `lisen`; is `listen` meant?
    config.toml:2:1: there is no setting `fly`; `weft config show` lists them
    config.toml:3:2: there is no setting `limit`; is `limits` meant?
    config.toml:6:1: there is no setting `limits.body_bytes`; is `limits.body_bytes_max` meant?
    config.toml:7:1: 5 is not a time with its unit, such as 500ms, 30s or 2m
    config.toml:8:1: it has to be at least 1
    config.toml:9:1: a number below 0 or too large is not a number
    config.toml:10:1: a number with a point is not a number of bytes, such as 65536, 64K or 16M
    WEFT_LOG: `loud` is not one of off, error, warn, info, debug and trace
    --listen: `here` is not an address and port, such as 127.0.0.1:9338
    ");
    insta::assert_snapshot!(show("log = \n", &[], &[]), @"config.toml:1:7: string values must be quoted, expected literal string");
    insta::assert_snapshot!(show("body_bytes_max = '1M'\nlimits = 3\n", &[], &[]), @"
    config.toml:1:1: there is no setting `body_bytes_max`; is `limits.body_bytes_max` meant?
    config.toml:2:1: `limits` is a table of settings: write [limits] above them
    ");
}

#[test]
fn the_defaults_are_as_they_would_be_written() {
    let sources = Sources { file: None, environment: &|_| None, flags: &[] };
    let (config, settings) = resolve(&sources).unwrap();
    assert_eq!(config, Config::default());
    let all: String =
        settings.iter().map(|set| format!("{} = {}\n", set.name, set.value)).collect();
    insta::assert_snapshot!(all, @"
    listen = 127.0.0.1:9338 or any free port
    log = warn
    http.hosts = none
    http.origins = none
    tls.cert = none
    tls.key = none
    sessions.claude = false
    sessions.codex = false
    sessions.gemini = false
    folder = none
    redact.sources_off = none
    redact.rules_off = none
    redact.own = none
    limits.body_bytes_max = 16M
    limits.bodies_bytes_max = 256M
    limits.request_events_max = 50000
    limits.queue_bytes_max = 64M
    limits.queue_patience = 2s
    limits.connections_max = 12000
    limits.request_patience = 30s
    limits.streams_max = 10000
    limits.stream_bytes_max = 256K
    limits.reader_patience = 30s
    limits.heartbeat = 15s
    limits.page_records_max = 1000
    limits.page_bytes_max = 16M
    limits.answers_bytes_max = 256M
    limits.recent_bytes_max = 16M
    limits.reads_max = 16
    limits.index_lag_max = 100000
    subscriptions.subscriptions_max = 100
    subscriptions.held_max = 4096
    subscriptions.held_bytes_max = 8M
    subscriptions.acknowledge_every = 1s
    subscriptions.skipped_max = 100000
    subscriptions.dead_max = 10000
    subscriptions.pulls_max = 64
    subscriptions.pull_events_max = 1000
    subscriptions.pull_patience_max = 1m
    subscriptions.end_patience = 5s
    ");
}
