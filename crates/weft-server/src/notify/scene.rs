//! Rules and needs for tests.

use std::time::Duration;

use weft_view::At;
use weft_view::inbox::{Need, NeedKind};

use super::{Channel, Rule};

/// Returns a rule that tells everything at once.
pub(super) fn rule(name: &str, channel: Channel) -> Rule {
    Rule {
        name: name.to_owned(),
        when: NeedKind::ALL.to_vec(),
        actor: None,
        session: None,
        after: Duration::ZERO,
        gather: Duration::ZERO,
        quiet: Vec::new(),
        quiet_except: Vec::new(),
        channel,
    }
}

/// Returns a need with this id.
pub(super) fn need(kind: NeedKind, id: &str) -> Need {
    Need {
        id: id.to_owned(),
        kind,
        actor: format!("@{id}"),
        session: Some("s-1".to_owned()),
        task: None,
        since: At(0),
        what: "no key".to_owned(),
        positions: vec![7],
        command: "weft show 7".to_owned(),
    }
}
