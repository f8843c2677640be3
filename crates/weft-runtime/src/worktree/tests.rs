//! Work trees in real repositories.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::*;

/// A repository with one commit on `main`.
struct Scene {
    folder: TempDir,
}

impl Scene {
    fn new() -> Self {
        let scene = Self { folder: TempDir::new().expect("a folder") };
        let root = scene.root();
        fs::create_dir(&root).expect("a folder");
        scene.git(&["init", "--quiet", "--initial-branch=main"]);
        for (name, value) in
            [("user.name", "Ada"), ("user.email", "ada@example.com"), ("commit.gpgsign", "false")]
        {
            scene.git(&["config", name, value]);
        }
        scene.commit(&root, "a.txt", "one\n");
        scene
    }

    fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().expect("it is there").join("repo")
    }

    fn at(&self) -> Git {
        Git::at(&self.root())
    }

    fn git(&self, args: &[&str]) -> String {
        self.at().work(args).expect("git does it")
    }

    fn commit(&self, tree: &Path, file: &str, text: &str) {
        fs::write(tree.join(file), text).expect("it is written");
        let git = Git::at(tree);
        git.work(&["add", "-A"]).expect("git does it");
        git.work(&["commit", "--quiet", "-m", &format!("Write {file}")]).expect("git does it");
    }

    fn make(&self, id: &str) -> Made {
        make(&self.at(), id, None).expect("it is made")
    }

    fn land(&self, id: &str, how: How) -> Result<Landed, LandError> {
        land(&self.at(), id, Landing { how, is_pushed: true }, &mut |_| Ok(()))
    }

    /// Returns everything that must not change where something fails.
    fn all(&self) -> String {
        let refs = self.git(&["for-each-ref", "--format=%(refname) %(objectname)"]);
        let trees = self.git(&["worktree", "list", "--porcelain"]);
        format!("{refs}\n{trees}\n{:?}", list(&self.at()).expect("they are listed"))
    }

    fn remote(&self) -> PathBuf {
        let remote = self.folder.path().join("remote.git");
        self.git(&[
            "init",
            "--quiet",
            "--bare",
            "--initial-branch=main",
            &remote.to_string_lossy(),
        ]);
        self.git(&["remote", "add", "origin", &remote.to_string_lossy()]);
        self.git(&["push", "--quiet", "--set-upstream", "origin", "main"]);
        remote
    }
}

fn told(error: impl std::fmt::Display, scene: &Scene) -> String {
    error.to_string().replace(&scene.root().display().to_string(), "ROOT")
}

#[test]
fn a_tree_is_made_once_and_keeps_what_is_in_it() {
    let scene = Scene::new();
    let made = scene.make("auth.1/x");
    assert_eq!(made.path, scene.root().join(".worktrees/idle/auth1x"));
    assert_eq!(
        (made.branch.as_str(), made.base_ref.as_str(), made.was_there),
        ("idle/issue/auth1x", "main", false)
    );
    assert_eq!(scene.git(&["status", "--porcelain"]), "", "the trees are no untracked files");
    fs::write(made.path.join("draft.txt"), "half").expect("it is written");
    let again = make(&Git::at(&made.path), "auth.1/x", Some("other")).expect("it is there");
    assert_eq!(again, Made { was_there: true, ..made.clone() });
    assert_eq!(fs::read_to_string(made.path.join("draft.txt")).expect("it is there"), "half");
    let other = make(&scene.at(), "auth1x", None).expect_err("another issue has it");
    assert_eq!(
        other.to_string(),
        "idle/issue/auth1x belongs to issue auth.1/x: land or remove that first, or give auth1x another id"
    );
    assert!(matches!(make(&scene.at(), "../..", None), Err(MakeError::Id { .. })));
}

#[test]
fn what_stands_in_the_way_stays() {
    let scene = Scene::new();
    let path = scene.root().join(".worktrees/idle/a-1");
    fs::create_dir_all(&path).expect("a folder");
    fs::write(path.join("mine.txt"), "mine").expect("it is written");
    let error = make(&scene.at(), "a-1", None).expect_err("something is there");
    insta::assert_snapshot!(told(error, &scene), @"ROOT/.worktrees/idle/a-1 is there and is not a work tree of this repository: move it away first");
    assert_eq!(fs::read_to_string(path.join("mine.txt")).expect("it is there"), "mine");
    fs::remove_file(path.join("mine.txt")).expect("it goes");
    assert!(!scene.make("a-1").was_there);
}

