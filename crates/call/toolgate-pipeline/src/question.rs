//! Questions that servers ask during calls, as the ledger records them.

use std::sync::Arc;

use serde_json::Value;
use toolgate_core::event::{Event, EventKind, EventSubject, LedgerEntry};
use toolgate_core::governance::StoreDown;
use toolgate_core::{PrincipalId, RawJson};

use crate::pipeline::Pipeline;

impl Pipeline {
    /// Records a server's question to a client, or its prevention. `principal` is the one to be asked.
    pub async fn record_question(
        &self,
        principal: PrincipalId,
        about: EventSubject,
        detail: Value,
    ) -> Result<(), StoreDown> {
        let server = about.server.as_ref().map_or_else(String::new, ToString::to_string);
        let detail = self.redactor.redact_output(&server, &RawJson::from(detail)).json;
        let mut event = Event::new(EventKind::ServerAsked, self.clock.now_ms(), principal, Arc::new(about));
        event.detail = Some(detail);
        self.ledger.append(LedgerEntry { events: vec![event], ..LedgerEntry::default() }).await
    }
}
