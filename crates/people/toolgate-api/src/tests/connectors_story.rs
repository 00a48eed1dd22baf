//! Connectors, as those who run the gateway and those who audit it see them.

use http::StatusCode;
use serde_json::json;
use toolgate_core::port::BoxFuture;
use toolgate_core::{Refusal, Role};

use super::gate::{Gate, somebody};
use crate::{ConnectorPort, ConnectorSyncView, ConnectorView};

/// A Slack whose sign-in has expired.
pub(super) struct OneConnector;

impl ConnectorPort for OneConnector {
    fn connectors(&self) -> BoxFuture<'_, Result<Vec<ConnectorView>, Refusal>> {
        let last_sync = ConnectorSyncView {
            state: "failed",
            run: "run_1".to_owned(),
            at: "2026-11-18T08:00:00.000Z".to_owned(),
            records: 0,
            problems: Vec::new(),
            problem_count: 0,
            error: Some("the sign-in of slack/default has expired".to_owned()),
        };
        let slack = ConnectorView {
            provider: "slack".to_owned(),
            connection: "default".to_owned(),
            server: "connector.slack".to_owned(),
            health: "healthy",
            reason: None,
            pointer: "connector:slack/default".to_owned(),
            manifest: None,
            last_sync: Some(last_sync),
            rate_remaining: Some(12),
            rate_resets_at: None,
            doubts: 1,
            next_step: Some("sign in again".to_owned()),
        };
        Box::pin(std::future::ready(Ok(vec![slack])))
    }
}

#[tokio::test]
async fn a_connector_says_what_to_do_next() {
    let gate = Gate::open().await;
    for role in [Role::Admin, Role::Operator, Role::Auditor] {
        let page = gate.get(&somebody("ann", role), "/connectors").await;
        assert_eq!(page.status, StatusCode::OK);
        let page = page.json();
        assert_eq!(page["connectors"][0]["next_step"], json!("sign in again"), "{page:#}");
        assert_eq!(page["connectors"][0]["last_sync"]["state"], json!("failed"), "{page:#}");
    }
}
