//! Titles of a session. The client writes the rows that have them again and again; one is told when it is another than before.

use crate::json::{Json, Object, Value};
use crate::transcript::draft::{Scene, Type};
use crate::transcript::row;

/// The kinds of rows that have a title.
const KINDS_MAX: usize = 3;

/// The last title that each kind of row had.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Titles(Vec<Title>);

#[derive(Clone, Debug, PartialEq)]
struct Title {
    /// The name of the member that has it.
    name: String,
    /// The id of the event that told it: the text itself is not for keeping beside the log.
    told: String,
    n_told: u64,
}

impl Titles {
    /// Tells the title of a row, which is the member of this name, if it is a new one.
    pub(super) fn read(
        &mut self,
        row: Value<'_>,
        name: &str,
        scene: &Scene<'_>,
        events: &mut Vec<String>,
    ) {
        let Some(title) = row::text(row, name) else { return };
        let idx = self.0.iter().position(|title| title.name == name).unwrap_or_else(|| {
            self.0.push(Title { name: name.to_owned(), told: String::new(), n_told: 0 });
            self.0.len() - 1
        });
        let known = &mut self.0[idx];
        let id = |n: u64| scene.id(&["title", &scene.session, name, &n.to_string(), &title]);
        let hex = |id: [u8; 16]| format!("{:032x}", u128::from_be_bytes(id));
        if known.n_told > 0 && known.told == hex(id(known.n_told - 1)) {
            return;
        }
        let new = id(known.n_told);
        (known.told, known.n_told) = (hex(new), known.n_told.saturating_add(1));
        let draft = scene.draft(Type::Title, new, row::head(&title));
        draft.with("told_by", row::text(row, "type")).write(scene, events);
    }

    pub(super) fn save(&self, object: &mut Object<'_>) {
        let row = |Title { name, told, n_told }: &Title| {
            Json::array([Json::text(name), Json::text(told), Json::integer(*n_told)])
        };
        object.json("titles", &Json::array(self.0.iter().map(row)));
    }

    pub(super) fn resume(state: Value<'_>) -> Option<Self> {
        let read = |row: Value<'_>| {
            let mut row = row.items();
            let (name, told, n_told) = (row.next()?, row.next()?, row.next()?);
            let (name, told) = (name.as_text()?.into_owned(), told.as_text()?.into_owned());
            Some(Title { name, told, n_told: n_told.as_u64()? })
        };
        let titles: Option<Vec<Title>> = state.get("titles")?.items().map(read).collect();
        titles.filter(|titles| titles.len() <= KINDS_MAX).map(Self)
    }
}
