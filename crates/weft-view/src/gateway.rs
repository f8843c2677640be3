//! A gateway: sessions by tenant, deliveries, peers, jobs, tool hosts, configurations.

use serde::{Deserialize, Serialize};

use crate::{Entry, View};

/// A gateway: sessions by tenant, deliveries, peers, jobs, tool hosts, configurations.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Gateway {}

impl View for Gateway {
    const NAME: &'static str = "gateway";
    const VERSION: u32 = 1;

    fn apply(&mut self, _entry: &Entry<'_, '_>) {}
}
