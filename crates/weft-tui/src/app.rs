//! The state of the screen: inputs in, effects out. It reads no clock and does no I/O.

mod act;
mod follow;
mod prompt;
mod scroll;
mod steer;

use std::collections::VecDeque;

use crossterm::event::{KeyEvent, MouseEvent};
use weft_view::inbox::{self, Need};
use weft_view::lanes::Lanes;
use weft_view::{Judgement, Views};

use crate::feed::{Order, Told};
use crate::keys::{self, Context, OverAction};
use crate::listing::{Item, Listing, Look, Spot};
use crate::mode::Mode;
use crate::panel::{Panel, Table};
use crate::reading::Reading;
use crate::source::{Place, Record, Steer};
use crate::tail::Tail;
use crate::talk::Talk;
use crate::text::Zone;
use crate::theme::Theme;
use crate::trace::Trace;

pub(crate) use prompt::{Prompt, PromptKind};

/// What the screen is told when it begins.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The colours.
    pub theme: Theme,
    /// How times are shown.
    pub zone: Zone,
    /// What it is that is shown, such as the store's folder.
    pub title: String,
    /// The filter to begin with.
    pub filter: String,
    /// What views are judged by.
    pub judgement: Judgement,
}

/// What happens to the screen.
#[derive(Debug)]
pub enum Input {
    /// A key is pressed.
    Key(KeyEvent),
    /// The mouse is used.
    Mouse(MouseEvent),
    /// Text is pasted.
    Paste(String),
    /// The terminal has this many columns and rows.
    Resize(u16, u16),
    /// The source says something.
    Told(Told),
    /// Time passes.
    Tick,
}

/// What the screen wants done.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Ask the source.
    Tell(Order),
    /// Put text on the clipboard.
    Copy(String),
    /// End.
    Quit,
}

/// What lies over a panel.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Over {
    Nothing,
    Help {
        top: usize,
    },
    Detail {
        top: usize,
    },
    /// Whether the loop is really to be changed so.
    Question(Steer),
    Prompt(Box<Prompt>),
}

/// The screen.
pub struct App {
    pub(crate) settings: Settings,
    pub(crate) views: Views,
    /// The last position taken in.
    pub(crate) taken: u64,
    /// The position that was gone to: what stands before it is taken in at once.
    pub(crate) goal: u64,
    /// The last position of the log.
    pub(crate) head: u64,
    /// Whether the source has opened.
    pub(crate) is_open: bool,
    /// Why nothing more comes.
    pub(crate) broken: Option<String>,
    pub(crate) mode: Mode,
    pub(crate) now_ns: i64,
    pub(crate) size: (u16, u16),
    pub(crate) panel: Panel,
    pub(crate) spots: [Spot; Panel::ALL.len()],
    pub(crate) listing: Listing,
    /// Whether something happened since the rows were worked out.
    is_stale: bool,
    pub(crate) over: Over,
    pub(crate) notice: Option<String>,
    /// The filter of the log.
    pub(crate) filter: String,
    /// The words that the rows of each other panel are shown by.
    words: [String; Panel::ALL.len()],
    pub(crate) lanes: Lanes,
    pub(crate) tail: Tail,
    pub(crate) talk: Option<Talk>,
    pub(crate) is_unfolded: bool,
    pub(crate) trace: Option<Trace>,
    pub(crate) zoom_idx: usize,
    pub(crate) group_idx: usize,
    /// Which of its tables each panel shows.
    table_idxs: [usize; Panel::ALL.len()],
    /// Records that are not due yet.
    pending: VecDeque<Record>,
    /// Whether the source was told to wait.
    is_held: bool,
    /// What to do with the next opening.
    arrival: Arrival,
    reading: Reading,
}

/// What a jump is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Arrival {
    /// To follow what comes.
    Follow,
    /// To look at that moment.
    Look,
}

