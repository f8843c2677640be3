//! The protocol's side of the tools and resources. All that is spoken in both eras of it is `rmcp`'s to know.

use std::sync::Arc;

use axum::http::request::Parts;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
    JsonObject, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
    Resource, ResourceContents, ResourceTemplate, ServerCapabilities, ServerConfig,
    Tool as ShownTool, ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use tokio::sync::Mutex;
use uuid::Uuid;
use weft_event::digest_parts;
use weft_log::Filter;
use weft_runtime::topics::Ulids;

use super::argument;
use super::report::Around;
use super::shelf::Shelf;
use super::tool::{TOOLS, Tool};
use super::{Client, Told, answer, look, rows};
use crate::access::Pass;
use crate::access::tokens::Scope;
use crate::http::params;
use crate::views::Name;

const INSTRUCTIONS: &str = "\
Weft is the shared logbook of the coding agents at work here. People watch it to see what each agent does, who waits for whom and \
who needs help; agents read it to learn what others did and decided.

Report with few calls: report_lifecycle when a task begins and when it is over, report_activity at milestones, report_waiting \
before you wait for another agent, report_blocked when only a person can help, report_handoff when another agent goes on, \
record_decision for choices that somebody may ask about later. Do not report every step, and never put secrets into a report.

Talk to other agents with post and read: a topic keeps what is said about a task, an issue or a project until somebody reads it.

Read with query_events: before you begin, look for earlier decisions and failures about the same thing. attention says what needs a \
person now, and the resources under weft://views/ say what every agent does, what is left and what it cost.";

/// Names under which clients send their own id of the tool call that a request is.
const CALL_NAMES: [&str; 1] = ["claudecode/toolUseId"];

const NS_PER_MS: i64 = 1_000_000;

const RECENT: &str = "weft://events/recent";
const SESSION: &str = "weft://session/";
const VIEWS: &str = "weft://views/";
const SESSION_TEMPLATE: &str = "weft://session/{id}";
const JSON: &str = "application/json";

/// Answers the requests of clients.
#[derive(Clone)]
pub(super) struct Handler<S> {
    shelf: S,
    door: Door,
    /// Who has it is served alone: see [`Handler::takes_turns`].
    turn: Arc<Mutex<()>>,
    /// What makes the ids of messages, each greater than the one before.
    ulids: Arc<std::sync::Mutex<Ulids>>,
}

/// Where clients come in.
#[derive(Clone, Debug)]
pub(super) enum Door {
    /// One client, which started us.
    Pipe(Client),
    /// Anybody who may ask over HTTP.
    Http,
}

impl<S: Shelf> Handler<S> {
    pub(super) fn new(shelf: S, door: Door) -> Self {
        Self { shelf, door, turn: Arc::default(), ulids: Arc::default() }
    }

    /// Returns whether a call waits for those before it. On a pipe all do, so that what a client reports stays in its order. Over HTTP
    /// those do that may come twice, so that the second finds the first.
    fn takes_turns(&self, request: &CallToolRequestParams, around: &Around) -> bool {
        let has_id = || request.arguments.as_ref().is_some_and(|it| it.contains_key("request_id"));
        match self.door {
            Door::Pipe(_) => true,
            Door::Http => around.call.is_some() || has_id(),
        }
    }

    fn around(&self, context: &RequestContext<RoleServer>) -> Around {
        let text = |name: &str| {
            let text = context.meta.0.get(name).and_then(serde_json::Value::as_str);
            text.filter(|text| !text.is_empty()).map(str::to_owned)
        };
        // Over HTTP nothing is left of what a client of the old era said of itself at the beginning.
        let (started, client) = match &self.door {
            Door::Pipe(started) => (started.clone(), context.client_info()),
            Door::Http => (Client::default(), context.meta.client_info()),
        };
        let now_ns = now_ns();
        let random = digest_parts(&[Uuid::now_v7().as_bytes()]);
        let mut ulids = self.ulids.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        Around {
            now_ns,
            message: ulids.next(now_ns / NS_PER_MS, random),
            session: started.session,
            folder: started.folder,
            client: client.map(|client| client.name).filter(|name| !name.is_empty()),
            traceparent: text("traceparent"),
            call: CALL_NAMES.iter().find_map(|name| text(name)),
        }
    }

    async fn call(
        &self,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let Some(tool) = Tool::named(&request.name) else {
            let message = format!("there is no tool `{}`", shown(&request.name));
            return Err(ErrorData::invalid_params(message, None));
        };
        if !may(context, tool.does.scope()) {
            let scope = tool.does.scope().as_str();
            return Ok(failed(&format!(
                "the token is not good for this: it lacks the scope {scope}"
            )));
        }
        let around = self.around(context);
        let turn = match self.takes_turns(&request, &around) {
            true => Some(self.turn.lock().await),
            false => None,
        };
        let arguments = serde_json::Value::Object(request.arguments.unwrap_or_default());
        let answer = answer::call(&self.shelf, tool, &arguments.to_string(), &around).await;
        drop(turn);
        Ok(match answer {
            Ok(answer) => {
                let value = serde_json::from_str(answer.as_str()).expect("what we write is JSON");
                let mut result = CallToolResult::structured(value);
                // As text it keeps the order of its members and every digit of its numbers.
                result.content = vec![ContentBlock::text(answer.as_str())];
                result
            }
            Err(Told(text)) => failed(&text),
        })
    }

