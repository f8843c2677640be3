//! Names told apart quickly: a 16-bit hash that is the same at build time and at run time, and a comparison without a call.

/// Returns the hash of a name: its length and its first eight bytes, mixed.
///
/// It is for names of a fixed vocabulary and is always followed by a comparison.
pub(crate) const fn name_hash(name: &[u8]) -> u16 {
    let head = match name.first_chunk::<8>() {
        Some(head) => u64::from_le_bytes(*head),
        None => {
            let mut head = 0;
            let mut at = name.len();
            while at > 0 {
                at -= 1;
                head = head << 8 | name[at] as u64;
            }
            head
        }
    };
    mix(head, name.len())
}

/// Returns [`name_hash`] of the name that stands at `start..end` of a line, with one load where the line goes on behind it.
#[inline(always)]
pub(super) fn name_hash_at(line: &[u8], start: usize, end: usize) -> u16 {
    let n = end - start;
    match line.get(start..).and_then(|rest| rest.first_chunk::<8>()) {
        Some(head) => {
            let head = u64::from_le_bytes(*head);
            mix(if n >= 8 { head } else { head & ((1 << (8 * n)) - 1) }, n)
        }
        None => name_hash(&line[start..end]),
    }
}

const fn mix(head: u64, n: usize) -> u16 {
    ((head ^ (n as u64) << 56).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 48) as u16
}

/// Returns whether two names are equal. Names are short: two overlapping words cover up to 16 bytes.
#[inline(always)]
pub(crate) fn same_name(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    match (a.first_chunk::<8>(), b.first_chunk::<8>(), a.last_chunk::<8>(), b.last_chunk::<8>()) {
        (Some(a_head), Some(b_head), Some(a_tail), Some(b_tail)) => {
            a_head == b_head && a_tail == b_tail && (a.len() <= 16 || a == b)
        }
        _ => match (
            a.first_chunk::<4>(),
            b.first_chunk::<4>(),
            a.last_chunk::<4>(),
            b.last_chunk::<4>(),
        ) {
            (Some(a_head), Some(b_head), Some(a_tail), Some(b_tail)) => {
                a_head == b_head && a_tail == b_tail
            }
            _ => a.iter().eq(b),
        },
    }
}