impl App {
    /// Returns the screen before anything is known, and what it wants done first.
    pub fn new(settings: Settings, now_ns: i64) -> (Self, Vec<Effect>) {
        let filter = settings.filter.clone();
        let app = Self {
            settings,
            views: Views::default(),
            taken: 0,
            goal: 0,
            head: 0,
            is_open: false,
            broken: None,
            mode: Mode::Live,
            now_ns,
            size: (80, 24),
            panel: Panel::Fleet,
            spots: Default::default(),
            listing: Listing::default(),
            is_stale: true,
            over: Over::Nothing,
            notice: None,
            filter: String::new(),
            words: Default::default(),
            lanes: Lanes::default(),
            tail: Tail::default(),
            talk: None,
            is_unfolded: false,
            trace: None,
            zoom_idx: crate::draw::timeline::ZOOM_FIRST,
            group_idx: 0,
            table_idxs: [0; Panel::ALL.len()],
            pending: VecDeque::new(),
            is_held: false,
            arrival: Arrival::Follow,
            reading: Reading::default(),
        };
        let mut effects = Vec::new();
        if !filter.is_empty() {
            effects.push(Effect::Tell(Order::Filter { text: filter, now_ns }));
        }
        effects.push(Effect::Tell(Order::Open { place: Place::Now, now_ns }));
        (app, effects)
    }

    /// Takes an input at a moment. Returns what is to be done about it.
    pub fn handle(&mut self, now_ns: i64, input: Input) -> Vec<Effect> {
        self.now_ns = self.now_ns.max(now_ns);
        // Keys are about the rows that are there by now, though they may not be drawn yet.
        if self.is_stale && matches!(input, Input::Key(_) | Input::Mouse(_)) {
            self.refresh();
        }
        self.is_stale = true;
        match input {
            Input::Key(key) => self.press(key),
            Input::Mouse(mouse) => self.mouse(mouse),
            Input::Paste(text) => {
                if let Over::Prompt(prompt) = &mut self.over {
                    prompt.typed.insert(&text);
                    prompt.forget();
                }
                Vec::new()
            }
            Input::Resize(columns, rows) => {
                self.size = (columns, rows);
                Vec::new()
            }
            Input::Told(told) => self.told(told),
            Input::Tick => self.advance(),
        }
    }

    /// Works out the rows of the panel. To be called before the screen is drawn, if something happened since.
    pub fn refresh(&mut self) {
        self.is_stale = false;
        let words = self.words().to_owned();
        if let Some(talk) = self.talk.as_mut().filter(|_| self.panel == Panel::Session) {
            talk.refresh(&words);
        }
        self.listing = crate::panels::listing(self);
        self.listing.keep(&words, &self.look());
        let height = crate::draw::rows_shown(self);
        let (len, panel) = (self.n_rows(), self.panel.idx());
        let mut spot = std::mem::take(&mut self.spots[panel]);
        let is_last_wanted = spot.id.is_none() && self.ends_with_newest();
        if is_last_wanted {
            spot.idx = len.saturating_sub(1);
        }
        spot.settle(|idx| self.item(idx).map(Item::id).unwrap_or_default(), len, height);
        let is_gone = spot.id.is_some() && self.item(spot.idx).map(Item::id) != spot.id;
        self.spots[panel] = spot;
        // Whatever took its place is another row, with another command.
        if is_gone && matches!(self.over, Over::Detail { .. }) {
            self.over = Over::Nothing;
            self.notice = Some("the row is gone".to_owned());
        }
    }

    /// Returns whether what is shown changes by itself.
    pub(crate) fn is_moving(&self) -> bool {
        matches!(self.mode, Mode::Replay { .. })
    }

    /// Returns what needs a person now; `None` where another moment is shown, or not all is read yet.
    pub(crate) fn needs(&self) -> Option<Vec<Need>> {
        let is_now = matches!(self.mode, Mode::Live) && !self.is_behind();
        let needs = || inbox::needs(&self.views, self.moment_ns(), &self.settings.judgement);
        is_now.then(needs)
    }

    /// Returns whether records up to the moment shown are yet to be read.
    pub(crate) fn is_behind(&self) -> bool {
        !self.is_open || self.taken < self.goal
    }

    /// Returns whether the source has yet to open.
    pub(crate) fn is_opening(&self) -> bool {
        !self.is_open && self.broken.is_none()
    }

    /// Returns whether the source said that nothing more comes.
    pub(crate) fn is_broken(&self) -> bool {
        self.broken.is_some()
    }

    /// Returns the moment that is shown, in nanoseconds since 1970.
    pub(crate) fn moment_ns(&self) -> i64 {
        self.mode.moment_ns(self.now_ns)
    }

    pub(crate) fn look(&self) -> Look {
        Look { now_ns: self.moment_ns(), zone: self.settings.zone }
    }

