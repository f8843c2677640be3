//! What a snapshot changed, in words.

use super::{Dep, Issue};

/// Returns what is different in an issue, in a few words.
pub fn difference(before: Option<&Issue>, after: &Issue) -> String {
    let Some(before) = before else { return "made".to_owned() };
    let mut parts = Vec::new();
    match (&before.claim, &after.claim) {
        (Some(old), Some(new)) if old.is_of(&new.owner, &new.instance) => {
            if old != new {
                parts.push(format!("claim of {} renewed", new.owner));
            }
        }
        (_, Some(new)) => parts.push(format!("claimed by {} ({})", new.owner, new.instance)),
        (Some(old), None) => parts.push(format!("claim of {} ({}) ended", old.owner, old.instance)),
        (None, None) => {}
    }
    if before.status != after.status {
        parts.push(after.status.as_str().to_owned());
    }
    if let Some(reason) =
        after.close_reason.as_ref().filter(|_| before.close_reason != after.close_reason)
    {
        parts.push(format!("reason: {reason}"));
    }
    if before.priority != after.priority {
        parts.push(format!("priority {}", after.priority.get()));
    }
    if before.title != after.title {
        parts.push(format!("title: {}", after.title));
    }
    if before.body != after.body {
        parts.push("body changed".to_owned());
    }
    let tags = |tag: &String| format!("tag {tag}");
    parts.extend(gone_and_new(&before.tags, &after.tags, &tags));
    let dep = |dep: &Dep| format!("{} {}", dep.kind.as_str(), dep.id);
    parts.extend(gone_and_new(&before.deps, &after.deps, &dep));
    if parts.is_empty() { "written again".to_owned() } else { parts.join(", ") }
}

fn gone_and_new<T: PartialEq>(
    before: &[T],
    after: &[T],
    show: &dyn Fn(&T) -> String,
) -> Vec<String> {
    let gone = before.iter().filter(|item| !after.contains(item));
    let new = after.iter().filter(|item| !before.contains(item));
    let new = new.map(|item| format!("+ {}", show(item)));
    gone.map(|item| format!("- {}", show(item))).chain(new).collect()
}
