//! Tables that stand in a list, such as `[[budget]]`: their members by name, and what is said of one that is not theirs.

use super::key::nearest_of;
use super::value::{Given, Member, Wrong};

/// The members of one table.
pub(super) struct Members<'g> {
    what: &'static str,
    members: &'g [Member],
}

impl<'g> Members<'g> {
    /// Reads every table of a list.
    pub(super) fn each<T>(
        given: &'g Given,
        (what, names): (&'static str, &[&'static str]),
        read: impl Fn(&Self) -> Result<T, Wrong>,
    ) -> Result<Vec<T>, Wrong> {
        let Given::List(tables) = given else { return Err(Wrong::NoTables { what }) };
        tables.iter().map(|table| read(&Self::of(table, what, names)?)).collect()
    }

    fn of(given: &'g Given, what: &'static str, names: &[&'static str]) -> Result<Self, Wrong> {
        let Given::Table(members) = given else { return Err(Wrong::NoTables { what }) };
        match members.iter().find(|member| !names.contains(&member.name.as_str())) {
            None => Ok(Self { what, members }),
            Some(Member { name, at, .. }) => {
                let hint = match nearest_of(name, names.iter().copied()) {
                    Some(near) => format!("is `{near}` meant?"),
                    None => format!("it has {}", names.join(", ")),
                };
                let wrong = Wrong::NoMember { what, name: name.clone(), hint };
                Err(wrong.at(*at))
            }
        }
    }

    /// Returns what a member is read as; `None` if it is not there.
    pub(super) fn get<T>(
        &self,
        name: &str,
        wanted: &'static str,
        read: impl FnOnce(&Given) -> Option<T>,
    ) -> Result<Option<T>, Wrong> {
        self.read(name, |given| {
            read(given).ok_or_else(|| Wrong::Kind { got: given.show(), wanted })
        })
    }

    /// Returns what a member is read as; `None` if it is not there.
    pub(super) fn read<T>(
        &self,
        name: &str,
        read: impl FnOnce(&Given) -> Result<T, Wrong>,
    ) -> Result<Option<T>, Wrong> {
        let Some(member) = self.member(name) else { return Ok(None) };
        read(&member.given).map(Some).map_err(|wrong| wrong.at(member.at))
    }

    /// Says what is wrong with the table, at one of its members if it has that.
    pub(super) fn wrong(&self, name: &str, message: String) -> Wrong {
        let member = self.member(name).or(self.members.first());
        let wrong = Wrong::Said { message };
        match member {
            Some(member) => wrong.at(member.at),
            None => wrong,
        }
    }

    /// Says that a member is missing.
    pub(super) fn missing(&self, name: &'static str) -> Wrong {
        self.wrong(name, format!("[[{}]] lacks `{name}`", self.what))
    }

    fn member(&self, name: &str) -> Option<&'g Member> {
        self.members.iter().find(|member| member.name == name)
    }
}
