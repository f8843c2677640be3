//! What changes make of an issue.

use std::time::Duration;

use super::{at, issue};
use crate::issues::{
    Claimant, Dep, DepKind, Edit, Issue, Priority, Refusal, Releaser, Status, add_dep, claim,
    close, difference, edit, release, remove_dep,
};

const LEASE: Duration = Duration::from_secs(60);

fn claimant<'a>(owner: &'a str, instance: &'a str) -> Claimant<'a> {
    Claimant { owner, instance, lease: LEASE }
}

fn claimed(by: &str, clock_ms: i64) -> Issue {
    let snapshots = claim(&issue("a"), &claimant(by, "s1"), &at(clock_ms));
    snapshots.expect("it is free").pop().expect("it is claimed")
}

#[test]
fn an_edit_changes_what_is_said_and_nothing_is_no_edit() {
    let one = issue("a");
    assert_eq!(edit(&one, &Edit::default(), &at(2000)), None);
    let same = Edit { title: Some(one.title.clone()), ..Edit::default() };
    assert_eq!(edit(&one, &same, &at(2000)), None);
    let wanted = Edit {
        title: Some("New".to_owned()),
        priority: Priority::new(4),
        tags_added: vec!["x".to_owned(), "x".to_owned(), "y".to_owned()],
        tags_removed: vec!["y".to_owned()],
        ..Edit::default()
    };
    let next = edit(&one, &wanted, &at(2000)).expect("it changes");
    assert_eq!((next.rev, next.updated_at_ms, next.created_at_ms), (2, 2000, 1000));
    assert_eq!(
        (next.title.as_str(), next.priority.get(), next.tags),
        ("New", 4, vec!["x".to_owned()])
    );
}

#[test]
fn closing_ends_a_claim_and_opening_again_forgets_the_reason() {
    let held = claimed("ada", 2000);
    assert_eq!((held.status, held.rev), (Status::InProgress, 2));
    let closed = close(&held, Some("done"), &at(3000)).expect("it was open");
    assert_eq!((closed.status, closed.claim.as_ref(), closed.rev), (Status::Closed, None, 3));
    assert_eq!(close(&closed, None, &at(4000)), None);
    let open = Edit { status: Some(Status::Open), ..Edit::default() };
    let again = edit(&closed, &open, &at(4000)).expect("it changes");
    assert_eq!((again.status, again.close_reason), (Status::Open, None));
}

#[test]
fn a_claim_is_renewed_by_its_instance_and_by_nobody_else() {
    let held = claimed("ada", 2000);
    let renewed = claim(&held, &claimant("ada", "s1"), &at(30_000)).expect("it is hers");
    assert_eq!((renewed.len(), renewed[0].claim.as_ref().map(|it| it.until_ms)), (1, Some(90_000)));
    for other in [claimant("bob", "s1"), claimant("ada", "s2")] {
        let refused = claim(&held, &other, &at(61_999)).expect_err("it is held");
        assert_eq!(refused.to_string(), "a is claimed by ada (s1)");
        assert!(matches!(refused, Refusal::Held { .. }));
    }
}

#[test]
fn a_claim_that_is_over_is_released_where_everyone_sees_it_and_taken() {
    let held = claimed("ada", 2000);
    let taken = claim(&held, &claimant("bob", "s9"), &at(62_000)).expect("the lease is over");
    let show = |issue: &Issue| {
        let owner = issue.claim.as_ref().map_or("-", |claim| &claim.owner);
        format!("{} {} {owner}", issue.rev, issue.status.as_str())
    };
    assert_eq!(taken.iter().map(show).collect::<Vec<_>>(), ["3 open -", "4 in_progress bob"]);
}

#[test]
fn what_is_done_or_laid_aside_is_not_claimed() {
    for status in [Status::Paused, Status::Duplicate, Status::Closed] {
        let one = Issue { status, ..issue("a") };
        let refused = claim(&one, &claimant("ada", "s1"), &at(2000)).expect_err("nothing to do");
        assert_eq!(refused, Refusal::NotOpen { id: "a".to_owned(), status });
    }
    let by_hand = Issue { status: Status::InProgress, ..issue("a") };
    assert!(claim(&by_hand, &claimant("ada", "s1"), &at(2000)).is_ok());
}

#[test]
fn a_claim_is_given_back_by_its_owner_or_by_a_person_who_insists() {
    let held = claimed("ada", 2000);
    let by = |releaser, clock_ms| release(&held, releaser, &at(clock_ms));
    let instance = |instance| Releaser::Instance { owner: "ada", instance };
    assert!(by(Releaser::Owner("bob"), 3000).is_err() && by(instance("s2"), 3000).is_err());
    for releaser in [Releaser::Owner("ada"), instance("s1"), Releaser::Anyone] {
        let free = by(releaser, 3000).expect("it may").expect("it was held");
        assert_eq!((free.status, free.claim, free.rev), (Status::Open, None, 3));
    }
    assert!(by(Releaser::Owner("bob"), 62_000).expect("the lease is over").is_some());
    assert_eq!(release(&issue("a"), Releaser::Owner("bob"), &at(3000)), Ok(None));
}

#[test]
fn what_an_issue_is_to_another_is_said_once() {
    let dep = Dep::parse("blocks:b").expect("it is one");
    assert_eq!(dep, Dep { kind: DepKind::Blocks, id: "b".to_owned() });
    assert!(
        Dep::parse("blocks:").is_none()
            && Dep::parse("eats:b").is_none()
            && Dep::parse("b").is_none()
    );
    let with = add_dep(&issue("a"), &dep, &at(2000)).expect("it is new");
    assert_eq!(add_dep(&with, &dep, &at(3000)), None);
    let without = remove_dep(&with, &dep, &at(3000)).expect("it was there");
    assert_eq!((without.rev, remove_dep(&without, &dep, &at(4000))), (3, None));
}

#[test]
fn what_changed_is_told_in_words() {
    let one = issue("a");
    let held = claimed("ada", 2000);
    let renewed = claim(&held, &claimant("ada", "s1"), &at(3000)).expect("it is hers");
    let closed = close(&renewed[0], Some("done"), &at(4000)).expect("it was open");
    let wanted = Edit {
        title: Some("New".to_owned()),
        body: Some("More".to_owned()),
        priority: Priority::new(1),
        tags_added: vec!["ui".to_owned()],
        ..Edit::default()
    };
    let edited = edit(&one, &wanted, &at(2000)).expect("it changes");
    let told = [
        difference(None, &one),
        difference(Some(&one), &held),
        difference(Some(&held), &renewed[0]),
        difference(Some(&renewed[0]), &closed),
        difference(Some(&one), &edited),
        difference(Some(&edited), &one),
    ];
    insta::assert_snapshot!(told.join("\n"), @"
    made
    claimed by ada (s1), in_progress
    claim of ada renewed
    claim of ada (s1) ended, closed, reason: done
    priority 1, title: New, body changed, + tag ui
    priority 2, title: Do a, body changed, - tag ui
    ");
}
