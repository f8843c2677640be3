//! What is ready among others, and what waits for what.

use proptest::prelude::*;

use super::{at, issue};
use crate::issues::{Board, Claim, Dep, DepKind, Issue, Priority, Status};

/// Makes issues of lines such as `a open blocks:b parent:c`.
fn issues(text: &str) -> Vec<Issue> {
    let read = |line: &str| {
        let mut words = line.split_whitespace();
        let mut one = issue(words.next().expect("an id"));
        one.status = words.next().and_then(Status::parse).expect("a status");
        one.deps = words.map(|word| Dep::parse(word).expect("a dependency")).collect();
        one
    };
    text.lines().filter(|line| !line.trim().is_empty()).map(read).collect()
}

/// Returns how each stands, one a line.
fn standings(text: &str) -> String {
    let board = Board::of(issues(text));
    let standings = board.standings(&at(2000));
    let line = |(id, standing): (&&str, &crate::issues::Standing)| {
        let cycle = if standing.cycle.is_empty() {
            String::new()
        } else {
            format!(" cycle {}", standing.cycle.join(">"))
        };
        let ready = if standing.is_ready { " ready" } else { "" };
        format!("{id}:{ready} waits [{}]{cycle}\n", standing.blocked_by.join(" "))
    };
    standings.iter().map(line).collect()
}

