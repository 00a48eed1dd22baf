//! Advice about the faults of models, for people.

use toolgate_core::model::{ModelDefinition, ModelFault, ModelFaultKind};
use toolgate_core::platform::OWN_SERVER;
use toolgate_outbound::ConnectTrouble;

pub(crate) const NO_TOOLS: &str =
    "agents need a model that calls tools; take another one, or switch tools on where it is served";

/// The advice about a fault.
pub(crate) fn of(fault: &ModelFault, definition: &ModelDefinition) -> String {
    let (name, url) = (&definition.name, &definition.url);
    match (fault.kind, fault.status) {
        (ModelFaultKind::Refused, Some(401 | 403)) => refused_key(definition),
        (ModelFaultKind::Refused, Some(404)) => format!(
            "check `model` (\"{}\") and `url` ({url}): paths are appended to the address, which often ends in `/v1`",
            definition.model
        ),
        (ModelFaultKind::Refused, _) => {
            format!(
                "check `provider` (`{}`), `model` and `limits` of model \"{name}\"",
                definition.provider.as_str()
            )
        }
        (ModelFaultKind::Away, _) => match ConnectTrouble::in_text(&fault.message) {
            Some(trouble) => format!("{} ({url})", trouble.advice()),
            None => format!("check that {url} is reachable from here; `limits` says how long is waited"),
        },
        (ModelFaultKind::Busy, _) => match fault.retry_after {
            Some(wait) => format!("the provider asks to wait for {} s", wait.as_secs()),
            None => {
                "ask again later; the provider, or `parallel_max` in `limits`, allows no more now".to_owned()
            }
        },
        (ModelFaultKind::Overflow, _) => "a smaller `context_tokens` folds the history earlier".to_owned(),
        (ModelFaultKind::Nonsense, _) => format!(
            "check `provider`: what answers at {url} does not speak `{}`, or does not stream",
            definition.provider.as_str()
        ),
        (ModelFaultKind::Unusable, _) => unusable(fault, definition),
        (ModelFaultKind::Cancelled, _) => "ask again".to_owned(),
    }
}

fn refused_key(definition: &ModelDefinition) -> String {
    match &definition.key {
        Some(key) => {
            format!(
                "the provider does not accept the key; `toolgate secrets set {OWN_SERVER} {key}` stores another"
            )
        }
        None => format!(
            "the provider wants a key: store it with `toolgate secrets set {OWN_SERVER} NAME`, and set `key = \"NAME\"`"
        ),
    }
}

/// Messages about keys and addresses have their own advice.
fn unusable(fault: &ModelFault, definition: &ModelDefinition) -> String {
    match &definition.key {
        Some(key) if fault.message.contains("has no key") => {
            format!("`toolgate secrets set {OWN_SERVER} {key}` stores the key")
        }
        _ => format!("correct `url` ({}) where model \"{}\" is defined", definition.url, definition.name),
    }
}
