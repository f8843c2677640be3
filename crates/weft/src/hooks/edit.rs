//! Changes to the text of a JSON file that leave every other byte of it as it was: members and items are added and taken away in
//! place, in the style of those around them.
//!
//! What was added can be taken away again to the byte. A container that was there and empty is marked for that by a space after its
//! bracket; one that was made has none, and goes with the last thing in it.

use std::ops::Range;

use weft_event::json::{Json, Kind, Tape, Value};

/// How a file is written.
#[derive(Clone, Debug)]
pub(crate) struct Style {
    newline: &'static str,
    /// What a level is indented by.
    unit: String,
    colon: &'static str,
    /// Whether members stand on lines of their own.
    is_spread: bool,
}

/// What is put into a container: the name of a member, or none for an item, and the value.
pub(crate) struct Piece<'p> {
    pub(crate) name: Option<&'p str>,
    pub(crate) value: Json<'p>,
}

/// Changes of a text: what stands in these places instead.
#[derive(Debug, Default)]
pub(crate) struct Edits {
    list: Vec<(Range<usize>, String)>,
}

impl Edits {
    /// Puts a text in the place of another.
    pub(crate) fn put(&mut self, place: Range<usize>, text: String) {
        self.list.push((place, text));
    }

    /// Returns the changed text. Of two changes at one place the first comes first.
    pub(crate) fn apply(mut self, text: &str) -> String {
        self.list.sort_by_key(|(place, _)| (place.start, place.end));
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        for (place, new) in &self.list {
            out.push_str(&text[at..place.start]);
            out.push_str(new);
            at = place.end;
        }
        out.push_str(&text[at..]);
        out
    }
}

/// Returns where a value stands, its quotes included.
pub(crate) fn span(value: Value<'_>) -> Range<usize> {
    let place = value.place();
    match value.kind() {
        Kind::Text | Kind::Key => place.start - 1..place.end + 1,
        Kind::Null | Kind::True | Kind::False | Kind::Number | Kind::Object | Kind::Array => place,
    }
}

/// Returns where the members or items of a container stand, each with its name.
pub(crate) fn children(container: Value<'_>) -> Vec<Range<usize>> {
    let members = container.members().map(|(key, value)| span(key).start..span(value).end);
    members.chain(container.items().map(span)).collect()
}

impl Style {
    /// Returns the style of an object that is a whole file.
    pub(crate) fn of(text: &str, root: Value<'_>) -> Self {
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let Some((key, value)) = root.members().next() else {
            return Self { newline, ..Self::ours() };
        };
        let before = &text[span(root).start + 1..span(key).start];
        let is_spread = before.contains('\n');
        // The whole may be indented itself.
        let outer = indent_of(text, span(root).start);
        let inner = before.rsplit('\n').next().filter(|_| is_spread);
        let unit =
            inner.map_or("  ", |inner| inner.strip_prefix(outer).unwrap_or(inner)).to_owned();
        let between = &text[span(key).end..span(value).start];
        let colon = if between.ends_with(':') { ":" } else { ": " };
        Self { newline, unit, colon, is_spread }
    }

    /// Returns the style of a file that we make.
    pub(crate) fn ours() -> Self {
        Self { newline: "\n", unit: "  ".to_owned(), colon: ": ", is_spread: true }
    }

    fn comma(&self) -> &'static str {
        if self.colon == ":" { "," } else { ", " }
    }

    /// Returns the same style with everything on one line, or not.
    pub(crate) fn spread(&self, is_spread: bool) -> Self {
        Self { is_spread, ..self.clone() }
    }

    /// Returns JSON in this style, its first line without indentation.
    pub(crate) fn lay_out(&self, json: &Json<'_>, indent: &str) -> String {
        let mut tape = Tape::new();
        let value = tape.parse(json.as_str()).expect("what we write is JSON");
        let mut out = String::new();
        self.write(&mut out, value, indent);
        out
    }

    fn write(&self, out: &mut String, value: Value<'_>, indent: &str) {
        let is_scalar = |value: Value<'_>| !matches!(value.kind(), Kind::Object | Kind::Array);
        let (open, close) = match value.kind() {
            Kind::Object => ('{', '}'),
            Kind::Array => ('[', ']'),
            Kind::Null | Kind::True | Kind::False | Kind::Number | Kind::Text | Kind::Key => {
                out.push_str(value.raw());
                return;
            }
        };
        // A list of words reads best on one line.
        let is_list = value.kind() == Kind::Array && value.items().all(is_scalar);
        let is_spread = self.is_spread && !is_list;
        let inner = format!("{indent}{}", self.unit);
        let begin = |out: &mut String, n: usize| match (is_spread, n) {
            (true, 0) => out.extend([self.newline, &inner]),
            (true, _) => out.extend([",", self.newline, &inner]),
            (false, 0) => {}
            (false, _) => out.push_str(self.comma()),
        };
        out.push(open);
        for (n, (key, member)) in value.members().enumerate() {
            begin(out, n);
            out.extend([key.raw(), self.colon]);
            self.write(out, member, &inner);
        }
        for (n, item) in value.items().enumerate() {
            begin(out, n);
            self.write(out, item, &inner);
        }
        if is_spread {
            out.extend([self.newline, indent]);
        }
        out.push(close);
    }

    fn piece(&self, piece: &Piece<'_>, indent: &str) -> String {
        let value = self.lay_out(&piece.value, indent);
        match piece.name {
            Some(name) => format!("{}{}{value}", Json::text(name).as_str(), self.colon),
            None => value,
        }
    }
}

