//! Bad input of every kind: a clear problem with its place, and the rest of the file is still processed.

use std::fs::File;
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt, symlink};
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use crate::sandbox::{FINE, Ran, Sandbox, binary, validate};

/// Returns a file with the bad line between two fine ones, validated.
fn between(line: impl AsRef<[u8]>) -> String {
    validate([FINE.as_bytes(), b"\n", line.as_ref(), b"\n", FINE.as_bytes(), b"\n"].concat())
}

#[test]
fn not_json() {
    insta::assert_snapshot!(between("{\"agent_id\": @a}"), @"
    a.jsonl:2: not JSON: unexpected character at column 14, near `@a}` [json]
    --- stderr
    3 events: 2 valid, 1 invalid, 0 warnings
      collector  2 events: 2 valid, 0 invalid, 0 warnings
      unknown    1 event: 0 valid, 1 invalid, 0 warnings
    --- exit 1
    ");
    insta::assert_snapshot!(between("agent @a started"), @"
    a.jsonl:2: not JSON: unexpected character at column 1, near `agent @a started` [json]
    --- stderr
    3 events: 2 valid, 1 invalid, 0 warnings
      collector  2 events: 2 valid, 0 invalid, 0 warnings
      unknown    1 event: 0 valid, 1 invalid, 0 warnings
    --- exit 1
    ");
}

#[test]
fn not_utf_8() {
    insta::assert_snapshot!(between(b"{\"agent_id\":\"\xff\"}"), @"
    a.jsonl:2: not JSON: not UTF-8 at column 14 [utf8]
    --- stderr
    3 events: 2 valid, 1 invalid, 0 warnings
      collector  2 events: 2 valid, 0 invalid, 0 warnings
      unknown    1 event: 0 valid, 1 invalid, 0 warnings
    --- exit 1
    ");
}

#[test]
fn not_an_object() {
    insta::assert_snapshot!(between(format!("[{FINE}]")), @"
    a.jsonl:2: an event is an object, not array [not_an_object]
    --- stderr
    3 events: 2 valid, 1 invalid, 0 warnings
      collector  2 events: 2 valid, 0 invalid, 0 warnings
      unknown    1 event: 0 valid, 1 invalid, 0 warnings
    --- exit 1
    ");
}

#[test]
fn wrong_types_all_of_them() {
    insta::assert_snapshot!(between(r#"{"version":1,"event_type":null,"timestamp":[],"agent_id":{},"progress":"half"}"#), @"
    a.jsonl:2: /version: expected string, found number [type]
    a.jsonl:2: /event_type: expected string, found null [type]
    a.jsonl:2: /timestamp: expected string, found array [type]
    a.jsonl:2: /agent_id: expected string, found object [type]
    a.jsonl:2: /progress: expected number, found string [type]
    --- stderr
    3 events: 2 valid, 1 invalid, 0 warnings
    --- exit 1
    ");
}

#[test]
fn an_unknown_dialect() {
    insta::assert_snapshot!(between(r#"{"name":"x","value":1}"#), @"
    a.jsonl:2: no dialect has such a shape (it has `name`, `value`); name one with --dialect, or see --explain [unknown_dialect]
    --- stderr
    3 events: 2 valid, 1 invalid, 0 warnings
      collector  2 events: 2 valid, 0 invalid, 0 warnings
      unknown    1 event: 0 valid, 1 invalid, 0 warnings
    --- exit 1
    ");
}

#[test]
fn a_foreign_version() {
    insta::assert_snapshot!(between(FINE.replace("1.0.0", "2.0.0")), @r#"
    a.jsonl:2: /version: version "2.0.0" cannot be read, only 1.x [foreign_version]
    --- stderr
    3 events: 2 valid, 1 invalid, 0 warnings
    --- exit 1
    "#);
}

#[test]
fn utf_16() {
    let wide = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
    insta::assert_snapshot!(validate(wide(&format!("\u{feff}{FINE}\n{FINE}\n"))), @"
    a.jsonl:1: the file is UTF-16; convert it first: iconv -f UTF-16 -t UTF-8 [utf16]
    --- stderr
    1 event: 0 valid, 1 invalid, 0 warnings
    --- exit 1
    ");
    assert_eq!(validate(wide(FINE)), validate(wide(&format!("\u{feff}{FINE}\n"))));
}

#[test]
fn utf_16_stops_its_own_file_only() {
    let sandbox = Sandbox::with(&[("a.jsonl", b"\xff\xfe{\0}\0"), ("b.jsonl", FINE.as_bytes())]);
    insta::assert_snapshot!(sandbox.run(&["validate", "a.jsonl", "b.jsonl"]).show(), @"
    a.jsonl:1: the file is UTF-16; convert it first: iconv -f UTF-16 -t UTF-8 [utf16]
    --- stderr
    2 events: 1 valid, 1 invalid, 0 warnings
      collector  1 event: 1 valid, 0 invalid, 0 warnings
      unknown    1 event: 0 valid, 1 invalid, 0 warnings
    --- exit 1
    ");
}

#[test]
fn a_byte_order_mark() {
    insta::assert_snapshot!(validate(format!("\u{feff}{FINE}\n{FINE}\n")), @"
    a.jsonl:1: warning: the file starts with a byte-order mark [byte_order_mark]
    --- stderr
    2 events: 2 valid, 0 invalid, 1 warning
    --- exit 0
    ");
}

#[test]
fn nul_bytes_before_a_row() {
    insta::assert_snapshot!(between([&[0; 5000], FINE.as_bytes()].concat()), @"
    a.jsonl:2: warning: NUL bytes before this line (5000), as a crash leaves them [nul_bytes]
    --- stderr
    3 events: 3 valid, 0 invalid, 1 warning
    --- exit 0
    ");
}

#[test]
fn crlf_is_no_problem() {
    insta::assert_snapshot!(validate(format!("{FINE}\r\n\r\n{FINE}\r\n")), @"
    --- stderr
    2 events: 2 valid, 0 invalid, 0 warnings
    --- exit 0
    ");
}

#[test]
fn a_torn_last_line() {
    insta::assert_snapshot!(validate(format!("{FINE}\n{}", &FINE[..60])), @"
    a.jsonl:2: the file ends inside this line [torn_line]
    --- stderr
    2 events: 1 valid, 1 invalid, 0 warnings
      collector  1 event: 1 valid, 0 invalid, 0 warnings
      unknown    1 event: 0 valid, 1 invalid, 0 warnings
    --- exit 1
    ");
}

#[test]
fn a_torn_line_before_the_last_is_not_json() {
    insta::assert_snapshot!(between(&FINE[..60]), @"
    a.jsonl:2: not JSON: the line ends inside a value at column 61 [json]
    --- stderr
    3 events: 2 valid, 1 invalid, 0 warnings
      collector  2 events: 2 valid, 0 invalid, 0 warnings
      unknown    1 event: 0 valid, 1 invalid, 0 warnings
    --- exit 1
    ");
}

#[test]
fn a_whole_last_line_without_its_newline_is_no_problem() {
    insta::assert_snapshot!(validate(format!("{FINE}\n{FINE}")), @"
    --- stderr
    2 events: 2 valid, 0 invalid, 0 warnings
    --- exit 0
    ");
}

#[test]
fn numbers_out_of_range() {
    let with =
        |progress: &str| format!("{},\"progress\":{progress}}}", FINE.strip_suffix('}').unwrap());
    insta::assert_snapshot!(between(with("1.01")), @"
    a.jsonl:2: /progress: 1.01 is not between 0 and 1 [range]
    --- stderr
    3 events: 2 valid, 1 invalid, 0 warnings
    --- exit 1
    ");
    insta::assert_snapshot!(between(with("1e999")), @"
    a.jsonl:2: not JSON: number out of range at column 115, near `1e999}` [number_range]
    --- stderr
    3 events: 2 valid, 1 invalid, 0 warnings
      collector  2 events: 2 valid, 0 invalid, 0 warnings
      unknown    1 event: 0 valid, 1 invalid, 0 warnings
    --- exit 1
    ");
}

#[test]
fn absurd_nesting() {
    insta::assert_snapshot!(between("[".repeat(100_000)), @"
    a.jsonl:2: not JSON: nested deeper than 127 levels at column 128, near `[[[[[[[[[[[[[[[[[[[[` [too_deep]
    --- stderr
    3 events: 2 valid, 1 invalid, 0 warnings
      collector  2 events: 2 valid, 0 invalid, 0 warnings
      unknown    1 event: 0 valid, 1 invalid, 0 warnings
    --- exit 1
    ");
    insta::assert_snapshot!(between("{\"a\":".repeat(100_000)), @r#"
    a.jsonl:2: not JSON: nested deeper than 127 levels at column 636, near `{"a":{"a":{"a":{"a":` [too_deep]
    --- stderr
    3 events: 2 valid, 1 invalid, 0 warnings
      collector  2 events: 2 valid, 0 invalid, 0 warnings
      unknown    1 event: 0 valid, 1 invalid, 0 warnings
    --- exit 1
    "#);
}

#[test]
fn duplicate_keys() {
    let line = FINE.replace("\"agent_id\"", "\"agent_id\":\"@b\",\"agent_id\"");
    insta::assert_snapshot!(between(line), @"
    a.jsonl:2: /agent_id: the key `agent_id` stands twice [duplicate_key]
    --- stderr
    3 events: 2 valid, 1 invalid, 0 warnings
    --- exit 1
    ");
}

#[test]
fn the_key_of_the_log() {
    let line = format!("{},\"weft_seal\":{{}}}}", FINE.strip_suffix('}').unwrap());
    insta::assert_snapshot!(between(line), @"
    a.jsonl:2: /weft_seal: `weft_seal` is reserved for the log [reserved_key]
    --- stderr
    3 events: 2 valid, 1 invalid, 0 warnings
    --- exit 1
    ");
}

#[test]
fn a_line_over_the_limit() {
    let sandbox = Sandbox::with(&[]);
    let mut file = File::create(sandbox.path().join("a.jsonl")).unwrap();
    let chunk = [b'x'; 1 << 20];
    writeln!(file, "{FINE}").unwrap();
    for _ in 0..17 {
        file.write_all(&chunk).unwrap();
    }
    writeln!(file, "\n{FINE}").unwrap();
    insta::assert_snapshot!(sandbox.run(&["validate", "a.jsonl"]).show(), @"
    a.jsonl:2: the line is 17825792 bytes long, the limit is 16777216 [too_long]
    --- stderr
    3 events: 2 valid, 1 invalid, 0 warnings
      collector  2 events: 2 valid, 0 invalid, 0 warnings
      unknown    1 event: 0 valid, 1 invalid, 0 warnings
    --- exit 1
    ");
}

#[test]
fn an_empty_file_is_no_problem() {
    insta::assert_snapshot!(validate(""), @"
    --- stderr
    note: a.jsonl has no events
    0 events: 0 valid, 0 invalid, 0 warnings
    --- exit 0
    ");
}

#[test]
fn text_that_would_steer_a_terminal_is_shown_escaped() {
    let line = FINE.replace("lifecycle.started", "\\u001b[2J\\nx");
    insta::assert_snapshot!(validate(line), @r"
    a.jsonl:1: /event_type: `\u{1b}[2J\nx` is not `namespace.name` in one of the six namespaces, in lower case [pattern]
    --- stderr
    1 event: 0 valid, 1 invalid, 0 warnings
    --- exit 1
    ");
}

#[test]
fn a_missing_file_does_not_stop_the_others() {
    let sandbox = Sandbox::with(&[("b.jsonl", b"nope\n")]);
    insta::assert_snapshot!(sandbox.run(&["validate", "a.jsonl", "b.jsonl"]).show(), @"
    b.jsonl:1: not JSON: unexpected character at column 1, near `nope` [json]
    --- stderr
    error: cannot open a.jsonl: No such file or directory (os error 2)
    1 event: 0 valid, 1 invalid, 0 warnings
    --- exit 2
    ");
}

#[test]
fn a_dangling_link_in_a_folder_is_told() {
    let sandbox = Sandbox::with(&[("logs/b.jsonl", FINE.as_bytes())]);
    symlink("nowhere", sandbox.path().join("logs/a.jsonl")).unwrap();
    insta::assert_snapshot!(sandbox.run(&["validate", "logs"]).show(), @"
    --- stderr
    error: cannot open logs/a.jsonl: No such file or directory (os error 2)
    1 event: 1 valid, 0 invalid, 0 warnings
    --- exit 2
    ");
}

/// Root may read everything, so the binary runs as somebody else where the tests run as root.
fn run_without_privileges(sandbox: &Sandbox, args: &[&str]) -> Ran {
    const NOBODY: u32 = 65534;
    std::fs::set_permissions(sandbox.path(), PermissionsExt::from_mode(0o755)).unwrap();
    let program = sandbox.path().join("weft");
    std::fs::copy(binary(), &program).unwrap();
    let mut command = Command::new(program);
    command.args(args).current_dir(sandbox.path());
    if std::fs::metadata(sandbox.path()).unwrap().uid() == 0 {
        command.uid(NOBODY);
    }
    // Another test that forks while the copy is written holds it open for a moment.
    let output = loop {
        match command.output() {
            Err(error) if error.kind() == ErrorKind::ExecutableFileBusy => std::thread::yield_now(),
            output => break output.unwrap(),
        }
    };
    Ran::from(output)
}

#[test]
fn a_folder_or_file_without_rights_does_not_stop_the_rest() {
    let fine = FINE.as_bytes();
    let files = [("logs/a/x.jsonl", fine), ("logs/b.jsonl", fine), ("logs/c.jsonl", fine)];
    let sandbox = Sandbox::with(&files);
    for name in ["logs/a", "logs/b.jsonl"] {
        let path = sandbox.path().join(name);
        std::fs::set_permissions(path, PermissionsExt::from_mode(0o000)).unwrap();
    }
    let ran = run_without_privileges(&sandbox, &["validate", "logs"]);
    std::fs::set_permissions(sandbox.path().join("logs/a"), PermissionsExt::from_mode(0o755))
        .unwrap();
    insta::assert_snapshot!(ran.show(), @"
    --- stderr
    error: cannot read folder logs/a: Permission denied (os error 13)
    error: cannot open logs/b.jsonl: Permission denied (os error 13)
    1 event: 1 valid, 0 invalid, 0 warnings
    --- exit 2
    ");
}
