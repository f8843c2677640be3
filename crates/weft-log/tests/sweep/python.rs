//! A second reader, of sixty lines of Python written from `docs/log-format.md` alone: it agrees on a whole log, and sees damage.

use std::path::Path;
use std::process::{Command, Output};

use crate::damage::Damage;
use crate::memory::Files;
use crate::sample::{Sample, sample};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/sweep");

const SKIPPED: &str = "skipped: python3 is not installed, so that no second reader was tried";

/// Runs the reader on a path; `None` if there is no python3.
fn python(path: &Path) -> Option<Output> {
    let reader = Path::new(FOLDER).join("reader.py");
    match Command::new("python3").arg("-B").arg(reader).arg(path).output() {
        Ok(output) => Some(output),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => panic!("python3 does not start: {error}"),
    }
}

/// Writes a store's files into a folder and runs the reader on something in it.
fn python_on(files: &Files, path: &str) -> Option<(bool, String)> {
    let folder = tempfile::tempdir().expect("a folder");
    for (path, bytes) in files {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, bytes).expect("a file");
    }
    let output = python(&folder.path().join(path))?;
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(errors, "", "the reader fails");
    Some((output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned()))
}

fn positions(sample: &Sample) -> String {
    let positions = (1..sample.next()).map(|position| position.to_string());
    format!("records {}\n", positions.collect::<Vec<_>>().join(" "))
}

#[test]
fn sixty_lines_of_python_read_and_verify_a_log() {
    let lines = std::fs::read_to_string(Path::new(FOLDER).join("reader.py")).expect("it is there");
    assert!(lines.lines().count() <= 60, "{} lines", lines.lines().count());
    let sample = sample();
    let Some((is_fine, text)) = python_on(&sample.files, "store") else {
        println!("{SKIPPED}");
        return;
    };
    assert!(is_fine, "{text}");
    let (records, verdict) = text.split_at(positions(&sample).len());
    assert_eq!(records, positions(&sample));
    let head = weft_log::Head::decode(&sample.files[Path::new("store/head")]).expect("it is whole");
    assert_eq!(verdict, format!("verified {}\n", head.hash));

    let segment = sample.segments[1].path.to_str().expect("plain text");
    let (is_fine, text) = python_on(&sample.files, segment).expect("it ran before");
    assert!(is_fine && text.starts_with("records 7 8 9 10 11\nverified "), "{text}");
}

#[test]
fn the_python_reader_sees_every_kind_of_damage() {
    let sample = sample();
    let mut damages = Vec::new();
    for (segment_idx, segment) in sample.segments.iter().enumerate() {
        for (line_idx, (_, line)) in segment.parts().enumerate() {
            damages.push(match line_idx % 4 {
                0 => Damage::Flip { segment_idx, at: line.start + line.len() / 2, bit: 1 },
                1 => Damage::RemoveLine { segment_idx, line_idx },
                2 => Damage::Flip { segment_idx, at: line.end - 1, bit: 4 },
                _ => Damage::Cut { segment_idx, len: line.end - 1 },
            });
        }
        damages.push(Damage::Swap { segment_idx, group_idx: 0 });
    }
    damages.extend([1, 2].map(|segment_idx| Damage::Delete { segment_idx }));
    for damage in damages {
        let Some((is_fine, text)) = python_on(&damage.apply(&sample), "store") else {
            println!("{SKIPPED}");
            return;
        };
        assert!(!is_fine && text.contains("\ndamaged: "), "{damage:?}: {text}");
    }
    let mut files = sample.files;
    files.get_mut(Path::new("store/head")).expect("it is there")[40] ^= 1;
    let (is_fine, text) = python_on(&files, "store").expect("it ran before");
    assert!(!is_fine && text.contains("head is damaged"), "{text}");
}
