//! What a tool is told: each argument once, as data. The schema that a client is shown and the check of what it sends come from the
//! same rows.

use weft_event::json::{Json, Kind, Object, Value};

/// One argument of a tool.
#[derive(Debug)]
pub(super) struct Argument {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    pub(super) takes: Takes,
    pub(super) need: Need,
}

/// Whether an argument must be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Need {
    Required,
    Optional,
}

/// What an argument takes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Takes {
    /// A text that is not empty.
    Text,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A number from 0 to 1.
    Fraction,
    /// A whole number.
    Whole { min: u64, max: u64 },
    /// An object of any content.
    Object,
    /// A list of texts.
    Texts,
    /// A list of objects of these arguments.
    List(&'static [Argument]),
}

/// Returns the JSON Schema of arguments.
pub(super) fn schema<'a>(arguments: impl Iterator<Item = &'a Argument> + Clone) -> Json<'static> {
    Json::object(|object| write_schema(object, arguments))
}

fn write_schema<'a>(
    object: &mut Object<'_>,
    arguments: impl Iterator<Item = &'a Argument> + Clone,
) {
    object.text("type", "object");
    let properties = Json::object(|properties| {
        for argument in arguments.clone() {
            let property = Json::object(|property| {
                argument.takes.write_schema(property);
                property.text("description", argument.about);
            });
            properties.json(argument.name, &property);
        }
    });
    object.json("properties", &properties);
    let required = arguments.filter(|argument| argument.need == Need::Required);
    object.json("required", &Json::array(required.map(|argument| Json::text(argument.name))));
    object.json("additionalProperties", &Json::bool(false));
}

impl Takes {
    fn write_schema(self, object: &mut Object<'_>) {
        let whole = |n: u64| Json::integer(n);
        match self {
            Takes::Text => {
                object.text("type", "string");
                object.json("minLength", &whole(1));
            }
            Takes::Word(words) => {
                object.text("type", "string");
                object.json("enum", &Json::array(words.iter().map(|word| Json::text(word))));
            }
            Takes::Fraction => {
                object.text("type", "number");
                object.json("minimum", &whole(0));
                object.json("maximum", &whole(1));
            }
            Takes::Whole { min, max } => {
                object.text("type", "integer");
                object.json("minimum", &whole(min));
                object.json("maximum", &whole(max));
            }
            Takes::Object => object.text("type", "object"),
            Takes::Texts => {
                object.text("type", "array");
                object.json("items", &Json::object(|items| Takes::Text.write_schema(items)));
            }
            Takes::List(arguments) => {
                object.text("type", "array");
                object.json("items", &schema(arguments.iter()));
            }
        }
    }

    /// Returns what it takes, in words.
    fn expected(self) -> String {
        match self {
            Takes::Text => "a text that is not empty".to_owned(),
            Takes::Word(words) => format!("one of {}", words.join(", ")),
            Takes::Fraction => "a number from 0 to 1".to_owned(),
            Takes::Whole { min, max } => format!("a whole number from {min} to {max}"),
            Takes::Object => "an object".to_owned(),
            Takes::Texts => "a list of texts that are not empty".to_owned(),
            Takes::List(_) => "a list of objects".to_owned(),
        }
    }

    fn takes(self, value: Value<'_>) -> bool {
        let text = || value.as_text().filter(|text| !text.is_empty());
        match self {
            Takes::Text => text().is_some(),
            Takes::Word(words) => text().is_some_and(|text| words.contains(&&*text)),
            Takes::Fraction => value.as_f64().is_some_and(|n| (0.0..=1.0).contains(&n)),
            Takes::Whole { min, max } => value.as_u64().is_some_and(|n| (min..=max).contains(&n)),
            Takes::Object => value.kind() == Kind::Object,
            Takes::Texts => {
                value.kind() == Kind::Array && value.items().all(|item| Takes::Text.takes(item))
            }
            Takes::List(_) => {
                let mut items = value.items();
                value.kind() == Kind::Array && items.all(|item| item.kind() == Kind::Object)
            }
        }
    }
}

/// Returns everything that is wrong with what was given, each as a sentence that says what would be right.
pub(super) fn check<'a>(
    given: Value<'_>,
    arguments: impl Iterator<Item = &'a Argument> + Clone,
) -> Vec<String> {
    let mut wrong = Vec::new();
    check_object(given, "", arguments, &mut wrong);
    wrong
}

