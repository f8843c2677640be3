//! What a user gets of redaction: secrets gone in whatever text they stand, all else as it was, and lines that are still lines.

mod examples;
mod property;

use super::{Rule, Rules, find, placeholder, redact};
use crate::sample;

/// Returns a text with placeholders for its secrets.
fn redacted(text: &str) -> String {
    let line = redact(text.as_bytes(), &Rules::default(), &mut Vec::new()).into_owned();
    String::from_utf8(line).expect("redaction keeps UTF-8")
}

#[test]
fn names_are_unique_and_found_again() {
    for rule in Rule::ALL {
        assert_eq!(Rule::of_name(rule.name()), Some(rule));
        assert_eq!(redacted(&placeholder(rule)), placeholder(rule));
        assert!(!rule.description().is_empty());
    }
    assert_eq!(Rule::of_name("no-such-rule"), None);
}

#[test]
fn made_up_events_have_no_secrets() {
    let rules = Rules::default();
    let mut found = Vec::new();
    for line in sample::events(7).take(20_000) {
        find(line.as_bytes(), &rules, &mut found);
        assert!(found.is_empty(), "{found:?} in {line}");
    }
}

#[test]
fn a_line_without_secrets_is_not_copied() {
    let line = br#"{"password":"$PASSWORD","n":1}"#;
    let mut matched = Vec::new();
    let kept = redact(line, &Rules::default(), &mut matched);
    assert!(matches!(kept, std::borrow::Cow::Borrowed(_)) && matched.is_empty());
}

