//! `weft types`, `weft schema` and `weft completions`: what Weft knows, printed.

use std::process::Stdio;

use serde_json::Value;
use weft_event::Dialect;

use crate::sandbox::{Ran, Sandbox, weft};

#[test]
fn types_are_a_table() {
    insta::assert_snapshot!(weft(&["types", "weft"]).show(), @"
    weft
    TYPE                       STATUS  MEANING                                                       FIELDS
    subscription.changed       -       A subscription was made, changed, paused or removed           name
    subscription.acknowledged  -       A subscription's position moved                               name, position
    subscription.dead          -       An event could not be delivered, or is no longer among those  name, position, error
    lease.changed              -       A lease was taken, renewed or let go                          key, owner, until
    issue.changed              -       An issue was made or edited                                   issue_id
    log.pruned                 -       Segments were archived or deleted                             first, last, hash
    log.redacted               -       Secrets were taken out of a stored group                      first, body, records
    --- stderr
    --- exit 0
    ");
    let all = weft(&["types"]);
    assert!(all.stdout.contains(&weft(&["types", "collector"]).stdout));
}

#[test]
fn types_for_a_program_are_one_object_a_line() {
    insta::assert_snapshot!(weft(&["types", "weft", "--json"]).stdout.lines().next().unwrap(), @r#"{"dialect":"weft","type":"subscription.changed","status":null,"ends":false,"meaning":"A subscription was made, changed, paused or removed","fields":["name"],"why":"bookkeeping, not an actor's doing"}"#);
    let all = weft(&["types", "--json"]);
    let rows: Vec<Value> =
        all.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let known: usize = Dialect::ALL.iter().map(|dialect| dialect.taxonomy().rows().len()).sum();
    assert_eq!(rows.len(), known);
    let ended = rows.iter().find(|row| row["type"] == "lifecycle.terminated").unwrap();
    assert_eq!((&ended["status"], &ended["ends"]), (&Value::Null, &Value::Bool(true)));
}

#[test]
fn a_schema_is_json_for_people() {
    insta::assert_snapshot!(weft(&["schema", "weft"]).show(), @r#"
    {
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "$id": "weft/event-1",
      "title": "Weft Event",
      "description": "One record of Weft's own bookkeeping.",
      "type": "object",
      "required": [
        "weft",
        "type",
        "id",
        "at",
        "data"
      ],
      "properties": {
        "weft": {
          "const": 1,
          "description": "Version of this shape."
        },
        "type": {
          "type": "string",
          "minLength": 1,
          "description": "What is recorded, as `area.what`."
        },
        "id": {
          "type": "string",
          "minLength": 1,
          "description": "Id of this record."
        },
        "at": {
          "type": "string",
          "format": "date-time",
          "description": "When it was recorded."
        },
        "data": {
          "type": "object",
          "description": "What belongs to the type."
        }
      }
    }
    --- stderr
    --- exit 0
    "#);
}

#[test]
fn every_schema_is_there_under_its_name() {
    let all: Value = serde_json::from_str(&weft(&["schema"]).stdout).unwrap();
    for dialect in Dialect::ALL {
        let name = dialect.as_str();
        let one: Value = serde_json::from_str(&weft(&["schema", name]).stdout).unwrap();
        assert_eq!(all[name], one);
    }
    let name = "collector/legacy-row";
    let one: Value = serde_json::from_str(&weft(&["schema", name]).stdout).unwrap();
    assert_eq!(all[name], one);
    assert_eq!(one["title"], "Legacy Status Row");
}

#[test]
fn an_unknown_schema_gets_a_suggestion() {
    let ran = weft(&["schema", "colector"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.contains("a similar value exists: 'collector'"), "{}", ran.stderr);
    assert!(ran.stderr.contains("possible values: idle, "), "{}", ran.stderr);
}

#[test]
fn completions_know_the_commands_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let ran = weft(&["completions", shell]);
        assert_eq!(ran.code, 0, "{shell}");
        assert!(ran.stdout.contains("validate"), "{shell}");
    }
    assert_eq!(weft(&["completions", "tcsh"]).code, 2);
}

#[test]
fn a_closed_pipe_is_not_an_error() {
    for args in [&["types"][..], &["schema"], &["completions", "bash"], &["--help"]] {
        let sandbox = Sandbox::with(&[]);
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = sandbox.command(args);
        let ran = Ran::from(command.stdout(writer).stderr(Stdio::piped()).output().unwrap());
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{args:?}");
    }
}
