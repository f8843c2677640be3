//! Memory stays flat however long the input is.
#![cfg(target_os = "linux")]

use std::io::Write as _;
use std::process::Stdio;

use crate::sandbox::{FINE, Sandbox};

const INPUT_BYTES: usize = 200 << 20;
const PEAK_KIB_MAX: u64 = 64 << 10;

#[test]
fn a_long_stream_is_validated_in_flat_memory() {
    let message = "All work and no play makes an agent a dull worker. ".repeat(400);
    let line = format!("{},\"message\":\"{message}\"}}\n", FINE.strip_suffix('}').unwrap());
    let n_lines = INPUT_BYTES / line.len() + 1;
    let mut child = Sandbox::with(&[])
        .command(&["validate", "--json", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    for _ in 0..n_lines {
        stdin.write_all(line.as_bytes()).unwrap();
    }
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    let summary: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(summary["summary"]["valid"], n_lines);
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let peak_kib: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(peak_kib < PEAK_KIB_MAX, "{peak_kib} KiB at its peak");
}
