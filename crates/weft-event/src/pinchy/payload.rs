//! The payload contracts: what belongs to an event of each type that has one.
//!
//! Only the fields that say which call, job, pairing, response or revision is meant must be there; any field may be added.

use std::borrow::Cow;

use super::{ComponentType, EventType};
use crate::json::Json;
use crate::shape::{Check, Rule, Shape, record, text_enum};

/// The payload contracts by event type.
pub(super) static CONTRACTS: &[(&str, &Check)] = &[
    ("channel.message.received", &Check::Shape(&MESSAGE_RECEIVED)),
    ("cron.triggered", &Check::Shape(&CRON_TRIGGERED)),
    ("agent.response.created", &Check::Shape(&RESPONSE_CREATED)),
    ("tool.call.requested", &Check::Shape(&TOOL_REQUESTED)),
    ("tool.call.completed", &Check::Shape(&TOOL_COMPLETED)),
    ("tool.call.failed", &Check::Shape(&TOOL_FAILED)),
    ("pairing.started", &Check::Shape(&PAIRING_STARTED)),
    ("pairing.completed", &Check::Shape(&PAIRING_COMPLETED)),
    ("pairing.failed", &Check::Shape(&PAIRING_FAILED)),
    ("config.applied", &Check::Shape(&CONFIG_APPLIED)),
];

/// Returns the contract of an event type, if it has one.
pub(super) fn contract(event_type: EventType) -> Option<&'static Shape> {
    match event_type {
        EventType::MessageReceived => Some(&MESSAGE_RECEIVED),
        EventType::CronTriggered => Some(&CRON_TRIGGERED),
        EventType::ResponseCreated => Some(&RESPONSE_CREATED),
        EventType::ToolRequested => Some(&TOOL_REQUESTED),
        EventType::ToolCompleted => Some(&TOOL_COMPLETED),
        EventType::ToolFailed => Some(&TOOL_FAILED),
        EventType::PairingStarted => Some(&PAIRING_STARTED),
        EventType::PairingCompleted => Some(&PAIRING_COMPLETED),
        EventType::PairingFailed => Some(&PAIRING_FAILED),
        EventType::ConfigApplied => Some(&CONFIG_APPLIED),
        EventType::MessageEdited
        | EventType::MessageDeleted
        | EventType::HeartbeatTick
        | EventType::TurnStarted
        | EventType::TurnCompleted
        | EventType::TurnFailed
        | EventType::ConfigReverted => None,
    }
}

/// What a component can pair with.
const REMOTE_TYPE: Check =
    Check::Text(Rule::OneOf(&["tool_host", "listener", "subscriber", "provider"]));

text_enum! {
    /// What is attached to a message.
    pub enum AttachmentType {
        /// A picture.
        Image = "image",
        /// A recording.
        Audio = "audio",
        /// Any file.
        File = "file",
        /// A film.
        Video = "video",
    }
}

record! {
    /// One attachment of a message.
    pub struct Attachment = ATTACHMENT("Attachment", Allowed) {
        /// What it is.
        kind as "type": ? AttachmentType = Check::Text(Rule::OneOf(AttachmentType::WORDS));
        /// Where it is.
        url: ? Cow<'a, str> = Check::TEXT;
        /// Its media type.
        mime_type: ? Cow<'a, str> = Check::TEXT;
        /// Its name.
        name: ? Cow<'a, str> = Check::TEXT;
    }
}

record! {
    /// A message that came in.
    pub struct MessageReceived = MESSAGE_RECEIVED("Message Received", Allowed) {
        /// What it says.
        text: ? Cow<'a, str> = Check::TEXT;
        /// What is attached.
        attachments: ? Vec<Attachment<'a>> = Check::List(&Check::Shape(&ATTACHMENT));
        /// The message it answers.
        reply_to_message_id: ? Cow<'a, str> = Check::TEXT;
        /// What the platform sent.
        raw: ? Json<'a> = Check::Object;
    }
}

text_enum! {
    /// Why a job runs.
    pub enum CronReason {
        /// A regular look at what is to do.
        Heartbeat = "heartbeat",
        /// Its time has come.
        ScheduledTask = "scheduled_task",
    }
}

