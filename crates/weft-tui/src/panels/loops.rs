//! The loops: their frames, iterations and age.

use weft_view::loops::{FrameRow, LoopState, Row};

use crate::listing::{Cell, Column, Field, Item, Link, Look, field, log_command, quoted};
use crate::text::{since, span};
use crate::theme::Tone;

pub(super) const COLUMNS: &[Column] = &[
    Column { title: "State", min: 10, max: 10, rank: 0 },
    Column { title: "Age", min: 4, max: 7, rank: 2 },
    Column { title: "Round", min: 5, max: 9, rank: 0 },
    Column { title: "Frames", min: 10, max: 40, rank: 1 },
    Column { title: "Loop", min: 8, max: 28, rank: 3 },
    Column { title: "Goal or last word", min: 16, max: 120, rank: 0 },
];

fn state(state: LoopState) -> (&'static str, &'static str, Tone) {
    match state {
        LoopState::Running => ("▶", "running", Tone::Busy),
        LoopState::Paused => ("‖", "paused", Tone::Warn),
        LoopState::Stale => ("≡", "stale", Tone::Warn),
        LoopState::Done => ("✓", "done", Tone::Good),
        LoopState::Aborted => ("✗", "aborted", Tone::Bad),
        LoopState::Replaced => ("·", "replaced", Tone::Faint),
    }
}

fn frame(frame: &FrameRow) -> String {
    match frame.issue.as_deref().or(frame.filter.as_deref()) {
        Some(about) => format!("{} {about}", frame.mode),
        None => frame.mode.clone(),
    }
}

fn rounds(frame: &FrameRow) -> String {
    format!("{}/{}", frame.iter, frame.max)
}

impl Item for Row {
    fn id(&self) -> String {
        self.run.clone()
    }

    fn cells(&self, look: &Look) -> Vec<Cell> {
        let (sign, name, tone) = state(self.state);
        let age = match self.state {
            LoopState::Running | LoopState::Paused | LoopState::Stale => {
                since(self.last_seen.0, look.now_ns)
            }
            LoopState::Done | LoopState::Aborted | LoopState::Replaced => span(self.age_ms),
        };
        let frames: Vec<String> = self.frames.iter().map(frame).collect();
        let words = [&self.goal, &self.reason, &self.trace, &self.next_step];
        let word = self.waits().or_else(|| words.into_iter().find_map(|word| word.as_deref()));
        vec![
            Cell::new(format!("{sign} {name}"), tone),
            Cell::plain(age),
            Cell::plain(self.frames.last().map(rounds).unwrap_or_default()),
            Cell::new(frames.join(" › "), Tone::Strong),
            Cell::faint(self.run.as_str()),
            Cell::maybe(word),
        ]
    }

    fn detail(&self, look: &Look) -> Vec<Field> {
        let mut fields = Vec::new();
        let mut add = |name, text: Option<String>| field(&mut fields, name, text);
        add("loop", Some(self.run.clone()));
        add("state", Some(state(self.state).1.to_owned()));
        add("why", self.waits().or(self.reason.as_deref()).map(str::to_owned));
        let frames = self.frames.iter().map(|it| {
            let branch = it.branch.as_deref().map(|branch| format!(" on {branch}"));
            format!("{} round {}{}", frame(it), rounds(it), branch.unwrap_or_default())
        });
        add("frames", Some(frames.collect::<Vec<_>>().join("\n")));
        add("goal", self.goal.clone());
        add("next", self.next_step.clone());
        add("last word", self.trace.clone());
        add("asked", self.request.clone());
        add("session", self.session.clone());
        add("since", Some(look.zone.whole(self.since.0)));
        add("last heard", Some(look.zone.whole(self.last_seen.0)));
        add("ended", self.ended.map(|at| look.zone.whole(at.0)));
        add("anchored", self.anchored.map(|at| look.zone.whole(at.0)));
        add("record", self.position.map(|position| position.to_string()));
        fields
    }

    fn link(&self) -> Link {
        let records = Some(format!("actor={}", quoted(&self.run)));
        Link { session: self.session.clone(), trace: None, records }
    }

    fn command(&self) -> String {
        match self.position {
            Some(position) => format!("weft show {position}"),
            None => log_command(&format!("actor={}", quoted(&self.run))),
        }
    }
}
