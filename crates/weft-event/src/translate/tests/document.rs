//! The tables of docs/translation.md are those of the code.

use std::fs;
use std::path::Path;

use super::DIALECTS;
use crate::Dialect;
use crate::translate::meaning::{Meaning, meaning};

const BEGIN: &str = "<!-- The tables from here on are checked by a test. -->\n";
const END: &str = "<!-- Until here. -->\n";

#[test]
fn the_document_has_every_type_and_what_it_becomes() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/translation.md");
    let document = fs::read_to_string(path).unwrap();
    let (_, rest) = document.split_once(BEGIN).expect("the document marks its tables");
    let (tables, _) = rest.split_once(END).expect("the document marks the end of its tables");
    let expected = format!("\n{}{}", written(), DIALECTS.map(read).join(""));
    assert_eq!(tables, expected, "the tables should be:\n{expected}");
}

/// Returns what each meaning is written as.
fn written() -> String {
    let mut table = String::from("### What a meaning is written as\n\n");
    let names: Vec<_> = DIALECTS.iter().map(|dialect| dialect.as_str()).collect();
    table.push_str(&format!(
        "| meaning | {} | |\n|---|---|---|---|---|---|---|\n",
        names.join(" | ")
    ));
    for &(meaning, name) in Meaning::ALL {
        let types = DIALECTS.map(|dialect| match (meaning.written_as(dialect), dialect) {
            (Some(name), _) => format!("`{name}`"),
            (None, Dialect::Collector) => "by status".to_owned(),
            (None, Dialect::Engine) => "`Observation`".to_owned(),
            (None, Dialect::Needle) => "its own name".to_owned(),
            (None, Dialect::Idle | Dialect::Pinchy | Dialect::Weft) => "–".to_owned(),
        });
        table.push_str(&format!("| {name} | {} | {} |\n", types.join(" | "), meaning.about()));
    }
    table
}

/// Returns what each type of a dialect means.
fn read(dialect: Dialect) -> String {
    let mut table = format!("\n### What the types of {} mean\n\n", dialect.as_str());
    table.push_str("| meaning | types |\n|---|---|\n");
    let mut row = |name: &str, wanted: Option<Meaning>| {
        let rows = dialect.taxonomy().rows().iter();
        let types = rows.filter(|row| meaning(dialect, row.name) == wanted);
        let types: Vec<_> = types.map(|row| format!("`{}`", row.name)).collect();
        if !types.is_empty() {
            table.push_str(&format!("| {name} | {} |\n", types.join(", ")));
        }
    };
    Meaning::ALL.iter().for_each(|&(meaning, name)| row(name, Some(meaning)));
    row("by status", None);
    table
}
