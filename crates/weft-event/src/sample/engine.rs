//! Made-up engine events, and the documents that they carry.

use super::draw::Draw;
use crate::json::{Json, Object};

/// The actions that the engine executes.
const ACTIONS: [&str; 16] = [
    "terminal.run",
    "terminal.exec",
    "fs.read",
    "fs.write",
    "fs.applyPatch",
    "fs.search",
    "git.status",
    "git.diff",
    "git.commit",
    "checkpoint.create",
    "checkpoint.restore",
    "browser.fetch",
    "tests.run",
    "plan.update",
    "task.update",
    "user.ask",
];
const STATES: [&str; 6] = ["IDLE", "RUNNING", "PAUSED", "AWAITING_USER", "ERROR", "FINISHED"];

pub(super) fn write(object: &mut Object<'_>, event_type: &str, draw: &mut Draw) {
    object.text("id", &draw.uuid());
    object.text("runId", &draw.steady_uuid(7));
    object.json("ts", &Json::integer(draw.millis()));
    object.json("seq", &Json::integer(draw.sequence()));
    object.text("type", event_type);
    object.json("payload", &Json::object(|payload| write_payload(payload, event_type, draw)));
}

fn write_payload(payload: &mut Object<'_>, event_type: &str, draw: &mut Draw) {
    let call = format!("tool-{}", draw.dice.hex(8));
    match event_type {
        "StateChanged" => {
            payload.text("from", draw.dice.pick(&STATES));
            payload.text("to", draw.dice.pick(&STATES));
            payload.text(
                "reason",
                draw.dice.pick(&["start", "step_budget", "judge_pass", "finished"]),
            );
        }
        "UserMessage" | "AgentMessage" | "AgentMessageDone" => {
            draw.write_prose(payload, "text", 8);
        }
        "AgentMessageChunk" | "ToolCallChunk" => {
            payload.text("id", &call);
            draw.write_prose(payload, "chunk", 4);
        }
        "AgentActionProposed" | "ToolCallStarted" => {
            payload.json("action", &action(&call, draw));
        }
        "ToolCallFinished" => {
            payload.text("id", &call);
            payload.json("observation", &Json::object(|o| write_observation(o, draw)));
            payload.json("durationMs", &draw.duration());
        }
        "Observation" => write_observation(payload, draw),
        "PlanUpdated" => payload.json("plan", &Json::object(|plan| write_plan(plan, draw))),
        "TaskUpdated" => payload.json("task", &Json::object(|task| write_task(task, draw))),
        "JudgeResult" => write_result(payload, draw),
        _ => {
            payload.text("code", "E_STEP");
            draw.write_prose(payload, "message", 3);
        }
    }
}

/// Writes one of the documents that are checked on their own; `false` if there is none of this name.
pub(super) fn write_document(object: &mut Object<'_>, name: &str, draw: &mut Draw) -> bool {
    match name {
        "action" => {
            let id = format!("tool-{}", draw.dice.hex(8));
            write_action(object, &id, draw);
        }
        "observation" => write_observation(object, draw),
        "plan" => write_plan(object, draw),
        "task" => write_task(object, draw),
        "rule" => write_rule(object, draw),
        "result" => write_result(object, draw),
        "evidence" => write_evidence(object, draw),
        _ => return false,
    }
    true
}

fn action(id: &str, draw: &mut Draw) -> Json<'static> {
    Json::object(|action| write_action(action, id, draw))
}

fn write_action(action: &mut Object<'_>, id: &str, draw: &mut Draw) {
    let kind = draw.dice.pick(&ACTIONS);
    action.text("id", id);
    action.text("type", kind);
    match kind {
        "terminal.run" => {
            action.text("program", "npm");
            action.json("args", &Json::array(["run", "test", "--silent"].map(Json::text)));
        }
        "terminal.exec" => action.text("cmd", draw.command()),
        "fs.read" => action.text("path", &draw.path()),
        "fs.write" => {
            action.text("path", &draw.path());
            action.text("content", &draw.code(8));
        }
        "fs.applyPatch" => {
            action.text("path", &draw.path());
            action.text("patch", &format!("@@ -1,2 +1,3 @@\n{}", draw.code(5)));
        }
        "fs.search" => {
            action.text("pattern", "TODO");
            action.json("paths", &Json::array(["src", "tests"].map(Json::text)));
        }
        "git.diff" => action.text("path", &draw.path()),
        "git.commit" => draw.write_prose(action, "message", 2),
        "checkpoint.create" => action.text("label", "before the change"),
        "checkpoint.restore" => action.text("checkpointId", &format!("cp-{}", draw.dice.hex(6))),
        "browser.fetch" => action.text("url", "https://example.com/größe?q=1"),
        "tests.run" => action.json("command", &Json::array(["npm", "test"].map(Json::text))),
        "plan.update" => action.json("plan", &Json::object(|plan| write_plan(plan, draw))),
        "task.update" => action.json("task", &Json::object(|task| write_task(task, draw))),
        "user.ask" => draw.write_prose(action, "question", 2),
        _ => {}
    }
}

