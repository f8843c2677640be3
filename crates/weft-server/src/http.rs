//! HTTP.
mod answer;
mod params;
mod read;
mod stream;
/// x
pub fn router(core: &crate::Core) -> axum::Router {
    axum::Router::new().merge(read::routes()).merge(stream::routes()).with_state(core.clone())
}
