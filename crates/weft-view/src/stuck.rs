//! Who is stuck, by which rule, and the records that made it so.
//!
//! Rules are named and can be set; see [`Rules`]. What a producer found about another actor is one more rule. Each actor is here
//! once: what does not move is one cause, however many rules see it.

mod signs;

use std::fmt;

use serde::Serialize;

use crate::{At, Rules, Views};
use signs::{Children, Heard, Sign, reported_unseen, signs, stale};

/// A rule that finds actors stuck.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// Another actor found it stuck.
    Reported,
    /// It calls the same tool with the same file, or else the same input, again and again.
    SameCall,
    /// It edits the same file again and again.
    SameEdit,
    /// It is at work, and nothing comes of it.
    Silent,
    /// It is at work in one state and gets nowhere.
    SameState,
    /// It is at work and completes nearly nothing.
    Slow,
    /// It is a loop that has said nothing for too long.
    Stale,
}

impl Rule {
    /// Returns its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Rule::Reported => "reported",
            Rule::SameCall => "same_call",
            Rule::SameEdit => "same_edit",
            Rule::Silent => "silent",
            Rule::SameState => "same_state",
            Rule::Slow => "slow",
            Rule::Stale => "stale",
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// An actor that is stuck.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Stuck {
    /// What tells it from another time that this actor is stuck: the same for as long as it is at one stretch of work.
    pub id: String,
    /// The rule that says so; the first of them.
    pub rule: Rule,
    /// Every rule that says so.
    pub rules: Vec<Rule>,
    /// The actor.
    pub actor: String,
    /// The session that it is stuck in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// What it is on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// Since when.
    pub since: At,
    /// What is wrong, in words.
    pub what: String,
    /// The records that made it, in the order of the log.
    pub positions: Vec<u64>,
}

/// Returns the actors that are stuck, the longest first. Who waits, is blocked, has finished, failed or ended is not stuck, unless
/// another actor says so.
pub fn stuck(views: &Views, now_ns: i64, rules: &Rules) -> Vec<Stuck> {
    let fleet = &views.fleet;
    let (children, heard) = (Children::of(views), Heard::of(views));
    let mut stale = stale(views, now_ns, rules);
    let seen = fleet.actors().map(|(name, actor)| {
        let mut signs = signs(views, name, actor, (&children, &heard), now_ns, rules);
        signs.extend(stale.remove(name));
        (name, signs)
    });
    let unseen = fleet.findings().filter(|(name, _)| fleet.actor(name).is_none());
    let unseen = unseen
        .map(|(name, found)| (name, reported_unseen(found, now_ns, rules).into_iter().collect()));
    let mut all: Vec<Stuck> =
        seen.chain(unseen).filter_map(|(name, signs)| merge(views, name, signs)).collect();
    all.sort_by(|a, b| (a.since, &a.actor).cmp(&(b.since, &b.actor)));
    all
}

/// Makes one of all that the rules see in an actor: what the most telling rule says, since the first of them, by all their records.
fn merge(views: &Views, name: &str, signs: Vec<Sign>) -> Option<Stuck> {
    let first = signs.first()?;
    let actor = views.fleet.actor(name);
    let run = actor.and_then(|actor| views.fleet.run(actor));
    let began = run.map(|run| run.at_work.map_or(run.since_position, |(_, position)| position));
    let mut positions: Vec<u64> =
        signs.iter().flat_map(|sign| sign.positions.iter().copied()).collect();
    positions.sort_unstable();
    positions.dedup();
    Some(Stuck {
        id: format!("stuck/{name}/{}", began.unwrap_or_default()),
        rule: first.rule,
        rules: signs.iter().map(|sign| sign.rule).collect(),
        actor: name.to_owned(),
        session: actor.and_then(|actor| actor.speaker()?.session().map(str::to_owned)),
        task: actor.and_then(|actor| actor.task().map(str::to_owned)),
        since: At(signs.iter().map(|sign| sign.since_ns).min()?),
        what: first.what.clone(),
        positions,
    })
}

#[cfg(test)]
mod tests;
