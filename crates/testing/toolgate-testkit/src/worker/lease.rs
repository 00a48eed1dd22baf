//! The worker's place in a gateway's catalogue.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, bail};
use serde_json::{Value, json};

use super::WorkerSettings;

pub(super) struct Lease {
    place: Option<RegistrationPlace>,
}

struct RegistrationPlace {
    client: reqwest::Client,
    gateway: String,
    token: String,
    name: String,
    instance: String,
    registration: Value,
    heartbeat: Duration,
    hold_heartbeats: Option<PathBuf>,
}

impl Lease {
    pub(super) async fn take(settings: &WorkerSettings, url: &str) -> anyhow::Result<Self> {
        let (Some(gateway), Some(token)) = (&settings.gateway, &settings.token) else {
            return Ok(Self { place: None });
        };
        let extras = settings.extras.as_ref().map(std::fs::read).transpose()?;
        let tools: BTreeMap<String, Value> =
            extras.map(|bytes| serde_json::from_slice(&bytes)).transpose()?.unwrap_or_default();
        let mut place = RegistrationPlace {
            client: reqwest::Client::new(),
            gateway: gateway.trim_end_matches('/').to_owned(),
            token: token.clone(),
            name: settings.name.clone(),
            instance: settings.instance.clone(),
            registration: json!({
                "name": settings.name, "url": url, "instance_id": settings.instance, "version": settings.version,
                "lease_seconds": settings.lease_seconds, "tools": tools,
            }),
            heartbeat: Duration::ZERO,
            hold_heartbeats: settings.hold_heartbeats.clone(),
        };
        place.register().await?;
        Ok(Self { place: Some(place) })
    }

    /// Renews the lease forever.
    pub(super) async fn keep(&self) {
        let Some(place) = &self.place else { return std::future::pending().await };
        loop {
            tokio::time::sleep(place.heartbeat).await;
            place.beat().await;
        }
    }

    pub(super) async fn give_back(&self) {
        if let Some(place) = &self.place {
            drop(place.request(reqwest::Method::DELETE, &place.path(""), None).await);
        }
    }
}

impl RegistrationPlace {
    fn path(&self, rest: &str) -> String {
        format!("/servers/{}/instances/{}{rest}", self.name, self.instance)
    }

    async fn register(&mut self) -> anyhow::Result<()> {
        let body = Some(&self.registration);
        let (status, answer) = self.request(reqwest::Method::POST, "/servers/register", body).await?;
        if !status.is_success() {
            bail!("the gateway refused: {status} {answer}");
        }
        let seconds = answer["heartbeat_seconds"].as_f64().context("heartbeat_seconds")?;
        self.heartbeat = Duration::from_secs_f64(seconds);
        Ok(())
    }

    async fn beat(&self) {
        if self.hold_heartbeats.as_ref().is_some_and(|path| path.exists()) {
            return;
        }
        let beat = self.request(reqwest::Method::POST, &self.path("/heartbeat"), None).await;
        // An unavailable gateway is tried again; one that forgot us gets a new registration.
        if beat.is_ok_and(|(status, _)| status == reqwest::StatusCode::GONE) {
            let body = Some(&self.registration);
            drop(self.request(reqwest::Method::POST, "/servers/register", body).await);
        }
    }

    async fn request(
        &self,
        method: reqwest::Method,
        path: &str,
        body: Option<&Value>,
    ) -> anyhow::Result<(reqwest::StatusCode, Value)> {
        let url = format!("{}{path}", self.gateway);
        let mut request =
            self.client.request(method, url).header("authorization", format!("Bearer {}", self.token));
        if let Some(body) = body {
            request = request.header("content-type", "application/json").body(body.to_string());
        }
        let answered = request.send().await?;
        let status = answered.status();
        Ok((status, serde_json::from_str(&answered.text().await?).unwrap_or_default()))
    }
}
