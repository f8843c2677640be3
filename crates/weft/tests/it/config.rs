//! The settings of a server, where they come from, and what is said of wrong ones.

use crate::sandbox::{Ran, Sandbox};
use crate::served::Served;

fn sandbox(config: &str) -> Sandbox {
    let sandbox = Sandbox::with_store(&[]);
    std::fs::write(sandbox.store().join("config.toml"), config).unwrap();
    sandbox
}

fn show(sandbox: &Sandbox, ran: &Ran) -> String {
    let root = sandbox.path().canonicalize().unwrap();
    ran.show()
        .replace(root.to_str().unwrap(), "HERE")
        .replace(sandbox.path().to_str().unwrap(), "HERE")
}

#[test]
fn every_setting_says_where_it_comes_from() {
    let sandbox = sandbox("log = \"info\"\n[limits]\nstreams_max = 10\nheartbeat = \"3s\"\n");
    let mut command = sandbox.command(&["config", "show"]);
    let ran = Ran::from(command.env("WEFT_LIMITS_STREAMS_MAX", "20").output().unwrap());
    let shown = ran.show();
    let (rules, rest): (Vec<&str>, Vec<&str>) =
        shown.lines().partition(|line| line.starts_with("rules."));
    assert!(rules[0].starts_with("rules.events_alive ") && rules[0].ends_with("default"));
    insta::assert_snapshot!(rest.join("\n"), @"
    SETTING                           VALUE                            FROM
    listen                            127.0.0.1:9338 or any free port  default
    log                               info                             file, line 1
    http.hosts                        none                             default
    http.origins                      none                             default
    tls.cert                          none                             default
    tls.key                           none                             default
    sessions.claude                   false                            default
    sessions.codex                    false                            default
    sessions.gemini                   false                            default
    folder                            none                             default
    redact.sources_off                none                             default
    redact.rules_off                  none                             default
    redact.own                        none                             default
    price                             none                             default
    budget                            none                             default
    notify                            none                             default
    limits.body_bytes_max             16M                              default
    limits.bodies_bytes_max           256M                             default
    limits.request_events_max         50000                            default
    limits.queue_bytes_max            64M                              default
    limits.queue_patience             2s                               default
    limits.connections_max            12000                            default
    limits.request_patience           30s                              default
    limits.streams_max                20                               WEFT_LIMITS_STREAMS_MAX
    limits.stream_bytes_max           256K                             default
    limits.reader_patience            30s                              default
    limits.heartbeat                  3s                               file, line 4
    limits.page_records_max           1000                             default
    limits.page_rows_max              10000                            default
    limits.page_bytes_max             16M                              default
    limits.answers_bytes_max          256M                             default
    limits.recent_bytes_max           16M                              default
    limits.reads_max                  16                               default
    limits.index_lag_max              100000                           default
    subscriptions.subscriptions_max   100                              default
    subscriptions.held_max            4096                             default
    subscriptions.held_bytes_max      8M                               default
    subscriptions.acknowledge_every   1s                               default
    subscriptions.skipped_max         100000                           default
    subscriptions.dead_max            10000                            default
    subscriptions.pulls_max           64                               default
    subscriptions.pull_events_max     1000                             default
    subscriptions.pull_patience_max   1m                               default
    subscriptions.restored_bytes_max  64M                              default
    subscriptions.end_patience        3s                               default
    --- stderr
    --- exit 0
    ");
}

#[test]
fn a_wrong_setting_is_told_with_its_place_and_the_server_does_not_start() {
    let sandbox = sandbox("[limits]\nbody_byte_max = 5\nheartbeat = 5\n");
    insta::assert_snapshot!(show(&sandbox, &sandbox.run(&["config", "check"])), @"
    --- stderr
    HERE/.weft/config.toml:2:1: there is no setting `limits.body_byte_max`; is `limits.body_bytes_max` meant?
    HERE/.weft/config.toml:3:1: 5 is not a time with its unit, such as 500ms, 30s or 2m
    --- exit 1
    ");
    insta::assert_snapshot!(show(&sandbox, &sandbox.run(&["up"])), @"
    --- stderr
    error: HERE/.weft/config.toml:2:1: there is no setting `limits.body_byte_max`; is `limits.body_bytes_max` meant?
    HERE/.weft/config.toml:3:1: 5 is not a time with its unit, such as 500ms, 30s or 2m
    --- exit 2
    ");
    insta::assert_snapshot!(show(&sandbox, &sandbox.run(&["config", "path"])), @"
    HERE/.weft/config.toml
    --- stderr
    --- exit 0
    ");
}

#[test]
fn an_editor_is_opened_on_a_file_that_explains_itself_and_checked_after() {
    let sandbox = Sandbox::with_store(&[]);
    let edit = |editor: &str| {
        let mut command = sandbox.command(&["config", "edit"]);
        Ran::from(command.env_remove("VISUAL").env("EDITOR", editor).output().unwrap())
    };
    assert_eq!(edit("true").code, 0);
    let written = std::fs::read_to_string(sandbox.store().join("config.toml")).unwrap();
    assert!(written.starts_with("# Settings of `weft up`"), "{written}");
    insta::assert_snapshot!(show(&sandbox, &edit("sed -i s/^#.listen/lisen/")), @"
    --- stderr
    HERE/.weft/config.toml:4:1: there is no setting `lisen`; is `listen` meant?
    --- exit 1
    ");
    assert_eq!(edit("false").code, 2);
}

#[test]
fn the_file_is_what_the_server_starts_with() {
    let sandbox = sandbox("listen = \"127.0.0.1:0\"\nlog = \"info\"\n");
    let served = Served::start_with(sandbox.command(&["up"]));
    let (code, said) = served.end();
    assert_eq!(code, Some(0));
    assert!(said.contains("\"message\":\"ending\""), "{said}");
}
