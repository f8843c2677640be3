//! What each frame of a loop used so far, by what its session reported since the frame began.

use weft_event::json::Tape;
use weft_event::time::format_rfc3339;
use weft_log::filter::quoted;
use weft_log::query::{Found, Order, Records};
use weft_log::{Filter, Store};
use weft_runtime::loops::State;
use weft_runtime::loops::decide::Spent;
use weft_view::usage::UsageBook;
use weft_view::{Entry, View as _};

use crate::config;
use crate::records::{Choice, End, Limit, walk};

/// Returns what each frame used, from the outermost.
pub(crate) fn spent(store: &Store, state: &State, session_id: &str) -> anyhow::Result<Vec<Spent>> {
    let judgement = config::judgement(store);
    let mut records = Records::open(store.clone())?;
    let mut all = Vec::new();
    for frame in &state.stack {
        let since = frame.terms.started_at_ns.map(format_rfc3339);
        let since = since.map_or(String::new(), |since| format!(" since:{since}"));
        let text = format!("session={}{since}", quoted(session_id));
        let filter = Filter::parse(&text, state.updated_at_ns)
            .map_err(|error| anyhow::anyhow!("{}", error.render(&text)))?;
        let mut book = UsageBook::default();
        let mut tape = Tape::new();
        let choice = Choice {
            filter: &filter,
            range: super::whole(&records),
            end: End::Oldest,
            limit: Limit::All,
            order: Order::Ascending,
        };
        walk(&mut records, &choice, &mut |page| {
            page.iter().for_each(|found| take(&mut book, found, &mut tape));
            Ok(())
        })?;
        let total = book.total(&judgement.prices);
        all.push(Spent { tokens: total.total_tokens, cost_usd: total.cost_usd.dollars() });
    }
    Ok(all)
}

fn take(book: &mut UsageBook, found: &Found, tape: &mut Tape) {
    let Some(event) = found.read(tape) else { return };
    let facts = event.facts();
    let report = event.report(&facts);
    book.apply(&Entry {
        position: found.meta.position.get(),
        received_ns: found.meta.at_us.map_or(0, |at_us| at_us.saturating_mul(1000)),
        is_carried: found.meta.mark.as_ref().is_some_and(|mark| mark.carried.is_some()),
        facts: &facts,
        report: &report,
    });
}
