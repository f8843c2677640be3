//! What actions do, and the mouse.

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};

use super::{App, Arrival, Effect, Over, PromptKind};
use crate::draw::{self, Target};
use crate::feed::Order;
use crate::keys::{Action, OverAction};
use crate::mode::{Mode, SPEEDS, speed_text};
use crate::panel::Panel;
use crate::panels::GROUPS;
use crate::source::Place;
use crate::talk::Talk;
use crate::trace::Trace;

/// Rows that a turn of the wheel moves by.
const WHEEL_ROWS: usize = 3;
/// The speed that a replay begins with.
const SPEED_FIRST: usize = 1;

impl App {
    pub(super) fn act(&mut self, action: Action) -> Vec<Effect> {
        let page = draw::rows_shown(self).max(1);
        match action {
            Action::Show(panel) => self.show(panel),
            Action::NextPanel => self.show(self.panel.plus(1)),
            Action::PreviousPanel => self.show(self.panel.plus(Panel::ALL.len() - 1)),
            Action::Up => return self.up(1),
            Action::Down => return self.down(1),
            Action::PageUp => return self.up(page),
            Action::PageDown => return self.down(page),
            Action::First => return self.first(),
            Action::Last => return self.last(),
            Action::Detail => {
                self.pin();
                if self.chosen().is_some() {
                    self.over = Over::Detail { top: 0 };
                }
            }
            Action::Back => self.back(),
            Action::Session => return self.open_session(),
            Action::Trace => return self.open_trace(),
            Action::Records => return self.open_records(),
            Action::Filter if self.panel == Panel::Log => {
                let filter = self.filter.clone();
                self.ask_for(PromptKind::Filter, &filter);
            }
            Action::Filter => {
                let words = self.words().to_owned();
                self.ask_for(PromptKind::Words, &words);
            }
            Action::ClearFilter if self.panel != Panel::Log => {
                self.words[self.panel.idx()].clear();
            }
            Action::ClearFilter => {
                let text = String::new();
                return vec![Effect::Tell(Order::Filter { text, now_ns: self.now_ns })];
            }
            Action::Pause => return self.pause(),
            Action::Now => return self.jump(Place::Now, Arrival::Follow),
            Action::Jump => self.ask_for(PromptKind::Jump, ""),
            Action::Replay => return self.replay(),
            Action::Slower => return self.change_speed(|idx| idx.saturating_sub(1)),
            Action::Faster => return self.change_speed(|idx| (idx + 1).min(SPEEDS.len() - 1)),
            Action::Narrow => self.zoom_idx = self.zoom_idx.saturating_sub(1),
            Action::Widen => {
                self.zoom_idx = (self.zoom_idx + 1).min(draw::timeline::ZOOMS.len() - 1);
            }
            Action::Group => self.group_idx = (self.group_idx + 1) % GROUPS.len(),
            Action::Table => self.next_table(),
            Action::Unfold => self.is_unfolded = !self.is_unfolded,
            Action::Steer(wish) => return self.steer(wish),
            Action::Copy => return self.copy(),
            Action::Theme => {
                self.settings.theme = self.settings.theme.next();
                self.notice = Some(format!("theme: {}", self.settings.theme.name()));
            }
            Action::Palette => self.ask_for(PromptKind::Palette, ""),
            Action::Help => self.over = Over::Help { top: 0 },
            Action::Quit => return vec![Effect::Quit],
            Action::Over(action) => self.act_over(action),
            Action::Question(reply) => return self.reply(reply),
            Action::Prompt(action) => return self.act_on_prompt(action),
        }
        Vec::new()
    }

    pub(super) fn mouse(&mut self, mouse: MouseEvent) -> Vec<Effect> {
        match mouse.kind {
            MouseEventKind::ScrollUp => return self.wheel(Action::Up, OverAction::Up),
            MouseEventKind::ScrollDown => return self.wheel(Action::Down, OverAction::Down),
            MouseEventKind::Down(MouseButton::Left) if self.over == Over::Nothing => {
                match draw::target(self, mouse.column, mouse.row) {
                    Some(Target::Panel(panel)) => self.show(panel),
                    Some(Target::Row(idx)) if idx == self.spot().idx => {
                        return self.act(Action::Detail);
                    }
                    Some(Target::Row(idx)) => self.go(|_| idx),
                    None => {}
                }
            }
            MouseEventKind::Down(MouseButton::Left) => {
                if matches!(self.over, Over::Help { .. } | Over::Detail { .. }) {
                    self.over = Over::Nothing;
                }
            }
            _ => {}
        }
        Vec::new()
    }

    fn wheel(&mut self, action: Action, over: OverAction) -> Vec<Effect> {
        let mut effects = Vec::new();
        for _ in 0..WHEEL_ROWS {
            match self.over {
                Over::Nothing => effects.extend(self.act(action)),
                Over::Help { .. } | Over::Detail { .. } => self.act_over(over),
                Over::Prompt(_) | Over::Question(_) => {}
            }
        }
        effects
    }

    fn show(&mut self, panel: Panel) {
        self.panel = panel;
        self.over = Over::Nothing;
    }

    pub(super) fn show_log(&mut self) {
        self.panel = Panel::Log;
    }

    fn up(&mut self, n: usize) -> Vec<Effect> {
        let is_beyond = self.spot().idx < n;
        self.go(|idx| idx.saturating_sub(n));
        if is_beyond { self.read_older() } else { Vec::new() }
    }

