//! The service file, as it would be written.

use std::os::unix::fs::PermissionsExt as _;

use crate::sandbox::{Ran, Sandbox, binary};

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
    systemctl --user enable weft.service
    systemctl --user restart weft.service
    "#);
    insta::assert_snapshot!(run(&["service", "uninstall", "--dry-run"]), @"
    systemctl --user disable --now weft.service
    rm HOME/.config/systemd/user/weft.service
    ");
    assert_eq!(std::fs::read_dir(sandbox.path()).unwrap().count(), 0);
}

#[test]
#[cfg(target_os = "linux")]
fn a_service_that_is_installed_again_is_started_again() {
    let systemctl = b"#!/bin/sh\necho \"$@\" >>\"$HOME/asked\"\n! test -e \"$HOME/broken\"\n";
    let sandbox = Sandbox::with(&[("bin/systemctl", systemctl)]);
    let program = sandbox.path().join("bin/systemctl");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let install = || {
        let mut command = sandbox.command(&["service", "install", "--store", "store"]);
        command.env("HOME", sandbox.path()).env_remove("XDG_CONFIG_HOME");
        let path = format!("{}:/usr/bin:/bin", sandbox.path().join("bin").display());
        let ran = Ran::from(command.env("PATH", path).output().unwrap());
        let asked = std::fs::read_to_string(sandbox.path().join("asked")).unwrap();
        std::fs::remove_file(sandbox.path().join("asked")).unwrap();
        format!("{asked}{}", ran.show().replace(sandbox.path().to_str().unwrap(), "HOME"))
    };
    insta::assert_snapshot!(install(), @"
    --user daemon-reload
    --user enable weft.service
    --user restart weft.service
    --- stderr
    installed and started HOME/.config/systemd/user/weft.service
    --- exit 0
    ");
    insta::assert_snapshot!(install(), @"
    --user daemon-reload
    --user enable weft.service
    --user restart weft.service
    --- stderr
    replaced and started again: HOME/.config/systemd/user/weft.service
    --- exit 0
    ");
    std::fs::write(sandbox.path().join("broken"), "").unwrap();
    insta::assert_snapshot!(install(), @"
    --user daemon-reload
    --user enable weft.service
    --user restart weft.service
    --- stderr
    note: this did not work, run it yourself: systemctl --user daemon-reload
    note: this did not work, run it yourself: systemctl --user enable weft.service
    note: this did not work, run it yourself: systemctl --user restart weft.service
    replaced, and not started again: HOME/.config/systemd/user/weft.service
    --- exit 0
    ");
}
