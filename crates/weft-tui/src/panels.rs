//! What each panel lists, from the views.

mod decisions;
mod errors;
mod files;
mod fleet;
mod inbox;
mod lane;
mod sessions;
mod traces;
mod usage;
mod work;

use weft_view::{Prices, Rules};

use crate::app::App;
use crate::listing::{Listing, log_command, shell};
use crate::mode::Mode;
use crate::panel::Panel;
use crate::tail;

pub(crate) use usage::GROUPS;

/// Returns the rows of the panel that is shown.
pub(crate) fn listing(app: &App) -> Listing {
    let (views, now_ns) = (&app.views, app.moment_ns());
    let (rules, prices) = (Rules::default(), Prices::default());
    match app.panel {
        Panel::Fleet => {
            let rows = views.fleet.rows(now_ns, &rules);
            Listing::new(fleet::COLUMNS, rows, "nobody has said anything yet")
        }
        Panel::Inbox => {
            let rows = weft_view::inbox::inbox(views, now_ns, &rules);
            Listing::new(inbox::COLUMNS, rows, "nothing needs you")
        }
        Panel::Timeline => lane::listing(app),
        Panel::Session => {
            let rows = views.sessions.rows(now_ns, &views.usage, &prices);
            Listing::new(sessions::COLUMNS, rows, "there are no sessions yet")
        }
        Panel::Trace => match &app.trace {
            Some(trace) => traces::spans(trace),
            None => Listing::new(traces::COLUMNS, views.traces.rows(), "there are no traces yet"),
        },
        Panel::Work => Listing::new(work::COLUMNS, views.work.rows(now_ns), "there is no work yet"),
        Panel::Usage => usage::listing(app, &prices),
        Panel::Files => {
            Listing::new(files::COLUMNS, views.files.rows(now_ns), "no file was touched yet")
        }
        Panel::Errors => Listing::new(errors::COLUMNS, views.errors.rows(), "nothing failed"),
        Panel::Decisions => {
            Listing::new(decisions::COLUMNS, views.decisions.rows(), "nothing was decided yet")
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
    match app.panel {
        Panel::Fleet => view("fleet"),
        Panel::Inbox => view("inbox"),
        Panel::Work => view("work"),
        Panel::Usage => view("usage"),
        Panel::Files => view("files"),
        Panel::Errors => view("errors"),
        Panel::Decisions => view("decisions"),
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
