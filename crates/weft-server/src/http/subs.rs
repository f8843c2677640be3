//! Subscriptions over HTTP: made, shown, paused, sent back, removed. Their events are in [`pull`].

pub(super) mod body;
mod pull;

use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request as Asked, State};
use axum::http::{StatusCode, header};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use weft_event::json::{Json, Object, Tape, Value};
use weft_log::log::AppendError;

use super::answer::Failure;
use super::params::{self, Name, Params};
use crate::Core;
use crate::subs::books::{Books, Fate};
use crate::subs::change::{self, Change, ChangeError, Which};
use crate::subs::definition::{
    Blobs, Definition, DefinitionError, Kind, Request, Retry, SecretRef, State as Standing,
};
use crate::subs::secrets::{self, SecretError};
use crate::writer::{WriteFailure, chain};
use body::Sent;

/// How long a request waits until what it asked for is so.
const EFFECT_PATIENCE: Duration = Duration::from_secs(10);

/// Returns the routes.
pub(crate) fn routes() -> Router<Core> {
    Router::new()
        .route("/v1/subscriptions", get(list).post(add))
        .route("/v1/subscriptions/{name}", get(show).delete(remove))
        .route("/v1/subscriptions/{name}/pause", post(pause))
        .route("/v1/subscriptions/{name}/resume", post(resume))
        .route("/v1/subscriptions/{name}/replay", post(replay))
        .route("/v1/subscriptions/{name}/dead", get(dead))
        .route("/v1/subscriptions/{name}/dead/replay", post(dead_replay))
        .route("/v1/subscriptions/{name}/dead/drop", post(dead_drop))
        .route("/v1/subscriptions/{name}/ack", post(pull::settle))
        .layer(from_fn(without_parameters))
        .route("/v1/subscriptions/{name}/events", get(pull::take))
}

/// Refuses the parameters of requests that know none.
pub(super) async fn without_parameters(request: Asked, next: Next) -> Response {
    match Params::of(request.uri(), &[]) {
        Ok(_) => next.run(request).await,
        Err(failure) => {
            let (parts, sent) = request.into_parts();
            super::body::discard(&parts.headers, sent).await;
            failure.into_response()
        }
    }
}

async fn list(State(core): State<Core>) -> Result<Response, Failure> {
    catch_up(&core).await?;
    let names: Vec<String> =
        core.desk().look(|books| books.entries().map(|(name, _)| name.to_owned()).collect());
    let shown: Vec<_> = names.iter().filter_map(|name| describe(&core, name, None)).collect();
    Ok(json(StatusCode::OK, |object| object.json("subscriptions", &Json::array(shown))))
}

async fn show(State(core): State<Core>, Name(name): Name) -> Result<Response, Failure> {
    catch_up(&core).await?;
    shown(&core, &name, StatusCode::OK, None)
}

async fn add(State(core): State<Core>, Sent(sent): Sent) -> Result<Response, Failure> {
    let mut tape = Tape::new();
    let value = body::object(
        &mut tape,
        &sent.bytes,
        &["name", "filter", "from", "kind", "url", "command", "blobs", "retry"],
    )?;
    let definition = Definition::new(request(&core, value)?).map_err(|error| wrong(&error))?;
    catch_up(&core).await?;
    params::check_after(&core, definition.start).await?;
    let max = core.limits().subscriptions.subscriptions_max;
    let change = core.desk().look(|books| change::add(books, &definition, max)).map_err(refused)?;
    let secret = match definition.kind {
        Kind::Webhook { .. } => {
            let (store, name) = (core.store().clone(), definition.name.clone());
            let made = tokio::task::spawn_blocking(move || secrets::make(&store, &name)).await;
            let made = made.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()));
            Some(made.map_err(|error| secretless(&error))?)
        }
        Kind::Pull | Kind::Otlp { .. } | Kind::Command { .. } => None,
    };
    write(&core, &definition.name, &change).await?;
    shown(&core, &definition.name, StatusCode::CREATED, secret.as_deref())
}

/// Reads what a subscription is to be.
fn request(core: &Core, value: Value<'_>) -> Result<Request, Failure> {
    body::text(value, "url")?;
    let kind = Kind::read(value).map_err(|error| wrong(&error))?;
    if matches!(kind, Kind::Command { .. }) {
        // Whoever reaches the port would run programs as the owner of the store.
        let message = "a subscription that runs a command is made with `weft sub add` only";
        return Err(Failure::new(StatusCode::FORBIDDEN, "command_not_here", message.to_owned()));
    }
    let kind = match kind {
        Kind::Webhook { url, .. } => Kind::Webhook { url, secret: SecretRef::Store },
        kind @ (Kind::Pull | Kind::Otlp { .. } | Kind::Command { .. }) => kind,
    };
    let start = match body::member(value, "from") {
        None => core.last(),
        Some(from) => match from.as_text().as_deref() {
            Some("start") => 0,
            Some("now") => core.last(),
            Some(_) | None => body::place(core, "from", from)?.saturating_sub(1),
        },
    };
    let retry = match body::member(value, "retry") {
        None => Retry::default(),
        Some(retry) => {
            body::check_object(retry, "`retry`", &Retry::MEMBERS)?;
            Retry::read(retry).map_err(|error| wrong(&error))?
        }
    };
    let now = jiff::Timestamp::now().as_nanosecond();
    Ok(Request {
        name: body::text(value, "name")?.unwrap_or_default().into_owned(),
        filter: body::text(value, "filter")?.unwrap_or_default().into_owned(),
        start,
        kind,
        blobs: Blobs::read(value).map_err(|error| wrong(&error))?,
        retry,
        now_ns: i64::try_from(now).unwrap_or(i64::MAX),
    })
}

