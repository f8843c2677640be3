//! What each panel lists, from the views.

mod budgets;
mod collisions;
mod decisions;
mod errors;
mod files;
mod fleet;
mod gateway;
mod inbox;
mod lane;
mod loops;
mod plans;
mod runs;
mod sessions;
mod stuck;
mod traces;
mod usage;
mod work;

use weft_view::Judgement;

use crate::app::App;
use crate::listing::{Listing, log_command, shell};
use crate::mode::Mode;
use crate::panel::{Panel, Table};
use crate::tail;

pub(crate) use usage::GROUPS;

/// Returns the rows of the panel that is shown.
pub(crate) fn listing(app: &App) -> Listing {
    let (views, now_ns, judgement) = (&app.views, app.moment_ns(), &app.settings.judgement);
    let rules = &judgement.rules;
    match app.table() {
        Table::Main => main(app),
        Table::Stuck => {
            let rows = weft_view::stuck::stuck(views, now_ns, rules);
            Listing::new(stuck::COLUMNS, rows, "nobody is stuck")
        }
        Table::Plans => {
            let rows = plans::rows(views.work.plans(now_ns));
            Listing::new(plans::COLUMNS, rows, "there are no plans yet")
        }
        Table::Budgets => {
            let rows = views.usage.all_budgets(judgement, now_ns);
            Listing::new(budgets::COLUMNS, rows, "no budget was set or reported yet")
        }
        Table::Collisions => {
            let rows = views.files.collisions(now_ns, &rules.windows());
            Listing::new(collisions::COLUMNS, rows, "nobody got in anybody's way in the last hour")
        }
        Table::Leases => {
            let rows = collisions::held(views.files.rows(now_ns));
            Listing::new(collisions::LEASE_COLUMNS, rows, "nobody holds a file")
        }
    }
}

/// Returns the rows that the panel is named for.
fn main(app: &App) -> Listing {
    let (views, now_ns) = (&app.views, app.moment_ns());
    let judgement = &app.settings.judgement;
    let Judgement { rules, prices, .. } = judgement;
    match app.panel {
        Panel::Fleet => {
            let rows = fleet::rows(views, now_ns, rules);
            Listing::new(fleet::COLUMNS, rows, "nobody has said anything yet")
        }
        Panel::Inbox => {
            let rows = weft_view::inbox::needs(views, now_ns, judgement);
            Listing::new(inbox::COLUMNS, rows, "nothing needs you")
        }
        Panel::Timeline => lane::listing(app),
        Panel::Session => {
            let rows = views.sessions.rows(now_ns, &views.usage, prices);
            Listing::new(sessions::COLUMNS, rows, "there are no sessions yet")
        }
        Panel::Trace => match &app.trace {
            Some(trace) => traces::spans(trace),
            None => Listing::new(traces::COLUMNS, views.traces.rows(), "there are no traces yet"),
        },
        Panel::Work => Listing::new(work::COLUMNS, views.work.rows(now_ns), "there is no work yet"),
        Panel::Usage => usage::listing(app, prices),
        Panel::Files => {
            Listing::new(files::COLUMNS, views.files.rows(now_ns), "no file was touched yet")
        }
        Panel::Errors => Listing::new(errors::COLUMNS, views.errors.rows(), "nothing failed"),
        Panel::Decisions => {
            Listing::new(decisions::COLUMNS, views.decisions.rows(), "nothing was decided yet")
        }
        Panel::Loops => {
            let rows = views.loops.rows(now_ns, rules);
            Listing::new(loops::COLUMNS, rows, "there are no loops yet")
        }
        Panel::Runs => {
            let rows = views.runs.rows(now_ns, rules);
            Listing::new(runs::COLUMNS, rows, "there are no runs yet")
        }
        Panel::Gateway => {
            let rows = gateway::rows(views.gateway.rows(now_ns, rules));
            Listing::new(gateway::COLUMNS, rows, "there is no gateway")
        }
        Panel::Log => {
            Listing::shared(tail::COLUMNS, app.tail.lines().cloned(), "no record matches")
        }
    }
}

/// Returns the command that gives what is shown where no row is chosen.
pub(crate) fn command(app: &App) -> String {
    let view = |name: &str| match app.mode {
        Mode::Live => format!("weft {name}"),
        Mode::Paused { .. } | Mode::Replay { .. } => format!("weft {name} --at {}", app.taken),
    };
    match app.table() {
        Table::Main => {}
        Table::Stuck => return view("stuck"),
        Table::Plans => return view("work --plans"),
        Table::Budgets => return view("usage --budgets"),
        Table::Collisions => return view("files --collisions"),
        Table::Leases => return view("files"),
    }
    match app.panel {
        Panel::Fleet => view("fleet"),
        Panel::Inbox => view("inbox"),
        Panel::Work => view("work"),
        Panel::Usage => view("usage"),
        Panel::Files => view("files"),
        Panel::Errors => view("errors"),
        Panel::Decisions => view("decisions"),
        Panel::Loops => view("loops"),
        Panel::Runs => view("runs"),
        Panel::Gateway => view("gateway"),
        Panel::Session => match &app.talk {
            Some(talk) => format!("weft session {}", shell(&talk.session)),
            None => view("sessions"),
        },
        Panel::Trace => match &app.trace {
            Some(trace) => format!("weft trace {}", shell(&trace.id)),
            None => view("traces"),
        },
        Panel::Timeline | Panel::Log => log_command(&app.filter),
    }
}
