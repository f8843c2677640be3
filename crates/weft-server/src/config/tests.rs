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
    config.toml:7:1: the pattern of the rule `acme` is wrong: regex parse error:
        a(
         ^
    error: unclosed group
    WEFT_REDACT_OWN: this is set by tables in the file: write [[redact.own]] above its settings
    "#);
    let unknown = "[[redact.own]]\nname = 'acme'\nregex = 'a'\n";
    insta::assert_snapshot!(show(unknown, &[], &[]), @"config.toml:3:1: [[redact.own]] has no `regex`; it has name, contains, pattern");
}

#[test]
fn what_views_are_judged_by_is_set_like_the_rest() {
    let file = "[rules]\nsilent = '5m'\nslow = 0\nsame_call_times = 0\nbudget_warning = 0.5\nis_idle_a_need = true\nneed_kept = '14d'\n[[price]]\nmodel = 'my-own'\nas_of = '2026-11-01'\ninput = 1.5\noutput = 6\n[[budget]]\nper = 'day'\nusd = 20\n[[budget]]\nper = ['actor', 'day']\ntokens = 1_000_000\n";
    insta::assert_snapshot!(show(file, &[("WEFT_RULES_BUDGET_CRITICAL", "0.9")], &[]), @"
    rules.same_call_times = 0 (file, line 4)
    rules.silent = 5m (file, line 2)
    rules.slow = 0s (file, line 3)
    rules.budget_warning = 0.5 (file, line 5)
    rules.budget_critical = 0.9 (WEFT_RULES_BUDGET_CRITICAL)
    rules.need_kept = 14d (file, line 7)
    rules.is_idle_a_need = true (file, line 6)
    price = my-own $1.5/$6 (2026-11-01) (file, line 8)
    budget = $20 per day, 1000000 tokens per actor and day (file, line 13)
    ");
    let sources = Sources {
        file: Some((Path::new("config.toml"), file)),
        environment: &|_| None,
        flags: &[],
    };
    let judgement = resolve(&sources).unwrap().0.judgement();
    let set = Rules {
        silent_ms: 300_000,
        slow_ms: 0,
        same_call_times: 0,
        budget_warning: 0.5,
        is_idle_a_need: true,
        need_kept_ms: 14 * 86_400_000,
        ..Rules::default()
    };
    assert_eq!(judgement.rules, set);
    assert_eq!(judgement.prices.find("my-own"), Some(("my-own", "2026-11-01")));
    assert_eq!(judgement.prices.find("gpt-5"), Prices::default().find("gpt-5"), "the others stay");
    assert_eq!(judgement.limits.len(), 2);
    let wrong = "[rules]\nsilence = '5m'\nsilent = 5\nbudget_warning = 80\n[[price]]\nmodel = 'a'\nas_of = 'today'\n[[budget]]\nper = 'week'\nusd = 1\n";
    insta::assert_snapshot!(show(wrong, &[("WEFT_BUDGET", "20")], &[]), @r#"
    config.toml:2:1: there is no setting `rules.silence`; is `rules.silent` meant?
    config.toml:3:1: 5 is not a time with its unit, such as 500ms, 30s or 2m
    config.toml:4:1: 80 is not a share from 0 to 1, such as 0.8
    config.toml:7:1: `today` is not a day, such as "2026-11-15"
    config.toml:9:1: `week` is not actor, session, task or day, or a list of them
    WEFT_BUDGET: this is set by tables in the file: write [[budget]] above its settings
    "#);
    let tables = [
        "[[budget]]\nper = 'day'\nusd = 1\n[[budget]]\nper = 'day'\ntoken = 1\n",
        "[[budget]]\nper = 'day'\nusd = 1\ntokens = 1\n",
        "[[budget]]\nusd = 1\n",
        "[[budget]]\nper = 'day'\nusd = 0\n",
        "[[price]]\nmodel = 'a'\nas_of = '2026-11-01'\ninput = 1\n",
        "price = 3\n",
    ];
    let told: String = tables.iter().map(|file| show(file, &[], &[])).collect();
    insta::assert_snapshot!(told, @"
    config.toml:6:1: [[budget]] has no `token`; is `tokens` meant?
    config.toml:4:1: a budget has either `usd` or `tokens`
    config.toml:2:1: [[budget]] lacks `per`
    config.toml:3:1: 0 is not an amount of dollars above 0, such as 20
    config.toml:2:1: [[price]] lacks `output`
    config.toml:1:1: this is set by tables in the file: write [[price]] above its settings
    ");
}

#[test]
fn who_is_told_is_set_by_tables_with_one_way_each() {
    let file = "[[notify]]\nname = 'desk'\ndesktop = true\n[[notify]]\nname = 'phone'\nwhen = ['permission', 'over_budget']\nactor = '@lead*'\nafter = '1m'\ngather = '0s'\nquiet = '22:00-07:00, 12:30-13:00'\nquiet_except = ['permission']\nwebhook = 'https://example.com/hook'\nsecret_file = 'hook.key'\n[[notify]]\nname = 'sound'\ncommand = ['sh', '-c', 'play ding']\n";
    insta::assert_snapshot!(show(file, &[], &[]), @"notify = desk (desktop), phone (webhook), sound (command) (file, line 1)");
    let path = Path::new("/store/config.toml");
    let sources = Sources { file: Some((path, file)), environment: &|_| None, flags: &[] };
    let (config, _) = resolve(&sources).unwrap();
    insta::assert_debug_snapshot!(config.notify[1], @r#"
    Rule {
        name: "phone",
        when: [
            Permission,
            OverBudget,
        ],
        actor: Some(
            Pattern(
                "@lead*",
            ),
        ),
        session: None,
        after: 60s,
        gather: 0ns,
        quiet: [
            Quiet {
                from: 22:00:00,
                to: 07:00:00,
            },
            Quiet {
                from: 12:30:00,
                to: 13:00:00,
            },
        ],
        quiet_except: [
            Permission,
        ],
        channel: Webhook {
            url: "https://example.com/hook",
            secret: File(
                "/store/hook.key",
            ),
        },
    }
    "#);
    assert_eq!(config.notify[0].when, weft_view::inbox::NeedKind::ALL, "all that needs a person");
}

#[test]
fn what_is_wrong_with_who_is_told_is_said_where_it_stands() {
    let wrong = [
        "[[notify]]\nname = 'a'\n",
        "[[notify]]\nname = 'a'\ndesktop = true\nbell = true\n",
        "[[notify]]\ndesktop = true\n",
        "[[notify]]\nname = 'a b'\nbell = true\n",
        "[[notify]]\nname = 'a'\nbell = true\nwhen = ['budget']\n",
        "[[notify]]\nname = 'a'\nbell = true\nquiet = ['10 pm']\n",
        "[[notify]]\nname = 'a'\nbell = true\nsecret_file = 'x'\n",
        "[[notify]]\nname = 'a'\nwebhook = 'ftp://x'\n",
        "[[notify]]\nname = 'a'\ncommand = []\n",
        "[[notify]]\nname = 'a'\ncommand = 'say hi'\n",
        "[[notify]]\nname = 'a'\nbell = true\nafer = '1s'\n",
        "[[notify]]\nname = 'a'\nbell = true\n[[notify]]\nname = 'a'\ndesktop = true\n",
    ];
    let told: String = wrong.iter().map(|file| show(file, &[], &[])).collect();
    insta::assert_snapshot!(told, @r#"
    config.toml:2:1: [[notify]] has one of desktop, bell, webhook and command
    config.toml:2:1: [[notify]] has one of desktop, bell, webhook and command
    config.toml:2:1: [[notify]] lacks `name`
    config.toml:2:1: `a b` is not a name of letters, digits, `.`, `_` and `-`
    config.toml:4:1: there is no kind of need `budget`; there are permission, answer, blocked, deadlock, over_budget, failed, stuck, collision, idle
    config.toml:4:1: `10 pm` is not a range of local time, such as 22:00-07:00
    config.toml:4:1: `secret_file` is for a webhook
    config.toml:3:1: the address must be http:// or https:// with a host, and without a user, a password or a fragment
    config.toml:3:1: a command has 1 to 64 words of together at most 8192 bytes, without NUL
    config.toml:3:1: `say hi` is not a list of words, such as ["sh", "-c", "…"]
    config.toml:4:1: [[notify]] has no `afer`; is `after` meant?
    config.toml:1:3: two of [[notify]] have the name `a`
    "#);
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
    config.toml:10:1: 1.5 is not a number of bytes, such as 65536, 64K or 16M
    WEFT_LOG: `loud` is not one of off, error, warn, info, debug and trace
    --listen: `here` is not an address and port, such as 127.0.0.1:9338
    ");
    insta::assert_snapshot!(show("log = \n", &[], &[]), @"config.toml:1:7: string values must be quoted, expected literal string");
    insta::assert_snapshot!(show("body_bytes_max = '1M'\nlimits = 3\n", &[], &[]), @"
    config.toml:1:1: there is no setting `body_bytes_max`; is `limits.body_bytes_max` meant?
    config.toml:2:1: `limits` is a table of settings: write [limits] above them
    ");
}

/// Returns the settings with some names, as they are where nobody set them.
fn defaults(is_shown: impl Fn(&str) -> bool) -> String {
    let sources = Sources { file: None, environment: &|_| None, flags: &[] };
    let (config, settings) = resolve(&sources).unwrap();
    assert_eq!(config, Config::default());
    let settings = settings.iter().filter(|set| is_shown(set.name));
    settings.map(|set| format!("{} = {}\n", set.name, set.value)).collect()
}

#[test]
fn the_defaults_are_as_they_would_be_written() {
    insta::assert_snapshot!(defaults(|name| !name.starts_with("rules.")), @"
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
    price = none
    budget = none
    notify = none
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
    limits.page_rows_max = 10000
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
    subscriptions.restored_bytes_max = 64M
    subscriptions.end_patience = 3s
    ");
}

#[test]
fn the_defaults_of_rules_are_as_they_would_be_written() {
    insta::assert_snapshot!(defaults(|name| name.starts_with("rules.")), @"
    rules.events_alive = 2m
    rules.heartbeat_alive = 2m
    rules.same_call_times = 5
    rules.same_edit_times = 4
    rules.silent = 2m
    rules.same_state = 5m
    rules.slow = 10m
    rules.slow_completions = 2
    rules.stuck_kept = 12h
    rules.file_collision = 5s
    rules.folder_collision = 30s
    rules.task_collision = 1m
    rules.collision_kept = 10m
    rules.is_folder_collision_a_need = false
    rules.budget_warning = 0.8
    rules.budget_critical = 0.95
    rules.budget_kept = 1h
    rules.loop_stale = 2h
    rules.failed_kept = 1d
    rules.need_kept = 7d
    rules.is_idle_a_need = false
    ");
}

/// Returns lines of a file in which known and unknown names have values of every kind.
fn any_file() -> impl proptest::strategy::Strategy<Value = String> {
    use proptest::prelude::*;
    let heads = ["[rules]", "[[price]]", "[[budget]]", "[[notify]]", "[redact]", "[[folder]]"];
    let names = ["silent", "per", "usd", "name", "when", "quiet", "after", "command", "webhook"];
    let more = ["bell", "model", "input", "as_of", "own", "path", "budget_warning", "x"];
    let values = ["1", "-1", "0.5", "inf", "nan", "true", "[]", "{}", "'day'", "['day', 1]", "''"];
    let times =
        ["'24:00-00:00'", "'0s'", "'99999999999999999999d'", "1979-05-27", "'ü'", "'http://'"];
    let value = prop::sample::select([&values[..], &times].concat());
    let line = (prop::sample::select([&names[..], &more].concat()), value);
    let line = prop_oneof![
        1 => prop::sample::select(heads.to_vec()).prop_map(str::to_owned),
        3 => line.prop_map(|(name, value)| format!("{name} = {value}")),
        1 => "\\PC{0,20}",
    ];
    prop::collection::vec(line, 0..12).prop_map(|lines| lines.join("\n"))
}

proptest::proptest! {
    #[test]
    fn nothing_that_is_written_makes_it_fail(text in any_file()) {
        let file = Some((Path::new("config.toml"), text.as_str()));
        let sources = Sources { file, environment: &|_| None, flags: &[] };
        if let Err(errors) = resolve(&sources) {
            proptest::prop_assert!(errors.iter().all(|error| error.place.starts_with("config.toml:")));
        }
    }
}
