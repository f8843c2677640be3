//! The parser against small inputs with known answers; the fuzz corpus and the oracle test do the rest.

use super::{Syntax, Tape, Value, canonical, pretty, write_text};

fn fault(line: &str) -> (usize, Syntax) {
    let mut tape = Tape::new();
    let error = tape.parse(line).expect_err("the line is broken");
    (error.offset, error.kind)
}

#[test]
fn every_way_of_not_being_json_is_named_with_its_place() {
    let cases = [
        ("", (0, Syntax::Empty)),
        ("  ", (2, Syntax::Empty)),
        ("{", (1, Syntax::Torn)),
        (r#"{"a""#, (4, Syntax::Torn)),
        (r#"{"a":1"#, (6, Syntax::Torn)),
        (r#"{"a":tru"#, (5, Syntax::Torn)),
        (r#"{"a":"x"#, (7, Syntax::Torn)),
        (r#"{"a":"\u00"#, (10, Syntax::Torn)),
        (r#"{"a":1,}"#, (7, Syntax::Unexpected)),
        ("{a:1}", (1, Syntax::Unexpected)),
        ("[1 2]", (3, Syntax::Unexpected)),
        ("nil", (0, Syntax::Unexpected)),
        ("{} x", (3, Syntax::Trailing)),
        ("\"a\nb\"", (2, Syntax::Control)),
        (r#""\q""#, (1, Syntax::Escape)),
        (r#""\u12g4""#, (1, Syntax::Escape)),
        (r#""\ud800""#, (1, Syntax::Surrogate)),
        (r#""\udc00""#, (1, Syntax::Surrogate)),
        ("01", (2, Syntax::Torn)),
        ("[01]", (3, Syntax::Number)),
        ("[1.]", (3, Syntax::Number)),
        ("[-]", (2, Syntax::Number)),
        ("[1e]", (3, Syntax::Number)),
        ("[1e999]", (1, Syntax::NumberRange)),
    ];
    for (line, expected) in cases {
        assert_eq!(fault(line), expected, "{line:?}");
    }
}

#[test]
fn a_number_fits_if_it_rounds_to_a_finite_float() {
    let fits = |number: &str| Tape::new().parse(number).is_ok();
    assert!(fits("1.7976931348623157e308") && fits("1.7976931348623158e308") && fits("5e-324"));
    assert!(!fits("1.797693134862316e308") && !fits("1e309"));
}

#[test]
fn nesting_is_refused_past_its_limit_and_not_before() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(Tape::new().parse(&nested(super::DEPTH_MAX)).is_ok());
    assert_eq!(fault(&nested(super::DEPTH_MAX + 1)).1, Syntax::Depth);
    assert_eq!(fault(&"[".repeat(1 << 20)).1, Syntax::Depth);
}

#[test]
fn bytes_that_are_not_utf8_are_placed() {
    let mut tape = Tape::new();
    let error = tape.parse_bytes(b"{\"a\":\"\xff\"}").expect_err("0xff is never UTF-8");
    assert_eq!((error.offset, error.kind), (6, Syntax::Utf8));
}

#[test]
fn strings_are_borrowed_unless_they_have_escapes() {
    let mut tape = Tape::new();
    let value = tape.parse(r#"["plain é","\ud83d\ude00\n\/\u0041"]"#).unwrap();
    let texts: Vec<_> = value.items().map(|item| item.as_text().unwrap()).collect();
    assert!(matches!(texts[0], std::borrow::Cow::Borrowed("plain é")));
    assert_eq!(texts[1], "\u{1f600}\n/A");
}

#[test]
fn repeated_keys_are_found_at_every_depth_and_size() {
    let pointers = |line: &str| {
        let mut tape = Tape::new();
        let value = tape.parse(line).unwrap();
        value.repeated_keys().map(|key| key.pointer()).collect::<Vec<_>>()
    };
    assert_eq!(pointers(r#"{"a":1,"b":2}"#), [""; 0]);
    assert_eq!(pointers(r#"{"a":1,"b":{"c":1,"c":2},"a":3}"#), ["/b/c", "/a"]);
    assert_eq!(pointers(r#"[{"a":1,"\u0061":2}]"#), ["/0/a"]);
    let many: Vec<_> = (0..5000).map(|n| format!("\"k{}\":0", n % 4999)).collect();
    assert_eq!(pointers(&format!("{{{}}}", many.join(","))), ["/k0"]);
    let grown = format!(r#"{{"k0":0,"k0":{{"x":0,"x":1}},{}}}"#, many[1..4998].join(","));
    assert_eq!(pointers(&grown), ["/k0", "/k0/x"]);
}

#[test]
fn integers_are_told_by_value_and_not_by_spelling() {
    let mut tape = Tape::new();
    let line = "[1,1.0,1e2,1.5,18446744073709551615,18446744073709551616,-0.0]";
    let value = tape.parse(line).unwrap();
    let answers: Vec<_> = value.items().map(|item| (item.is_integer(), item.as_u64())).collect();
    let expected = [
        (true, Some(1)),
        (true, Some(1)),
        (true, Some(100)),
        (false, None),
        (true, Some(u64::MAX)),
        (true, None),
        (true, Some(0)),
    ];
    assert_eq!(answers, expected);
}

#[test]
fn equal_values_have_one_canonical_spelling() {
    let of = |line: &str| canonical(Tape::new().parse(line).unwrap());
    assert_eq!(of(r#"{ "b" : 1.0, "a":"\u0041/" }"#), r#"{"a":"A/","b":1}"#);
    assert_eq!(of("[-0, -0.0, 1e2, 100]"), "[0,0,100,100]");
    assert_ne!(of(r#"{"a":1,"a":2}"#), of(r#"{"a":2}"#));
}

#[test]
fn a_whole_float_is_the_same_integer_in_its_canonical_spelling() {
    let mut tape = Tape::new();
    for line in ["18446744073709550.015", "1e19", "-9.1e18", "-0.0", "9007199254740993.0"] {
        let integer = tape.parse(line).unwrap().as_i64();
        let order = tape.parse(line).unwrap().as_u64();
        let canonical = canonical(tape.parse(line).unwrap());
        let again = tape.parse(&canonical).unwrap();
        assert_eq!((again.as_i64(), again.as_u64()), (integer, order), "{line} is {canonical}");
    }
}

#[test]
fn what_is_written_reads_back() {
    let text = "quote \" backslash \\ tab \t bell \u{7} é \u{1f600}";
    let mut out = String::new();
    write_text(&mut out, text);
    assert_eq!(Tape::new().parse(&out).unwrap().as_text().unwrap(), text);
}

#[test]
fn pretty_keeps_order_and_spelling() {
    let mut tape = Tape::new();
    let line = r#"{"b":[1.0,{"x":"\u0041"}],"a":{},"c":[ ],"b":null}"#;
    let text = pretty(tape.parse(line).unwrap());
    insta::assert_snapshot!(text, @r#"
    {
      "b": [
        1.0,
        {
          "x": "\u0041"
        }
      ],
      "a": {},
      "c": [],
      "b": null
    }
    "#);
    assert_eq!(canonical(Tape::new().parse(&text).unwrap()), canonical(tape.parse(line).unwrap()));
}

#[test]
fn a_member_is_found_whatever_is_known_of_its_name() {
    let mut tape = Tape::new();
    let line = r#"{"tool_name":1,"\u0074ool_input":2,"mtls_cert_fingerprint":3,"never_listed":4,"":5,"id":6}"#;
    let value = tape.parse(line).unwrap();
    let names = ["tool_name", "tool_input", "mtls_cert_fingerprint", "never_listed", "", "id"];
    let found: Vec<_> = names.iter().map(|name| value.get(name).and_then(Value::as_u64)).collect();
    assert_eq!(found, (1..=6).map(Some).collect::<Vec<_>>());
    assert!(value.get("tool").is_none());
    assert!(value.get("never_listed_either").is_none());
}

#[test]
fn a_string_ends_where_it_ends_at_every_length_and_place() {
    let mut tape = Tape::new();
    for before in 0..70 {
        for n in [0, 1, 7, 8, 54, 55, 56, 57, 63, 64, 65, 127, 128, 200] {
            let (space, text) = (" ".repeat(before), "x".repeat(n));
            let line = format!("{space}[\"{text}\",\"{text}\\n{text}\\\"\"]");
            let value = tape.parse(&line).unwrap();
            let texts: Vec<_> = value.items().filter_map(Value::as_text).collect();
            assert_eq!(texts, [text.clone(), format!("{text}\n{text}\"")], "{line}");
        }
    }
}
