//! What keeps the crew going: beads that are split, beads found by looking at documents and health, and cleaning up.

use super::Play;
use crate::demo::pen;
use crate::demo::stage::NOW;

impl Play<'_> {
    /// A bead that is too large becomes two; both wait for a worker.
    pub(super) fn split(&mut self, w: usize) {
        self.claim(w);
        self.say(w, (800, 2_500), "bead.mitosis.check", |data, dice| {
            pen::plain(data, "estimated_files", dice.between(9, 24));
        });
        self.say(w, (800, 2_500), "bead.mitosis.started", |_, _| {});
        for _ in 0..2 {
            let child = self.new_bead(w);
            self.say(w, (800, 2_500), "bead.mitosis.child_created", |data, _| {
                data.text("child_id", &child.id);
                data.text("title", child.task.title);
            });
            self.queue(w, child);
        }
        self.say(w, (300, 900), "bead.mitosis.complete", |data, _| {
            pen::plain(data, "children", 2);
        });
        self.worker(w).bead = None;
    }

    /// A bead is small enough.
    pub(super) fn split_skipped(&mut self, w: usize) {
        self.claim(w);
        self.say(w, (800, 2_500), "bead.mitosis.check", |data, dice| {
            pen::plain(data, "estimated_files", dice.between(1, 4));
        });
        self.say(w, (300, 900), "bead.mitosis.skipped", |data, _| {
            data.text("reason", "small enough");
        });
        self.agent_works(w);
        self.complete(w);
    }

    /// A bead that cannot be split is worked on as it is.
    pub(super) fn split_fails(&mut self, w: usize) {
        self.claim(w);
        self.say(w, (800, 2_500), "bead.mitosis.check", |data, dice| {
            pen::plain(data, "estimated_files", dice.between(9, 24));
        });
        self.say(w, (800, 2_500), "bead.mitosis.started", |_, _| {});
        self.say(w, (1_000, 4_000), "bead.mitosis.failed", |data, _| {
            data.text("error", "both halves would change the same function");
        });
        self.agent_works(w);
        self.complete(w);
    }

    /// No strand has work.
    pub(super) fn idle(&mut self, w: usize) {
        for (strand, reason) in [("pluck", None), ("explore", None), ("weave", Some("done today"))]
        {
            match reason {
                None => {
                    self.say(w, (500, 2_000), "strand.started", |data, _| {
                        data.text("strand", strand);
                    });
                    self.say(w, (300, 1_500), "strand.fallthrough", |data, _| {
                        data.text("strand", strand);
                    });
                }
                Some(reason) => self.say(w, (100, 400), "strand.skipped", |data, _| {
                    data.text("strand", strand);
                    data.text("reason", reason);
                }),
            }
        }
        self.say(w, (100, 400), "worker.idle", |data, _| pen::plain(data, "poll_s", 10));
        self.wait(w, (5_000, 15_000));
    }

    /// The worker finishes and is started anew.
    pub(super) fn drain(&mut self, w: usize) {
        self.say(w, (1_000, 5_000), "worker.draining", |data, _| {
            data.text("reason", "new version");
        });
        self.stop(w, "drained");
    }

    /// The keeper puts back what was left behind.
    pub(super) fn mend(&mut self, w: usize) {
        self.wait(w, (1_500, 6_000));
        let since = self.worker(w).at_ns;
        let orphan = self.crew.orphans.iter().position(|bead| bead.since_ns <= since);
        let bead = match orphan.and_then(|idx| self.crew.orphans.remove(idx)) {
            Some(bead) => bead,
            None => self.new_bead(w),
        };
        self.say(w, (300, 1_500), "mend.orphan_released", |data, _| data.text("bead_id", &bead.id));
        self.queue(w, bead);
        self.say(w, (200, 900), "mend.heartbeat_cleaned", |data, dice| {
            pen::text(data, "worker_id", format_args!("dock-old-{}", dice.between(1, 9)));
        });
        self.say(w, (200, 900), "mend.logs_pruned", |data, dice| {
            pen::plain(data, "bytes_freed", dice.between(200_000, 90_000_000));
        });
        let ms = self.ms_since(w, since);
        self.say(w, (100, 400), "mend.completed", |data, _| pen::plain(data, "duration_ms", ms));
    }

    /// Other ways to do a bead are laid out as beads of their own.
    pub(super) fn unravel(&mut self, w: usize) {
        let now_ns = self.worker(w).at_ns;
        let parent = match self.crew.backlog.iter().find(|bead| bead.since_ns <= now_ns) {
            Some(bead) => bead.clone(),
            None => self.new_bead(w),
        };
        self.say(w, (1_500, 6_000), "unravel.analysis_started", |data, _| {
            data.text("bead_id", &parent.id);
        });
        let since = self.worker(w).at_ns;
        for _ in 0..2 {
            let child = self.new_bead(w);
            self.say(w, (900, 3_000), "unravel.alternative_created", |data, _| {
                data.text("parent_bead_id", &parent.id);
                data.text("child_bead_id", &child.id);
            });
            self.queue(w, child);
        }
        self.say(w, (50, 200), "unravel.alternatives_created", |data, _| {
            data.text("parent_bead_id", &parent.id);
            pen::plain(data, "count", 2);
        });
        let ms = self.ms_since(w, since);
        self.say(w, (100, 400), "unravel.analysis_completed", |data, _| {
            data.text("bead_id", &parent.id);
            pen::plain(data, "duration_ms", ms);
        });
    }

    /// Gaps in the documentation become beads.
    pub(super) fn weave(&mut self, w: usize) {
        self.say(w, (1_500, 6_000), "weave.analysis_started", |data, _| data.text("scope", "docs"));
        let since = self.worker(w).at_ns;
        let n_gaps = self.stage.dice.between(1, 3);
        for _ in 0..n_gaps {
            let bead = self.new_bead(w);
            self.say(w, (900, 3_000), "weave.bead_created", |data, dice| {
                data.text("bead_id", &bead.id);
                data.text("file", bead.task.file);
                pen::plain(data, "line", dice.between(3, 400));
            });
            self.queue(w, bead);
        }
        let ms = self.ms_since(w, since);
        self.say(w, (100, 400), "weave.analysis_completed", |data, _| {
            pen::plain(data, "gaps_found", n_gaps);
            pen::plain(data, "duration_ms", ms);
        });
    }

    /// A look at the health of the code; what is found becomes a bead.
    pub(super) fn pulse(&mut self, w: usize) {
        self.say(w, (1_500, 6_000), "pulse.scan_started", |data, _| {
            pen::plain(data, "detectors", 2)
        });
        let since = self.worker(w).at_ns;
        let detectors = [("lint-debt", None), ("slow-tests", Some("high"))];
        for (detector, severity) in detectors {
            self.say(w, (200, 900), "pulse.detector_started", |data, _| {
                data.text("detector", detector);
            });
            let started = self.worker(w).at_ns;
            self.wait(w, (700, 3_000));
            if let Some(severity) = severity {
                let bead = self.new_bead(w);
                self.say(w, NOW, "pulse.issue_detected", |data, _| {
                    data.text("detector", detector);
                    data.text("severity", severity);
                    data.text("path", bead.task.test);
                });
                self.say(w, (100, 400), "pulse.bead_created", |data, _| {
                    data.text("bead_id", &bead.id);
                    data.text("detector", detector);
                });
                self.queue(w, bead);
            }
            let ms = self.ms_since(w, started);
            self.say(w, NOW, "pulse.detector_completed", |data, _| {
                data.text("detector", detector);
                pen::plain(data, "duration_ms", ms);
            });
        }
        let ms = self.ms_since(w, since);
        self.say(w, (100, 400), "pulse.scan_completed", |data, _| {
            pen::plain(data, "issues_found", 1);
            pen::plain(data, "duration_ms", ms);
        });
    }

    /// The keeper finds a file whose holder no longer works on it, and frees it.
    pub(super) fn stale_lock(&mut self, w: usize) {
        self.wait(w, (1_500, 6_000));
        let now_ns = self.worker(w).at_ns;
        let gone = self.crew.abandoned.iter().position(|(_, _, since_ns)| *since_ns <= now_ns);
        let gone = gone.and_then(|idx| self.crew.abandoned.remove(idx));
        let Some((holder, path, since_ns)) = gone else { return self.mend(w) };
        let age_s = self.ms_since(w, since_ns) / 1_000;
        self.say(w, (100, 400), "file.stale", |data, _| {
            data.text("path", path);
            pen::plain(data, "age_s", age_s);
        });
        self.say(w, (200, 900), "lock.expired", |data, _| data.text("path", path));
        let freed_ns = self.worker(w).at_ns;
        self.free(holder, path, freed_ns);
    }
}
