use crossterm::event::KeyCode;
use insta::assert_snapshot;

use crate::app::Input;
use crate::mode::Mode;
use crate::panel::Panel;
use crate::scene::{N_FIRST, START_NS, Scene, records};

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
    scene.type_in("/error \"x");
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
    scene.type_in("/@q");
    scene.press(&[KeyCode::Tab]);
    assert_snapshot!(foot(&mut scene), @" filter: @qa-engineer");
    scene.press(&[KeyCode::Esc]);
    scene.type_in("/@");
    scene.press(&[KeyCode::Tab]);
    assert_snapshot!(scene.screen().lines().skip(12).collect::<Vec<_>>().join("\n"), @"
    console       ◌ waiting    2m44s  ● here
    dock-alpha    ◇ thinking   8s     ● here       bd-906d5ff2     the bead store…
    dock-bravo    ✓ completed  1s     ● here                       billing: charg…
    dock-cedar    ▶ progress   5s     ● here       bd-33a87d7b     error
    dock-delta    ▶ progress   38s    ● here       bd-40dd4956     claimed by ano…
    dock-ember    ▶ progress   21s    ● here       bd-23fc2cb1     archive: move …
    dock-flint    ▶ progress   41s    ● here                       done today
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
