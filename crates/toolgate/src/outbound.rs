//! Who hears of what happens here: webhooks, meters, traces, as the configuration names them.

use tokio_util::sync::CancellationToken;
use toolgate_courier::{Courier, MeterWebhook, Otlp, Receiver, Webhook};
use toolgate_store::Store;

use crate::config::Config;

pub(crate) async fn start(
    config: &Config,
    store: &Store,
    shutdown: &CancellationToken,
) -> anyhow::Result<Courier> {
    Ok(Courier::start(store, receivers(config), shutdown).await?)
}

fn receivers(config: &Config) -> Vec<Receiver> {
    let link = config.approvals.link.clone();
    let mut receivers: Vec<Receiver> = config
        .webhooks
        .iter()
        .map(|webhook| {
            Receiver::Webhook(Webhook {
                name: webhook.name.clone(),
                url: webhook.url.clone(),
                secret: webhook.secret.clone(),
                events: webhook.events.clone(),
                link: link.clone(),
            })
        })
        .collect();
    if let Some(metering) = &config.metering {
        let signed = metering.url.clone().zip(metering.secret.clone());
        receivers.extend(signed.map(|(url, secret)| Receiver::MeterWebhook(MeterWebhook { url, secret })));
        receivers.extend(metering.file.clone().map(|path| Receiver::MeterFile { path }));
    }
    if let Some(otlp) = &config.otlp {
        receivers.push(Receiver::Otlp(Otlp {
            endpoint: otlp.endpoint.clone(),
            headers: otlp.headers.clone().into_iter().collect(),
            service_name: otlp.service_name.clone(),
        }));
    }
    receivers
}