fn write_observation(observation: &mut Object<'_>, draw: &mut Draw) {
    let ok = draw.dice.chance(80);
    observation.json("ok", &Json::bool(ok));
    draw.write_prose(observation, "summary", 3);
    observation.json("exitCode", &Json::integer(u64::from(!ok)));
    let artifacts = Json::object(|artifacts| artifacts.text("path", &draw.path()));
    observation.json("artifacts", &artifacts);
    let raw = Json::object(|raw| draw.write_prose(raw, "stdout", 5));
    observation.json("raw", &raw);
}

fn write_plan(plan: &mut Object<'_>, draw: &mut Draw) {
    plan.json("version", &Json::integer(1));
    draw.write_prose(plan, "goal", 1);
    let n = draw.dice.between(1, 4);
    let step = |n| {
        Json::object(|step| {
            let status = draw.dice.pick(&["pending", "running", "done", "skipped", "error"]);
            step.text("id", &format!("step-{n}"));
            draw.write_prose(step, "title", 1);
            step.json("criteria", &Json::array(["tests pass"].map(Json::text)));
            step.text("status", status);
            step.json("done", &Json::bool(status == "done"));
            step.json("hardStop", &Json::bool(draw.dice.chance(10)));
        })
    };
    plan.json("steps", &Json::array((1..=n).map(step)));
}

fn write_task(task: &mut Object<'_>, draw: &mut Draw) {
    task.text("taskId", &draw.uuid());
    task.text("workspace", "D:/repo");
    draw.write_prose(task, "goal", 1);
    task.json("completion", &Json::array(["tests pass", "git clean"].map(Json::text)));
    let budget = Json::object(|budget| {
        budget.json("maxIterations", &draw.count(5, 60));
        budget.json("maxToolCalls", &draw.count(50, 400));
        budget.json("maxWallTimeMs", &Json::integer(3_600_000));
    });
    task.json("budget", &budget);
    let policy = Json::object(|policy| {
        policy.json("allowNetwork", &Json::bool(draw.dice.chance(20)));
        policy.text("commandPolicy", "confirm");
        policy.text("pathPolicy", "workspace_only");
    });
    task.json("riskPolicy", &policy);
    task.text("autonomy", draw.dice.pick(&["auto", "semi", "plan-only"]));
}

fn write_rule(rule: &mut Object<'_>, draw: &mut Draw) {
    rule.text("id", draw.dice.pick(&["tests_pass", "lint_clean"]));
    rule.text("type", "command");
    rule.json("command", &Json::array(["npm", "test"].map(Json::text)));
    rule.text("successMatch", "PASS");
    rule.text("failMatch", "FAIL");
}

fn write_result(result: &mut Object<'_>, draw: &mut Draw) {
    result.text("status", draw.dice.pick(&["pass", "fail", "pending", "skip"]));
    let reasons = (0..draw.dice.below(3)).map(|_| Json::text(&draw.sentence()));
    result.json("reasons", &Json::array(reasons.collect::<Vec<_>>()));
    let evidence =
        [format!("events:tool-{}", draw.dice.hex(4)), format!("timeline:{}", draw.dice.below(900))];
    result.json("evidence", &Json::array(evidence.iter().map(|text| Json::text(text))));
}

fn write_evidence(evidence: &mut Object<'_>, draw: &mut Draw) {
    evidence.json("iteration", &draw.count(1, 30));
    evidence.text("stepId", &format!("step-{}", draw.dice.between(1, 4)));
    evidence.json("toolCalls", &Json::array(["tool-1", "tool-2"].map(Json::text)));
    evidence.text("diff", &format!("patch-{}", draw.dice.hex(6)));
    evidence.json("errors", &Json::array([Json::text(&draw.sentence())]));
    draw.write_prose(evidence, "summary", 2);
}
