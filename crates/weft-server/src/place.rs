//! Places in the log as they are shown outside: with the store's id, so that a place of another store is told from one of this.

use weft_log::Position;

/// A place that a client names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// One of this store, or one that does not say of which.
    Here(u64),
    /// One of another store.
    Elsewhere {
        /// That store's id.
        store: String,
    },
}

/// Writes a place.
pub fn write(store_id: &str, position: u64) -> String {
    const DIGITS_MAX: usize = 20;
    let mut text = String::with_capacity(store_id.len() + 1 + DIGITS_MAX);
    text.push_str(store_id);
    text.push(':');
    text.push_str(&position.to_string());
    text
}

/// Reads a place: `<store id>:<position>` or a position alone, where 0 is before the first record.
pub fn read(text: &str, store_id: &str) -> Option<Place> {
    let (store, position) = match text.rsplit_once(':') {
        Some((store, position)) => (Some(store), position),
        None => (None, text),
    };
    let position: u64 = position.parse().ok()?;
    match store {
        Some(store) if store != store_id => Some(Place::Elsewhere { store: store.to_owned() }),
        Some(_) | None => Some(Place::Here(position)),
    }
}

/// Returns the position after one; the first after 0. `None` after the last that there can be.
pub fn after(position: u64) -> Option<Position> {
    Position::new(position.checked_add(1)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_of_another_store_is_told_from_one_of_this() {
        let own = "01a1e22c";
        assert_eq!(read(&write(own, 12), own), Some(Place::Here(12)));
        assert_eq!(read("12", own), Some(Place::Here(12)));
        assert_eq!(read("0", own), Some(Place::Here(0)));
        assert_eq!(read("ffff:12", own), Some(Place::Elsewhere { store: "ffff".to_owned() }));
        for bad in ["", ":", "x", "-1", "01a1e22c:", "01a1e22c:x", "12:"] {
            assert_eq!(read(bad, own), None, "{bad}");
        }
        assert_eq!(after(u64::MAX), None);
    }
}
