//! An issue as the JSON object that a snapshot's body is.

use weft_event::json::{Json, Kind, Object, Tape, Value};

use super::{Boot, Claim, Dep, DepKind, Issue, Priority, Status};

/// Most bytes of an issue as JSON. It has to fit into an event, in which it is quoted once more.
pub const ISSUE_BYTES_MAX: usize = 256 << 10;

/// The members that are ours.
const MEMBERS: [&str; 13] = [
    "id",
    "rev",
    "title",
    "body",
    "status",
    "priority",
    "tags",
    "deps",
    "created_at",
    "updated_at",
    "claim",
    "close_reason",
    "type",
];

/// Reads the body of a message as a snapshot; `None` if it is none, and then it is something that was said.
pub fn read_snapshot(body: &str) -> Option<Issue> {
    if !body.starts_with('{') {
        return None;
    }
    let mut tape = Tape::new();
    read(tape.parse(body).ok()?)
}

fn read(value: Value<'_>) -> Option<Issue> {
    let text = |name: &str| value.text_at(name).map(|text| text.into_owned());
    let time = |name: &str| value.get(name).and_then(Value::as_i64);
    let priority = match value.get("priority") {
        None => Priority::DEFAULT,
        Some(number) => Priority::new(number.as_u64()?)?,
    };
    let created_at_ms = time("created_at")?;
    let others = value.members().filter_map(|(name, member)| {
        let name = name.as_text()?;
        (!MEMBERS.contains(&&*name)).then(|| (name.into_owned(), Json::of(member).into_owned()))
    });
    Some(Issue {
        id: text("id").filter(|id| !id.is_empty())?,
        rev: value.get("rev").and_then(Value::as_u64).filter(|rev| *rev > 0)?,
        title: text("title")?,
        body: text("body").unwrap_or_default(),
        status: Status::parse(&value.text_at("status")?)?,
        priority,
        tags: texts(value.get("tags"))?,
        deps: deps(value.get("deps"))?,
        created_at_ms,
        updated_at_ms: time("updated_at").unwrap_or(created_at_ms),
        claim: match value.get("claim").filter(|claim| claim.kind() != Kind::Null) {
            Some(claim) => Some(read_claim(claim)?),
            None => None,
        },
        close_reason: text("close_reason"),
        others: others.collect(),
    })
}

fn texts(list: Option<Value<'_>>) -> Option<Vec<String>> {
    let Some(list) = list else { return Some(Vec::new()) };
    let is_list = list.kind() == Kind::Array;
    is_list
        .then(|| list.items().map(|item| item.as_text().map(|text| text.into_owned())).collect())?
}

fn deps(list: Option<Value<'_>>) -> Option<Vec<Dep>> {
    let Some(list) = list else { return Some(Vec::new()) };
    let dep = |item: Value<'_>| {
        let kind = DepKind::parse(&item.text_at("type")?)?;
        Some(Dep { kind, id: item.text_at("id")?.into_owned() })
    };
    let is_list = list.kind() == Kind::Array;
    is_list.then(|| list.items().map(dep).collect())?
}

fn read_claim(value: Value<'_>) -> Option<Claim> {
    let until_boot = value.get("boot").and_then(|boot| {
        let (id, ms) = (boot.text_at("id")?.into_owned(), boot.get("until_ms")?.as_u64()?);
        Some(Boot { id, ms })
    });
    Some(Claim {
        owner: value.text_at("owner")?.into_owned(),
        instance: value.text_at("instance")?.into_owned(),
        until_ms: value.get("until_ms")?.as_i64()?,
        until_boot,
    })
}

impl Issue {
    /// Returns the issue as the JSON object that a snapshot's body is.
    pub fn json(&self) -> Json<'static> {
        Json::object(|object| self.write(object))
    }

    /// Writes its members.
    pub fn write(&self, object: &mut Object<'_>) {
        object.text("id", &self.id);
        object.json("rev", &Json::integer(self.rev));
        object.text("title", &self.title);
        object.text("body", &self.body);
        object.text("status", self.status.as_str());
        object.json("priority", &Json::integer(self.priority.get()));
        object.json("tags", &Json::array(self.tags.iter().map(|tag| Json::text(tag))));
        let dep = |dep: &Dep| {
            Json::object(|object| {
                object.text("type", dep.kind.as_str());
                object.text("id", &dep.id);
            })
        };
        object.json("deps", &Json::array(self.deps.iter().map(dep)));
        object.json("created_at", &Json::integer(self.created_at_ms));
        object.json("updated_at", &Json::integer(self.updated_at_ms));
        object.json("claim", &self.claim.as_ref().map_or_else(Json::null, claim_json));
        if let Some(reason) = &self.close_reason {
            object.text("close_reason", reason);
        }
        for (name, json) in &self.others {
            object.json(name, json);
        }
    }
}

fn claim_json(claim: &Claim) -> Json<'static> {
    Json::object(|object| {
        object.text("owner", &claim.owner);
        object.text("instance", &claim.instance);
        object.json("until_ms", &Json::integer(claim.until_ms));
        if let Some(boot) = &claim.until_boot {
            let boot = Json::object(|object| {
                object.text("id", &boot.id);
                object.json("until_ms", &Json::integer(boot.ms));
            });
            object.json("boot", &boot);
        }
    })
}
