//! Work trees for people and for programs.

use weft_event::json::{Json, Object};
use weft_runtime::worktree::{Made, Pruned, Removal, Worktree};

use crate::columns::{Columns, terminal_columns};
use crate::output::{Format, Shown};

/// Shows some of them.
pub(super) fn list(trees: &[Worktree], format: Format) -> String {
    if format == Format::Json {
        return trees.iter().map(|tree| line(|object| write(object, tree))).collect();
    }
    if trees.is_empty() {
        return "there are no work trees of issues\n".to_owned();
    }
    let row = |tree: &Worktree| {
        let counts = [tree.uncommitted.len() as u64, tree.n_ahead, tree.n_behind];
        let [uncommitted, ahead, behind] = counts.map(|n| n.to_string());
        let path = tree.path.display().to_string();
        let state = tree.progress.as_str();
        [&tree.id, state, &uncommitted, &ahead, &behind, &tree.base_ref, &path]
            .map(str::to_owned)
            .to_vec()
    };
    let header = ["ID", "STATE", "UNCOMMITTED", "AHEAD", "BEHIND", "BASE", "PATH"];
    Columns::new(header, terminal_columns()).render(trees.iter().map(row).collect())
}

/// Shows one, with the commits that have not landed.
pub(super) fn one(tree: &Worktree, commits: &str) -> String {
    let Worktree { id, path, branch, base_ref, n_ahead, n_behind, .. } = tree;
    let mut text = format!("{} {}\n", Shown(id), tree.progress.as_str());
    text += &format!("  path    {}\n", Shown(&path.display().to_string()));
    text += &format!("  branch  {}, to land on {}\n", Shown(branch), Shown(base_ref));
    text += &format!("  commits {n_ahead} ahead, {n_behind} behind\n");
    commits.lines().for_each(|line| text += &format!("    {}\n", Shown(line)));
    if !tree.uncommitted.is_empty() {
        text += "  not committed\n";
        tree.uncommitted.iter().for_each(|line| text += &format!("    {}\n", Shown(line)));
    }
    text
}

/// Shows one that was made.
pub(super) fn made(id: &str, made: &Made) -> String {
    line(|object| {
        object.text("id", id);
        object.text("path", &made.path.to_string_lossy());
        object.text("branch", &made.branch);
        object.text("base", &made.base_ref);
        object.json("was_there", &Json::bool(made.was_there));
    })
}

/// Shows what became of them.
pub(super) fn pruned(pruned: &Pruned, removal: Removal, format: Format) -> String {
    let word = match removal {
        Removal::Now => "removed",
        Removal::Told => "would go",
    };
    if format == Format::Json {
        let gone = pruned.removed.iter().map(|tree| {
            line(|object| {
                object.text("id", &tree.id);
                object.json("removed", &Json::bool(removal == Removal::Now));
            })
        });
        let kept = pruned.kept.iter().map(|(tree, why)| {
            line(|object| {
                object.text("id", &tree.id);
                object.text("kept", why.as_str());
            })
        });
        return gone.chain(kept).collect();
    }
    if pruned.removed.is_empty() && pruned.kept.is_empty() {
        return "there are no work trees of issues\n".to_owned();
    }
    let gone =
        pruned.removed.iter().map(|tree| vec![tree.id.clone(), word.to_owned(), String::new()]);
    let kept = |(tree, why): &(Worktree, weft_runtime::worktree::Kept)| {
        vec![tree.id.clone(), "stays".to_owned(), why.as_str().to_owned()]
    };
    let rows = gone.chain(pruned.kept.iter().map(kept)).collect();
    Columns::new(["ID", "STATE", "WHY"], terminal_columns()).render(rows)
}

fn write(object: &mut Object<'_>, tree: &Worktree) {
    object.text("id", &tree.id);
    object.text("path", &tree.path.to_string_lossy());
    object.text("branch", &tree.branch);
    object.text("base", &tree.base_ref);
    object.text("commit", &tree.commit);
    object.text("state", tree.progress.as_str());
    object.json("ahead", &Json::integer(tree.n_ahead));
    object.json("behind", &Json::integer(tree.n_behind));
    let uncommitted = tree.uncommitted.iter().map(|line| Json::text(line));
    object.json("uncommitted", &Json::array(uncommitted));
}

fn line(fill: impl FnOnce(&mut Object<'_>)) -> String {
    format!("{}\n", Json::object(fill).as_str())
}