async fn remove(State(core): State<Core>, Name(name): Name) -> Result<Response, Failure> {
    set_state(&core, &name, Standing::Removed).await?;
    let store = core.store().clone();
    let gone = name.clone();
    let removed = tokio::task::spawn_blocking(move || secrets::remove(&store, &gone)).await;
    let removed = removed.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()));
    removed.map_err(|error| secretless(&error))?;
    Ok(json(StatusCode::OK, |object| {
        object.text("name", &name);
        object.json("removed", &Json::bool(true));
    }))
}

async fn pause(State(core): State<Core>, Name(name): Name) -> Result<Response, Failure> {
    set_state(&core, &name, Standing::Paused { why: None }).await?;
    shown(&core, &name, StatusCode::OK, None)
}

async fn resume(State(core): State<Core>, Name(name): Name) -> Result<Response, Failure> {
    set_state(&core, &name, Standing::Active).await?;
    shown(&core, &name, StatusCode::OK, None)
}

async fn set_state(core: &Core, name: &str, state: Standing) -> Result<(), Failure> {
    change(core, name, |books| change::set_state(books, name, state)).await
}

async fn replay(
    State(core): State<Core>,
    Name(name): Name,
    Sent(sent): Sent,
) -> Result<Response, Failure> {
    let mut tape = Tape::new();
    let value = body::object(&mut tape, &sent.bytes, &["from"])?;
    let from = body::member(value, "from").ok_or_else(|| body::missing("from"))?;
    let from = match from.as_text().as_deref() {
        Some("start") => 1,
        Some(_) | None => body::place(&core, "from", from)?.max(1),
    };
    params::check_after(&core, from - 1).await?;
    change(&core, &name, |books| change::replay(books, &name, from).map(Some)).await?;
    shown(&core, &name, StatusCode::OK, None)
}

async fn dead(State(core): State<Core>, Name(name): Name) -> Result<Response, Failure> {
    catch_up(&core).await?;
    let dead = core.desk().look(|books| {
        books.get(&name).map(|entry| entry.dead.values().cloned().collect::<Vec<_>>())
    });
    let dead = dead.ok_or_else(|| refused(ChangeError::Missing { name: name.clone() }))?;
    let dead = dead.iter().map(|dead| Json::object(|object| dead.write(object)));
    Ok(json(StatusCode::OK, |object| object.json("dead", &Json::array(dead))))
}

async fn dead_replay(
    State(core): State<Core>,
    Name(name): Name,
    Sent(sent): Sent,
) -> Result<Response, Failure> {
    set_fate(&core, &name, &sent.bytes, Fate::Replayed).await
}

async fn dead_drop(
    State(core): State<Core>,
    Name(name): Name,
    Sent(sent): Sent,
) -> Result<Response, Failure> {
    set_fate(&core, &name, &sent.bytes, Fate::Gone).await
}

async fn set_fate(core: &Core, name: &str, body: &[u8], fate: Fate) -> Result<Response, Failure> {
    let mut tape = Tape::new();
    let value = body::object(&mut tape, body, &["positions", "all"])?;
    let which = match (body::member(value, "positions"), body::member(value, "all")) {
        (Some(positions), None) => Which::At(body::places(core, "positions", positions)?),
        (None, Some(all)) if all.as_bool() == Some(true) => Which::All,
        (None | Some(_), None | Some(_)) => {
            let message = "name `positions`, or say `all`: true".to_owned();
            return Err(Failure::new(StatusCode::BAD_REQUEST, "bad_request", message));
        }
    };
    let mut n_changed = 0;
    change(core, name, |books| {
        let change = change::set_fate(books, name, &which, fate)?;
        n_changed = change.n_notes();
        Ok((n_changed > 0).then_some(change))
    })
    .await?;
    Ok(json(StatusCode::OK, |object| object.json("changed", &Json::integer(n_changed as u64))))
}

/// Makes a change of a subscription and waits until it has its effect.
async fn change(
    core: &Core,
    name: &str,
    make: impl FnOnce(&Books) -> Result<Option<Change>, ChangeError>,
) -> Result<(), Failure> {
    catch_up(core).await?;
    match core.desk().look(make).map_err(refused)? {
        Some(change) => write(core, name, &change).await,
        None => Ok(()),
    }
}

