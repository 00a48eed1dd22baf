//! The client behind the requests that this domain sends itself: nobody who could be asked.

use toolgate_core::port::{AskKind, BoxFuture, Caller, ClientKey};
use toolgate_core::{PrincipalId, RawJson, RpcError};

/// No client of the edge has this key: those count up from one.
const KEY: ClientKey = ClientKey(u64::MAX);

/// Whoever asked for a test or a sync. Its own sign-in counts before the shared one.
pub(crate) struct StreamRequester {
    principal: PrincipalId,
    capabilities: RawJson,
}

impl StreamRequester {
    pub(crate) fn new(principal: PrincipalId) -> Self {
        Self { principal, capabilities: RawJson::EMPTY }
    }
}

impl Caller for StreamRequester {
    fn principal(&self) -> &PrincipalId {
        &self.principal
    }

    fn client(&self) -> ClientKey {
        KEY
    }

    fn capabilities(&self) -> &RawJson {
        &self.capabilities
    }

    fn client_info(&self) -> Option<&RawJson> {
        None
    }

    fn can_answer(&self, _kind: AskKind) -> bool {
        false
    }

    fn waits_for_people(&self) -> bool {
        false
    }

    fn wants_progress(&self) -> bool {
        false
    }

    fn log_level(&self) -> Option<&str> {
        None
    }

    fn progress(&self, _params: RawJson) {}

    fn log(&self, _params: RawJson) {}

    fn ask(&self, kind: AskKind, _params: RawJson) -> BoxFuture<'_, Result<RawJson, RpcError>> {
        let refused = RpcError::method_not_found(kind.method());
        Box::pin(std::future::ready(Err(refused)))
    }
}
