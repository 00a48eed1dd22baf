//! One task that polls, for all waiters, whether questions were answered through other gateways.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::desk::RunDesk;

/// The maximum number of questions in one query.
const POLLED_MAX: usize = 256;

pub(crate) async fn run(desk: Arc<RunDesk>, shutdown: CancellationToken) {
    loop {
        let wanted = desk.waiting.wanted();
        if wanted.is_empty() {
            tokio::select! {
                () = desk.waiting.begun() => {}
                () = shutdown.cancelled() => return,
            }
        }
        for ids in wanted.chunks(POLLED_MAX) {
            // While the store is down there is nothing to report.
            for input in desk.store.resolved_inputs(ids).await.unwrap_or_default() {
                desk.waiting.tell(&input);
            }
        }
        if !desk.rest(desk.limits.poll, &shutdown).await {
            return;
        }
    }
}