record! {
    /// A job that is due.
    pub struct CronTriggered = CRON_TRIGGERED("Cron Triggered", Allowed) {
        /// The job.
        job_id: ! Cow<'a, str> = Check::TEXT;
        /// Its name.
        job_name: ? Cow<'a, str> = Check::TEXT;
        /// When it should run.
        scheduled_for: ? Cow<'a, str> = Check::TIME;
        /// When it did run.
        triggered_at: ? Cow<'a, str> = Check::TIME;
        /// What it is given.
        input: ? Json<'a> = Check::Object;
        /// Why it runs.
        reason: ? CronReason = Check::Text(Rule::OneOf(CronReason::WORDS));
    }
}

text_enum! {
    /// What a part of an answer is.
    pub enum ContentType {
        /// Text.
        Text = "text",
    }
}

record! {
    /// One part of an answer.
    pub struct Content = CONTENT("Content", Allowed) {
        /// What it is.
        kind as "type": ? ContentType = Check::Text(Rule::OneOf(ContentType::WORDS));
        /// What it says.
        text: ? Cow<'a, str> = Check::TEXT;
    }
}

text_enum! {
    /// What an agent does on a platform.
    pub enum ActionKind {
        /// It sends a message.
        SendMessage = "send_message",
        /// It reacts to a message.
        React = "react",
        /// It does something that only this platform has.
        PlatformAction = "platform_action",
    }
}

record! {
    /// One thing that an agent does on a platform.
    pub struct ResponseAction = RESPONSE_ACTION("Response Action", Allowed) {
        /// What it does.
        kind: ? ActionKind = Check::Text(Rule::OneOf(ActionKind::WORDS));
        /// Where, if not at the event's target.
        target_override: ? Json<'a> = Check::Object;
        /// With what.
        args: ? Json<'a> = Check::Object;
    }
}

record! {
    /// What an answer used up.
    pub struct ResponseUsage = RESPONSE_USAGE("Response Usage", Allowed) {
        /// Tokens read.
        input_tokens: ? u64 = Check::COUNT;
        /// Tokens written.
        output_tokens: ? u64 = Check::COUNT;
        /// The model.
        model: ? Cow<'a, str> = Check::TEXT;
        /// Its provider.
        provider: ? Cow<'a, str> = Check::TEXT;
    }
}

record! {
    /// An answer of an agent.
    pub struct ResponseCreated = RESPONSE_CREATED("Response Created", Allowed) {
        /// The answer.
        response_id: ! Cow<'a, str> = Check::TEXT;
        /// What it says, part by part.
        content: ? Vec<Content<'a>> = Check::List(&Check::Shape(&CONTENT));
        /// What the agent does beside it.
        actions: ? Vec<ResponseAction<'a>> = Check::List(&Check::Shape(&RESPONSE_ACTION));
        /// What it used up.
        usage: ? ResponseUsage<'a> = Check::Shape(&RESPONSE_USAGE);
    }
}

record! {
    /// A tool that an agent wants run.
    pub struct ToolRequested = TOOL_REQUESTED("Tool Call Requested", Allowed) {
        /// The call.
        call_id: ! Cow<'a, str> = Check::TEXT;
        /// The tool.
        tool_name: ! Cow<'a, str> = Check::TEXT;
        /// What it is given.
        args: ? Json<'a> = Check::Object;
        /// How long it may take.
        timeout_ms: ? u64 = Check::COUNT;
    }
}

text_enum! {
    /// How a call ended that went well.
    pub enum CallCompletion {
        /// With a result.
        Ok = "ok",
    }
}

record! {
    /// A tool that ran well.
    pub struct ToolCompleted = TOOL_COMPLETED("Tool Call Completed", Allowed) {
        /// The call.
        call_id: ! Cow<'a, str> = Check::TEXT;
        /// The tool.
        tool_name: ! Cow<'a, str> = Check::TEXT;
        /// How it ended.
        status: ? CallCompletion = Check::Text(Rule::OneOf(CallCompletion::WORDS));
        /// What came of it.
        result: ? Json<'a> = Check::Object;
        /// How long it took.
        duration_ms: ? u64 = Check::COUNT;
    }
}

text_enum! {
    /// How a call ended that failed.
    pub enum CallFailure {
        /// With an error.
        Error = "error",
        /// It took too long.
        Timeout = "timeout",
        /// With an error that may go away.
        RetryableError = "retryable_error",
    }
}

record! {
    /// Why a tool failed.
    pub struct ToolError = TOOL_ERROR("Tool Error", Allowed) {
        /// The error's name.
        code: ? Cow<'a, str> = Check::TEXT;
        /// The error in words.
        message: ? Cow<'a, str> = Check::TEXT;
        /// Whether it may go away.
        retryable: ? bool = Check::Bool;
    }
}

