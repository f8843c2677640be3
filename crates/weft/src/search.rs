//! `weft search`: the messages that have some words.

use weft_log::filter::quoted;
use weft_log::query::Order;
use weft_log::{Filter, Position};
use weft_runtime::topics::Posted;

use crate::Outcome;
use crate::output::{self, Marked, tell};
use crate::records::{self, Choice, End, Limit, walk};
use crate::stores::StoreArgs;
use crate::times::{Clock, TimeArgs};
use crate::topic::shown::{self, Body};

const EXAMPLES: &str = "\
Examples:
  weft search anomalies                     messages that have the word, the newest first
  weft search 'disk full' --topic tasks     that have both words, on one topic
  weft search '\"disk full\"'                 that have them one behind the other
  weft search 'auth*' --json                that have a word that begins so

Everything else in the log is searched with `weft log`.
Exit codes: 0 also if nothing matches, 2 wrong use or an unreadable store.";

/// Search messages for words
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The words; all must be there
    #[arg(required = true)]
    text: Vec<String>,
    /// Only messages of this topic
    #[arg(long, value_name = "TOPIC")]
    topic: Option<String>,
    /// How many messages at most, or all
    #[arg(long, short = 'n', value_name = "N", default_value = "20")]
    limit: Limit,
    /// Show whole messages, not only their first lines
    #[arg(long)]
    full: bool,
    #[command(flatten)]
    store: StoreArgs,
    /// Print one JSON array
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    time: TimeArgs,
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    let clock = Clock::new(args.time);
    let mut text = "dialect=idle type=message".to_owned();
    for term in terms(&args.text.join(" ")) {
        text += &format!(" {term}");
    }
    text.extend(args.topic.as_deref().map(|topic| format!(" topic={}", quoted(topic))));
    let filter = Filter::parse(&text, 0).map_err(|error| Marked(error.render(&text)))?;
    let mut records = records::open(&args.store, &filter)?;
    let mut posted: Vec<Posted> = Vec::new();
    let choice = Choice {
        filter: &filter,
        range: Position::FIRST..=Position::new(u64::MAX).expect("it is not 0"),
        end: End::Newest,
        limit: args.limit,
        order: Order::Descending,
    };
    let walked = walk(&mut records, &choice, &mut |page| {
        posted.extend(page.iter().filter_map(Posted::of));
        Ok(())
    })?;
    let body = Body::of(!args.full);
    let text = match args.json {
        true => shown::array(&posted, &clock),
        false => shown::list(&posted, body, &clock),
    };
    output::print(text.as_bytes())?;
    if !args.json && posted.is_empty() {
        tell(format_args!("note: no message has these words"));
    }
    if !args.json && walked.has_more {
        let shown = shown::messages(posted.len());
        tell(format_args!("note: these are the newest {shown}: --limit all shows the others"));
    }
    walked.lost.tell();
    Ok(Outcome::Fine)
}

/// Returns words as terms of a filter that search the text; what stands in double quotes is one.
fn terms(text: &str) -> Vec<String> {
    let mut terms = Vec::new();
    for (idx, part) in text.split('"').enumerate() {
        let is_phrase = idx % 2 == 1;
        let words: Vec<&str> =
            if is_phrase { vec![part.trim()] } else { part.split_whitespace().collect() };
        for word in words.into_iter().filter(|word| !word.is_empty()) {
            let term = match word.strip_suffix('*') {
                Some(begun) if !begun.is_empty() => format!("{}*", quoted(begun)),
                Some(_) | None => quoted(word),
            };
            terms.push(term);
        }
    }
    terms
}

#[cfg(test)]
mod tests {
    use super::terms;

    #[test]
    fn words_are_searched_for_as_they_are() {
        let shown = |text: &str| terms(text).join(" ");
        insta::assert_snapshot!(shown("disk full"), @r#""disk" "full""#);
        insta::assert_snapshot!(shown(r#""disk full" auth* status=error or"#), @r#""disk full" "auth"* "status=error" "or""#);
    }
}
