//! Just enough of Rust's lexical grammar to look at code without being misled by strings and comments.

/// A function: its name, the line it starts on, and how many lines of code its body has.
#[derive(Debug, PartialEq)]
pub(crate) struct Function<'a> {
    pub(crate) name: &'a str,
    pub(crate) line: usize,
    pub(crate) body_lines: usize,
}

/// Returns the code with comments blanked out and the inside of strings and characters filled with `"`. Lines stay where they are.
pub(crate) fn code_of(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let (end, fill) = match bytes[at] {
            b'/' if bytes[at..].starts_with(b"//") => (line_end(bytes, at), b' '),
            b'/' if bytes[at..].starts_with(b"/*") => (block_comment_end(bytes, at), b' '),
            b'"' => (string_end(bytes, at), b'"'),
            b'r' if !is_word_before(bytes, at) => (raw_string_end(bytes, at), b'"'),
            b'\'' => (character_end(bytes, at), b'"'),
            _ => (at + 1, 0),
        };
        if fill != 0 && end > at + 1 {
            out[at..end].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = fill);
        }
        at = end;
    }
    String::from_utf8(out).expect("whole characters are replaced by ASCII")
}

/// Returns the functions with a body, in the order they begin. Takes what [`code_of`] gives.
pub(crate) fn functions(code: &str) -> Vec<Function<'_>> {
    let begins = code.match_indices("fn ").filter(|(at, _)| !is_word_before(code.as_bytes(), *at));
    let function = |(at, _): (usize, &str)| {
        let signature = &code[at + "fn ".len()..];
        let name_len = signature.find(|c: char| !is_word(c)).unwrap_or(signature.len());
        let (open, close) = body(code, at)?;
        let lines = code[open + 1..close].lines().filter(|line| !line.trim().is_empty());
        (name_len > 0).then(|| Function {
            name: &signature[..name_len],
            line: line_of(code, at),
            body_lines: lines.count(),
        })
    };
    begins.filter_map(function).collect()
}

/// Returns the names after `mod`, each with whether its code is in another file. Takes what [`code_of`] gives.
pub(crate) fn modules(code: &str) -> Vec<(&str, bool)> {
    let begins = code.match_indices("mod ").filter(|(at, _)| !is_word_before(code.as_bytes(), *at));
    let module = |(at, _): (usize, &'_ str)| {
        let rest = code[at + "mod ".len()..].trim_start();
        let name = &rest[..rest.find(|c: char| !is_word(c))?];
        match rest[name.len()..].trim_start().as_bytes().first()? {
            b';' => Some((name, true)),
            b'{' => Some((name, false)),
            _ => None,
        }
    };
    begins.filter_map(module).filter(|(name, _)| !name.is_empty()).collect()
}

/// Returns the places of `Result<_, String>`. Takes what [`code_of`] gives.
pub(crate) fn results_of_text(code: &str) -> Vec<usize> {
    let is_text = |(at, _): &(usize, &str)| {
        let arguments = &code[at + "Result<".len()..];
        let mut depth = 0;
        let mut last = 0;
        for (idx, c) in arguments.char_indices() {
            match c {
                '<' | '(' | '[' => depth += 1,
                '>' if arguments[..idx].ends_with('-') => {}
                '>' if depth == 0 => return last > 0 && arguments[last..idx].trim() == "String",
                '>' | ')' | ']' => depth -= 1,
                ',' if depth == 0 => last = idx + 1,
                _ => {}
            }
        }
        false
    };
    code.match_indices("Result<").filter(is_text).map(|(at, _)| at).collect()
}