record! {
    /// A tool that failed.
    pub struct ToolFailed = TOOL_FAILED("Tool Call Failed", Allowed) {
        /// The call.
        call_id: ! Cow<'a, str> = Check::TEXT;
        /// The tool.
        tool_name: ! Cow<'a, str> = Check::TEXT;
        /// How it ended.
        status: ? CallFailure = Check::Text(Rule::OneOf(CallFailure::WORDS));
        /// Why.
        error: ? ToolError<'a> = Check::Shape(&TOOL_ERROR);
        /// How long it took.
        duration_ms: ? u64 = Check::COUNT;
    }
}

record! {
    /// A pairing that begins.
    pub struct PairingStarted = PAIRING_STARTED("Pairing Started", Allowed) {
        /// The pairing.
        pairing_id: ! Cow<'a, str> = Check::TEXT;
        /// Where the other component is.
        remote_uri: ? Cow<'a, str> = Check::TEXT;
        /// What the other component is.
        remote_component_type: ? ComponentType = REMOTE_TYPE;
    }
}

record! {
    /// A pairing that was made.
    pub struct PairingCompleted = PAIRING_COMPLETED("Pairing Completed", Allowed) {
        /// The pairing.
        pairing_id: ! Cow<'a, str> = Check::TEXT;
        /// The other component.
        remote_component_id: ? Cow<'a, str> = Check::TEXT;
        /// What the other component is.
        remote_component_type: ? ComponentType = REMOTE_TYPE;
        /// Its key for signatures, in base64.
        remote_public_key_ed25519: ? Cow<'a, str> = Check::TEXT;
        /// Its key for key exchange, in base64.
        remote_public_key_x25519: ? Cow<'a, str> = Check::TEXT;
        /// Fingerprint of its certificate.
        mtls_cert_fingerprint: ? Cow<'a, str> = Check::TEXT;
    }
}

text_enum! {
    /// Why a pairing failed.
    pub enum PairingError {
        /// A signature did not fit.
        SignatureInvalid = "SIGNATURE_INVALID",
        /// The challenge was not answered rightly.
        ChallengeFailed = "CHALLENGE_FAILED",
        /// It took too long.
        Timeout = "TIMEOUT",
        /// The other component did not answer.
        Unreachable = "UNREACHABLE",
    }
}

record! {
    /// A pairing that failed.
    pub struct PairingFailed = PAIRING_FAILED("Pairing Failed", Allowed) {
        /// The pairing.
        pairing_id: ! Cow<'a, str> = Check::TEXT;
        /// Where the other component is.
        remote_uri: ? Cow<'a, str> = Check::TEXT;
        /// Why, as a name.
        error_code: ? PairingError = Check::Text(Rule::OneOf(PairingError::WORDS));
        /// Why, in words.
        error_message: ? Cow<'a, str> = Check::TEXT;
    }
}

text_enum! {
    /// Who put a configuration in force.
    pub enum AppliedBy {
        /// An agent.
        Agent = "agent",
        /// A person at the controls.
        Operator = "operator",
    }
}

record! {
    /// What was tried before a configuration came into force.
    pub struct Validation = VALIDATION("Validation", Allowed) {
        /// Whether its form is right.
        schema_valid: ? bool = Check::Bool;
        /// Whether it makes sense.
        semantic_valid: ? bool = Check::Bool;
        /// Whether the gateway ran with it.
        smoke_test_passed: ? bool = Check::Bool;
    }
}

record! {
    /// A configuration that came into force.
    pub struct ConfigApplied = CONFIG_APPLIED("Config Applied", Allowed) {
        /// The revision.
        revision_id: ! Cow<'a, str> = Check::TEXT;
        /// Its checksum.
        checksum: ? Cow<'a, str> = Check::TEXT;
        /// Who put it in force.
        applied_by: ? AppliedBy = Check::Text(Rule::OneOf(AppliedBy::WORDS));
        /// The platform it was asked for on.
        source_platform: ? Cow<'a, str> = Check::TEXT;
        /// The channel it was asked for in.
        source_channel_id: ? Cow<'a, str> = Check::TEXT;
        /// What was tried before.
        validation: ? Validation<'a> = Check::Shape(&VALIDATION);
    }
}
