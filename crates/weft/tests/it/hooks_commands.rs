//! The slash commands that come with `weft hooks install --loops`, and the plugin that has both.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::hooks::{plain, weft};
use crate::sandbox::{Ran, Sandbox};

const NAMES: [&str; 5] = ["cancel-loop.md", "grind.md", "issue.md", "land.md", "loop.md"];
const FOREIGN: &str = "---\ndescription: Land the plane\n---\nLand it.\n";

/// Returns every file under a folder, by its path from there.
fn files(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
            found.insert(name, fs::read_to_string(&path).unwrap());
        }
    }
    found
}

fn fine(ran: Ran) -> Ran {
    assert_eq!(ran.code, 0, "{}", ran.show());
    ran
}

#[test]
fn loops_come_with_their_commands_and_go_with_them() {
    let sandbox = Sandbox::with(&[("home/.claude/commands/mine.md", b"Mine.\n")]);
    let home = sandbox.path().join("home");
    let before = files(&home);
    let dry = fine(weft(&sandbox, &["hooks", "install", "--loops", "--dry-run"]));
    assert_eq!((files(&home), dry.stderr.as_str()), (before.clone(), ""));

    let done = fine(weft(&sandbox, &["hooks", "install", "--loops"]));
    assert_eq!(done.stdout, dry.stdout);
    let with = files(&home);
    let added: Vec<&String> = with.keys().filter(|name| !before.contains_key(*name)).collect();
    let expected = NAMES.map(|name| format!(".claude/commands/{name}"));
    assert_eq!(added[..5], expected.iter().collect::<Vec<_>>());
    assert_eq!(added[5..], [".claude/settings.json"]);
    for name in NAMES {
        let path = home.join(".claude/commands").join(name);
        assert!(done.stdout.contains(&format!("+++ {}\n", path.display())), "{}", done.stdout);
    }

    let again = fine(weft(&sandbox, &["hooks", "install", "--loops"]));
    assert_eq!(
        plain(&sandbox, &again.show()),
        "HERE/home/.claude/settings.json: nothing to change\nHERE/home/.claude/commands: nothing to change\n--- stderr\n--- exit 0"
    );
    assert_eq!(files(&home), with);
    let status = fine(weft(&sandbox, &["hooks", "status", "--user"]));
    assert!(status.stdout.contains(", 5 of 5 commands"), "{}", status.stdout);

    let dry = fine(weft(&sandbox, &["hooks", "uninstall", "--dry-run"]));
    assert_eq!(files(&home), with);
    let undone = fine(weft(&sandbox, &["hooks", "uninstall"]));
    assert_eq!(undone.stdout, dry.stdout);
    let mut left = files(&home);
    left.retain(|name, _| !name.ends_with(".before-weft"));
    assert_eq!(left, before, "no copies of what we wrote ourselves either");
}

