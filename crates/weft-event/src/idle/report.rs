//! What an event of this dialect reports beyond its facts.

use crate::facts::Facts;
use crate::report::Report;
use crate::shape::Fields;

pub(super) fn report<'a>(_fields: &Fields<'a>, _facts: &Facts<'a>) -> Report<'a> {
    Report::default()
}
