//! Made-up idle events: loop states, anchors, messages, traces and control.

use super::draw::Draw;
use crate::idle::{Command, Mode, Refusal, TraceEvent};
use crate::json::{Json, Object};

pub(super) fn write(object: &mut Object<'_>, event_type: &str, draw: &mut Draw) {
    let mode = draw.dice.pick(Mode::WORDS);
    let run = format!("{mode}-{}-{}", draw.seconds() / 3600 * 3600, 12_000 + draw.producer());
    match event_type {
        "STATE" => write_state(object, mode, &run, draw),
        "DONE" => {
            let reasons = ["COMPLETE", "MAX_ITERATIONS", "NO_MORE_ISSUES", "MAX_ISSUES"];
            write_end(object, event_type, Some(draw.dice.pick(&reasons)), &run, draw);
        }
        "ABORT" => {
            let reason = draw.dice.chance(50).then_some("USER_CANCELLED");
            write_end(object, event_type, reason, &run, draw);
        }
        "ANCHOR" => write_anchor(object, mode, draw),
        "topic" => {
            object.text("type", "topic");
            object.text("id", &ulid(draw));
            object.text("name", &format!("issue:auth-{}", draw.dice.below(300)));
            draw.write_prose(object, "description", 2);
            object.json("created_at", &Json::integer(draw.millis()));
        }
        "message" => write_message(object, draw),
        _ => match event_type.strip_prefix("control.") {
            Some(word) => write_control(object, word, &run, draw),
            None => {
                let word = event_type.strip_prefix("trace.").unwrap_or(event_type);
                write_trace(object, word, mode, &run, draw);
            }
        },
    }
}

/// Writes one of the documents that have a schema of their own; `false` if there is none of this name.
pub(super) fn write_document(object: &mut Object<'_>, name: &str, draw: &mut Draw) -> bool {
    match name {
        "state" | "done" | "abort" | "anchor" => write(object, &name.to_uppercase(), draw),
        "topic" | "message" => write(object, name, draw),
        "request" | "ack" | "result" => {
            write(object, &format!("control.{}", name.to_uppercase()), draw);
        }
        "trace" => {
            let word = draw.dice.pick(TraceEvent::ALL).event_type();
            write(object, word, draw);
        }
        "frame" => {
            let mode = draw.dice.pick(Mode::WORDS);
            write_frame(object, mode, &format!("{mode}-{}-12000", draw.seconds()), draw);
        }
        _ => return false,
    }
    true
}

fn write_state(object: &mut Object<'_>, mode: &str, run: &str, draw: &mut Draw) {
    object.json("schema", &Json::integer(0));
    object.text("event", "STATE");
    object.text("run_id", run);
    object.text("updated_at", &draw.time());
    let outer = frame(mode, run, draw);
    let stack = if mode == "grind" && draw.dice.chance(60) {
        let id = format!("issue-auth-{}-{}", draw.dice.below(300), draw.seconds());
        Json::array([outer, frame("issue", &id, draw)])
    } else {
        Json::array([outer])
    };
    object.json("stack", &stack);
}

fn frame(mode: &str, id: &str, draw: &mut Draw) -> Json<'static> {
    Json::object(|frame| write_frame(frame, mode, id, draw))
}

fn write_frame(frame: &mut Object<'_>, mode: &str, id: &str, draw: &mut Draw) {
    frame.text("id", id);
    frame.text("mode", mode);
    frame.json("iter", &draw.count(1, 9));
    frame.json("max", &Json::integer(if mode == "grind" { 100 } else { 10 }));
    frame.text("prompt_file", &format!("/home/ana/.weft/prompts/{id}/prompt.txt"));
    match mode {
        "grind" => frame.text("filter", "priority:1"),
        "issue" => {
            let issue = format!("auth-{}", draw.dice.below(300));
            frame.text("issue_id", &issue);
            frame.text("worktree_path", &format!("/home/ana/app/.worktrees/idle/{issue}"));
            frame.text("branch", &format!("idle/issue/{issue}"));
            frame.text("base_ref", "main");
        }
        _ => {}
    }
}

