//! Rules for documents: a link to a file of ours leads to one.

use std::collections::BTreeSet;

use crate::tree::{self, assert_none};

#[test]
fn links_between_documents_lead_somewhere() {
    let known: BTreeSet<&str> = tree::files().iter().map(|file| file.path.as_str()).collect();
    let documents = tree::files().iter().filter(|file| file.is_any_of(&["md"]));
    let dead = documents.filter_map(|file| Some(dead_links(&file.path, file.text()?, &known)));
    assert_none("these links lead to no file:", dead.flatten().collect());
}

fn dead_links(path: &str, text: &str, known: &BTreeSet<&str>) -> Vec<String> {
    let is_there = |target: &str| {
        let folder = format!("{target}/");
        known.contains(target)
            || known.range(folder.as_str()..).next().is_some_and(|next| next.starts_with(&folder))
    };
    let dead = |target: &&str| {
        let file = target.split('#').next().unwrap_or_default();
        let is_ours = !file.is_empty() && !file.contains("://") && !file.starts_with("mailto:");
        is_ours && !resolve(path, file).is_some_and(|target| is_there(&target))
    };
    links(text).into_iter().filter(dead).map(|target| format!("{path}: {target}")).collect()
}

/// Returns the targets of `[text](target)` outside code.
fn links(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut in_fence = false;
    for line in text.lines() {
        in_fence ^= line.trim_start().starts_with("```");
        if in_fence {
            continue;
        }
        for part in line.split('`').step_by(2) {
            let targets = part.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
            found.extend(targets.map(|(target, _)| target));
        }
    }
    found
}

/// Returns a link's path from the root, or `None` if it leads out of the repository.
fn resolve(from: &str, target: &str) -> Option<String> {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in target.trim_end_matches('/').split('/') {
        match part {
            "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

#[test]
fn a_dead_link_is_found() {
    let known = BTreeSet::from(["README.md", "docs/a.md", "docs/b.md"]);
    let text = "[a](a.md), [up](../README.md#start), [dir](../docs/), [web](https://example.com/x), [here](#x)\n\
                `[code](no.md)`\n```\n[fence](no.md)\n```\n[b](c.md) and [out](../../x) and [d](../doc)";
    let dead = dead_links("docs/b.md", text, &known);
    assert_eq!(dead, ["docs/b.md: c.md", "docs/b.md: ../../x", "docs/b.md: ../doc"]);
}
