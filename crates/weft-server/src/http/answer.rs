//! stub
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
pub(crate) struct Failure(StatusCode, &'static str, String);
impl Failure {
    pub(crate) fn new(status: StatusCode, code: &'static str, message: String) -> Self {
        Self(status, code, message)
    }
    pub(crate) fn store(error: &dyn std::error::Error) -> Self {
        Self(StatusCode::SERVICE_UNAVAILABLE, "store", error.to_string())
    }
    pub(crate) fn retry_after(self, _s: u32) -> Self {
        self
    }
}
impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        (self.0, self.1.to_owned() + &self.2).into_response()
    }
}
