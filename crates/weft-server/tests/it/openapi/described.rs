//! An OpenAPI document as a test reads it: operations, their examples, and whether an answer is one that is described.

use std::collections::BTreeSet;
use std::fmt;

use serde_json::{Map, Value, json};

use crate::client::Answer;

/// A document.
#[derive(Clone, Debug)]
pub(super) struct Document(Value);

/// One method of one path.
#[derive(Clone, Debug)]
pub(super) struct Operation<'d> {
    /// In capital letters.
    pub(super) method: String,
    pub(super) path: &'d str,
    document: &'d Document,
    value: &'d Value,
}

impl Document {
    pub(super) fn new(value: Value) -> Self {
        assert_eq!(value["openapi"], "3.1.0");
        Self(value)
    }

    pub(super) fn operations(&self) -> Vec<Operation<'_>> {
        let paths = self.0["paths"].as_object().expect("paths").iter();
        let operations = paths.flat_map(|(path, methods)| {
            let methods = methods.as_object().expect("methods").iter();
            methods.map(move |(method, value)| {
                let method = method.to_uppercase();
                Operation { method, path, document: self, value }
            })
        });
        operations.collect()
    }

    /// Returns what a value is, if it only refers to it.
    fn resolve<'d>(&'d self, value: &'d Value) -> &'d Value {
        match value.get("$ref").and_then(Value::as_str) {
            Some(name) => {
                let place = name.strip_prefix('#').expect("in the same document");
                self.resolve(self.0.pointer(place).unwrap_or_else(|| panic!("{name} is nowhere")))
            }
            None => value,
        }
    }

    /// Returns the names of an operation's parameters in one place, each with its example.
    pub(super) fn parameters(
        &self,
        operation: &Operation<'_>,
        place: &str,
    ) -> Vec<(String, Option<String>)> {
        let all = operation.value["parameters"].as_array().map_or(&[][..], Vec::as_slice).iter();
        let here = all.map(|parameter| self.resolve(parameter)).filter(|one| one["in"] == place);
        here.map(|parameter| {
            let name = parameter["name"].as_str().expect("a name").to_owned();
            let example = parameter.get("example").map(|example| {
                self.assert_valid(example, &parameter["schema"], &name);
                example.as_str().map_or_else(|| example.to_string(), str::to_owned)
            });
            (name, example)
        })
        .collect()
    }

    /// Returns the examples of an operation's body, each with its content type.
    pub(super) fn bodies(&self, operation: &Operation<'_>) -> Vec<(String, Value)> {
        let Some(kinds) = operation.value["requestBody"]["content"].as_object() else {
            return Vec::new();
        };
        let bodies = kinds.iter().flat_map(|(kind, media)| {
            let examples = media["examples"].as_object().expect("every kind has examples").values();
            examples.map(move |example| {
                let value = self.resolve(example)["value"].clone();
                self.assert_valid(&value, &media["schema"], kind);
                (kind.clone(), value)
            })
        });
        bodies.collect()
    }

    /// Checks that an answer is described, and returns by which name.
    #[track_caller]
    pub(super) fn check(&self, operation: &Operation<'_>, answer: &Answer) -> String {
        let name = operation.named(&answer.status.to_string());
        let response = operation.responses().get(&answer.status.to_string());
        let response = response.unwrap_or_else(|| panic!("{name} is not described: {answer:?}"));
        let response = self.resolve(response);
        for header in response["headers"].as_object().map_or_else(Map::new, Map::clone).keys() {
            let is_there = answer.header(&header.to_ascii_lowercase()).is_some();
            assert!(is_there, "{name} has no {header}");
        }
        let Some(kinds) = response["content"].as_object() else {
            assert!(answer.body.is_empty(), "{name} has a body");
            return name;
        };
        let kind = answer.header("content-type").expect("a content type");
        let kind = kind.split(';').next().expect("a first part");
        let media = kinds.get(kind).unwrap_or_else(|| panic!("{name} is {kind}: {answer:?}"));
        if kind == "application/json" {
            let json = answer.json();
            self.assert_valid(&json, &media["schema"], &name);
            if let Some(code) = json["error"]["code"].as_str() {
                let described = response["description"].as_str().expect("a description");
                assert!(codes(described).contains(code), "{name}: {code} is not in {described}");
            }
        }
        name
    }

    #[track_caller]
    fn assert_valid(&self, value: &Value, schema: &Value, name: &str) {
        let whole = json!({ "allOf": [schema], "components": self.0["components"] });
        let validator = jsonschema::options().build(&whole).expect("a schema");
        let errors: Vec<String> =
            validator.iter_errors(value).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{name}: {value} is not what is described: {errors:?}");
    }
}

/// Returns the words in backticks after `Codes:`.
fn codes(description: &str) -> BTreeSet<&str> {
    let (_, codes) = description.split_once("Codes: ").unwrap_or_default();
    codes.split('`').skip(1).step_by(2).collect()
}

impl<'d> Operation<'d> {
    /// Returns a name for it and one of its statuses.
    pub(super) fn named(&self, status: &str) -> String {
        format!("{} {} {status}", self.method, self.path)
    }

    /// Returns its path with the examples of what stands in it.
    pub(super) fn example_path(&self) -> String {
        let named = self.document.parameters(self, "path").into_iter();
        named.fold(self.path.to_owned(), |path, (name, example)| {
            path.replace(&format!("{{{name}}}"), &example.expect("a path has examples"))
        })
    }

    pub(super) fn responses(&self) -> &'d Map<String, Value> {
        self.value["responses"].as_object().expect("responses")
    }

    /// Returns the scopes of which a token needs one, where one is needed.
    pub(super) fn scopes(&self) -> Vec<&'d str> {
        let ways = self.value["security"].as_array().expect("every operation says who may");
        ways.iter().filter_map(|way| way["token"][0].as_str()).collect()
    }
}

impl fmt::Display for Operation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method, self.path)
    }
}
