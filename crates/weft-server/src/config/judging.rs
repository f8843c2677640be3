//! What views are judged by, as settings: `[rules]`, `[[price]]` and `[[budget]]`.

use jiff::civil::Date;
use weft_view::usage::{Limit, LimitOf, Per};
use weft_view::{Money, Rules, prices};

use super::table::Members;
use super::value::{Given, Slot, Wrong};

/// What a model costs, in US dollars for a million tokens.
#[derive(Clone, Debug, PartialEq)]
pub struct PriceSetting {
    model: String,
    as_of: String,
    input: f64,
    output: f64,
    cache_read: f64,
    cache_write: f64,
}

/// The words for how a budget is shared out.
const PER: [(&str, Per); 4] =
    [("actor", Per::Actor), ("session", Per::Session), ("task", Per::Task), ("day", Per::Day)];

/// Returns the settings of all rules.
pub(super) fn slots(rules: &mut Rules) -> Vec<(&'static str, Slot<'_>)> {
    // Named one by one, so that no threshold is without a setting.
    let Rules {
        events_alive_ms,
        heartbeat_alive_ms,
        same_call_times,
        same_edit_times,
        silent_ms,
        same_state_ms,
        slow_ms,
        slow_completions,
        stuck_kept_ms,
        file_collision_ms,
        folder_collision_ms,
        task_collision_ms,
        collision_kept_ms,
        is_folder_collision_a_need,
        budget_warning,
        budget_critical,
        budget_kept_ms,
        loop_stale_ms,
        failed_kept_ms,
        need_kept_ms,
        is_idle_a_need,
    } = rules;
    vec![
        ("rules.events_alive", Slot::Span(events_alive_ms)),
        ("rules.heartbeat_alive", Slot::Span(heartbeat_alive_ms)),
        ("rules.same_call_times", Slot::Times(same_call_times)),
        ("rules.same_edit_times", Slot::Times(same_edit_times)),
        ("rules.silent", Slot::Span(silent_ms)),
        ("rules.same_state", Slot::Span(same_state_ms)),
        ("rules.slow", Slot::Span(slow_ms)),
        ("rules.slow_completions", Slot::Times(slow_completions)),
        ("rules.stuck_kept", Slot::Span(stuck_kept_ms)),
        ("rules.file_collision", Slot::Span(file_collision_ms)),
        ("rules.folder_collision", Slot::Span(folder_collision_ms)),
        ("rules.task_collision", Slot::Span(task_collision_ms)),
        ("rules.collision_kept", Slot::Span(collision_kept_ms)),
        ("rules.is_folder_collision_a_need", Slot::Switch(is_folder_collision_a_need)),
        ("rules.budget_warning", Slot::Share(budget_warning)),
        ("rules.budget_critical", Slot::Share(budget_critical)),
        ("rules.budget_kept", Slot::Span(budget_kept_ms)),
        ("rules.loop_stale", Slot::Span(loop_stale_ms)),
        ("rules.failed_kept", Slot::Span(failed_kept_ms)),
        ("rules.need_kept", Slot::Span(need_kept_ms)),
        ("rules.is_idle_a_need", Slot::Switch(is_idle_a_need)),
    ]
}

impl PriceSetting {
    /// Returns it as estimates are made with.
    pub(super) fn price(&self) -> prices::Price<'_> {
        let Self { model, as_of, input, output, cache_read, cache_write } = self;
        prices::Price {
            model,
            as_of,
            input: *input,
            output: *output,
            cache_read: *cache_read,
            cache_write: *cache_write,
        }
    }

    pub(super) fn all(given: &Given) -> Result<Vec<Self>, Wrong> {
        let names = ["model", "as_of", "input", "output", "cache_read", "cache_write"];
        Members::each(given, ("price", &names), |members| {
            let dollars = |name| {
                members.get(name, "dollars for a million tokens, such as 2.50", Given::amount)
            };
            let model = members.get("model", "the name of a model", Given::word)?;
            let is_day = |given: &Given| given.word().filter(|day| day.parse::<Date>().is_ok());
            let as_of = members.get("as_of", "a day, such as \"2026-11-15\"", is_day)?;
            let input = dollars("input")?.ok_or_else(|| members.missing("input"))?;
            Ok(Self {
                model: model.ok_or_else(|| members.missing("model"))?,
                as_of: as_of.ok_or_else(|| members.missing("as_of"))?,
                input,
                output: dollars("output")?.ok_or_else(|| members.missing("output"))?,
                cache_read: dollars("cache_read")?.unwrap_or(input),
                cache_write: dollars("cache_write")?.unwrap_or(input),
            })
        })
    }

    pub(super) fn show(&self) -> String {
        let Self { model, as_of, input, output, .. } = self;
        format!("{model} ${input}/${output} ({as_of})")
    }
}

/// Reads budgets.
pub(super) fn limits(given: &Given) -> Result<Vec<Limit>, Wrong> {
    Members::each(given, ("budget", &["per", "usd", "tokens"]), |members| {
        let wanted = "actor, session, task or day, or a list of them";
        let per = members.get("per", wanted, |given| {
            let one = |word: &String| PER.iter().find(|(known, _)| known == word);
            let words = given.texts()?;
            words.iter().map(|word| one(word).map(|(_, per)| *per)).collect::<Option<Vec<_>>>()
        })?;
        let per = per.filter(|per| !per.is_empty()).ok_or_else(|| members.missing("per"))?;
        let usd = members.get("usd", "an amount of dollars above 0, such as 20", |given| {
            given.amount().filter(|usd| *usd > 0.0)
        })?;
        let tokens = members.get("tokens", "a number of tokens above 0", |given| {
            given.whole().filter(|tokens| *tokens > 0)
        })?;
        let of = match (usd, tokens) {
            (Some(usd), None) => LimitOf::Cost(Money::from_dollars(usd)),
            (None, Some(tokens)) => LimitOf::Tokens(tokens),
            (Some(_), Some(_)) | (None, None) => {
                let message = "a budget has either `usd` or `tokens`".to_owned();
                return Err(members.wrong("tokens", message));
            }
        };
        Ok(Limit { per, of })
    })
}

/// Returns a budget as it is shown.
pub(super) fn show_limit(limit: &Limit) -> String {
    let word = |per: &Per| PER.iter().find(|(_, known)| known == per).map_or("", |(word, _)| word);
    let per: Vec<&str> = limit.per.iter().map(word).collect();
    let of = match limit.of {
        LimitOf::Cost(money) => format!("${}", money.dollars()),
        LimitOf::Tokens(tokens) => format!("{tokens} tokens"),
    };
    format!("{of} per {}", per.join(" and "))
}
