//! The maker of a request, for the pipeline: asked questions, told to wait, and checked for presence.

use std::time::Duration;

use serde_json::json;
use toolgate_core::approval::Approval;
use toolgate_core::id::ApprovalId;
use toolgate_core::port::{AskKind, BoxFuture, Caller};
use toolgate_core::{RawJson, Refusal, RpcError};
use toolgate_pipeline::{Confirmer, WaitMode};

use crate::clients::caller::RequestCaller;
use crate::gateway::Gateway;

pub(crate) struct Requester<'a> {
    pub(crate) gateway: &'a Gateway,
    pub(crate) caller: &'a RequestCaller,
    pub(crate) patience: WaitMode,
}

impl Confirmer for Requester<'_> {
    fn can_confirm(&self) -> bool {
        self.patience != WaitMode::Unbounded && self.caller.client.abilities.elicitation_form
    }

    fn confirm<'a>(
        &'a self,
        approval: &'a ApprovalId,
        params: RawJson,
    ) -> BoxFuture<'a, Result<RawJson, RpcError>> {
        self.caller.ask_as(approval.as_str(), AskKind::Elicitation, params)
    }

    fn patience(&self) -> WaitMode {
        self.patience
    }

    fn waiting(&self, approval: &Approval, waited: Duration) {
        let message = format!("waiting for approval {}", approval.id);
        self.caller.progress(json!({ "progress": waited.as_secs_f64(), "message": message }).into());
    }

    fn may_ask(&self) -> Option<BoxFuture<'_, Result<(), Refusal>>> {
        Some(Box::pin(self.gateway.quotas.may_ask(&self.caller.client.principal.id)))
    }

    fn is_there(&self) -> bool {
        self.caller.is_there()
    }

    fn has_withdrawn(&self) -> bool {
        self.caller.has_withdrawn()
    }
}