#[test]
fn a_tree_whose_folder_is_gone_comes_back_with_its_commits() {
    let scene = Scene::new();
    let made = scene.make("a-1");
    scene.commit(&made.path, "b.txt", "two\n");
    fs::remove_dir_all(&made.path).expect("it goes");
    assert_eq!(list(&scene.at()).expect("they are listed")[0].progress, Progress::Astray);
    assert!(!scene.make("a-1").was_there);
    assert!(made.path.join("b.txt").exists());
    let listed = list(&scene.at()).expect("they are listed");
    assert_eq!((listed[0].n_ahead, listed[0].progress), (1, Progress::Ahead));
}

#[test]
fn the_base_is_configured_or_the_remotes_or_a_usual_name() {
    let scene = Scene::new();
    let base = || base_ref(&scene.at()).expect("there is one");
    assert_eq!(base(), "main");
    scene.git(&["branch", "-m", "main", "trunk"]);
    assert_eq!(base(), "trunk");
    scene.git(&["branch", "master"]);
    assert_eq!(base(), "master");
    scene.git(&["update-ref", "refs/remotes/origin/dev", "HEAD"]);
    scene.git(&["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/dev"]);
    assert_eq!(base(), "origin/dev");
    scene.git(&["branch", "dev"]);
    assert_eq!(base(), "dev");
    scene.git(&["config", "idle.baseref", "trunk"]);
    assert_eq!(base(), "trunk");
    assert!(matches!(make(&scene.at(), "a", Some("nothing")), Err(MakeError::Base { .. })));
}

#[test]
fn landing_moves_the_base_forward_and_cleans_up() {
    let scene = Scene::new();
    let made = scene.make("a-1");
    scene.commit(&made.path, "b.txt", "two\n");
    let landed = scene.land("a-1", How::FastForward).expect("it lands");
    assert_eq!((landed.n_commits, landed.base_ref.as_str(), landed.pushed_to), (1, "main", None));
    assert_eq!(fs::read_to_string(scene.root().join("b.txt")).expect("it came"), "two\n");
    assert!(!made.path.exists());
    assert_eq!(scene.git(&["branch", "--list"]), "* main");
    let left = scene.at().look(&["config", "--get-regexp", "^branch.idle"]);
    assert_eq!(left.expect("git answers"), None);
    assert!(matches!(scene.land("a-1", How::FastForward), Err(LandError::None { .. })));
}

#[test]
fn a_base_that_nobody_has_checked_out_moves_too() {
    let scene = Scene::new();
    let made = scene.make("a-1");
    scene.commit(&made.path, "b.txt", "two\n");
    scene.git(&["switch", "--quiet", "-c", "aside"]);
    let landed = scene.land("a-1", How::FastForward).expect("it lands");
    assert_eq!(scene.git(&["rev-parse", "main"]), landed.commit);
    assert!(!scene.root().join("b.txt").exists());
}

#[test]
fn what_is_not_committed_does_not_land_and_stays() {
    let scene = Scene::new();
    let made = scene.make("a-1");
    scene.commit(&made.path, "b.txt", "two\n");
    fs::write(made.path.join("c.txt"), "three").expect("it is written");
    let before = scene.all();
    let error = scene.land("a-1", How::FastForward).expect_err("it is not clean");
    insta::assert_snapshot!(told(error, &scene), @"ROOT/.worktrees/idle/a-1 has what is not committed (c.txt): commit it or take it out");
    assert_eq!(scene.all(), before);
    assert!(made.path.join("c.txt").exists());
}

#[test]
fn a_base_that_went_on_is_met_by_rebasing_when_asked() {
    let scene = Scene::new();
    let made = scene.make("a-1");
    scene.commit(&made.path, "b.txt", "two\n");
    scene.commit(&scene.root(), "c.txt", "three\n");
    let before = scene.all();
    let error = scene.land("a-1", How::FastForward).expect_err("it does not fit");
    assert_eq!(
        error.to_string(),
        "main has commits that idle/issue/a-1 has not (1): weft land a-1 --rebase"
    );
    assert_eq!(scene.all(), before);
    let landing = Landing { how: How::Rebase, is_pushed: true };
    let mut refuse = |_: &Worktree| Err(CheckFailed("tests fail".to_owned()));
    let error = land(&scene.at(), "a-1", landing, &mut refuse).expect_err("the check fails");
    assert_eq!(error.to_string(), "the check of a-1 failed: tests fail");
    assert_eq!(scene.all(), before, "also what was rebased for the check");
    scene.land("a-1", How::Rebase).expect("it lands");
    assert!(scene.root().join("b.txt").exists() && scene.root().join("c.txt").exists());
}

