//! How a command puts a few events into the log at once: through the server that runs on the store, or itself where none does.

use std::time::Duration;

use anyhow::Context as _;
use uuid::Uuid;
use weft_event::Dialect;
use weft_event::event::Expect;
use weft_log::admit::{Admitted, Arrival, Gate, Strictness};
use weft_log::blobs::Which;
use weft_log::log::{AppendError, Batch, BeginError, Condition, Durability, Log, Outcome};
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
pub(crate) const ANSWER_PATIENCE: Duration = Duration::from_secs(10);

/// After which time what a hook reports is made durable without it.
const REPORT_PATIENCE: Duration = Duration::from_millis(50);

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

/// What a hook reports: an event that is on its way already, and goes into the log before what is posted.
pub(crate) struct Report<'e> {
    /// The event, on one line.
    pub(crate) line: &'e [u8],
    /// Its dialect.
    pub(crate) dialect: Dialect,
    /// What tells this delivery from another.
    pub(crate) delivery: String,
    /// Makes it durable otherwise. Called where a server takes long to answer.
    pub(crate) late: &'e dyn Fn(),
    /// What became of it; none as long as nobody has taken it.
    pub(crate) fate: Option<Fate>,
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

/// Where events are posted, by whoever has looked something up there.
pub(crate) enum Place {
    /// Through the server that runs on the store, and waits for it.
    Served(Store, Box<Client>),
    /// In a store whose index stays open for it.
    Records(Box<Records>),
    /// In one of which nothing is open.
    Store(Store),
}

impl Place {
    /// Returns the same by way of its server.
    pub(crate) fn served(self, client: Box<Client>) -> Self {
        match self {
            Place::Served(store, _) | Place::Store(store) => Place::Served(store, client),
            Place::Records(records) => Place::Served(records.store().clone(), client),
        }
    }
}

/// Appends events together, all or none, and returns when they are durable.
pub(crate) fn post(
    store: &Store,
    via: &'static str,
    posts: &[Post],
    conditions: &[Condition],
) -> anyhow::Result<Posted> {
    append(Place::Store(store.clone()), via, (posts, conditions), None)
}

/// Does the same once nothing more is looked up, and has what a hook reports go into the log with them. The report is left to the hook
/// where nothing is appended, or where it alone is refused.
pub(crate) fn post_last(
    place: Place,
    via: &'static str,
    (posts, conditions): (&[Post], &[Condition]),
    report: Option<&mut Report<'_>>,
) -> anyhow::Result<Posted> {
    append(place, via, (posts, conditions), report)
}

fn append(
    place: Place,
    via: &'static str,
    (posts, conditions): (&[Post], &[Condition]),
    mut report: Option<&mut Report<'_>>,
) -> anyhow::Result<Posted> {
    let deliveries: Vec<_> = posts.iter().map(|_| Entry::delivery(Uuid::now_v7())).collect();
    let sent = posts.iter().zip(&deliveries).map(|(post, delivery)| Sent {
        line: post.line.as_bytes(),
        via: None,
        dialect: Some(post.dialect),
        delivery: Some(delivery.as_str().into()),
        topic: post.topic.as_ref().map(std::borrow::Cow::Borrowed),
    });
    let reported = report.as_ref().map(|report| Sent {
        line: report.line,
        via: None,
        dialect: Some(report.dialect),
        delivery: Some(report.delivery.clone().into()),
        topic: None,
    });
    let append = Append {
        via: via.into(),
        durability: Durability::Synced,
        patience: Some(stores::PATIENCE),
        conditions: conditions.to_vec(),
        events: reported.into_iter().chain(sent).collect(),
    };
    let find = |store: &Store| Client::of_store(store.root(), ANSWER_PATIENCE);
    let (client, store, index) = match place {
        Place::Served(store, client) => (Ok(*client), store, None),
        Place::Records(records) => {
            (find(records.store()), records.store().clone(), records.into_index())
        }
        Place::Store(store) => (find(&store), store, None),
    };
    if let Some(posted) = through_server(client, &append, report.as_deref_mut())? {
        return Ok(posted);
    }
    let options = stores::briefly(stores::PATIENCE);
    in_folder(&store, &append, report, || Log::begin_reading(store.clone(), options, index))
}

/// Appends in the folder of a store that no server runs on: one group and one sync, for what the spool holds too.
fn in_folder(
    store: &Store,
    append: &Append<'_>,
    mut report: Option<&mut Report<'_>>,
    begin: impl FnOnce() -> Result<Log, BeginError>,
) -> anyhow::Result<Posted> {
    let unwritable = || format!("cannot write to the store {}", store.root().display());
    let mut gate = Gate::new(store, Which::Largest, Strictness::Lenient);
    let mut admitted = append.events.iter().map(|sent| {
        gate.admit(&Arrival {
            line: sent.line,
            expect: sent.dialect.map_or(Expect::Any, Expect::Dialect),
            via: &append.via,
            delivery: sent.delivery.as_deref(),
            topic: sent.topic.as_deref(),
        })
    });
    let reported = report.as_ref().and_then(|_| admitted.next()).and_then(Result::ok);
    let is_reported = reported.is_some();
    let mut events: Vec<Admitted> = reported.into_iter().collect();
    for event in admitted {
        events.push(event.map_err(|refusal| {
            let problem = refusal.problems().into_iter().next();
            let why = problem.map_or(refusal.to_string(), |problem| problem.message);
            anyhow::anyhow!("the event is refused: {}", Shown(&why))
        })?);
    }
    let log = begin().with_context(unwritable)?;
    let (conditions, durability) = (append.conditions.clone(), append.durability);
    let appended = log.append(Batch { events, conditions, durability });
    stores::tell_findings(&log.take_findings());
    let posted = match appended {
        Ok(answer) => {
            let mut outcomes = answer.outcomes.into_iter();
            if let Some(report) = report.as_mut().filter(|_| is_reported) {
                let fate = |outcome| Fate::Kept { outcome, warnings: Vec::new() };
                report.fate = outcomes.next().map(fate);
            }
            Posted::Kept(outcomes.collect())
        }
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
fn through_server(
    client: Result<Client, ClientError>,
    append: &Append<'_>,
    report: Option<&mut Report<'_>>,
) -> anyhow::Result<Option<Posted>> {
    let sent = client.and_then(|mut client| match &report {
        Some(report) => client.append_soon(append, REPORT_PATIENCE, report.late),
        None => client.append(append),
    });
    let mut fates = match sent {
        Ok(appended) => appended.fates.into_iter(),
        Err(ClientError::Failed(Failure::Condition { topic, actual })) => {
            return Ok(Some(Posted::Condition { topic, actual }));
        }
        Err(error) if is_gone(&error) => return Ok(None),
        Err(error) => return Err(error).context("cannot write to the store"),
    };
    if let Some(report) = report {
        report.fate = fates.next();
    }
    let outcomes = fates.map(|fate| match fate {
        Fate::Kept { outcome, .. } => Ok(outcome),
        Fate::Refused { id, reasons } => {
            let why = reasons.first().map_or("", |reason| reason.message.as_str());
            let why = Shown(why);
            anyhow::bail!("the event is refused ({why}), and kept: weft rejects show {id}")
        }
    });
    Ok(Some(Posted::Kept(outcomes.collect::<anyhow::Result<_>>()?)))
}