/// Returns the number of the line at this place, from 1.
pub(crate) fn line_of(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

/// Returns where the body's braces stand, or `None` for a function without one.
fn body(code: &str, at: usize) -> Option<(usize, usize)> {
    let mut nesting = 0_i32;
    let mut braces = 0_i32;
    let mut open = None;
    for (idx, byte) in code.bytes().enumerate().skip(at) {
        match byte {
            b'(' | b'[' if open.is_none() => nesting += 1,
            b')' | b']' if open.is_none() => nesting -= 1,
            b';' if open.is_none() && nesting == 0 => return None,
            b'{' if open.is_some() || nesting == 0 => {
                open = open.or(Some(idx));
                braces += 1;
            }
            b'}' if open.is_some() => {
                braces -= 1;
                if braces == 0 {
                    return Some((open?, idx));
                }
            }
            _ => {}
        }
    }
    None
}

fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

fn is_word_before(bytes: &[u8], at: usize) -> bool {
    at > 0 && is_word(char::from(bytes[at - 1])) && !matches!(bytes[at - 1], b'b' | b'c')
        || at > 1 && matches!(bytes[at - 1], b'b' | b'c') && is_word(char::from(bytes[at - 2]))
}

fn line_end(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().position(|&byte| byte == b'\n').map_or(bytes.len(), |len| at + len)
}

fn block_comment_end(bytes: &[u8], at: usize) -> usize {
    let mut depth = 0;
    let mut idx = at;
    while idx < bytes.len() {
        match &bytes[idx..] {
            [b'/', b'*', ..] => (depth, idx) = (depth + 1, idx + 2),
            [b'*', b'/', ..] => (depth, idx) = (depth - 1, idx + 2),
            _ => idx += 1,
        }
        if depth == 0 {
            return idx;
        }
    }
    bytes.len()
}

fn string_end(bytes: &[u8], at: usize) -> usize {
    let mut idx = at + 1;
    while idx < bytes.len() {
        match bytes[idx] {
            b'\\' => idx += 2,
            b'"' => return idx + 1,
            _ => idx += 1,
        }
    }
    bytes.len()
}

/// Returns the end of a raw string, or the next place if there is none here.
fn raw_string_end(bytes: &[u8], at: usize) -> usize {
    let hashes = bytes[at + 1..].iter().take_while(|&&byte| byte == b'#').count();
    let start = at + 1 + hashes;
    if bytes.get(start) != Some(&b'"') {
        return at + 1;
    }
    let close: Vec<u8> = [b'"'].into_iter().chain(std::iter::repeat_n(b'#', hashes)).collect();
    let inside = &bytes[start + 1..];
    let len = inside.windows(close.len()).position(|window| window == close);
    len.map_or(bytes.len(), |len| start + 1 + len + close.len())
}

/// Returns the end of a character, or the next place for a lifetime.
fn character_end(bytes: &[u8], at: usize) -> usize {
    match bytes.get(at + 1) {
        Some(b'\\') => {
            let rest = bytes.get(at + 3..).unwrap_or_default();
            rest.iter().position(|&byte| byte == b'\'').map_or(bytes.len(), |len| at + 4 + len)
        }
        Some(&first) => {
            let len = match first {
                0xF0.. => 4,
                0xE0.. => 3,
                0xC0.. => 2,
                _ => 1,
            };
            if bytes.get(at + 1 + len) == Some(&b'\'') { at + 2 + len } else { at + 1 }
        }
        None => at + 1,
    }
}

#[test]
fn strings_and_comments_are_no_code() {
    let text = r##"let a = "x // \" y"; // fn no()
/* mod a; /* b */ */ let c = '"'; let d: &'static str = r#"q " w"#; let e = b"fn f() {"; let g = '\'';"##;
    let code = code_of(text);
    for word in ["fn", "mod", "x", "y", "q", "w"] {
        assert!(!code.split(|c: char| !is_word(c)).any(|part| part == word), "{word} in {code}");
    }
    for kept in ["let a =", "let c =", "&'static str =", "let e = b", "let g ="] {
        assert!(code.contains(kept), "{kept} not in {code}");
    }
    assert_eq!(code.len(), text.len());
    assert_eq!(code.lines().count(), 2);
}

#[test]
fn functions_are_measured_by_their_lines_of_code() {
    let code = code_of(
        "trait T { fn none(&self); }\nfn one() -> [u8; 2] {\n    // a remark\n\n    [1, 2]\n}\n\
         fn two(f: fn(u8)) {\n    {\n        f(1);\n    }\n}\n",
    );
    let found: Vec<_> = functions(&code).iter().map(|f| (f.name, f.line, f.body_lines)).collect();
    assert_eq!(found, [("one", 2, 1), ("two", 7, 3)]);
}

#[test]
fn modules_are_found_with_their_place() {
    let code = code_of("mod a;\npub(crate) mod b { }\n// mod c;\nlet d = \"mod e;\";");
    assert_eq!(modules(&code), [("a", true), ("b", false)]);
}

#[test]
fn a_result_with_a_text_error_is_found_and_others_are_not() {
    let text_errors =
        ["Result<(), String>", "Result<Vec<(u8, u8)>, String >", "Result<u8,\nString>"];
    for text in text_errors {
        assert_eq!(results_of_text(text).len(), 1, "{text}");
    }
    let others = ["Result<String>", "Result<String, Error>", "Result<Map<u8, String>, E>"];
    for text in others {
        assert_eq!(results_of_text(text).len(), 0, "{text}");
    }
}
