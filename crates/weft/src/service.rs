//! `weft service`: the server as a service of the user's own, started with the session and again if it ends badly.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command as Process;

use anyhow::Context as _;
use clap::Subcommand;
use weft_log::Network;

use crate::Outcome;
use crate::output::{print, tell};
use crate::stores::{self, StoreArgs};

/// The name of the service where systemd has it.
const UNIT: &str = "weft.service";

/// The name of the service where launchd has it.
const LABEL: &str = "weft.up";

const EXAMPLES: &str = "\
Examples:
  weft service install              run `weft up` on this store from now on
  weft service install --dry-run    say what would be written and run
  weft service uninstall            stop it, and take it away

A systemd user unit is written, on macOS a launchd agent. The store that is meant now is written into it.
Exit codes: 0 it is done, 2 wrong use, or it could not be.";

/// Run the server as a service of the user's own
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    store: StoreArgs,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Write the service, and start it
    Install {
        /// Only say what would be done
        #[arg(long)]
        dry_run: bool,
    },
    /// Stop the service, and remove it
    Uninstall {
        /// Only say what would be done
        #[arg(long)]
        dry_run: bool,
    },
}

/// Who runs services here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Host {
    Systemd,
    Launchd,
}

/// Whether the service was there before it is installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Before {
    Nothing,
    Installed,
}

impl Host {
    fn here() -> Self {
        if cfg!(target_os = "macos") { Host::Launchd } else { Host::Systemd }
    }

    fn path(self) -> anyhow::Result<PathBuf> {
        let home = env::var_os("HOME").map(PathBuf::from);
        let home = home.context("there is no home folder")?;
        Ok(match self {
            Host::Systemd => {
                let named = env::var_os("XDG_CONFIG_HOME").map(PathBuf::from);
                let named = named.filter(|folder| folder.is_absolute());
                named.unwrap_or_else(|| home.join(".config")).join("systemd/user").join(UNIT)
            }
            Host::Launchd => home.join("Library/LaunchAgents").join(format!("{LABEL}.plist")),
        })
    }

    /// Returns the file of the service.
    fn file(self, program: &Path, store: &Path) -> String {
        match self {
            Host::Systemd => format!(
                "[Unit]\nDescription=Weft: the log of this user's coding agents\n\n[Service]\nExecStart={} up --store {}\nRestart=on-failure\nUMask=0077\n\n[Install]\nWantedBy=default.target\n",
                quoted(program),
                quoted(store),
            ),
            Host::Launchd => {
                let words = [&program.to_string_lossy(), "up", "--store", &store.to_string_lossy()];
                let words: String = words
                    .iter()
                    .map(|word| format!("    <string>{}</string>\n", escaped(word)))
                    .collect();
                format!(
                    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\">\n<dict>\n  <key>Label</key>\n  <string>{LABEL}</string>\n  <key>ProgramArguments</key>\n  <array>\n{words}  </array>\n  <key>RunAtLoad</key>\n  <true/>\n  <key>KeepAlive</key>\n  <dict>\n    <key>SuccessfulExit</key>\n    <false/>\n  </dict>\n</dict>\n</plist>\n"
                )
            }
        }
    }

    /// Returns the commands that start the service once its file is there, and anew where it runs by another one.
    fn start(self, path: &Path, before: Before) -> Vec<Vec<String>> {
        let load = ["launchctl", "load", "-w", &path.to_string_lossy()];
        match (self, before) {
            // To restart one that does not run is to start it.
            (Host::Systemd, Before::Nothing | Before::Installed) => commands(&[
                &["systemctl", "--user", "daemon-reload"],
                &["systemctl", "--user", "enable", UNIT],
                &["systemctl", "--user", "restart", UNIT],
            ]),
            (Host::Launchd, Before::Nothing) => commands(&[&load]),
            (Host::Launchd, Before::Installed) => {
                commands(&[&["launchctl", "unload", load[3]], &load])
            }
        }
    }

    /// Returns the commands that stop the service before its file goes.
    fn stop(self, path: &Path) -> Vec<Vec<String>> {
        match self {
            Host::Systemd => commands(&[&["systemctl", "--user", "disable", "--now", UNIT]]),
            Host::Launchd => commands(&[&["launchctl", "unload", "-w", &path.to_string_lossy()]]),
        }
    }
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    let host = Host::here();
    let path = host.path()?;
    match args.command {
        Command::Install { dry_run } => {
            let program = env::current_exe().context("cannot tell where this program is")?;
            let folder = args.store.folder()?;
            let store = if dry_run {
                std::path::absolute(&folder)?
            } else {
                stores::make_unset(&folder, Network::Refuse)?.root().to_owned()
            };
            let file = host.file(&program, &store);
            let before = if path.exists() { Before::Installed } else { Before::Nothing };
            let start = host.start(&path, before);
            if dry_run {
                print(format!("# {}\n{file}", path.display()).as_bytes())?;
                print(shown(&start).as_bytes())?;
                return Ok(Outcome::Fine);
            }
            install(&path, &file)?;
            let done = match (run_all(&start), before) {
                (true, Before::Nothing) => "installed and started",
                (true, Before::Installed) => "replaced and started again:",
                (false, Before::Nothing) => "installed, and not started:",
                (false, Before::Installed) => "replaced, and not started again:",
            };
            tell(format_args!("{done} {}", path.display()));
        }
        Command::Uninstall { dry_run: true } => {
            print(shown(&host.stop(&path)).as_bytes())?;
            print(format!("rm {}\n", path.display()).as_bytes())?;
        }
        Command::Uninstall { dry_run: false } => {
            if !path.exists() {
                anyhow::bail!("there is no service at {}", path.display());
            }
            run_all(&host.stop(&path));
            fs::remove_file(&path).with_context(|| format!("cannot remove {}", path.display()))?;
            tell(format_args!("removed {}", path.display()));
        }
    }
    Ok(Outcome::Fine)
}

fn install(path: &Path, file: &str) -> anyhow::Result<()> {
    let folder = path.parent().context("a service's file is in a folder")?;
    let written = || -> io::Result<()> {
        fs::create_dir_all(folder)?;
        fs::write(path, file)
    };
    written().with_context(|| format!("cannot write {}", path.display()))
}

/// Runs commands one after the other; what fails is told with the way to do it by hand. Returns whether nothing did.
fn run_all(commands: &[Vec<String>]) -> bool {
    let mut is_done = true;
    for command in commands {
        let ended = Process::new(&command[0]).args(&command[1..]).status();
        if !ended.is_ok_and(|ended| ended.success()) {
            tell(format_args!("note: this did not work, run it yourself: {}", command.join(" ")));
            is_done = false;
        }
    }
    is_done
}

fn commands(commands: &[&[&str]]) -> Vec<Vec<String>> {
    commands.iter().map(|words| words.iter().map(|word| (*word).to_owned()).collect()).collect()
}

fn shown(commands: &[Vec<String>]) -> String {
    commands.iter().map(|words| format!("{}\n", words.join(" "))).collect()
}

/// Returns a path as a word of a unit's command line.
fn quoted(path: &Path) -> String {
    let text = path.to_string_lossy().replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{}\"", text.replace('%', "%%").replace('$', "$$"))
}

/// Returns a text as it stands in XML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests;