fn write_end(
    object: &mut Object<'_>,
    event: &str,
    reason: Option<&str>,
    run: &str,
    draw: &mut Draw,
) {
    object.json("schema", &Json::integer(0));
    object.text("event", event);
    if let Some(reason) = reason {
        object.text("reason", reason);
    }
    object.json("stack", &Json::array([]));
    if draw.dice.chance(50) {
        object.text("run_id", run);
        object.text("updated_at", &draw.time());
        draw.write_prose(object, "summary", 3);
    }
}

fn write_anchor(object: &mut Object<'_>, mode: &str, draw: &mut Draw) {
    object.json("schema", &Json::integer(0));
    draw.write_prose(object, "goal", 2);
    object.text("mode", mode);
    object.text("iteration", &format!("{}/10", draw.dice.between(1, 9)));
    let commits =
        format!("Recent commits: {}; {}; {}", draw.dice.hex(7), draw.dice.hex(7), draw.dice.hex(7));
    object.text("progress", &commits);
    object.text("modified_files", &format!("{}, {}", draw.path(), draw.path()));
    draw.write_prose(object, "next_step", 2);
    object.text("timestamp", &draw.time());
}

fn write_message(object: &mut Object<'_>, draw: &mut Draw) {
    object.text("type", "message");
    object.text("id", &ulid(draw));
    object.text("topic_id", &ulid(draw));
    if draw.dice.chance(50) {
        object.text("parent_id", &ulid(draw));
    }
    draw.write_prose(object, "body", 6);
    object.json("created_at", &Json::integer(draw.millis()));
    let sender = Json::object(|sender| {
        sender.text("id", &format!("agent-{}", draw.producer()));
        sender.text("name", draw.dice.pick(&["alice", "bob", "zoë"]));
        sender.text("model", draw.model());
        sender.text("role", "worker");
    });
    object.json("sender", &sender);
    let git = Json::object(|git| {
        git.text("oid", &draw.dice.hex(40));
        git.text("head", "main");
        git.json("dirty", &Json::bool(draw.dice.chance(50)));
        git.text("prefix", "");
    });
    object.json("git", &git);
}

fn write_trace(object: &mut Object<'_>, event: &str, mode: &str, run: &str, draw: &mut Draw) {
    object.text("event_id", &ulid(draw));
    object.text("ts", &draw.time());
    object.text("run_id", run);
    object.text("loop_kind", mode);
    object.text("event", event);
    object.json("iteration", &draw.count(1, 9));
    object.json("max", &Json::integer(10));
    let details = Json::object(|details| draw.write_prose(details, "note", 4));
    object.json("details", &details);
}

fn write_control(object: &mut Object<'_>, word: &str, run: &str, draw: &mut Draw) {
    object.json("schema", &Json::integer(0));
    object.text("event", word);
    object.text("request_id", &draw.uuid());
    object.text("ts", &draw.time());
    object.text("run_id", run);
    if word == "REQUEST" {
        object.text("command", draw.dice.pick(Command::WORDS));
        draw.write_prose(object, "reason", 3);
    }
    if word == "RESULT" {
        let ok = draw.dice.chance(70);
        object.json("ok", &Json::bool(ok));
        if !ok {
            object.text("code", draw.dice.pick(Refusal::WORDS));
        }
        let details = Json::object(|details| draw.write_prose(details, "note", 3));
        object.json("details", &details);
    }
}

/// Returns an id that begins with the time, in Crockford's base 32.
fn ulid(draw: &mut Draw) -> String {
    const DIGITS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    let bits = (u128::from(draw.millis()) << 80) | (u128::from(draw.dice.bits()) << 8);
    let digit = |n: u32| char::from(DIGITS[(bits >> (5 * (25 - n)) & 31) as usize]);
    (0..26).map(digit).collect()
}
