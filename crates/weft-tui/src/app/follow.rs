//! What the source says, and when it is taken in.

use super::{App, Arrival, Effect, Over, PromptKind};
use crate::feed::{Order, Told};
use crate::mode::Mode;
use crate::panel::Panel;
use crate::source::{Ask, End, Opening, Page, Record, SourceError, Which};
use crate::tail::{LINES_MAX, LogLine};
use crate::talk;
use crate::trace::RECORDS_MAX;
use weft_view::traces::Spans;

/// Most records that wait for their moment before the source is told to wait, too.
const PENDING_MAX: usize = 4096;
/// How few of them make it go on.
const PENDING_MIN: usize = 1024;
/// How many records of the past the log and the timeline begin with.
const PAST_MAX: usize = 1000;

impl App {
    pub(super) fn told(&mut self, told: Told) -> Vec<Effect> {
        match told {
            Told::Opened(Ok(opening)) => self.opened(*opening),
            Told::Opened(Err(error)) => {
                self.notice = Some(said(&error));
                Vec::new()
            }
            Told::More(more) => {
                self.head = self.head.max(more.head);
                if let Some(leap) = more.leap {
                    (self.views, self.taken) = (leap.views, leap.upto);
                }
                self.pending.extend(more.records);
                self.advance()
            }
            Told::Filter { text, result: Ok(()) } => self.filtered(text),
            Told::Filter { text, result: Err(fault) } => {
                match &mut self.over {
                    Over::Prompt(prompt) if prompt.typed.text() == text => {
                        prompt.fault = Some(fault);
                    }
                    Over::Prompt(_)
                    | Over::Nothing
                    | Over::Help { .. }
                    | Over::Detail { .. }
                    | Over::Question(_) => {
                        self.notice = Some(format!("{text}: {}", fault.message));
                    }
                }
                Vec::new()
            }
            Told::Page { ask, result: Ok(page) } => {
                self.paged(&ask, page);
                Vec::new()
            }
            Told::Page { result: Err(error), .. } => {
                self.notice = Some(said(&error));
                if let Some(talk) = &mut self.talk {
                    talk.is_asked = false;
                }
                Vec::new()
            }
            Told::Completions(completions) => {
                if let Over::Prompt(prompt) = &mut self.over {
                    prompt.offer(completions);
                }
                Vec::new()
            }
            Told::Steered { steer, result } => {
                self.steered(&steer, result);
                Vec::new()
            }
            Told::Broken(error) => {
                self.broken = Some(said(&error));
                Vec::new()
            }
        }
    }

    /// Takes in what is due.
    pub(super) fn advance(&mut self) -> Vec<Effect> {
        let moment_ns = self.moment_ns();
        while let Some(record) = self.pending.front() {
            let is_due = match self.mode {
                Mode::Live => true,
                Mode::Paused { .. } => record.position <= self.goal,
                Mode::Replay { .. } => {
                    record.position <= self.goal || record.received_ns <= moment_ns
                }
            };
            if !is_due {
                break;
            }
            let record = self.pending.pop_front().expect("it was there");
            self.take(record);
        }
        let is_caught_up = moment_ns >= self.now_ns && self.pending.is_empty();
        if matches!(self.mode, Mode::Replay { .. }) && is_caught_up && self.taken >= self.head {
            self.mode = Mode::Live;
        }
        self.pace()
    }

    /// Tells the source to wait while enough is pending, and to go on when it is not.
    fn pace(&mut self) -> Vec<Effect> {
        let is_behind = self.taken < self.goal;
        let wants_more = match self.mode {
            Mode::Live => true,
            Mode::Paused { .. } => is_behind && self.pending.is_empty(),
            Mode::Replay { .. } if self.is_held => self.pending.len() < PENDING_MIN,
            Mode::Replay { .. } => self.pending.len() < PENDING_MAX,
        };
        if wants_more != self.is_held {
            return Vec::new();
        }
        self.is_held = !wants_more;
        vec![Effect::Tell(if wants_more { Order::Go } else { Order::Hold })]
    }

    /// Takes in a record, once: views count, and a source that catches up may give what it gave before.
    fn take(&mut self, record: Record) {
        if record.position <= self.taken {
            return;
        }
        self.taken = record.position;
        let is_near = self.head.saturating_sub(record.position) < LINES_MAX as u64;
        let (views, lanes, talk) = (&mut self.views, &mut self.lanes, &mut self.talk);
        let mut is_heard = false;
        self.reading.take(&record, |entry, _| {
            views.apply(entry);
            lanes.take(entry);
            is_heard = talk.as_mut().is_some_and(|talk| talk.hear(entry));
        });
        if let Some(talk) = talk.as_mut().filter(|_| is_heard) {
            talk.keep(record.clone(), &mut self.reading);
        }
        if record.is_match && is_near {
            self.tail.push(LogLine::new(record));
        }
    }

