//! A session that is longer than what is read at once: what is scrolled to is read then.

use super::{App, Effect};
use crate::feed::Order;
use crate::panel::Panel;
use crate::reading::Reading;
use crate::source::{Ask, End, Page, Which};
use crate::talk::{PAGE_MAX, Talk};

impl App {
    /// Reads what stands before the first block, if there is more.
    pub(super) fn read_older(&mut self) -> Vec<Effect> {
        self.read_more(|talk, ask| {
            let (first, _) = talk.ends().filter(|_| talk.has_older)?;
            Some(Ask { upto: first - 1, ..ask })
        })
    }

    /// Reads what stands behind the last block, if there is more.
    pub(super) fn read_newer(&mut self) -> Vec<Effect> {
        self.read_more(|talk, ask| {
            let (_, last) = talk.ends().filter(|_| talk.has_newer)?;
            Some(Ask { after: last, end: End::Oldest, ..ask })
        })
    }

    /// Reads the beginning of the session, if it is not there.
    pub(super) fn read_oldest(&mut self) -> Vec<Effect> {
        self.read_more(|talk, ask| talk.has_older.then_some(Ask { end: End::Oldest, ..ask }))
    }

    /// Reads the end of the session, if it is not there.
    pub(super) fn read_newest(&mut self) -> Vec<Effect> {
        self.read_more(|talk, ask| talk.has_newer.then_some(ask))
    }

    /// Asks for a page of the session that is shown, one at a time.
    fn read_more(&mut self, which: impl FnOnce(&Talk, Ask) -> Option<Ask>) -> Vec<Effect> {
        let is_shown = self.panel == Panel::Session;
        let Some(talk) = self.talk.as_ref().filter(|talk| is_shown && !talk.is_asked) else {
            return Vec::new();
        };
        let ask = self.ask(Which::Session(talk.session.clone()), PAGE_MAX);
        let Some(ask) = which(talk, ask) else { return Vec::new() };
        if let Some(talk) = &mut self.talk {
            talk.is_asked = true;
        }
        vec![Effect::Tell(Order::Page(ask))]
    }

    /// Chooses the block again that a record is part of: with what was read it may have another name.
    pub(super) fn keep_chosen(&mut self, position: u64) {
        let words = self.words[Panel::Session.idx()].clone();
        let Some(talk) = &mut self.talk else { return };
        talk.refresh(&words);
        let idx = talk.block_of(position);
        let id = talk.blocks.get(idx).map(crate::listing::Item::id);
        let spot = &mut self.spots[Panel::Session.idx()];
        (spot.idx, spot.id) = (idx, id);
    }
}

impl Talk {
    /// Takes a page in. Returns whether it adds to what is there, and is not in its place.
    pub(super) fn add(&mut self, ask: &Ask, page: Page, reading: &mut Reading) -> bool {
        self.is_asked = false;
        let ends = self.ends();
        if ends.is_some_and(|(first, _)| ask.end == End::Newest && ask.upto < first) {
            self.has_older = page.is_cut;
            self.prepend(page.records, reading);
            true
        } else if ends.is_some_and(|(_, last)| ask.end == End::Oldest && ask.after == last) {
            self.has_newer = page.is_cut;
            self.append(page.records, reading);
            true
        } else {
            self.has_older = page.is_cut && ask.end == End::Newest;
            self.has_newer = page.is_cut && ask.end == End::Oldest;
            self.put(page.records, reading);
            false
        }
    }
}
