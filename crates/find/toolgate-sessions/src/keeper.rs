//! Writes the rows of default sessions in the background, after the requests.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use toolgate_store::{Outage, StoreError};

use crate::defaults::DefaultSeat;
use crate::desk::SessionDesk;
use crate::events::SessionEvent;

const AGAIN_AFTER: Duration = Duration::from_millis(500);

pub(crate) async fn run(
    desk: Arc<SessionDesk>,
    mut unkept: mpsc::Receiver<Arc<DefaultSeat>>,
    shutdown: CancellationToken,
) {
    let mut outage = Outage::default();
    loop {
        let next = tokio::select! {
            next = unkept.recv() => next,
            () = shutdown.cancelled() => None,
        };
        let Some(seat) = next else { break };
        while !desk.is_kept(&seat, &mut outage).await {
            if !desk.rest(AGAIN_AFTER, &shutdown).await {
                return;
            }
        }
    }
    // The pending requests, if the store is up.
    while let Ok(seat) = unkept.try_recv() {
        if !desk.is_kept(&seat, &mut outage).await {
            return;
        }
    }
}

impl SessionDesk {
    async fn is_kept(&self, seat: &DefaultSeat, outage: &mut Outage) -> bool {
        let kept = self.keep(seat).await;
        outage.note("default sessions are not recorded", &kept);
        kept.is_ok()
    }

    async fn keep(&self, seat: &DefaultSeat) -> Result<bool, StoreError> {
        let row = seat.row(self.clock.now_ms());
        let told = SessionEvent { at_ms: row.created_at_ms, by: &row.principal.id }.started(&row);
        self.books.keep_default_session(&row, vec![told]).await
    }
}
