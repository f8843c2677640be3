//! What a reader of lines hands out, for whole inputs and for inputs that come in pieces of any size.

use std::io::{self, Read};

use super::{Ending, Item, Lines};
use crate::json::LINE_BYTES_MAX;

/// Hands out its bytes in pieces of one size, with interruptions in between.
struct Pieces<'a> {
    rest: &'a [u8],
    bytes: usize,
    is_interrupted: bool,
}

impl Read for Pieces<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.is_interrupted = !self.is_interrupted;
        if self.is_interrupted {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let n = self.bytes.min(out.len()).min(self.rest.len());
        out[..n].copy_from_slice(&self.rest[..n]);
        self.rest = &self.rest[n..];
        Ok(n)
    }
}

/// A source of `n` equal bytes, then an ending.
fn flood(byte: u8, n: u64, ending: &'static [u8]) -> impl Read {
    io::repeat(byte).take(n).chain(ending)
}

fn show<R: Read>(mut lines: Lines<R>) -> String {
    let mut out = String::new();
    while let Some(item) = lines.read().expect("these sources do not fail") {
        out += &match item {
            Item::Fault(fault) => {
                format!(
                    "{}@{} {}: {}\n",
                    fault.number,
                    fault.offset,
                    fault.kind.code().as_str(),
                    fault.kind
                )
            }
            Item::Line(line) => {
                let text = String::from_utf8_lossy(&line.bytes[..line.bytes.len().min(40)]);
                let end = if line.ending == Ending::EndOfInput { " <end>" } else { "" };
                format!("{}@{} {text:?}{end}\n", line.number, line.offset)
            }
        };
    }
    if lines.n_seals() > 0 {
        out += &format!("{} seals\n", lines.n_seals());
    }
    out
}

/// Shows an input, after having seen that the size of the pieces in which it comes makes no difference.
fn items(input: impl AsRef<[u8]>) -> String {
    let input = input.as_ref();
    let whole = show(Lines::new(input));
    for bytes in [1, 2, 3, 7] {
        let pieces = Pieces { rest: input, bytes, is_interrupted: false };
        assert_eq!(show(Lines::new(pieces)), whole, "in pieces of {bytes}");
    }
    whole
}

