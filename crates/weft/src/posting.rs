//! How a command puts a few events into the log at once: through the server that runs on the store, or itself where none does.

use std::time::Duration;

use anyhow::Context as _;
use uuid::Uuid;
use weft_event::Dialect;
use weft_event::event::Expect;
use weft_log::admit::{Admitted, Arrival, Gate, Strictness};
use weft_log::blobs::Which;
use weft_log::index::Reader;
use weft_log::log::{AppendError, Batch, Condition, Durability, Log, Outcome};
use weft_log::query::Records;
use weft_log::spool::Entry;
use weft_log::{Position, Store, TopicKey};
use weft_server::socket::answer::{Failure, Fate};
use weft_server::socket::client::{Client, ClientError};
use weft_server::socket::request::{Append, Sent};

use crate::output::Shown;
use crate::stores;
use crate::writing::is_gone;

/// How long the server may take for its answer.
const ANSWER_PATIENCE: Duration = Duration::from_secs(10);

/// An event that a command makes.
#[derive(Clone, Debug)]
pub(crate) struct Post {
    /// The event, on one line.
    pub(crate) line: String,
    /// Its dialect.
    pub(crate) dialect: Dialect,
    /// The topic it is posted to; the event's own if it names one and nothing is said here.
    pub(crate) topic: Option<TopicKey>,
}

/// What became of events that were posted together.
#[derive(Debug)]
pub(crate) enum Posted {
    /// They are in the log: one outcome for each.
    Kept(Vec<Outcome>),
    /// None is: the newest record of a key is another than was expected.
    Condition {
        /// The topic and its key.
        topic: TopicKey,
        /// The newest record.
        actual: Option<Position>,
    },
}

/// Appends events together, all or none, and returns when they are durable.
pub(crate) fn post(
    store: &Store,
    via: &'static str,
    posts: &[Post],
    conditions: &[Condition],
) -> anyhow::Result<Posted> {
    append(store, via, (posts, conditions), || None)
}

/// Does the same once nothing more is looked up in a store, whose index stays open for it.
pub(crate) fn post_last(
    records: Records,
    via: &'static str,
    posts: &[Post],
    conditions: &[Condition],
) -> anyhow::Result<Posted> {
    let store = records.store().clone();
    append(&store, via, (posts, conditions), || records.into_index())
}

fn append(
    store: &Store,
    via: &'static str,
    (posts, conditions): (&[Post], &[Condition]),
    index: impl FnOnce() -> Option<Reader>,
) -> anyhow::Result<Posted> {
    let deliveries: Vec<_> = posts.iter().map(|_| Entry::delivery(Uuid::now_v7())).collect();
    let sent = posts.iter().zip(&deliveries).map(|(post, delivery)| Sent {
        line: post.line.as_bytes(),
        via: None,
        dialect: Some(post.dialect),
        delivery: Some(delivery.as_str().into()),
        topic: post.topic.as_ref().map(std::borrow::Cow::Borrowed),
    });
    let append = Append {
        via: via.into(),
        durability: Durability::Synced,
        patience: Some(stores::PATIENCE),
        conditions: conditions.to_vec(),
        events: sent.collect(),
    };
    if let Some(posted) = through_server(store, &append)? {
        return Ok(posted);
    }
    let unwritable = || format!("cannot write to the store {}", store.root().display());
    let mut gate = Gate::new(store, Which::Largest, Strictness::Lenient);
    let admitted = posts.iter().zip(&deliveries).map(|(post, delivery)| {
        let arrival = Arrival {
            line: post.line.as_bytes(),
            expect: Expect::Dialect(post.dialect),
            via,
            delivery: Some(delivery),
            topic: post.topic.as_ref(),
        };
        gate.admit(&arrival).map_err(|refusal| {
            let problem = refusal.problems().into_iter().next();
            let why = problem.map_or(refusal.to_string(), |problem| problem.message);
            anyhow::anyhow!("the event is refused: {}", Shown(&why))
        })
    });
    let events = admitted.collect::<anyhow::Result<Vec<Admitted>>>()?;
    let options = stores::briefly(stores::PATIENCE);
    let log = Log::begin_reading(store.clone(), options, index()).with_context(unwritable)?;
    let batch = Batch { events, conditions: conditions.to_vec(), durability: Durability::Synced };
    let appended = log.append(batch);
    stores::tell_findings(&log.take_findings());
    let posted = match appended {
        Ok(answer) => Posted::Kept(answer.outcomes),
        Err(AppendError::Condition { topic, actual }) => Posted::Condition { topic, actual },
        Err(
            error @ (AppendError::Write(_)
            | AppendError::Begin(_)
            | AppendError::Identity(_)
            | AppendError::Left),
        ) => return Err(error).with_context(unwritable),
    };
    log.close().context("the events are stored, and not indexed yet")?;
    Ok(posted)
}

/// Appends through the server that runs on the store; `None` if none does.
fn through_server(store: &Store, append: &Append<'_>) -> anyhow::Result<Option<Posted>> {
    let sent = Client::of_store(store.root(), ANSWER_PATIENCE)
        .and_then(|mut client| client.append(append));
    let fates = match sent {
        Ok(appended) => appended.fates,
        Err(ClientError::Failed(Failure::Condition { topic, actual })) => {
            return Ok(Some(Posted::Condition { topic, actual }));
        }
        Err(error) if is_gone(&error) => return Ok(None),
        Err(error) => return Err(error).context("cannot write to the store"),
    };
    let outcomes = fates.into_iter().map(|fate| match fate {
        Fate::Kept { outcome, .. } => Ok(outcome),
        Fate::Refused { id, reasons } => {
            let why = reasons.first().map_or("", |reason| reason.message.as_str());
            let why = Shown(why);
            anyhow::bail!("the event is refused ({why}), and kept: weft rejects show {id}")
        }
    });
    Ok(Some(Posted::Kept(outcomes.collect::<anyhow::Result<_>>()?)))
}
