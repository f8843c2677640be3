//! Settings keep what others wrote, to the byte, through install and uninstall.

use proptest::prelude::*;
use weft_event::hook::Caller;
use weft_event::json::{Tape, canonical};

use super::{Present, Wanted, are_all_off, install, look, uninstall};
use crate::hooks::wanted::{Part, wanted};

fn all() -> Vec<Wanted> {
    wanted(Caller::ClaudeCode, Part::Reports, "/opt/weft", None)
}

/// Two hooks, so that what they become fits a page.
fn few() -> Vec<Wanted> {
    all().into_iter().filter(|hook| ["PreToolUse", "Stop"].contains(&hook.event)).collect()
}

fn installed(text: &str) -> String {
    install(Some(text), &few()).unwrap()
}

/// Asserts that the settings come back as they were.
fn assert_comes_back(text: &str) {
    for wanted in [few(), all()] {
        let with = install(Some(text), &wanted).unwrap();
        assert_eq!(install(Some(&with), &wanted).unwrap(), with, "a second time:\n{text}");
        let present = look(&with, &wanted).unwrap();
        assert_eq!(present.len(), wanted.len(), "{with}");
        assert!(present.iter().all(|present| present.is_current), "{with}");
        assert_eq!(uninstall(&with).unwrap().as_deref(), Some(text), "by way of:\n{with}");
    }
}

#[test]
fn a_file_that_was_not_there_is_made_and_goes() {
    let made = install(None, &few()).unwrap();
    insta::assert_snapshot!(made, @r#"
    {
      "hooks": {
        "PreToolUse": [
          {
            "hooks": [
              {
                "type": "command",
                "command": "/opt/weft",
                "args": ["hook", "--agent", "claude-code"],
                "async": true,
                "timeout": 10
              }
            ]
          }
        ],
        "Stop": [
          {
            "hooks": [
              {
                "type": "command",
                "command": "/opt/weft",
                "args": ["hook", "--agent", "claude-code"],
                "timeout": 10
              }
            ]
          }
        ]
      }
    }
    "#);
    assert_eq!(uninstall(&made).unwrap(), None);
    assert_eq!(uninstall(&install(None, &all()).unwrap()).unwrap(), None);
}

#[test]
fn entries_of_others_stay_where_they_are() {
    let text = r#"{
    "model": "opus",
    "hooks": {
        "PreToolUse": [
            {
                "matcher": "Bash",
                "hooks": [{ "type": "command", "command": "./check.sh" }]
            }
        ]
    },
    "env": { "A": "1" }
}
"#;
    insta::assert_snapshot!(installed(text), @r#"
    {
        "model": "opus",
        "hooks": {
            "PreToolUse": [
                {
                    "matcher": "Bash",
                    "hooks": [{ "type": "command", "command": "./check.sh" }]
                },
                {
                    "hooks": [
                        {
                            "type": "command",
                            "command": "/opt/weft",
                            "args": ["hook", "--agent", "claude-code"],
                            "async": true,
                            "timeout": 10
                        }
                    ]
                }
            ],
            "Stop": [
                {
                    "hooks": [
                        {
                            "type": "command",
                            "command": "/opt/weft",
                            "args": ["hook", "--agent", "claude-code"],
                            "timeout": 10
                        }
                    ]
                }
            ]
        },
        "env": { "A": "1" }
    }
    "#);
    assert_comes_back(text);
}

#[test]
fn the_style_of_the_file_is_kept() {
    for text in [
        "{}",
        "{ }",
        "{\n}\n",
        " {}",
        "\t{\n\t}",
        "{\"a\":1}",
        "{\"a\": 1, \"b\": {}}",
        "{\n\t\"a\": 1\n}",
        "{\r\n    \"a\": 1,\r\n    \"hooks\": {}\r\n}\r\n",
        "\u{feff}{\n  \"hooks\": {\n    \"Stop\": []\n  }\n}",
        "{\"hooks\":{\"Stop\":[],\"PreToolUse\":[ ]}}",
        "{\n  \"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"x\"}]}]}\n}\n",
        "  {\n \"hooks\" : { \n } , \"z\" : [ ] }  ",
        "{\n\"a\": 1,\n\"hooks\": {\n\"Stop\": [\n]\n}\n}\n",
        r#"{"weft":"weft hook","hooks":{"Stop":[{"hooks":[{"type":"command","command":"weft","args":["up"]},{"type":"prompt","prompt":"weft hook"}]}]}}"#,
    ] {
        assert_comes_back(text);
    }
}

#[test]
fn what_is_added_looks_like_what_is_there() {
    insta::assert_snapshot!(installed("{\"a\":1}"), @r#"{"a":1,"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"/opt/weft","args":["hook","--agent","claude-code"],"async":true,"timeout":10}]}],"Stop":[{"hooks":[{"type":"command","command":"/opt/weft","args":["hook","--agent","claude-code"],"timeout":10}]}]}}"#);
    insta::assert_snapshot!(installed("{\r\n\t\"a\": 1\r\n}").replace('\r', "␍").replace('\t', "→"), @r#"
    {␍
    →"a": 1,␍
    →"hooks": {␍
    →→"PreToolUse": [␍
    →→→{␍
    →→→→"hooks": [␍
    →→→→→{␍
    →→→→→→"type": "command",␍
    →→→→→→"command": "/opt/weft",␍
    →→→→→→"args": ["hook", "--agent", "claude-code"],␍
    →→→→→→"async": true,␍
    →→→→→→"timeout": 10␍
    →→→→→}␍
    →→→→]␍
    →→→}␍
    →→],␍
    →→"Stop": [␍
    →→→{␍
    →→→→"hooks": [␍
    →→→→→{␍
    →→→→→→"type": "command",␍
    →→→→→→"command": "/opt/weft",␍
    →→→→→→"args": ["hook", "--agent", "claude-code"],␍
    →→→→→→"timeout": 10␍
    →→→→→}␍
    →→→→]␍
    →→→}␍
    →→]␍
    →}␍
    }
    "#);
    insta::assert_snapshot!(installed("{}\n").replace(" \n", "·\n"), @r#"
    {·
      "hooks": {
        "PreToolUse": [
          {
            "hooks": [
              {
                "type": "command",
                "command": "/opt/weft",
                "args": ["hook", "--agent", "claude-code"],
                "async": true,
                "timeout": 10
              }
            ]
          }
        ],
        "Stop": [
          {
            "hooks": [
              {
                "type": "command",
                "command": "/opt/weft",
                "args": ["hook", "--agent", "claude-code"],
                "timeout": 10
              }
            ]
          }
        ]
      }
    }
    "#);
}

#[test]
fn an_entry_of_ours_that_is_out_of_date_is_renewed_in_place() {
    let old = wanted(Caller::ClaudeCode, Part::Reports, "/old/weft", None);
    let text = install(Some("{\n  \"a\": 1\n}\n"), &old).unwrap();
    let new = install(Some(&text), &all()).unwrap();
    assert_eq!(new, text.replace("/old/weft", "/opt/weft"));
    let stale = look(&text, &all()).unwrap();
    assert!(stale.iter().all(|present| !present.is_current));
    assert_eq!(stale.len(), 32);
}

#[test]
fn what_others_added_to_what_we_made_stays() {
    let made = install(None, &few()).unwrap();
    let theirs = r#",
      {
        "hooks": [{ "type": "command", "command": "./say.sh" }]
      }
    ]"#;
    let (before, after) = made.split_once("\n    ]").unwrap();
    let with_theirs = format!("{before}{theirs}{after}");
    insta::assert_snapshot!(uninstall(&with_theirs).unwrap().unwrap(), @r#"
    {
      "hooks": {
        "PreToolUse": [
          {
            "hooks": [{ "type": "command", "command": "./say.sh" }]
          }
        ]
      }
    }
    "#);
}

#[test]
fn an_entry_beside_others_in_one_group_goes_alone() {
    let text = r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"a"},{"type":"command","command":"weft","args":["hook"]},{"type":"command","command":"b"}]},{"matcher":"*","hooks":[{"type":"command","command":"'/x y/weft' hook --agent codex"}]}]}}"#;
    let without = r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"a"},{"type":"command","command":"b"}]}]}}"#;
    assert_eq!(uninstall(text).unwrap().as_deref(), Some(without));
}