/// Adds members or items to the end of a container.
pub(crate) fn add(
    edits: &mut Edits,
    text: &str,
    style: &Style,
    container: Value<'_>,
    pieces: &[Piece<'_>],
) {
    if pieces.is_empty() {
        return;
    }
    let there = children(container);
    let start = span(container).start + 1;
    let Some(last) = there.last() else {
        let outer = indent_of(text, start);
        let inner = format!("{outer}{}", style.unit);
        let between = format!(",{}{inner}", style.newline);
        let laid: Vec<_> = pieces.iter().map(|piece| style.piece(piece, &inner)).collect();
        let added = if style.is_spread {
            let (newline, all) = (style.newline, laid.join(&between));
            format!(" {newline}{inner}{all}{newline}{outer}")
        } else {
            format!(" {}", laid.join(style.comma()))
        };
        return edits.put(start..start, added);
    };
    let before_last = there.len().checked_sub(2).map_or(start, |idx| there[idx].end);
    // Between two of them stands a comma, and nothing else but white space.
    let gap = text[before_last..last.start].rsplit(',').next().unwrap_or_default();
    let style = style.spread(gap.contains('\n'));
    let indent = gap.rsplit('\n').next().unwrap_or_default();
    for piece in pieces {
        let added = if style.is_spread {
            format!(",{}{indent}{}", style.newline, style.piece(piece, indent))
        } else {
            format!("{}{}", style.comma(), style.piece(piece, ""))
        };
        edits.put(last.end..last.end, added);
    }
}

/// What is left of a container from which members or items were taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Left {
    /// Others, or the container as it was before anything was added.
    Something,
    /// Nothing: the container was made for what was taken, and has to go with it.
    Nothing,
}

/// Takes members or items away, by their places among those of the container.
pub(crate) fn take(
    edits: &mut Edits,
    text: &str,
    style: &Style,
    container: Value<'_>,
    taken: &[usize],
) -> Left {
    let there = children(container);
    let (Some(first), Some(last)) = (there.first(), there.last()) else { return Left::Something };
    if taken.len() < there.len() {
        take_some(edits, &there, taken);
        return Left::Something;
    }
    let (start, end) = (span(container).start + 1, span(container).end - 1);
    let Some(opening) = text[start..first.start].strip_prefix(' ') else { return Left::Nothing };
    // On lines of their own they are followed by a line break and the indentation of the container, which was not there before.
    let inner = opening.strip_prefix(style.newline);
    let outer = inner.and_then(|inner| inner.strip_suffix(style.unit.as_str()));
    let rest = &text[last.end..end];
    let after_break = rest.strip_prefix(style.newline);
    let before = after_break.zip(outer).and_then(|(rest, outer)| rest.strip_prefix(outer));
    edits.put(start..end, before.unwrap_or(rest).to_owned());
    Left::Something
}

fn take_some(edits: &mut Edits, there: &[Range<usize>], taken: &[usize]) {
    let is_taken = |idx: usize| taken.contains(&idx);
    let first_kept = (0..there.len()).find(|idx| !is_taken(*idx)).unwrap_or(0);
    if first_kept > 0 {
        edits.put(there[0].start..there[first_kept].start, String::new());
    }
    for idx in (first_kept..there.len()).filter(|idx| is_taken(*idx)) {
        edits.put(there[idx - 1].end..there[idx].end, String::new());
    }
}

/// Returns what the line begins with on which a value stands.
pub(crate) fn indent_of_value<'t>(text: &'t str, value: Value<'_>) -> &'t str {
    indent_of(text, span(value).start)
}

fn indent_of(text: &str, at: usize) -> &str {
    let line = &text[text[..at].rfind('\n').map_or(0, |newline| newline + 1)..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}
