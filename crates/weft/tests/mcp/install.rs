//! `weft mcp install`: what it changes in the files of clients, and what it says of them.

use std::fs;
use std::path::PathBuf;
use std::process::Output;

use crate::scene::Scene;

const CLAUDE: &str = "{\n  \"numStartups\": 41,\n  \"mcpServers\": {\n    \"docs\": {\n      \"command\": \"npx\",\n      \"args\": [\"-y\", \"docs\"]\n    }\n  },\n  \"userID\": \"u\"\n}\n";

const CODEX: &str = "# mine\nmodel = \"gpt-5\"\n\n[mcp_servers.docs]\ncommand = \"npx\" # slow\n";

/// Runs here; returns the exit code, what was printed, and what was told, without what differs from run to run.
fn weft(scene: &Scene, args: &[&str]) -> (i32, String, String) {
    let mut command = scene.command(args);
    command.env_remove("CLAUDE_CONFIG_DIR").env_remove("CODEX_HOME");
    let Output { status, stdout, stderr } = command.output().unwrap();
    let folder = scene.folder.path().canonicalize().unwrap();
    let plain = |text: Vec<u8>| {
        let text = String::from_utf8(text).unwrap();
        let text = text.replace(folder.to_str().unwrap(), "HERE");
        let text = text.replace(scene.folder.path().to_str().unwrap(), "HERE");
        text.replace(env!("CARGO_BIN_EXE_weft"), "BIN/weft")
    };
    (status.code().unwrap(), plain(stdout), plain(stderr))
}

fn file(scene: &Scene, name: &str, text: &str) -> PathBuf {
    let path = scene.folder.path().join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    path
}

#[test]
fn install_shows_the_change_makes_it_once_and_uninstall_takes_it_back() {
    for (flag, name, text) in [
        ("--user", "home/.claude.json", CLAUDE),
        ("--project", ".mcp.json", CLAUDE),
        ("--codex", "home/.codex/config.toml", CODEX),
    ] {
        let scene = Scene::new();
        fs::create_dir(scene.folder.path().join(".git")).unwrap();
        let path = file(&scene, name, text);
        let (code, dry, told) = weft(&scene, &["mcp", "install", flag, "--dry-run"]);
        assert_eq!((code, told.as_str()), (0, ""), "{dry}");
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
        let (code, shown, told) = weft(&scene, &["mcp", "install", flag]);
        assert_eq!((code, &shown), (0, &dry));
        assert!(told.contains(".before-weft"), "{told}");
        let with = fs::read_to_string(&path).unwrap();
        assert_eq!(with.matches("weft").count(), 2, "{with}");
        let (_, again, _) = weft(&scene, &["mcp", "install", flag]);
        assert!(again.ends_with(": nothing to change\n"), "{again}");
        let (_, status, _) = weft(&scene, &["mcp", "status", flag]);
        assert!(status.contains(" installed "), "{status}");
        let (code, _, _) = weft(&scene, &["mcp", "uninstall", flag]);
        assert_eq!(code, 0);
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
        let kept =
            path.with_file_name(format!("{}.before-weft", path.file_name().unwrap().display()));
        assert_eq!(fs::read_to_string(kept).unwrap(), text);
    }
}

#[test]
fn what_is_shown_is_what_changes() {
    let scene = Scene::new();
    file(&scene, "home/.claude.json", CLAUDE);
    file(&scene, "home/.codex/config.toml", CODEX);
    let (_, user, _) = weft(&scene, &["mcp", "install", "--dry-run"]);
    insta::assert_snapshot!(user, @r#"
    --- HERE/home/.claude.json
    +++ HERE/home/.claude.json
    @@ -4,6 +4,11 @@
         "docs": {
           "command": "npx",
           "args": ["-y", "docs"]
    +    },
    +    "weft": {
    +      "type": "stdio",
    +      "command": "BIN/weft",
    +      "args": ["mcp"]
         }
       },
       "userID": "u"
    "#);
    let args = ["mcp", "install", "--codex", "--dry-run", "--store", "kept"];
    let (_, codex, _) = weft(&scene, &args);
    insta::assert_snapshot!(codex, @r#"
    --- HERE/home/.codex/config.toml
    +++ HERE/home/.codex/config.toml
    @@ -3,3 +3,7 @@
     
     [mcp_servers.docs]
     command = "npx" # slow
    +
    +[mcp_servers.weft]
    +command = "BIN/weft"
    +args = ["mcp", "--store", "HERE/kept"]
    "#);
}

#[test]
fn a_file_that_was_made_goes_and_one_that_cannot_be_read_stays() {
    let scene = Scene::new();
    fs::create_dir(scene.folder.path().join(".git")).unwrap();
    for (flag, name, broken) in [
        ("--user", "home/.claude.json", "{ // mine\n}"),
        ("--project", ".mcp.json", "{\"mcpServers\": 3}"),
        ("--codex", "home/.codex/config.toml", "model = gpt\n"),
    ] {
        let path = scene.folder.path().join(name);
        assert_eq!(weft(&scene, &["mcp", "install", flag]).0, 0);
        assert!(path.exists());
        assert_eq!(weft(&scene, &["mcp", "uninstall", flag]).0, 0);
        assert!(!path.exists());
        file(&scene, name, broken);
        let (code, shown, told) = weft(&scene, &["mcp", "install", flag]);
        assert_eq!((code, shown.as_str()), (2, ""));
        assert!(told.contains("is left as it is"), "{told}");
        assert_eq!(fs::read_to_string(&path).unwrap(), broken);
    }
    let (code, status, _) = weft(&scene, &["mcp", "status", "--json"]);
    assert_eq!(code, 0);
    let status: serde_json::Value = serde_json::from_str(&status).unwrap();
    let files = status["files"].as_array().unwrap();
    assert_eq!(files.len(), 3);
    let state = |idx: usize| files[idx]["state"].as_str().unwrap();
    assert!((0..3).all(|idx| state(idx).starts_with("cannot be read: ")), "{files:?}");
}

#[test]
fn what_is_installed_can_be_started_as_it_says() {
    let scene = Scene::new();
    assert_eq!(weft(&scene, &["mcp", "install"]).0, 0);
    let text = fs::read_to_string(scene.folder.path().join("home/.claude.json")).unwrap();
    let servers: serde_json::Value = serde_json::from_str(&text).unwrap();
    let entry = &servers["mcpServers"]["weft"];
    let mut command = std::process::Command::new(entry["command"].as_str().unwrap());
    let args = entry["args"].as_array().unwrap().iter().map(|arg| arg.as_str().unwrap());
    command.args(args);
    scene.place(&mut command);
    let mut talk = crate::scene::Talk::start(command);
    let result = talk.call("report_system", serde_json::json!({ "kind": "heartbeat" }));
    assert_eq!(result["structuredContent"]["events"][0]["position"], 1);
    talk.end();
}
