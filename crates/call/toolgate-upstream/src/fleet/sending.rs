//! The path of one request through a fleet: cache, limits, an instance that can take it, and another one if
//! it never arrived.

use std::sync::Arc;

use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};
use toolgate_core::port::{Caller, ServerError, ServerReply, ServerRequest};
use toolgate_core::{Fault, FaultKind};
use toolgate_wire::ObjectMembers;

use super::choice::{MemberChoice, ReadyMember};
use super::failure::{FailedRequest, is_failure};
use super::size::FleetSize;
use super::tools::resting;
use super::{Fleet, FleetMembers};
use crate::breaker::BreakerAdmission;
use crate::cache::{CacheSharing, CacheSlot, ObservedCaller};
use crate::deadline::Deadline;
use crate::keys;
use crate::member::FleetMember;

const LEAVES: &str = "the gateway is letting go of it";

impl Fleet {
    pub(crate) async fn request(
        &self,
        request: &ServerRequest,
        caller: Arc<dyn Caller>,
    ) -> Result<ServerReply, ServerError> {
        let is_cached = request.tool.as_ref().is_some_and(|tool| tool.handling.cache.is_some());
        // A state of their own may give each caller another answer, and another one each time.
        if !is_cached || self.knows_callers() {
            return self.limited(request, caller).await;
        }
        match CacheSlot::of(request, caller.principal()) {
            Some(slot) => Box::pin(self.remembered(&slot, request, caller)).await,
            None => self.limited(request, caller).await,
        }
    }

    async fn remembered(
        &self,
        slot: &CacheSlot,
        request: &ServerRequest,
        caller: Arc<dyn Caller>,
    ) -> Result<ServerReply, ServerError> {
        if let Some(result) = self.house.cache.lookup(slot) {
            return Ok(ServerReply::Cached(result));
        }
        let observed = ObservedCaller::new(caller);
        let reply = self.limited(request, observed.clone()).await?;
        if !observed.was_asked() {
            self.house.cache.store(slot, &reply, self.sharing());
        }
        Ok(reply)
    }

    fn sharing(&self) -> CacheSharing {
        keys::sharing(&self.roll.load().spec, &*self.house.keyring)
    }

    /// Within the limits of the tool, then of the server.
    async fn limited(
        &self,
        request: &ServerRequest,
        caller: Arc<dyn Caller>,
    ) -> Result<ServerReply, ServerError> {
        let roll = self.roll.load_full();
        let Some(tool) = &request.tool else {
            let deadline = Deadline::after(roll.spec.timeout);
            return self.placed(&roll, request, caller, &deadline).await.map_err(|failed| failed.error);
        };
        let deadline = Deadline::after(tool.handling.timeout.unwrap_or(roll.spec.timeout));
        let tended = self.tools.of(tool);
        let admitted = tended.admit(&deadline).await.map_err(|kind| self.fault(kind))?;
        let began = Instant::now();
        let outcome = self.placed(&roll, request, caller, &deadline).await;
        if !matches!(&outcome, Err(FailedRequest { at: None, .. })) {
            tended.pulse.latency.record(began.elapsed());
        }
        tended.pulse.tell(admitted, roll.company(), began, outcome.as_ref().map(drop));
        outcome.map_err(|failed| failed.error)
    }

    async fn placed(
        &self,
        roll: &Arc<FleetMembers>,
        request: &ServerRequest,
        caller: Arc<dyn Caller>,
        deadline: &Arc<Deadline>,
    ) -> Result<ServerReply, FailedRequest> {
        if let Some(limiter) = &roll.limiter {
            let limited = |retry_after| self.fault(FaultKind::RateLimited { retry_after });
            limiter.check().map_err(limited).map_err(FailedRequest::unsent)?;
        }
        let entered = roll.gate.enter(deadline).await;
        let place = entered.map_err(|kind| FailedRequest::unsent(self.fault(kind)))?;
        let outcome = self.send(request, caller, deadline).await;
        drop(place);
        outcome
    }

