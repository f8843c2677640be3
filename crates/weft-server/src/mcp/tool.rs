//! The tools by name: what each is for, when to use it and when not, and what it is told.

use weft_event::Status;

use super::argument::{Argument, Need, Takes};
use crate::access::tokens::Scope;

/// Records of a page where nothing is said.
pub(super) const LIMIT_DEFAULT: usize = 20;

/// Records of a page at most.
pub(super) const LIMIT_MAX: usize = 200;

/// One tool.
#[derive(Debug)]
pub(super) struct Tool {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    pub(super) about: &'static str,
    pub(super) does: Does,
    arguments: &'static [Argument],
}

/// What a tool does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Does {
    /// It records something.
    Report(Of),
    /// It finds records.
    Query,
    /// It gives one record.
    Get,
    /// It says what needs a person.
    Attention,
    /// It posts a message to a topic.
    Post,
    /// It reads a topic.
    Read,
}

/// What a report is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Of {
    Lifecycle,
    Activity,
    Waiting,
    Blocked,
    Handoff,
    Decision,
    System,
}

impl Does {
    /// Returns what a token has to be good for.
    pub(super) fn scope(self) -> Scope {
        match self {
            Does::Report(_) | Does::Post => Scope::Write,
            Does::Query | Does::Get | Does::Attention | Does::Read => Scope::Read,
        }
    }
}

impl Tool {
    /// Returns the tool of a name.
    pub(super) fn named(name: &str) -> Option<&'static Tool> {
        TOOLS.iter().find(|tool| tool.name == name)
    }

    /// Returns what it is told.
    pub(super) fn arguments(&self) -> impl Iterator<Item = &'static Argument> + Clone {
        let common: &[Argument] = match self.does {
            Does::Report(_) => &COMMON,
            Does::Post => &COMMON[..2],
            Does::Query | Does::Get | Does::Attention | Does::Read => &[],
        };
        self.arguments.iter().chain(common)
    }
}

const fn required(name: &'static str, takes: Takes, about: &'static str) -> Argument {
    Argument { name, about, takes, need: Need::Required }
}

const fn optional(name: &'static str, takes: Takes, about: &'static str) -> Argument {
    Argument { name, about, takes, need: Need::Optional }
}

/// What every tool that writes is told beside its own.
const COMMON: [Argument; 5] = [
    optional(
        "agent_id",
        Takes::Text,
        "Who this is about. Leave it out when it is you, the main agent of the session; name yourself when you are a subagent or one \
         of several agents.",
    ),
    optional(
        "session_id",
        Takes::Text,
        "The session it belongs to. Leave it out where your client tells it (Claude Code does); else use one id for everything you \
         report in this conversation.",
    ),
    optional(
        "task_id",
        Takes::Text,
        "The issue, bead, step or ticket that the work is about, if there is one.",
    ),
    optional(
        "metadata",
        Takes::Object,
        "Anything else worth keeping, as an object. No secrets: they are taken out.",
    ),
    optional(
        "request_id",
        Takes::Text,
        "Only when you may have to repeat this call: any unique text. A second call with the same text records nothing new and \
         answers as the first.",
    ),
];

const MESSAGE: Argument = required(
    "message",
    Takes::Text,
    "One short sentence for the people who watch: what, and why if it is not obvious.",
);

const MESSAGE_OPTIONAL: Argument = optional(
    "message",
    Takes::Text,
    "One short sentence for the people who watch. Made from the other arguments if left out.",
);

const REJECTION: [Argument; 2] = [
    required("option", Takes::Text, "The option, as it stands in `options`."),
    required("reason", Takes::Text, "Why it was turned down."),
];

