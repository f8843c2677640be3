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
    match app.panel {
        Panel::Log => log_command(&app.filter),
        Panel::Session => {
            let session = app.talk.as_ref().map(|talk| shell(&talk.session));
            session.map_or_else(|| log_command(""), |id| format!("weft session {id}"))
        }
        Panel::Trace => {
            let trace = app.trace.as_ref().map(|trace| shell(&trace.id));
            trace.map_or_else(|| log_command(""), |id| format!("weft trace {id}"))
        }
        Panel::Fleet
        | Panel::Inbox
        | Panel::Timeline
        | Panel::Work
        | Panel::Usage
        | Panel::Files
        | Panel::Errors
        | Panel::Decisions => log_command(""),
    }
}
