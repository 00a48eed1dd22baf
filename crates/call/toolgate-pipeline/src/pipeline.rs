//! The parts that a call passes on its way.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use arc_swap::ArcSwapOption;
use tokio_util::sync::CancellationToken;
use toolgate_core::approval::Approval;
use toolgate_core::decision::Policy;
use toolgate_core::event::{Event, EventKind, EventSubject, LedgerEntry, Outcome};
use toolgate_core::governance::{Approvals, Clock, Ledger};
use toolgate_core::id::CallId;
use toolgate_core::{CanonicalName, PrincipalId, RawJson, Tool};

use crate::filter::Filters;
use crate::flight::Flights;
use crate::held::HeldCalls;
use crate::redact::{MarkStyle, Redactor, echo};
use crate::schema::Schemas;
use crate::settings::PipelineSettings;
use crate::standing;

/// Everything a call passes on its way.
pub struct Pipeline {
    pub(crate) policy: Arc<dyn Policy>,
    pub(crate) approvals: Arc<dyn Approvals>,
    pub(crate) ledger: Arc<dyn Ledger>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) redactor: Redactor,
    /// `None` if there are no filters: then they cost nothing.
    pub(crate) filters: ArcSwapOption<Filters>,
    pub(crate) schemas: Schemas,
    pub(crate) settings: PipelineSettings,
    pub(crate) times: ApprovalTimes,
    pub(crate) flights: Flights,
    pub(crate) held: HeldCalls,
    /// The gateway is about to stop: no call waits any longer.
    pub(crate) closing: CancellationToken,
}

/// The parts that the binary provides.
pub struct PipelineSetup {
    pub policy: Arc<dyn Policy>,
    pub approvals: Arc<dyn Approvals>,
    pub ledger: Arc<dyn Ledger>,
    pub clock: Arc<dyn Clock>,
    pub redactor: Redactor,
    pub filters: Filters,
    pub settings: PipelineSettings,
    /// Cancelled when the gateway is about to end.
    pub closing: CancellationToken,
}

/// The time that people have and the time that calls wait for them. Both may change while calls are in
/// progress.
#[derive(Debug)]
pub(crate) struct ApprovalTimes {
    hold_ms: AtomicU64,
    approval_timeout_ms: AtomicU64,
}

impl ApprovalTimes {
    fn new(hold: Duration, approval_timeout: Duration) -> Self {
        Self { hold_ms: millis(hold).into(), approval_timeout_ms: millis(approval_timeout).into() }
    }

    pub(crate) fn hold(&self) -> Duration {
        Duration::from_millis(self.hold_ms.load(Ordering::Relaxed))
    }

    pub(crate) fn approval_timeout(&self) -> Duration {
        Duration::from_millis(self.approval_timeout_ms.load(Ordering::Relaxed))
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

impl Pipeline {
    pub fn new(setup: PipelineSetup) -> Self {
        Self {
            times: ApprovalTimes::new(setup.settings.hold, setup.settings.approval_timeout),
            policy: setup.policy,
            approvals: setup.approvals,
            ledger: setup.ledger,
            clock: setup.clock,
            redactor: setup.redactor,
            filters: ArcSwapOption::new(some(setup.filters)),
            schemas: Schemas::default(),
            settings: setup.settings,
            flights: Flights::default(),
            held: HeldCalls::default(),
            closing: setup.closing,
        }
    }

    /// True if policy still requires this approval in the same way as when people were asked.
    pub fn policy_stands(&self, approval: &Approval, tool: &Tool) -> bool {
        standing::stands(&*self.policy, approval, tool)
    }

    /// Sets the times for calls that begin to wait from now on: how long they wait, and how long people have
    /// if no gate sets it.
    pub fn set_times(&self, hold: Duration, approval_timeout: Duration) {
        self.times.hold_ms.store(millis(hold), Ordering::Relaxed);
        self.times.approval_timeout_ms.store(millis(approval_timeout), Ordering::Relaxed);
    }

    /// From now on these filters look through calls.
    pub fn set_filters(&self, filters: Filters) {
        self.filters.store(some(filters));
    }

    /// The filters in force, if there are any.
    pub fn filters(&self) -> Option<Arc<Filters>> {
        self.filters.load_full()
    }

    /// True if calls can be recorded right now. A call that cannot be recorded is not sent.
    pub fn is_recording(&self) -> bool {
        self.ledger.is_up()
    }

    pub fn now_ms(&self) -> i64 {
        self.clock.now_ms()
    }

    /// The version of an answer that may be stored, even outside the ledger: without its own secrets and without those of the
    /// arguments.
    pub fn kept(&self, tool: &CanonicalName, arguments: &RawJson, said: &RawJson) -> RawJson {
        echo::kept(&self.redactor, tool, arguments, said)
    }

    /// Records a call that led to no tool as refused. Nothing depends on it, so it is left out while the ledger
    /// cannot be written.
    pub async fn record_nowhere(
        &self,
        principal: &PrincipalId,
        about: EventSubject,
        detail: serde_json::Value,
    ) {
        if !self.is_recording() {
            return;
        }
        let call = CallId::new(self.clock.fresh_id(CallId::PREFIX));
        let about = Arc::new(EventSubject { call: Some(call), ..about });
        let mut event = Event::new(EventKind::CallCompleted, self.clock.now_ms(), principal.clone(), about);
        event.outcome = Some(Outcome::Refused);
        let detail = self.redactor.redact_input("", &detail, MarkStyle::Plain).value.into_owned();
        event.detail = Some(detail.into());
        let entry = LedgerEntry { events: vec![event], ..LedgerEntry::default() };
        drop(self.ledger.append(entry).await);
    }
}

fn some(filters: Filters) -> Option<Arc<Filters>> {
    (!filters.is_empty()).then(|| Arc::new(filters))
}
