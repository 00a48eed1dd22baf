//! One task that looks, for all who wait, whether questions were answered through other gateways.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::desk::Desk;

/// How many questions one look is about.
const POLLED_MAX: usize = 256;

pub(crate) async fn run(desk: Arc<Desk>, shutdown: CancellationToken) {
    loop {
        let wanted = desk.waiting.wanted();
        if wanted.is_empty() {
            tokio::select! {
                () = desk.waiting.begun() => {}
                () = shutdown.cancelled() => return,
            }
        }
        for ids in wanted.chunks(POLLED_MAX) {
            // While the store is away there is nothing to tell.
            for input in desk.store.resolved_inputs(ids).await.unwrap_or_default() {
                desk.waiting.tell(&input);
            }
        }
        if !desk.rest(desk.limits.poll, &shutdown).await {
            return;
        }
    }
}
