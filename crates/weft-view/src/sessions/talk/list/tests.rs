//! A list that grows is the list that is made at once, whatever comes in which order.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use weft_event::report::{CallPhase, Saying, Speaker, TurnPhase};

use super::super::{Beside, CallNote, What as Told};
use super::*;

const SECOND_NS: i64 = 1_000_000_000;

fn call(phase: CallPhase, tool: &str) -> Told {
    Told::Call(CallNote {
        phase,
        tool: Some(tool.to_owned()),
        path: None,
        input: None,
        result: None,
        diff: None,
        duration_ms: None,
    })
}

/// What is told, with few texts, so that things are told again.
fn told() -> impl Strategy<Value = Told> {
    let text = || prop_oneof![Just("Go on"), Just("Go on, please"), Just("It is done")];
    prop_oneof![
        2 => text().prop_map(|text| Told::Prompt(text.to_owned())),
        2 => text().prop_map(|text| {
            Told::Words(Speaker::Agent, Saying::Message, text.to_owned())
        }),
        1 => Just(Told::Words(Speaker::Agent, Saying::Chunk, "Go on".to_owned())),
        2 => Just(call(CallPhase::Running, "Task")),
        2 => Just(call(CallPhase::Completed, "Read")),
        1 => Just(call(CallPhase::Failed, "Edit")),
        1 => Just(Told::Began),
        1 => Just(Told::End(TurnPhase::Completed, None)),
        1 => Just(Told::Notice("Asked".to_owned())),
    ]
}

fn note() -> impl Strategy<Value = Note> {
    let span = || option::of((0..6_u8).prop_map(|n| format!("span {n}")));
    let order = prop_oneof![3 => Just(true), 1 => Just(false)];
    (told(), 0..40_i64, order, option::weighted(0.3, 0..2_u8), span(), span()).prop_map(
        |(what, seconds, is_numbered, helper, span, parent_span)| Note {
            at_ns: seconds * SECOND_NS,
            order: is_numbered.then_some(0),
            position: 0,
            actor: helper.map(|n| format!("helper {n}")),
            is_subagent: helper.is_some(),
            span,
            parent_span,
            what,
        },
    )
}

fn aside() -> impl Strategy<Value = Aside> {
    let decision = (option::of(0..3_u8), option::of(Just("sled".to_owned())));
    let what = prop_oneof![
        Just(Beside::Error("no".to_owned())),
        decision.prop_map(|(id, chosen)| {
            Beside::Decision(id.map(|id| id.to_string()), chosen, None)
        }),
    ];
    (what, 0..40_i64).prop_map(|(what, seconds)| Aside {
        at_ns: seconds * SECOND_NS,
        position: 0,
        actor: None,
        what,
    })
}

/// Notes as they are read: mostly in the order of the log, and some earlier than their positions say.
fn notes(is_numbered: bool) -> impl Strategy<Value = Vec<Note>> {
    (vec((note(), 0..4_u64), 0..40), any::<bool>()).prop_map(move |(notes, is_in_time)| {
        let notes = notes.into_iter().zip(1_u64..).map(|((mut note, early), nth)| {
            note.position = 4 * nth + 9 - early * 3;
            note.order = note.order.or(is_numbered.then_some(0));
            if is_in_time {
                note.at_ns = i64::try_from(nth).unwrap_or(i64::MAX) * SECOND_NS;
            }
            note
        });
        notes.collect()
    })
}

fn shown(list: &TalkList) -> (Vec<TalkItem>, Marks) {
    (list.items(0..usize::MAX).collect(), list.marks().clone())
}

fn check(
    conversation: &Conversation,
    asked: Vec<(usize, usize, u64)>,
) -> Result<(), TestCaseError> {
    let mut growing = Conversation::default();
    let mut list = TalkList::default();
    let end = [(usize::MAX, usize::MAX, u64::MAX)];
    for (n_notes, n_asides, upto) in asked.into_iter().chain(end) {
        let n_notes = n_notes.max(growing.notes.len()).min(conversation.notes.len());
        let n_asides = n_asides.max(growing.asides.len()).min(conversation.asides.len());
        growing.notes.extend_from_slice(&conversation.notes[growing.notes.len()..n_notes]);
        growing.asides.extend_from_slice(&conversation.asides[growing.asides.len()..n_asides]);
        list.catch_up(&growing, upto);
        let mut whole = TalkList::default();
        whole.catch_up(&growing, upto);
        prop_assert_eq!(shown(&list), shown(&whole));
    }
    Ok(())
}

proptest! {
    #[test]
    fn a_list_that_grows_is_the_list_that_is_made_at_once(
        notes in prop_oneof![notes(false), notes(true)],
        asides in vec(aside(), 0..10),
        asked in vec((0..45_usize, 0..12_usize, prop_oneof![0..170_u64, Just(u64::MAX)]), 0..12),
    ) {
        let mut asides = asides;
        asides.iter_mut().zip((3_u64..).step_by(9)).for_each(|(aside, at)| aside.position = at);
        check(&Conversation { notes, asides }, asked)?;
    }
}
