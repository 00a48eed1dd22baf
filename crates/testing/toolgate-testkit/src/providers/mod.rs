//! Small stand-ins of Slack, HubSpot, GitHub and a receiver of webhooks. Each behaves as the provider's documentation says,
//! keeps a list of effects, and takes faults. What stands in the list has happened, whatever the gateway reports.

mod exchange;
mod fault;
mod github;
mod hubspot;
mod pages;
mod server;
mod slack;
mod webhook;

pub use exchange::{Provider, ProviderAnswer, ProviderRequest, SignedOut};
pub use fault::ProviderFault;
pub use github::GitHub;
pub use hubspot::{CrmObject, HubSpot};
pub use pages::PageManner;
pub use server::Standin;
pub use slack::Slack;
pub use webhook::WebhookReceiver;

#[cfg(test)]
mod tests;