    fn down(&mut self, n: usize) -> Vec<Effect> {
        let is_beyond = self.spot().idx + n >= self.n_rows();
        self.go(|idx| idx + n);
        if is_beyond { self.read_newer() } else { Vec::new() }
    }

    fn first(&mut self) -> Vec<Effect> {
        self.go(|_| 0);
        self.read_oldest()
    }

    fn last(&mut self) -> Vec<Effect> {
        self.go(|_| usize::MAX);
        if self.ends_with_newest() {
            self.spots[self.panel.idx()].id = None;
        }
        self.read_newest()
    }

    /// Chooses another row.
    pub(super) fn go(&mut self, to: impl Fn(usize) -> usize) {
        let Some(last) = self.n_rows().checked_sub(1) else { return };
        let idx = to(self.spot().idx).min(last);
        let id = self.item(idx).map(|item| item.id());
        let spot = &mut self.spots[self.panel.idx()];
        (spot.idx, spot.id) = (idx, id);
    }

    /// Chooses the row that is shown as chosen, so that it stays so wherever it goes.
    pub(super) fn pin(&mut self) {
        self.go(|idx| idx);
    }

    fn next_table(&mut self) {
        let (tables, idx) = (self.panel.tables(), self.panel.idx());
        if tables.len() == 1 {
            self.notice = Some("this panel has one table".to_owned());
            return;
        }
        self.table_idxs[idx] = (self.table_idxs[idx] + 1) % tables.len();
        self.spots[idx] = Default::default();
    }

    fn back(&mut self) {
        match self.panel {
            Panel::Session => self.talk = None,
            Panel::Trace => self.trace = None,
            Panel::Fleet
            | Panel::Inbox
            | Panel::Timeline
            | Panel::Work
            | Panel::Usage
            | Panel::Files
            | Panel::Errors
            | Panel::Decisions
            | Panel::Loops
            | Panel::Runs
            | Panel::Gateway
            | Panel::Log => {}
        }
        self.spots[self.panel.idx()] = Default::default();
    }

    fn open_session(&mut self) -> Vec<Effect> {
        let Some(session) = self.chosen().and_then(|item| item.link().session) else {
            self.notice = Some("this row has no session".to_owned());
            return Vec::new();
        };
        let effect = self.ask_session(&session);
        self.talk = Some(Talk::new(session));
        self.spots[Panel::Session.idx()] = Default::default();
        self.words[Panel::Session.idx()].clear();
        self.show(Panel::Session);
        vec![effect]
    }

    fn open_trace(&mut self) -> Vec<Effect> {
        let Some(id) = self.chosen().and_then(|item| item.link().trace) else {
            self.notice = Some("this row has no trace".to_owned());
            return Vec::new();
        };
        let effect = self.ask_trace(&id);
        self.trace = Some(Trace { id, spans: Vec::new() });
        self.spots[Panel::Trace.idx()] = Default::default();
        self.show(Panel::Trace);
        vec![effect]
    }

    fn open_records(&mut self) -> Vec<Effect> {
        let Some(text) = self.chosen().and_then(|item| item.link().records) else {
            self.notice = Some("there are no records behind this row".to_owned());
            return Vec::new();
        };
        self.show(Panel::Log);
        vec![Effect::Tell(Order::Filter { text, now_ns: self.now_ns })]
    }

    pub(super) fn copy(&mut self) -> Vec<Effect> {
        self.pin();
        let command = match self.chosen() {
            Some(item) => item.command(),
            None => crate::panels::command(self),
        };
        self.notice = Some(format!("copied: {command}"));
        vec![Effect::Copy(command)]
    }

    fn pause(&mut self) -> Vec<Effect> {
        let at_ns = self.moment_ns();
        self.mode = match self.mode {
            Mode::Live => Mode::Paused { at_ns, was_live: true },
            Mode::Replay { .. } => Mode::Paused { at_ns, was_live: false },
            Mode::Paused { was_live: true, .. } => Mode::Live,
            // From the past it goes on as it went: to be at the end at once there is another key.
            Mode::Paused { at_ns, was_live: false } => {
                Mode::Replay { from_ns: at_ns, began_ns: self.now_ns, speed_idx: SPEED_FIRST }
            }
        };
        self.advance()
    }

    fn replay(&mut self) -> Vec<Effect> {
        let from_ns = match self.mode {
            Mode::Live => {
                self.notice = Some("go to a moment of the past first: @".to_owned());
                return Vec::new();
            }
            Mode::Paused { .. } | Mode::Replay { .. } => self.moment_ns(),
        };
        self.mode = Mode::Replay { from_ns, began_ns: self.now_ns, speed_idx: SPEED_FIRST };
        self.advance()
    }

    fn change_speed(&mut self, to: impl Fn(usize) -> usize) -> Vec<Effect> {
        let from_ns = self.moment_ns();
        match &mut self.mode {
            Mode::Replay { from_ns: from, began_ns, speed_idx } => {
                *speed_idx = to(*speed_idx);
                (*from, *began_ns) = (from_ns, self.now_ns);
                self.notice = Some(format!("replay at {}", speed_text(*speed_idx)));
            }
            Mode::Live | Mode::Paused { .. } => {
                self.notice = Some("nothing is replayed: p begins".to_owned());
            }
        }
        Vec::new()
    }

    pub(super) fn jump(&mut self, place: Place, arrival: Arrival) -> Vec<Effect> {
        self.arrival = arrival;
        vec![Effect::Tell(Order::Open { place, now_ns: self.now_ns })]
    }
}