/// Every tool, in the order in which clients are shown them.
pub(super) static TOOLS: [Tool; 12] = [
    Tool {
        name: "report_lifecycle",
        title: "Report where a piece of work begins or ends",
        about: "Records that an agent started, completed, failed or was stopped. Call it once when you begin a task that a person \
                gave you and once when it is over. Not for steps in between: that is report_activity.",
        does: Does::Report(Of::Lifecycle),
        arguments: &[
            required(
                "state",
                Takes::Word(&["started", "completed", "error", "terminated"]),
                "started: work begins. completed: it is done and checked. error: it failed for good. terminated: it was stopped \
                 from outside before it was done.",
            ),
            MESSAGE,
        ],
    },
    Tool {
        name: "report_activity",
        title: "Report what you are doing now",
        about: "Records a step: planning, a tool that is not reported by itself, or how far the work is. Call it at milestones, not \
                for every action: where hooks are installed your tool calls are recorded already.",
        does: Does::Report(Of::Activity),
        arguments: &[
            required(
                "activity",
                Takes::Word(&["thinking", "progress", "tool_use"]),
                "thinking: you reason or plan. progress: you reached a point worth telling. tool_use: a tool ran or runs; name it \
                 in `tool_name`.",
            ),
            MESSAGE_OPTIONAL,
            optional("progress", Takes::Fraction, "How much of the task is done, from 0 to 1."),
            optional("tool_name", Takes::Text, "The tool, for tool_use."),
            optional("tool_input", Takes::Object, "What the tool was given."),
            optional("tool_result", Takes::Text, "What came of it, in short."),
            optional(
                "duration_ms",
                Takes::Whole { min: 0, max: u32::MAX as u64 },
                "How long the tool took, in milliseconds.",
            ),
        ],
    },
    Tool {
        name: "report_waiting",
        title: "Report that you wait for another agent",
        about: "Records that you cannot go on until another agent or a resource is ready, so that others see who waits for whom. \
                Call it before you wait. If only a person can help, use report_blocked.",
        does: Does::Report(Of::Waiting),
        arguments: &[
            required(
                "waiting_for",
                Takes::Text,
                "The agent (its agent_id) or the resource that you wait for.",
            ),
            optional(
                "expected_status",
                Takes::Word(Status::WORDS),
                "The status of that agent which ends the wait. completed if left out.",
            ),
            MESSAGE_OPTIONAL,
        ],
    },
    Tool {
        name: "report_blocked",
        title: "Report that you need help",
        about: "Records that you cannot go on without a person: a permission, a decision, a credential, a broken environment. It \
                raises attention, so say exactly what is needed. Not for waiting on another agent.",
        does: Does::Report(Of::Blocked),
        arguments: &[
            required("message", Takes::Text, "What stops you, in one sentence."),
            optional("needs", Takes::Text, "What would let you go on, and from whom."),
        ],
    },
    Tool {
        name: "report_handoff",
        title: "Hand work to another agent",
        about: "Records that another agent takes the work over from here. Call it when you stop and somebody else goes on with the \
                same task.",
        does: Does::Report(Of::Handoff),
        arguments: &[
            required("handoff_to", Takes::Text, "The agent_id of who goes on."),
            optional(
                "message",
                Takes::Text,
                "What is done, what is left, and what the other agent must know.",
            ),
        ],
    },
    Tool {
        name: "record_decision",
        title: "Record a decision",
        about: "Records a choice between real alternatives, with its reasons, so that people can follow it later: an architecture, a \
                library, a data format, a change of plan. Not for small steps. Everything about one decision goes into one call; to \
                add reasons or a rejected option later, call it again with the same decision_id and without `chosen`.",
        does: Does::Report(Of::Decision),
        arguments: &[
            required("message", Takes::Text, "The decision in one sentence."),
            optional("chosen", Takes::Text, "The option that was taken."),
            optional(
                "options",
                Takes::Texts,
                "All options that were considered, the chosen one too.",
            ),
            optional("rationale", Takes::Text, "Why, in a few sentences."),
            optional(
                "reasoning",
                Takes::Text,
                "The longer reasoning, if it is worth keeping; it becomes a record of its own.",
            ),
            optional(
                "rejected",
                Takes::List(&REJECTION),
                "The options that were turned down, each with its reason.",
            ),
            optional(
                "category",
                Takes::Text,
                "What kind of decision it is, such as architecture, framework, security or scope.",
            ),
            optional(
                "decision_id",
                Takes::Text,
                "The decision this belongs to, as an earlier answer gave it. Made if left out.",
            ),
        ],
    },
    Tool {
        name: "report_system",
        title: "Report on the system below you",
        about: "Records what concerns your environment and not your task: that you are alive during a long job, that a setting \
                changed, that infrastructure failed. A failure of the task itself goes to report_lifecycle.",
        does: Does::Report(Of::System),
        arguments: &[
            required(
                "kind",
                Takes::Word(&["heartbeat", "config_change", "error"]),
                "heartbeat: you are alive; at most once a minute. config_change: a setting was changed; put old and new into \
                 `metadata`. error: something below you failed, such as the network, a disk or a service.",
            ),
            MESSAGE_OPTIONAL,
        ],
    },
    Tool {
        name: "query_events",
        title: "Find what happened",
        about: "Finds recorded events of all agents and sessions. Use it to see what other agents do or did, what was decided \
                before, what failed, or to pick up earlier work. Grammar of `filter`: terms side by side must all match; `or`, \
                `not` and parentheses combine them. A bare word or \"quoted words\" search the text. field=value (globs with * \
                and ?), field!=value, field~regex, and <, <=, >, >= for numbers, times and levels. Fields: type, status (started, \
                thinking, tool_use, progress, waiting, blocked, completed, error), level (debug, info, warn, error), actor, \
                session, task, tool, path, message, dialect, position, duration, cost; .path.into.event=value for anything else; \
                has:field; since:2h, until:2026-11-14T10:00. Examples: `status=error since:1d` · `type=decision.* database` · \
                `session=s-1 tool=Bash -level=debug` · `actor=builder or actor=tester`.",
        does: Does::Query,
        arguments: &[
            optional("filter", Takes::Text, "Which events; all if left out."),
            optional(
                "limit",
                Takes::Whole { min: 1, max: LIMIT_MAX as u64 },
                "How many at most; 20 if left out. An answer that would be too long ends earlier.",
            ),
            optional(
                "order",
                Takes::Word(&["newest", "oldest"]),
                "Which come first: newest (if left out) or oldest.",
            ),
            optional(
                "cursor",
                Takes::Text,
                "Goes on where an earlier answer ended: its `next_cursor`, with the same filter. It keeps that answer's order.",
            ),
        ],
    },
    Tool {
        name: "get_event",
        title: "Show one event whole",
        about: "Returns the event at a position of the log, with all its fields. Use it when an answer of query_events shortened \
                an event, or when somebody names a position.",
        does: Does::Get,
        arguments: &[required(
            "position",
            Takes::Whole { min: 1, max: u64::MAX },
            "The position, as answers give it.",
        )],
    },
    Tool {
        name: "attention",
        title: "See what needs a person",
        about: "Lists what needs a person now, the worst first: permissions that are asked for, questions, agents that are blocked, \
                stuck or waiting for each other, failures, budgets that are used up, agents that get in each other's way. Use it \
                when you are asked who needs help, or before you begin something that others may wait for. Each row has the \
                positions of the events that made it, for get_event.",
        does: Does::Attention,
        arguments: &[optional(
            "limit",
            Takes::Whole { min: 1, max: LIMIT_MAX as u64 },
            "How many at most; 20 if left out. An answer that would be too long ends earlier.",
        )],
    },
    Tool {
        name: "post",
        title: "Post a message to a topic",
        about: "Leaves a message for other agents and for people, now or later, on a named topic: a finding, a question, a result, a \
                request. issue:ID, project:NAME and agent:NAME are always there; others are made by a person. Say who you are with \
                `role` where several agents talk. To answer a message give its id as `reply_to` instead of a topic. Not for what \
                you are doing right now: that is report_activity.",
        does: Does::Post,
        arguments: &[
            optional(
                "topic",
                Takes::Text,
                "The topic's name, such as issue:auth-12 or agent:builder.",
            ),
            required("message", Takes::Text, "What it says. It is kept to the byte."),
            optional(
                "reply_to",
                Takes::Text,
                "Id of the message that this answers, or the beginning of it; it goes to that message's topic.",
            ),
            optional(
                "key",
                Takes::Text,
                "In a last-value topic, what the message is the newest value of.",
            ),
            optional("model", Takes::Text, "The model that you run on."),
            optional("role", Takes::Text, "The part that you play, such as reviewer or architect."),
        ],
    },
    Tool {
        name: "read",
        title: "Read a topic",
        about: "Reads what was posted to a topic, the newest first; of a last-value topic the newest message of each key. Use it \
                before you begin work that others may have written about, and to see answers to what you posted. `stale` says that \
                a message counts no more.",
        does: Does::Read,
        arguments: &[
            required(
                "topic",
                Takes::Text,
                "The topic's name, such as issue:auth-12 or loop:current.",
            ),
            optional(
                "limit",
                Takes::Whole { min: 1, max: LIMIT_MAX as u64 },
                "How many at most; 20 if left out. An answer that would be too long ends earlier.",
            ),
            optional("key", Takes::Text, "Only messages of this key, in a last-value topic."),
        ],
    },
];