#[test]
fn lines_come_with_number_and_offset_and_blank_ones_are_left_out() {
    insta::assert_snapshot!(items("a\n\n  \t\r\nb\r\nc"), @r#"
    1@0 "a"
    4@8 "b"
    5@11 "c" <end>
    "#);
    assert_eq!(items(""), "");
    assert_eq!(items("\n\n\n"), "");
}

#[test]
fn a_byte_order_mark_is_told_and_stripped_at_the_start_only() {
    insta::assert_snapshot!(items("\u{feff}{}\n\u{feff}{}\n"), @r#"
    1@0 byte_order_mark: the file starts with a byte-order mark
    1@3 "{}"
    2@6 "\u{feff}{}"
    "#);
    insta::assert_snapshot!(items("\u{feff}"), @"1@0 byte_order_mark: the file starts with a byte-order mark");
}

#[test]
fn utf_16_is_told_once_and_stops_the_input() {
    let wide = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
    insta::assert_snapshot!(items(wide("\u{feff}{}\n{}\n")), @"1@0 utf16: the file is UTF-16; convert it first: iconv -f UTF-16 -t UTF-8");
    let big = |text: &str| text.encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<_>>();
    for input in [big("\u{feff}{}"), big("{\"a\":1}"), wide("{\"a\":1}")] {
        assert!(items(input).starts_with("1@0 utf16: "));
    }
}

#[test]
fn nul_bytes_before_a_row_are_skipped() {
    insta::assert_snapshot!(items("{}\n\0\0\0{}\n\0"), @r#"
    1@0 "{}"
    2@3 nul_bytes: NUL bytes before this line (3), as a crash leaves them
    2@6 "{}"
    3@9 nul_bytes: NUL bytes before this line (1), as a crash leaves them
    "#);
    insta::assert_snapshot!(items("\0\0\n{}\n"), @r#"
    1@0 nul_bytes: NUL bytes before this line (2), as a crash leaves them
    2@3 "{}"
    "#);
    insta::assert_snapshot!(items("{\"a\":\"\0\"}"), @r#"1@0 "{\"a\":\"\0\"}" <end>"#);
}

#[test]
fn a_flood_of_nul_bytes_needs_no_memory() {
    let mut lines = Lines::new(flood(0, 4 << 20, b"{}\n"));
    assert!(matches!(lines.read(), Ok(Some(Item::Fault(_)))));
    assert!(matches!(lines.read(), Ok(Some(Item::Line(line))) if line.offset == 4 << 20));
    assert_eq!(lines.buffer.len(), super::READ_BYTES);
}

#[test]
fn a_line_over_the_limit_is_skipped_in_flat_memory_and_the_rest_goes_on() {
    let mut lines = Lines::new(flood(b'x', 20 << 20, b"\n{}\n"));
    assert!(matches!(lines.read(), Ok(Some(Item::Fault(_)))));
    assert_eq!(lines.buffer.len(), super::BUFFER_BYTES_MAX);
    insta::assert_snapshot!(show(Lines::new(flood(b'x', 20 << 20, b"\n{}\n"))), @r#"
    1@0 too_long: the line is 20971520 bytes long, the limit is 16777216
    2@20971521 "{}"
    "#);
    let limit = LINE_BYTES_MAX as u64;
    insta::assert_snapshot!(show(Lines::new(flood(b'x', limit, b"\r\n{}"))), @r#"
    1@0 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
    2@16777218 "{}" <end>
    "#);
    insta::assert_snapshot!(show(Lines::new(flood(b'x', limit, b""))), @r#"1@0 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" <end>"#);
    insta::assert_snapshot!(show(Lines::new(flood(b'x', limit + 1, b"\n{}"))), @r#"
    1@0 too_long: the line is 16777217 bytes long, the limit is 16777216
    2@16777218 "{}" <end>
    "#);
    insta::assert_snapshot!(show(Lines::new(flood(b'x', limit + 1, b""))), @"1@0 too_long: the line is 16777217 bytes long, the limit is 16777216");
}

#[test]
fn seals_are_counted_and_left_out() {
    insta::assert_snapshot!(items("{\"weft_seal\":{}}\n{}\n{\"weft_seal\":{}}"), @r#"
    2@17 "{}"
    2 seals
    "#);
}

#[test]
fn a_pretty_printed_object_is_one_line() {
    insta::assert_snapshot!(items("{\n  \"a\": {\n  }\n}\n{}\n{\r\n \"b\": 1\r\n}\r\n{}"), @r#"
    1@0 "{\n  \"a\": {\n  }\n}"
    5@17 "{}"
    6@20 "{\r\n \"b\": 1\r\n}"
    9@35 "{}" <end>
    "#);
    insta::assert_snapshot!(items("\n{\n\n\"a\": 1\n}"), @r#"2@1 "{\n\n\"a\": 1\n}" <end>"#);
    let mut lines = Lines::new(&b"{\r\n  \"a\": 1\n}\n"[..]);
    let Ok(Some(Item::Line(line))) = lines.read() else { panic!("it is a line") };
    assert_eq!(String::from_utf8_lossy(&line.on_one_line()), "{   \"a\": 1 }");
    let mut lines = Lines::new(&b"  {\"a\": 1} \n"[..]);
    let Ok(Some(Item::Line(line))) = lines.read() else { panic!("it is a line") };
    assert_eq!(String::from_utf8_lossy(&line.on_one_line()), "{\"a\": 1}");
}

#[test]
fn an_opening_brace_that_no_object_follows_is_a_line_of_its_own() {
    insta::assert_snapshot!(items("{\n{\"a\":1}\n{"), @r#"
    1@0 "{"
    2@2 "{\"a\":1}"
    3@10 "{" <end>
    "#);
    insta::assert_snapshot!(items("{\n \"a\": 1\n"), @r#"1@0 "{\n \"a\": 1" <end>"#);
}

#[test]
fn a_pretty_printed_object_that_was_cut_off_does_not_swallow_the_next_event() {
    insta::assert_snapshot!(items("{\n  \"a\": 1,\n{\"b\":2}\n{\"c\":3}\n"), @r#"
    1@0 "{\n  \"a\": 1,"
    3@12 "{\"b\":2}"
    4@20 "{\"c\":3}"
    "#);
}

#[test]
fn a_pretty_printed_array_is_one_line() {
    insta::assert_snapshot!(items("[\n  {\n    \"a\": 1\n  }\n]\n{}\n"), @r#"
    1@0 "[\n  {\n    \"a\": 1\n  }\n]"
    6@23 "{}"
    "#);
}

#[test]
fn a_pretty_printed_object_over_the_limit_is_skipped_whole() {
    let body = "  \"a\": 1,\n".repeat(LINE_BYTES_MAX / 10 + 1);
    let input = format!("{{\n{body}  \"b\": 2\n}}\n{{}}\n");
    insta::assert_snapshot!(show(Lines::new(input.as_bytes())), @r#"
    1@0 too_long: the line is 16777233 bytes long, the limit is 16777216
    1677726@16777233 "{}"
    "#);
}

#[test]
fn a_document_may_be_the_whole_input() {
    let show = |input: &'static str| show(Lines::documents(input.as_bytes()));
    insta::assert_snapshot!(show("\n{ \"a\": [\n1\n]}\n\n"), @r#"2@1 "{ \"a\": [\n1\n]}" <end>"#);
    insta::assert_snapshot!(show("{\"a\":1}\n{\"b\":\n"), @r#"
    1@0 "{\"a\":1}"
    2@8 "{\"b\":"
    "#);
    insta::assert_snapshot!(show("{ \"a\":\n1"), @r#"1@0 "{ \"a\":\n1" <end>"#);
}

#[test]
fn a_source_that_fails_is_an_error() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::ErrorKind::PermissionDenied.into())
        }
    }
    let mut lines = Lines::new((&b"{}\n{"[..]).chain(Broken));
    assert!(matches!(lines.read(), Ok(Some(Item::Line(_)))));
    let error = lines.read().expect_err("the source fails");
    assert_eq!(error.kind(), io::ErrorKind::PermissionDenied);
}
