//! When a terminal that shows the inbox rings its bell.

use jiff::tz::TimeZone;
use weft_view::inbox::Need;

use super::memory::{Memory, Now};
use super::rule::{Channel, Rule};

/// Says when to ring, by the rules whose way to tell is the bell.
#[derive(Clone, Debug)]
pub struct Bell {
    rules: Vec<Rule>,
    zone: TimeZone,
    /// `None` before the first look.
    memory: Option<Memory>,
}

impl Bell {
    /// Returns the bell of these rules; one without any never rings.
    pub fn new(rules: &[Rule], zone: TimeZone) -> Self {
        let rules = rules.iter().filter(|rule| rule.channel == Channel::Bell).cloned().collect();
        Self { rules, zone, memory: None }
    }

    /// Returns whether it can ring at all.
    pub fn is_set(&self) -> bool {
        !self.rules.is_empty()
    }

    /// Returns whether to ring now. What is there at the first look is seen without it.
    pub fn is_due(&mut self, needs: &[Need], now_ns: i64) -> bool {
        let Self { rules, zone, memory } = self;
        let memory = memory.get_or_insert_with(|| {
            let mut memory = Memory::default();
            memory.know(rules, needs, now_ns);
            memory
        });
        let told = memory.look(rules, needs, Now { ns: now_ns, zone }).tell;
        told.iter().for_each(|message| memory.landed(&message.rule, now_ns));
        !told.is_empty()
    }
}

#[cfg(test)]
mod tests;
