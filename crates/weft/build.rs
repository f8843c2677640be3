//! How the program is linked where the target is Linux with glibc: at a fixed address, with one library less to load, and with
//! functions of libraries looked up when they are first called.
//!
//! An agent waits for `weft hook` at every tool call, and most of what it takes is its start. A program that can stand anywhere has
//! 35,000 addresses to be put right first, in 200 pages of its own; docs/performance.md has the figures. A fifth of the functions
//! that it has from libraries need not be looked up for a hook, which never calls them. The price is that the addresses of its code
//! can be known beforehand, and that the table of those functions stays writable; stack, heap and libraries stay at random addresses.

use std::env;
use std::path::Path;
use std::process::Command;

/// What a panic is unwound with, to be put into the program. As a library of its own it costs as much as all others together.
const UNWINDER: &str = "libgcc_eh.a";

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let target = |what: &str| env::var(format!("CARGO_CFG_TARGET_{what}")).unwrap_or_default();
    if target("OS") != "linux" || target("ENV") != "gnu" {
        return;
    }
    println!("cargo:rustc-link-arg-bins=-no-pie");
    println!("cargo:rustc-link-arg-bins=-Wl,-z,lazy");
    if has_unwinder() {
        println!("cargo:rustc-link-lib=dylib:+verbatim={UNWINDER}");
    }
}

/// Returns whether the linker finds it: not every compiler comes with one.
fn has_unwinder() -> bool {
    let linker = env::var_os("RUSTC_LINKER").unwrap_or_else(|| "cc".into());
    let asked = Command::new(linker).arg(format!("--print-file-name={UNWINDER}")).output();
    // A name that is not found is given back as it is.
    asked.is_ok_and(|asked| {
        let path = String::from_utf8_lossy(&asked.stdout);
        Path::new(path.trim()).is_absolute() && Path::new(path.trim()).exists()
    })
}
