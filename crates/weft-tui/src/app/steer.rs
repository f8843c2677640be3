//! Loops are paused, resumed, cancelled and handed to a person.

use weft_event::idle::Command;
use weft_view::loops::LoopState;

use super::follow::said;
use super::{App, Effect, Over};
use crate::feed::Order;
use crate::keys::Reply;
use crate::mode::Mode;
use crate::panel::Panel;
use crate::source::{SourceError, Steer, Steered};

impl App {
    /// Asks something of the loop of the chosen row, or says why it cannot be asked.
    pub(super) fn steer(&mut self, wish: Command) -> Vec<Effect> {
        // It stays the chosen one, wherever its row goes by what is asked of it.
        self.pin();
        match self.wished(wish) {
            Ok(steer) if wish == Command::Cancel => {
                self.over = Over::Question(steer);
                Vec::new()
            }
            Ok(steer) => vec![Effect::Tell(Order::Steer(steer))],
            Err(why) => {
                self.notice = Some(why.to_owned());
                Vec::new()
            }
        }
    }

    fn wished(&self, wish: Command) -> Result<Steer, &'static str> {
        if self.panel != Panel::Loops {
            return Err("choose a loop first: o shows them");
        }
        match self.mode {
            Mode::Live => {}
            Mode::Paused { .. } | Mode::Replay { .. } => {
                return Err("another moment is shown: n goes to now, where loops can be changed");
            }
        }
        let run = self.chosen().map(|item| item.id()).ok_or("there is no loop to choose")?;
        let rows = self.views.loops.rows(self.moment_ns(), &self.settings.judgement.rules);
        let row = rows.into_iter().find(|row| row.run == run);
        let row = row.ok_or("there is no loop to choose")?;
        match row.state {
            LoopState::Running | LoopState::Paused | LoopState::Stale => {}
            LoopState::Done | LoopState::Aborted | LoopState::Replaced => {
                return Err("this loop is over");
            }
        }
        Ok(Steer { session: row.session.unwrap_or_default(), run, wish })
    }

    /// Takes the answer to whether a loop is really to be changed.
    pub(super) fn reply(&mut self, reply: Reply) -> Vec<Effect> {
        let Over::Question(steer) = std::mem::replace(&mut self.over, Over::Nothing) else {
            return Vec::new();
        };
        match reply {
            Reply::Yes => vec![Effect::Tell(Order::Steer(steer))],
            Reply::No => {
                self.notice = Some(format!("{} stays as it is", steer.run));
                Vec::new()
            }
        }
    }

    /// Says what came of it.
    pub(super) fn steered(&mut self, steer: &Steer, result: Result<Steered, SourceError>) {
        self.notice = Some(match result {
            Ok(Steered::Done(why)) => format!("{}: {why}", steer.run),
            Ok(Steered::Refused(why)) => {
                format!("cannot {} {}: {why}", steer.wish.as_str(), steer.run)
            }
            Err(error) => said(&error),
        });
    }
}
