//! Opening a store to search it: what the index lacks is added first where there is much of it and nobody else holds the store.
//!
//! Answers are the same without it, only slower: what the index has not reached is read.

use std::time::Duration;

use anyhow::Context as _;
use weft_log::filter::SqlValue;
use weft_log::follow::Follow;
use weft_log::index::{Follower, Index};
use weft_log::lock::{Lock, LockError};
use weft_log::log::{BeginError, Hold, Indexing, Log, Options};
use weft_log::query::Records;
use weft_log::{Filter, Position, Store};

use super::Bar;
use crate::stores::{self, StoreArgs};

/// Records that are rather read than indexed first.
const BEHIND_RECORDS_MAX: u64 = 10_000;

/// Opens a store to ask it for what a filter matches.
pub(crate) fn open(args: &StoreArgs, filter: &Filter) -> anyhow::Result<Records> {
    let store = args.store()?;
    let unreadable = || format!("cannot read the store {}", store.root().display());
    let mut records = Records::open(store.clone()).with_context(unreadable)?;
    let is_search = filter.plan().params.contains(&SqlValue::TextWatermark);
    let is_behind = |records: &Records, follower| -> anyhow::Result<bool> {
        let mark = records.index().map(|index| index.watermark(follower)).transpose()?;
        let last = records.head().last().map_or(0, Position::get);
        Ok(last.saturating_sub(mark.map_or(0, |mark| mark.position)) > BEHIND_RECORDS_MAX)
    };
    if is_behind(&records, Follower::Core)? && index_core(&store)? {
        records = Records::open(store.clone()).with_context(unreadable)?;
    }
    if is_search && is_behind(&records, Follower::Text)? && index_text(&store, &records)? {
        records = Records::open(store.clone()).with_context(unreadable)?;
    }
    Ok(records)
}

/// Brings facts and places up to date; returns whether it could.
fn index_core(store: &Store) -> anyhow::Result<bool> {
    let (patience, hold, indexing) = (Duration::ZERO, Hold::Long, Indexing::AtTheEnd);
    let options = Options { owner: stores::owner(), patience, hold, indexing };
    let mut bar = Bar::new("indexing");
    match Log::open(store.clone(), options, &mut |progress| bar.show(progress)) {
        Ok(log) => {
            log.close().context("cannot bring the index up to date")?;
            Ok(true)
        }
        Err(BeginError::Lock(LockError::Held { .. } | LockError::Io { .. })) => Ok(false),
        Err(error) => Err(error).context("cannot bring the index up to date"),
    }
}

/// Brings the text index up to date; returns whether it could.
fn index_text(store: &Store, records: &Records) -> anyhow::Result<bool> {
    let lock = match Lock::take(store.root(), &stores::owner(), Duration::ZERO) {
        Ok(lock) => lock,
        Err(LockError::Held { .. } | LockError::Io { .. }) => return Ok(false),
    };
    let unwritable = "cannot bring the text index up to date";
    let index = Index::open(&store.index(), &records.head().store).context(unwritable)?;
    let mut bar = Bar::new("indexing text");
    let mut follow = Follow::new(store.clone(), index);
    follow.catch_up(Follower::Text, &mut |progress| bar.show(progress)).context(unwritable)?;
    drop(follow);
    drop(lock);
    Ok(true)
}
