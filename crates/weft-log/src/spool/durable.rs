//! Changes to folders that outlive a power cut: names that are synced, small files that are replaced whole.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

/// Makes the names in a folder durable.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Tells the files apart that one process makes at once.
static N_MADE: AtomicU64 = AtomicU64::new(0);

/// Replaces a file by what `fill` writes: at every moment, also after a power cut, the name stands for the old or the new whole.
///
/// Of two processes that replace it at once the later one counts.
pub(crate) fn replace(
    path: &Path,
    fill: impl FnOnce(&mut io::BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    let folder = path.parent().expect("a file that is replaced stands in a folder");
    let mut name = path.file_name().expect("a file that is replaced has a name").to_owned();
    let n_made = N_MADE.fetch_add(1, Ordering::Relaxed);
    name.push(format!(".{}-{n_made}.new", process::id()));
    let new = folder.join(name);
    let file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&new)?;
    let mut out = io::BufWriter::new(file);
    let written =
        fill(&mut out).and_then(|()| out.flush()).and_then(|()| out.get_ref().sync_data());
    match written.and_then(|()| fs::rename(&new, path)) {
        Ok(()) => sync_folder(folder),
        Err(error) => {
            fs::remove_file(&new)?;
            Err(error)
        }
    }
}
