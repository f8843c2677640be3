//! The house around the agents: components with their heartbeats, jobs, and revisions of the configuration.

use std::cmp::Reverse;
use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use weft_event::report::{Config, Job, Part};

use super::{of_tenant, tenant_of};
use crate::bounded::Bounded;
use crate::first::first;
use crate::fleet::elapsed_ms;
use crate::{At, Entry, First, Latest, Rules, Trail};

/// Most components that are kept.
pub(super) const COMPONENTS_MAX: usize = 1_000;
/// Most jobs that are kept.
pub(super) const JOBS_MAX: usize = 1_000;
/// How many times that a job was due are kept.
pub(super) const DUE_KEPT: usize = 5;
/// Most revisions that are kept.
pub(super) const REVISIONS_MAX: usize = 1_000;

/// The components, by name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Components {
    by_name: Bounded<Component, COMPONENTS_MAX>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Component {
    kind: Option<Latest<String>>,
    last_ns: Option<i64>,
    heartbeat_ns: Option<i64>,
    n_events: u64,
}

/// One component.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ComponentRow {
    /// Its name.
    pub component: String,
    /// What kind it is: listener, gateway, subscriber, cron, tool_host, operator, provider.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// When it last gave a heartbeat.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_heartbeat: Option<At>,
    /// When it was last heard of.
    pub last_seen: At,
    /// How long ago that was.
    pub quiet_ms: u64,
    /// Whether that was too long ago for it to count as alive.
    pub is_silent: bool,
    /// How many events came from it.
    pub n_events: u64,
}

impl Components {
    pub(super) fn apply(
        &mut self,
        name: &str,
        kind: Option<&str>,
        at_ns: i64,
        entry: &Entry<'_, '_>,
    ) {
        let Some(component) = self.by_name.touch(name, at_ns) else {
            return;
        };
        component.last_ns = component.last_ns.max(Some(at_ns));
        component.n_events += u64::from(!entry.is_carried);
        if matches!(entry.report.part, Part::Heartbeat) {
            component.heartbeat_ns = component.heartbeat_ns.max(Some(at_ns));
        }
        if let Some(kind) = kind {
            Latest::put(&mut component.kind, entry.stamp(), || kind.to_owned());
        }
    }

    /// Returns the first components, by kind and name.
    pub(super) fn first(&self, limit: usize, now_ns: i64, rules: &Rules) -> First<ComponentRow> {
        let all = self.by_name.iter().filter_map(|(name, told)| {
            let kind = told.kind.as_ref().map(|kind| kind.value().as_str());
            Some((kind, name, told, told.last_ns?))
        });
        let row = |(kind, name, told, last_ns): (Option<&str>, &str, &Component, i64)| {
            let quiet_ms = elapsed_ms(last_ns, now_ns);
            ComponentRow {
                component: name.to_owned(),
                kind: kind.map(str::to_owned),
                last_heartbeat: told.heartbeat_ns.map(At),
                last_seen: At(last_ns),
                quiet_ms,
                is_silent: quiet_ms >= rules.heartbeat_alive_ms,
                n_events: told.n_events,
            }
        };
        first(all.collect(), limit, |a, b| (a.0, a.1).cmp(&(b.0, b.1)), row)
    }
}

/// The jobs, by tenant and id.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Jobs {
    by_key: Bounded<Due, JOBS_MAX>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Due {
    name: Option<Latest<String>>,
    agent: Option<Latest<String>>,
    reason: Option<Latest<String>>,
    n_runs: u64,
    /// When it was due and when it ran.
    runs: Trail<(Option<i64>, i64), DUE_KEPT>,
}

/// One job.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JobRow {
    /// The tenant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// Its id.
    pub job: String,
    /// What it is called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The agent that does it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Why it was due: `heartbeat` or `scheduled_task`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// When it last ran.
    pub last_run: At,
    /// When it was to run, the last few times, the newest last.
    pub scheduled: Vec<At>,
    /// How often it ran.
    pub n_runs: u64,
    /// The record of its last run.
    pub position: u64,
}

