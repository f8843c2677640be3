//! Names of topics: which may be used, and which is near to one that is not there.

/// Most bytes of a topic's name.
pub const NAME_BYTES_MAX: usize = 512;

/// What a name begins with that only Weft itself posts under.
const RESERVED: &str = "weft:";

/// How many names are offered.
const NEAR_MAX: usize = 5;

/// Why a text is no name of a topic.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// It is empty.
    #[error("a topic needs a name")]
    Empty,
    /// It is too long.
    #[error("the name of a topic has at most {NAME_BYTES_MAX} bytes, not {bytes}")]
    Long {
        /// Its length.
        bytes: usize,
    },
    /// It holds what cannot be typed again.
    #[error(
        "the name of a topic has no blanks at its ends and no line breaks or other control characters"
    )]
    Control,
    /// It is one that Weft uses for its own records.
    #[error("names that begin with `{RESERVED}` are Weft's own")]
    Reserved,
}

/// Checks the name of a topic that is to be posted to.
pub fn check(name: &str) -> Result<(), NameError> {
    match name {
        "" => Err(NameError::Empty),
        name if name.len() > NAME_BYTES_MAX => Err(NameError::Long { bytes: name.len() }),
        name if name.chars().any(char::is_control) || name.trim() != name => {
            Err(NameError::Control)
        }
        name if name.starts_with(RESERVED) => Err(NameError::Reserved),
        _ => Ok(()),
    }
}

/// Returns the names that may have been meant, the nearest first.
pub fn near<'n>(name: &str, names: impl IntoIterator<Item = &'n str>) -> Vec<&'n str> {
    let wanted = name.to_lowercase();
    let far_max = wanted.chars().count().div_ceil(3).max(1);
    let distance = |other: &str| {
        let other = other.to_lowercase();
        if other.contains(&wanted) || wanted.contains(&other) {
            return Some(0);
        }
        Some(edits(&wanted, &other)).filter(|n| *n <= far_max)
    };
    let mut near: Vec<_> =
        names.into_iter().filter_map(|other| Some((distance(other)?, other))).collect();
    near.sort_unstable();
    near.dedup();
    near.into_iter().map(|(_, other)| other).take(NEAR_MAX).collect()
}

/// Returns how many characters have to be added, removed or changed to make one of the other.
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (idx, c) in a.chars().enumerate() {
        let mut corner = std::mem::replace(&mut row[0], idx + 1);
        for (at, other) in b.iter().enumerate() {
            let changed = corner + usize::from(c != *other);
            corner = row[at + 1];
            row[at + 1] = changed.min(row[at] + 1).min(corner + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_come_nearest_first() {
        let names = ["tasks", "task", "research:auth", "plan", "loop:current"];
        assert_eq!(near("taks", names), ["tasks", "task"]);
        assert_eq!(near("Auth", names), ["research:auth"]);
        assert_eq!(near("loop:curent", names), ["loop:current"]);
        assert_eq!(near("zebra", names), [""; 0]);
    }

    #[test]
    fn edits_are_counted() {
        for (a, b, n) in [("", "", 0), ("a", "", 1), ("kitten", "sitting", 3), ("ab", "ba", 2)] {
            assert_eq!((edits(a, b), edits(b, a)), (n, n), "{a} {b}");
        }
    }

    #[test]
    fn names_are_checked() {
        for good in ["tasks", "issue:a-1", "research:auth flow", "日本"] {
            assert_eq!(check(good), Ok(()));
        }
        assert_eq!(check(""), Err(NameError::Empty));
        assert_eq!(check("a\nb"), Err(NameError::Control));
        assert_eq!(check(" a"), Err(NameError::Control));
        assert_eq!(check("weft:subscription"), Err(NameError::Reserved));
        assert_eq!(check(&"x".repeat(600)), Err(NameError::Long { bytes: 600 }));
    }
}