    async fn read(
        &self,
        uri: &str,
        context: &RequestContext<RoleServer>,
    ) -> Result<String, ErrorData> {
        if !may(context, Scope::Read) {
            let message = "the token is not good for this: it lacks the scope read";
            return Err(ErrorData::invalid_request(message, None));
        }
        let unknown = || {
            let data = serde_json::json!({ "uri": uri });
            ErrorData::resource_not_found(
                format!("there is no resource {}", shown(uri)),
                Some(data),
            )
        };
        if let Some(name) = uri.strip_prefix(VIEWS) {
            let view = Name::parse(name).ok_or_else(unknown)?;
            let shown = rows::rows(&self.shelf, rows::whole(view, now_ns())).await;
            let shown = shown.map_err(|Told(text)| ErrorData::internal_error(text, None))?;
            return Ok(shown.as_str().to_owned());
        }
        let filter = match uri.strip_prefix(SESSION) {
            None if uri == RECENT => Filter::all().without_bookkeeping(),
            None => return Err(unknown()),
            Some(id) => {
                let id = decoded(id).ok_or_else(unknown)?;
                params::is_exactly("session", &id).map_err(|_too_long| unknown())?
            }
        };
        let newest = look::newest(&self.shelf, filter).await;
        match newest.map_err(|Told(text)| ErrorData::internal_error(text, None))? {
            Some(json) => Ok(json.as_str().to_owned()),
            None if uri == RECENT => Ok(r#"{"records":[],"has_more":false}"#.to_owned()),
            None => Err(unknown()),
        }
    }
}

impl<S: Shelf> ServerHandler for Handler<S> {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_resources().build();
        let ours = Implementation::new("weft", env!("CARGO_PKG_VERSION")).with_title("Weft");
        ServerConfig::new(capabilities).with_server_info(ours).with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let of_use = TOOLS.iter().filter(|tool| may(&context, tool.does.scope()));
        Ok(ListToolsResult::with_all_items(of_use.map(shown_tool).collect()))
    }

    fn get_tool(&self, name: &str) -> Option<ShownTool> {
        Tool::named(name).map(shown_tool)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        Ok(self.call(request, &context).await?.into())
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let recent = Resource::new(RECENT, "recent events")
            .with_title("Recent events")
            .with_description("What all agents did last: up to 100 events, the newest last.")
            .with_mime_type(JSON);
        let view = |view: Name| {
            Resource::new(format!("{VIEWS}{}", view.as_str()), view.as_str())
                .with_title(view.as_str())
                .with_description(view.about())
                .with_mime_type(JSON)
        };
        let all = std::iter::once(recent).chain(Name::ALL.map(view));
        Ok(ListResourcesResult::with_all_items(all.collect()))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let session = ResourceTemplate::new(SESSION_TEMPLATE, "session")
            .with_title("One session")
            .with_description("What happened in a session: its last 100 events, the newest last.")
            .with_mime_type(JSON);
        Ok(ListResourceTemplatesResult::with_all_items(vec![session]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let text = self.read(&request.uri, &context).await?;
        let contents = ResourceContents::text(text, request.uri).with_mime_type(JSON);
        Ok(ReadResourceResult::new(vec![contents]).into())
    }
}

fn now_ns() -> i64 {
    i64::try_from(jiff::Timestamp::now().as_nanosecond()).unwrap_or(i64::MAX)
}

/// Returns whether whoever asks may do this. Over a pipe it is the user, and where no token is demanded anybody.
fn may(context: &RequestContext<RoleServer>, scope: Scope) -> bool {
    let pass = context.extensions.get::<Parts>().and_then(|parts| parts.extensions.get::<Pass>());
    let now_us = jiff::Timestamp::now().as_microsecond();
    pass.is_none_or(|pass| pass.may(scope, now_us))
}

fn shown_tool(tool: &'static Tool) -> ShownTool {
    let input = argument::schema(tool.arguments());
    let is_read_only = tool.does.scope() == Scope::Read;
    let annotations = ToolAnnotations::with_title(tool.title)
        .read_only(is_read_only)
        .destructive(false)
        .idempotent(is_read_only)
        .open_world(false);
    ShownTool::new(tool.name, tool.about, object(input.as_str()))
        .with_title(tool.title)
        .with_raw_output_schema(object(answer::schema(tool.does)))
        .with_annotations(annotations)
}

fn object(text: &str) -> Arc<JsonObject> {
    Arc::new(serde_json::from_str(text).expect("a schema of ours is an object"))
}

fn failed(text: &str) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(text)])
}

/// Returns what a client sent as it is shown in a message.
fn shown(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(100).collect()
}

/// Returns a part of an address as it is meant; `None` if it is not well formed, or empty.
fn decoded(part: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let mut digit = || char::from(rest.next()?).to_digit(16);
                u8::try_from(digit()? * 16 + digit()?).ok()?
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok().filter(|part| !part.is_empty())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::decoded;

    #[test]
    fn a_part_of_an_address_is_read_as_it_is_meant() {
        assert_eq!(decoded("s-1").as_deref(), Some("s-1"));
        assert_eq!(decoded("a%2Fb%20%c3%A4").as_deref(), Some("a/b ä"));
        for bad in ["", "%", "%2", "%zz", "%ff"] {
            assert_eq!(decoded(bad), None, "{bad}");
        }
    }

    proptest! {
        #[test]
        fn whatever_is_escaped_comes_back(text in ".{1,20}") {
            let escaped: String = text.bytes().map(|byte| format!("%{byte:02X}")).collect();
            prop_assert_eq!(decoded(&escaped), Some(text));
        }

        #[test]
        fn whatever_stands_there_nothing_breaks(text in any::<String>()) {
            drop(decoded(&text));
        }
    }
}
