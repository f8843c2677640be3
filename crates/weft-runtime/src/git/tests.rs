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
