//! How the program is linked where the target is Linux with glibc: at a fixed address, and where that can be done with everything that
//! it needs inside, so that nothing has to be loaded, looked up and put right when it starts.
//!
//! An agent waits for `weft hook` at every tool call, and most of what it takes is its start. A program that can stand anywhere has
//! 35,000 addresses to be put right first, in 200 pages of its own; to load the two libraries that it needs takes a quarter of a hook.
//! What a hook runs is put together for the same reason, by `hook.ld`. docs/performance.md has the figures. The price is that the addresses of its code can be known beforehand; stack and heap stay at
//! random ones. Names of hosts are looked up by a program of the system, because the libraries that this takes may be of another version.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

/// What a panic is unwound with, to be put into the program. As a library of its own it costs as much as all others together.
const UNWINDER: &str = "libgcc_eh.a";

/// The libraries that the compiler asks for, as they are shared, and what the linker is told to put into the program for each.
const LIBRARIES: [(&str, &str); 7] = [
    ("libc.so", "GROUP(-l:libc.a -l:libgcc_eh.a -l:libgcc.a)"),
    ("libm.so", "INPUT(-l:libm.a)"),
    ("libdl.so", "INPUT(-l:libdl.a)"),
    ("librt.so", "INPUT(-l:librt.a)"),
    ("libpthread.so", "INPUT(-l:libpthread.a)"),
    ("libutil.so", "INPUT(-l:libutil.a)"),
    ("libgcc_s.so", "INPUT(-l:libgcc_eh.a)"),
];

/// What puts the code of a hook together.
const HOOK: &str = "hook.ld";

/// Where the code of panics is found the program says itself; told of it once more at its start, the unwinder would read all of it.
const UNREGISTERED: &str =
    "-Wl,--defsym=__register_frame_info=0,--defsym=__deregister_frame_info=0";

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed={HOOK}");
    let target = |what: &str| env::var(format!("CARGO_CFG_TARGET_{what}")).unwrap_or_default();
    if target("OS") != "linux" || target("ENV") != "gnu" {
        return Ok(());
    }
    println!("cargo:rustc-link-arg-bins=-no-pie");
    let stand_ins = out().join("static");
    let is_asked_for = target("FEATURE").split(',').any(|feature| feature == "crt-static");
    if target("ARCH") == "x86_64" && !is_asked_for && stand_in(&stand_ins)? {
        println!("cargo:rustc-link-arg-bins=-static");
        println!("cargo:rustc-link-arg-bins={UNREGISTERED}");
        println!("cargo:rustc-link-arg-bins=-L{}", stand_ins.display());
        if takes_layout() {
            println!("cargo:rustc-link-arg-bins={}", layout());
        }
        return Ok(());
    }
    // A fifth of the functions that are taken from libraries need not be looked up for a hook, which never calls them.
    println!("cargo:rustc-link-arg-bins=-Wl,-z,lazy");
    if is_found(UNWINDER) {
        println!("cargo:rustc-link-lib=dylib:+verbatim={UNWINDER}");
    }
    Ok(())
}

/// Leaves a file for each library that the compiler asks for, which has the linker take another in its place; returns whether a
/// program can be linked so. Not every system comes with what it takes.
fn stand_in(folder: &Path) -> io::Result<bool> {
    fs::create_dir_all(folder)?;
    for (shared, inside) in LIBRARIES {
        fs::write(folder.join(shared), inside)?;
    }
    let probe = folder.join("probe.c");
    // What takes the most: names of hosts, threads, and a library beside that of C.
    fs::write(
        &probe,
        "#include <math.h>\n#include <netdb.h>\n#include <pthread.h>\n\
         static void *run(void *x) { struct addrinfo *found = 0; getaddrinfo(x, 0, 0, &found); return found; }\n\
         int main(int n, char **args) { pthread_t it; return pthread_create(&it, 0, run, args[0]) + (int)log(n); }\n",
    )?;
    let mut link = Command::new(linker());
    link.args(["-static", "-no-pie", "-Wl,-Bdynamic"])
        .arg(&probe)
        .arg("-o")
        .arg(folder.join("probe"));
    link.args(["-lgcc_s", "-lutil", "-lrt", "-lpthread", "-lm", "-ldl", "-lc", UNREGISTERED]);
    link.arg(format!("-L{}", folder.display()));
    let linked = link.stdout(Stdio::null()).stderr(Stdio::null()).status();
    Ok(linked.is_ok_and(|linked| linked.success()))
}

/// Returns what tells the linker of the layout.
fn layout() -> String {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    format!("-Wl,-T,{}", here.join(HOOK).display())
}

/// Returns whether the linker understands a layout that adds to its own. Where another one is asked for, that is not known.
fn takes_layout() -> bool {
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    if flags.contains("fuse-ld") || flags.contains("linker") {
        return false;
    }
    let probe = out().join("static");
    let mut link = Command::new(linker());
    link.args(["-static", "-no-pie", "-x", "c", "-", "-o"]).arg(probe.join("laid-out"));
    link.arg(layout()).stdout(Stdio::null()).stderr(Stdio::null()).stdin(Stdio::piped());
    let Ok(mut linking) = link.spawn() else { return false };
    let said =
        linking.stdin.take().map(|mut stdin| stdin.write_all(b"int main(void) { return 0; }"));
    said.is_some_and(|said| said.is_ok()) && linking.wait().is_ok_and(|linked| linked.success())
}

/// Returns whether the linker finds a library.
fn is_found(library: &str) -> bool {
    let asked = Command::new(linker()).arg(format!("--print-file-name={library}")).output();
    // A name that is not found is given back as it is.
    asked.is_ok_and(|asked| {
        let path = String::from_utf8_lossy(&asked.stdout);
        Path::new(path.trim()).is_absolute() && Path::new(path.trim()).exists()
    })
}

fn linker() -> std::ffi::OsString {
    env::var_os("RUSTC_LINKER").unwrap_or_else(|| "cc".into())
}

fn out() -> PathBuf {
    PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"))
}
