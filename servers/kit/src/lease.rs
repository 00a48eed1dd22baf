//! The server's registration at a gateway: taken when the server starts, renewed while it runs, given back
//! when it stops.
//!
//! If the gateway is unreachable or has forgotten the server, the server keeps serving and retries
//! indefinitely.

use std::io;
use std::time::Duration;

use http::{Method, StatusCode};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use crate::capability::Capability;
use crate::outgoing::{Outgoing, OutgoingError};
use crate::settings::{GatewaySettings, TokenSource};

const ANSWER_LIMIT: Duration = Duration::from_secs(10);
/// The number of characters of a refusal in the log.
const EXCERPT_CHARS_MAX: usize = 300;
/// First wait after a failure; it doubles up to the longest.
const WAIT_MIN: Duration = Duration::from_millis(500);
const WAIT_MAX: Duration = Duration::from_secs(30);
/// The limits of the interval in an answer.
const BEAT_MIN: Duration = Duration::from_millis(100);
const BEAT_MAX: Duration = Duration::from_secs(600);
/// The time limit of the farewell.
const GOODBYE_LIMIT: Duration = Duration::from_secs(2);

pub(crate) struct Lease {
    outgoing: Outgoing,
    token: TokenSource,
    registration: Value,
    /// The path of this instance at the gateway.
    path: String,
    lease: Duration,
}

/// The reason why a request to the gateway failed.
#[derive(Debug, thiserror::Error)]
enum RegistrationError {
    #[error("the token cannot be read: {0}")]
    Token(#[source] io::Error),
    #[error("the gateway does not answer: {0}")]
    Away(#[from] OutgoingError),
    #[error("the gateway answered {status}: {text}")]
    Answered { status: StatusCode, text: String },
}

impl Lease {
    /// `token` is the one that callers must send to `url`.
    pub(crate) fn new(
        capability: &Capability,
        gateway: GatewaySettings,
        url: &str,
        token: Option<&str>,
    ) -> Result<Self, OutgoingError> {
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
        let outgoing = Outgoing::new(&gateway.url, None, None, ANSWER_LIMIT)?;
        Ok(Self { outgoing, token: gateway.token, registration, path, lease: gateway.lease })
    }

    async fn register(&self) -> Result<Duration, RegistrationError> {
        let answer = self.ask(Method::POST, "/servers/register", Some(&self.registration)).await?;
        Ok(self.beat_of(&answer))
    }

    async fn renew(&self) -> Result<Duration, RegistrationError> {
        let answer = self.ask(Method::POST, &format!("{}/heartbeat", self.path), None).await?;
        Ok(self.beat_of(&answer))
    }

    async fn give_back(&self) {
        let left = tokio::time::timeout(GOODBYE_LIMIT, self.ask(Method::DELETE, &self.path, None)).await;
        if !matches!(left, Ok(Ok(_))) {
            tracing::info!(
                "the gateway could not be told that this server is stopping; it will notice when the lease \
                 expires"
            );
        }
    }

    /// The answer, or null if it is empty.
    async fn ask(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Value, RegistrationError> {
        let token = self.token.read().map_err(RegistrationError::Token)?;
        let answer = self.outgoing.ask(method, path, Some(&token), body).await?;
        let status = answer.status();
        let body = answer.into_body().unwrap_or_default();
        if !status.is_success() {
            let text = String::from_utf8_lossy(&body);
            let text = text.chars().filter(|c| !c.is_control()).take(EXCERPT_CHARS_MAX).collect();
            return Err(RegistrationError::Answered { status, text });
        }
        Ok(serde_json::from_slice(&body).unwrap_or_default())
    }

    /// The time of the renewal: from the answer, or a third of the lease.
    fn beat_of(&self, answer: &Value) -> Duration {
        let asked = answer["heartbeat_seconds"]
            .as_f64()
            .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        asked.unwrap_or(self.lease / 3).clamp(BEAT_MIN, BEAT_MAX)
    }
}

/// Renews the lease until `stop`, then returns it. Without one, only waits.
pub(crate) async fn keep(lease: Option<Lease>, stop: &CancellationToken) {
    let Some(lease) = lease else { return stop.cancelled().await };
    let mut keeper = LeaseKeeper { lease, standing: LeaseStanding::Out, wait: WAIT_MIN, told: None };
    stop.run_until_cancelled(keeper.run()).await;
    if keeper.standing != LeaseStanding::Out {
        keeper.lease.give_back().await;
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum LeaseStanding {
    /// Not registered, as far as is known.
    Out,
    In,
    /// Registered, but the gateway did not answer the last time.
    Unheard,
}

struct LeaseKeeper {
    lease: Lease,
    standing: LeaseStanding,
    wait: Duration,
    /// The last logged message, so that it is not repeated.
    told: Option<String>,
}

impl LeaseKeeper {
    async fn run(&mut self) {
        loop {
            let pause = match self.standing {
                LeaseStanding::Out => self.enter().await,
                LeaseStanding::In | LeaseStanding::Unheard => self.stay().await,
            };
            tokio::time::sleep(pause).await;
        }
    }

    async fn enter(&mut self) -> Duration {
        match self.lease.register().await {
            Ok(beat) => {
                self.standing = LeaseStanding::In;
                self.went_well("registered with the gateway", beat)
            }
            Err(failure) => self.failed(&failure),
        }
    }

    async fn stay(&mut self) -> Duration {
        match self.lease.renew().await {
            Ok(beat) => {
                self.standing = LeaseStanding::In;
                self.went_well("the gateway renewed the lease", beat)
            }
            Err(RegistrationError::Answered { status: StatusCode::GONE, .. }) => {
                self.standing = LeaseStanding::Out;
                tracing::info!("the gateway no longer knows this server; registering again");
                Duration::ZERO
            }
            Err(failure) => {
                self.standing = LeaseStanding::Unheard;
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
    fn failed(&mut self, failure: &RegistrationError) -> Duration {
        let text = failure.to_string();
        if self.told.as_ref() != Some(&text) {
            tracing::warn!("no lease from the gateway: {text}; retrying until it works");
            self.told = Some(text);
        }
        let wait = self.wait;
        self.wait = (wait * 2).min(WAIT_MAX);
        wait
    }
}
