//! A view as it changes: drawn again on a terminal, and elsewhere the rows that changed, line by line.

use std::collections::HashMap;
use std::io::{self, IsTerminal as _};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use jiff::tz::TimeZone;
use weft_event::json::Json;
use weft_log::tail::{Step, Tail};
use weft_log::{Filter, Position, Store};
use weft_server::notify::Bell;
use weft_server::views::{Fold, Moment, Name, Page, Row, fold_at};
use weft_view::inbox::needs;

use super::{Question, ViewArgs, json_lines};
use crate::columns::{self, Columns};
use crate::config;
use crate::notify::BELL;
use crate::output;
use crate::signals::Stop;
use crate::stores;
use crate::times::now_ns;

/// How long a look for more takes at most: then Ctrl-C is noticed, and what single commands left in the spool.
const LOOK: Duration = Duration::from_millis(250);

/// How often it is drawn at most.
const DRAW_EVERY: Duration = Duration::from_millis(250);

/// How often it is drawn where nothing comes: how long ago something was goes on.
const DRAW_QUIET_EVERY: Duration = Duration::from_secs(1);

/// Puts the cursor to the corner of a terminal and empties it.
const CLEAR: &str = "\x1b[H\x1b[2J";

/// Shows a view until Ctrl-C.
pub(super) fn watch(store: &Store, question: &Question<'_>, args: &ViewArgs) -> anyhow::Result<()> {
    let stop = Stop::listen().context("cannot listen for Ctrl-C")?;
    let (mut fold, _) = fold_at(store, Moment::Now, now_ns()).context("cannot fold the log")?;
    let next = Position::FIRST.plus(fold.upto());
    let mut tail = Tail::open(store, next, Filter::all()).context("cannot follow the log")?;
    let mut screen = Screen::new(store, question, args);
    screen.draw(&fold)?;
    stop.wait_for();
    let (mut drawn, mut is_changed) = (Instant::now(), false);
    while !stop.is_asked() {
        match tail.read(LOOK).context("cannot follow the log")? {
            Step::Records { records, .. } => {
                records.iter().for_each(|found| fold.take(&found.meta, &found.line));
                is_changed = true;
            }
            Step::Quiet => stores::take_spool(store)?,
        }
        let every = if is_changed { DRAW_EVERY } else { DRAW_QUIET_EVERY };
        if drawn.elapsed() >= every {
            screen.draw(&fold)?;
            (drawn, is_changed) = (Instant::now(), false);
        }
    }
    Ok(())
}

/// What was shown last, and how.
struct Screen<'s> {
    question: &'s Question<'s>,
    args: &'s ViewArgs,
    is_terminal: bool,
    /// The table, where lines are added to it.
    table: Columns,
    /// What rows said, by their ids.
    shown: HashMap<String, u64>,
    bell: Bell,
}

impl<'s> Screen<'s> {
    fn new(store: &Store, question: &'s Question<'s>, args: &'s ViewArgs) -> Self {
        let table = Columns::new(question.layout.titles(), None);
        let is_terminal = io::stdout().is_terminal() && !args.json;
        // Whatever else is shown, the inbox is what rings.
        let is_inbox = question.layout.view == Name::Inbox && is_terminal;
        let rules = if is_inbox { config::notify(store) } else { Vec::new() };
        let bell = Bell::new(&rules, TimeZone::system());
        Self { question, args, is_terminal, table, shown: HashMap::new(), bell }
    }

    fn draw(&mut self, fold: &Fold) -> anyhow::Result<()> {
        let now_ns = now_ns();
        let page = self.question.page(fold.views(), now_ns);
        let text = if self.is_terminal {
            let mut table =
                Columns::new(self.question.layout.titles(), columns::terminal_columns());
            let rows = self.question.table(&mut table, &page.rows, self.args.time, now_ns);
            let nothing = if page.rows.is_empty() { self.question.layout.nothing } else { "" };
            let is_due = self.bell.is_set() && {
                let needs = needs(fold.views(), now_ns, &self.question.judgement);
                self.bell.is_due(&needs, now_ns)
            };
            let bell = if is_due { BELL } else { "" };
            format!("{CLEAR}{rows}{nothing}\n{bell}")
        } else {
            self.changes(&page, now_ns)
        };
        self.shown = page.rows.iter().map(|row| (row.id.clone(), row.gist())).collect();
        Ok(output::print(text.as_bytes())?)
    }

    /// Returns the rows that changed, and the ids of those that are gone.
    fn changes(&mut self, page: &Page, now_ns: i64) -> String {
        let is_new = |row: &&Row| self.shown.get(&row.id).is_none_or(|gist| *gist != row.gist());
        let rows: Vec<Row> = page.rows.iter().filter(is_new).cloned().collect();
        let is_there = |id: &str| page.rows.iter().any(|row| row.id == id);
        let mut gone: Vec<&str> =
            self.shown.keys().map(String::as_str).filter(|id| !is_there(id)).collect();
        gone.sort_unstable();
        let mut text = if self.args.json {
            json_lines(&rows)
        } else {
            self.question.table(&mut self.table, &rows, self.args.time, now_ns)
        };
        for id in gone {
            let line = if self.args.json {
                Json::object(|object| object.text("gone", id)).as_str().to_owned()
            } else {
                format!("gone: {}", output::Shown(id))
            };
            text.push_str(&line);
            text.push('\n');
        }
        text
    }
}
