//! Printing shapes as JSON Schema.

use super::{Check, Is, Others, Presence, Rule, SEQUENCE_MAX, Shape, Union, When};
use crate::json::{Json, Object};

/// Which JSON Schema draft a schema says it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Draft {
    /// Draft-07, as the collector document has it.
    Seven,
    /// 2020-12.
    Twenty,
}

impl Draft {
    fn uri(self) -> &'static str {
        match self {
            Draft::Seven => "http://json-schema.org/draft-07/schema#",
            Draft::Twenty => "https://json-schema.org/draft/2020-12/schema",
        }
    }
}

/// Returns the JSON Schema of a check, on one line.
pub fn schema(check: &Check, id: &str, draft: Draft) -> String {
    Json::object(|object| {
        object.text("$schema", draft.uri());
        object.text("$id", id);
        write_check(object, check);
    })
    .as_str()
    .to_owned()
}

fn nested(check: &Check, about: &str) -> Json<'static> {
    Json::object(|object| {
        write_check(object, check);
        if !about.is_empty() {
            object.text("description", about);
        }
    })
}

fn write_check(object: &mut Object<'_>, check: &Check) {
    match check {
        Check::Any => {}
        Check::Null => object.text("type", "null"),
        Check::Bool => object.text("type", "boolean"),
        Check::Text(rule) => write_rule(object, rule),
        Check::Number { min, max } => {
            object.text("type", "number");
            if min.is_finite() {
                object.json("minimum", &Json::number(*min));
            }
            if max.is_finite() {
                object.json("maximum", &Json::number(*max));
            }
        }
        Check::Integer { min } => {
            object.text("type", "integer");
            if *min > i64::MIN {
                object.json("minimum", &Json::integer(*min));
            }
        }
        Check::Byte => {
            object.text("type", "integer");
            object.json("minimum", &Json::integer(u8::MIN));
            object.json("maximum", &Json::integer(u8::MAX));
        }
        Check::Sequence => {
            object.text("type", "integer");
            object.json("minimum", &Json::integer(0));
            object.json("maximum", &Json::integer(SEQUENCE_MAX));
        }
        Check::Version { current, .. } => object.json("const", &Json::integer(*current)),
        Check::Object => object.text("type", "object"),
        Check::Shape(shape) => write_shape(object, shape),
        Check::Union(union) => write_union(object, union),
        Check::List(item) => {
            object.text("type", "array");
            object.json("items", &nested(item, ""));
        }
        Check::EmptyList => {
            object.text("type", "array");
            object.json("maxItems", &Json::integer(0));
        }
        Check::Either(checks) => {
            object.json("anyOf", &Json::array(checks.iter().map(|check| nested(check, ""))));
        }
    }
}

fn write_rule(object: &mut Object<'_>, rule: &Rule) {
    object.text("type", "string");
    match rule {
        Rule::Any => {}
        Rule::NonEmpty | Rule::Known(..) => object.json("minLength", &Json::integer(1)),
        Rule::OneOf([word]) => object.text("const", word),
        Rule::OneOf(words) | Rule::Tolerant(words, _) => object.json("enum", &texts(words)),
        Rule::DateTime => object.text("format", "date-time"),
        Rule::Uuid => object.text("format", "uuid"),
        Rule::Pattern(pattern) => object.text("pattern", pattern.regex),
    }
}

fn write_shape(object: &mut Object<'_>, shape: &Shape) {
    object.text("title", shape.title);
    if !shape.about.is_empty() {
        object.text("description", shape.about);
    }
    object.text("type", "object");
    if shape.others == Others::Refused {
        object.json("additionalProperties", &Json::bool(false));
    }
    let required: Vec<_> = shape
        .fields
        .iter()
        .filter(|field| field.presence != Presence::Optional)
        .map(|field| field.name)
        .collect();
    if !required.is_empty() {
        object.json("required", &texts(&required));
    }
    let properties = Json::object(|properties| {
        for field in shape.fields {
            properties.json(field.name, &nested(&field.check, field.about));
        }
    });
    object.json("properties", &properties);
}

/// Writes a union as a chain of `if`, `then`, `else`, which tries its variants in the same order as the validator.
fn write_union(object: &mut Object<'_>, union: &Union) {
    object.text("title", union.title);
    object.text("type", "object");
    let mut rest = nested(&Check::Shape(union.otherwise), "");
    for variant in union.variants.iter().rev() {
        rest = Json::object(|object| {
            object.json("if", &condition(variant.when));
            object.json("then", &nested(&Check::Shape(variant.shape), ""));
            object.json("else", &rest);
        });
    }
    object.json("allOf", &Json::array([rest]));
}

fn condition(when: &[When]) -> Json<'static> {
    let one = |When { key: name, is, .. }: &When| {
        Json::object(|object| match is {
            Is::Absent => object.json("not", &required(name)),
            Is::Present => object.json("required", &texts(&[name])),
            Is::Text(word) => {
                object.json("required", &texts(&[name]));
                let has = Json::object(|has| has.text("const", word));
                object.json("properties", &Json::object(|properties| properties.json(name, &has)));
            }
        })
    };
    Json::object(|object| object.json("allOf", &Json::array(when.iter().map(one))))
}

fn required(name: &str) -> Json<'static> {
    Json::object(|object| object.json("required", &texts(&[name])))
}

fn texts(words: &[&str]) -> Json<'static> {
    Json::array(words.iter().map(|word| Json::text(word)))
}
