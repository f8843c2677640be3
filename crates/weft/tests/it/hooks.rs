//! `weft hooks`: what it changes in the settings of agents, and what it says of them.

use std::fs;
use std::path::PathBuf;

use crate::sandbox::{Ran, Sandbox, binary};

const SETTINGS: &str = "{\n  \"model\": \"opus\",\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"hooks\": [\n          { \"type\": \"command\", \"command\": \"./done.sh\" }\n        ]\n      }\n    ]\n  }\n}\n";

/// Runs with the sandbox as home and project.
pub(crate) fn weft(sandbox: &Sandbox, args: &[&str]) -> Ran {
    let mut command = sandbox.command(args);
    for name in ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_DATA_HOME"] {
        command.env_remove(name);
    }
    let home = sandbox.path().join("home");
    Ran::from(command.env("HOME", home).output().unwrap())
}

fn user_settings(sandbox: &Sandbox) -> PathBuf {
    sandbox.path().join("home/.claude/settings.json")
}

/// Returns what was printed without what differs from run to run.
pub(crate) fn plain(sandbox: &Sandbox, text: &str) -> String {
    let root = sandbox.path().canonicalize().unwrap();
    let text = text.replace(root.to_str().unwrap(), "HERE");
    let text = text.replace(sandbox.path().to_str().unwrap(), "HERE");
    text.replace(binary().to_str().unwrap(), "BIN/weft")
}

#[test]
fn install_shows_the_change_makes_it_once_and_uninstall_takes_it_back() {
    let sandbox = Sandbox::with(&[("home/.claude/settings.json", SETTINGS.as_bytes())]);
    let settings = user_settings(&sandbox);
    let dry = weft(&sandbox, &["hooks", "install", "--dry-run"]);
    assert_eq!((dry.code, dry.stderr.as_str()), (0, ""), "{}", dry.show());
    assert_eq!(fs::read_to_string(&settings).unwrap(), SETTINGS);

    let done = weft(&sandbox, &["hooks", "install"]);
    assert_eq!((done.code, &done.stdout), (0, &dry.stdout), "{}", done.show());
    let text = fs::read_to_string(&settings).unwrap();
    assert_eq!(text.matches("\"async\": true").count(), 29);
    assert_eq!(text.matches("\"claude-code\"").count(), 32);
    let backup = fs::read_to_string(settings.with_extension("json.before-weft")).unwrap();
    assert_eq!(backup, SETTINGS);
    let shown: Vec<&str> = done.stdout.lines().take(32).collect();
    insta::assert_snapshot!(plain(&sandbox, &shown.join("\n")), @r#"
    --- HERE/home/.claude/settings.json
    +++ HERE/home/.claude/settings.json
    @@ -6,6 +6,417 @@
             "hooks": [
               { "type": "command", "command": "./done.sh" }
             ]
    +      },
    +      {
    +        "hooks": [
    +          {
    +            "type": "command",
    +            "command": "BIN/weft",
    +            "args": ["hook", "--agent", "claude-code"],
    +            "timeout": 10
    +          }
    +        ]
    +      }
    +    ],
    +    "SessionStart": [
    +      {
    +        "hooks": [
    +          {
    +            "type": "command",
    +            "command": "BIN/weft",
    +            "args": ["hook", "--agent", "claude-code"],
    +            "async": true,
    +            "timeout": 10
    +          }
    +        ]
    +      }
    +    ],
    +    "SessionEnd": [
    "#);

    let again = weft(&sandbox, &["hooks", "install", "--user"]);
    assert!(again.stdout.ends_with("settings.json: nothing to change\n"), "{}", again.show());
    assert_eq!(fs::read_to_string(&settings).unwrap(), text);

    let undone = weft(&sandbox, &["hooks", "uninstall"]);
    assert_eq!(undone.code, 0, "{}", undone.show());
    assert_eq!(fs::read_to_string(&settings).unwrap(), SETTINGS);
    let names: Vec<_> = fs::read_dir(settings.parent().unwrap()).unwrap().collect();
    assert_eq!(names.len(), 3, "the settings and what was there before each change: {names:?}");

    for action in ["install", "uninstall"] {
        assert_eq!(weft(&sandbox, &["hooks", action]).code, 0);
    }
    let names: Vec<_> = fs::read_dir(settings.parent().unwrap()).unwrap().collect();
    assert_eq!(names.len(), 3, "and no second copy of the same: {names:?}");
}

#[test]
fn each_place_has_its_file_and_one_that_was_made_goes() {
    let sandbox = Sandbox::with(&[(".git/HEAD", b""), ("src/a.rs", b""), ("home/x", b"")]);
    for (flag, file, n) in [
        ("--user", "home/.claude/settings.json", 32),
        ("--project", ".claude/settings.json", 32),
        ("--local", ".claude/settings.local.json", 32),
        ("--codex", "home/.codex/hooks.json", 11),
    ] {
        let file = sandbox.path().join(file);
        let mut command = sandbox.command(&["hooks", "install", flag]);
        command.env("HOME", sandbox.path().join("home")).current_dir(sandbox.path().join("src"));
        command.env_remove("CLAUDE_CONFIG_DIR").env_remove("CODEX_HOME");
        let ran = Ran::from(command.output().unwrap());
        assert_eq!(ran.code, 0, "{}", ran.show());
        let text = fs::read_to_string(&file).unwrap();
        assert_eq!(text.matches("\"timeout\": ").count(), n, "{text}");
        let is_shared = flag == "--project";
        assert_eq!(text.contains("\"command\": \"weft\""), is_shared, "{text}");
        let ran = weft(&sandbox, &["hooks", "uninstall", flag]);
        assert_eq!(ran.code, 0, "{}", ran.show());
        assert!(!file.exists());
    }
}

