//! Where the repository stands, as a message says it.

use weft_event::idle;

use crate::git::Git;

/// Returns where the work tree around a folder stands; `None` outside of one, or before its first commit.
pub fn context(git: &Git) -> Option<idle::Git<'static>> {
    let ask = |args: &[&str]| git.ask(args).ok();
    let places = ask(&["rev-parse", "HEAD", "--abbrev-ref", "HEAD", "--show-prefix"])?;
    let mut places = places.split('\n');
    let (oid, head) = (places.next()?, places.next()?);
    let prefix = places.next().unwrap_or_default().trim_end_matches('/');
    let changes = ask(&["status", "--porcelain", "--untracked-files=normal"])?;
    Some(idle::Git {
        oid: oid.to_owned().into(),
        head: head.to_owned().into(),
        dirty: !changes.is_empty(),
        prefix: prefix.to_owned().into(),
        extra: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_says_which_commit_branch_and_folder_it_was_posted_from() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        let run = |args: &[&str]| Git::at(root).ask(args).expect("git runs");
        assert_eq!(context(&Git::at(root)), None);
        run(&["init", "--quiet", "--initial-branch=main"]);
        assert_eq!(context(&Git::at(root)), None);
        std::fs::create_dir_all(root.join("src/auth")).expect("a folder");
        std::fs::write(root.join("src/auth/a.rs"), "1").expect("a file");
        run(&["add", "."]);
        let by =
            ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"];
        run(&[&by[..], &["commit", "--quiet", "--message=one"]].concat());
        let oid = run(&["rev-parse", "HEAD"]);
        let said = context(&Git::at(&root.join("src/auth"))).expect("it is in a work tree");
        assert_eq!(
            (&*said.oid, &*said.head, said.dirty, &*said.prefix),
            (&*oid, "main", false, "src/auth")
        );
        std::fs::write(root.join("src/auth/a.rs"), "2").expect("a file");
        run(&["checkout", "--quiet", "--detach"]);
        let said = context(&Git::at(root)).expect("it is in a work tree");
        assert_eq!((&*said.head, said.dirty, &*said.prefix), ("HEAD", true, ""));
    }
}
