//! Signed webhooks: one request for each event, and for approvals the data that a person needs to decide.

use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue};
use serde::Serialize;
use toolgate_core::approval::{Approval, ApprovalState};
use toolgate_core::decision::ApprovalRequirement;
use toolgate_core::event::{EventKind, RecordedEvent};
use toolgate_core::moment::rfc3339;
use toolgate_core::signature::{ID_HEADER, SIGNATURE_HEADER, SigningKey, TIMESTAMP_HEADER};
use toolgate_core::{Digest, RawJson};
use toolgate_store::Store;
use toolgate_store::clock::since_1970;

use crate::client::DeliveryClient;
use crate::cloud_event;
use crate::failure::DeliveryFailure;
use crate::{BadReceiver, Webhook};

/// The time limit of a test.
const TEST_LIMIT: Duration = Duration::from_secs(10);

pub(crate) struct WebhookDelivery {
    client: DeliveryClient,
    key: SigningKey,
    kinds: Vec<EventKind>,
    link: Option<String>,
}

/// The data of an approval for a receiver: enough to show it to a person, without redacted values.
#[derive(Serialize)]
struct ApprovalData<'a> {
    id: &'a str,
    /// Its current state, which may be later than that of the event.
    state: ApprovalState,
    tool: &'a str,
    principal: &'a str,
    arguments: &'a RawJson,
    #[serde(skip_serializing_if = "Option::is_none")]
    proposed_arguments: Option<&'a RawJson>,
    /// The name of the arguments that would run: a decision has it, so that it applies to nothing else.
    effective: Digest,
    requirement: &'a ApprovalRequirement,
    created_at: String,
    expires_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    call: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    task: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    link: Option<String>,
}

impl Webhook {
    /// Sends one signed message of type `webhook.test` right away, once, and returns the reason of a failure.
    pub async fn test(self, id: &str) -> Result<(), String> {
        let key = SigningKey::parse(&self.secret).map_err(|cause| cause.to_string())?;
        let delivery = WebhookDelivery::new(self, key).map_err(|bad| bad.to_string())?;
        delivery.test(id, TEST_LIMIT).await.map_err(|failure| failure.why)
    }
}

impl WebhookDelivery {
    pub(crate) fn new(webhook: Webhook, key: SigningKey) -> Result<Self, BadReceiver> {
        let client = DeliveryClient::new(&webhook.url, &webhook.egress)?;
        Ok(Self { client, key, kinds: webhook.events, link: webhook.link })
    }

    pub(crate) fn kinds(&self) -> &[EventKind] {
        &self.kinds
    }

    pub(crate) async fn deliver(
        &self,
        store: &Store,
        recorded: &RecordedEvent,
        limit: Duration,
    ) -> Result<usize, DeliveryFailure> {
        let (id, json) = self.message(store, recorded).await?;
        let headers = signed_headers(&self.key, &id, json.as_bytes());
        self.client.post(cloud_event::MEDIA_TYPE, headers, json.into_bytes(), limit).await?;
        Ok(1)
    }

    /// One signed test message. It is in no ledger and is not repeated.
    pub(crate) async fn test(&self, id: &str, limit: Duration) -> Result<(), DeliveryFailure> {
        let json = cloud_event::test(id);
        let headers = signed_headers(&self.key, id, json.as_bytes());
        self.client.post(cloud_event::MEDIA_TYPE, headers, json.into_bytes(), limit).await.map(drop)
    }

    async fn message(
        &self,
        store: &Store,
        recorded: &RecordedEvent,
    ) -> Result<(String, RawJson), DeliveryFailure> {
        let Some(id) = recorded.event.approval.as_ref().filter(|_| is_about_approval(recorded.event.kind))
        else {
            return Ok(cloud_event::of_ledger(recorded));
        };
        let found =
            store.get_approval(id).await.map_err(|error| DeliveryFailure::temporary(error.to_string()))?;
        let Some(approval) = found else { return Ok(cloud_event::of_ledger(recorded)) };
        let names =
            store.argument_names().await.map_err(|error| DeliveryFailure::temporary(error.to_string()))?;
        let effective = names.name(&approval.id, approval.effective);
        Ok(cloud_event::with_data(recorded, &self.data(&approval, effective)))
    }

    fn data<'a>(&self, approval: &'a Approval, effective: Digest) -> ApprovalData<'a> {
        let id = approval.id.as_str();
        ApprovalData {
            id,
            state: approval.state,
            tool: approval.binding.tool.as_str(),
            principal: approval.binding.principal.as_str(),
            arguments: &approval.arguments,
            proposed_arguments: approval.proposed_arguments.as_ref(),
            effective,
            requirement: &approval.requirement,
            created_at: rfc3339(approval.created_at_ms),
            expires_at: rfc3339(approval.expires_at_ms),
            reason: approval.reason(),
            call: approval.call.as_str(),
            run: approval.run.as_ref().map(|run| run.as_str()),
            task: approval.task.as_deref(),
            link: self.link.as_ref().map(|link| link.replace("{id}", id)),
        }
    }
}

fn is_about_approval(kind: EventKind) -> bool {
    kind.as_str().starts_with("approval.")
}

/// Standard Webhooks: the id stays the same when a message is sent again, the time is that of the attempt.
pub(crate) fn signed_headers(key: &SigningKey, id: &str, body: &[u8]) -> HeaderMap {
    let now = since_1970().as_secs().to_string();
    let signature = key.sign(id, &now, body);
    let mut headers = HeaderMap::new();
    for (name, value) in [(ID_HEADER, id), (TIMESTAMP_HEADER, &now), (SIGNATURE_HEADER, &signature)] {
        let value = HeaderValue::from_str(value).expect("ids, numbers and base64 are visible characters");
        headers.insert(HeaderName::from_static(name), value);
    }
    headers
}
