//! Where every request comes in: it passes the checks of who may ask, and goes on to whoever answers it.
//!
//! Events to store do not go by way of the router, which boxes, wraps and copies a request a dozen times before anybody reads it: with
//! one event a request that was a seventh of what the server's threads did.

use std::convert::Infallible;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::Method;
use axum::response::{IntoResponse as _, Response};
use tower::ServiceExt as _;

use super::{events, guard};
use crate::Core;
use crate::access::Access;

/// Everything that is served over HTTP, behind the checks of who may ask. Cheap to clone.
#[derive(Clone)]
pub struct Front {
    shared: Arc<Shared>,
}

struct Shared {
    router: Router,
    access: Access,
    core: Core,
}

impl Front {
    pub(super) fn new(router: Router, access: Access, core: Core) -> Self {
        Self { shared: Arc::new(Shared { router, access, core }) }
    }

    pub(super) fn core(&self) -> &Core {
        &self.shared.core
    }

    /// Answers a request.
    pub(super) async fn answer(self, request: Request) -> Response {
        let Shared { router, access, core } = &*self.shared;
        let is_head = request.method() == Method::HEAD;
        let answer = async |request: Request| {
            if events::is_for(&request) {
                // Boxed, so that a connection that is idle has no room for it.
                let answer = Box::pin(events::take(core, request)).await;
                return answer.unwrap_or_else(|failure| failure.into_response());
            }
            let answer = router.clone().oneshot(request).await;
            answer.unwrap_or_else(|never: Infallible| match never {})
        };
        let mut answer = guard::guarded(access, request, answer).await;
        if is_head {
            // The router sees to it for its own answers, HTTP/1 for all; in HTTP/2 a refusal with a body is a broken stream.
            *answer.body_mut() = Body::empty();
        }
        answer
    }
}