    fn opened(&mut self, opening: Opening) -> Vec<Effect> {
        let moment_ns = opening.received_ns.unwrap_or(self.now_ns);
        self.views = opening.views;
        (self.taken, self.goal) = (opening.upto, opening.position);
        self.head = self.head.max(opening.head);
        self.is_open = true;
        self.broken = None;
        self.pending.clear();
        self.lanes = Default::default();
        self.mode = match self.arrival {
            Arrival::Follow => Mode::Live,
            Arrival::Look => Mode::Paused { at_ns: moment_ns, was_live: false },
        };
        // A source that opens goes on by itself.
        self.is_held = false;
        let mut effects = self.ask_past();
        if !self.filter.is_empty() {
            // The timeline shows everybody, whatever the log shows.
            let all = Which::Filter(String::new());
            effects.push(Effect::Tell(Order::Page(self.ask(all, PAST_MAX))));
        }
        effects.extend(self.talk.as_ref().map(|talk| self.ask_session(&talk.session)));
        effects.extend(self.trace.as_ref().map(|trace| self.ask_trace(&trace.id)));
        effects.extend(self.pace());
        effects
    }

    fn filtered(&mut self, text: String) -> Vec<Effect> {
        let is_typed = |kind| matches!(&self.over, Over::Prompt(prompt) if prompt.kind == kind);
        if is_typed(PromptKind::Filter) || is_typed(PromptKind::Palette) {
            self.over = Over::Nothing;
        }
        self.filter = text;
        self.ask_past()
    }

    /// Asks for the records that the log begins with.
    fn ask_past(&mut self) -> Vec<Effect> {
        self.tail.clear();
        self.spots[Panel::Log.idx()].id = None;
        if !self.is_open {
            return Vec::new();
        }
        let which = Which::Filter(self.filter.clone());
        vec![Effect::Tell(Order::Page(self.ask(which, PAST_MAX)))]
    }

    /// Asks for the records of a session, the newest.
    pub(super) fn ask_session(&self, session: &str) -> Effect {
        let which = Which::Session(session.to_owned());
        Effect::Tell(Order::Page(self.ask(which, talk::PAGE_MAX)))
    }

    /// Asks for the records of a trace.
    pub(super) fn ask_trace(&self, id: &str) -> Effect {
        Effect::Tell(Order::Page(self.ask(Which::Trace(id.to_owned()), RECORDS_MAX)))
    }

    /// Asks for records up to the moment shown, the newest.
    pub(super) fn ask(&self, which: Which, max: usize) -> Ask {
        let upto = match self.mode {
            Mode::Live => self.head,
            Mode::Paused { .. } | Mode::Replay { .. } => self.taken.max(self.goal),
        };
        Ask { which, after: 0, upto, end: End::Newest, max, now_ns: self.now_ns }
    }

    fn paged(&mut self, ask: &Ask, page: Page) {
        match &ask.which {
            Which::Filter(text) => {
                for record in &page.records {
                    let lanes = &mut self.lanes;
                    self.reading.take(record, |entry, _| lanes.take(entry));
                }
                if *text == self.filter {
                    self.tail.prepend(page.records.into_iter().map(LogLine::new).collect());
                }
            }
            Which::Session(session) => {
                let Some(talk) = self.talk.as_mut().filter(|talk| talk.session == *session) else {
                    return;
                };
                let chosen = talk.blocks.get(self.spots[Panel::Session.idx()].idx);
                let chosen = chosen.and_then(|block| block.positions.first().copied());
                let is_more = talk.add(ask, page, &mut self.reading);
                if let Some(position) = chosen.filter(|_| is_more) {
                    self.keep_chosen(position);
                }
            }
            Which::Trace(id) => {
                let mut spans = Spans::default();
                for record in &page.records {
                    self.reading.take(record, |entry, _| spans.add(entry));
                }
                if let Some(trace) = self.trace.as_mut().filter(|trace| trace.id == *id) {
                    trace.spans = spans.finish();
                }
            }
        }
    }
}

/// Returns an error with its causes, on one line.
pub(super) fn said(error: &SourceError) -> String {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(error) = source {
        text.push_str(&format!(": {error}"));
        source = error.source();
    }
    text
}