#[test]
fn what_cannot_be_read_is_refused() {
    let refused = |text: &str| {
        let errors = [install(Some(text), &all()).unwrap_err(), uninstall(text).unwrap_err()];
        let [one, other] = errors.map(|error| error.to_string());
        assert_eq!(one, other);
        one
    };
    let all = [
        "",
        "{\n  // mine\n  \"a\": 1\n}",
        "{\"a\": 1,}",
        "[]",
        "{\"hooks\": []}",
        "{\"hooks\": {\"Stop\": {}}}",
        "{\"hooks\": {}, \"hooks\": {}}",
    ];
    insta::assert_snapshot!(all.map(refused).join("\n"), @"
    it is not JSON: empty line in line 1, column 1
    it is not JSON: unexpected character in line 2, column 3
    it is not JSON: unexpected character in line 1, column 9
    the whole is not an object but array
    `hooks` is not an object but array
    `hooks.Stop` is not an array but object
    the key `hooks` stands twice in one object
    ");
}

#[test]
fn the_store_that_is_named_is_read_back() {
    for store in [None, Some("/data/it's a \"store\""), Some("/s")] {
        for caller in [Caller::ClaudeCode, Caller::Codex] {
            let text = install(None, &wanted(caller, Part::Reports, "/opt/weft", store)).unwrap();
            assert_eq!(super::store(&text).unwrap().as_deref(), store, "{text}");
        }
    }
}

#[test]
fn only_a_true_switch_is_one() {
    assert!(are_all_off(r#"{"disableAllHooks":true}"#).unwrap());
    assert!(!are_all_off(r#"{"disableAllHooks":false}"#).unwrap());
    assert!(!are_all_off("{}").unwrap());
}

#[test]
fn codex_gets_a_line_for_its_shell_and_nothing_it_does_not_know() {
    let wanted = wanted(Caller::Codex, Part::Reports, "/opt/my weft/weft", Some("/data/it's"));
    let text = install(None, &wanted).unwrap();
    insta::assert_snapshot!(text.lines().take(14).collect::<Vec<_>>().join("\n"), @r#"
    {
      "hooks": {
        "SessionStart": [
          {
            "hooks": [
              {
                "type": "command",
                "command": "'/opt/my weft/weft' hook --agent codex --store '/data/it'\\''s'",
                "timeout": 10
              }
            ]
          }
        ],
        "SessionEnd": [
    "#);
    assert_eq!(look(&text, &wanted).unwrap().len(), 11);
    assert!(!text.contains("async") && !text.contains("args"));
    let end = Present { event: "SessionEnd".to_owned(), is_current: true };
    assert!(look(&text, &wanted).unwrap().contains(&end));
}

#[test]
fn worktrees_are_made_by_the_agent() {
    let text = install(None, &all()).unwrap();
    assert!(!text.contains("WorktreeCreate") && text.contains("WorktreeRemove"));
    assert_eq!(all().len(), 32);
}

/// Writes settings by the throw of dice: any shape, any white space, empty things everywhere, and nothing of ours.
struct Dice<'d> {
    left: std::slice::Iter<'d, u8>,
}

impl Dice<'_> {
    fn below(&mut self, n: usize) -> usize {
        usize::from(*self.left.next().unwrap_or(&0)) % n
    }

    fn pick<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }

    fn space(&mut self) -> &'static str {
        self.pick(&["", "", "", " ", "\n", "\n  ", "\n\t\t", "\r\n    ", "  \n "])
    }

    fn container(&mut self, ends: [char; 2], items: Vec<String>) -> String {
        let mut text = String::from(ends[0]);
        let gap = self.space();
        for (n, item) in items.iter().enumerate() {
            if n > 0 {
                text.push(',');
            }
            text += if self.below(8) == 0 { self.space() } else { gap };
            text += item;
        }
        text += self.space();
        text.push(ends[1]);
        text
    }

    fn member(&mut self, name: &str, value: &str) -> String {
        let colon = self.pick(&[":", ": ", " : ", ":\n"]);
        format!("\"{name}\"{colon}{value}")
    }

    fn handler(&mut self) -> String {
        let command = self.pick(&["\"./a.sh\"", "\"weft up\"", "\"say \\\"weft hook\\\"\"", "7"]);
        let kind = self.member("type", "\"command\"");
        let command = self.member("command", command);
        self.container(['{', '}'], vec![kind, command])
    }

    fn group(&mut self) -> String {
        let mut members = Vec::new();
        if self.below(2) == 0 {
            members.push(self.member("matcher", "\"Bash|é\""));
        }
        if self.below(5) > 0 {
            let n = self.below(3);
            let handlers = (0..n).map(|_| self.handler()).collect();
            let handlers = self.container(['[', ']'], handlers);
            members.push(self.member("hooks", &handlers));
        }
        self.container(['{', '}'], members)
    }

    fn hooks(&mut self) -> String {
        let mut events = Vec::new();
        for name in ["Stop", "Mine", "PreToolUse", "SessionEnd"] {
            if self.below(2) == 0 {
                let n = self.below(3);
                let groups = (0..n).map(|_| self.group()).collect();
                let groups = self.container(['[', ']'], groups);
                events.push(self.member(name, &groups));
            }
        }
        self.container(['{', '}'], events)
    }

    fn settings(&mut self) -> String {
        let mut members = Vec::new();
        for (name, value) in
            [("model", "\"opus\""), ("n", "-1.5e3"), ("o", "{ }"), ("é", "[[],{}]")]
        {
            if self.below(3) == 0 {
                members.push(self.member(name, value));
            }
        }
        if self.below(4) > 0 {
            let hooks = self.hooks();
            let at = self.below(members.len() + 1);
            let hooks = self.member("hooks", &hooks);
            members.insert(at, hooks);
        }
        let mark = self.pick(&["", "", "\u{feff}"]);
        let root = self.container(['{', '}'], members);
        format!("{mark}{}{root}{}", self.space(), self.space())
    }
}

proptest! {
    #[test]
    fn any_settings_come_back_as_they_were(dice in prop::collection::vec(any::<u8>(), 0..160)) {
        let text = Dice { left: dice.iter() }.settings();
        assert_comes_back(&text);
        let plain = |text: &str| {
            let mut tape = Tape::new();
            canonical(tape.parse(text.trim_start_matches('\u{feff}')).unwrap())
        };
        let with = install(Some(&text), &few()).unwrap();
        let theirs = plain(&uninstall(&with).unwrap().unwrap());
        prop_assert_eq!(theirs, plain(&text));
    }

    #[test]
    fn any_bytes_are_changed_or_refused(text: String) {
        if let Ok(with) = install(Some(&text), &few()) {
            prop_assert_eq!(uninstall(&with).unwrap(), Some(text));
        }
    }
}