#[test]
fn a_conflict_leaves_everything_as_it_was() {
    let scene = Scene::new();
    let made = scene.make("a-1");
    scene.commit(&made.path, "a.txt", "mine\n");
    scene.commit(&scene.root(), "a.txt", "theirs\n");
    let before = scene.all();
    let error = scene.land("a-1", How::Rebase).expect_err("it does not fit");
    insta::assert_snapshot!(told(error, &scene), @"idle/issue/a-1 does not fit on main: conflict in a.txt. Nothing has changed. Do it by hand: git -C ROOT/.worktrees/idle/a-1 rebase main, then weft land a-1");
    assert_eq!(scene.all(), before);
    assert_eq!(fs::read_to_string(made.path.join("a.txt")).expect("it is there"), "mine\n");
}

#[test]
fn what_would_be_overwritten_at_the_base_stays() {
    let scene = Scene::new();
    let made = scene.make("a-1");
    scene.commit(&made.path, "a.txt", "two\n");
    fs::write(scene.root().join("a.txt"), "uncommitted\n").expect("it is written");
    let before = scene.all();
    let error = scene.land("a-1", How::FastForward).expect_err("it would overwrite");
    assert!(matches!(error, LandError::Move { .. }), "{error}");
    assert_eq!(scene.all(), before);
    assert_eq!(
        fs::read_to_string(scene.root().join("a.txt")).expect("it is there"),
        "uncommitted\n"
    );
}

#[test]
fn what_lands_is_pushed_and_a_remote_that_went_on_changes_nothing_here() {
    let scene = Scene::new();
    let remote = scene.remote();
    let made = scene.make("a-1");
    scene.commit(&made.path, "b.txt", "two\n");
    let landed = scene.land("a-1", How::FastForward).expect("it lands");
    assert_eq!(landed.pushed_to.as_deref(), Some("origin"));
    assert_eq!(Git::at(&remote).ask(&["rev-parse", "main"]).expect("it is there"), landed.commit);
    let other = scene.folder.path().join("other");
    scene.git(&["clone", "--quiet", &remote.to_string_lossy(), &other.to_string_lossy()]);
    Git::at(&other).work(&["config", "user.email", "bob@example.com"]).expect("git does it");
    Git::at(&other).work(&["config", "user.name", "Bob"]).expect("git does it");
    scene.commit(&other, "theirs.txt", "x\n");
    Git::at(&other).work(&["push", "--quiet"]).expect("git does it");
    let made = scene.make("a-2");
    scene.commit(&made.path, "c.txt", "three\n");
    let before = scene.all();
    let error = scene.land("a-2", How::FastForward).expect_err("the remote has gone on");
    assert!(matches!(&error, LandError::Push { remote, .. } if remote == "origin"), "{error}");
    assert_eq!(scene.all(), before);
    let landing = Landing { how: How::FastForward, is_pushed: false };
    let landed = land(&scene.at(), "a-2", landing, &mut |_| Ok(())).expect("it lands here");
    assert_eq!(landed.pushed_to, None);
}

#[test]
fn only_what_has_landed_and_is_clean_is_pruned() {
    let scene = Scene::new();
    let ids = ["ahead", "claimed", "dirty", "landed", "untouched"];
    for id in ids {
        let made = scene.make(id);
        if id != "untouched" {
            scene.commit(&made.path, &format!("{id}.txt"), id);
        }
        if ["claimed", "dirty", "landed"].contains(&id) {
            scene.git(&["merge", "--quiet", "--no-edit", &made.branch]);
        }
        if id == "dirty" {
            fs::write(made.path.join("x"), "x").expect("it is written");
        }
    }
    let is_claimed = |id: &str| id == "claimed";
    let show = |pruned: &Pruned| -> String {
        let removed = pruned.removed.iter().map(|tree| format!("- {}\n", tree.id));
        let kept = pruned.kept.iter().map(|(tree, why)| format!("{}: {}\n", tree.id, why.as_str()));
        removed.chain(kept).collect()
    };
    let before = scene.all();
    let told = prune(&scene.at(), &is_claimed, Removal::Told).expect("it is told");
    assert_eq!(scene.all(), before);
    let pruned = prune(&scene.at(), &is_claimed, Removal::Now).expect("it is done");
    assert_eq!(told, pruned);
    insta::assert_snapshot!(show(&pruned), @"
    - landed
    ahead: its commits have not landed
    claimed: somebody works on the issue
    dirty: something is not committed
    untouched: nothing was committed to it yet
    ");
    assert_eq!(list(&scene.at()).expect("they are listed").len(), 4);
}
