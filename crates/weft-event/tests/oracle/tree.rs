//! A JSON tree that keeps order, repeated keys and the spelling of every scalar, for taking apart and putting together.

use weft_event::json::{Kind, Tape, Value};

#[derive(Clone, Debug)]
pub(crate) enum Tree {
    /// A scalar as it stands in the line.
    Scalar(String),
    Array(Vec<Tree>),
    /// Keys as they stand in the line, quotes included.
    Object(Vec<(String, Tree)>),
}

impl Tree {
    pub(crate) fn parse(line: &str) -> Tree {
        let mut tape = Tape::new();
        Tree::of(tape.parse(line).expect("mutations start from JSON"))
    }

    fn of(value: Value<'_>) -> Tree {
        match value.kind() {
            Kind::Object => {
                let member = |(key, member): (Value<'_>, Value<'_>)| {
                    (key.raw().to_owned(), Tree::of(member))
                };
                Tree::Object(value.members().map(member).collect())
            }
            Kind::Array => Tree::Array(value.items().map(Tree::of).collect()),
            Kind::Null | Kind::True | Kind::False | Kind::Number | Kind::Text | Kind::Key => {
                Tree::Scalar(value.raw().to_owned())
            }
        }
    }

    pub(crate) fn is_text(&self) -> bool {
        matches!(self, Tree::Scalar(raw) if raw.starts_with('"'))
    }

    pub(crate) fn is_number(&self) -> bool {
        matches!(self, Tree::Scalar(raw) if raw.starts_with(|c: char| c == '-' || c.is_ascii_digit()))
    }

    /// Counts the values in the tree, itself included.
    pub(crate) fn n_values(&self) -> usize {
        1 + match self {
            Tree::Scalar(_) => 0,
            Tree::Array(items) => items.iter().map(Tree::n_values).sum(),
            Tree::Object(members) => members.iter().map(|(_, member)| member.n_values()).sum(),
        }
    }

    /// Returns the value of this number, counting in the order of the line from 0 for the tree itself.
    pub(crate) fn nth(&mut self, mut nth: usize) -> Option<&mut Tree> {
        if nth == 0 {
            return Some(self);
        }
        nth -= 1;
        let children: Vec<&mut Tree> = match self {
            Tree::Scalar(_) => Vec::new(),
            Tree::Array(items) => items.iter_mut().collect(),
            Tree::Object(members) => members.iter_mut().map(|(_, member)| member).collect(),
        };
        for child in children {
            let size = child.n_values();
            if nth < size {
                return child.nth(nth);
            }
            nth -= size;
        }
        None
    }

    /// Writes the tree with this much white space around its tokens.
    pub(crate) fn write(&self, blank: &str, out: &mut String) {
        let mut list =
            |open: char, close: char, n: usize, item: &mut dyn FnMut(usize, &mut String)| {
                out.push(open);
                for idx in 0..n {
                    out.push_str(if idx > 0 { "," } else { "" });
                    out.push_str(blank);
                    item(idx, out);
                }
                out.push_str(blank);
                out.push(close);
            };
        match self {
            Tree::Scalar(raw) => out.push_str(raw),
            Tree::Array(items) => {
                list('[', ']', items.len(), &mut |idx, out| items[idx].write(blank, out));
            }
            Tree::Object(members) => list('{', '}', members.len(), &mut |idx, out| {
                out.push_str(&members[idx].0);
                out.push(':');
                out.push_str(blank);
                members[idx].1.write(blank, out);
            }),
        }
    }
}
