//! Listeners for changes of their list, in both eras at once.

use serde_json::json;
use toolgate_testkit::gateway::HttpClient;

use super::stage::older;
use crate::doors::Events;

const CHANGED: &str = "notifications/tools/list_changed";

/// A stream of either era with the same token.
pub(super) struct EraListeners {
    newer: Events,
    older: Events,
}

impl EraListeners {
    pub(super) async fn open(client: &HttpClient) -> Self {
        let wanted = json!({ "notifications": { "toolsListChanged": true } });
        let mut newer = Events::open(client.modern_request(7, "subscriptions/listen", wanted)).await;
        newer.called("notifications/subscriptions/acknowledged").await;
        let older = older(client).await;
        Self { newer, older: pushed(&older).await }
    }

    /// Both are notified that their list has changed.
    pub(super) async fn hear(&mut self) {
        self.newer.called(CHANGED).await;
        self.older.called(CHANGED).await;
    }

    /// Neither got anything more before its gateway ended. Call it after that.
    pub(super) async fn heard_nothing_more(mut self, who: &str) {
        for (era, stream) in [("newer", &mut self.newer), ("older", &mut self.older)] {
            while let Some(event) = stream.next().await {
                assert!(!event.data.contains(CHANGED), "{who}, {era} era: {event:?}");
            }
        }
    }

    /// Both streams end by themselves.
    pub(super) async fn fall_silent(mut self) {
        while self.newer.next().await.is_some() {}
        while self.older.next().await.is_some() {}
    }
}

/// The unsolicited messages to a client of the older era.
pub(super) async fn pushed(older: &HttpClient) -> Events {
    let get = older.http.get(&older.endpoint).bearer_auth(&older.token).header("accept", "text/event-stream");
    Events::open(get.header("mcp-session-id", older.session.clone().expect("open"))).await
}

/// The next message says that the list has changed.
pub(super) async fn told(stream: &mut Events) {
    stream.called(CHANGED).await;
}
