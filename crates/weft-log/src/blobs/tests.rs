//! What a user gets of blobs: values back byte for byte, each written once, none believed that is not what it was.

mod moving;

use std::collections::HashSet;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::{BLOB_BYTES_MAX, BlobError, BlobRef, Blobs, Swept, references};
use crate::Hash;

/// A store with a folder for blobs, which does not exist yet.
fn store() -> (tempfile::TempDir, Blobs) {
    let folder = tempfile::tempdir().unwrap();
    let blobs = Blobs::new(folder.path().join("store/blobs"));
    (folder, blobs)
}

/// Every file under the folder but the lock, by its path in it.
fn files_in(folder: &Path) -> Vec<String> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if !path.ends_with("lock") {
                files.push(path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned());
            }
        }
    }
    files.sort();
    files
}

#[test]
fn a_blob_is_kept_under_its_hash_for_its_owner_alone() {
    let (_folder, blobs) = store();
    let reference = blobs.put(b"a value").unwrap();
    insta::assert_snapshot!(reference, @"weft-blob:fb74062197b41848ebc5ce71bbc1066fe409854d5ad92fbec532dd4755ffee00:7:a value");
    let name = reference.hash.to_string();
    assert_eq!(files_in(&blobs.folder), [format!("{}/{name}", &name[..2])]);
    assert_eq!(blobs.get(&reference).unwrap(), b"a value");
    let path = blobs.path_of(&reference.hash);
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let shelf = fs::metadata(path.parent().unwrap()).unwrap();
    assert_eq!(shelf.permissions().mode() & 0o777, 0o700);
}

#[test]
fn a_blob_is_written_once_and_renewed_when_put_again() {
    let (_folder, blobs) = store();
    let reference = blobs.put(b"twice").unwrap();
    let path = blobs.path_of(&reference.hash);
    let file = fs::File::open(&path).unwrap();
    file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
    let inode = file.metadata().unwrap().ino();
    assert_eq!(blobs.put(b"twice").unwrap(), reference);
    let renewed = fs::metadata(&path).unwrap();
    assert_eq!(renewed.ino(), inode);
    assert!(renewed.modified().unwrap() > SystemTime::UNIX_EPOCH);
}

#[test]
fn a_damaged_blob_is_told_by_name_and_healed_by_the_next_put() {
    let (_folder, blobs) = store();
    let reference = blobs.put(b"precious").unwrap();
    let path = blobs.path_of(&reference.hash);
    for damage in [&b"preciouS"[..], b"", b"precious and more"] {
        fs::write(&path, damage).unwrap();
        let error = blobs.get(&reference).unwrap_err();
        assert!(matches!(&error, BlobError::Damaged { path: named } if *named == path), "{error}");
        assert_eq!(blobs.verify().unwrap().faults.len(), 1);
        blobs.put(b"precious").unwrap();
        assert_eq!(blobs.get(&reference).unwrap(), b"precious");
    }
    let verified = blobs.verify().unwrap();
    assert_eq!((verified.n_blobs, verified.bytes, verified.faults.len()), (1, 8, 0));
}

#[test]
fn a_missing_blob_is_told_by_name() {
    let (_folder, blobs) = store();
    let reference = blobs.put(b"here and gone").unwrap();
    fs::remove_file(blobs.path_of(&reference.hash)).unwrap();
    let error = blobs.get(&reference).unwrap_err();
    assert!(
        matches!(&error, BlobError::Missing { path } if *path == blobs.path_of(&reference.hash))
    );
}

#[test]
fn a_reference_that_weft_would_not_write_gets_no_blob() {
    let (_folder, blobs) = store();
    let reference = blobs.put(b"the value").unwrap();
    let other_bytes = BlobRef { bytes: 8, ..reference.clone() };
    let other_head = BlobRef { head: "the".to_owned(), ..reference };
    for foreign in [other_head, other_bytes] {
        assert!(matches!(blobs.get(&foreign), Err(BlobError::NotAsReferred { .. })));
    }
}

#[test]
fn only_the_inside_of_a_string_is_taken() {
    let (_folder, blobs) = store();
    let too_long = vec![b'x'; BLOB_BYTES_MAX + 1];
    let control = b"a\nb";
    for bytes in [&b"\""[..], b"\\", b"a\",\"b\":\"c", control, b"\xff", b"\\ud800", &too_long] {
        assert!(matches!(blobs.put(bytes), Err(BlobError::NotText { .. })));
    }
    assert!(!blobs.folder.exists());
}

#[test]
fn a_failed_put_names_the_place_and_leaves_nothing_behind() {
    let (_folder, blobs) = store();
    let path = blobs.path_of(&Hash::of(b"no room"));
    fs::create_dir_all(path.join("in the way")).unwrap();
    let error = blobs.put(b"no room").unwrap_err();
    assert!(matches!(&error, BlobError::Io { path: named, .. } if *named == path), "{error}");
    assert_eq!(files_in(&blobs.folder), [""; 0]);
}

