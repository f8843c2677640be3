use super::{Zone, base64, count, fit, fit_end, money, short, since, span, width, wrap};

#[test]
fn what_is_too_wide_is_cut_with_a_mark() {
    assert_eq!(fit("hello", 5), "hello");
    assert_eq!(fit("hello", 4), "hel…");
    assert_eq!(fit("日本語", 5), "日本…");
    assert_eq!(fit("日本語", 4), "日…");
    assert_eq!(fit("a\tb\nc", 9), "a b c");
    assert_eq!(fit("hello", 0), "");
    assert_eq!(fit_end("/a/b/c.rs", 6), "…/c.rs");
    assert_eq!(fit_end("c.rs", 6), "c.rs");
    for columns in 1..12 {
        assert!(width(&fit("a日b本c語d", columns)) <= columns);
    }
}

#[test]
fn text_breaks_between_words() {
    assert_eq!(wrap("one two three", 8, 9), ["one two", "three"]);
    assert_eq!(wrap("onetwothree", 4, 9), ["onet", "woth", "ree"]);
    assert_eq!(wrap("a\n\nb", 8, 9), ["a", "", "b"]);
    assert_eq!(wrap("a\nb\nc\nd", 8, 3), ["a", "b", "…"]);
}

#[test]
fn times_and_amounts_are_short() {
    let spans = [0, 999, 1500, 61_000, 3_660_000, 90_000_000, 900_000_000].map(span);
    assert_eq!(spans, ["0ms", "999ms", "1s", "1m01s", "1h01m", "1d01h", "10d"]);
    let ago = [0, 500, 1000, 10_000].map(|ms: i64| since(0, ms * 1_000_000));
    assert_eq!(ago, ["now", "now", "1s", "10s"]);
    assert_eq!([0, 999, 1000, 1_234_567].map(count), ["0", "999", "1,000", "1,234,567"]);
    assert_eq!(
        [9999, 10_500, 1_250_000, 3_000_000_000].map(short),
        ["9999", "10k", "1.2M", "3.0G"]
    );
}

#[test]
fn money_says_whether_it_is_a_guess() {
    let amounts = [(0, 0), (1_234_567, 0), (1_230_000_000, 0), (12_345_678_900, 1)];
    let shown = amounts.map(|(nano, estimated)| money(nano, estimated));
    assert_eq!(shown, ["-", "$0.0012", "$1.23", "~$12.34"]);
}

#[test]
fn the_clock_is_the_zone_s() {
    let noon_ns = 1_794_744_000_000_000_000;
    assert_eq!(Zone::default().whole(noon_ns), "2026-11-15 12:00:00");
    assert_eq!(Zone { offset_s: 3600 }.clock(noon_ns), "13:00:00");
    assert_eq!(Zone { offset_s: -43_200 }.whole(noon_ns), "2026-11-15 00:00:00");
}

#[test]
fn base64_is_that_of_everybody() {
    let texts = ["", "f", "fo", "foo", "foob", "fooba", "foobar"];
    let coded = ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"];
    assert_eq!(texts.map(|text| base64(text.as_bytes())), coded);
}
