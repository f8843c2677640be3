//! What the commands of the views have in common: which moment is asked for, and how rows are shown, once or as they change.
//!
//! The rows are those that `--json`, HTTP and MCP give; a table is made of the same rows.

pub(crate) mod decisions;
pub(crate) mod errors;
pub(crate) mod files;
pub(crate) mod fleet;
pub(crate) mod gateway;
pub(crate) mod inbox;
mod layout;
pub(crate) mod loops;
pub(crate) mod runs;
pub(crate) mod sessions;
pub(crate) mod stuck;
pub(crate) mod traces;
pub(crate) mod usage;
mod watch;
pub(crate) mod work;

use anyhow::Context as _;
use weft_server::views::{Ask, GROUPINGS, Judgement, Moment, Page, fold_at};
use weft_view::usage::By;

use crate::Outcome;
use crate::columns::{self, Columns};
use crate::config;
use crate::output::{self, plural, tell};
use crate::records::Limit;
use crate::stores::StoreArgs;
use crate::times::{Clock, TimeArgs};
use layout::Layout;

/// What every view can be asked.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct ViewArgs {
    #[command(flatten)]
    store: StoreArgs,
    /// As it was at this position, or at this time (2h, 2026-11-15T09:30)
    #[arg(long, value_name = "POSITION|TIME")]
    at: Option<String>,
    /// How many rows at most, or all
    #[arg(long, short = 'n', value_name = "N", default_value = "50")]
    limit: Limit,
    /// Print one JSON object a line
    #[arg(long)]
    json: bool,
    /// Show it again whenever it changes, until Ctrl-C
    #[arg(long, conflicts_with = "at")]
    watch: bool,
    #[command(flatten)]
    time: TimeArgs,
}

/// Shows a view. Returns how many rows it has; none after it was watched.
fn show(args: &ViewArgs, layout: &Layout) -> anyhow::Result<usize> {
    show_by(args, layout, GROUPINGS[0].1)
}

fn show_by(args: &ViewArgs, layout: &Layout, by: By) -> anyhow::Result<usize> {
    let clock = Clock::new(args.time);
    let moment = args.at.as_deref().map(|at| Moment::parse(at, clock.now_ns())).transpose()?;
    let limit = match args.limit {
        Limit::All => usize::MAX,
        Limit::Count(n) => n,
    };
    let store = args.store.store()?;
    let question = Question { layout, by, limit, judgement: config::judgement(&store) };
    if args.watch {
        watch::watch(&store, &question, args)?;
        return Ok(0);
    }
    let moment = moment.unwrap_or(Moment::Now);
    let (fold, now_ns) = fold_at(&store, moment, clock.now_ns())
        .with_context(|| format!("cannot show {}", layout.view.as_str()))?;
    let page = question.page(fold.views(), now_ns);
    if args.json {
        output::print(json_lines(&page.rows).as_bytes())?;
    } else {
        let mut table = layout.table(columns::terminal_columns());
        output::print(question.table(&mut table, &page.rows, args.time, now_ns).as_bytes())?;
        if page.rows.is_empty() {
            tell(format_args!("note: {}", layout.nothing));
        }
        tell_rest(&page);
    }
    Ok(page.rows.len() + page.n_more)
}

/// Shows a view, whatever it has.
fn run(args: &ViewArgs, layout: &Layout) -> anyhow::Result<Outcome> {
    show(args, layout)?;
    Ok(Outcome::Fine)
}

/// What is asked of a view, and how it is shown.
struct Question<'q> {
    layout: &'q Layout,
    by: By,
    limit: usize,
    judgement: Judgement,
}

impl Question<'_> {
    fn page(&self, views: &weft_view::Views, now_ns: i64) -> Page {
        let ask = Ask { view: self.layout.view, by: self.by, now_ns, limit: self.limit };
        Page::of(views, &ask, &self.judgement)
    }

    fn table(
        &self,
        table: &mut Columns,
        rows: &[weft_server::views::Row],
        time: TimeArgs,
        now_ns: i64,
    ) -> String {
        let clock = Clock::then(time, now_ns);
        let cells = rows.iter().map(|row| self.layout.cells(&row.json, &clock));
        match rows.is_empty() {
            true => String::new(),
            false => table.render(cells.collect()),
        }
    }
}

fn json_lines(rows: &[weft_server::views::Row]) -> String {
    rows.iter().flat_map(|row| [row.json.as_str(), "\n"]).collect()
}

fn tell_rest(page: &Page) {
    if page.n_more > 0 {
        let more = plural(page.n_more as u64, "more row");
        tell(format_args!(
            "note: there {} {more}: --limit all",
            if page.n_more == 1 { "is" } else { "are" }
        ));
    }
}
