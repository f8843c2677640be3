//! The names of rules, which are an interface.

use insta::assert_snapshot;

use super::Rules;

#[test]
fn names_and_defaults_are_what_the_documents_say() {
    let rules = serde_json::to_string_pretty(&Rules::default()).expect("rules are JSON");
    assert_snapshot!(rules, @r#"
    {
      "events_alive_ms": 120000,
      "heartbeat_alive_ms": 120000,
      "same_call_times": 5,
      "same_edit_times": 4,
      "silent_ms": 120000,
      "same_state_ms": 300000,
      "slow_ms": 600000,
      "slow_completions": 2,
      "stuck_kept_ms": 43200000,
      "file_collision_ms": 5000,
      "folder_collision_ms": 30000,
      "task_collision_ms": 60000,
      "collision_kept_ms": 600000,
      "is_folder_collision_a_need": false,
      "budget_warning": 0.8,
      "budget_critical": 0.95,
      "budget_kept_ms": 3600000,
      "loop_stale_ms": 7200000,
      "failed_kept_ms": 86400000,
      "need_kept_ms": 604800000,
      "is_idle_a_need": false
    }
    "#);
}

#[test]
fn what_is_left_out_has_its_default_and_what_is_unknown_is_an_error() {
    let rules: Rules = serde_json::from_str(r#"{"silent_ms": 1000}"#).expect("one rule is enough");
    assert_eq!(rules, Rules { silent_ms: 1_000, ..Rules::default() });
    let error = serde_json::from_str::<Rules>(r#"{"silence_ms": 1000}"#).expect_err("no such rule");
    assert_snapshot!(error.to_string().split(',').next().unwrap_or_default(), @"unknown field `silence_ms`");
}
