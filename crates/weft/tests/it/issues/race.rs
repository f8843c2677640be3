//! Many processes after few issues: each goes to one of them, and nobody goes without while there is one.

use std::collections::BTreeSet;
use std::process::Stdio;

use super::{json, make, run};
use crate::sandbox::Sandbox;
use crate::served::Served;

const N_ISSUES: usize = 50;
const N_PROCESSES: usize = 200;

/// Starts all of them before it waits for the first, and returns the ids that they got.
fn race(sandbox: &Sandbox, args: impl Fn(usize) -> Vec<String>) -> Vec<String> {
    let start = |n: usize| {
        let args = args(n);
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let mut command = sandbox.command(&args);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let children: Vec<_> = (0..N_PROCESSES).map(start).collect();
    let mut got = Vec::new();
    for child in children {
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        match output.status.code() {
            Some(0) => got.push(String::from_utf8(output.stdout).unwrap().trim().to_owned()),
            Some(1) => assert!(
                said.contains("nothing is ready") || said.contains("is claimed by"),
                "{said}"
            ),
            code => panic!("{code:?}: {said}"),
        }
    }
    got
}

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with_store(&[]);
    for n in 0..N_ISSUES {
        make(&sandbox, &format!("i-{n:02}"), &[]);
    }
    sandbox
}

fn assert_each_once(sandbox: &Sandbox, mut got: Vec<String>) {
    got.sort();
    let each: Vec<String> = (0..N_ISSUES).map(|n| format!("i-{n:02}")).collect();
    assert_eq!(got, each);
    let listed = run(sandbox, &["issue", "list", "--json"]).stdout;
    let owners: BTreeSet<String> = listed
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .map(|issue| issue["claim"]["instance"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(owners.len(), N_ISSUES, "two issues have one owner");
    let shown = json(&run(sandbox, &["issue", "show", "i-00", "--json"]));
    assert_eq!(
        (shown["history"].as_array().unwrap().len(), &shown["issue"]["rev"]),
        (2, &2.into())
    );
}

fn words(text: &str) -> Vec<String> {
    text.split(' ').map(str::to_owned).collect()
}

#[test]
fn two_hundred_processes_get_fifty_issues_once_each() {
    let sandbox = sandbox();
    let got = race(&sandbox, |n| words(&format!("issue claim i-{:02} --as w{n}", n % N_ISSUES)));
    assert_each_once(&sandbox, got);
}

#[test]
fn two_hundred_processes_get_the_next_of_fifty_through_a_server() {
    let sandbox = sandbox();
    let served = Served::start(&sandbox);
    let got = race(&sandbox, |n| words(&format!("issue claim --next --as w{n}")));
    assert_each_once(&sandbox, got);
    assert_eq!(served.end(), (Some(0), String::new()));
}
