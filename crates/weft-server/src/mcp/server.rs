//! The log of a running server, as the tools see it.

use weft_event::Dialect;
use weft_log::disk::RealDisk;
use weft_log::log::{Batch, Durability, Outcome};
use weft_log::query::{Found, Page, QueryError, Records};
use weft_log::{Position, reader};

use super::shelf::{Kept, NotAdmitted, Put, Seen, Shelf, ShelfError, VIA, admit};
use crate::Core;
use crate::http::events;
use crate::metrics::Tally;
use crate::reads::{self, Question};
use crate::views::{self, Ask};

impl Shelf for Core {
    async fn put(&self, events: Vec<Put>) -> Result<Vec<Kept>, ShelfError> {
        let store = self.store().clone();
        let dialect = events.first().map(|put| put.dialect);
        let admitted = self.intake().aside(move || admit(&store, &events)).await;
        let events = match admitted {
            Ok(events) => events,
            Err(NotAdmitted::Failed(error)) => return Err(ShelfError::failed(error)),
            Err(NotAdmitted::Refused { problems, refusal }) => {
                let mut tally = Tally::default();
                tally.refuse(dialect);
                self.counters().count(VIA, &tally);
                if let (_, Err(error)) = self.intake().keep_refused(vec![*refusal]).await {
                    tracing::error!("cannot keep what was refused: {error}");
                }
                return Err(ShelfError::Refused { problems });
            }
        };
        let dialects: Vec<Dialect> = events.iter().map(|event| event.entry.mark.dialect).collect();
        let batch = Batch { events, conditions: Vec::new(), durability: Durability::Synced };
        let outcomes = events::append(self, batch).await.map_err(ShelfError::failed)?.outcomes;
        self.counters().count(VIA, &tally(&dialects, &outcomes));
        Ok(outcomes.into_iter().map(Kept::Logged).collect())
    }

    async fn look<T: Default + Send + 'static>(
        &self,
        work: impl FnOnce(&mut Records) -> Result<T, QueryError> + Send + 'static,
    ) -> Result<T, ShelfError> {
        let looked = self.reads().read(move |records| Ok(work(records)?));
        looked.await.map_err(ShelfError::failed)
    }

    async fn find(&self, question: Question) -> Result<Seen<Page>, ShelfError> {
        let room = self.reads().room(question.bytes_max).await.map_err(ShelfError::failed)?;
        let first = first(self);
        let found = self.reads().read(move |records| {
            let page = reads::page(records, question)?;
            Ok((first().map_err(weft_log::query::QueryError::from)?, page))
        });
        let (first, found) = found.await.map_err(ShelfError::failed)?;
        drop(room);
        Ok(Seen { store_id: self.store_id().to_owned(), first, found })
    }

    async fn get(&self, position: Position) -> Result<Seen<Option<Found>>, ShelfError> {
        let first = first(self);
        let found = self.reads().read(move |records| {
            let first = first().map_err(weft_log::query::QueryError::from)?;
            let found = if position.get() < first { None } else { records.get(position)? };
            Ok((first, found))
        });
        let (first, found) = found.await.map_err(ShelfError::failed)?;
        Ok(Seen { store_id: self.store_id().to_owned(), first, found })
    }

    async fn view(&self, ask: Ask) -> Result<views::Seen, ShelfError> {
        Ok(views::now(self, ask).await)
    }
}

/// Returns what finds the first position that is kept.
fn first(core: &Core) -> impl FnOnce() -> Result<u64, reader::ReadError> + Send + 'static {
    let root = core.store().root().to_owned();
    move || Ok(reader::first_kept(RealDisk, &root)?.map_or(1, Position::get))
}

fn tally(dialects: &[Dialect], outcomes: &[Outcome]) -> Tally {
    let mut tally = Tally::default();
    for (dialect, outcome) in dialects.iter().zip(outcomes) {
        match outcome {
            Outcome::Stored { .. } => tally.accept(*dialect),
            Outcome::Repeat { .. } => tally.repeat(*dialect),
        }
    }
    tally
}