#[test]
fn a_rule_that_is_off_finds_nothing() {
    let line = concat!(r#"{"a":"AKIA"#, r#"QYLPMN5HFIQR7XYZ","password":"hunter2"}"#);
    let without = |off: &[Rule]| {
        let redacted = redact(line.as_bytes(), &Rules::without(off), &mut Vec::new()).into_owned();
        String::from_utf8(redacted).unwrap()
    };
    insta::assert_snapshot!(without(&[]), @r#"{"a":"[redacted:aws-key-id]","password":"[redacted:password]"}"#);
    insta::assert_snapshot!(without(&[Rule::AwsKeyId]).split_once(',').unwrap().1, @r#""password":"[redacted:password]"}"#);
    assert_eq!(without(&[Rule::AwsKeyId, Rule::Password]), line);
    assert!(Rules::default().is_on(Rule::Jwt) && !Rules::without(&[Rule::Jwt]).is_on(Rule::Jwt));
}

#[test]
fn every_secret_is_counted_by_its_rule() {
    let line = concat!("PASSWORD=hunter2 TOKEN=ghp_", "16C7e42F292c6912E7710c838347Ae178B4a");
    let mut matched = vec![Rule::Jwt];
    redact(line.as_bytes(), &Rules::default(), &mut matched);
    matched.sort();
    assert_eq!(matched, [Rule::GithubToken, Rule::Jwt, Rule::Password]);
}

#[test]
fn keys_and_numbers_stay() {
    let key =
        concat!(r#"{"ghp_"#, r#"16C7e42F292c6912E7710c838347Ae178B4a":1,"password":12345678}"#);
    assert_eq!(redacted(key), key);
}

#[test]
fn a_value_is_redacted_as_a_whole_with_its_escapes() {
    insta::assert_snapshot!(redacted(r#"{"password":"a\"b\\c\u00e9\ud83d\ude00d1"}"#), @r#"{"password":"[redacted:password]"}"#);
    insta::assert_snapshot!(redacted(r#"{"x":"{\"password\":\"a\\\"b1\"}"}"#), @r#"{"x":"{\"password\":\"[redacted:password]\"}"}"#);
    insta::assert_snapshot!(redacted(r#"{"x":"password\u003dhunter2\u0026y"}"#), @r#"{"x":"password\u003d[redacted:password]\u0026y"}"#);
    insta::assert_snapshot!(redacted(r#"{"x":"https:\/\/me:hunter2@example.com\/"}"#), @r#"{"x":"https:\/\/me:[redacted:url-password]@example.com\/"}"#);
}

#[test]
fn a_key_in_a_list_of_lines_goes_line_by_line() {
    let line = concat!(
        r#"{"lines":["+-----BEGIN RSA PRIVATE KEY-----","+M8tleZFwcR/ZmLw2SH76KG92ev06mjZYAhpYCCFE2MJUj1ZStM0QTWatG9l08Jmx","#,
        r#""+nOT565wbFqB7yuY9HjsWuhJKxdK2hmzqTRC6s5j3lVBSeyt56cF8Zv2snnT6Z5Ii","+6YZD2T0fB5SPt4NNcekG=","+-----END RSA PRIVATE KEY-----"]}"#
    );
    insta::assert_snapshot!(redacted(line), @r#"{"lines":["+-----BEGIN RSA PRIVATE KEY-----","+[redacted:private-key]","+[redacted:private-key]","+[redacted:private-key]","+-----END RSA PRIVATE KEY-----"]}"#);
    let line = r#"["-----BEGIN EC PRIVATE KEY-----","M8tleZFwcR/ZmLw2SH76KG92","nOT565wbFqB7yuY9HjsWuhJK","YT0=","-----END EC PRIVATE KEY-----"]"#;
    insta::assert_snapshot!(redacted(line), @r#"["-----BEGIN EC PRIVATE KEY-----","[redacted:private-key]","[redacted:private-key]","[redacted:private-key]","-----END EC PRIVATE KEY-----"]"#);
}

#[test]
fn what_shows_only_once_another_is_gone_is_found_too() {
    let line = concat!("xghp_", "16C7e42F292c6912E7710c838347Ae178B4a");
    assert_eq!(redacted(line), line);
    let behind = format!("PASSWORD=hunter2;{line}");
    assert_eq!(redacted(&behind), format!("PASSWORD=[redacted:password];{line}"));
}

#[test]
fn attributes_of_otlp_are_names_with_values() {
    let line = |key: &str, value: &str| {
        format!(r#"{{"resource":{{"attributes":[{{"key":"{key}","value":{value}}}]}}}}"#)
    };
    let text = |text: &str| format!(r#"{{"stringValue":"{text}"}}"#);
    let field = |text: &str| format!(r#"{{ "string_value": "{text}" }}"#);
    let in_a_list = |text: &str| {
        let member = format!(r#"{{"key":"password","value":{{"stringValue":"{text}"}}}}"#);
        format!(r#"{{"kvlistValue":{{"values":[{member}]}}}}"#)
    };
    let in_a_text = |value: &str| serde_json::json!(line("db.password", &text(value))).to_string();
    let secret = "qiBCZxB7gkzNFbvphU2bHhFx";
    for (key, rule) in [
        ("db.password", Rule::Password),
        ("client_secret", Rule::Secret),
        ("api_key", Rule::Secret),
        ("http.request.header.x-api-key", Rule::Secret),
        ("AWS_SECRET_ACCESS_KEY", Rule::Secret),
    ] {
        let gone = placeholder(rule);
        assert_eq!(redacted(&line(key, &text(secret))), line(key, &text(&gone)));
        assert_eq!(redacted(&line(key, &field(secret))), line(key, &field(&gone)));
    }
    let gone = placeholder(Rule::Password);
    assert_eq!(redacted(&line("x", &in_a_list("hunter2"))), line("x", &in_a_list(&gone)));
    assert_eq!(redacted(&line("x", &in_a_text("hunter2"))), line("x", &in_a_text(&gone)));
    for value in [r#"{"intValue":"4096"}"#, r#"{"boolValue":true}"#, &text("$PASSWORD")] {
        assert_eq!(redacted(&line("db.password", value)), line("db.password", value));
    }
    assert_eq!(redacted(&line("input_token", &text(secret))), line("input_token", &text(secret)));
}

#[test]
fn colours_and_escapes_of_addresses_hide_nothing() {
    let github = concat!("ghp_", "16C7e42F292c6912E7710c838347Ae178B4a");
    let gitlab = concat!("glpat-", "J7vKxW2mQ9sLpR4tYzBc");
    let aws = concat!("AKIA", "QYLPMN5HFIQR7XYZ");
    let texts = [
        format!("\u{1b}[32m{github}\u{1b}[0m"),
        format!("\u{1b}[01;31m\u{1b}[K{github}\u{1b}[m\u{1b}[K"),
        format!("\u{1b}[1;36m{aws}"),
        "DB_PASSWORD=\u{1b}[33mhunter3x9\u{1b}[0m".to_owned(),
        "\u{1b}[36mDB_PASSWORD\u{1b}[0m=\u{1b}[33mcorrecthorse".to_owned(),
        "\u{1b}[34;1m\"password\"\u{1b}[0m\u{1b}[1;39m:\u{1b}[0m \u{1b}[0;32m\"hunter3x9\"\u{1b}[0m".to_owned(),
        format!("https://example.com/%3Ftoken%3D{github}"),
        format!("https://example.com/?next=%252Fa%253Ftoken%253D{github}"),
        format!("https%3A%2F%2Foauth2%3A{gitlab}%40gitlab.com"),
        "x?next=https%3A%2F%2Fuser%3Ahunter3x9%40example.com%2F%40scope".to_owned(),
        "https://example.com/?a=https%3A%2F%2Fexample.com%2F%40scope".to_owned(),
    ];
    let raw: Vec<_> = texts.iter().map(|text| redacted(text).replace('\u{1b}', "^")).collect();
    insta::assert_snapshot!(raw.join("\n"), @r#"
    ^[32m[redacted:github-token]^[0m
    ^[01;31m^[K[redacted:github-token]^[m^[K
    ^[1;36m[redacted:aws-key-id]
    DB_PASSWORD=^[33m[redacted:password]^[0m
    ^[36mDB_PASSWORD^[0m=^[33m[redacted:password]
    ^[34;1m"password"^[0m^[1;39m:^[0m ^[0;32m"[redacted:password]"^[0m
    https://example.com/%3Ftoken%3D[redacted:github-token]
    https://example.com/?next=%252Fa%253Ftoken%253D[redacted:github-token]
    https%3A%2F%2Foauth2%3A[redacted:gitlab-token]%40gitlab.com
    x?next=https%3A%2F%2Fuser%3A[redacted:url-password]%40example.com%2F%40scope
    https://example.com/?a=https%3A%2F%2Fexample.com%2F%40scope
    "#);
    for text in texts {
        let quoted = |text: &str| serde_json::json!({ "message": text }).to_string();
        assert_eq!(redacted(&quoted(&text)), quoted(&redacted(&text)));
    }
}

#[test]
fn letters_that_are_escaped_hide_nothing() {
    let texts = [
        concat!(r"\u0041KIA", "QYLPMN5HFIQR7XYZ"),
        concat!(r"x gh\u0070_", "16C7e42F292c6912E7710c838347Ae178B4a", r"\u0020y"),
        concat!(r"ghp\u005F16C7e42F292c6912E7710c8383", r"47Ae178B\u0034\u0061."),
        r"p\u0061ssword=hunter\u0032x",
        r"https://user:hunter2\u0040example.com",
        // What PHP and .NET write of `u:????pas` and `u:>>>>pas` in base64.
        r"Authorization: Basic dTo\/Pz8\/cGFz",
        r"Authorization: Basic dTo\u002bPj4\u002bcGFz",
    ];
    let line = |text: &str| format!(r#"{{"n":"\u00e9\u003c","message":"{text}"}}"#);
    let found: Vec<_> = texts.iter().map(|text| redacted(&line(text))).collect();
    insta::assert_snapshot!(found.join("\n"), @r#"
    {"n":"\u00e9\u003c","message":"[redacted:aws-key-id]"}
    {"n":"\u00e9\u003c","message":"x [redacted:github-token]\u0020y"}
    {"n":"\u00e9\u003c","message":"[redacted:github-token]."}
    {"n":"\u00e9\u003c","message":"p\u0061ssword=[redacted:password]"}
    {"n":"\u00e9\u003c","message":"https://user:[redacted:url-password]\u0040example.com"}
    {"n":"\u00e9\u003c","message":"Authorization: Basic [redacted:authorization]"}
    {"n":"\u00e9\u003c","message":"Authorization: Basic [redacted:authorization]"}
    "#);
    for text in texts {
        let quoted = |line: &str| serde_json::json!([line]).to_string();
        assert_eq!(redacted(&quoted(&line(text))), quoted(&redacted(&line(text))));
    }
    for text in [r"\u0041\u0042", r"\\u0041", r"gh\u0070_short", r"\u00", r"[\\u0041-\\u005A]"] {
        assert_eq!(redacted(&line(text)), line(text));
        assert_eq!(redacted(text), text);
    }
}

#[test]
fn nothing_ends_the_search_of_a_line() {
    let token = concat!("ghp_", "16C7e42F292c6912E7710c838347Ae178B4a");
    for part in HOSTILE_PARTS {
        let line = format!("{}\nGH_TOKEN={token} ", part.repeat((1 << 20) / part.len()));
        let begin = std::time::Instant::now();
        let redacted = redacted(&line);
        assert!(begin.elapsed().as_secs() < 20, "{part} takes {:?}", begin.elapsed());
        assert!(!redacted.contains(token), "{part} hides a token");
    }
    let lines: Vec<_> = (0..1_000).map(|n| format!("A{n}_PASSWORD=changeme\\n")).collect();
    let line = format!(r#"{{"result":"{}GH_TOKEN={token}"}}"#, lines.concat());
    assert_eq!(redacted(&line), line.replace(token, "[redacted:github-token]"));
}

/// What makes a search read much for little.
const HOSTILE_PARTS: &[&str] = &[
    "token=",
    "token=a1://",
    "password=",
    "password=a1b2",
    "password='",
    "passphrase='a passphrase=\"b ",
    "password=\\\"",
    ";Server=a;password=a1b2c3",
    " user=a password=a1b2c3",
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\\\"",
    "a@",
    "\\u0061",
    "\\u0041\\\\\\u0070_",
    "%40",
    "%3A%2F%2Fa%3Ab1%40",
    "\u{1b}[31m",
    "\\u001b[31mpassword=",
    "://a:b1@",
    "eyJhbGciOi.",
    "eyJhbGciOiJIUzI1NiJ9.",
    "curl -u ",
    "http --user=a:b1",
    "ghs_a1b2",
    "xoxb-",
    "sk-a1.",
];

#[test]
fn every_password_of_a_long_text_is_found() {
    let lines = |value: fn(usize) -> String| {
        (0..1_000).map(|n| format!("user{n} password={}\\n", value(n))).collect::<String>()
    };
    let line = |lines| format!(r#"{{"result":"{lines}"}}"#);
    let expected = line(lines(|_| "[redacted:password]".to_owned()));
    assert_eq!(redacted(&line(lines(|n| format!("c0rrect{n}horse")))), expected);
}

#[test]
fn a_value_of_many_names_is_read_in_little_time() {
    let line = format!("{} ", "token=".repeat(1300)).repeat((1 << 20) / 7801);
    let (rules, mut found) = (Rules::default(), Vec::new());
    let mut least = |line: &str| {
        let times = (0..5).map(|_| {
            let begin = std::time::Instant::now();
            find(line.as_bytes(), &rules, &mut found);
            begin.elapsed()
        });
        times.min().expect("some")
    };
    let (hostile, plain) = (least(&line), least(&line.replace("token=", "token ")));
    assert!(hostile < 12 * plain, "{hostile:?}, beside {plain:?} without values");
}
