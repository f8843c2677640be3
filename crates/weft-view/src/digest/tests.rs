//! The digest of the demonstration, of one session, of nothing, and of texts that try to break it.

use insta::assert_snapshot;
use serde_json::json;

use super::escape::{code, plain};
use super::{Deeds, Digest, Question, Told, digest};
use crate::scene::{agent, at, worker};
use crate::testing::{Placed, apply_to, assert_law, demo, place};
use crate::{Judgement, Views};

fn told(lines: &[Placed]) -> Told {
    let mut told = Told::default();
    lines.iter().for_each(|placed| apply_to(placed, |entry| told.apply(entry)));
    told
}

fn digest_of(told: &Told, end: &Views, session: Option<&str>) -> Digest {
    let judgement = Judgement::default();
    let (since_ns, until_ns) = (None, None);
    digest(&Question { told, end, since_ns, until_ns, session, judgement: &judgement })
}

fn markdown(lines: &[Placed]) -> String {
    let told = told(lines);
    digest_of(&told, &told.views, None).to_markdown()
}

/// How many lines the first of two snapshots of a long digest has.
const FIRST_LINES: usize = 55;

#[test]
fn a_night_of_the_demonstration_begins_with_who_needs_a_person() {
    let text = markdown(&demo(7, 500));
    let first: Vec<&str> = text.lines().take(FIRST_LINES).collect();
    assert_snapshot!(first.join("\n"), @r"
    # Digest of 2026-11-15 05:49 to 2026-11-15 08:01 UTC

    - 33 agents in 21 sessions, 500 events
    - $2.57 (of it $0.19 estimated), 773 k tokens; estimates by prices of 2026-10-10
    - 6 pieces of work done, 1 failed, 21 left
    - **2 things need a person**

    ## Needs a person

    - `@backend-engineer` failed: The tracker's tool server did not answer, since 2026-11-15 08:01: `weft show 481`
    - `gateway-1` failed: no answer within 15 s, since 2026-11-15 08:01: `weft show 482`

    ## Agents

    ### `@backend-engineer`

    - Started by: `@architect`
    - Needs a person: failed (The tracker's tool server did not answer)
    - Did: 2 calls (`Bash` 2)
    - Cost: `claude-sonnet-4-5` $0.10, 54 k tokens
    - Errors: 3 × `system.error`: The tracker's tool server did not answer
    - Left: `har-526`: being worked on since 2026-11-15 08:00; `har-525`: claimed since 2026-11-15 08:00

    ### `gateway-1`

    - Needs a person: failed (no answer within 15 s)
    - Errors: 2 × `pairing.failed`: no answer within \<n\> s

    ### `dock-bravo`

    - Finished: `bd-72b0e028` Search ignores accents; `bd-15ac2e31` Search ignores accents
    - Cost: $0.40, 103 k tokens
    - Left: `bd-88ce47cc` Parcels scanned twice are billed twice: being worked on since 2026-11-15 08:01

    ### `dock-ember`

    - Did: 2 calls (`post-complete` 1, `pre-dispatch` 1)
    - Finished: `bd-183d4eb6` Depot map is slow on phones
    - Failed: `bd-51014b8d` Old scans fill the disk
    - Cost: $0.20, 49 k tokens
    - Errors: 1 × `error.agent_crash`: the agent was killed by signal \<n\>: out of memory; 1 × `error.release_failed`: the bead store did not answer

    ### `dock-cedar`

    - Finished: `bd-b00479d5` Rate limit for the public API
    - Cost: $0.29, 75 k tokens
    - Left: `bd-222df516` Label printing fails for long street names: being worked on since 2026-11-15 08:00

    ### `dock-alpha`

    - Finished: `bd-15b063e9` Search ignores accents
    - Cost: $0.27, 70 k tokens
    - Errors: 1 × `bead.failed`: timeout: no answer from the test database after \<n\> s

    ### `01a1de38-6bb8-7081-acda-b3b52ab2c51a`
    ");
}

#[test]
fn a_night_of_the_demonstration_ends_with_what_is_left() {
    let text = markdown(&demo(7, 500));
    let start = text.lines().count().saturating_sub(FIRST_LINES);
    let last: Vec<&str> = text.lines().skip(start).collect();
    assert_snapshot!(last.join("\n"), @r"
    - Left: `har-540` The nightly import of depots reads the file once per row. Find out why and make it read the file once.: being worked on since 2026-11-15 08:01

    ### `01a1de39-0926-72a6-a7b6-f4cb9ab32d94`

    - Asked: “Add a limit per key: 60 requests a minute, answer 429 with Retry-After. Configurable, documented, tested at the edge.”
    - Did: 1 turn; 0 of 4 steps of its plan; 3 calls (`fs.read` 1, `fs.search` 1, `git.status` 1)
    - Cost: `claude-sonnet-4-5` $0.06, 18 k tokens
    - Left: `har-539` Add a limit per key: 60 requests a minute, answer 429 with Retry-After. Configurable, documented, tested at the edge.: being worked on since 2026-11-15 08:00

    ### `session-f50fa3d0`

    - Asked: “A restart logs everybody out. Keep sessions in the database; the old cookies must still work for a week.”
    - Did: 2 turns; 8 calls (`Bash` 2 (1 failed), `Edit` 2, `Grep` 2, `Agent` 1, `Write` 1); 2 files changed (`/home/ana/harbor/src/auth/session.rs`, `/home/ana/harbor/tests/auth_session.rs`)
    - Cost: `claude-sonnet-4-5` $0.05, 37 k tokens
    - Errors: 1 × `Bash`: test result: FAILED. \<n\> passed; \<n\> failed
    - Left: `har-528`: being worked on since 2026-11-15 08:00

    ### `session-9f2c0f2f`

    - Asked: “The map draws 4,000 markers at once. Cluster them; keep the one that was clicked.”
    - Did: 1 turn; 1 call (`Read` 1)
    - Left: `har-527`: being worked on since 2026-11-15 08:00

    ### `grind-1794729602-39906`

    - Left: `har-532`: being worked on since 2026-11-15 08:00; `har-531`: being worked on since 2026-11-15 08:00

    ### `grind-1794729625-46110`

    - Left: `har-535`: being worked on since 2026-11-15 08:00

    Seen without anything to tell: `archive-1`, `console`, `dock-flint`, `grinder`, `loop-1794721741-44375`, and 8 more: `weft fleet`.

    ## Collisions

    - `/home/ana/harbor/src/search/fold.rs`: `dock-alpha`, `dock-bravo`, from 2026-11-15 08:00 to 2026-11-15 08:00
    - `/home/ana/harbor/tests`: `session-92d2510f`, `session-f50fa3d0`, from 2026-11-15 08:00 to 2026-11-15 08:00

    ## Broken loops

    - `loop-1794729609-44392`: stopped at 2026-11-15 08:00 in iteration 2 of 10: USER\_CANCELLED

    ## Left

    - `bd-51014b8d` Old scans fill the disk: failed since 2026-11-15 08:00, `dock-ember`
    - `har-538`: being worked on since 2026-11-15 08:01, `session-92d2510f`
    - `har-527`: being worked on since 2026-11-15 08:00, `session-9f2c0f2f`
    - `bd-88ce47cc` Parcels scanned twice are billed twice: being worked on since 2026-11-15 08:01, `dock-bravo`
    - `har-535`: being worked on since 2026-11-15 08:00, `grind-1794729625-46110`
    - `har-528`: being worked on since 2026-11-15 08:00, `session-f50fa3d0`
    - `har-540` The nightly import of depots reads the file once per row. Find out why and make it read the file once.: being worked on since 2026-11-15 08:01, `01a1de39-846c-77cc-aaa8-6b1e84f2c82f`
    - `bd-20a50e77` Rate limit for the public API: being worked on since 2026-11-15 08:01, `dock-delta`
    - `bd-222df516` Label printing fails for long street names: being worked on since 2026-11-15 08:00, `dock-cedar`
    - `har-532`: being worked on since 2026-11-15 08:00, `grind-1794729602-39906`
    - and 11 more: `weft work`
    ");
}

#[test]
fn one_session_alone() {
    let lines = [
        agent("@qa", "s-1", 1, "activity.prompt", json!({"message": "Test the login form"})),
        agent("@dev", "s-2", 2, "activity.prompt", json!({"message": "Write the login form"})),
        agent("@qa", "s-1", 3, "coordination.blocked", json!({"message": "no test account"})),
        agent("@dev", "s-2", 4, "coordination.blocked", json!({"message": "no database"})),
    ];
    let all = place(lines);
    let of_session: Vec<Placed> =
        all.iter().filter(|placed| placed.line.contains("\"s-1\"")).cloned().collect();
    let digest = digest_of(&told(&of_session), &told(&all).views, Some("s-1"));
    assert_snapshot!(digest.to_markdown(), @"
    # Digest of 2026-11-15 08:00 to 2026-11-15 08:00 UTC

    Session `s-1` alone.

    - 1 agent in 1 session, 2 events
    - $0, 0 tokens
    - 0 pieces of work done, 0 failed, 0 left
    - **1 thing needs a person**

    ## Needs a person

    - `@qa` blocked: no test account, since 2026-11-15 08:00: `weft session s-1`

    ## Agents

    ### `@qa`

    - Needs a person: blocked (no test account)
    - Asked: “Test the login form”
    - Did: 1 turn
    ");
}

#[test]
fn what_was_decided_and_finished() {
    let decided = |seconds, event_type: &str, metadata| {
        agent("@architect", "s-1", seconds, event_type, json!({"metadata": metadata}))
    };
    let bead = |id: &str, title: &str| json!({"bead_id": id, "data": {"title": title}});
    let lines = [
        decided(
            1,
            "decision.made",
            json!({"decision_id": "d-1", "chosen": "SQLite", "options_considered": ["SQLite", "a file", "PostgreSQL"], "rationale": "one file, no server"}),
        ),
        decided(
            2,
            "decision.rejected",
            json!({"decision_id": "d-1", "option": "PostgreSQL", "reason": "needs a server"}),
        ),
        worker("w-1", 1, 3, "bead.claimed", bead("bd-1", "Add the table")),
        worker("w-1", 2, 4, "bead.completed", bead("bd-1", "Add the table")),
        worker("w-1", 3, 5, "bead.claimed", bead("bd-2", "Fill it")),
        worker("w-1", 4, 6, "bead.failed", bead("bd-2", "Fill it")),
        worker("w-1", 5, 7, "bead.claimed", bead("bd-3", "Empty it")),
        worker("w-1", 6, 8, "bead.released", bead("bd-3", "Empty it")),
        worker("w-1", 7, 9, "bead.claimed", bead("bd-4", "Drop it")),
    ];
    assert_snapshot!(markdown(&place(lines)), @"
    # Digest of 2026-11-15 08:00 to 2026-11-15 08:00 UTC

    - 2 agents in 2 sessions, 9 events
    - $0, 0 tokens
    - 1 piece of work done, 1 failed, 3 left
    - Nothing needs a person

    ## Agents

    ### `w-1`

    - Finished: `bd-1` Add the table
    - Failed: `bd-2` Fill it
    - Errors: 1 × `bead.failed`
    - Left: `bd-4` Drop it: claimed since 2026-11-15 08:00

    ### `@architect`

    - Decided: **SQLite**, because one file, no server; turned down: PostgreSQL (needs a server), a file

    ## Left

    - `bd-2` Fill it: failed since 2026-11-15 08:00, `w-1`
    - `bd-4` Drop it: claimed since 2026-11-15 08:00, `w-1`
    - `bd-3` Empty it: released since 2026-11-15 08:00
    ");
}

#[test]
fn a_range_is_of_one_clock_and_says_what_came_late() {
    const HOUR_S: i64 = 3_600;
    let said = |hours: i64| agent("@a", "s-1", hours * HOUR_S, "activity.progress", json!({}));
    let told = told(&place([said(-60), said(-50)]));
    let judgement = Judgement::default();
    let head = |since_ns, until_ns| {
        let (told, end, judgement) = (&told, &told.views, &judgement);
        let question = Question { told, end, since_ns, until_ns, session: None, judgement };
        let text = digest(&question).to_markdown();
        text.lines().take(4).map(str::to_owned).collect::<Vec<_>>().join("\n")
    };
    assert_snapshot!(head(None, None), @"
    # Digest of 2026-11-12 20:00 to 2026-11-13 06:00 UTC

    - 1 agent in 1 session, 2 events
    - $0, 0 tokens
    ");
    assert_snapshot!(head(Some(at(-600)), None), @"
    # Digest of 2026-11-15 07:50 to 2026-11-15 08:00 UTC

    - 1 agent in 1 session, 2 events
    - Received in this time, but happened from 2026-11-12 20:00 to 2026-11-13 06:00 UTC
    ");
    assert_snapshot!(head(None, Some(at(HOUR_S))), @"
    # Digest of 2026-11-15 08:00 to 2026-11-15 09:00 UTC

    - 1 agent in 1 session, 2 events
    - Received in this time, but happened from 2026-11-12 20:00 to 2026-11-13 06:00 UTC
    ");
}

#[test]
fn nothing_in_a_range() {
    let digest = |since_ns, until_ns| {
        let judgement = Judgement::default();
        let (told, end) = (Told::default(), Views::default());
        let question = Question {
            told: &told,
            end: &end,
            since_ns,
            until_ns,
            session: None,
            judgement: &judgement,
        };
        digest(&question).to_markdown()
    };
    assert_snapshot!(digest(Some(at(0)), Some(at(3_600))), @"
    # Digest of 2026-11-15 08:00 to 2026-11-15 09:00 UTC

    Nothing was recorded in this time.
    ");
    assert_snapshot!(digest(Some(at(0)), None), @"
    # Digest of 2026-11-15 08:00 UTC and later

    Nothing was recorded in this time.
    ");
    assert_snapshot!(digest(None, Some(at(0))), @"
    # Digest of the time before 2026-11-15 08:00 UTC

    Nothing was recorded in this time.
    ");
    assert_snapshot!(digest(None, None), @"
    # Digest

    There are no records.
    ");
}

#[test]
fn texts_of_agents_are_no_markup() {
    let evil = "# Done\n\n- [click](javascript:alert(1)) <img src=x onerror=alert(1)> ![](http://a/b) **bold** `rm -rf`";
    let lines = [
        agent("`@evil`\n# x", "s-1", 1, "activity.prompt", json!({"message": evil})),
        agent("`@evil`\n# x", "s-1", 2, "coordination.blocked", json!({"message": evil})),
    ];
    assert_snapshot!(markdown(&place(lines)), @r"
    # Digest of 2026-11-15 08:00 to 2026-11-15 08:00 UTC

    - 1 agent in 1 session, 2 events
    - $0, 0 tokens
    - 0 pieces of work done, 0 failed, 0 left
    - **1 thing needs a person**

    ## Needs a person

    - `` `@evil` # x `` blocked: \# Done - \[click\](javascript:alert(1)) \<img src=x onerror=alert(1)\> \!\[\](http\://a/b) \*\*bold\*\* \`rm -rf\`, since 2026-11-15 08:00: `weft session s-1`

    ## Agents

    ### `` `@evil` # x ``

    - Needs a person: blocked (\# Done - \[click\](javascript:alert(1)) \<img src=x onerror=alert(1)\> \!\[\](http\://a/b) \*\*bold\*\* \`rm -rf\`)
    - Asked: “\# Done - \[click\](javascript:alert(1)) \<img src=x onerror=alert(1)\> \!\[\](http\://a/b) \*\*bold\*\* \`rm -rf\`”
    - Did: 1 turn
    ");
}

#[test]
fn a_text_stays_one_line_without_markup() {
    let cases = [
        "1. one",
        "- a",
        "+ a",
        "= a",
        "12) a",
        "a_b *c*",
        "see www.a.b",
        "\u{202e}abc\u{200b}",
        "a\r\n\tb",
        "me@a.b",
        "",
    ];
    let shown: Vec<String> = cases.iter().map(|text| plain(text, 20)).collect();
    assert_snapshot!(shown.join("\n"), @r"
    1\. one
    \- a
    \+ a
    \= a
    12\) a
    a\_b \*c\*
    see www\.a.b
    abc
    a b
    me\@a.b
    ");
    assert_eq!(plain("abcdef ghi", 7), "abcdef…");
    assert_eq!(code("a`b``c", 20), "```a`b``c```");
    assert_eq!(code("`", 20), "`` ` ``");
}

#[test]
fn deeds_do_not_mind_the_order() {
    assert_law::<Deeds>(&demo(11, 600), 40);
}

#[test]
fn the_same_records_give_the_same_text_whatever_order_they_come_in() {
    use crate::View as _;
    let lines = demo(5, 1_200);
    let straight = told(&lines);
    let mut order: Vec<usize> = (0..lines.len()).collect();
    order.sort_by_key(|&idx| (idx + idx * 7 % 40, idx));
    assert!(!order.is_sorted());
    let mut other = Told::default();
    for idx in order {
        apply_to(&lines[idx], |entry| {
            other.deeds.apply(entry);
            other.count(entry);
            other.views.fleet.apply(entry);
            other.views.sessions.apply(entry);
            other.views.traces.apply(entry);
            other.views.work.apply(entry);
            other.views.decisions.apply(entry);
            other.views.loops.apply(entry);
            other.views.runs.apply(entry);
            other.views.gateway.apply(entry);
            other.views.usage.apply(entry);
            other.views.files.apply(entry);
            other.views.errors.apply(entry);
        });
    }
    let digest = |told: &Told| digest_of(told, &told.views, None);
    assert_eq!(digest(&straight).to_markdown(), digest(&other).to_markdown());
    assert_eq!(digest(&straight).to_html(), digest(&other).to_html());
}

#[test]
fn what_agents_cost_is_what_all_cost() {
    let told = told(&demo(5, 3_000));
    let digest = digest_of(&told, &told.views, None);
    let sum: u64 = digest.actors.iter().map(|actor| actor.cost_usd.0).sum();
    assert!(sum > 0);
    assert_eq!(sum, digest.usage.cost_usd.0);
}