fn check_object<'a>(
    given: Value<'_>,
    place: &str,
    arguments: impl Iterator<Item = &'a Argument> + Clone,
    wrong: &mut Vec<String>,
) {
    for (key, _) in given.members() {
        let name = key.as_text().unwrap_or_default();
        if !arguments.clone().any(|argument| argument.name == name) {
            let known: Vec<&str> = arguments.clone().map(|argument| argument.name).collect();
            let name: String = name.chars().filter(|c| !c.is_control()).take(100).collect();
            wrong.push(format!(
                "there is no argument `{place}{name}`; there are {}",
                known.join(", ")
            ));
        }
    }
    for Argument { name, takes, need, .. } in arguments {
        match get(given, name) {
            None if *need == Need::Required => {
                wrong.push(format!("`{place}{name}` is missing: {}", takes.expected()));
            }
            None => {}
            Some(value) if !takes.takes(value) => {
                wrong.push(format!("`{place}{name}` must be {}", takes.expected()));
            }
            Some(value) => {
                if let Takes::List(inner) = takes {
                    for (idx, item) in value.items().enumerate() {
                        check_object(item, &format!("{place}{name}[{idx}]."), inner.iter(), wrong);
                    }
                }
            }
        }
    }
}

/// Returns an argument that is given. Models say `null` for what they leave out.
pub(super) fn get<'a>(given: Value<'a>, name: &str) -> Option<Value<'a>> {
    given.get(name).filter(|value| value.kind() != Kind::Null)
}

#[cfg(test)]
mod tests {
    use weft_event::json::Tape;

    use super::*;

    const ARGUMENTS: [Argument; 5] = [
        Argument {
            name: "state",
            about: "Which.",
            takes: Takes::Word(&["on", "off"]),
            need: Need::Required,
        },
        Argument {
            name: "progress",
            about: "How far.",
            takes: Takes::Fraction,
            need: Need::Optional,
        },
        Argument {
            name: "limit",
            about: "How many.",
            takes: Takes::Whole { min: 1, max: 9 },
            need: Need::Optional,
        },
        Argument { name: "names", about: "Whose.", takes: Takes::Texts, need: Need::Optional },
        Argument { name: "pairs", about: "Two.", takes: Takes::List(&PAIR), need: Need::Optional },
    ];

    const PAIR: [Argument; 1] =
        [Argument { name: "key", about: "One.", takes: Takes::Text, need: Need::Required }];

    fn wrong(text: &str) -> String {
        let mut tape = Tape::new();
        check(tape.parse(text).unwrap(), ARGUMENTS.iter()).join("\n")
    }

    #[test]
    fn everything_wrong_is_said_with_what_would_be_right() {
        let all = r#"{"progress":1.5,"limit":0,"names":["a",""],"pairs":[{"key":"k"},{}],"x":1}"#;
        insta::assert_snapshot!(wrong(all), @"
        there is no argument `x`; there are state, progress, limit, names, pairs
        `state` is missing: one of on, off
        `progress` must be a number from 0 to 1
        `limit` must be a whole number from 1 to 9
        `names` must be a list of texts that are not empty
        `pairs[1].key` is missing: a text that is not empty
        ");
        assert_eq!(wrong(r#"{"state":"on","progress":null,"limit":9}"#), "");
        assert_eq!(wrong(r#"{"state":null}"#), "`state` is missing: one of on, off");
    }

    #[test]
    fn the_schema_says_what_the_check_asks_for() {
        let schema: serde_json::Value =
            serde_json::from_str(schema(ARGUMENTS.iter()).as_str()).unwrap();
        let judge = jsonschema::validator_for(&schema).unwrap();
        for text in [
            r#"{"state":"on"}"#,
            r#"{"state":"other"}"#,
            r#"{}"#,
            r#"{"state":"on","progress":0.5,"limit":3,"names":["a"],"pairs":[{"key":"k"}]}"#,
            r#"{"state":"on","progress":-1}"#,
            r#"{"state":"on","limit":10}"#,
            r#"{"state":"on","limit":2.5}"#,
            r#"{"state":"on","names":"a"}"#,
            r#"{"state":"on","names":[""]}"#,
            r#"{"state":"on","pairs":[1]}"#,
            r#"{"state":"on","pairs":[{"key":""}]}"#,
            r#"{"state":"on","more":1}"#,
        ] {
            let value: serde_json::Value = serde_json::from_str(text).unwrap();
            assert_eq!(judge.is_valid(&value), wrong(text).is_empty(), "{text}");
        }
    }
}
