//! Text on a screen: how wide it is, how it is cut, and how times and amounts are written.

use ratatui::text::Span;

const SECOND_NS: i64 = 1_000_000_000;

/// Returns how many columns a text takes.
pub(crate) fn width(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { Span::raw(text).width() }
}

/// Returns a text on one line: what is not to be seen becomes a space.
pub(crate) fn flat(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Returns as much of a text as fits, with a mark where it is cut.
pub(crate) fn fit(text: &str, columns: usize) -> String {
    let text = flat(text);
    if width(&text) <= columns {
        return text;
    }
    let mut cut = String::new();
    let mut taken = 1;
    for c in text.chars() {
        taken += width(c.encode_utf8(&mut [0; 4]));
        if taken > columns {
            break;
        }
        cut.push(c);
    }
    if columns > 0 {
        cut.push('…');
    }
    cut
}

/// Returns as much of a text's end as fits, with a mark where it is cut: of a path the name says most.
pub(crate) fn fit_end(text: &str, columns: usize) -> String {
    let backward: String = text.chars().rev().collect();
    fit(&backward, columns).chars().rev().collect()
}

/// Returns a text in lines of so many columns, broken between words where that is possible; `n_max` lines at most.
pub(crate) fn wrap(text: &str, columns: usize, n_max: usize) -> Vec<String> {
    let columns = columns.max(4);
    let mut lines = Vec::new();
    for line in text.lines() {
        let mut current = String::new();
        for word in flat(line).split_inclusive(' ') {
            if !current.is_empty() && width(&current) + width(word.trim_end()) > columns {
                lines.push(std::mem::take(&mut current));
            }
            current.push_str(word);
            while width(&current) > columns && current.trim_end().len() > columns {
                let at = current.char_indices().nth(columns).map_or(current.len(), |(at, _)| at);
                let rest = current.split_off(at);
                lines.push(std::mem::replace(&mut current, rest));
            }
        }
        lines.push(current);
        if lines.len() > n_max {
            break;
        }
    }
    if lines.len() > n_max {
        lines.truncate(n_max.saturating_sub(1));
        lines.push("…".to_owned());
    }
    lines.iter().map(|line| line.trim_end().to_owned()).collect()
}

/// Returns how long something takes, in one or two units.
pub(crate) fn span(ms: u64) -> String {
    let (s, m, h) = (ms / 1000, ms / 60_000, ms / 3_600_000);
    match ms {
        0..1000 => format!("{ms}ms"),
        1000..60_000 => format!("{s}s"),
        60_000..3_600_000 => format!("{m}m{:02}s", s % 60),
        3_600_000..86_400_000 => format!("{h}h{:02}m", m % 60),
        86_400_000..864_000_000 => format!("{}d{:02}h", h / 24, h % 24),
        864_000_000.. => format!("{}d", h / 24),
    }
}

/// Returns how long ago a moment was, in whole seconds at least.
pub(crate) fn since(then_ns: i64, now_ns: i64) -> String {
    match u64::try_from(now_ns.saturating_sub(then_ns) / SECOND_NS).unwrap_or(0) {
        0 => "now".to_owned(),
        seconds => span(seconds * 1000),
    }
}

/// Returns a number with its thousands apart.
pub(crate) fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (idx, digit) in digits.chars().enumerate() {
        if idx > 0 && (digits.len() - idx).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Returns a number in few characters.
pub(crate) fn short(n: u64) -> String {
    match n {
        0..10_000 => n.to_string(),
        10_000..1_000_000 => format!("{}k", n / 1000),
        1_000_000..1_000_000_000 => format!("{}.{}M", n / 1_000_000, n % 1_000_000 / 100_000),
        1_000_000_000.. => format!("{}.{}G", n / 1_000_000_000, n % 1_000_000_000 / 100_000_000),
    }
}

/// Returns an amount in US dollars, given in billionths of one, marked if some of it is estimated.
pub(crate) fn money(nano: u64, estimated_nano: u64) -> String {
    let mark = if estimated_nano > 0 { "~" } else { "" };
    let cents = nano / 10_000_000;
    match nano {
        0 => "-".to_owned(),
        1..10_000_000 => format!("{mark}$0.{:04}", nano / 100_000),
        10_000_000.. => format!("{mark}${}.{:02}", cents / 100, cents % 100),
    }
}

/// How times of day are shown: so far east of UTC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Zone {
    /// Seconds that its clocks are ahead of UTC.
    pub offset_s: i32,
}

impl Zone {
    /// Returns a time of day.
    pub(crate) fn clock(self, ns: i64) -> String {
        let text = self.local(ns);
        text.get(11..19).unwrap_or("").to_owned()
    }

    /// Returns date and time of day.
    pub(crate) fn whole(self, ns: i64) -> String {
        let text = self.local(ns);
        text.get(..19).unwrap_or("").replace('T', " ")
    }

    fn local(self, ns: i64) -> String {
        let local_ns = ns.saturating_add(i64::from(self.offset_s) * SECOND_NS);
        weft_event::time::format_rfc3339(local_ns)
    }
}

/// Returns bytes in base 64, as terminals take what is to be put on the clipboard.
pub(crate) fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let n = three.iter().fold(0_usize, |n, byte| n << 8 | usize::from(*byte))
            << (8 * (3 - three.len()));
        for place in 0..4 {
            let letter = LETTERS[n >> (18 - 6 * place) & 63];
            text.push(if place <= three.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests;
