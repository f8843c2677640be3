//! Who holds which file. A file has one holder at a time, by the clocks of all workers.

use super::{Hold, Play};
use crate::demo::prose::TASKS;
use crate::demo::stage::Pause;

impl Play<'_> {
    /// The worker takes the file of its bead, or one that is free; returns it.
    pub(super) fn check_out(&mut self, w: usize, pause: Pause) -> &'static str {
        self.wait(w, pause);
        let now_ns = self.worker(w).at_ns;
        let wanted = self.crew.workers[w].bead.as_ref().map(|bead| bead.task);
        let paths = wanted.into_iter().chain(&TASKS).flat_map(|task| [task.file, task.test]);
        // What a worker with a later clock holds is known already, what others will hold is settled when they ask.
        let is_free = |path: &&str| {
            !self.crew.holds.iter().any(|hold| hold.path == *path && hold.until_ns >= now_ns)
        };
        let path = paths.into_iter().find(is_free).unwrap_or("README.md");
        self.say(w, (0, 0), "file.checkout", |data, _| data.text("path", path));
        self.hold(w, path);
        path
    }

    /// The worker holds a file from now on.
    pub(super) fn hold(&mut self, w: usize, path: &'static str) {
        let oldest_ns = self.crew.workers.iter().map(|worker| worker.at_ns).min();
        self.crew.holds.retain(|hold| Some(hold.until_ns) >= oldest_ns);
        self.crew.holds.push(Hold { worker: w, path, until_ns: i64::MAX });
    }

    /// Returns the file that a worker took last, if it holds it still.
    pub(super) fn held_by(&self, w: usize) -> Option<&'static str> {
        let is_held = |hold: &&Hold| hold.worker == w && hold.until_ns == i64::MAX;
        self.crew.holds.iter().rev().find(is_held).map(|hold| hold.path)
    }

    /// The worker lets a file go.
    pub(super) fn let_go(&mut self, w: usize, pause: Pause, path: &'static str) {
        self.say(w, pause, "file.release", |data, _| data.text("path", path));
        let now_ns = self.worker(w).at_ns;
        self.free(w, path, now_ns);
    }

    /// A file has no holder from this time on.
    pub(super) fn free(&mut self, w: usize, path: &str, from_ns: i64) {
        let is_it =
            |hold: &&mut Hold| hold.worker == w && hold.path == path && hold.until_ns == i64::MAX;
        if let Some(hold) = self.crew.holds.iter_mut().find(is_it) {
            hold.until_ns = from_ns;
        }
    }
}
