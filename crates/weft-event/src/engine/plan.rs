//! What a run is for: the task with its limits, and the plan with its steps.

use std::borrow::Cow;

use crate::shape::{Check, Rule, record, text_enum};

text_enum! {
    /// How far a step is.
    pub enum StepStatus {
        /// Not begun.
        Pending = "pending",
        /// Begun.
        Running = "running",
        /// Finished.
        Done = "done",
        /// Left out.
        Skipped = "skipped",
        /// Failed.
        Error = "error",
    }
}

record! {
    /// One step of a plan.
    pub struct Step = STEP("Plan Step", Allowed) {
        /// Id of the step within its plan.
        id: ! Cow<'a, str> = Check::Text(Rule::NonEmpty);
        /// What is to be done.
        title: ! Cow<'a, str> = Check::TEXT;
        /// What must hold once it is done.
        criteria: ? Vec<Cow<'a, str>> = Check::TEXTS;
        /// How far it is.
        status: ! StepStatus = Check::Text(Rule::OneOf(StepStatus::WORDS));
        /// Whether it is done.
        done: ? bool = Check::Bool;
        /// Whether a person has to look before the run goes on: continue, redirect or stop.
        hard_stop as "hardStop": ? bool = Check::Bool;
    }
}

record! {
    /// The way to a goal, step by step.
    pub struct Plan = PLAN("Plan", Allowed) {
        /// Number of this version of the plan.
        version: ! u64 = Check::COUNT;
        /// What shall be reached.
        goal: ! Cow<'a, str> = Check::TEXT;
        /// The steps, in order.
        steps: ! Vec<Step<'a>> = Check::List(&Check::Shape(&STEP));
    }
}

record! {
    /// What a run may use up. A limit reached makes the run wait for a person; it is not an error.
    pub struct Budget = BUDGET("Budget", Allowed) {
        /// Most iterations.
        max_iterations as "maxIterations": ? u64 = Check::COUNT;
        /// Most tool calls.
        max_tool_calls as "maxToolCalls": ? u64 = Check::COUNT;
        /// Longest time from start to end.
        max_wall_time_ms as "maxWallTimeMs": ? u64 = Check::COUNT;
    }
}

record! {
    /// What a run may do without asking.
    pub struct RiskPolicy = RISK_POLICY("Risk Policy", Allowed) {
        /// Whether it may use the network.
        allow_network as "allowNetwork": ? bool = Check::Bool;
        /// What happens with commands, such as `confirm`.
        command_policy as "commandPolicy": ? Cow<'a, str> = Check::TEXT;
        /// Which paths it may touch, such as `workspace_only`.
        path_policy as "pathPolicy": ? Cow<'a, str> = Check::TEXT;
    }
}

text_enum! {
    /// How much a run does by itself.
    pub enum Autonomy {
        /// All of it.
        Auto = "auto",
        /// Some of it.
        Semi = "semi",
        /// It makes the plan and stops.
        PlanOnly = "plan-only",
    }
}

record! {
    /// A task and the limits it runs in.
    pub struct TaskConfig = TASK_CONFIG("Task Config", Allowed) {
        /// The task.
        task_id as "taskId": ! Cow<'a, str> = Check::Text(Rule::NonEmpty);
        /// The folder it works in.
        workspace: ! Cow<'a, str> = Check::TEXT;
        /// What shall be reached.
        goal: ! Cow<'a, str> = Check::TEXT;
        /// What must hold once it is reached.
        completion: ? Vec<Cow<'a, str>> = Check::TEXTS;
        /// What it may use up.
        budget: ? Budget<'a> = Check::Shape(&BUDGET);
        /// What it may do without asking.
        risk_policy as "riskPolicy": ? RiskPolicy<'a> = Check::Shape(&RISK_POLICY);
        /// How much it does by itself.
        autonomy: ? Autonomy = Check::Text(Rule::OneOf(Autonomy::WORDS));
    }
}
