//! Processes whose environment has outdated secrets.

use std::future::pending;

use tokio::time::sleep;

use super::FleetMember;
use crate::keys;
use crate::link::{LiveLink, ServerLink};

impl FleetMember {
    /// Resolves when this process has outdated secrets, and the requests in progress have finished. Processes
    /// of principals are ended on the way; the next request starts another.
    pub(super) async fn outdated(&self, live: &LiveLink) {
        let ServerLink::Process(process) = &live.link else { return pending().await };
        if !keys::gives_secrets(&self.ctx.spec) {
            return pending().await;
        }
        loop {
            sleep(keys::LOOK).await;
            self.own.close_outdated(&self.ctx).await;
            if process.is_outdated(&self.ctx).await {
                break;
            }
        }
        self.drained().await;
    }
}
