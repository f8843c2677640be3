//! The signature of a failure: what it says, without what differs from one time to the next.

/// How long a signature may be.
const SIGNATURE_BYTES_MAX: usize = 240;
/// How much of a text is looked at.
const TEXT_BYTES_MAX: usize = 2_048;
/// Words of hexadecimal digits from this length on are ids.
const HEX_MIN: usize = 8;
/// Words of letters and digits from this length on are ids.
const ID_MIN: usize = 16;

/// Returns a text with `<n>` for numbers, `<id>` for ids, `<time>` for times, `<text>` for quoted words, and paths without their
/// folders; white space is one blank.
pub fn signature(text: &str) -> String {
    let end = text.floor_char_boundary(TEXT_BYTES_MAX);
    let mut rest = text[..end].trim();
    let mut out = String::new();
    while let Some(first) = rest.chars().next() {
        if out.len() >= SIGNATURE_BYTES_MAX {
            out.push('…');
            break;
        }
        let n_bytes = match first {
            _ if first.is_whitespace() => {
                let n = rest.find(|c: char| !c.is_whitespace()).unwrap_or(rest.len());
                out.push(' ');
                n
            }
            '"' | '`' | '\'' => quoted(rest, first, &mut out),
            '/' | '~' => path(rest, &mut out),
            _ if first.is_alphanumeric() || first == '_' => word(rest, &mut out),
            _ => {
                out.push(first);
                first.len_utf8()
            }
        };
        rest = &rest[n_bytes..];
    }
    out
}

/// Writes what stands for a quoted text. A quote without an end, or an apostrophe, is written as it is.
fn quoted(rest: &str, quote: char, out: &mut String) -> usize {
    let is_apostrophe = quote == '\'' && out.ends_with(|c: char| c.is_alphanumeric() || c == '>');
    let end =
        rest[1..].find(quote).filter(|end| !is_apostrophe && !rest[1..1 + end].contains('\n'));
    match end {
        Some(end) => {
            out.push_str("<text>");
            end + 2
        }
        None => {
            out.push(quote);
            1
        }
    }
}

/// Writes a path with `…` for its folders; what is no path is written as it is.
fn path(rest: &str, out: &mut String) -> usize {
    let is_end = |c: char| c.is_whitespace() || "\"'`,;()[]{}<>|:".contains(c);
    let whole = &rest[..rest.find(is_end).unwrap_or(rest.len())];
    let whole = whole.trim_end_matches('.');
    match whole.rsplit_once('/') {
        // A slash within a word, or alone, divides nothing.
        Some((folders, name))
            if folders.len() + name.len() > 1 && !out.ends_with(char::is_alphanumeric) =>
        {
            out.push_str("…/");
            let mut name = name;
            while let Some(first) = name.chars().next() {
                let is_word = first.is_alphanumeric() || first == '_';
                let n = if is_word { word(name, out) } else { first.len_utf8() };
                if !is_word {
                    out.push(first);
                }
                name = &name[n..];
            }
            whole.len()
        }
        Some(_) | None => {
            let first = rest.chars().next().expect("a path begins with something");
            out.push(first);
            first.len_utf8()
        }
    }
}

/// Writes a word, or what stands for it where it is a number, an id, a time or the beginning of a path.
fn word(rest: &str, out: &mut String) -> usize {
    if let Some(n_bytes) = time(rest) {
        out.push_str("<time>");
        return n_bytes;
    }
    if let Some(n_bytes) = uuid(rest) {
        out.push_str("<id>");
        return n_bytes;
    }
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let end = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
    let (word, after) = rest.split_at(end);
    if after.starts_with('/') && after[1..].starts_with(is_part) && !after.starts_with("//") {
        // A relative path: its folders are told away with those before the next slash.
        let is_end = |c: char| c.is_whitespace() || "\"'`,;()[]{}<>|:".contains(c);
        let whole = &rest[..rest.find(is_end).unwrap_or(rest.len())];
        let parts = whole.rsplit_once('/');
        // One slash between two plain words is no path: and/or.
        if let Some((folders, _)) =
            parts.filter(|(folders, name)| folders.contains('/') || name.contains('.'))
        {
            return folders.len() + path(&rest[folders.len()..], out);
        }
    }
    let n_digits = word.bytes().take_while(u8::is_ascii_digit).count();
    let has_digit = word.bytes().any(|byte| byte.is_ascii_digit());
    let hex = word.strip_prefix("0x").unwrap_or(word);
    let is_hex = hex.bytes().all(|byte| byte.is_ascii_hexdigit());
    if n_digits == word.len() {
        out.push_str("<n>");
        let fraction = after
            .strip_prefix('.')
            .map_or(0, |it| it.bytes().take_while(u8::is_ascii_digit).count());
        return end + if fraction > 0 { fraction + 1 } else { 0 };
    }
    if word.starts_with("0x") && is_hex
        || has_digit && (is_hex && hex.len() >= HEX_MIN || word.len() >= ID_MIN)
    {
        out.push_str("<id>");
    } else if n_digits > 0 {
        out.push_str("<n>");
        out.push_str(&word[n_digits..]);
    } else {
        out.push_str(word);
    }
    end
}

/// Returns how long a time as in RFC 3339 is, with which the text begins; also one with a blank for the `T`, or without a date.
fn time(rest: &str) -> Option<usize> {
    let is_date = fits(rest, "0000-00-00");
    let after_date = if is_date { &rest[10..] } else { rest };
    let clock = if is_date { after_date.strip_prefix(['T', 't', ' ']) } else { Some(after_date) };
    let Some(clock) = clock.filter(|clock| fits(clock, "00:00:00")) else {
        return is_date.then_some(10);
    };
    let tail = &clock[8..];
    let fraction = tail
        .strip_prefix(['.', ','])
        .map_or(0, |it| it.bytes().take_while(u8::is_ascii_digit).count());
    let tail = if fraction > 0 { &tail[fraction + 1..] } else { tail };
    let zone = match tail.as_bytes().first() {
        Some(b'Z' | b'z') => 1,
        Some(b'+' | b'-') if fits(&tail[1..], "00:00") => 6,
        _ => 0,
    };
    Some(rest.len() - tail.len() + zone)
}

/// Returns how long a UUID is with which the text begins.
fn uuid(rest: &str) -> Option<usize> {
    const FORM: &str = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
    fits(rest, FORM).then_some(FORM.len())
}

/// Returns whether a text begins in a form: `0` stands for a digit, `x` for a hexadecimal one.
fn fits(text: &str, form: &str) -> bool {
    let text = text.as_bytes();
    let is_like = |(byte, form): (&u8, u8)| match form {
        b'0' => byte.is_ascii_digit(),
        b'x' => byte.is_ascii_hexdigit(),
        _ => *byte == form,
    };
    text.len() >= form.len() && text.iter().zip(form.bytes()).all(is_like)
}
