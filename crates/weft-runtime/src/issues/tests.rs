//! What issues promise: snapshots, changes, claims, what is ready, and what others keep.

mod board;
mod change;
mod lease;
mod source;

use super::*;

fn at(clock_ms: i64) -> Moment {
    Moment { clock_ms, newest_ms: None, boot: None }
}

fn issue(id: &str) -> Issue {
    let (title, body) = (format!("Do {id}"), String::new());
    let (tags, deps, priority) = (Vec::new(), Vec::new(), Priority::DEFAULT);
    draft(Draft { id: id.to_owned(), title, body, priority, tags, deps }, &at(1000))
}

#[test]
fn a_snapshot_says_all_of_an_issue_and_keeps_what_is_not_ours() {
    let body = r#"{"type":"issue","id":"auth-123","rev":3,"title":"Log in","body":"With \"quotes\"\nand lines","status":"in_progress","priority":1,"tags":["ui","auth"],"deps":[{"type":"blocks","id":"auth-124"}],"created_at":1,"updated_at":2,"claim":{"owner":"ada","instance":"s1","until_ms":9,"boot":{"id":"b","until_ms":7}},"estimate":{"days":2}}"#;
    let read = read_snapshot(body).expect("it is one");
    assert_eq!((read.rev, read.priority.get(), read.deps.len()), (3, 1, 1));
    assert_eq!(
        read.claim.as_ref().and_then(|claim| claim.until_boot.as_ref()).map(|it| it.ms),
        Some(7)
    );
    let written = read.json();
    assert_eq!(read_snapshot(written.as_str()), Some(read));
    assert!(
        written.as_str().contains(r#""estimate":{"days":2}"#)
            && !written.as_str().contains(r#""type":"issue""#)
    );
    let message = message(&issue("a-1"), &Context { id: "m1", sender: None, git: None });
    insta::assert_snapshot!(message, @r#"{"type":"message","id":"m1","topic_id":"issue:a-1","parent_id":null,"body":"{\"id\":\"a-1\",\"rev\":1,\"title\":\"Do a-1\",\"body\":\"\",\"status\":\"open\",\"priority\":2,\"tags\":[],\"deps\":[],\"created_at\":1000,\"updated_at\":1000,\"claim\":null}","created_at":1000,"sender":null,"git":null}"#);
}

#[test]
fn what_is_no_snapshot_is_talk() {
    let bodies = [
        "I looked at it",
        "{not json",
        "{}",
        r#"{"id":"a","title":"b","status":"open","created_at":1}"#,
        r#"{"id":"a","rev":0,"title":"b","status":"open","created_at":1}"#,
        r#"{"id":"a","rev":1,"title":"b","status":"flying","created_at":1}"#,
        r#"{"id":"a","rev":1,"title":"b","status":"open","priority":9,"created_at":1}"#,
        r#"{"id":"a","rev":1,"title":"b","status":"open","deps":[{"type":"eats","id":"x"}],"created_at":1}"#,
    ];
    for body in bodies {
        assert_eq!(read_snapshot(body), None, "{body}");
    }
}

#[test]
fn ids_are_short_and_stay_words() {
    assert_eq!(make_id("weft", 0), "weft-000000");
    assert_eq!(make_id("weft", u64::MAX), "weft-zzzzzz");
    assert_eq!(prefix_of("My Project (2)"), "my-project-2");
    assert_eq!(prefix_of("a very long name of a project"), "a-very-long-name");
    assert_eq!(prefix_of("日本"), "issue");
    assert!(is_id("bd-a3f8.1") && is_id("auth-123") && is_id("A_b"));
    assert!(
        !is_id("")
            && !is_id("-x")
            && !is_id("a b")
            && !is_id("a/b")
            && !is_id("..")
            && !is_id(&"x".repeat(65))
    );
}

#[test]
fn a_filter_asks_for_what_an_issue_has() {
    let mut one = issue("ui-1");
    one.tags = vec!["ui".to_owned()];
    one.body = "It crashes at night".to_owned();
    let is = |text: &str| IssueFilter::parse(text).expect(text).matches(&one);
    for text in [
        "",
        "priority:2",
        "priority<=2 tag:ui",
        "priority>1",
        "-priority:1",
        "Crashes",
        "id:ui status=open",
    ] {
        assert!(is(text), "{text}");
    }
    for text in
        ["priority:1", "priority<2", "-tag:ui", "day", "owner:ada", "status:closed", "id:u2"]
    {
        assert!(!is(text), "{text}");
    }
    let error = |text: &str| IssueFilter::parse(text).expect_err(text).to_string();
    insta::assert_snapshot!(error("prio:1"), @"issues have no prio: ask for id, status, priority, tag, owner, or a word of title or body");
    insta::assert_snapshot!(error("priority:9"), @"9 is no priority: 1, the highest, to 5");
    insta::assert_snapshot!(error("status:done"), @"done is no status: open, in_progress, paused, duplicate or closed");
}
