//! The bell of `weft top`: one ring for one cause, at the time and of the kind that the rules of the store ask for.

use std::fs;
use std::path::Path;

use jiff::Timestamp;
use tempfile::TempDir;

use crate::tmux::{Tmux, is_there};
use crate::{ingest, store, top};

/// A rule that rings at once.
const AT_ONCE: &str = "[[notify]]\nname = 'bell'\nbell = true\nafter = '0s'\ngather = '0s'\n";

/// Quiet hours that have no end.
const ALWAYS_QUIET: &str = "quiet = ['00:00-12:00', '12:00-24:00']\n";

/// Seconds that a need stands on the screen until whatever would ring for it has rung more than once: it is looked every second.
const LONG_ENOUGH_S: u64 = 4;

/// A screen on a store with these settings, and a record of all that it wrote to its terminal.
struct Watched {
    folder: TempDir,
    tmux: Tmux,
}

impl Watched {
    fn start(name: &str, settings: &str) -> Self {
        let folder = store(1);
        fs::write(folder.path().join(".weft/config.toml"), settings).unwrap();
        say(folder.path(), "@old", "coordination.blocked", "was there before");
        let tmux = top(folder.path(), name, "");
        tmux.record(&folder.path().join("written"));
        tmux.wait_for("● live");
        tmux.keys(&["2"]);
        tmux.wait_for("was there before");
        Self { folder, tmux }
    }

    /// An agent says something, which the inbox shows as long as it needs a person.
    fn say(&self, agent: &str, event_type: &str, message: &str) {
        say(self.folder.path(), agent, event_type, message);
    }

    /// Waits until a need has stood long enough to be rung for again.
    fn wait_long_enough(&self, agent: &str) {
        self.tmux.wait_for_line(|line| {
            let mut words = line.split_whitespace().skip_while(|word| *word != "blocked").skip(1);
            let age = words.next().and_then(|age| age.strip_suffix('s')?.parse::<u64>().ok());
            age.is_some_and(|age| age >= LONG_ENOUGH_S) && words.next() == Some(agent)
        });
    }

    fn n_rings(&self) -> usize {
        let written = fs::read(self.folder.path().join("written")).unwrap();
        written.iter().filter(|byte| **byte == 0x07).count()
    }

    fn wait_for_rings(&self, n: usize) {
        self.tmux.wait("a ring", |_| self.n_rings() >= n);
    }
}

fn say(folder: &Path, agent: &str, event_type: &str, message: &str) {
    let now = Timestamp::now();
    let line = format!(
        r#"{{"version":"1.0.0","event_type":"{event_type}","timestamp":"{now}","agent_id":"{agent}","session_id":"s-{agent}","message":"{message}"}}"#
    );
    ingest(folder, line.as_bytes());
}

#[test]
fn it_rings_once_for_each_cause_that_arises() {
    if !is_there() {
        println!("tmux is not there: the bell is not tested in a terminal");
        return;
    }
    let screen = Watched::start("bell", AT_ONCE);
    screen.say("@new", "coordination.blocked", "no access to the tracker");
    screen.wait_for_rings(1);
    screen.say("@new", "coordination.blocked", "still no access");
    screen.tmux.wait_for("still no access");
    screen.wait_long_enough("@new");
    assert_eq!(screen.n_rings(), 1, "one cause, however often it is told of");
    screen.say("@new", "activity.progress", "goes on");
    screen.tmux.wait_until_gone("@new");
    screen.say("@new", "coordination.blocked", "needs a review");
    screen.wait_for_rings(2);
    screen.wait_long_enough("@new");
    assert_eq!(screen.n_rings(), 2, "it went on in between: that is another cause");
}

#[test]
fn it_is_silent_in_quiet_hours_but_for_what_is_excepted() {
    if !is_there() {
        println!("tmux is not there: quiet hours are not tested in a terminal");
        return;
    }
    let rule = format!("{AT_ONCE}{ALWAYS_QUIET}quiet_except = ['failed']\n");
    let screen = Watched::start("quiet", &rule);
    screen.say("@held", "coordination.blocked", "no access to the tracker");
    screen.wait_long_enough("@held");
    assert_eq!(screen.n_rings(), 0, "it is quiet");
    screen.say("@urgent", "lifecycle.error", "gave up");
    screen.wait_for_rings(1);
}

#[test]
fn it_is_silent_where_no_rule_asks_for_it() {
    if !is_there() {
        println!("tmux is not there: a bell that is off is not tested in a terminal");
        return;
    }
    let other_way = AT_ONCE.replace("bell = true", "command = ['true']");
    for (name, settings) in [("off", ""), ("other-way", other_way.as_str())] {
        let screen = Watched::start(name, settings);
        screen.say("@new", "coordination.blocked", "no access to the tracker");
        screen.wait_long_enough("@new");
        assert_eq!(screen.n_rings(), 0, "{name}");
    }
}
