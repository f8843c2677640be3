//! The screen at work: keys, records and time in, pictures out. The one place that touches the terminal and the clock.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crossterm::event::{self, Event, KeyEventKind};
use weft_view::inbox::Need;

use crate::app::{App, Effect, Input, Settings};
use crate::draw::draw;
use crate::feed::{Feed, Gone};
use crate::source::{Source, SourceError};
use crate::terminal::Screen;

/// How long there is between two pictures at least.
const FRAME: Duration = Duration::from_millis(66);
/// How long there is between two pictures at most: ages grow.
const FRAME_MAX: Duration = Duration::from_secs(1);
/// A picture takes this part of the time at most.
const DRAW_SHARE: u32 = 5;
/// How often the source is listened to before it has opened: the first picture with something in it is waited for.
const OPENING: Duration = Duration::from_millis(4);
/// How long what was said is listened to before keys are looked at again.
const HEAR: Duration = Duration::from_millis(20);

/// How often it is looked whether something needs a person that was not told yet.
const RING_EVERY: Duration = Duration::from_secs(1);

/// Says of what needs a person at a moment whether to ring the bell.
pub type Ring = Box<dyn FnMut(&[Need], i64) -> bool>;

/// Why the screen ended.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The terminal cannot be used.
    #[error("cannot use the terminal")]
    Terminal(#[from] io::Error),
    /// The thread that reads records panicked.
    #[error("the reader of the log is gone")]
    Gone,
}

/// Shows the screen until its user leaves or `stop` says so. The source is made on a thread of its own. Without a `ring` the bell
/// stays silent.
pub fn run<S: Source>(
    settings: Settings,
    ring: Option<Ring>,
    make: impl FnOnce() -> Result<S, SourceError> + Send + 'static,
    stop: &AtomicBool,
) -> Result<(), RunError> {
    let mut screen = Screen::take()?;
    let feed = Feed::start(make)?;
    let shown = show((settings, ring), &mut screen, &feed, stop);
    drop(screen);
    let ended = feed.end();
    shown?;
    ended.map_err(|_panic_was_told| RunError::Gone)
}

fn show(
    (settings, mut ring): (Settings, Option<Ring>),
    screen: &mut Screen,
    feed: &Feed,
    stop: &AtomicBool,
) -> Result<(), RunError> {
    let (mut app, effects) = App::new(settings, now_ns());
    for effect in effects {
        if let Effect::Tell(order) = effect {
            feed.order(order);
        }
    }
    let size = screen.size()?;
    app.handle(now_ns(), Input::Resize(size.width, size.height));
    let mut pace = Pace::new();
    // What is there when all is read is seen without a ring; what comes right after it is not.
    let mut looked: Option<Instant> = None;
    loop {
        if pace.is_due() {
            let began = Instant::now();
            app.refresh();
            screen.draw(|frame| draw(&app, frame))?;
            pace.drawn(began);
        }
        if let Some(ring) = &mut ring
            && looked.is_none_or(|looked| looked.elapsed() >= RING_EVERY)
            && let Some(needs) = app.needs()
        {
            looked = Some(Instant::now());
            if ring(&needs, now_ns()) {
                screen.ring()?;
            }
        }
        let mut effects = Vec::new();
        let was_opening = app.is_opening();
        let heard = hear(&mut app, feed, &mut effects)?;
        if was_opening && !app.is_opening() {
            pace.answer();
        }
        pace.is_changed |= heard.is_news || app.is_moving();
        let patience = match heard.is_all {
            true if app.is_opening() => OPENING,
            true => pace.patience(),
            false => Duration::ZERO,
        };
        let mut is_pressed = event::poll(patience)?;
        while is_pressed {
            if let Some(input) = input(event::read()?) {
                effects.extend(app.handle(now_ns(), input));
                pace.answer();
            }
            is_pressed = event::poll(Duration::ZERO)?;
        }
        effects.extend(app.handle(now_ns(), Input::Tick));
        for effect in effects {
            match effect {
                Effect::Quit => return Ok(()),
                Effect::Tell(order) => feed.order(order),
                Effect::Copy(text) => screen.copy(&text)?,
            }
        }
        if stop.load(Ordering::Relaxed) || screen.is_lost() {
            return Ok(());
        }
    }
}

/// When the next picture is due.
struct Pace {
    is_changed: bool,
    drawn: Option<Instant>,
    /// No picture before this moment.
    next: Instant,
}

impl Pace {
    fn new() -> Self {
        Self { is_changed: true, drawn: None, next: Instant::now() }
    }

    fn is_due(&self) -> bool {
        let is_old = self.drawn.is_none_or(|drawn| drawn.elapsed() >= FRAME_MAX);
        is_old || self.is_changed && Instant::now() >= self.next
    }

    /// Returns how long can be waited for a key before the next picture is due.
    fn patience(&self) -> Duration {
        let due = self.next.saturating_duration_since(Instant::now());
        if self.is_changed { due.min(FRAME) } else { FRAME }
    }

    /// Makes the next picture due at once: somebody waits for it.
    fn answer(&mut self) {
        self.is_changed = true;
        self.next = Instant::now();
    }

    fn drawn(&mut self, began: Instant) {
        let now = Instant::now();
        self.drawn = Some(now);
        self.next = now + FRAME.max(began.elapsed() * (DRAW_SHARE - 1));
        self.is_changed = false;
    }
}

/// What listening to the source gave.
struct Heard {
    is_news: bool,
    /// Whether nothing more waits to be heard.
    is_all: bool,
}

/// Takes in what the source said, for a while.
fn hear(app: &mut App, feed: &Feed, effects: &mut Vec<Effect>) -> Result<Heard, RunError> {
    let began = Instant::now();
    let mut is_news = false;
    while began.elapsed() < HEAR {
        match feed.hear() {
            Ok(Some(told)) => {
                effects.extend(app.handle(now_ns(), Input::Told(told)));
                is_news = true;
            }
            Ok(None) => return Ok(Heard { is_news, is_all: true }),
            Err(Gone) if app.is_broken() => return Ok(Heard { is_news, is_all: true }),
            Err(Gone) => return Err(RunError::Gone),
        }
    }
    Ok(Heard { is_news, is_all: false })
}

/// Returns what happened at the terminal, if it is of interest.
fn input(event: Event) -> Option<Input> {
    match event {
        Event::Key(key) if key.kind != KeyEventKind::Release => Some(Input::Key(key)),
        Event::Mouse(mouse) => Some(Input::Mouse(mouse)),
        Event::Paste(text) => Some(Input::Paste(text)),
        Event::Resize(columns, rows) => Some(Input::Resize(columns, rows)),
        Event::Key(_) | Event::FocusGained | Event::FocusLost => None,
    }
}

fn now_ns() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}