#[test]
fn a_file_that_cannot_be_read_is_left_alone() {
    let text = "{\n  // mine\n  \"model\": \"opus\"\n}\n";
    let sandbox = Sandbox::with(&[("home/.claude/settings.json", text.as_bytes())]);
    for action in ["install", "uninstall"] {
        let ran = weft(&sandbox, &["hooks", action]);
        insta::allow_duplicates! {
            insta::assert_snapshot!(plain(&sandbox, &ran.show()), @"
            --- stderr
            error: HERE/home/.claude/settings.json is left as it is: it is not JSON: unexpected character in line 2, column 3
            --- exit 2
            ");
        }
    }
    assert_eq!(fs::read_to_string(user_settings(&sandbox)).unwrap(), text);
    assert_eq!(fs::read_dir(sandbox.path().join("home/.claude")).unwrap().count(), 1);
}

#[test]
fn a_link_stays_a_link_and_rights_stay_as_they_are() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let sandbox = Sandbox::with(&[("dotfiles/claude.json", b"{}\n"), ("home/.claude/x", b"")]);
    let target = sandbox.path().join("dotfiles/claude.json");
    fs::set_permissions(&target, fs::Permissions::from_mode(0o666)).unwrap();
    symlink(&target, user_settings(&sandbox)).unwrap();
    assert_eq!(weft(&sandbox, &["hooks", "install"]).code, 0);
    assert!(fs::symlink_metadata(user_settings(&sandbox)).unwrap().is_symlink());
    assert!(fs::read_to_string(&target).unwrap().contains("PreToolUse"));
    assert_eq!(fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o666);
    assert_eq!(weft(&sandbox, &["hooks", "uninstall"]).code, 0);
    assert_eq!(fs::read_to_string(&target).unwrap(), "{}\n");
}

#[test]
fn a_store_that_is_named_is_named_to_the_agent() {
    let sandbox = Sandbox::with(&[("home/x", b"")]);
    let ran = weft(&sandbox, &["hooks", "install", "--store", "here", "--dry-run"]);
    let line = ran.stdout.lines().find(|line| line.contains("\"args\"")).unwrap();
    insta::assert_snapshot!(plain(&sandbox, line), @r#"+            "args": ["hook", "--agent", "claude-code", "--store", "HERE/here"],"#);
}

#[test]
fn status_says_what_is_installed_where_and_what_fired() {
    let sandbox = Sandbox::with_store(&[(".claude/settings.json", b"[]"), ("home/x", b"")]);
    assert_eq!(weft(&sandbox, &["hooks", "install", "--local"]).code, 0);
    assert_eq!(weft(&sandbox, &["hooks", "install", "--codex"]).code, 0);
    let payload = br#"{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Bash","tool_use_id":"t"}"#;
    assert_eq!(sandbox.pipe(&["hook"], payload).code, 0);
    let odd = br#"{"hook_event_name":"TideTurned","session_id":"s"}"#;
    assert_eq!(sandbox.pipe(&["hook"], odd).code, 0);
    let ran = weft(&sandbox, &["hooks", "status"]);
    let shown = plain(&sandbox, &ran.show());
    // When they fired is another time in every run.
    let shown = shown.lines().map(|line| match line.split_once(" (") {
        Some((before, after)) => {
            let (_, after) = after.split_once(')').unwrap();
            format!("{}<time>{after}", &before[..before.len() - "00:00:00".len()])
        }
        None => line.to_owned(),
    });
    let rows = |line: &String| {
        [
            "PLACE", "user", "project", "local", "codex", "HOOK", "Session", "PreTool", "Worktree",
            "hook.",
        ]
        .iter()
        .any(|start| line.starts_with(start))
    };
    let shown: Vec<String> = shown.filter(rows).collect();
    insta::assert_snapshot!(shown.join("\n"), @"
    PLACE    STATE                                                 FILE
    user     no file                                               HERE/home/.claude/settings.json
    project  cannot be read: the whole is not an object but array  HERE/.claude/settings.json
    local    32 of 32 hooks                                        HERE/.claude/settings.local.json
    codex    11 of 11 hooks                                        HERE/home/.codex/hooks.json
    HOOK                 INSTALLED     LAST FIRED      IN 7 DAYS
    SessionStart         local, codex  -               0
    SessionEnd           local, codex  -               0
    PreToolUse           local, codex  <time>  1
    WorktreeCreate       -             -               0
    WorktreeRemove       local         -               0
    hook.tide_turned     -             <time>  1
    ");
    let json = weft(&sandbox, &["hooks", "status", "--json", "--codex"]).stdout;
    let status: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(status["files"].as_array().unwrap().len(), 1);
    let hooks = status["hooks"].as_array().unwrap();
    let pre = hooks.iter().find(|hook| hook["hook"] == "PreToolUse").unwrap();
    assert_eq!((&pre["fired"], &pre["installed"][0]), (&1.into(), &"codex".into()));
}
