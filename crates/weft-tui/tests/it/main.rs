//! The screen on a terminal whose other side breaks.

use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use weft_tui::source::{
    Ask, Completions, FilterFault, More, Opening, Page, Place, SourceError, Steer, Steered,
};
use weft_tui::{Settings, Source, Theme, Zone};

/// Says to the test that it is the program in the terminal, and not the one that looks at it.
const IS_INSIDE: &str = "WEFT_TUI_BREAKS";
/// How long a screen is waited for.
const PATIENCE: Duration = Duration::from_secs(30);
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// A source that panics once the screen is there.
struct Breaks;

impl Source for Breaks {
    fn open(&mut self, _place: &Place, _now_ns: i64) -> Result<Opening, SourceError> {
        Ok(Opening::default())
    }

    fn more(&mut self, _max: usize, _patience: Duration) -> Result<More, SourceError> {
        panic!("the source broke")
    }

    fn set_filter(&mut self, _text: &str, _now_ns: i64) -> Result<(), FilterFault> {
        Ok(())
    }

    fn page(&mut self, _ask: &Ask) -> Result<Page, SourceError> {
        Ok(Page::default())
    }

    fn complete(&mut self, _text: &str, _cursor: usize) -> Completions {
        Completions::default()
    }

    fn steer(&mut self, _steer: &Steer) -> Result<Steered, SourceError> {
        Ok(Steered::Refused("no loop runs".to_owned()))
    }
}

#[test]
fn a_panic_leaves_the_terminal_as_it_was() {
    if std::env::var_os(IS_INSIDE).is_some() {
        let settings = Settings {
            theme: Theme::Plain,
            zone: Zone::default(),
            title: "broken".to_owned(),
            filter: String::new(),
            judgement: weft_view::Judgement::default(),
        };
        let ended = weft_tui::run(settings, None, || Ok(Breaks), &AtomicBool::new(false));
        println!("ended: {}", ended.is_err());
        return;
    }
    let Ok(version) = Command::new("tmux").arg("-V").output() else {
        println!("tmux is not there: panics are not tested in a terminal");
        return;
    };
    assert!(version.status.success());
    let name = format!("weft-panic-{}", std::process::id());
    let tmux = |args: &[&str]| {
        let output = Command::new("tmux").args(["-L", &name]).args(args).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    tmux(&[
        "-f",
        "/dev/null",
        "new-session",
        "-d",
        "-x",
        "100",
        "-y",
        "30",
        "exec env PS1='ready> ' sh",
    ]);
    let program = std::env::current_exe().unwrap();
    let test = "a_panic_leaves_the_terminal_as_it_was";
    let command = format!("{IS_INSIDE}=1 {} --exact {test} --nocapture", program.display());
    tmux(&[
        "send-keys",
        "-l",
        &format!("{command}; stty -a | grep -o -e ' -\\?icanon' -e ' -\\?echo '; echo over."),
    ]);
    tmux(&["send-keys", "Enter"]);
    let until = Instant::now() + PATIENCE;
    let is_over = |screen: &str| screen.lines().any(|line| line == "over.");
    let mut screen = String::new();
    while !is_over(&screen) && Instant::now() < until {
        screen = tmux(&["capture-pane", "-p"]);
        std::thread::park_timeout(LOOK_EVERY);
    }
    let modes =
        tmux(&["display-message", "-p", "#{cursor_flag} #{mouse_any_flag} #{alternate_on}"]);
    tmux(&["kill-server"]);
    assert!(screen.contains("the source broke"), "{screen}");
    assert!(screen.contains("ended: true"), "{screen}");
    let lines: Vec<&str> = screen.lines().map(str::trim).collect();
    assert!(lines.contains(&"icanon") && lines.contains(&"echo"), "{screen}");
    assert_eq!(modes.trim(), "1 0 0", "{screen}");
}
