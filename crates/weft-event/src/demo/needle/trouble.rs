//! What goes wrong in the crew: lost claims, crashes, workers that fall silent, and two that want one file.

use super::{Bead, KEEPER, Play, Scene, Silence, Wording};
use crate::demo::pen;
use crate::demo::prose::FAILURES;
use crate::demo::stage::{NOW, Pause};
use crate::time::{SECOND_NS, format_rfc3339};

/// After how much silence the keeper calls a worker stuck.
const STUCK_AFTER_NS: i64 = 120 * SECOND_NS;
/// The same in the opening.
const STUCK_AFTER_OPENING_NS: i64 = 9 * SECOND_NS;

/// How long a stuck worker would stay silent if nobody looked.
const SILENCE: Pause = (260_000, 400_000);

impl Play<'_> {
    /// Another worker was faster; the next bead is claimed instead.
    pub(super) fn race_lost(&mut self, w: usize) {
        let lost = self.new_bead(w);
        if self.worker(w).wording == Wording::Later {
            self.say(w, (800, 4_000), "bead.claim.attempted", |data, _| {
                data.text("bead_id", &lost.id);
                pen::plain(data, "attempt", 1);
            });
            self.say(w, (100, 500), "bead.claim.race_lost", |data, _| {
                data.text("bead_id", &lost.id);
            });
        } else {
            self.say(w, (800, 4_000), "error.claim_failed", |data, _| {
                data.text("bead_id", &lost.id);
                data.text("error", "claimed by another worker a moment ago");
            });
        }
        self.bead(w);
    }

    /// A claim fails until the worker gives up.
    pub(super) fn claim_exhausted(&mut self, w: usize) {
        let bead = self.new_bead(w);
        for attempt in 1..=3 {
            self.say(w, (600, 2_500), "error.claim_failed", |data, _| {
                data.text("bead_id", &bead.id);
                data.text("error", "the bead store is locked");
            });
            self.say(w, (200, 900), "bead.claim_retry", |data, _| {
                data.text("bead_id", &bead.id);
                pen::plain(data, "attempt", attempt);
            });
        }
        self.say(w, (800, 2_000), "bead.claim_exhausted", |data, _| {
            data.text("bead_id", &bead.id);
        });
        self.queue(w, bead);
        self.wait(w, (4_000, 12_000));
    }

    /// The agent's process dies. The worker tries again in vain to give the bead back, and leaves it to the keeper.
    pub(super) fn crashes(&mut self, w: usize) {
        self.claim(w);
        self.agent_starts(w);
        let path = self.check_out(w, (2_000, 6_000));
        self.say(w, (5_000, 30_000), "error.agent_crash", |data, _| {
            data.text("error", "the agent was killed by signal 9: out of memory");
            pen::plain(data, "exit_code", 137);
        });
        self.say(w, (300, 900), "error.release_failed", |data, _| {
            data.text("error", "the bead store did not answer");
        });
        let since_ns = self.worker(w).at_ns;
        let bead = self.worker(w).bead.take().map(|bead| Bead { since_ns, ..bead });
        self.crew.orphans.extend(bead);
        self.crew.abandoned.push_back((w, path, since_ns));
        self.wait(w, (3_000, 9_000));
    }

    /// The agent takes too long and is stopped.
    pub(super) fn times_out(&mut self, w: usize) {
        self.claim(w);
        let since = self.agent_starts(w);
        for _ in 0..3 {
            self.heartbeat(w);
        }
        self.wait(w, (20_000, 60_000));
        let ms = self.ms_since(w, since);
        self.say(w, NOW, "error.timeout", |data, _| pen::plain(data, "duration_ms", ms));
        self.agent_ends(w, since, 124);
        self.fail(w);
    }

    /// A worker falls silent in the middle of a bead.
    pub(super) fn stuck(&mut self, w: usize) {
        self.claim(w);
        self.agent_starts(w);
        self.check_out(w, (2_000, 5_000));
        self.heartbeat(w);
        let worker = &mut self.crew.workers[w];
        worker.silence = Silence::Since(worker.at_ns);
        worker.at_ns = self.stage.much_later(worker.at_ns, SILENCE);
    }

    /// The keeper tells of workers that fell silent or came back; returns whether there was anything to tell.
    pub(super) fn look_around(&mut self) -> bool {
        let now_ns = self.crew.workers[KEEPER].at_ns;
        let limit_ns = match self.stage.is_opening(now_ns) {
            true => STUCK_AFTER_OPENING_NS,
            false => STUCK_AFTER_NS,
        };
        for w in 0..KEEPER {
            let (name, silence) = (self.worker(w).name, self.worker(w).silence);
            match silence {
                Silence::Since(since_ns) if now_ns.saturating_sub(since_ns) >= limit_ns => {
                    self.say(KEEPER, (50, 300), "heartbeat.stuck_detected", |data, _| {
                        data.text("worker_id", name);
                        data.text("since", &format_rfc3339(since_ns));
                    });
                    self.worker(w).silence = Silence::Seen;
                    let seen_ns = self.crew.workers[KEEPER].at_ns;
                    self.worker(w).at_ns = self.stage.later(seen_ns, (4_000, 25_000));
                    return true;
                }
                Silence::Over(since_ns) if now_ns >= since_ns => {
                    self.say(KEEPER, (50, 300), "heartbeat.recovery", |data, _| {
                        data.text("worker_id", name);
                    });
                    self.worker(w).silence = Silence::None;
                    return true;
                }
                Silence::Since(_) | Silence::Seen | Silence::Over(_) | Silence::None => {}
            }
        }
        false
    }

    /// A silent worker goes on. Until the keeper has told so, it only shows that it is alive.
    pub(super) fn wake_up(&mut self, w: usize) {
        let silence = self.worker(w).silence;
        self.heartbeat(w);
        self.worker(w).silence = match silence {
            Silence::Over(_) => return,
            Silence::Seen => Silence::Over(self.worker(w).at_ns),
            Silence::Since(_) | Silence::None => Silence::None,
        };
        let since = self.worker(w).claimed_ns;
        if let Some(path) = self.held_by(w) {
            self.let_go(w, (1_000, 4_000), path);
        }
        self.agent_ends(w, since, 0);
        self.complete(w);
    }

    /// Two workers want one file: the second asks the first to hurry, and gets it after it.
    pub(super) fn collision(&mut self, w: usize) {
        let Some(second) = self.rival(w) else {
            self.worker(w).planned.push(Scene::Collision);
            return self.wait(w, (700, 1_500));
        };
        let [first_name, second_name] = [w, second].map(|w| self.crew.workers[w].name);
        self.claim(w);
        let task = self.worker(w).bead.as_ref().map(|bead| bead.task);
        let mut bead = self.new_bead(w);
        bead.task = task.unwrap_or(bead.task);
        self.claim_this(second, bead);
        let first_since = self.agent_starts(w);
        let second_since = self.agent_starts(second);
        let path = self.check_out(w, (800, 3_000));
        self.follow(second, w);
        self.say(second, (400, 3_500), "file.conflict", |data, _| {
            data.text("path", path);
            pen::texts(data, "workers", &[second_name, first_name]);
        });
        self.say(second, (200, 900), "lock.priority_bump", |data, _| {
            data.text("path", path);
            data.text("worker_id", first_name);
        });
        self.follow(w, second);
        self.say(w, (100, 600), "lock.priority_bump_received", |data, _| {
            data.text("path", path);
            data.text("from_worker", second_name);
        });
        self.let_go(w, (2_000, 6_000), path);
        self.follow(second, w);
        self.say(second, (200, 900), "file.checkout", |data, _| data.text("path", path));
        self.hold(second, path);
        self.agent_ends(w, first_since, 0);
        self.complete(w);
        self.let_go(second, (4_000, 12_000), path);
        let fails = self.stage.hurry || self.stage.dice.chance(50);
        self.agent_ends(second, second_since, i32::from(fails));
        if fails { self.fail(second) } else { self.complete(second) }
    }

    /// Returns who else wants the file: whoever means to collide as well, else the first who is free and has nothing to show.
    fn rival(&mut self, w: usize) -> Option<usize> {
        let is_there = |&other: &usize| {
            let worker = &self.crew.workers[other];
            other != w && worker.is_booted && worker.silence == Silence::None
        };
        let there: Vec<_> = (0..KEEPER).filter(is_there).collect();
        let planned = |&other: &usize| self.crew.workers[other].planned.last().copied();
        let also = there.iter().copied().find(|other| planned(other) == Some(Scene::Collision));
        if let Some(other) = also {
            self.worker(other).planned.pop();
            return Some(other);
        }
        let free = there.into_iter().filter(|other| planned(other).is_none());
        free.min_by_key(|&other| self.crew.workers[other].at_ns)
    }

    /// What a worker says next comes after what another has said.
    fn follow(&mut self, w: usize, leader: usize) {
        let leader_ns = self.crew.workers[leader].at_ns;
        let worker = self.worker(w);
        worker.at_ns = worker.at_ns.max(leader_ns);
    }

    /// The worker itself fails and is started again.
    pub(super) fn breaks(&mut self, w: usize) {
        self.say(w, (2_000, 9_000), "worker.errored", |data, dice| {
            data.text("error", dice.pick(&FAILURES));
        });
        self.stop(w, "error");
    }
}
