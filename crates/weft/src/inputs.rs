//! Inputs named on the command line: files, folders to search, and standard input, opened one at a time.

use std::fs::{self, File};
use std::io::{self, IsTerminal as _, Read};
use std::path::{Path, PathBuf};
use std::vec;

use anyhow::Context as _;

use crate::output;

/// The names of files that a folder is searched for.
const EXTENSIONS: [&str; 3] = ["jsonl", "ndjson", "json"];

/// One input as the command line names it.
#[derive(Clone, Debug)]
pub(crate) enum Input {
    /// `-`
    Stdin,
    /// A file, or a folder to search.
    Path(PathBuf),
}

/// An input that is open.
pub(crate) struct Source {
    /// Its name for messages.
    pub(crate) name: String,
    /// Its bytes.
    pub(crate) bytes: Box<dyn Read>,
}

/// Settles which inputs are meant: without any, what is piped in.
pub(crate) fn resolve(paths: Vec<PathBuf>) -> anyhow::Result<Vec<Input>> {
    if paths.is_empty() && io::stdin().is_terminal() {
        anyhow::bail!("no input: name a file or folder, or pipe events in");
    }
    if paths.is_empty() {
        return Ok(vec![Input::Stdin]);
    }
    Ok(paths.into_iter().map(Input::from).collect())
}

impl From<PathBuf> for Input {
    fn from(path: PathBuf) -> Self {
        if path.as_os_str() == "-" { Input::Stdin } else { Input::Path(path) }
    }
}

/// Opens an input that is not a folder.
pub(crate) fn open(input: &Input) -> anyhow::Result<Source> {
    match input {
        Input::Stdin => Ok(Source { name: "-".to_owned(), bytes: Box::new(io::stdin().lock()) }),
        Input::Path(path) => open_file(path),
    }
}

/// Returns how many bytes all inputs have, if that can be known without reading them.
pub(crate) fn total_bytes(inputs: &[Input]) -> Option<u64> {
    let size = |input: &Input| match input {
        Input::Stdin => None,
        Input::Path(path) => {
            fs::metadata(path).ok().filter(fs::Metadata::is_file).map(|file| file.len())
        }
    };
    inputs.iter().map(size).sum()
}

/// Opens the inputs in their order, one at a time; folders are searched in the order of their entries' names.
pub(crate) fn open_all(inputs: &[Input]) -> impl Iterator<Item = anyhow::Result<Source>> {
    inputs.iter().flat_map(|input| -> Box<dyn Iterator<Item = anyhow::Result<Source>>> {
        match input {
            Input::Path(path) if path.is_dir() => Box::new(Search::new(path)),
            Input::Path(_) | Input::Stdin => Box::new(std::iter::once_with(|| open(input))),
        }
    })
}

fn open_file(path: &Path) -> anyhow::Result<Source> {
    let name = path.display().to_string();
    let file = File::open(path).with_context(|| format!("cannot open {name}"))?;
    Ok(Source { name, bytes: Box::new(file) })
}

/// A search of a folder and those below it. Symbolic links to folders are not followed, so that it ends.
struct Search {
    root: PathBuf,
    is_empty: bool,
    /// The entries left in each folder on the way down.
    levels: Vec<vec::IntoIter<PathBuf>>,
    trouble: Option<anyhow::Error>,
}

impl Search {
    fn new(root: &Path) -> Self {
        let mut search =
            Self { root: root.to_owned(), is_empty: true, levels: Vec::new(), trouble: None };
        search.enter(root);
        search
    }

    fn enter(&mut self, folder: &Path) {
        match entries(folder) {
            Ok(entries) => self.levels.push(entries.into_iter()),
            Err(error) => {
                self.is_empty = false;
                let context = format!("cannot read folder {}", folder.display());
                self.trouble = Some(anyhow::Error::new(error).context(context));
            }
        }
    }
}

impl Iterator for Search {
    type Item = anyhow::Result<Source>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(trouble) = self.trouble.take() {
                return Some(Err(trouble));
            }
            let Some(level) = self.levels.last_mut() else { break };
            let Some(path) = level.next() else {
                self.levels.pop();
                continue;
            };
            if path.is_dir() {
                if !path.is_symlink() {
                    self.enter(&path);
                }
            } else if has_extension(&path) && (path.is_file() || !path.exists()) {
                self.is_empty = false;
                return Some(open_file(&path));
            }
        }
        if self.is_empty {
            self.is_empty = false;
            let (root, names) = (self.root.display(), EXTENSIONS.join(", *."));
            output::tell(format_args!("note: {root} has no files named *.{names}"));
        }
        None
    }
}

fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut entries: Vec<_> = fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<io::Result<_>>()?;
    entries.sort();
    Ok(entries)
}

fn has_extension(path: &Path) -> bool {
    path.extension().is_some_and(|extension| EXTENSIONS.iter().any(|known| extension == *known))
}
