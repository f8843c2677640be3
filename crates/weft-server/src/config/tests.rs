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
