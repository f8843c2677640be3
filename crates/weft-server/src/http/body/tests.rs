//! Decompression that knows when to stop.

use std::io::Write as _;

use super::{Encoding, Undecodable, decode};

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).expect("it is written to memory");
    encoder.finish().expect("it is written to memory")
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 3).expect("it is written to memory")
}

#[test]
fn what_was_compressed_comes_out_again() {
    let text = b"{\"a\":1}\n".repeat(1000);
    let twice = [gzip(&text), gzip(b"more")].concat();
    assert_eq!(decode(Encoding::Gzip, &gzip(&text), 8000), Ok(text.clone()));
    assert_eq!(decode(Encoding::Gzip, &twice, 9000), Ok([&text[..], b"more"].concat()));
    assert_eq!(decode(Encoding::Zstd, &zstd(&text), 8000), Ok(text.clone()));
    let twice = [zstd(&text), zstd(b"more")].concat();
    assert_eq!(decode(Encoding::Zstd, &twice, 9000), Ok([&text[..], b"more"].concat()));
}

#[test]
fn one_byte_too_many_is_too_many() {
    for n in [7999, 0] {
        let text = b"{\"a\":1}\n".repeat(1000);
        assert_eq!(decode(Encoding::Gzip, &gzip(&text), n), Err(Undecodable::TooLarge));
        assert_eq!(decode(Encoding::Zstd, &zstd(&text), n), Err(Undecodable::TooLarge));
    }
}

#[test]
fn damage_is_told_and_not_taken_for_an_end() {
    let text: Vec<u8> = (0..20_000_u32).flat_map(|n| (n * n).to_le_bytes()).collect();
    for (encoding, whole) in [(Encoding::Gzip, gzip(&text)), (Encoding::Zstd, zstd(&text))] {
        for cut in [1, 5, whole.len() / 2, whole.len() - 1] {
            let decoded = decode(encoding, &whole[..cut], 1 << 20);
            assert_eq!(decoded, Err(Undecodable::Damaged), "{encoding:?} cut at {cut}");
        }
        let decoded = decode(encoding, b"no such thing", 1 << 20);
        assert_eq!(decoded, Err(Undecodable::Damaged), "{encoding:?}");
        let trailed = [&whole[..], b"and more"].concat();
        assert_eq!(decode(encoding, &trailed, 1 << 20), Err(Undecodable::Damaged), "{encoding:?}");
    }
}

#[test]
fn a_window_larger_than_the_coding_allows_is_refused() {
    let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 3).expect("an encoder");
    encoder.window_log(24).expect("it takes the parameter");
    encoder.include_contentsize(false).expect("it takes the parameter");
    encoder.write_all(&vec![7; 1 << 20]).expect("it is written to memory");
    let wide = encoder.finish().expect("it is written to memory");
    assert_eq!(decode(Encoding::Zstd, &wide, 2 << 20), Err(Undecodable::Damaged));
}