#[test]
fn an_issue_waits_for_what_blocks_it_through_whatever_is_between() {
    insta::assert_snapshot!(standings("
        a open blocks:b
        b closed blocks:c
        c open blocks:d
        d open
        e paused blocks:f
        f open relates:a
        g duplicate blocks:h
        h open
    "), @"
    a: ready waits []
    b: waits [a]
    c: waits [a]
    d: waits [a c]
    e: waits []
    f: waits [e]
    g: waits []
    h: ready waits []
    ");
}

#[test]
fn what_blocks_a_parent_from_outside_blocks_its_parts() {
    insta::assert_snapshot!(standings("
        outside open blocks:epic
        epic open parent:one parent:two
        one open blocks:epic
        two open parent:deep
        deep open
    "), @"
    deep: waits [outside]
    epic: waits [one outside]
    one: waits [outside]
    outside: ready waits []
    two: waits [outside]
    ");
}

#[test]
fn issues_that_wait_for_each_other_are_all_blocked_and_say_so() {
    insta::assert_snapshot!(standings("
        a open blocks:b
        b open blocks:c
        c open blocks:a
        d open
        p open parent:q
        q open parent:p
        x open parent:y
        y open blocks:z
        z open blocks:x
        self open blocks:self
    "), @"
    a: waits [b c] cycle a>c>b>a
    b: waits [a c] cycle b>a>c>b
    c: waits [a b] cycle c>b>a>c
    d: ready waits []
    p: waits [] cycle p>q>p
    q: waits [] cycle q>p>q
    self: waits [] cycle self>self
    x: waits [y z]
    y: waits [z] cycle y>x>z>y
    z: waits [y] cycle z>y>x>z
    ");
}

#[test]
fn a_dependency_that_would_close_a_ring_is_told() {
    let board =
        Board::of(issues("a open blocks:b\n b open blocks:c\n c open\n p open parent:q\n q open"));
    let dep = |kind, id: &str| Dep { kind, id: id.to_owned() };
    let ring = |id: &str, kind, other: &str| board.cycle_with(id, &dep(kind, other));
    let ring = |id: &str, kind, other: &str| ring(id, kind, other).map(|ids| ids.join(">"));
    assert_eq!(ring("c", DepKind::Blocks, "a").as_deref(), Some("c>b>a>c"));
    assert_eq!(ring("a", DepKind::Blocks, "a").as_deref(), Some("a>a"));
    assert_eq!(ring("q", DepKind::Parent, "p").as_deref(), Some("q>p>q"));
    assert_eq!(ring("q", DepKind::Blocks, "p"), None, "a parent may wait for its part");
    assert_eq!(ring("c", DepKind::Relates, "a"), None);
    assert_eq!(ring("a", DepKind::Blocks, "c"), None);
}

#[test]
fn what_is_ready_comes_by_priority_and_age_and_is_free() {
    let mut all = issues(
        "low open\n old open\n new open\n held in_progress\n dead in_progress\n hand in_progress",
    );
    let claim = |until_ms| {
        Some(Claim {
            owner: "ada".to_owned(),
            instance: "s".to_owned(),
            until_ms,
            until_boot: None,
        })
    };
    all[0].priority = Priority::new(5).expect("it is one");
    all[1].created_at_ms = 1;
    (all[3].claim, all[4].claim) = (claim(3000), claim(1999));
    all[4].priority = Priority::new(1).expect("it is one");
    let board = Board::of(all);
    let ready: Vec<&str> =
        board.ready(&at(2000)).iter().map(|entry| entry.issue.id.as_str()).collect();
    assert_eq!(ready, ["dead", "old", "new", "low"]);
    assert!(board.standings(&at(2000))["dead"].is_expired);
}

#[test]
fn an_id_may_be_begun() {
    let board = Board::of(issues("weft-abc1 open\n weft-abd2 open\n weft open\n other-9 open"));
    let meant = |given: &str| {
        board.resolve(given).map(|entry| entry.issue.id.as_str()).map_err(|error| error.to_string())
    };
    assert_eq!(meant("weft"), Ok("weft"));
    assert_eq!(
        (meant("weft-abc"), meant("abd"), meant("o")),
        (Ok("weft-abc1"), Ok("weft-abd2"), Ok("other-9"))
    );
    assert_eq!(meant("ab"), Err("ab can be weft-abc1, weft-abd2: give more of the id".to_owned()));
    assert!(meant("zz").is_err() && meant("").is_err());
}

/// Returns who waits for whom by the rule as it is said, without any search.
fn naive(board: &Board) -> Vec<(String, Vec<String>)> {
    let ids: Vec<&str> = board.entries().map(|entry| entry.issue.id.as_str()).collect();
    let has = |from: &str, kind, to: &str| {
        let issue = &board.get(from).expect("it is there").issue;
        issue.deps.contains(&Dep { kind, id: to.to_owned() })
    };
    let n = ids.len();
    let at = |x: usize, y: usize| x * n + y;
    let mut part = vec![false; n * n];
    for _ in 0..n {
        for (x, y) in (0..n * n).map(|k| (k / n, k % n)) {
            part[at(x, y)] |= has(ids[x], DepKind::Parent, ids[y])
                || (0..n).any(|z| part[at(x, z)] && has(ids[z], DepKind::Parent, ids[y]));
        }
    }
    // Who waits for whom at all: directly, through others, or as a part.
    let mut waits = vec![false; n * n];
    for _ in 0..=2 * n {
        for (x, y) in (0..n * n).map(|k| (k / n, k % n)) {
            let direct = has(ids[y], DepKind::Blocks, ids[x]);
            let through = (0..n).any(|z| waits[at(x, z)] && waits[at(z, y)]);
            let above = (0..n)
                .any(|p| part[at(p, x)] && has(ids[y], DepKind::Blocks, ids[p]) && !part[at(p, y)]);
            waits[at(x, y)] |= direct || through || above;
        }
    }
    let active = |id: &str| board.get(id).expect("it is there").issue.status.is_active();
    let row = |x: usize| {
        let others = (0..n).filter(|y| *y != x && waits[at(x, *y)] && active(ids[*y]));
        (ids[x].to_owned(), others.map(|y| ids[y].to_owned()).collect())
    };
    (0..n).map(row).collect()
}

proptest! {
    #[test]
    fn the_search_finds_what_the_rule_says(
        edges in prop::collection::vec((0..6_usize, 0..6_usize, 0..2_usize), 0..12),
        closed in prop::collection::vec(any::<bool>(), 6),
    ) {
        let mut all: Vec<Issue> = (0..6).map(|n| issue(&format!("i{n}"))).collect();
        for (n, closed) in closed.into_iter().enumerate() {
            all[n].status = if closed { Status::Closed } else { Status::Open };
        }
        for (from, to, kind) in edges {
            let kind = [DepKind::Blocks, DepKind::Parent][kind];
            let dep = Dep { kind, id: format!("i{to}") };
            if !all[from].deps.contains(&dep) {
                all[from].deps.push(dep);
            }
        }
        let board = Board::of(all);
        let found = board.standings(&at(2000));
        let found: Vec<_> = found.into_iter().map(|(id, it)| (id.to_owned(), it.blocked_by)).collect();
        prop_assert_eq!(found, naive(&board));
    }
}
