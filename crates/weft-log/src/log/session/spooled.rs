//! The spool on its way into the log: in one group with what is appended next, or in groups of its own.

use std::time::SystemTime;

use weft_event::Dialect;
use weft_event::event::Expect;

use super::super::{
    AppendError, Appended, Batch, BeginError, Durability, FromSpool, Outcome, TellSpooled,
};
use super::Session;
use crate::Via;
use crate::admit::{Admitted, Arrival, Gate, Refusal, Strictness};
use crate::blobs::{ShrinkError, Which};
use crate::rejected::{Refusal as Kept, Rejected};
use crate::spool::{self, Taken};
use crate::writer::GROUP_RECORDS_MAX;

/// The last events of a spool, which are not in the log yet. What is before them in the spool is.
pub(super) struct Spooled {
    events: Vec<Admitted>,
    taken: Taken,
}

impl Session {
    pub(in super::super) fn tell_spooled(&mut self, tell: TellSpooled) {
        self.tell_spooled = Some(tell);
    }

    /// Moves what came into the spool since the store was taken into the log; returns whether there was anything.
    pub(in super::super) fn empty_spool(&mut self) -> Result<bool, BeginError> {
        if self.spool.is_so(self.store.root(), SystemTime::now()) {
            return Ok(false);
        }
        match self.held {
            Some(_) => self.take_spool()?,
            // Which moves the spool too.
            None => self.hold(&mut |_| {})?,
        }
        Ok(true)
    }

    /// Takes the store, unless it is held, and reads what has to be written before anything else.
    pub(super) fn get_ready(&mut self) -> Result<(), BeginError> {
        if self.held.is_none() {
            self.hold_before_spool(&mut |_| {})?;
            let read = self.read_spool();
            self.spooled = self.held_if(read)?;
        }
        Ok(())
    }

    /// Moves what single commands left in the spool into the log of a store that was just taken.
    pub(super) fn take_spool_held(&mut self) -> Result<(), BeginError> {
        let taken = self.take_spool();
        self.held_if(taken)
    }

    fn held_if<T>(&mut self, done: Result<T, BeginError>) -> Result<T, BeginError> {
        if done.is_err() {
            // What comes next must not overtake what the spool holds.
            self.held = None;
        }
        done
    }

    /// Appends batches behind what the spool holds, together with it: one group and one sync where all of it is little.
    pub(super) fn commit_after(&mut self, spooled: Spooled, batches: Vec<Batch>) -> Appended {
        let Spooled { events, taken } = spooled;
        let marks = self.marks_to_tell(&events);
        let mut appended = self.commit_held(Some(synced(events)), batches);
        let before = appended.answers.remove(0);
        if let Ok(answer) = before {
            self.tell_kept(&marks, &answer.outcomes);
            // What stays there although it is in the log is taken for repeats the next time, and what failed here fails again.
            drop(taken.finish());
        }
        appended
    }

    fn take_spool(&mut self) -> Result<(), BeginError> {
        // It is read anew, from where it was: nobody else has it.
        self.spooled = None;
        while let Some(Spooled { events, taken }) = self.read_spool()? {
            self.store_spooled(events)?;
            taken.finish().map_err(BeginError::Spool)?;
        }
        Ok(())
    }

    /// Reads what is in the spool, and stores it as far as it is more than goes into one group.
    fn read_spool(&mut self) -> Result<Option<Spooled>, BeginError> {
        let Some(mut taken) = spool::take(self.store.root()).map_err(BeginError::Spool)? else {
            return Ok(None);
        };
        let mut gate = Gate::new(&self.store, Which::Largest, Strictness::Lenient);
        let mut events = Vec::new();
        while let Some(entry) = taken.read().map_err(BeginError::Spool)? {
            let delivery = spool::Entry::delivery(entry.id);
            let arrival = Arrival {
                line: entry.line,
                expect: entry.dialect.map_or(Expect::Any, Expect::Dialect),
                via: &entry.via,
                delivery: Some(&delivery),
                topic: entry.topic.as_ref(),
            };
            match gate.admit(&arrival) {
                Ok(event) => events.push(event),
                Err(Refusal::Large(ShrinkError::Blob(error))) => {
                    return Err(BeginError::Blob(error));
                }
                Err(refusal) => {
                    let origin = format!("spool:{}", entry.id);
                    let kept = Kept::of(&arrival, &refusal, origin, entry.at_us);
                    let kept = [kept];
                    Rejected::new(&self.store).put(&kept).map_err(BeginError::Rejected)?;
                    if let Some(tell) = &mut self.tell_spooled {
                        tell(FromSpool::Refused(&kept[0]));
                    }
                }
            }
            if events.len() >= GROUP_RECORDS_MAX {
                self.store_spooled(std::mem::take(&mut events))?;
            }
        }
        Ok(Some(Spooled { events, taken }))
    }

    fn store_spooled(&mut self, events: Vec<Admitted>) -> Result<(), BeginError> {
        if events.is_empty() {
            return Ok(());
        }
        let marks = self.marks_to_tell(&events);
        let appended = self.commit_held(None, vec![synced(events)]);
        let answer = appended.answers.into_iter().next().expect("one batch has one answer");
        match answer {
            Ok(answer) => {
                self.tell_kept(&marks, &answer.outcomes);
                Ok(())
            }
            Err(AppendError::Write(error)) => Err(BeginError::SpoolWrite(error)),
            Err(AppendError::Identity(error)) => Err(BeginError::Identity(error)),
            Err(AppendError::Begin(_) | AppendError::Condition { .. } | AppendError::Left) => {
                unreachable!("the store is held and the batch has no condition")
            }
        }
    }
}

impl Session {
    /// Returns the way in and the dialect of events, if somebody is told of them.
    fn marks_to_tell(&self, events: &[Admitted]) -> Vec<(Via, Dialect)> {
        let told = if self.tell_spooled.is_some() { events } else { &[] };
        let marks = told.iter().map(|event| &event.entry.mark);
        marks.map(|mark| (mark.via.clone(), mark.dialect)).collect()
    }

    fn tell_kept(&mut self, marks: &[(Via, Dialect)], outcomes: &[Outcome]) {
        let Some(tell) = &mut self.tell_spooled else { return };
        for ((via, dialect), outcome) in marks.iter().zip(outcomes) {
            tell(FromSpool::Kept { via, dialect: *dialect, outcome: *outcome });
        }
    }
}

fn synced(events: Vec<Admitted>) -> Batch {
    Batch { events, conditions: Vec::new(), durability: Durability::Synced }
}
