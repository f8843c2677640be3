//! Numbers as decimal digits, for the lines that are written with every commit: after a sync the processor's caches are cold, and
//! the machinery that formats anything in any way costs more to fetch than to run.

/// Digits of the largest number.
const DIGITS_MAX: usize = 20;

/// Appends a number.
fn push(out: &mut String, mut number: u64) {
    let mut digits = [0; DIGITS_MAX];
    let mut start = DIGITS_MAX;
    loop {
        start -= 1;
        digits[start] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.push_str(std::str::from_utf8(&digits[start..]).expect("digits are ASCII"));
}

/// Appends numbers, each behind a text.
pub(crate) fn push_each<const N: usize>(out: &mut String, numbers: [(&str, u64); N]) {
    for (before, number) in numbers {
        out.push_str(before);
        push(out, number);
    }
}

/// Appends a number that may be negative.
pub(crate) fn push_signed(out: &mut String, number: i64) {
    if number < 0 {
        out.push('-');
    }
    push(out, number.unsigned_abs());
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_are_written_as_everywhere(number: u64, signed: i64) {
            for number in [number, number % 1000, 0, u64::MAX] {
                let mut out = String::new();
                super::push(&mut out, number);
                prop_assert_eq!(out, number.to_string());
            }
            for signed in [signed, signed % 1000, i64::MIN, i64::MAX] {
                let mut out = String::new();
                super::push_signed(&mut out, signed);
                prop_assert_eq!(out, signed.to_string());
            }
        }
    }
}
