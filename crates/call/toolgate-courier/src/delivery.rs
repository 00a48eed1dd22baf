//! The delivery of events to a receiver: it takes a prefix of the waiting events, or reports why it could
//! not.

use std::time::Duration;

use toolgate_core::event::{EventKind, RecordedEvent};
use toolgate_core::signature::SigningKey;
use toolgate_store::Store;

use crate::failure::DeliveryFailure;
use crate::mail::MailDelivery;
use crate::meter::{MeterFileDelivery, MeterWebhookDelivery};
use crate::metered::METERED_KINDS;
use crate::otlp::OtlpDelivery;
use crate::receiver::{BadReceiver, Receiver};
use crate::webhook::WebhookDelivery;

/// If each event is a request of its own, a batch is small: after a crash all of it is sent again.
const SINGLE_BATCH_MAX: usize = 16;
/// If a batch is one request or one write.
const WHOLE_BATCH_MAX: usize = 256;

/// A receiver that is ready to be delivered to.
pub(crate) enum Delivery {
    Webhook(WebhookDelivery),
    MeterWebhook(MeterWebhookDelivery),
    MeterFile(MeterFileDelivery),
    Otlp(OtlpDelivery),
    Mail(MailDelivery),
}

/// The treatment of events that a receiver refuses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RefusedEvents {
    /// They are skipped after some attempts, so that they do not block later events forever.
    Skipped,
    /// They are offered until they are accepted: billing depends on them.
    Kept,
}

impl Delivery {
    pub(crate) fn kinds(&self) -> &[EventKind] {
        match self {
            Delivery::Webhook(webhook) => webhook.kinds(),
            Delivery::MeterWebhook(_) | Delivery::MeterFile(_) => METERED_KINDS,
            Delivery::Otlp(_) => &[EventKind::CallCompleted],
            Delivery::Mail(mail) => mail.kinds(),
        }
    }

    pub(crate) fn batch_max(&self) -> usize {
        match self {
            Delivery::Webhook(_) | Delivery::MeterWebhook(_) | Delivery::Mail(_) => SINGLE_BATCH_MAX,
            Delivery::MeterFile(_) | Delivery::Otlp(_) => WHOLE_BATCH_MAX,
        }
    }

    pub(crate) fn unwanted(&self) -> RefusedEvents {
        match self {
            Delivery::Webhook(_) | Delivery::Otlp(_) | Delivery::Mail(_) => RefusedEvents::Skipped,
            Delivery::MeterWebhook(_) | Delivery::MeterFile(_) => RefusedEvents::Kept,
        }
    }

    /// Delivers at least the first of these events, in order, and returns how many are done. `events` is not
    /// empty.
    pub(crate) async fn deliver(
        &self,
        store: &Store,
        events: &[RecordedEvent],
        limit: Duration,
    ) -> Result<usize, DeliveryFailure> {
        match self {
            Delivery::Webhook(webhook) => webhook.deliver(store, &events[0], limit).await,
            Delivery::MeterWebhook(meter) => meter.deliver(events, limit).await,
            Delivery::MeterFile(meter) => meter.deliver(events).await,
            Delivery::Otlp(otlp) => otlp.deliver(events, limit).await,
            Delivery::Mail(mail) => mail.deliver(store, events, limit).await,
        }
    }
}

impl Receiver {
    pub(crate) fn into_delivery(self) -> Result<Delivery, BadReceiver> {
        let sink = self.sink();
        let key = |secret: &str| {
            SigningKey::parse(secret).map_err(|cause| BadReceiver::Secret { sink: sink.clone(), cause })
        };
        Ok(match self {
            Receiver::Webhook(webhook) => {
                let key = key(&webhook.secret)?;
                Delivery::Webhook(WebhookDelivery::new(webhook, key)?)
            }
            Receiver::MeterWebhook(meter) => {
                Delivery::MeterWebhook(MeterWebhookDelivery::new(&meter, key(&meter.secret)?)?)
            }
            Receiver::MeterFile { path } => Delivery::MeterFile(MeterFileDelivery::new(path)),
            Receiver::Otlp(otlp) => Delivery::Otlp(OtlpDelivery::new(&otlp)?),
            Receiver::Mail(mail) => Delivery::Mail(MailDelivery::new(mail)),
        })
    }
}
