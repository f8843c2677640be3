//! Lists the files of the built dashboard, `web/dist`, for the server to hold, as they are and compressed: whoever opens the dashboard
//! waits for neither. Where it is not built the list is empty, and the server has a page of its own that says how to build it. A debug
//! build holds none: it reads the folder as it runs.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use flate2::Compression;
use flate2::write::GzEncoder;

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(web_on_disk)");
    if env::var("PROFILE").is_ok_and(|profile| profile == "debug") {
        println!("cargo::rustc-cfg=web_on_disk");
        return Ok(());
    }
    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let folder = manifest.join("../../web/dist");
    // A folder that is not there could not be watched, and all would be built again each time.
    match fs::create_dir_all(&folder) {
        Ok(()) => println!("cargo::rerun-if-changed={}", folder.display()),
        Err(error) => println!("cargo::warning=no dashboard, {}: {error}", folder.display()),
    }
    let mut files = Vec::new();
    collect(&folder, &mut files)?;
    files.sort();
    let mut list = "&[\n".to_owned();
    for (nth, file) in files.iter().enumerate() {
        let name = file.strip_prefix(&folder).expect("it is in the folder");
        let name = name.to_str().expect("the dashboard's files have plain names");
        // Copied, so that building the dashboard anew takes nothing away from a compiler that is at it.
        let [whole, gzip] = ["file", "gz"].map(|form| out.join(format!("web-{nth}.{form}")));
        let bytes = fs::read(file)?;
        fs::write(&gzip, compress(&bytes)?)?;
        fs::write(&whole, bytes)?;
        let path = format!("/{name}");
        list += &format!("    ({path:?}, include_bytes!({whole:?}), include_bytes!({gzip:?})),\n");
    }
    list += "]\n";
    fs::write(out.join("web.rs"), list)
}

fn compress(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    encoder.finish()
}

/// Finds every file of a folder and of those in it.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    if !folder.is_dir() {
        return Ok(());
    }
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        match path.is_dir() {
            true => collect(&path, files)?,
            false => files.push(path),
        }
    }
    Ok(())
}