impl Jobs {
    pub(super) fn apply(&mut self, job: &Job<'_>, at_ns: i64, entry: &Entry<'_, '_>) {
        let facts = entry.facts;
        let Some(id) = facts.task.as_deref() else {
            return;
        };
        let Some(due) = self.by_key.touch(&of_tenant(facts.tenant.as_deref(), id), at_ns) else {
            return;
        };
        let stamp = entry.stamp();
        for (slot, told) in [
            (&mut due.name, &job.name),
            (&mut due.reason, &job.reason),
            (&mut due.agent, &facts.actor),
        ] {
            if let Some(text) = told.as_deref() {
                Latest::put(slot, stamp, || text.to_owned());
            }
        }
        due.n_runs += u64::from(!entry.is_carried);
        due.runs.put(stamp, (job.scheduled_ns, at_ns));
    }

    /// Returns the first jobs, by tenant and id.
    pub(super) fn first(&self, limit: usize) -> First<JobRow> {
        let text =
            |slot: &Option<Latest<String>>| slot.as_ref().map(|latest| latest.value().clone());
        let all = self.by_key.iter().filter_map(|(key, due)| {
            let (tenant, job) = tenant_of(key);
            Some((tenant, job, due, due.runs.last()?))
        });
        first(
            all.collect(),
            limit,
            |a, b| (a.0, a.1).cmp(&(b.0, b.1)),
            |(tenant, job, due, (stamp, (_, last_ns)))| JobRow {
                tenant: tenant.map(str::to_owned),
                job: job.to_owned(),
                name: text(&due.name),
                agent: text(&due.agent),
                reason: text(&due.reason),
                last_run: At(*last_ns),
                scheduled: due
                    .runs
                    .iter()
                    .filter_map(|(_, (scheduled_ns, _))| scheduled_ns.map(At))
                    .collect(),
                n_runs: due.n_runs,
                position: stamp.position(),
            },
        )
    }
}

/// The revisions of the configuration, by tenant and id.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Revisions {
    by_key: Bounded<Revision, REVISIONS_MAX>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Revision {
    applied: Option<Latest<Change>>,
    reverted: Option<Latest<Change>>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Change {
    at_ns: i64,
    component: String,
    by: Option<String>,
}

/// One revision of the configuration.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RevisionRow {
    /// The tenant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// Its id.
    pub revision: String,
    /// Whether it is in force: the newest that was not taken back.
    pub is_current: bool,
    /// Whether it was taken back.
    pub is_reverted: bool,
    /// The component that told of it.
    pub component: String,
    /// Who put it into force.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Since when it has been in force.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub applied: Option<At>,
    /// When it was taken back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reverted: Option<At>,
    /// The record that told of it last.
    pub position: u64,
}

impl Revisions {
    pub(super) fn apply(
        &mut self,
        config: &Config<'_>,
        component: &str,
        at_ns: i64,
        entry: &Entry<'_, '_>,
    ) {
        let Some(id) = config.revision.as_deref() else {
            return;
        };
        let Some(revision) =
            self.by_key.touch(&of_tenant(entry.facts.tenant.as_deref(), id), at_ns)
        else {
            return;
        };
        let slot = if config.is_reverted { &mut revision.reverted } else { &mut revision.applied };
        let by = config.by.as_deref();
        Latest::put(slot, entry.stamp(), || Change {
            at_ns,
            component: component.to_owned(),
            by: by.map(str::to_owned),
        });
    }

    /// Returns the first revisions, the newest first.
    pub(super) fn first(&self, limit: usize) -> First<RevisionRow> {
        let at = |change: &Option<Latest<Change>>| Some(At(change.as_ref()?.value().at_ns));
        let all = self.by_key.iter().filter_map(|(key, told)| {
            let (tenant, revision) = tenant_of(key);
            let Revision { applied, reverted } = told;
            let change = applied.as_ref().or(reverted.as_ref())?.value();
            let [put, taken_back] = [applied, reverted].map(|it| it.as_ref().map(Latest::stamp));
            let newest = (put.max(taken_back)?, taken_back > put);
            let times = Reverse((at(applied), at(reverted)));
            Some((times, revision, tenant, change, newest))
        });
        // Whether one is in force depends on those before it alone.
        let mut known = HashSet::new();
        first(
            all.collect(),
            limit,
            |a, b| (a.0, a.1, a.2).cmp(&(b.0, b.1, b.2)),
            |(Reverse((applied, reverted)), revision, tenant, change, (stamp, is_reverted))| {
                RevisionRow {
                    tenant: tenant.map(str::to_owned),
                    revision: revision.to_owned(),
                    is_current: !is_reverted && known.insert(tenant),
                    is_reverted,
                    component: change.component.clone(),
                    by: change.by.clone(),
                    applied,
                    reverted,
                    position: stamp.position(),
                }
            },
        )
    }
}
