//! A view as it changes: drawn again on a terminal, and elsewhere the rows that changed, line by line.

use std::collections::HashMap;
use std::io::{self, IsTerminal as _};

use anyhow::Context as _;
use jiff::tz::TimeZone;
use weft_event::json::Json;
use weft_log::query::Found;
use weft_log::{Filter, Position, Store};
use weft_server::notify::Bell;
use weft_server::views::{Fold, Moment, Name, Page, Row, fold_at};
use weft_view::inbox::needs;

use super::{Question, ViewArgs, json_lines};
use crate::columns::{self, Columns};
use crate::config;
use crate::follow::{CLEAR, Coming, Watched, follow, listen};
use crate::notify::BELL;
use crate::output;
use crate::times::now_ns;

/// Shows a view until Ctrl-C.
pub(super) fn watch(store: &Store, question: &Question<'_>, args: &ViewArgs) -> anyhow::Result<()> {
    let stop = listen()?;
    let (fold, _) = fold_at(store, Moment::Now, now_ns()).context("cannot fold the log")?;
    let from = Position::FIRST.plus(fold.upto());
    let coming = Coming { store: store.clone(), from, filter: Filter::all(), stop };
    follow(coming, &mut Screen::new(store, fold, question, args))
}

/// What was shown last, and how.
struct Screen<'s> {
    fold: Fold,
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
    fn new(store: &Store, fold: Fold, question: &'s Question<'s>, args: &'s ViewArgs) -> Self {
        let table = question.layout.table(None);
        let is_terminal = io::stdout().is_terminal() && !args.json;
        // Whatever else is shown, the inbox is what rings.
        let is_inbox = question.layout.view == Name::Inbox && is_terminal;
        let rules = if is_inbox { config::notify(store) } else { Vec::new() };
        let bell = Bell::new(&rules, TimeZone::system());
        Self { fold, question, args, is_terminal, table, shown: HashMap::new(), bell }
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

impl Watched for Screen<'_> {
    fn take(&mut self, records: &[Found]) -> anyhow::Result<()> {
        records.iter().for_each(|found| self.fold.take(&found.meta, &found.line));
        Ok(())
    }

    fn draw(&mut self) -> anyhow::Result<()> {
        let now_ns = now_ns();
        let page = self.question.page(self.fold.views(), now_ns);
        let text = if self.is_terminal {
            let mut table = self.question.layout.table(columns::terminal_columns());
            let rows = self.question.table(&mut table, &page.rows, self.args.time, now_ns);
            let nothing = if page.rows.is_empty() { self.question.layout.nothing } else { "" };
            let is_due = self.bell.is_set() && {
                let needs = needs(self.fold.views(), now_ns, &self.question.judgement);
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
}
