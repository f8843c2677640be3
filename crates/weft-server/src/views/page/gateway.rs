//! What there is to see of a gateway, as rows that say which part they are.

use serde::Serialize;
use weft_view::gateway::{ComponentRow, JobRow, PeerRow, ReplyRow, RevisionRow, SessionRow};
use weft_view::{First, Rules, Views};

/// A row of a gateway.
#[derive(Serialize)]
#[serde(tag = "part", rename_all = "snake_case")]
pub(super) enum Row {
    Component(ComponentRow),
    Session(SessionRow),
    Reply(ReplyRow),
    Peer(PeerRow),
    Job(JobRow),
    Revision(RevisionRow),
}

/// Returns the first rows of all parts, one after the other.
pub(super) fn first(views: &Views, limit: usize, now_ns: i64, rules: &Rules) -> First<Row> {
    let (parts, n_more) = views.gateway.first(limit, now_ns, rules);
    let mut rows: Vec<Row> = parts.components.into_iter().map(Row::Component).collect();
    rows.extend(parts.sessions.into_iter().map(Row::Session));
    rows.extend(parts.outbox.into_iter().map(Row::Reply));
    rows.extend(parts.peers.into_iter().map(Row::Peer));
    rows.extend(parts.jobs.into_iter().map(Row::Job));
    rows.extend(parts.revisions.into_iter().map(Row::Revision));
    First { rows, n_more }
}

/// Returns what tells a row from the others.
pub(super) fn id(row: &Row) -> String {
    let of = |part: &str, tenant: &Option<String>, name: &str| {
        format!("{part} {} {name}", tenant.as_deref().unwrap_or("-"))
    };
    match row {
        Row::Component(row) => of("component", &None, &row.component),
        Row::Session(row) => of("session", &row.tenant, &row.session),
        Row::Reply(row) => of("reply", &row.tenant, &row.id),
        Row::Peer(row) => of("peer", &None, &row.pairing),
        Row::Job(row) => of("job", &row.tenant, &row.job),
        Row::Revision(row) => {
            of("revision", &row.tenant, &format!("{} {}", row.component, row.revision))
        }
    }
}
