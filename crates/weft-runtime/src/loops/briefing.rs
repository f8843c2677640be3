//! What a decision about a session's loop has to know from the log, found in one go and in bounded time: a server finds it while others
//! wait. What would take longer is left out, and whoever decides reads that from the log itself.

use weft_event::idle::Topic;
use weft_log::filter::quoted;
use weft_log::query::{Ask, Found, Order, QueryError, Records};
use weft_log::{Filter, Position, TopicKey};

use super::control::Said;
use super::newest::{Newest, current_of};
use super::state::{Current, Frame};

/// Records about a plan that are told at most, and those that are read at a time.
const PLAN_RECORDS_MAX: usize = 256;
const PLAN_STEP_RECORDS: usize = 16;
/// Bytes of them.
const PLAN_BYTES_MAX: usize = 1 << 20;
/// Positions that they are looked for in.
const PLAN_REACH_MAX: u64 = 20_000;
/// Records of `loop:control` that are looked at.
const SAID_MAX: usize = 16;
/// Bytes of them that are told.
const SAID_BYTES_MAX: usize = 1 << 20;

/// The tool that an agent keeps a list with.
pub const LIST_TOOL: &str = "TodoWrite";
/// What the types of events about tasks begin with.
pub const TASK_TYPES: &str = "hook.task_";

/// What the log says of a session's loop.
#[derive(Clone, Debug)]
pub struct Briefing {
    /// The last position of the log; 0 if it is empty.
    pub last: u64,
    /// The newest state of the session.
    pub own: Option<Found>,
    /// The newest state of a loop that waits for a session, where the session has none.
    pub unclaimed: Option<Found>,
    /// What was said in `loop:control` lately, the newest first; `None` where it is too much.
    pub said: Option<Vec<Found>>,
    /// What was told of the plan since it was looked at last; `None` where nobody works, or it is too much or far to go.
    pub plan: Option<Since>,
}

/// Records since a position.
#[derive(Clone, Debug)]
pub struct Since {
    /// The position of the last record that was looked at before.
    pub upto: u64,
    /// Those that came after it, in order.
    pub records: Vec<Found>,
}

impl Briefing {
    /// Finds it.
    pub fn of(records: &mut Records, session_id: &str, now_ns: i64) -> Result<Self, QueryError> {
        let own = records.latest(&current_of(session_id))?;
        let newest = Newest::found(own.as_ref(), session_id);
        let unclaimed = match newest.current {
            Current::None => records.latest(&current_of(""))?,
            Current::Running(_) | Current::Broken { .. } => None,
        };
        // What was answered with a state is not to be found without its answer.
        records.refresh()?;
        let last = records.head().last().map_or(0, Position::get);
        let said = Said::lately_found(records, now_ns, SAID_MAX)?;
        let said = said.filter(|said| bytes_of(said) <= SAID_BYTES_MAX);
        let plan = match &newest.current {
            Current::Running(state) => match state.top() {
                Some(frame) => plan(records, frame, session_id, last)?,
                None => None,
            },
            Current::None | Current::Broken { .. } => None,
        };
        Ok(Self { last, own, unclaimed, said, plan })
    }
}

/// Returns the filter that finds what a session told of its plan; `None` if its id is too long for one.
pub fn about_plan(session_id: &str) -> Option<Filter> {
    let session = quoted(session_id);
    let tasks = format!("type={TASK_TYPES}created or type={TASK_TYPES}completed");
    let text = format!("session={session} ({tasks} or tool={LIST_TOOL})");
    Filter::parse(&text, 0).ok()
}

/// Returns the position that the plan of a frame was looked at up to, or that the frame began at.
pub fn plan_upto(records: &mut Records, frame: &Frame) -> Result<Option<u64>, QueryError> {
    if let Some(plan) = frame.marks.plan {
        return Ok(Some(plan.upto));
    }
    let topic = TopicKey { topic: Topic::LoopTrace.to_string(), key: Some(frame.id.clone()) };
    Ok(records.latest(&topic)?.map(|found| found.meta.position.get()))
}

fn plan(
    records: &mut Records,
    frame: &Frame,
    session_id: &str,
    last: u64,
) -> Result<Option<Since>, QueryError> {
    let upto = plan_upto(records, frame)?.unwrap_or(last);
    if last.saturating_sub(upto) > PLAN_REACH_MAX {
        return Ok(None);
    }
    let (mut since, mut next) = (Since { upto, records: Vec::new() }, Position::FIRST.plus(upto));
    let (Some(end), Some(filter)) = (Position::new(last), about_plan(session_id)) else {
        return Ok(None);
    };
    while next <= end {
        let (range, order) = (next..=end, Order::Ascending);
        let ask = Ask { filter: &filter, range, order, limit: PLAN_STEP_RECORDS };
        let page = records.page(&ask)?;
        since.records.extend(page.records);
        let n_records = since.records.len();
        if n_records > PLAN_RECORDS_MAX || bytes_of(&since.records) > PLAN_BYTES_MAX {
            return Ok(None);
        }
        match page.next {
            Some(more) => next = more,
            None => break,
        }
    }
    Ok(Some(since))
}

fn bytes_of(records: &[Found]) -> usize {
    records.iter().map(|found| found.line.len()).sum()
}
