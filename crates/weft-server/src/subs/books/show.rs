//! A subscription as it is shown: the same over HTTP and on a terminal.

use weft_event::json::{Json, Object};

use super::Entry;

impl Entry {
    /// Writes what the log says of a subscription.
    pub fn write(&self, name: &str, object: &mut Object<'_>) {
        match &self.definition {
            Ok(definition) => definition.write(object),
            Err(error) => {
                object.text("name", name);
                object.text("state", "unreadable");
                object.text("why", &error.to_string());
            }
        }
        object.json("progress", &Json::object(|object| self.progress.write(object)));
        object.json("dead", &Json::integer(self.dead.len() as u64));
    }
}
