//! Bodies that are small until they are unpacked.

use std::io::Write as _;
use std::thread;

use super::assert_well;
use crate::client::Client;
use crate::sandbox::Sandbox;
use crate::served::Served;

/// Bytes that each bomb unpacks to.
const BOMB_BYTES: usize = 1 << 30;

/// Bombs that are sent at the same time.
const TOGETHER: usize = 16;

/// How much more memory than at rest a server may take for all of them: two are unpacked at a time where there are two
/// processors, and each is allowed a body and a window.
const GROWN_BYTES_MAX: u64 = 160 << 20;

/// Returns bombs of a thousand parts, each of which unpacks to a mebibyte.
fn bombs() -> [(&'static str, Vec<u8>); 2] {
    let blanks = vec![b' '; 1 << 20];
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    gzip.write_all(&blanks).unwrap();
    let zstd = zstd::stream::encode_all(&*blanks, 19).unwrap();
    let n = BOMB_BYTES / blanks.len();
    [("gzip", gzip.finish().unwrap().repeat(n)), ("zstd", zstd.repeat(n))]
}

#[test]
fn bombs_are_stopped_at_the_limit_however_many_come_together() {
    let sandbox = Sandbox::with_store(&[]);
    let served = Served::start(&sandbox);
    let (bombs, before) = (bombs(), served.peak_bytes());
    let (http, bombs) = (&served.http, &bombs);
    thread::scope(|scope| {
        for n in 0..TOGETHER {
            scope.spawn(move || {
                let (coding, bomb) = &bombs[n % bombs.len()];
                let header = format!("content-encoding: {coding}\r\n");
                let answer = Client::connect(http).ask("POST /v1/events", &header, bomb);
                let failure = answer.expect("an answer").failure();
                assert_eq!(failure, (413, "body_too_large".to_owned()), "{coding}");
            });
        }
    });
    let grown = served.peak_bytes() - before;
    println!("{TOGETHER} bombs of {BOMB_BYTES} bytes took {grown} bytes more than at rest");
    assert!(grown < GROWN_BYTES_MAX, "{grown} bytes");
    assert_well(served);
}

#[test]
fn a_window_that_is_too_large_and_gzip_within_gzip_are_refused() {
    let sandbox = Sandbox::with_store(&[]);
    let served = Served::start(&sandbox);
    let before = served.peak_bytes();
    let mut wide = zstd::stream::write::Encoder::new(Vec::new(), 3).unwrap();
    wide.window_log(30).unwrap();
    wide.write_all(b"{}").unwrap();
    let [(_, gzip), _] = bombs();
    let mut twice = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    twice.write_all(&gzip).unwrap();
    let mut client = Client::connect(&served.http);
    let zstd = ("content-encoding: zstd\r\n", wide.finish().unwrap());
    let gzip = ("content-encoding: gzip\r\n", twice.finish().unwrap());
    let both = ("content-encoding: gzip\r\ncontent-encoding: gzip\r\n", gzip.1.clone());
    let listed = ("content-encoding: gzip, gzip\r\n", gzip.1.clone());
    for ((headers, body), status) in [(zstd, 400), (gzip, 400), (both, 415), (listed, 415)] {
        let answer = client.ask("POST /v1/events", headers, &body).expect("an answer");
        assert_eq!(answer.status, status, "{headers}");
    }
    assert!(served.peak_bytes() - before < GROWN_BYTES_MAX);
    assert_well(served);
}
