//! The receivers of events: webhooks, mail, meters, traces, as configured; and the API's view of them.

use tokio_util::sync::CancellationToken;
use toolgate_api::{OutgoingWebhook, WebhookPort};
use toolgate_core::governance::Clock;
use toolgate_core::port::BoxFuture;
use toolgate_courier::{Courier, MeterWebhook, Otlp, Receiver, ReceiverBoard, Webhook};
use toolgate_store::{Store, StoreError};
use url::Url;

use crate::config::Config;
use crate::governance::SystemClock;
use crate::mail::{self, MailLinks};

pub(crate) async fn start(
    config: &Config,
    store: &Store,
    links: &MailLinks,
    board: &ReceiverBoard,
    shutdown: &CancellationToken,
) -> anyhow::Result<Courier> {
    let mut receivers = receivers(config);
    receivers.extend(mail::receivers(config, links));
    let courier = Courier::start(store, receivers, board, shutdown).await?;
    if let Some(digest) = mail::digest(config, links) {
        courier.keep_digest(digest, store, board, shutdown);
    }
    Ok(courier)
}

fn receivers(config: &Config) -> Vec<Receiver> {
    let mut receivers: Vec<Receiver> = webhooks(config).map(Receiver::Webhook).collect();
    if let Some(metering) = &config.metering {
        let signed = metering.url.clone().zip(metering.secret.clone());
        receivers.extend(signed.map(|(url, secret)| {
            Receiver::MeterWebhook(MeterWebhook { url, secret, egress: config.egress.clone() })
        }));
        receivers.extend(metering.file.clone().map(|path| Receiver::MeterFile { path }));
    }
    if let Some(otlp) = &config.otlp {
        receivers.push(Receiver::Otlp(Otlp {
            endpoint: otlp.endpoint.clone(),
            headers: otlp.headers.clone().into_iter().collect(),
            service_name: otlp.service_name.clone(),
            egress: config.egress.clone(),
        }));
    }
    receivers
}

fn webhooks(config: &Config) -> impl Iterator<Item = Webhook> {
    config.webhooks.iter().map(|webhook| Webhook {
        name: webhook.name.clone(),
        url: webhook.url.clone(),
        secret: webhook.secret.clone(),
        events: webhook.events.clone(),
        link: config.approvals.link.clone(),
        egress: config.egress.clone(),
    })
}

/// The webhooks as the API tells of them.
pub(crate) struct WebhookReceivers {
    store: Store,
    board: ReceiverBoard,
    known: Vec<KnownWebhook>,
}

#[derive(Clone)]
struct KnownWebhook {
    webhook: Webhook,
    decisions: bool,
    groups: Vec<String>,
}

impl WebhookReceivers {
    pub(crate) fn of(config: &Config, store: &Store, board: &ReceiverBoard) -> Self {
        let known = webhooks(config).zip(&config.webhooks).map(|(webhook, written)| KnownWebhook {
            webhook,
            decisions: written.decisions,
            groups: written.groups.clone(),
        });
        Self { known: known.collect(), store: store.clone(), board: board.clone() }
    }
}

impl WebhookPort for WebhookReceivers {
    fn webhooks(&self) -> BoxFuture<'static, Result<Vec<OutgoingWebhook>, StoreError>> {
        let (store, board, known) = (self.store.clone(), self.board.clone(), self.known.clone());
        Box::pin(async move {
            let mut told = Vec::new();
            for one in known {
                told.push(outgoing(one, &store, &board).await?);
            }
            Ok(told)
        })
    }

    fn test(&self, name: &str) -> BoxFuture<'static, Option<Result<(), String>>> {
        let known = self.known.iter().find(|known| known.webhook.name == name).cloned();
        Box::pin(async move {
            let id = SystemClock::default().fresh_id("test_");
            Some(known?.webhook.test(&id).await)
        })
    }
}

async fn outgoing(
    known: KnownWebhook,
    store: &Store,
    board: &ReceiverBoard,
) -> Result<OutgoingWebhook, StoreError> {
    let KnownWebhook { webhook, decisions, groups } = known;
    let sink = webhook.sink();
    let standing = board.standing(&sink);
    Ok(OutgoingWebhook {
        waiting: store.outbox_waiting(&sink, &webhook.events).await?,
        address: origin(&webhook.url),
        name: webhook.name,
        events: webhook.events,
        decisions,
        groups,
        delivered: standing.delivered,
        delivered_at_ms: standing.delivered_at_ms,
        failures: standing.failures,
        passed_over: standing.passed_over,
        last_error: standing.last_error,
        failed_at_ms: standing.failed_at_ms,
    })
}

/// The path and the query of such an address often are its credential.
fn origin(url: &str) -> String {
    Url::parse(url).map(|url| url.origin().ascii_serialization()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_told_without_what_may_be_a_secret() {
        for (url, told) in [
            ("https://hooks.example.com/services/T0/B0/secret?key=1", "https://hooks.example.com"),
            ("http://127.0.0.1:9000/hook", "http://127.0.0.1:9000"),
            ("nothing", ""),
        ] {
            assert_eq!(origin(url), told);
        }
    }
}
