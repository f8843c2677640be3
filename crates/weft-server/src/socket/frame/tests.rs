//! What the codec makes of whole frames, of pieces of them, and of bytes that are none.

use proptest::prelude::*;

use super::*;

/// Feeds bytes in pieces; returns the frames, and the error that ended it.
fn frames(bytes: &[u8], piece: usize) -> (Vec<Frame>, Option<FrameError>) {
    let (mut decoder, mut found) = (Decoder::default(), Vec::new());
    for piece in bytes.chunks(piece.max(1)) {
        decoder.feed(piece);
        loop {
            match decoder.take() {
                Ok(Some(frame)) => found.push(frame),
                Ok(None) => break,
                Err(error) => return (found, Some(error)),
            }
        }
        assert!(decoder.buffer.len() <= LENGTH_BYTES + FRAME_BYTES_MAX + piece.len());
    }
    (found, None)
}

#[test]
fn a_body_may_hold_anything() {
    let mut bytes = Vec::new();
    encode("{\"a\":1}", b"\n\0\xff\n", &mut bytes).unwrap();
    encode("{}", b"", &mut bytes).unwrap();
    let (found, error) = frames(&bytes, 3);
    assert_eq!(error, None);
    let found: Vec<_> = found.iter().map(|frame| (frame.header(), frame.body())).collect();
    assert_eq!(found, [(&b"{\"a\":1}"[..], &b"\n\0\xff\n"[..]), (b"{}", b"")]);
}

#[test]
fn a_length_beyond_the_limit_is_refused_before_anything_is_read() {
    let (found, error) = frames(&[0xff; 4], 1);
    assert_eq!((found.len(), error), (0, Some(FrameError::TooLarge { bytes: 0xffff_ffff })));
}

#[test]
fn a_header_without_end_is_refused_as_soon_as_it_is_too_long() {
    let mut bytes = 20_000_000_u32.to_be_bytes().to_vec();
    bytes.resize(LENGTH_BYTES + HEADER_BYTES_MAX + 1, b' ');
    assert_eq!(frames(&bytes, 1 << 16).1, Some(FrameError::Header));
    assert_eq!(frames(&[0, 0, 0, 2, b'{', b'}'], 1).1, Some(FrameError::Header));
    assert_eq!(frames(&[0; 4], 4).1, Some(FrameError::Header));
}

#[test]
fn what_is_too_large_is_not_sent() {
    let mut out = Vec::new();
    let body = vec![0; BODY_BYTES_MAX + 1];
    assert_eq!(encode("{}", &body, &mut out), Err(FrameError::Body { bytes: body.len() }));
    assert_eq!(encode(&" ".repeat(HEADER_BYTES_MAX + 1), b"", &mut out), Err(FrameError::Header));
    assert!(out.is_empty());
    encode("{}", &body[1..], &mut out).unwrap();
    assert_eq!(frames(&out, 1 << 20).0[0].body().len(), BODY_BYTES_MAX);
}

proptest! {
    #[test]
    fn any_bytes_are_frames_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..300), piece in 1..40_usize) {
        let (found, _) = frames(&bytes, piece);
        let n_bytes: usize = found.iter().map(|frame| LENGTH_BYTES + frame.bytes.len()).sum();
        prop_assert!(n_bytes <= bytes.len());
    }

    #[test]
    fn pieces_do_not_matter(
        sent in prop::collection::vec(("[ -~]{0,40}", prop::collection::vec(any::<u8>(), 0..200)), 0..6),
        piece in 1..300_usize,
        cut in 0..64_usize,
    ) {
        let mut bytes = Vec::new();
        for (header, body) in &sent {
            encode(header, body, &mut bytes).unwrap();
        }
        let (whole, error) = frames(&bytes, piece);
        prop_assert_eq!(error, None);
        let got: Vec<_> = whole.iter().map(|frame| (frame.header().to_vec(), frame.body().to_vec())).collect();
        let want: Vec<_> = sent.iter().map(|(header, body)| (header.as_bytes().to_vec(), body.clone())).collect();
        prop_assert_eq!(got, want);
        // Half a frame is none yet, and no error.
        let (some, error) = frames(&bytes[..bytes.len().saturating_sub(cut)], piece);
        prop_assert_eq!(error, None);
        prop_assert!(some.len() <= whole.len());
    }
}
