//! What keys do, and what comes of it: filters, moments, replays, commands.

use crossterm::event::KeyCode;
use insta::assert_snapshot;
use weft_event::Dialect;

use crate::app::{Input, Over};
use crate::feed::Told;
use crate::mode::Mode;
use crate::panel::Panel;
use crate::scene::{N_FIRST, START_NS, Scene, records};
use crate::source::{Leap, More, Record};

/// Returns a line of the screen.
fn line(scene: &mut Scene, row: usize) -> String {
    scene.screen().lines().nth(row).unwrap_or_default().to_owned()
}

fn foot(scene: &mut Scene) -> String {
    line(scene, 23)
}

#[test]
fn a_filter_shows_what_matches_and_its_fault_in_its_place() {
    let mut scene = Scene::new(80, 24);
    scene.type_in("l/error \"x");
    scene.press(&[KeyCode::Enter]);
    assert_snapshot!(scene.screen().lines().skip(20).collect::<Vec<_>>().join("\n"), @r#"
     898    08:02:47  dock-bravo      bead.completed  ✓ completed  billing: charge…
    words stand without quotes here: write words that the line has to hold
                   ▼
     filter: error "x
    "#);
    scene.press(&[KeyCode::Backspace, KeyCode::Backspace, KeyCode::Enter]);
    assert_eq!(scene.app.filter, "error");
    assert!(scene.app.n_rows() > 0 && scene.app.n_rows() < N_FIRST);
    scene.type_in("c");
    assert_eq!(scene.app.filter, "");
    assert_eq!(scene.app.n_rows(), N_FIRST);
}

#[test]
fn tab_finishes_a_word_or_offers_several() {
    let mut scene = Scene::new(80, 24);
    scene.type_in("l/@q");
    scene.press(&[KeyCode::Tab]);
    assert_snapshot!(foot(&mut scene), @" filter: @qa-engineer");
    scene.press(&[KeyCode::Esc]);
    scene.type_in("/@");
    scene.press(&[KeyCode::Tab]);
    assert_snapshot!(scene.screen().lines().skip(17).collect::<Vec<_>>().join("\n"), @"
    895    08:02:47  dock-flint      pulse.detecto…  ▶ progress
    896    08:02:47  dock-flint      pulse.scan_co…  ▶ progress
            @architect
            @backend-engineer
            @docs-writer
            @qa-engineer
    filter: @
    ");
}

#[test]
fn pause_stands_still_and_goes_on_where_it_was() {
    let mut scene = Scene::of(records(N_FIRST), 80, 24);
    scene.type_in("@400");
    scene.press(&[KeyCode::Enter]);
    assert_eq!(scene.app.taken, 400);
    scene.pass(3_600_000_000_000);
    assert_eq!(scene.app.taken, 400);
    assert_snapshot!(line(&mut scene, 1), @" ‖ paused at 2026-11-15 08:00:57  400 of 900                               demo");
    scene.type_in("n");
    assert_eq!((scene.app.mode, scene.app.taken), (Mode::Live, N_FIRST as u64));
    scene.type_in(" ");
    assert!(matches!(scene.app.mode, Mode::Paused { was_live: true, .. }));
    scene.type_in(" ");
    assert_eq!(scene.app.mode, Mode::Live);
}

#[test]
fn a_replay_takes_records_in_as_they_came_at_any_speed() {
    for (speed, factor) in [("0.5", 0.5), ("10", 10.0), ("100", 100.0)] {
        let records = records(N_FIRST);
        let mut scene = Scene::of(records.clone(), 80, 24);
        scene.type_in("@100");
        scene.press(&[KeyCode::Enter]);
        scene.type_in(&format!(":replay {speed}"));
        scene.press(&[KeyCode::Enter]);
        scene.pass(2_000_000_000);
        let upto_ns = records[99].received_ns + (2_000_000_000_f64 * factor) as i64;
        let due = records.iter().filter(|record| record.received_ns <= upto_ns).count();
        assert_eq!(scene.app.taken, due as u64, "{speed}");
    }
}

#[test]
fn a_replay_that_reaches_now_is_live() {
    let mut scene = Scene::new(80, 24);
    scene.type_in("@890");
    scene.press(&[KeyCode::Enter]);
    scene.type_in("p]]]]]]]]");
    assert_snapshot!(foot(&mut scene), @" replay at 100x");
    scene.pass(3_600_000_000_000);
    assert_eq!((scene.app.mode, scene.app.taken), (Mode::Live, N_FIRST as u64));
}

#[test]
fn the_past_is_the_state_of_its_moment() {
    let now = Scene::of(records(300), 80, 24);
    let mut then = Scene::new(80, 24);
    then.type_in("@300");
    then.press(&[KeyCode::Enter]);
    assert_eq!(then.app.views, now.app.views);
    then.type_in("@nonsense");
    then.press(&[KeyCode::Enter]);
    assert_snapshot!(foot(&mut then), @" `nonsense` is no moment: write a position, or a time as 2h, 2026-11-15 or 2026…");
}

#[test]
fn rows_lead_to_sessions_and_records_and_give_their_commands() {
    let mut scene = Scene::new(80, 24);
    scene.type_in("r");
    assert_eq!(scene.app.panel, Panel::Log);
    assert!(scene.app.filter.starts_with("actor="), "{}", scene.app.filter);
    scene.type_in("c1y4sy");
    assert_eq!(scene.app.panel, Panel::Session);
    assert_snapshot!(scene.copied.join("\n"), @"
    weft log actor=01a1de38-6bb8-7081-acda-b3b52ab2c51a
    weft session 562b6119-df85-4911-97dc-07b4f8eb1968
    ");
}

#[test]
fn a_chosen_row_stays_chosen_while_others_come() {
    let mut scene = Scene::of(records(N_FIRST), 80, 24);
    scene.type_in("l");
    scene.press(&[KeyCode::Up, KeyCode::Up]);
    let chosen = scene.app.chosen().map(|item| item.id());
    scene.type_in("@500");
    scene.press(&[KeyCode::Enter]);
    scene.type_in("n");
    scene.pass(0);
    assert_eq!(chosen.as_deref(), Some("898"));
    scene.type_in("G");
    assert_eq!(scene.app.chosen().map(|item| item.id()).as_deref(), Some("900"));
}

/// Lets records come that were not there before.
fn come(scene: &mut Scene, records: Vec<Record>) {
    let head = records.last().map_or(0, |record| record.position);
    scene.input(Input::Told(Told::More(More { leap: None, records, head })));
}

#[test]
fn what_is_read_or_copied_stays_the_same_row_while_others_come() {
    for keys in [KeyCode::Enter, KeyCode::Char('y')] {
        let mut scene = Scene::new(80, 24);
        scene.type_in("l");
        scene.press(&[keys]);
        come(&mut scene, records(N_FIRST + 20).split_off(N_FIRST));
        let chosen = scene.app.chosen().map(|item| item.id());
        assert_eq!(chosen.as_deref(), Some("900"), "after {keys:?}");
    }
}

#[test]
fn details_of_a_row_that_is_gone_are_closed() {
    let told = |position: u64, event_type: &str| {
        let line = format!(
            r#"{{"version":"1.0.0","event_type":"{event_type}","timestamp":"2026-11-15T08:00:00.{position:06}Z","agent_id":"@{}","session_id":"s-{position}","message":"No key"}}"#,
            if position == 2 { "b" } else { "a" },
        );
        let received_ns = START_NS + i64::try_from(position).unwrap_or_default();
        let (is_carried, dialect, is_match) = (false, Some(Dialect::Collector), true);
        Record { position, received_ns, is_carried, dialect, is_match, line: line.into_bytes() }
    };
    let blocked = [told(1, "coordination.blocked"), told(2, "coordination.blocked")];
    let mut scene = Scene::of(blocked.to_vec(), 80, 24);
    scene.type_in("2");
    assert_eq!(scene.app.n_rows(), 2);
    scene.press(&[KeyCode::Enter]);
    come(&mut scene, vec![told(3, "activity.progress")]);
    assert_eq!((scene.app.n_rows(), &scene.app.over), (1, &Over::Nothing));
    assert_eq!(scene.app.notice.as_deref(), Some("the row is gone"));
}

#[test]
fn the_palette_does_what_its_entries_say() {
    let mut scene = Scene::new(80, 24);
    scene.type_in(":deci");
    scene.press(&[KeyCode::Enter]);
    assert_eq!(scene.app.panel, Panel::Decisions);
    scene.type_in(":theme 16");
    scene.press(&[KeyCode::Enter]);
    assert_eq!(scene.app.settings.theme.name(), "16");
    scene.type_in(":nothing of the kind");
    scene.press(&[KeyCode::Enter]);
    assert_snapshot!(foot(&mut scene), @" there is no `nothing of the kind`");
    scene.type_in(":quit");
    scene.press(&[KeyCode::Enter]);
    assert!(scene.is_left);
}

#[test]
fn what_comes_is_shown_at_once_and_held_while_paused() {
    let all = records(N_FIRST);
    let mut scene = Scene::of(all, 80, 24);
    scene.type_in("@600");
    scene.press(&[KeyCode::Enter]);
    for _ in 0..3 {
        scene.pass(60_000_000_000);
    }
    assert_eq!(scene.app.taken, 600);
    assert!(scene.app.moment_ns() < START_NS + 3_600_000_000_000);
    scene.input(Input::Tick);
    assert_eq!(scene.app.taken, 600);
}

#[test]
fn records_that_come_again_change_nothing() {
    let mut scene = Scene::of(records(500), 80, 24);
    scene.type_in("l");
    let (views, n_lines) = (scene.app.views.clone(), scene.app.n_rows());
    come(&mut scene, records(500).split_off(300));
    assert_eq!((scene.app.taken, scene.app.n_rows()), (500, n_lines));
    assert!(scene.app.views == views, "they were counted twice");
    come(&mut scene, records(510).split_off(450));
    assert_eq!((scene.app.taken, scene.app.n_rows()), (510, n_lines + 10));
    assert!(scene.app.views == Scene::of(records(510), 80, 24).app.views);
}

#[test]
fn a_leap_is_taken_in_the_place_of_its_records() {
    let ahead = Scene::of(records(500), 80, 24);
    let mut scene = Scene::new(80, 24);
    scene.type_in("@100");
    scene.press(&[KeyCode::Enter]);
    let leap = Leap { views: ahead.app.views.clone(), upto: 500 };
    let more = More { leap: Some(Box::new(leap)), records: Vec::new(), head: 900 };
    scene.input(Input::Told(Told::More(more)));
    assert_eq!((scene.app.taken, &scene.app.views), (500, &ahead.app.views));
}

#[test]
fn without_a_row_the_command_is_the_panel_s() {
    let mut scene = Scene::of(Vec::new(), 80, 24);
    scene.type_in("1y2y4y5yoyuywyly2vy6vy7vy8vy");
    assert_snapshot!(scene.copied.join("\n"), @"
    weft fleet
    weft inbox
    weft sessions
    weft traces
    weft loops
    weft runs
    weft gateway
    weft log
    weft stuck
    weft work --plans
    weft usage --budgets
    weft files --collisions
    ");
}

#[test]
fn rows_of_a_panel_are_narrowed_by_words_while_they_are_typed() {
    let mut scene = Scene::new(80, 24);
    scene.screen();
    let n_all = scene.app.n_rows();
    scene.type_in("/DOCK progress");
    let shown: Vec<String> = scene.screen().lines().map(str::to_owned).collect();
    assert_snapshot!([&shown[1..8], &shown[23..]].concat().join("\n"), @"
     ● live  900 of 900  rows with: DOCK progress                              demo
     Actor       Status       For   Seen       On              Last words
    ›dock-cedar  ▶ progress   5s    ● here     bd-33a87d7b     error
     dock-delta  ▶ progress   38s   ● here     bd-40dd4956     claimed by another …
     dock-ember  ▶ progress   21s   ● here     bd-23fc2cb1     archive: move scans…
     dock-flint  ▶ progress   41s   ● here                     done today

     only rows with these words: DOCK progress
    ");
    scene.press(&[KeyCode::Esc]);
    assert_eq!(scene.app.n_rows(), n_all, "what is not accepted changes nothing");
    scene.type_in("/dock");
    scene.press(&[KeyCode::Enter]);
    assert_snapshot!(line(&mut scene, 1), @" ● live  900 of 900  rows with: dock                                       demo");
    let n_docks = scene.app.n_rows();
    assert!(0 < n_docks && n_docks < n_all);
    scene.type_in("2");
    assert!(!scene.screen().contains("rows with"), "each panel has words of its own");
    scene.type_in("1c");
    assert_eq!(scene.app.n_rows(), n_all);
    scene.type_in("/nobody has this name");
    assert!(scene.screen().contains("no row has these words"));
}

#[test]
fn words_narrow_the_timeline_and_a_conversation_too() {
    let mut scene = Scene::new(80, 24);
    scene.type_in("3/dock-alpha");
    scene.press(&[KeyCode::Enter]);
    let lanes = scene.screen();
    assert!(lanes.contains("dock-alpha") && !lanes.contains("dock-bravo"), "{lanes}");
    scene.type_in("4jjjjs");
    let n_blocks = scene.app.n_rows();
    scene.type_in("/bash");
    scene.press(&[KeyCode::Enter]);
    let n_calls = scene.app.n_rows();
    assert!(0 < n_calls && n_calls < n_blocks, "{n_calls} of {n_blocks}");
    scene.type_in("c");
    assert_eq!(scene.app.n_rows(), n_blocks);
}

/// Returns the row of the chosen loop, without its age.
fn chosen_loop(scene: &mut Scene) -> String {
    let screen = scene.screen();
    let row = screen.lines().find(|line| line.starts_with('›')).unwrap_or_default();
    row.split_whitespace().take(2).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_loop_is_paused_resumed_escalated_and_after_a_question_cancelled() {
    let mut scene = Scene::new(80, 24);
    scene.type_in("o");
    assert_snapshot!(chosen_loop(&mut scene), @"›▶ running");
    scene.type_in("P");
    assert_snapshot!(foot(&mut scene), @" loop-1794729768-44443: somebody paused it");
    scene.pass(0);
    assert_snapshot!(chosen_loop(&mut scene), @"›‖ paused");
    scene.type_in("P");
    assert_snapshot!(foot(&mut scene), @" cannot pause loop-1794729768-44443: somebody paused it");
    scene.type_in("R");
    assert_snapshot!(foot(&mut scene), @" loop-1794729768-44443: it goes on at the next stop");
    scene.pass(0);
    assert_snapshot!(chosen_loop(&mut scene), @"›▶ running");
    scene.type_in("E");
    scene.pass(0);
    scene.type_in("X");
    assert_snapshot!(foot(&mut scene), @" cancel loop-1794729768-44443? y yes  n no");
    scene.type_in("n");
    assert_snapshot!(foot(&mut scene), @" loop-1794729768-44443 stays as it is");
    assert_snapshot!(chosen_loop(&mut scene), @"›‖ paused");
    scene.type_in("Xy");
    assert_snapshot!(foot(&mut scene), @" loop-1794729768-44443: it was cancelled");
    scene.pass(0);
    assert_snapshot!(chosen_loop(&mut scene), @"›✗ aborted");
    scene.type_in("P");
    assert_snapshot!(foot(&mut scene), @" this loop is over");
}

#[test]
fn a_loop_is_changed_where_loops_are_shown_as_they_are_now() {
    let mut scene = Scene::new(80, 24);
    scene.type_in(":pause loop");
    scene.press(&[KeyCode::Enter]);
    assert_snapshot!(foot(&mut scene), @" choose a loop first: o shows them");
    scene.type_in("o@400");
    scene.press(&[KeyCode::Enter]);
    scene.type_in("P");
    assert_snapshot!(foot(&mut scene), @" another moment is shown: n goes to now, where loops can be changed");
    scene.type_in("n:pause loop");
    scene.press(&[KeyCode::Enter]);
    assert!(foot(&mut scene).contains("somebody paused it"));
    let mut empty = Scene::of(Vec::new(), 80, 24);
    empty.type_in("oP");
    assert_snapshot!(foot(&mut empty), @" there is no loop to choose");
}

/// Returns the records of one session in which one tool is called again and again.
fn long_session(n: u64) -> Vec<Record> {
    let record = |position: u64| {
        let line = format!(
            r#"{{"version":"1.0.0","event_type":"hook.pre_tool_use","timestamp":"2026-11-15T08:00:00.{position:06}Z","agent_id":"@a","session_id":"s-long","source":"hook","tool":{{"tool_name":"Bash","tool_input":{{"command":"make {position}"}}}},"correlation":{{"trace_id":"t","span_id":"c{position}"}}}}"#
        );
        let received_ns = START_NS + i64::try_from(position).unwrap_or_default();
        let (is_carried, dialect, is_match) = (false, Some(Dialect::Collector), true);
        Record { position, received_ns, is_carried, dialect, is_match, line: line.into_bytes() }
    };
    (1..=n).map(record).collect()
}

#[test]
fn a_long_session_is_read_on_where_it_is_scrolled_to() {
    let mut scene = Scene::of(long_session(9000), 80, 24);
    scene.type_in("4s");
    assert_eq!((call(&scene, 0), call(&scene, usize::MAX)), (7001, 9000));
    assert!(line(&mut scene, 2).contains("older is read when scrolled to"));
    scene.input(Input::Resize(80, 6000));
    scene.press(&[KeyCode::PageUp]);
    assert_eq!((call(&scene, 0), chosen(&scene)), (5001, 7001), "the chosen one stays chosen");
    for _ in 0..3 {
        scene.press(&[KeyCode::PageUp]);
    }
    assert_eq!((call(&scene, 0), call(&scene, usize::MAX)), (1, 6000), "no more is kept at once");
    for _ in 0..2 {
        scene.press(&[KeyCode::PageDown]);
    }
    assert_eq!((call(&scene, 0), call(&scene, usize::MAX)), (3001, 9000));
}

#[test]
fn the_ends_of_a_long_session_are_a_key_away() {
    let mut scene = Scene::of(long_session(9000), 80, 24);
    scene.type_in("4sg");
    assert_eq!((call(&scene, 0), call(&scene, usize::MAX)), (1, 2000));
    scene.type_in("gk");
    assert_eq!(chosen(&scene), 1);
    scene.type_in("G");
    assert_eq!((call(&scene, 0), chosen(&scene)), (7001, 9000));
}

/// Returns which of the calls a block of the conversation is.
fn call(scene: &Scene, idx: usize) -> u64 {
    let blocks = &scene.app.talk.as_ref().expect("a session is shown").blocks;
    blocks[idx.min(blocks.len() - 1)].positions[0]
}

fn chosen(scene: &Scene) -> u64 {
    call(scene, scene.app.spot().idx)
}
