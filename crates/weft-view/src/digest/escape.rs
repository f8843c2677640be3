//! Texts of agents as they may stand in Markdown and in HTML: nothing in them is markup, a link or a script.

/// Returns a text of one line, cut after so many characters, in which nothing is markup.
pub(super) fn plain(text: &str, chars_max: usize) -> String {
    let line = line(text, chars_max);
    let mut escaped = String::with_capacity(line.len());
    let mut before = None;
    for (at, c) in line.char_indices() {
        let is_markup = matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '&' | '|')
            || matches!(c, '~' | '$' | '!' | '#')
            // A list, a heading or a rule at the beginning; a list with numbers.
            || (at == 0 && matches!(c, '-' | '+' | '='))
            || (matches!(c, '.' | ')') && is_number(&line[..at]))
            // What readers make links of by themselves.
            || (c == ':' && line[at..].starts_with("://"))
            || (c == '.' && is_www(&line[..at]))
            || (c == '@' && before.is_some_and(char::is_alphanumeric));
        if is_markup {
            escaped.push('\\');
        }
        escaped.push(c);
        before = Some(c);
    }
    escaped
}

/// Returns a text of one line, cut after so many characters, as it may stand in HTML, in an element or in a quoted attribute.
pub(super) fn html(text: &str, chars_max: usize) -> String {
    let mut escaped = String::new();
    for c in line(text, chars_max).chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}

/// Returns a text as code: exactly as it is, but on one line and cut after so many characters.
pub(super) fn code(text: &str, chars_max: usize) -> String {
    let line = line(text, chars_max);
    let longest = line.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    match line.starts_with('`') || line.ends_with('`') || line.is_empty() {
        true => format!("{fence} {line} {fence}"),
        false => format!("{fence}{line}{fence}"),
    }
}

/// Returns a text on one line, without what is not seen, cut after so many characters.
fn line(text: &str, chars_max: usize) -> String {
    let mut line = String::new();
    let mut n_chars = 0;
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()) {
        let word: String = word.chars().filter(|c| !is_unseen(*c)).collect();
        if word.is_empty() {
            continue;
        }
        if n_chars > 0 {
            line.push(' ');
            n_chars += 1;
        }
        for c in word.chars() {
            if n_chars == chars_max {
                line.truncate(line.trim_end().len());
                line.push('…');
                return line;
            }
            line.push(c);
            n_chars += 1;
        }
    }
    line
}

/// Returns whether a character changes how others are shown, and is not shown itself.
fn is_unseen(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

fn is_www(before: &str) -> bool {
    let www = before.len().checked_sub(3).and_then(|at| before.get(at..));
    www.is_some_and(|www| www.eq_ignore_ascii_case("www"))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}
