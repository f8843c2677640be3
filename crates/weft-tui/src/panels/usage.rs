//! Tokens and cost, by one of five groupings.

use weft_view::Prices;
use weft_view::usage::{By, UsageRow};

use crate::app::App;
use crate::listing::{Cell, Column, Field, Item, Link, Listing, Look, field, log_command, quoted};
use crate::text::{count, money, short, since};
use crate::theme::Tone;

/// What usage can be grouped by: what it is called, and the field of a filter that finds its records.
pub(crate) const GROUPS: [(By, &str, Option<&str>); 5] = [
    (By::Actor, "actor", Some("actor")),
    (By::Session, "session", Some("session")),
    (By::Task, "task", Some("task")),
    (By::Model, "model", Some("model")),
    (By::Day, "day", None),
];

const COLUMNS: [&[Column]; 5] = [
    columns(&COLUMNS_ACTOR),
    columns(&COLUMNS_SESSION),
    columns(&COLUMNS_TASK),
    columns(&COLUMNS_MODEL),
    columns(&COLUMNS_DAY),
];

const fn columns(columns: &'static [Column; 7]) -> &'static [Column] {
    columns
}

const fn titled(title: &'static str) -> [Column; 7] {
    [
        Column { title, min: 12, max: 40, rank: 0 },
        Column { title: "Cost", min: 8, max: 10, rank: 0 },
        Column { title: "Tokens", min: 7, max: 9, rank: 0 },
        Column { title: "In", min: 7, max: 9, rank: 1 },
        Column { title: "Out", min: 7, max: 9, rank: 2 },
        Column { title: "Cached", min: 7, max: 9, rank: 3 },
        Column { title: "Last", min: 4, max: 7, rank: 4 },
    ]
}

const COLUMNS_ACTOR: [Column; 7] = titled("By actor");
const COLUMNS_SESSION: [Column; 7] = titled("By session");
const COLUMNS_TASK: [Column; 7] = titled("By task");
const COLUMNS_MODEL: [Column; 7] = titled("By model");
const COLUMNS_DAY: [Column; 7] = titled("By day");

/// One row, and how its records are found.
struct Row {
    usage: UsageRow,
    /// What it is grouped by.
    group: &'static str,
    field: Option<&'static str>,
    is_total: bool,
}

pub(super) fn listing(app: &App, prices: &Prices) -> Listing {
    let (by, group, field) = GROUPS[app.group_idx];
    let book = &app.views.usage;
    let row = |usage, is_total| Row { usage, group, field, is_total };
    let mut rows: Vec<Row> =
        book.rows(by, prices).into_iter().map(|usage| row(usage, false)).collect();
    if !rows.is_empty() {
        rows.insert(0, row(book.total(prices), true));
    }
    Listing::new(COLUMNS[app.group_idx], rows, "nothing was used up yet")
}

impl Row {
    fn filter(&self) -> Option<String> {
        let (field, name) = (self.field?, self.usage.name.as_deref()?);
        Some(format!("{field}={}", quoted(name)))
    }

    fn name(&self) -> String {
        match (&self.usage.name, self.is_total) {
            (_, true) => "all".to_owned(),
            (Some(name), false) => name.clone(),
            (None, false) => format!("no {}", self.group),
        }
    }
}

impl Item for Row {
    fn id(&self) -> String {
        format!("{}/{}", self.is_total, self.name())
    }

    fn cells(&self, look: &Look) -> Vec<Cell> {
        let usage = &self.usage;
        let tone = if self.is_total { Tone::Accent } else { Tone::Strong };
        vec![
            Cell::new(self.name(), tone),
            Cell::plain(money(usage.cost_usd.0, usage.estimated_usd.0)),
            Cell::plain(short(usage.total_tokens)),
            Cell::plain(short(usage.input_tokens)),
            Cell::plain(short(usage.output_tokens)),
            Cell::plain(short(usage.cache_read_tokens)),
            Cell::plain(usage.last_seen.map(|at| since(at.0, look.now_ns)).unwrap_or_default()),
        ]
    }

    fn detail(&self, look: &Look) -> Vec<Field> {
        let usage = &self.usage;
        let mut fields = Vec::new();
        let mut add = |name, text: Option<String>| field(&mut fields, name, text);
        add("name", Some(self.name()));
        add("cost", Some(money(usage.cost_usd.0, usage.estimated_usd.0)));
        add("reported", Some(money(usage.reported_usd.0, 0)));
        add("estimated", Some(money(usage.estimated_usd.0, 0)));
        add("prices of", usage.prices_as_of.clone());
        add("unpriced", Some(format!("{} tokens", count(usage.unpriced_tokens))));
        add("tokens", Some(count(usage.total_tokens)));
        add("in", Some(count(usage.input_tokens)));
        add("out", Some(count(usage.output_tokens)));
        add("cache read", Some(count(usage.cache_read_tokens)));
        add("cache write", Some(count(usage.cache_write_tokens)));
        add("unsplit", Some(count(usage.unsplit_tokens)));
        add("reports", Some(count(usage.n_reports)));
        add("first", usage.first_seen.map(|at| look.zone.whole(at.0)));
        add("last", usage.last_seen.map(|at| look.zone.whole(at.0)));
        fields
    }

    fn link(&self) -> Link {
        let session = self.usage.name.clone().filter(|_| self.field == Some("session"));
        Link { session, trace: None, records: self.filter() }
    }

    fn command(&self) -> String {
        log_command(&self.filter().unwrap_or_else(|| "has:cost or has:tokens".to_owned()))
    }
}
