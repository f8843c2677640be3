//! Work trees and landing with the real binary, in real repositories.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::sandbox::{Ran, Sandbox};

/// A repository with a store, and an issue in it.
struct Scene {
    sandbox: Sandbox,
}

impl Scene {
    fn new() -> Self {
        let scene =
            Self { sandbox: Sandbox::with(&[("a.txt", b"one\n"), (".gitignore", b".weft\n")]) };
        let here = scene.sandbox.path().to_owned();
        git(&here, &["init", "--quiet", "--initial-branch=main"]);
        for (name, value) in
            [("user.name", "Ada"), ("user.email", "ada@example.com"), ("commit.gpgsign", "false")]
        {
            git(&here, &["config", name, value]);
        }
        commit(&here, "Begin");
        assert_eq!(scene.run(&["init"]).code, 0);
        assert_eq!(scene.run(&["issue", "new", "Write b", "--id", "x-1"]).code, 0);
        scene
    }

    fn run(&self, args: &[&str]) -> Ran {
        self.sandbox.run(args)
    }

    /// Makes the tree of an issue, and returns its path.
    fn tree(&self, id: &str) -> PathBuf {
        let made = self.run(&["worktree", "make", id]);
        assert_eq!(made.code, 0, "{}", made.show());
        PathBuf::from(made.stdout.trim())
    }

    fn show(&self, args: &[&str]) -> String {
        let folder = self.sandbox.path().canonicalize().unwrap();
        self.run(args).show().replace(folder.to_str().unwrap(), "HERE")
    }
}

fn git(folder: &Path, args: &[&str]) -> String {
    let output = Command::new("git").arg("-C").arg(folder).args(args).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn commit(folder: &Path, message: &str) {
    git(folder, &["add", "-A"]);
    git(folder, &["commit", "--quiet", "-m", message]);
}

#[test]
fn an_issue_is_worked_on_in_its_tree_verified_landed_and_closed() {
    let scene = Scene::new();
    let tree = scene.tree("x-1");
    std::fs::write(tree.join("b.txt"), "two\n").unwrap();
    insta::assert_snapshot!(scene.show(&["worktree"]), @"
    ID   STATE      UNCOMMITTED  AHEAD  BEHIND  BASE  PATH
    x-1  untouched  1            0      0       main  HERE/.worktrees/idle/x-1
    --- stderr
    --- exit 0
    ");
    insta::assert_snapshot!(scene.show(&["land", "x-1"]), @"
    --- stderr
    error: HERE/.worktrees/idle/x-1 has what is not committed (b.txt): commit it or take it out
    --- exit 2
    ");
    commit(&tree, "Write b");
    let status = scene.show(&["worktree", "status", "x-1"]);
    assert!(
        status.contains("commits 1 ahead, 0 behind") && status.contains(" Write b"),
        "{status}"
    );
    insta::assert_snapshot!(scene.show(&["land", "x-1", "--verify", "echo broken; exit 4", "--close"]), @"
    --- stderr
      broken
    error: the check of x-1 failed: `echo broken; exit 4` ended with 4
    --- exit 2
    ");
    insta::assert_snapshot!(scene.show(&["land", "x-1", "--verify", "test -f b.txt", "--close"]), @"
    --- stderr
    x-1 has landed on main: 1 commit
    x-1 is closed
    --- exit 0
    ");
    assert!(scene.sandbox.path().join("b.txt").exists() && !tree.exists());
    let shown = scene.run(&["issue", "show", "x-1", "--json"]).stdout;
    assert!(
        shown.contains("\"status\":\"closed\"") && shown.contains("landed on main as"),
        "{shown}"
    );
}

#[test]
fn a_conflict_says_what_to_do_and_changes_nothing() {
    let scene = Scene::new();
    let tree = scene.tree("x-1");
    std::fs::write(tree.join("a.txt"), "mine\n").unwrap();
    commit(&tree, "Mine");
    std::fs::write(scene.sandbox.path().join("a.txt"), "theirs\n").unwrap();
    commit(scene.sandbox.path(), "Theirs");
    let refs = || git(scene.sandbox.path(), &["for-each-ref"]);
    let before = refs();
    insta::assert_snapshot!(scene.show(&["land", "x-1"]), @"
    --- stderr
    error: main has commits that idle/issue/x-1 has not (1): weft land x-1 --rebase
    --- exit 2
    ");
    insta::assert_snapshot!(scene.show(&["land", "x-1", "--rebase"]), @"
    --- stderr
    error: idle/issue/x-1 does not fit on main: conflict in a.txt. Nothing has changed. Do it by hand: git -C HERE/.worktrees/idle/x-1 rebase main, then weft land x-1
    --- exit 2
    ");
    assert_eq!((refs(), git(&tree, &["status", "--porcelain"])), (before, String::new()));
}

#[test]
fn only_what_has_landed_and_nobody_works_on_is_pruned() {
    let scene = Scene::new();
    assert_eq!(scene.run(&["issue", "new", "Write c", "--id", "x-2"]).code, 0);
    for id in ["x-1", "x-2"] {
        let tree = scene.tree(id);
        std::fs::write(tree.join(id), "done\n").unwrap();
        commit(&tree, id);
        git(scene.sandbox.path(), &["merge", "--quiet", "--no-edit", &format!("idle/issue/{id}")]);
    }
    scene.tree("x-3");
    assert_eq!(scene.run(&["issue", "claim", "x-2"]).code, 0);
    insta::assert_snapshot!(scene.show(&["worktree", "prune", "--dry-run"]), @"
    ID   STATE     WHY
    x-1  would go
    x-2  stays     somebody works on the issue
    x-3  stays     nothing was committed to it yet
    --- stderr
    --- exit 0
    ");
    assert_eq!(scene.run(&["worktree", "prune"]).code, 0);
    assert_eq!(scene.run(&["worktree", "list", "--json"]).stdout.lines().count(), 2);
}

#[test]
fn outside_of_a_repository_git_says_so() {
    let sandbox = Sandbox::with(&[]);
    let ran = sandbox.run(&["worktree"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("not a git repository"), "{}", ran.stderr);
}