#[test]
fn a_reference_reads_back_as_it_prints() {
    let hash = Hash::of(b"x");
    for head in ["", "plain", "a:b:c", "\"quoted\" \\", "é😀"] {
        let reference = BlobRef { hash, bytes: 70_000, head: head.to_owned() };
        assert_eq!(BlobRef::parse(&reference.to_string()), Some(reference));
    }
}

#[test]
fn other_strings_are_no_references() {
    let hash = Hash::of(b"x").to_string();
    let upper = hash.to_uppercase();
    let long_head = "x".repeat(201);
    let cases = [
        "weft-blob:".to_owned(),
        "weft-blob:about:12:blobs".to_owned(),
        format!("weft-blob:{hash}"),
        format!("weft-blob:{hash}:12"),
        format!("weft-blob:{hash}:012:x"),
        format!("weft-blob:{hash}:+12:x"),
        format!("weft-blob:{hash}:-1:x"),
        format!("weft-blob:{hash}::x"),
        format!("weft-blob:{hash}:99999999999999999999:x"),
        format!("weft-blob:{hash}:16777216:x"),
        format!("weft-blob:{upper}:12:x"),
        format!("weft-blob:{hash}:12:{long_head}"),
        format!("weft-blob:{hash}:12:a\nb"),
        format!(" weft-blob:{hash}:12:x"),
        format!("Weft-blob:{hash}:12:x"),
    ];
    for text in cases {
        assert_eq!(BlobRef::parse(&text), None, "{text}");
    }
}

#[test]
fn a_head_is_readable_and_whole_characters() {
    let long = format!("{}{}", "é😀".repeat(150), "tail");
    let reference = BlobRef::of_raw(long.as_bytes()).unwrap();
    assert_eq!(reference.head, "é😀".repeat(100));
    let escaped = BlobRef::of_raw(br#"a\n\u0000\ud83d\ude00 \"b\"\u0041"#).unwrap();
    assert_eq!(escaped.head, "a  😀 \"b\"A");
}

#[test]
fn references_are_found_in_values_and_never_in_keys() {
    let first = BlobRef::of_raw(b"first").unwrap();
    let second = BlobRef::of_raw(br#"\"second\""#).unwrap();
    let mut key = String::new();
    weft_event::json::write_text(&mut key, &second.to_string());
    let line = format!(
        r#"{{"a":["{first}",{{"b":{key}}}],{key}:1,"c":"weft-blob:","d":"see weft-blob:{}:5:first"}}"#,
        first.hash
    );
    assert_eq!(references(line.as_bytes()).unwrap(), [first, second]);
    assert_eq!(references(br#"{"a":"b"}"#).unwrap(), []);
    assert!(references(br#"{"a":"weft-blob:"#).is_err());
}

#[test]
fn a_sweep_removes_what_nobody_names_and_nobody_just_put() {
    let (_folder, blobs) = store();
    assert_eq!(blobs.sweep(&HashSet::new(), SystemTime::now()).unwrap(), Swept::default());
    let [kept, old, new] = [b"kept", b"old!", b"new!"].map(|raw| blobs.put(raw).unwrap().hash);
    let unfinished = blobs.path_of(&old).with_file_name(".new-0193");
    let stray = blobs.path_of(&old).with_file_name("notes.txt");
    fs::write(&unfinished, "half").unwrap();
    fs::write(&stray, "mine").unwrap();
    for path in [&blobs.path_of(&kept), &blobs.path_of(&old), &unfinished, &stray] {
        fs::File::open(path).unwrap().set_modified(SystemTime::UNIX_EPOCH).unwrap();
    }

    let an_hour_ago = SystemTime::now() - Duration::from_secs(3600);
    let swept = blobs.sweep(&HashSet::from([kept]), an_hour_ago).unwrap();
    assert_eq!(swept, Swept { n_files: 2, bytes: 8 });
    let listing = blobs.list().unwrap();
    let mut left = [kept, new];
    left.sort();
    assert_eq!(listing.blobs.iter().map(|blob| blob.hash).collect::<Vec<_>>(), left);
    assert_eq!((listing.unfinished, listing.strays), (vec![], vec![stray]));
}

#[test]
fn a_blob_on_the_wrong_shelf_is_a_stray() {
    let (_folder, blobs) = store();
    let hash = blobs.put(b"value").unwrap().hash;
    let wrong = blobs.folder.join("zz").join(hash.to_string());
    fs::create_dir(blobs.folder.join("zz")).unwrap();
    fs::rename(blobs.path_of(&hash), &wrong).unwrap();
    let listing = blobs.list().unwrap();
    assert_eq!((listing.blobs, listing.strays), (vec![], vec![wrong]));
}

#[test]
fn many_put_the_same_blob_at_once() {
    let (_folder, blobs) = store();
    std::thread::scope(|scope| {
        let writers: Vec<_> =
            (0..8).map(|_| scope.spawn(|| blobs.put(b"the same").unwrap())).collect();
        let references: HashSet<_> =
            writers.into_iter().map(|writer| writer.join().unwrap()).collect();
        assert_eq!(references.len(), 1);
    });
    assert_eq!(files_in(&blobs.folder).len(), 1);
    assert!(blobs.verify().unwrap().faults.is_empty());
}
