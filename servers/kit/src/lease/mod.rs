//! The server's place at a gateway: taken when it starts, renewed while it runs, given back when it stops.
//!
//! A gateway that is away, or has forgotten the server, is no trouble of the server's: it serves and tries again, for ever.

mod client;

use std::time::Duration;

use http::{Method, StatusCode};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use crate::capability::Capability;
use crate::settings::GatewayPlace;
pub(crate) use client::BadGateway;
use client::{Client, Failure};

/// First wait after a failure; it doubles up to the longest.
const WAIT_MIN: Duration = Duration::from_millis(500);
const WAIT_MAX: Duration = Duration::from_secs(30);
/// What an answer may ask for.
const BEAT_MIN: Duration = Duration::from_millis(100);
const BEAT_MAX: Duration = Duration::from_secs(600);
/// How long saying goodbye may take.
const GOODBYE_LIMIT: Duration = Duration::from_secs(2);

pub(crate) struct Lease {
    client: Client,
    registration: Value,
    /// The path of this instance at the gateway.
    path: String,
    lease: Duration,
}

impl Lease {
    /// `token` is what this server wants to be shown at `url`.
    pub(crate) fn new(
        capability: &Capability,
        gateway: GatewayPlace,
        url: &str,
        token: Option<&str>,
    ) -> Result<Self, BadGateway> {
        let tools: Map<String, Value> =
            capability.tools().iter().map(|tool| (tool.name().to_owned(), tool.extra())).collect();
        let mut registration = json!({
            "name": capability.name, "url": url, "instance_id": gateway.instance, "version": capability.version,
            "lease_seconds": gateway.lease.as_secs_f64(), "tools": tools,
        });
        // A gateway of an older version knows no such member, and refuses it.
        if let Some(token) = token {
            registration["token"] = token.into();
        }
        let path = format!("/servers/{}/instances/{}", capability.name, gateway.instance);
        let client = Client::new(&gateway.url, gateway.token)?;
        Ok(Self { client, registration, path, lease: gateway.lease })
    }

    async fn register(&self) -> Result<Duration, Failure> {
        let answer = self.client.ask(Method::POST, "/servers/register", Some(&self.registration)).await?;
        Ok(self.beat_of(&answer))
    }

    async fn renew(&self) -> Result<Duration, Failure> {
        let answer = self.client.ask(Method::POST, &format!("{}/heartbeat", self.path), None).await?;
        Ok(self.beat_of(&answer))
    }

    async fn give_back(&self) {
        let left =
            tokio::time::timeout(GOODBYE_LIMIT, self.client.ask(Method::DELETE, &self.path, None)).await;
        if !matches!(left, Ok(Ok(_))) {
            tracing::info!(
                "the gateway was not told that this server stops; it will notice when the lease is over"
            );
        }
    }

    /// When to renew it: as answered, or three times before it is over.
    fn beat_of(&self, answer: &Value) -> Duration {
        let asked = answer["heartbeat_seconds"]
            .as_f64()
            .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        asked.unwrap_or(self.lease / 3).clamp(BEAT_MIN, BEAT_MAX)
    }
}

/// Keeps the lease until `stop`, then gives it back. Without one, only waits.
pub(crate) async fn keep(lease: Option<Lease>, stop: &CancellationToken) {
    let Some(lease) = lease else { return stop.cancelled().await };
    let mut keeper = Keeper { lease, standing: Standing::Out, wait: WAIT_MIN, told: None };
    stop.run_until_cancelled(keeper.run()).await;
    if keeper.standing != Standing::Out {
        keeper.lease.give_back().await;
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// Not registered, as far as is known.
    Out,
    In,
    /// Registered, but the gateway did not answer the last time.
    Unheard,
}

struct Keeper {
    lease: Lease,
    standing: Standing,
    wait: Duration,
    /// What was logged last, so that the same is not said again.
    told: Option<String>,
}

impl Keeper {
    async fn run(&mut self) {
        loop {
            let pause = match self.standing {
                Standing::Out => self.enter().await,
                Standing::In | Standing::Unheard => self.stay().await,
            };
            tokio::time::sleep(pause).await;
        }
    }

    async fn enter(&mut self) -> Duration {
        match self.lease.register().await {
            Ok(beat) => {
                self.standing = Standing::In;
                self.went_well("registered at the gateway", beat)
            }
            Err(failure) => self.failed(&failure),
        }
    }

    async fn stay(&mut self) -> Duration {
        match self.lease.renew().await {
            Ok(beat) => {
                self.standing = Standing::In;
                self.went_well("the gateway renewed the lease", beat)
            }
            Err(Failure::Answered { status: StatusCode::GONE, .. }) => {
                self.standing = Standing::Out;
                tracing::info!("the gateway has forgotten this server, which registers again");
                Duration::ZERO
            }
            Err(failure) => {
                self.standing = Standing::Unheard;
                self.failed(&failure)
            }
        }
    }

    fn went_well(&mut self, what: &str, beat: Duration) -> Duration {
        self.wait = WAIT_MIN;
        if self.told.as_deref() != Some("") {
            tracing::info!("{what}");
            self.told = Some(String::new());
        }
        beat
    }

    /// Logs it if it is another failure than last time.
    fn failed(&mut self, failure: &Failure) -> Duration {
        let text = failure.to_string();
        if self.told.as_ref() != Some(&text) {
            tracing::warn!("no lease at the gateway: {text}; trying again until it works");
            self.told = Some(text);
        }
        let wait = self.wait;
        self.wait = (wait * 2).min(WAIT_MAX);
        wait
    }
}