#[test]
fn what_the_agent_reads_is_what_this_version_says() {
    let sandbox = Sandbox::with(&[("home/x", b"")]);
    fine(weft(&sandbox, &["hooks", "install", "--loops", "--store", "here"]));
    let folder = sandbox.path().join("home/.claude/commands");
    let text = |name: &str| plain(&sandbox, &fs::read_to_string(folder.join(name)).unwrap());
    let known = text("cancel-loop.md");
    // Where the program is differs from run to run, and so does the digest.
    let (head, rest) = known.split_once("`weft hooks` (").unwrap();
    let known = format!("{head}`weft hooks` (<digest>{}", &rest[32..]);
    insta::assert_snapshot!(known, @"
    ---
    description: End the loop of this session
    allowed-tools: Bash(weft loop:*), Bash(BIN/weft loop:*)
    disable-model-invocation: true
    # Written by `weft hooks` (<digest>); once it is changed, it is left alone.
    ---

    End the Weft loop of this session.

    1. Run `BIN/weft loop cancel --store HERE/here`.
    2. Say what it printed: which loop was cancelled, or that none runs.
    3. Do not go on with the work of the loop. What is not committed stays as it is.
    ");
    for name in NAMES {
        let text = text(name);
        assert!(text.contains("BIN/weft "), "{text}");
        assert!(text.contains(" --store HERE/here"), "{text}");
        assert!(!text.contains("{weft}") && !text.contains("{store}"), "{text}");
    }
    let text = text("loop.md");
    assert!(text.contains("allowed-tools: Bash(weft loop:*), Bash(BIN/weft loop:*)\n"), "{text}");
    assert!(text.contains("\n\n<loop-done>COMPLETE</loop-done>\n\n"), "{text}");
    assert!(text.contains("<request>\n$ARGUMENTS\n</request>"), "{text}");
}

#[test]
fn a_command_of_somebody_else_stays_and_is_told() {
    let sandbox = Sandbox::with(&[("home/.claude/commands/land.md", FOREIGN.as_bytes())]);
    let folder = sandbox.path().join("home/.claude/commands");
    let ran = fine(weft(&sandbox, &["hooks", "install", "--loops"]));
    let told = plain(&sandbox, &ran.stderr);
    assert!(told.contains("note: HERE/home/.claude/commands/land.md is not Weft's, and stays as it is: /land does what it says\n"), "{told}");
    assert_eq!(files(&folder).len(), 5);

    let changed = fs::read_to_string(folder.join("loop.md")).unwrap() + "Be brief.\n";
    fs::write(folder.join("loop.md"), &changed).unwrap();
    for args in [&["install", "--loops"][..], &["uninstall"]] {
        let ran = fine(weft(&sandbox, &[&["hooks"], args].concat()));
        let told = plain(&sandbox, &ran.stderr);
        assert!(
            told.contains(
                "note: HERE/home/.claude/commands/loop.md was changed by hand, and stays as it is\n"
            ),
            "{told}"
        );
    }
    let left = files(&folder);
    let expected =
        [("land.md".to_owned(), FOREIGN.to_owned()), ("loop.md".to_owned(), changed)].into();
    assert_eq!(left, expected);
}

#[test]
fn a_link_is_left_alone() {
    let sandbox = Sandbox::with(&[("home/.claude/commands/x.md", b""), ("dotfiles/x", b"")]);
    let folder = sandbox.path().join("home/.claude/commands");
    let elsewhere = sandbox.path().join("dotfiles/loop.md");
    std::os::unix::fs::symlink(&elsewhere, folder.join("loop.md")).unwrap();
    fine(weft(&sandbox, &["hooks", "install", "--loops"]));
    assert!(!elsewhere.exists());
    fine(weft(&sandbox, &["hooks", "uninstall"]));
    assert!(fs::symlink_metadata(folder.join("loop.md")).unwrap().is_symlink());
}

#[test]
fn a_project_keeps_its_commands_as_long_as_one_of_its_settings_needs_them() {
    let sandbox = Sandbox::with(&[(".git/HEAD", b""), ("home/x", b"")]);
    let folder = sandbox.path().join(".claude/commands");
    fine(weft(&sandbox, &["hooks", "install", "--loops", "--project"]));
    let shared = files(&folder);
    assert_eq!(shared.len(), 5);
    assert!(shared["loop.md"].contains("allowed-tools: Bash(weft loop:*)\n"));
    fine(weft(&sandbox, &["hooks", "install", "--loops", "--local"]));
    fine(weft(&sandbox, &["hooks", "uninstall", "--local"]));
    assert_eq!(files(&folder), shared);
    // Without loops there is nothing for the commands to begin.
    fine(weft(&sandbox, &["hooks", "install", "--project"]));
    assert!(!folder.exists());
    fine(weft(&sandbox, &["hooks", "install", "--codex"]));
    assert!(!sandbox.path().join("home/.codex/commands").exists());
}

#[test]
fn a_plugin_is_a_folder_with_all_of_it() {
    let sandbox = Sandbox::with(&[("plugin/README.md", b"Ours.\n"), ("home/x", b"")]);
    let folder = sandbox.path().join("plugin");
    let dry = fine(weft(&sandbox, &["hooks", "plugin", "plugin", "--dry-run"]));
    assert_eq!(files(&folder).len(), 1);
    let done = fine(weft(&sandbox, &["hooks", "plugin", "plugin"]));
    assert_eq!(done.stdout, dry.stdout);
    let made = files(&folder);
    let names: Vec<&str> = made.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        [
            ".claude-plugin/plugin.json",
            "README.md",
            "commands/cancel-loop.md",
            "commands/grind.md",
            "commands/issue.md",
            "commands/land.md",
            "commands/loop.md",
            "hooks/hooks.json",
        ]
    );
    let manifest: Value = serde_json::from_str(&made[".claude-plugin/plugin.json"]).unwrap();
    assert_eq!(manifest["name"], "weft");
    let hooks: Value = serde_json::from_str(&made["hooks/hooks.json"]).unwrap();
    let events = hooks["hooks"].as_object().unwrap();
    assert_eq!(events.len(), 9);
    let args = |event: &str| events[event][0]["hooks"][0]["args"].to_string();
    for event in ["Stop", "PreCompact", "SessionStart"] {
        assert_eq!(args(event), r#"["hook","--agent","claude-code","--decide"]"#);
    }
    assert_eq!(args("PreToolUse"), r#"["hook","--agent","claude-code"]"#);
    assert_eq!(events["Stop"][0]["hooks"][0]["command"], "weft");

    let again = fine(weft(&sandbox, &["hooks", "plugin", "plugin"]));
    assert_eq!(again.show(), "plugin: nothing to change\n--- stderr\n--- exit 0");
    assert_eq!(files(&folder), made);
    let other = made[".claude-plugin/plugin.json"].replace("\"version\": \"", "\"version\": \"0.");
    fs::write(folder.join(".claude-plugin/plugin.json"), other).unwrap();
    fine(weft(&sandbox, &["hooks", "plugin", "plugin"]));
    assert_eq!(files(&folder), made, "what another version wrote is renewed");
}

#[test]
fn a_folder_with_files_of_others_in_the_way_is_left_as_it_is() {
    let sandbox = Sandbox::with(&[
        ("plugin/commands/land.md", FOREIGN.as_bytes()),
        ("plugin/hooks/hooks.json", b"{\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"./done.sh\"}]}]}}"),
        ("plugin/.claude-plugin/plugin.json", b"{\"name\":\"other\"}"),
    ]);
    let before = files(&sandbox.path().join("plugin"));
    for args in [&["hooks", "plugin", "plugin"][..], &["hooks", "plugin", "plugin", "--dry-run"]] {
        assert_eq!(
            weft(&sandbox, args).show(),
            "--- stderr\nerror: plugin is left as it is: .claude-plugin/plugin.json, hooks/hooks.json, commands/land.md would be written over\n--- exit 2"
        );
    }
    assert_eq!(files(&sandbox.path().join("plugin")), before);
}