    /// Sends to one member after the other until one has been reached, each at most once.
    async fn send(
        &self,
        request: &ServerRequest,
        caller: Arc<dyn Caller>,
        deadline: &Arc<Deadline>,
    ) -> Result<ServerReply, FailedRequest> {
        let mut tried = Vec::new();
        let mut unreached = None;
        let mut news = None;
        loop {
            // Read again each time: its members may have been removed meanwhile.
            let roll = self.roll.load_full();
            match self.choose(&roll, request, &*caller, &tried) {
                MemberChoice::Member(ready) => {
                    match self.send_to(ready, &roll, request, caller.clone(), deadline).await {
                        None => {}
                        Some(Ok(reply)) => return Ok(reply),
                        Some(Err(error)) if never_reached(&error) => {
                            tried.push(ready.member.number);
                            unreached = Some(error);
                        }
                        Some(Err(error)) => {
                            return Err(FailedRequest { error, at: Some(ready.member.number) });
                        }
                    }
                }
                MemberChoice::Wait => {
                    let heard = deadline.limit(self.hear_news(&mut news, &roll)).await;
                    if !heard.unwrap_or(false) {
                        let kind = FaultKind::Down { reason: "it is still starting".into() };
                        return Err(FailedRequest::unsent(self.fault(kind)));
                    }
                }
                MemberChoice::Unavailable(kind) => {
                    return Err(FailedRequest::unsent(unreached.unwrap_or_else(|| self.fault(kind))));
                }
            }
        }
    }

    /// Waits until something about a member changes; `false` if that takes longer than connecting may. The
    /// first call only begins to listen, because the change may have come between the check and the wait.
    async fn hear_news(&self, news: &mut Option<FleetNews>, roll: &FleetMembers) -> bool {
        match news {
            None => {
                let until = Instant::now() + roll.spec.connect_timeout;
                *news = Some(FleetNews { receiver: self.news.subscribe(), until });
                true
            }
            Some(FleetNews { receiver, until }) => {
                matches!(timeout_at(*until, receiver.changed()).await, Ok(Ok(())))
            }
        }
    }

    /// `None` if the checked connection is no longer the current one: it has to be checked again.
    async fn send_to(
        &self,
        ReadyMember { member, connection }: ReadyMember<'_>,
        roll: &FleetMembers,
        request: &ServerRequest,
        caller: Arc<dyn Caller>,
        deadline: &Arc<Deadline>,
    ) -> Option<Result<ServerReply, ServerError>> {
        let Some(_counted) = member.begin() else {
            return Some(Err(self.fault(FaultKind::Down { reason: LEAVES.into() })));
        };
        let has_others = roll.company() == FleetSize::Others;
        if has_others
            && member.keeps_sessions()
            && let Some(bond) = roll.bond(request, &*caller)
        {
            self.sessions.put(bond, member.id.clone());
        }
        let place = match &member.gate {
            Some(gate) => match gate.enter(deadline).await {
                Ok(place) => Some(place),
                Err(kind) => return Some(Err(self.fault(kind))),
            },
            None => None,
        };
        let live = member.still(connection)?;
        let admission = match member.breaker.admit() {
            Ok(admission) => admission,
            Err(rest) => return Some(Err(self.fault(resting(rest)))),
        };
        let began = Instant::now();
        let outcome = member.request(&live, request, caller.clone(), deadline).await;
        drop(place);
        tell(admission, member, began, &outcome);
        if !outcome.as_ref().is_err_and(never_reached) {
            let took = began.elapsed();
            member.latency.record(took);
            member.pace.note(took);
            caller.answered_by(&member.id);
            self.latency.record(took);
        }
        if has_others && let Ok(ServerReply::Task(result)) = &outcome {
            self.note_task(member, result.as_str());
        }
        Some(outcome)
    }

    fn note_task(&self, member: &FleetMember, result: &str) {
        let Ok(members) = ObjectMembers::of_str(result) else { return };
        if let Some(task) = members.get_str("taskId") {
            self.task_homes.put(task.into_owned(), member.id.clone());
        }
    }

    fn fault(&self, kind: FaultKind) -> ServerError {
        ServerError::Fault(Fault::new(&self.name, kind))
    }
}

struct FleetNews {
    receiver: watch::Receiver<()>,
    until: Instant,
}

/// True if nothing was sent, so that another instance may be sent the same.
fn never_reached(error: &ServerError) -> bool {
    let ServerError::Fault(fault) = error else { return false };
    matches!(fault.kind, FaultKind::Down { .. } | FaultKind::Busy { .. } | FaultKind::Resting { .. })
}

/// Reports an outcome to the breakers. An answer is a success, even if it is an error of the server's own.
fn tell(
    admission: BreakerAdmission<'_>,
    member: &FleetMember,
    began: Instant,
    outcome: &Result<ServerReply, ServerError>,
) {
    match outcome {
        Ok(_) | Err(ServerError::Rpc(_)) => admission.succeeded(),
        Err(ServerError::Fault(fault))
            if is_failure(&fault.kind) && member.incidents.counts(&fault.kind, began) =>
        {
            admission.failed(&fault.to_string());
        }
        // It concerns the request, or our own limits.
        Err(ServerError::Fault(_)) => drop(admission),
    }
}
