//! What is typed: a filter, a moment, or the name of an action.

use super::{App, Arrival, Effect, Over};
use crate::feed::Order;
use crate::keys::{Binding, Context, PromptAction, TABLE};
use crate::mode::{Mode, SPEEDS};
use crate::source::{Completions, FilterFault, Place};
use crate::text::fit;
use crate::theme::Theme;
use crate::typed::Typed;

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PromptKind {
    /// A filter of the log.
    Filter,
    /// Words that the rows of a panel are to have.
    Words,
    Jump,
    Palette,
}

/// A line being typed, and what is said about it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Prompt {
    pub(crate) kind: PromptKind,
    pub(crate) typed: Typed,
    pub(crate) fault: Option<FilterFault>,
    pub(crate) offers: Completions,
    /// Which of the palette's entries is chosen, or which completion stands there.
    pub(crate) chosen: usize,
}

impl Prompt {
    pub(super) fn new(kind: PromptKind, text: &str) -> Self {
        let (typed, offers) = (Typed::new(text), Completions::default());
        Self { kind, typed, fault: None, offers, chosen: 0 }
    }

    /// Forgets what was said about a text that has changed since.
    pub(super) fn forget(&mut self) {
        self.fault = None;
        self.offers = Completions::default();
        self.chosen = 0;
    }

    /// Puts in what all completions have in common, and offers them if there are several.
    pub(super) fn offer(&mut self, offers: Completions) {
        let Some(first) = offers.words.first() else { return };
        let common = offers.words.iter().fold(first.as_str(), |common, word| {
            let same = common.char_indices().zip(word.chars()).take_while(|((_, a), b)| a == b);
            &common[..same.last().map_or(0, |((at, a), _)| at + a.len_utf8())]
        });
        if offers.from + common.len() > self.typed.cursor() || offers.words.len() == 1 {
            self.typed.replace(offers.from, common);
        }
        self.fault = None;
        self.chosen = 0;
        self.offers = if offers.words.len() > 1 { offers } else { Completions::default() };
    }

    /// Returns the palette's entries that what is typed can mean.
    pub(crate) fn entries(&self) -> Vec<&'static Binding> {
        let typed = self.typed.text().trim().to_lowercase();
        let of_panels = TABLE.iter().filter(|binding| match binding.context {
            Context::Panels
            | Context::Timeline
            | Context::Session
            | Context::Usage
            | Context::Loops => true,
            Context::Question | Context::Over | Context::Prompt => false,
        });
        let mut entries: Vec<&Binding> = of_panels
            .filter(|binding| binding.name.contains(&typed) || binding.help.contains(&typed))
            .collect();
        entries.sort_by_key(|binding| !binding.name.starts_with(&typed));
        entries
    }
}

impl App {
    pub(super) fn ask_for(&mut self, kind: PromptKind, text: &str) {
        self.notice = None;
        self.over = Over::Prompt(Box::new(Prompt::new(kind, text)));
    }

    pub(super) fn act_on_prompt(&mut self, action: PromptAction) -> Vec<Effect> {
        let Over::Prompt(prompt) = &mut self.over else { return Vec::new() };
        let last = prompt.entries().len().saturating_sub(1);
        match action {
            PromptAction::Cancel => self.over = Over::Nothing,
            PromptAction::Previous => prompt.chosen = prompt.chosen.saturating_sub(1),
            PromptAction::Next => prompt.chosen = (prompt.chosen + 1).min(last),
            PromptAction::Complete => return self.complete(),
            PromptAction::Accept => return self.accept(),
        }
        Vec::new()
    }

    fn complete(&mut self) -> Vec<Effect> {
        let Over::Prompt(prompt) = &mut self.over else { return Vec::new() };
        match prompt.kind {
            PromptKind::Filter if prompt.offers.words.is_empty() => {
                let (text, cursor) = (prompt.typed.text().to_owned(), prompt.typed.cursor());
                return vec![Effect::Tell(Order::Complete { text, cursor })];
            }
            PromptKind::Filter => {
                let word = prompt.offers.words[prompt.chosen].clone();
                prompt.typed.replace(prompt.offers.from, &word);
                prompt.chosen = (prompt.chosen + 1) % prompt.offers.words.len();
            }
            PromptKind::Palette => {
                if let Some(entry) = prompt.entries().get(prompt.chosen) {
                    prompt.typed = Typed::new(entry.name);
                    prompt.chosen = 0;
                }
            }
            PromptKind::Jump | PromptKind::Words => {}
        }
        Vec::new()
    }

    fn accept(&mut self) -> Vec<Effect> {
        let Over::Prompt(prompt) = &mut self.over else { return Vec::new() };
        let text = prompt.typed.text().trim().to_owned();
        match prompt.kind {
            PromptKind::Filter => {
                prompt.typed = Typed::new(&text);
                self.show_log();
                vec![Effect::Tell(Order::Filter { text, now_ns: self.now_ns })]
            }
            PromptKind::Words => {
                self.over = Over::Nothing;
                self.words[self.panel.idx()] = text;
                Vec::new()
            }
            PromptKind::Jump => {
                self.over = Over::Nothing;
                if text.is_empty() {
                    Vec::new()
                } else {
                    self.jump(Place::Text(text), Arrival::Look)
                }
            }
            PromptKind::Palette => {
                let entry = prompt.entries().get(prompt.chosen).map(|entry| entry.action);
                self.over = Over::Nothing;
                let (word, rest) = text.split_once(' ').unwrap_or((&text, ""));
                match (self.act_on_words(word, rest.trim()), entry) {
                    (Some(effects), _) => effects,
                    (None, Some(action)) => self.act(action),
                    (None, None) => {
                        self.notice = Some(format!("there is no `{}`", fit(&text, 40)));
                        Vec::new()
                    }
                }
            }
        }
    }

    /// Does what a word of the palette says about the words after it; `None` if it is no such word.
    fn act_on_words(&mut self, word: &str, rest: &str) -> Option<Vec<Effect>> {
        if rest.is_empty() {
            return None;
        }
        match word {
            "filter" => {
                self.show_log();
                let text = rest.to_owned();
                Some(vec![Effect::Tell(Order::Filter { text, now_ns: self.now_ns })])
            }
            "jump" => Some(self.jump(Place::Text(rest.to_owned()), Arrival::Look)),
            "theme" => {
                self.settings.theme = Theme::parse(rest)?;
                Some(Vec::new())
            }
            "replay" => {
                let speed: f64 = rest.trim_end_matches('x').parse().ok()?;
                let speed_idx = SPEEDS.iter().position(|known| *known >= speed)?;
                let from_ns = self.moment_ns();
                self.mode = Mode::Replay { from_ns, began_ns: self.now_ns, speed_idx };
                Some(self.advance())
            }
            _ => None,
        }
    }
}
