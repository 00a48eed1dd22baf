//! A receiver of webhooks that takes each id once, as Standard Webhooks asks for. Tests check the signature themselves.

use std::collections::BTreeSet;

use super::exchange::{Provider, ProviderAnswer, ProviderRequest, SignedOut};
use super::pages::PageManner;

#[derive(Default)]
pub struct WebhookReceiver {
    taken: BTreeSet<String>,
}

impl Provider for WebhookReceiver {
    const BASE_PATH: &'static str = "/hooks/toolgate";

    fn answer(
        &mut self,
        request: &ProviderRequest,
        _manner: PageManner,
        effects: &mut Vec<String>,
    ) -> ProviderAnswer {
        if request.method != "POST" || request.path != Self::BASE_PATH {
            return ProviderAnswer::bytes(404, "text/plain", b"nothing here".to_vec());
        }
        let Some(id) = request.header("webhook-id").filter(|_| request.header("webhook-signature").is_some())
        else {
            return ProviderAnswer::bytes(400, "text/plain", b"a message is signed".to_vec());
        };
        if self.taken.insert(id.to_owned()) {
            effects.push(format!("message {id} {}", String::from_utf8_lossy(&request.body)));
        }
        ProviderAnswer::bytes(202, "text/plain", b"thanks".to_vec())
    }

    fn signed_out(&self, _how: SignedOut) -> ProviderAnswer {
        ProviderAnswer::bytes(401, "text/plain", b"the signature is wrong".to_vec())
    }

    fn limited(&self) -> ProviderAnswer {
        ProviderAnswer::bytes(429, "text/plain", b"slower".to_vec())
    }

    fn needs_token(&self, _request: &ProviderRequest) -> bool {
        false
    }
}
