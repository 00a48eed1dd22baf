//! CPU-bound work, away from the threads of requests.

/// Runs CPU-bound work: other requests of this thread do not wait for it.
pub(crate) async fn run_blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    tokio::task::spawn_blocking(work).await.expect("the work does not panic, and is never aborted")
}
