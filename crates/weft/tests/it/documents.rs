//! The documents of the project say what the binary does.

use weft_event::problem::Code;
use weft_event::{Dialect, Status};

use crate::sandbox::weft;

fn document(name: &str) -> String {
    let path = format!("{}/../../docs/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).unwrap()
}

fn commands() -> String {
    document("commands.md")
}

#[test]
fn every_event_type_has_its_status_and_the_reason_for_it() {
    let text = document("facts.md");
    for &dialect in Dialect::ALL {
        let (_, section) = text.split_once(&format!("\n### {}\n", dialect.as_str())).unwrap();
        let section = section.split("\n### ").next().unwrap();
        let rows = dialect.taxonomy().rows();
        for row in rows {
            let status = row.status.map_or("-", Status::as_str);
            let ended = if row.ends { ", ended" } else { "" };
            let expected = format!("| `{}` | {status}{ended} | {} |", row.name, row.why);
            let has_row = section.lines().any(|line| line == expected);
            assert!(has_row, "docs/facts.md lacks, under {}: {expected}", dialect.as_str());
            assert!(!row.why.is_empty(), "{} has no reason", row.name);
        }
        let n_rows = section.lines().filter(|line| line.starts_with("| `")).count();
        assert_eq!(n_rows, rows.len(), "docs/facts.md has types that {} lacks", dialect.as_str());
    }
}

#[test]
fn every_problem_code_stands_in_the_table_with_its_severity() {
    let text = commands();
    for code in Code::ALL {
        let row = format!("| `{}` | {} | ", code.as_str(), code.severity().as_str());
        assert!(text.contains(&row), "docs/commands.md lacks a row that starts with {row}");
    }
    let n_rows = text
        .lines()
        .filter(|line| line.contains("` | error | ") || line.contains("` | warning | "))
        .count();
    assert_eq!(n_rows, Code::ALL.len(), "docs/commands.md has rows for codes that do not exist");
}

#[test]
fn every_command_has_a_section() {
    let help = weft(&["-h"]).stdout;
    let commands_listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let text = commands();
    for name in commands_listed.map_while(|line| line.split_whitespace().next()) {
        assert!(name == "help" || text.contains(&format!("\n## weft {name}\n")), "{name}");
    }
}