async fn write(core: &Core, name: &str, change: &Change) -> Result<(), Failure> {
    let now_ns = i64::try_from(jiff::Timestamp::now().as_nanosecond()).unwrap_or(i64::MAX);
    let batch = change.batch(core.store(), now_ns).map_err(|error| Failure::store(&error))?;
    let answer = core.appender().append(batch).await.map_err(|failure| match failure {
        WriteFailure::Append(AppendError::Condition { .. }) => {
            let message = "the subscription was changed meanwhile: look at it and try again";
            Failure::new(StatusCode::CONFLICT, "changed_meanwhile", message.to_owned())
        }
        WriteFailure::Busy
        | WriteFailure::Closed
        | WriteFailure::Opening { .. }
        | WriteFailure::Append(_) => failure.into(),
    })?;
    let last = answer.outcomes.last().map_or(0, |outcome| outcome.position().get());
    let is_so = core.desk().settle_one(name, last, EFFECT_PATIENCE).await;
    is_so.then_some(()).ok_or_else(behind)
}

/// Waits until the books say what the log says now.
async fn catch_up(core: &Core) -> Result<(), Failure> {
    let is_so = core.desk().settle(core.last(), EFFECT_PATIENCE).await;
    is_so.then_some(()).ok_or_else(behind)
}

/// Waits until a subscription does what the log says now.
async fn catch_up_one(core: &Core, name: &str) -> Result<(), Failure> {
    let is_so = core.desk().settle_one(name, core.last(), EFFECT_PATIENCE).await;
    is_so.then_some(()).ok_or_else(behind)
}

fn behind() -> Failure {
    let message = "subscriptions are not running, or are behind: try again".to_owned();
    Failure::new(StatusCode::SERVICE_UNAVAILABLE, "behind", message).retry_after(1)
}

fn shown(
    core: &Core,
    name: &str,
    status: StatusCode,
    secret: Option<&str>,
) -> Result<Response, Failure> {
    match describe(core, name, secret) {
        Some(described) => Ok(answer(status, &described)),
        None => Err(refused(ChangeError::Missing { name: name.to_owned() })),
    }
}

/// Returns what is known of a subscription; `None` if there is none.
fn describe(core: &Core, name: &str, secret: Option<&str>) -> Option<Json<'static>> {
    let entry = core.desk().look(|books| books.get(name).cloned())?;
    let running = core.desk().running(name);
    Some(Json::object(|object| {
        entry.write(name, object);
        if let Some(running) = running {
            let status = running.status.borrow();
            let live = Json::object(|object| {
                object.json("acknowledged", &Json::integer(status.acknowledged));
                object.json("delivered", &Json::integer(status.n_delivered));
                object.json("held", &Json::integer(status.n_held as u64));
                object.json("busy_sessions", &Json::integer(status.n_busy as u64));
                object.json("away", &Json::bool(status.is_away));
                status.error.iter().for_each(|error| object.text("error", error));
            });
            object.json("live", &live);
        }
        secret.iter().for_each(|secret| object.text("signing_secret", secret));
    }))
}

fn json(status: StatusCode, fill: impl FnOnce(&mut Object<'_>)) -> Response {
    answer(status, &Json::object(fill))
}

fn answer(status: StatusCode, json: &Json<'_>) -> Response {
    let body = Body::from(format!("{}\n", json.as_str()));
    (status, [(header::CONTENT_TYPE, "application/json")], body).into_response()
}

fn wrong(error: &DefinitionError) -> Failure {
    let code = match error {
        DefinitionError::Name => "bad_name",
        DefinitionError::Filter { .. } => "bad_filter",
        DefinitionError::Url => "bad_url",
        DefinitionError::Command => "bad_command",
        DefinitionError::Number { .. } | DefinitionError::Member { .. } => "bad_member",
    };
    Failure::new(StatusCode::BAD_REQUEST, code, error.to_string())
}

/// Says that a secret cannot be made or removed. Where it is kept is no concern of the client.
fn secretless(error: &SecretError) -> Failure {
    tracing::error!(error = %chain(error), "a secret cannot be kept");
    let message = "the secrets of subscriptions cannot be written now: the server's log says why";
    Failure::new(StatusCode::SERVICE_UNAVAILABLE, "secrets_unwritable", message).retry_after(5)
}

fn refused(error: ChangeError) -> Failure {
    let (status, code) = match error {
        ChangeError::Exists { .. } => (StatusCode::CONFLICT, "exists"),
        ChangeError::Missing { .. } => (StatusCode::NOT_FOUND, "not_found"),
        ChangeError::Unreadable { .. } => (StatusCode::CONFLICT, "not_understood"),
        ChangeError::TooMany { .. } => (StatusCode::CONFLICT, "too_many_subscriptions"),
        ChangeError::NotDead { .. } => (StatusCode::NOT_FOUND, "not_dead"),
    };
    Failure::new(status, code, error.to_string())
}
