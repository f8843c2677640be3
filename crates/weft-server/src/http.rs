//! HTTP.
mod answer;
mod params;
mod read;
mod stream;
mod subs;
/// x
pub fn router(core: &crate::Core) -> axum::Router {
    axum::Router::new()
        .merge(read::routes())
        .merge(stream::routes())
        .merge(subs::routes())
        .with_state(core.clone())
}
