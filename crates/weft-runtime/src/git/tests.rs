//! Git where there is a repository, and where there is none.

use super::*;

#[test]
fn a_folder_without_git_has_no_root_and_the_error_says_where() {
    let folder = tempfile::tempdir().expect("a folder");
    let git = Git::at(folder.path());
    assert_eq!(git.root(), None);
    let error = git.ask(&["rev-parse", "HEAD"]).expect_err("there is no repository");
    let text = error.to_string().replace(&folder.path().display().to_string(), "FOLDER");
    assert!(text.starts_with("git rev-parse HEAD in FOLDER failed: "), "{text}");
}

#[test]
fn the_root_is_that_of_the_work_tree() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().canonicalize().expect("it is there");
    Git::at(&root).ask(&["init", "--quiet"]).expect("git runs");
    let inner = root.join("a/b");
    std::fs::create_dir_all(&inner).expect("a folder");
    assert_eq!(Git::at(&inner).root(), Some(root));
}

/// A repository with one commit of one file.
fn repository() -> (tempfile::TempDir, Git) {
    let folder = tempfile::tempdir().expect("a folder");
    let git = Git::at(folder.path());
    std::fs::write(folder.path().join("known.txt"), "one\n").expect("a file");
    for args in [
        &["init", "--quiet"][..],
        &["config", "user.name", "a"],
        &["config", "user.email", "a@b"],
        &["add", "."],
        &["commit", "--quiet", "-m", "begin"],
    ] {
        git.ask(args).expect("git runs");
    }
    (folder, git)
}

#[test]
fn every_change_of_the_work_is_told_and_nothing_else_is() {
    let (folder, git) = repository();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    };
    let mut seen = vec![git.fingerprint().expect("a repository")];
    let mut changed = |what: &str| {
        let print = git.fingerprint().expect("a repository");
        assert!(!seen.contains(&print), "{what}: {print}");
        assert_eq!(git.fingerprint(), Some(print.clone()), "{what}, and nothing since");
        seen.push(print);
    };
    write("known.txt", "two\n");
    changed("a file that git knows");
    write("known.txt", "six\n");
    changed("the same file again, as long as before");
    write("deep in/a new.txt", "one\n");
    changed("a file that git does not know, in a folder that it does not know");
    write("deep in/a new.txt", "two\n");
    changed("the same file again");
    git.ask(&["add", "."]).expect("git runs");
    changed("it is added");
    git.ask(&["commit", "--quiet", "-m", "more"]).expect("git runs");
    changed("it is committed");
    std::fs::remove_file(folder.path().join("known.txt")).expect("it is there");
    changed("a file is gone");
    let large = "x".repeat(300 << 10);
    write("large.txt", &large);
    changed("a file that is too large to be read");
    write("large.txt", &format!("{large}y"));
    changed("the same file, longer");
}

#[test]
fn work_is_known_from_any_folder_of_it_and_through_what_is_inside() {
    let (folder, git) = repository();
    std::fs::create_dir(folder.path().join("inner")).expect("a folder");
    let inner = Git::at(&folder.path().join("inner"));
    assert_eq!(inner.fingerprint(), git.fingerprint());
    std::fs::write(folder.path().join("new.txt"), "one\n").expect("a file");
    let before = inner.fingerprint();
    std::fs::write(folder.path().join("new.txt"), "two\n").expect("a file");
    assert_ne!(inner.fingerprint(), before);

    let (other, _) = repository();
    let other = other.path().display().to_string();
    let add = ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &other, "sub"];
    git.ask(&add).expect("git runs");
    git.ask(&["commit", "--quiet", "-am", "sub"]).expect("git runs");
    let sub = folder.path().join("sub/known.txt");
    std::fs::write(&sub, "two\n").expect("a file");
    let before = git.fingerprint();
    std::fs::write(&sub, "six\n").expect("a file");
    assert_ne!(git.fingerprint(), before, "a change inside a repository inside");
    let nowhere = tempfile::tempdir().expect("a folder");
    assert_eq!(Git::at(nowhere.path()).fingerprint(), None);
}

#[test]
fn what_is_checked_out_is_what_git_says_and_unknown_where_its_files_do_not_tell() {
    let (folder, git) = repository();
    let oid = |git: &Git| Some(git.ask(&["rev-parse", "HEAD"]).expect("there is a commit"));
    let read = |git: &Git| checked_out(git.folder()).map(|(oid, _)| oid);
    assert_eq!(read(&git), oid(&git));
    git.ask(&["commit", "--quiet", "--allow-empty", "-m", "more"]).expect("git runs");
    assert_eq!(read(&git), oid(&git));
    git.ask(&["pack-refs", "--all"]).expect("git runs");
    assert_eq!(read(&git), oid(&git), "names in one file");
    let beside = tempfile::tempdir().expect("a folder");
    let beside = beside.path().join("beside");
    let path = beside.display().to_string();
    git.ask(&["worktree", "add", "--quiet", "-b", "other", &path, "HEAD~1"]).expect("git runs");
    std::fs::create_dir(beside.join("inner")).expect("a folder");
    let inner = Git::at(&beside.join("inner"));
    assert_eq!(read(&inner), oid(&inner), "a work tree beside the first");
    assert_ne!(read(&inner), read(&git));
    inner.ask(&["checkout", "--quiet", "--detach", "HEAD"]).expect("git runs");
    assert_eq!(read(&inner), oid(&inner), "no branch");
    git.ask(&["symbolic-ref", "HEAD", "refs/heads/new"]).expect("git runs");
    assert_eq!(read(&git), None, "a branch without a commit");
    std::fs::write(folder.path().join(".git/HEAD"), "ref: refs/bisect/bad\n").expect("a file");
    assert_eq!(read(&git), None, "a name of one work tree");
    let nowhere = tempfile::tempdir().expect("a folder");
    assert_eq!(checked_out(nowhere.path()), None);
}
