//! Signatures, so that a receiver knows that a delivery is Weft's and not an old one sent again.

use ring::hmac;

/// Returns the signature of a delivery: `v1=` and the HMAC-SHA256 of `<timestamp>.<body>` in hex.
pub fn signature(secret: &str, timestamp_s: i64, body: &[u8]) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    let mut context = hmac::Context::with_key(&key);
    context.update(timestamp_s.to_string().as_bytes());
    context.update(b".");
    context.update(body);
    let hex: String = context.sign().as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("v1={hex}")
}

#[cfg(test)]
mod tests {
    use super::signature;

    #[test]
    fn it_is_what_other_languages_compute() {
        // printf '1794736800.{"position":1}' | openssl dgst -sha256 -hmac secret
        let expected = "v1=edb9ff07ab683b8cfa782de0b7178bd8c50e96f91c82900a7d5b95e7e92caa41";
        assert_eq!(signature("secret", 1_794_736_800, br#"{"position":1}"#), expected);
    }
}
