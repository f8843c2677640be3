//! A screen for tests: the demonstration's world, played without threads or a terminal.

use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use weft_event::demo::World;
use weft_view::Judgement;

use crate::app::{App, Effect, Input, Settings};
use crate::draw::draw;
use crate::feed::{Order, Told};
use crate::played::Played;
use crate::source::{Record, Source as _};
use crate::text::Zone;
use crate::theme::Theme;

/// When the first record is received: 2026-11-15 08:00 UTC.
pub(crate) const START_NS: i64 = 1_794_729_600_000_000_000;

/// Records of the demonstration that a scene begins with, and all that there are.
pub(crate) const N_FIRST: usize = 900;

/// A screen, and the source that it asks.
pub(crate) struct Scene {
    pub(crate) app: App,
    source: Played,
    pub(crate) now_ns: i64,
    pub(crate) copied: Vec<String>,
    pub(crate) is_left: bool,
    is_held: bool,
}

/// Returns records of the demonstration's world.
pub(crate) fn records(n: usize) -> Vec<Record> {
    let record = |(position, moment): (u64, weft_event::demo::Moment)| Record {
        position,
        received_ns: moment.due_ns,
        is_carried: false,
        dialect: Some(moment.dialect),
        is_match: true,
        line: moment.line.into_bytes(),
    };
    (1..).zip(World::new(7, START_NS).take(n)).map(record).collect()
}

impl Scene {
    /// Returns a screen of this size on the demonstration, as it is right after the last record.
    pub(crate) fn new(columns: u16, rows: u16) -> Self {
        Self::of(records(N_FIRST), columns, rows)
    }

    /// Returns a screen of this size on some records.
    pub(crate) fn of(records: Vec<Record>, columns: u16, rows: u16) -> Self {
        let now_ns = records.last().map_or(START_NS, |record| record.received_ns) + 1_000_000_000;
        let settings = Settings {
            theme: Theme::Plain,
            zone: Zone::default(),
            title: "demo".to_owned(),
            filter: String::new(),
            judgement: Judgement::default(),
        };
        let (app, effects) = App::new(settings, now_ns);
        let source = Played::new(records);
        let mut scene =
            Self { app, source, now_ns, copied: Vec::new(), is_left: false, is_held: false };
        scene.input(Input::Resize(columns, rows));
        scene.carry_out(effects);
        scene
    }

    /// Lets something happen, and whatever comes of it.
    pub(crate) fn input(&mut self, input: Input) {
        let effects = self.app.handle(self.now_ns, input);
        self.carry_out(effects);
        self.app.refresh();
    }

    fn carry_out(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            let told = match effect {
                Effect::Quit => {
                    self.is_left = true;
                    continue;
                }
                Effect::Copy(text) => {
                    self.copied.push(text);
                    continue;
                }
                Effect::Tell(Order::Hold) => {
                    self.is_held = true;
                    continue;
                }
                Effect::Tell(Order::Go) => {
                    self.is_held = false;
                    continue;
                }
                Effect::Tell(Order::Open { place, now_ns }) => {
                    self.is_held = false;
                    Told::Opened(self.source.open(&place, now_ns).map(Box::new))
                }
                Effect::Tell(Order::Filter { text, now_ns }) => {
                    let result = self.source.set_filter(&text, now_ns);
                    Told::Filter { text, result }
                }
                Effect::Tell(Order::Page(ask)) => {
                    let result = self.source.page(&ask);
                    Told::Page { ask, result }
                }
                Effect::Tell(Order::Complete { text, cursor }) => {
                    Told::Completions(self.source.complete(&text, cursor))
                }
                Effect::Tell(Order::Steer(steer)) => {
                    let result = self.source.steer(&steer);
                    Told::Steered { steer, result }
                }
            };
            let effects = self.app.handle(self.now_ns, Input::Told(told));
            self.carry_out(effects);
        }
    }

    /// Lets time pass, and the source give what it has.
    pub(crate) fn pass(&mut self, ns: i64) {
        self.now_ns += ns;
        while !self.is_held {
            let more = self.source.more(2048, Duration::ZERO).expect("it is in memory");
            let is_all = more.records.is_empty();
            self.input(Input::Told(Told::More(more)));
            if is_all {
                break;
            }
        }
        self.input(Input::Tick);
    }

    /// Presses keys, one after the other.
    pub(crate) fn press(&mut self, keys: &[KeyCode]) {
        for code in keys {
            self.input(Input::Key(KeyEvent::new(*code, KeyModifiers::NONE)));
        }
    }

    /// Types characters.
    pub(crate) fn type_in(&mut self, text: &str) {
        for c in text.chars() {
            self.press(&[KeyCode::Char(c)]);
        }
    }

    /// Returns the screen as text.
    pub(crate) fn screen(&mut self) -> String {
        self.app.refresh();
        let (columns, rows) = self.app.size;
        let mut terminal =
            Terminal::new(TestBackend::new(columns, rows)).expect("a test terminal cannot fail");
        terminal.draw(|frame| draw(&self.app, frame)).expect("a test terminal cannot fail");
        let buffer = terminal.backend().buffer();
        let mut text = String::new();
        for row in 0..rows {
            let cells = (0..columns).map(|column| buffer[(column, row)].symbol());
            text.push_str(cells.collect::<String>().trim_end());
            text.push('\n');
        }
        text
    }
}
