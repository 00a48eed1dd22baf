//! A caller that records whether it was asked something on the way: then the result is an answer to its
//! answer, and not to the call alone.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use toolgate_core::port::{AskKind, BoxFuture, Caller, ClientKey};
use toolgate_core::server::InstanceId;
use toolgate_core::{PrincipalId, RawJson, RpcError};

pub(crate) struct ObservedCaller {
    caller: Arc<dyn Caller>,
    asked: AtomicBool,
}

impl ObservedCaller {
    pub(crate) fn new(caller: Arc<dyn Caller>) -> Arc<Self> {
        Arc::new(Self { caller, asked: AtomicBool::new(false) })
    }

    pub(crate) fn was_asked(&self) -> bool {
        self.asked.load(Ordering::Acquire)
    }
}

impl Caller for ObservedCaller {
    fn principal(&self) -> &PrincipalId {
        self.caller.principal()
    }

    fn client(&self) -> ClientKey {
        self.caller.client()
    }

    fn capabilities(&self) -> &RawJson {
        self.caller.capabilities()
    }

    fn client_info(&self) -> Option<&RawJson> {
        self.caller.client_info()
    }

    fn can_answer(&self, kind: AskKind) -> bool {
        self.caller.can_answer(kind)
    }

    fn wants_progress(&self) -> bool {
        self.caller.wants_progress()
    }

    fn log_level(&self) -> Option<&str> {
        self.caller.log_level()
    }

    fn answered_by(&self, instance: &InstanceId) {
        self.caller.answered_by(instance);
    }

    fn progress(&self, params: RawJson) {
        self.caller.progress(params);
    }

    fn log(&self, params: RawJson) {
        self.caller.log(params);
    }

    fn ask(&self, kind: AskKind, params: RawJson) -> BoxFuture<'_, Result<RawJson, RpcError>> {
        self.asked.store(true, Ordering::Release);
        self.caller.ask(kind, params)
    }
}
