//! What a redaction finds, what it puts in its place, and how often it did.

mod stored;
mod taken_out;

use proptest::prelude::*;

use super::{ALL_SOURCES, OwnRule, Redaction, Settings};

fn own(name: &str, contains: &str, pattern: &str) -> OwnRule {
    let [name, contains, pattern] = [name, contains, pattern].map(str::to_owned);
    OwnRule { name, contains, pattern }
}

fn with_own(pattern: &str) -> Redaction {
    let own = vec![own("acme-token", "acme", pattern)];
    Redaction::new(Settings { own, ..Settings::default() })
}

fn redacted(redaction: &Redaction, line: &str) -> String {
    String::from_utf8(redaction.redact("hook", line.as_bytes()).into_owned()).unwrap()
}

#[test]
fn every_secret_is_counted_by_its_rule() {
    let redaction = with_own("acme_[a-z0-9]+");
    let line = r#"{"a":"acme_1 acme_2","password":"hunter2"}"#;
    insta::assert_snapshot!(redacted(&redaction, line), @r#"{"a":"[redacted:acme-token] [redacted:acme-token]","password":"[redacted:password]"}"#);
    redacted(&redaction, r#"{"password":"hunter3"}"#);
    assert_eq!(redaction.counts(), [("acme-token".to_owned(), 2), ("password".to_owned(), 2)]);
}

#[test]
fn a_source_that_is_off_keeps_what_it_sends() {
    let line = br#"{"password":"hunter2"}"#;
    let off = |sources: &[&str]| {
        let sources_off = sources.iter().map(|source| (*source).to_owned()).collect();
        Redaction::new(Settings { sources_off, ..Settings::default() })
    };
    assert_eq!(&*off(&["demo"]).redact("demo", line), line);
    assert_ne!(&*off(&["demo"]).redact("hook", line), line);
    assert_eq!(&*off(&[ALL_SOURCES]).redact("hook", line), line);
}

#[test]
fn a_group_says_which_part_is_the_secret() {
    let redaction = with_own(r"acme=(\w+)");
    insta::assert_snapshot!(redacted(&redaction, r#"{"a":"acme=q1 b"}"#), @r#"{"a":"acme=[redacted:acme-token] b"}"#);
}

#[test]
fn an_own_rule_leaves_keys_placeholders_and_the_structure_alone() {
    let redaction = with_own(r#"acme.*"#);
    insta::assert_snapshot!(redacted(&redaction, r#"{"acme":1,"b":"x acme\"y\"","c":2}"#), @r#"{"acme":1,"b":"x [redacted:acme-token]","c":2}"#);
    let redaction = with_own("redacted|acme");
    insta::assert_snapshot!(redacted(&redaction, r#"{"a":"[redacted:acme-token] acme"}"#), @r#"{"a":"[redacted:acme-token] [redacted:acme-token]"}"#);
}

#[test]
fn a_pattern_that_is_none_lets_nothing_through() {
    let redaction = with_own("acme(");
    insta::assert_snapshot!(redacted(&redaction, r#"{"a":"is acme_secret here"}"#), @r#"{"a":"is [redacted:acme-token] here"}"#);
}

#[test]
fn a_wrong_rule_is_told() {
    let wrong = |rule: OwnRule| rule.check().map_err(|error| error.to_string());
    assert_eq!(wrong(own("acme-token", "acme_", "acme_[a-z]+")), Ok(()));
    let wrong = |rule| wrong(rule).unwrap_err();
    insta::assert_snapshot!(wrong(own("Acme", "acme_", "a")), @"`Acme` is not a name for a rule: at most 40 lower-case letters, digits and `-`");
    insta::assert_snapshot!(wrong(own("jwt", "acme_", "a")), @"a built-in rule is called `jwt`");
    insta::assert_snapshot!(wrong(own("acme", "ac", "a")), @"`contains` of the rule `acme` has to be at least 3 bytes long");
    insta::assert_snapshot!(wrong(own("acme", "acme", "a(")), @"the pattern of the rule `acme` is wrong");
    insta::assert_snapshot!(wrong(own("acme", "acme", "a*")), @"the pattern of the rule `acme` matches the empty text");
}

#[test]
fn a_mask_is_as_long_as_the_secret() {
    let redaction = Redaction::default();
    let mut rules = Vec::new();
    let mut masked = |line: &str| {
        let masked = redaction.mask(line.as_bytes(), &mut rules).expect("a secret");
        assert_eq!(masked.len(), line.len());
        String::from_utf8(masked).unwrap()
    };
    insta::assert_snapshot!(masked(r#"{"password":"hunter2"}"#), @r#"{"password":"*******"}"#);
    insta::assert_snapshot!(masked(r#"{"password":"a longer one? n0"}"#.replace(' ', "_").as_str()), @r#"{"password":"[redacted]******"}"#);
    insta::assert_snapshot!(masked(r#"{"password":"longer-than-any-placeholder-1"}"#), @r#"{"password":"[redacted:password]**********"}"#);
    assert_eq!(rules, ["password"; 3]);
    assert_eq!(redaction.mask(br#"{"password":"*******"}"#, &mut rules), None);
}

proptest! {
    #[test]
    fn any_mask_is_as_long_and_the_last(text in r#"(PASSWORD|token|"key"|ghp_|sk-ant-|AKIA|[:="' ]|://u:|@h|[a-zA-Z0-9]{4,30}|\\n){0,12}"#) {
        let redaction = Redaction::default();
        let mut rules = Vec::new();
        if let Some(masked) = redaction.mask(text.as_bytes(), &mut rules) {
            prop_assert_eq!(masked.len(), text.len());
            prop_assert!(!rules.is_empty());
            prop_assert_eq!(redaction.find(&masked), Vec::new());
        }
    }
}
