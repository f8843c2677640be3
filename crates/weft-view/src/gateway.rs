//! A gateway: its sessions by tenant, the answers it delivers, peers, jobs, components and configurations.
//!
//! What a component of a gateway tells is known by the component it names. Its parts are apart: each table has a file.

mod component;
mod peer;
mod session;

use serde::{Deserialize, Serialize};
use weft_event::report::Part;

use crate::{Entry, First, Rules, View};

use component::{Components, Jobs, Revisions};
use peer::Peers;
use session::{Outbox, Sessions};

pub use component::{ComponentRow, JobRow, RevisionRow};
pub use peer::PeerRow;
pub use session::{ReplyRow, SessionRow};

/// A gateway: its sessions by tenant, deliveries, peers, jobs, tool hosts, configurations.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Gateway {
    sessions: Sessions,
    outbox: Outbox,
    peers: Peers,
    jobs: Jobs,
    components: Components,
    revisions: Revisions,
}

/// What there is to see of a gateway.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Rows {
    /// The sessions, by tenant, the last active first.
    pub sessions: Vec<SessionRow>,
    /// The answers of agents and where they go, the newest first.
    pub outbox: Vec<ReplyRow>,
    /// The pairings, the newest first.
    pub peers: Vec<PeerRow>,
    /// The jobs, by id.
    pub jobs: Vec<JobRow>,
    /// The components, by kind and name.
    pub components: Vec<ComponentRow>,
    /// The revisions of the configuration, the newest first.
    pub revisions: Vec<RevisionRow>,
}

impl View for Gateway {
    const NAME: &'static str = "gateway";
    const VERSION: u32 = 2;

    fn apply(&mut self, entry: &Entry<'_, '_>) {
        let Some(place) = entry.report.place.as_deref() else {
            return;
        };
        let Some(component) = place.component.as_deref() else {
            return;
        };
        let at_ns = entry.time_ns();
        self.components.apply(component, place.component_kind.as_deref(), at_ns, entry);
        if let Part::Peer(peer) = &entry.report.part {
            self.peers.apply(peer, at_ns, entry);
        } else if let Part::Job(job) = &entry.report.part {
            self.jobs.apply(job, at_ns, entry);
        } else if let Part::Config(config) = &entry.report.part {
            self.revisions.apply(config, component, at_ns, entry);
        } else if let Part::Reply(reply) = &entry.report.part {
            self.outbox.apply(reply, at_ns, entry);
        }
        if matches!(
            entry.report.part,
            Part::Mail(_) | Part::Turn(_) | Part::Reply(_) | Part::Call(_) | Part::Job(_)
        ) {
            self.sessions.apply(at_ns, entry);
        }
    }
}

impl Gateway {
    /// Returns what there is to see.
    pub fn rows(&self, now_ns: i64, rules: &Rules) -> Rows {
        self.first(usize::MAX, now_ns, rules).0
    }

    /// Returns the first rows of all: components, then sessions, answers, pairings, jobs and revisions; and how many more there are.
    pub fn first(&self, limit: usize, now_ns: i64, rules: &Rules) -> (Rows, usize) {
        let mut rest = Rest { limit, n_more: 0 };
        let components = rest.take(|limit| self.components.first(limit, now_ns, rules));
        let sessions = rest.take(|limit| self.sessions.first(limit, now_ns));
        let outbox = rest.take(|limit| self.outbox.first(limit, &self.sessions));
        let peers = rest.take(|limit| self.peers.first(limit));
        let jobs = rest.take(|limit| self.jobs.first(limit));
        let revisions = rest.take(|limit| self.revisions.first(limit));
        (Rows { sessions, outbox, peers, jobs, components, revisions }, rest.n_more)
    }
}

/// What is left of a limit for the parts to come.
struct Rest {
    limit: usize,
    n_more: usize,
}

impl Rest {
    fn take<R>(&mut self, part: impl FnOnce(usize) -> First<R>) -> Vec<R> {
        let First { rows, n_more } = part(self.limit);
        self.limit -= rows.len();
        self.n_more += n_more;
        rows
    }
}

/// Returns the name of what belongs to a tenant.
fn of_tenant(tenant: Option<&str>, name: &str) -> String {
    format!("{}\n{name}", tenant.unwrap_or_default())
}

/// Returns the tenant and the name of what belongs to one.
fn tenant_of(key: &str) -> (Option<&str>, &str) {
    let (tenant, name) = key.split_once('\n').unwrap_or(("", key));
    ((!tenant.is_empty()).then_some(tenant), name)
}

#[cfg(test)]
mod tests;
