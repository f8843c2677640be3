//! The story of one loop, through the real commands: it begins, goes on, is compacted, survives a server that is killed, is found
//! again, is not believed when it says that it is done, and then is.

use serde_json::{Value, json};

use crate::loops::{Agent, DONE, SESSION, git, repository, root, start, topic, work};
use crate::sandbox::Sandbox;
use crate::served::Served;

/// Returns what is in flight, as `weft resume` lists it.
fn in_flight(sandbox: &Sandbox) -> Vec<Value> {
    let ran = sandbox.run(&["resume", "--json"]);
    assert!(ran.code < 2, "{}", ran.show());
    ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Works and stops, so that the next iteration is this one.
fn iterate(sandbox: &Sandbox, agent: &mut Agent<'_>, n: usize) -> String {
    work(sandbox, n);
    let told = agent.stops("More to do.").expect("it is to go on");
    assert!(told.starts_with(&format!("Iteration {n} of 20.")), "{told}");
    told
}

#[test]
fn a_loop_from_its_start_to_its_evidence() {
    let sandbox = repository();
    let prompt = "Write done.txt\nwith the word done in it";
    start(&sandbox, &["--max", "20", "--until", "grep -q done done.txt", prompt]);
    let mut agent = Agent::new(&sandbox, SESSION);

    // Six iterations alone, and a compaction between them.
    for n in 2..=5 {
        iterate(&sandbox, &mut agent, n);
    }
    git(&sandbox, &["commit", "--quiet", "-am", "half of it"]);
    iterate(&sandbox, &mut agent, 6);
    let ran = agent.hook("PreCompact", &json!({"trigger": "auto", "custom_instructions": ""}));
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (0, "", ""));
    let told = agent.comes_back("compact");
    let expected = [
        "loop 6/20",
        "Goal: Write done.txt\n",
        "half of it",
        "Changed and not committed: work.txt\n",
    ];
    for expected in expected {
        assert!(told.contains(expected), "{expected} is not in:\n{told}");
    }
    let ran = sandbox.run(&["anchor", "show", "--session", SESSION]);
    assert!(ran.stdout.contains("6/20") && ran.stdout.contains("half of it"), "{}", ran.show());
    iterate(&sandbox, &mut agent, 7);

    // Two with a server, which is killed; the next one decides without it, on what it left.
    let served = Served::start(&sandbox);
    for n in 8..=9 {
        iterate(&sandbox, &mut agent, n);
    }
    served.signal("-KILL");
    assert_eq!(served.wait().0, None, "it ended by the signal");
    iterate(&sandbox, &mut agent, 10);

    // The agent is gone too, and what is left of it is the log.
    std::fs::remove_dir_all(sandbox.store().join("prompts")).unwrap();
    let flights = in_flight(&sandbox);
    assert_eq!(flights.len(), 1, "{flights:?}");
    assert_eq!(flights[0]["state"], "loop 10/20");
    assert_eq!(flights[0]["command"], format!("claude --resume {SESSION}"));
    let mut agent = Agent::new(&sandbox, SESSION);
    let told = agent.comes_back("resume");
    assert!(told.contains("loop 10/20") && told.contains("Goal: Write done.txt\n"), "{told}");
    let path = told.split("Your task is in ").nth(1).unwrap().split(". When").next().unwrap();
    assert_eq!(std::fs::read_to_string(path).unwrap(), prompt);
    let told = iterate(&sandbox, &mut agent, 11);
    assert!(told.contains(path), "{told}");

    // It says that it is done, and it is not; then it is.
    let told = agent.stops(DONE).expect("there is no evidence");
    let missing = "Iteration 12 of 20. You said that it is done, and it is not:\n- `grep -q done done.txt` ended with code 2";
    assert!(told.starts_with(missing), "{told}");
    std::fs::write(root(&sandbox).join("done.txt"), "done\n").unwrap();
    assert_eq!(agent.stops(DONE), None);
    assert_eq!(agent.stops("Anything else?"), None, "the loop is over");
    assert!(in_flight(&sandbox).is_empty());
    assert_eq!(agent.comes_back("resume"), "");

    let current = topic(&sandbox, "loop:current");
    let states: Vec<String> = (1..=12).map(|n| format!("STATE {n}")).collect();
    assert_eq!(current[..12], states[..]);
    assert_eq!(current[12..], ["DONE COMPLETE"]);
    let trace = topic(&sandbox, "loop:trace");
    let mut expected = vec!["LOOP_START"];
    expected.extend(["ITERATION iteration"; 10]);
    expected.extend(["ITERATION no_evidence", "COMPLETION complete"]);
    assert_eq!(trace, expected);
    assert_eq!(topic(&sandbox, "loop:anchor"), ["ANCHOR"]);
    let ran = sandbox.run(&["verify"]);
    assert_eq!(ran.code, 0, "{}", ran.show());
}
