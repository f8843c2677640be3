//! The service file, as it would be written.

use crate::sandbox::{Sandbox, binary};

#[test]
#[cfg(target_os = "linux")]
fn a_dry_run_shows_the_unit_and_the_commands() {
    let sandbox = Sandbox::with(&[]);
    let run = |args: &[&str]| {
        let mut command = sandbox.command(args);
        let ran =
            command.env("HOME", sandbox.path()).env_remove("XDG_CONFIG_HOME").output().unwrap();
        let text = String::from_utf8(ran.stdout).unwrap();
        text.replace(sandbox.path().to_str().unwrap(), "HOME")
            .replace(binary().to_str().unwrap(), "WEFT")
    };
    insta::assert_snapshot!(run(&["service", "install", "--dry-run", "--store", "a 100%"]), @r#"
    # HOME/.config/systemd/user/weft.service
    [Unit]
    Description=Weft: the log of this user's coding agents

    [Service]
    ExecStart="WEFT" up --store "HOME/a 100%%"
    Restart=on-failure
    UMask=0077

    [Install]
    WantedBy=default.target
    systemctl --user daemon-reload
    systemctl --user enable --now weft.service
    "#);
    insta::assert_snapshot!(run(&["service", "uninstall", "--dry-run"]), @"
    systemctl --user disable --now weft.service
    rm HOME/.config/systemd/user/weft.service
    ");
    assert_eq!(std::fs::read_dir(sandbox.path()).unwrap().count(), 0);
}
