//! Rules against real commands.

use insta::assert_snapshot;

use super::*;

fn told(rules: &[Rule]) -> String {
    let judged = judge(rules, Path::new("/"));
    let mut text = format!("{}\n", judged.status.as_str());
    for check in &judged.checks {
        text += &format!("{} {}: {}\n", check.id, check.status.as_str(), check.reason);
    }
    text
}

fn rule(line: &str, success: Option<&str>, fail: Option<&str>) -> Rule {
    Rule {
        success_match: success.map(str::to_owned),
        fail_match: fail.map(str::to_owned),
        ..Rule::shell("it".to_owned(), line)
    }
}

#[test]
fn the_exit_code_decides_before_the_output_does() {
    assert_snapshot!(told(&[rule("echo PASS; exit 4", Some("PASS"), None)]), @"
    fail
    it fail: `echo PASS; exit 4` ended with code 4
    ");
    assert_snapshot!(told(&[rule("echo PASS FAIL", Some("PASS"), Some("FAIL"))]), @"
    fail
    it fail: `echo PASS FAIL` printed `FAIL`
    ");
    assert_snapshot!(told(&[rule("echo well", Some("PASS"), Some("FAIL"))]), @"
    fail
    it fail: `echo well` did not print `PASS`
    ");
    assert_snapshot!(told(&[rule("echo PASS", Some("PASS"), Some("FAIL"))]), @"
    pass
    it pass: `echo PASS` went well
    ");
}

#[test]
fn one_failure_fails_and_no_rule_says_nothing() {
    assert_eq!(judge(&[], Path::new("/")).status, JudgeStatus::Skip);
    let both = judge(&[rule("true", None, None), rule("false", None, None)], Path::new("/"));
    assert_eq!(both.status, JudgeStatus::Fail);
}

#[test]
fn what_hangs_or_cannot_be_run_fails() {
    let slow = Rule { timeout_s: Some(0), ..rule("sleep 1000", None, None) };
    assert_snapshot!(told(&[slow]), @"
    fail
    it fail: `sleep 1000` took longer than 0 s
    ");
    let command = vec!["/nowhere/at-all".to_owned()];
    let missing = Rule { command, ..rule("", None, None) };
    assert!(told(&[missing]).starts_with("fail\nit fail: `/nowhere/at-all` cannot be run: "));
}

#[test]
fn evidence_keeps_the_end_of_what_was_printed() {
    let judged = judge(&[rule("seq 1 5000; echo the end; false", None, None)], Path::new("/"));
    let output = &judged.checks[0].output;
    assert_eq!(output.chars().count(), 2000);
    assert!(output.ends_with("5000\nthe end\n"));
    assert_eq!(
        judged.digest(),
        judge(&[rule("seq 1 5000; echo the end; false", None, None)], Path::new("/")).digest()
    );
}
