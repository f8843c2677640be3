//! A folder of plain files, and what counts as a change of it.

use super::*;

#[test]
fn files_that_change_come_or_go_are_told_and_stores_are_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let write = |name: &str, text: &str| {
        fs::create_dir_all(at(name).parent().expect("a folder")).expect("a folder");
        fs::write(at(name), text).expect("a file");
    };
    let print = || fingerprint(folder.path(), &at("kept"));
    let mut seen = vec![print()];
    let mut changed = |what: &str| {
        assert!(!seen.contains(&print()), "{what}");
        assert_eq!(print(), print(), "{what}, and nothing since");
        seen.push(print());
    };
    write("deep in/a.txt", "one");
    changed("a new file in a new folder");
    write("deep in/a.txt", "three");
    changed("a longer one");
    fs::rename(at("deep in/a.txt"), at("b.txt")).expect("it is there");
    changed("the same elsewhere");
    fs::create_dir(at("empty")).expect("a folder");
    changed("a folder with nothing in it");
    fs::remove_file(at("b.txt")).expect("it is there");
    changed("a file is gone");
    let before = print();
    assert!(before.is_some());
    for name in ["kept/head", ".weft/head", ".git/HEAD", "deep in/.git/HEAD"] {
        fs::create_dir_all(at("kept")).expect("a folder");
        write(name, "anything");
    }
    assert_eq!(print(), before);
    assert_eq!(fingerprint(&at("nowhere"), &at("kept")), None);
}

#[test]
fn more_files_than_can_be_looked_at_are_unknown() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut n_left = 3;
    for name in ["a", "b", "c"] {
        fs::write(folder.path().join(name), "").expect("a file");
    }
    assert_eq!(entries(folder.path(), &mut n_left).map(|entries| entries.len()), Some(3));
    assert_eq!(entries(folder.path(), &mut n_left), None);
}
