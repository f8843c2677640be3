//! Lists that take little more room than they need: most of those in views are short, and there are many of them.

/// Puts a value into a list. It grows by a half when it is full, and from none to one.
pub(crate) fn insert<T>(list: &mut Vec<T>, idx: usize, value: T) {
    if list.len() == list.capacity() {
        list.reserve_exact(list.len().div_ceil(2).max(1));
    }
    list.insert(idx, value);
}
