//! The formats as the oracle reads them: naive, and written apart from Weft's.
//!
//! Draft-07 has no `uuid`. The crate's own `date-time` (0.60.2) lets a full stop pass for the last digit of the year.

pub(crate) fn is_uuid(text: &str) -> bool {
    let groups: Vec<_> = text.split('-').collect();
    let lengths: Vec<_> = groups.iter().map(|group| group.len()).collect();
    lengths == [8, 4, 4, 4, 12]
        && groups.iter().all(|group| group.chars().all(|c| c.is_ascii_hexdigit()))
}

/// RFC 3339, section 5.6, with the leap seconds of its section 5.7.
pub(crate) fn is_date_time(text: &str) -> bool {
    parts(text).is_some_and(|(date, time, offset_min)| {
        let [year, month, day] = date;
        let [hour, minute, second] = time;
        let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let days = [31, if leap { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
        let utc_min = (hour * 60 + minute - offset_min).rem_euclid(24 * 60);
        (1..=12).contains(&month)
            && (1..=days[month as usize - 1]).contains(&day)
            && hour <= 23
            && minute <= 59
            && (second <= 59 || (second == 60 && utc_min == 23 * 60 + 59))
    })
}

fn parts(text: &str) -> Option<([i32; 3], [i32; 3], i32)> {
    let (date, rest) = text.split_once(['T', 't'])?;
    let (clock, offset_min) = match rest.strip_suffix(['Z', 'z']) {
        Some(clock) => (clock, 0),
        None => {
            let at = rest.rfind(['+', '-'])?;
            let [hours, minutes] = numbers(&rest[at + 1..], ':', [2, 2])?;
            let east = if rest[at..].starts_with('+') { 1 } else { -1 };
            (&rest[..at], (hours <= 23 && minutes <= 59).then_some(east * (hours * 60 + minutes))?)
        }
    };
    let clock = match clock.split_once('.') {
        Some((clock, fraction)) => {
            let digits = !fraction.is_empty() && fraction.bytes().all(|b| b.is_ascii_digit());
            digits.then_some(clock)?
        }
        None => clock,
    };
    Some((numbers(date, '-', [4, 2, 2])?, numbers(clock, ':', [2, 2, 2])?, offset_min))
}

/// Reads numbers of these many digits with this between them.
fn numbers<const N: usize>(text: &str, between: char, digits: [usize; N]) -> Option<[i32; N]> {
    let groups: Vec<_> = text.split(between).collect();
    let fits = groups.len() == N
        && groups.iter().zip(digits).all(|(group, digits)| {
            group.len() == digits && group.bytes().all(|byte| byte.is_ascii_digit())
        });
    fits.then(|| std::array::from_fn(|n| groups[n].parse().expect("a few digits are a number")))
}
