//! What counts as a word of the agent, and what is only shown.

use weft_event::idle::Mode;

use crate::loops::marker::{Marker, find};

#[test]
fn a_marker_counts_alone_on_its_line() {
    let said = "All done.\n<loop-done>COMPLETE</loop-done>\n";
    assert_eq!(find(said, Mode::Loop), Some(Marker::Complete));
    assert_eq!(find("<loop-done>COMPLETE</loop-done>  \r\n", Mode::Loop), Some(Marker::Complete));
    assert_eq!(find("<loop-done>STUCK</loop-done>", Mode::Issue), Some(Marker::Stuck));
    for shown in [
        "I will say <loop-done>COMPLETE</loop-done> when it is done",
        "  <loop-done>COMPLETE</loop-done>",
        "> <loop-done>COMPLETE</loop-done>",
        "`<loop-done>COMPLETE</loop-done>`",
        "<loop-done>complete</loop-done>",
        "<loop-done>MAX_ITERATIONS</loop-done>",
        "",
    ] {
        assert_eq!(find(shown, Mode::Loop), None, "{shown}");
    }
}

#[test]
fn what_stands_in_a_fence_is_shown() {
    for shown in [
        "```\n<loop-done>COMPLETE</loop-done>\n```",
        "~~~text\n<loop-done>COMPLETE</loop-done>\n~~~",
        "````\n```\n<loop-done>COMPLETE</loop-done>\n```\n````",
        "```\n<loop-done>COMPLETE</loop-done>\n~~~\n",
        "   ```\n<loop-done>COMPLETE</loop-done>",
        "```\n``` still\n<loop-done>COMPLETE</loop-done>\n",
    ] {
        assert_eq!(find(shown, Mode::Loop), None, "{shown}");
    }
    let after = "```\nshown\n```\n<loop-done>COMPLETE</loop-done>";
    assert_eq!(find(after, Mode::Loop), Some(Marker::Complete));
}

#[test]
fn each_mode_has_words_of_its_own_and_the_last_one_counts() {
    let issue = "<issue-complete>DONE</issue-complete>";
    let grind = "<grind-done>NO_MORE_ISSUES</grind-done>";
    assert_eq!(find(issue, Mode::Issue), Some(Marker::Complete));
    assert_eq!(find(issue, Mode::Loop), None);
    assert_eq!(find(grind, Mode::Grind), Some(Marker::NoMoreIssues));
    assert_eq!(find("<grind-done>MAX_ISSUES</grind-done>", Mode::Grind), None);
    let both = "<loop-done>STUCK</loop-done>\nNo, wait.\n<loop-done>COMPLETE</loop-done>";
    assert_eq!(find(both, Mode::Loop), Some(Marker::Complete));
}
