//! What workers and the keeper do, how often, and what they begin with.

use super::Play;

/// The scenes of workers. Plain beads are most of them.
pub(super) const SCENES: &[Scene] = &[
    Scene::Bead,
    Scene::Bead,
    Scene::Bead,
    Scene::Bead,
    Scene::Bead,
    Scene::Bead,
    Scene::Hooked,
    Scene::Hooked,
    Scene::HookFails,
    Scene::Fails,
    Scene::Fails,
    Scene::Crashes,
    Scene::TimesOut,
    Scene::RaceLost,
    Scene::ClaimExhausted,
    Scene::Stuck,
    Scene::Collision,
    Scene::Collision,
    Scene::Split,
    Scene::SplitSkipped,
    Scene::SplitFails,
    Scene::Costly,
    Scene::Idle,
    Scene::Drain,
    Scene::Breaks,
];

/// The scenes of the keeper.
pub(super) const ROUNDS: &[Scene] =
    &[Scene::Mend, Scene::Unravel, Scene::Weave, Scene::Pulse, Scene::StaleLock, Scene::Idle];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scene {
    Bead,
    Hooked,
    HookFails,
    Fails,
    Crashes,
    TimesOut,
    RaceLost,
    ClaimExhausted,
    Stuck,
    Collision,
    Split,
    SplitSkipped,
    SplitFails,
    Costly,
    Idle,
    Drain,
    Breaks,
    Mend,
    Unravel,
    Weave,
    Pulse,
    StaleLock,
}

/// What each worker begins with, the last first, so that the first minute shows everything.
pub(super) fn opening(worker: usize) -> Vec<Scene> {
    match worker {
        0 => vec![Scene::Split, Scene::Collision],
        1 => vec![Scene::Collision],
        2 => vec![Scene::Stuck],
        3 => vec![Scene::Costly],
        4 => vec![Scene::Crashes],
        _ => vec![Scene::Unravel, Scene::Pulse, Scene::Weave],
    }
}

impl Play<'_> {
    pub(super) fn scene(&mut self, w: usize, scene: Scene) {
        match scene {
            Scene::Bead => self.bead(w),
            Scene::Hooked => self.hooked(w),
            Scene::HookFails => self.hook_fails(w),
            Scene::Fails => self.fails(w),
            Scene::Crashes => self.crashes(w),
            Scene::TimesOut => self.times_out(w),
            Scene::RaceLost => self.race_lost(w),
            Scene::ClaimExhausted => self.claim_exhausted(w),
            Scene::Stuck => self.stuck(w),
            Scene::Collision => self.collision(w),
            Scene::Split => self.split(w),
            Scene::SplitSkipped => self.split_skipped(w),
            Scene::SplitFails => self.split_fails(w),
            Scene::Costly => self.costly(w),
            Scene::Idle => self.idle(w),
            Scene::Drain => self.drain(w),
            Scene::Breaks => self.breaks(w),
            Scene::Mend => self.mend(w),
            Scene::Unravel => self.unravel(w),
            Scene::Weave => self.weave(w),
            Scene::Pulse => self.pulse(w),
            Scene::StaleLock => self.stale_lock(w),
        }
    }
}