    /// Returns the words that the rows of the panel are shown by: those being typed, else those that were.
    pub(crate) fn words(&self) -> &str {
        match &self.over {
            Over::Prompt(prompt) if prompt.kind == PromptKind::Words => prompt.typed.text(),
            Over::Prompt(_)
            | Over::Nothing
            | Over::Help { .. }
            | Over::Detail { .. }
            | Over::Question(_) => &self.words[self.panel.idx()],
        }
    }

    /// Returns which of its tables the panel shows.
    pub(crate) fn table(&self) -> Table {
        self.panel.tables()[self.table_idxs[self.panel.idx()]]
    }

    /// Returns whether the panel shows the newest last and goes with it.
    fn ends_with_newest(&self) -> bool {
        match self.panel {
            Panel::Log => true,
            Panel::Session => self.talk.is_some(),
            Panel::Fleet
            | Panel::Inbox
            | Panel::Timeline
            | Panel::Trace
            | Panel::Work
            | Panel::Usage
            | Panel::Files
            | Panel::Errors
            | Panel::Decisions
            | Panel::Loops
            | Panel::Runs
            | Panel::Gateway => false,
        }
    }

    /// Returns how many rows the panel has.
    pub(crate) fn n_rows(&self) -> usize {
        match &self.talk {
            Some(talk) if self.panel == Panel::Session => talk.blocks.len(),
            Some(_) | None => self.listing.items.len(),
        }
    }

    /// Returns a row of the panel.
    pub(crate) fn item(&self, idx: usize) -> Option<&dyn Item> {
        match &self.talk {
            Some(talk) if self.panel == Panel::Session => {
                talk.blocks.get(idx).map(|block| block as &dyn Item)
            }
            Some(_) | None => self.listing.items.get(idx).map(|item| &**item),
        }
    }

    /// Returns the chosen row of the panel.
    pub(crate) fn chosen(&self) -> Option<&dyn Item> {
        self.item(self.spot().idx)
    }

    pub(crate) fn spot(&self) -> &Spot {
        &self.spots[self.panel.idx()]
    }

    /// Returns which keys count.
    pub(crate) fn context(&self) -> Context {
        match (&self.over, self.panel) {
            (Over::Prompt(_), _) => Context::Prompt,
            (Over::Question(_), _) => Context::Question,
            (Over::Help { .. } | Over::Detail { .. }, _) => Context::Over,
            (Over::Nothing, Panel::Timeline) => Context::Timeline,
            (Over::Nothing, Panel::Session) => Context::Session,
            (Over::Nothing, Panel::Usage) => Context::Usage,
            (Over::Nothing, Panel::Loops) => Context::Loops,
            (
                Over::Nothing,
                Panel::Fleet
                | Panel::Inbox
                | Panel::Trace
                | Panel::Work
                | Panel::Files
                | Panel::Errors
                | Panel::Decisions
                | Panel::Runs
                | Panel::Gateway
                | Panel::Log,
            ) => Context::Panels,
        }
    }

    fn press(&mut self, key: KeyEvent) -> Vec<Effect> {
        if !matches!(self.over, Over::Prompt(_)) {
            self.notice = None;
        }
        match (keys::action(self.context(), key), &mut self.over) {
            (Some(action), _) => self.act(action),
            (None, Over::Prompt(prompt)) => {
                if prompt.typed.press(key) {
                    prompt.forget();
                }
                Vec::new()
            }
            (None, Over::Nothing | Over::Help { .. } | Over::Detail { .. } | Over::Question(_)) => {
                Vec::new()
            }
        }
    }

    /// Scrolls or closes what lies over the panel.
    fn act_over(&mut self, action: OverAction) {
        let page = usize::from(self.size.1.saturating_sub(6)).max(1);
        match action {
            OverAction::Close => self.over = Over::Nothing,
            OverAction::Up => self.scroll_over(|top| top.saturating_sub(1)),
            OverAction::Down => self.scroll_over(|top| top + 1),
            OverAction::PageUp => self.scroll_over(|top| top.saturating_sub(page)),
            OverAction::PageDown => self.scroll_over(|top| top + page),
        }
    }

    fn scroll_over(&mut self, to: impl Fn(usize) -> usize) {
        let last = crate::draw::over_lines(self).saturating_sub(1);
        if let Over::Help { top } | Over::Detail { top } = &mut self.over {
            *top = to(*top).min(last);
        }
    }
}

#[cfg(test)]
mod tests;
