//! The receivers of events, as the operator configures them.

use std::path::PathBuf;
use std::sync::Arc;

use toolgate_core::egress::Egress;
use toolgate_core::event::EventKind;
use toolgate_core::signature::BadSigningKey;
use toolgate_outbound::BadEgress;

use crate::mail::MailReceiver;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Receiver {
    Webhook(Webhook),
    MeterWebhook(MeterWebhook),
    /// Meter events, one a line, appended.
    MeterFile {
        path: PathBuf,
    },
    Otlp(Otlp),
    Mail(MailReceiver),
}

/// Receives events as they are recorded, one signed request for each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Webhook {
    /// Names its place in the ledger: with another name it is another receiver.
    pub name: String,
    pub url: String,
    pub secret: String,
    pub events: Vec<EventKind>,
    /// The address for a decision; `{id}` is replaced by the approval's id.
    pub link: Option<String>,
    /// The connection settings.
    pub egress: Arc<Egress>,
}

impl Webhook {
    /// The key of its position in the ledger.
    pub fn sink(&self) -> String {
        format!("webhook:{}", self.name)
    }
}

/// Hears of every executed tool, one signed request for each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeterWebhook {
    pub url: String,
    pub secret: String,
    pub egress: Arc<Egress>,
}

/// An OpenTelemetry collector that takes spans over HTTP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Otlp {
    /// Its base address; spans go to `{endpoint}/v1/traces`.
    pub endpoint: String,
    pub headers: Vec<(String, String)>,
    pub service_name: String,
    pub egress: Arc<Egress>,
}

/// The reason why a receiver cannot be used.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum BadReceiver {
    #[error("{address:?} is not an http or https address without credentials in it")]
    Address { address: String },
    #[error("the secret of receiver {sink:?} cannot be used: {cause}")]
    Secret { sink: String, cause: BadSigningKey },
    #[error("{name:?} cannot be a header: {why}")]
    Header { name: String, why: String },
    #[error("there are two receivers {sink:?}, and each needs a place of its own in the ledger")]
    Twice { sink: String },
    #[error("TLS cannot be spoken: {0}")]
    Egress(#[from] BadEgress),
}

impl Receiver {
    /// The key of its position in the ledger. It must not change with an address or a secret.
    pub fn sink(&self) -> String {
        match self {
            Receiver::Webhook(webhook) => webhook.sink(),
            Receiver::MeterWebhook(_) => "meter:webhook".to_owned(),
            Receiver::MeterFile { .. } => "meter:file".to_owned(),
            Receiver::Otlp(_) => "otlp".to_owned(),
            Receiver::Mail(mail) => mail.sink(),
        }
    }
}
