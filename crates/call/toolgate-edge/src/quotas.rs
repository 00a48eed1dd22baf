//! Limits for one principal or agent, at once and in a day, so that none of them takes everything: calls, streams, sessions.
//! Calls beyond that wait in a line of limited length; what does not fit into it is refused, and recorded like any other call.

mod holdings;
mod line;
mod rule;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use parking_lot::{Mutex, MutexGuard};
use serde_json::json;
use tokio::time::Instant;
use toolgate_core::codes;
use toolgate_core::governance::StoreDown;
use toolgate_core::port::BoxFuture;
use toolgate_core::scope::{AgentName, Seat};
use toolgate_core::tool::TokenBucket;
use toolgate_core::{PrincipalId, Refusal, RpcError};

pub use holdings::QuotaHolding;
pub(crate) use line::{CallSlot, QueueOutcome, SlotQueue};
pub use rule::{Quota, QuotaRule, QuotaSubject};

/// A refusal where there is no result to say it in.
pub(crate) fn rpc_error(refusal: &Refusal) -> RpcError {
    let data = json!({ "code": refusal.code, "hint": refusal.hint, "retry": true });
    RpcError::new(RpcError::TOO_MANY, refusal.message.clone()).with_data(data)
}

const DAY_MS: i64 = 24 * 3600 * 1000;

/// So many tallies are kept; those that have nothing to say are forgotten then.
const TALLIES_MAX: usize = 10_000;

/// The usage of quotas by principals and agents, over restarts and replicas.
pub trait QuotaUsage: Send + Sync {
    /// The number of a principal's calls that wait for people.
    fn pending_approvals(&self, principal: &PrincipalId) -> BoxFuture<'static, Result<u64, StoreDown>>;

    /// Adds to the counts of calls of a day, and says what they are now, in the same order.
    fn add_calls(
        &self,
        day: i64,
        counts: Vec<(String, u64)>,
    ) -> BoxFuture<'static, Result<Vec<u64>, StoreDown>>;
}

pub struct Quotas {
    rules: ArcSwap<Vec<QuotaRule>>,
    tallies: Mutex<HashMap<QuotaHolder, Arc<QuotaTally>>>,
    usage: Arc<dyn QuotaUsage>,
    since: Instant,
}

/// The holder of a quota.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum QuotaHolder {
    Principal(PrincipalId),
    Agent(AgentName),
}

impl QuotaHolder {
    /// Its name for people and in the store.
    fn name(&self) -> String {
        match self {
            QuotaHolder::Principal(principal) => format!("principal {principal}"),
            QuotaHolder::Agent(agent) => format!("agent {agent}"),
        }
    }
}

/// The usage of one holder.
struct QuotaTally {
    holder: QuotaHolder,
    line: Arc<SlotQueue>,
    state: Mutex<QuotaState>,
}

struct QuotaState {
    quota: Quota,
    refill: Option<TokenBucket>,
    today: CallsToday,
    streams: usize,
}

/// Calls of one day.
#[derive(Default)]
struct CallsToday {
    day: i64,
    /// The store's last answer; nothing before it was asked.
    stored: Option<u64>,
    /// The counts that are being written, and those that are not yet.
    telling: u64,
    untold: u64,
}

impl CallsToday {
    fn made(&self) -> u64 {
        self.stored.unwrap_or_default() + self.telling + self.untold
    }
}

/// The places of one call.
#[derive(Default)]
pub(crate) struct CallSlots(Vec<CallSlot>);

/// A stream that is open; it counts as long as this lasts.
pub struct StreamPlace(Arc<QuotaTally>);

impl Drop for StreamPlace {
    fn drop(&mut self) {
        self.0.lock().streams -= 1;
    }
}

impl Quotas {
    pub fn new(rules: Vec<QuotaRule>, usage: Arc<dyn QuotaUsage>) -> Arc<Self> {
        Arc::new(Self {
            rules: ArcSwap::from_pointee(rules),
            tallies: Mutex::default(),
            usage,
            since: Instant::now(),
        })
    }

    /// Takes other rules. A holder that has more than they allow keeps it, and gets no more.
    pub fn set_rules(&self, rules: Vec<QuotaRule>) {
        self.rules.store(Arc::new(rules));
        let rules = self.rules.load_full();
        self.lock().retain(|holder, tally| {
            let Some(quota) = quota_of(&rules, holder) else { return false };
            tally.line.resize(quota.calls_max, quota.waiting_max);
            let mut state = tally.lock();
            if state.quota.rate != quota.rate {
                state.refill = quota.rate.map(|rate| TokenBucket::new(rate, self.since.elapsed()));
            }
            state.quota = quota;
            true
        });
    }

    /// The limits of a principal.
    pub fn of(&self, principal: &PrincipalId) -> Quota {
        rule::of_principal(&self.rules.load(), principal)
    }

    /// The limits of an agent, for all principals that act as it, if there are any.
    pub fn of_agent(&self, agent: &AgentName) -> Option<Quota> {
        rule::of_agent(&self.rules.load(), agent)
    }

    /// Counts a call, unless its caller makes too many. Nothing where that can only be said after a look at the store.
    pub(crate) fn count(&self, seat: &Seat, now_ms: i64) -> Option<Result<(), Refusal>> {
        let tallies = self.tallies(seat);
        let day = now_ms.div_euclid(DAY_MS);
        if tallies.iter().any(|tally| tally.must_ask(day)) {
            return None;
        }
        let now = self.since.elapsed();
        Some(tallies.iter().try_for_each(|tally| tally.count(now, day)))
    }

    /// The same after a look at the store.
    pub(crate) async fn count_surely(&self, seat: &Seat, now_ms: i64) -> Result<(), Refusal> {
        let day = now_ms.div_euclid(DAY_MS);
        for tally in self.tallies(seat).iter().filter(|tally| tally.must_ask(day)) {
            let known = self.usage.add_calls(day, vec![(tally.holder.name(), 0)]).await;
            let known = known.map_err(|down| Refusal::new(&codes::STORE_DOWN, down.told()))?;
            let mut state = tally.lock();
            state.today.stored = known.first().copied().or(Some(0));
        }
        self.count(seat, now_ms).unwrap_or(Ok(()))
    }

    /// Places for a call, at once if there are any.
    pub(crate) fn try_enter(&self, seat: &Seat, session: Option<&Arc<SlotQueue>>) -> SlotRequest {
        let tallies = self.tallies(seat);
        let own = session.map(|line| (line, None));
        let lines = tallies.iter().map(|tally| (&tally.line, Some(tally)));
        let mut entering = SlotRequest { had: CallSlots::default(), wanted: Vec::new() };
        for (line, tally) in own.into_iter().chain(lines) {
            if entering.wanted.is_empty() {
                match line.join() {
                    QueueOutcome::Placed(place) => {
                        entering.had.0.push(place);
                        continue;
                    }
                    // It is joined again when there is time to wait; the turn is given up.
                    QueueOutcome::Waiting(_) | QueueOutcome::Full => {}
                }
            }
            let (who, quota) = match tally {
                Some(tally) => (tally.holder.name(), tally.lock().quota.clone()),
                None => ("this session".to_owned(), self.of(&seat.principal.id)),
            };
            entering.wanted.push(WantedSlot { line: line.clone(), who, wait: quota.wait });
        }
        entering
    }

    /// A place for a stream of a principal: of MCP or of events, all count together.
    pub fn open_stream(&self, principal: &PrincipalId) -> Result<StreamPlace, Refusal> {
        let holder = QuotaHolder::Principal(principal.clone());
        let tally = self.tally(holder).expect("every principal has a quota");
        let mut state = tally.lock();
        let max = state.quota.streams_max;
        if state.streams >= max {
            let message = format!("{} already has {max} streams open", tally.holder.name());
            return Err(Refusal::new(&codes::TOO_MANY_STREAMS, message)
                .hint("close one that is not needed; `[[quotas]] streams_max` sets how many there may be"));
        }
        state.streams += 1;
        drop(state);
        Ok(StreamPlace(tally))
    }

    /// Checks that people may be asked about one more call of a principal.
    pub(crate) async fn may_ask(&self, principal: &PrincipalId) -> Result<(), Refusal> {
        let max = self.of(principal).approvals_max;
        let pending = self.usage.pending_approvals(principal).await;
        let pending = pending.map_err(|down| Refusal::new(&codes::STORE_DOWN, down.told()))?;
        if usize::try_from(pending).is_ok_and(|pending| pending < max) {
            return Ok(());
        }
        let message = format!("{pending} calls of principal {principal} wait for people already");
        Err(Refusal::new(&codes::TOO_MANY_APPROVALS, message))
    }

    /// Tells the store what was counted since it was told last, and hears what others have counted.
    pub(crate) async fn tell_counts(&self) {
        let tallies: Vec<Arc<QuotaTally>> = self.lock().values().cloned().collect();
        let mut by_day: BTreeMap<i64, Vec<(Arc<QuotaTally>, u64)>> = BTreeMap::new();
        for tally in tallies {
            let today = &mut tally.lock().today;
            today.telling = std::mem::take(&mut today.untold);
            if today.telling > 0 {
                by_day.entry(today.day).or_default().push((tally.clone(), today.telling));
            }
        }
        for (day, counted) in by_day {
            let told = counted.iter().map(|(tally, count)| (tally.holder.name(), *count)).collect();
            let known = self.usage.add_calls(day, told).await;
            for (at, (tally, count)) in counted.iter().enumerate() {
                let today = &mut tally.lock().today;
                if today.day != day {
                    continue;
                }
                today.telling = 0;
                match &known {
                    Ok(known) => today.stored = known.get(at).copied(),
                    // The store is away; it is told later.
                    Err(_) => today.untold += count,
                }
            }
        }
    }

    /// Forgets holders that have nothing, if there are many.
    pub(crate) fn sweep(&self) {
        let now = self.since.elapsed();
        let mut tallies = self.lock();
        if tallies.len() > TALLIES_MAX {
            tallies.retain(|_, tally| !tally.is_idle(now));
        }
    }

    fn tallies(&self, seat: &Seat) -> Vec<Arc<QuotaTally>> {
        let principal = QuotaHolder::Principal(seat.principal.id.clone());
        let agent = QuotaHolder::Agent(seat.agent.clone());
        [principal, agent].into_iter().filter_map(|holder| self.tally(holder)).collect()
    }

    /// Nothing for an agent that no rule is about.
    fn tally(&self, holder: QuotaHolder) -> Option<Arc<QuotaTally>> {
        let mut tallies = self.lock();
        if let Some(tally) = tallies.get(&holder) {
            return Some(tally.clone());
        }
        let quota = quota_of(&self.rules.load(), &holder)?;
        let tally = Arc::new(QuotaTally {
            holder: holder.clone(),
            line: SlotQueue::new(quota.calls_max, quota.waiting_max),
            state: Mutex::new(QuotaState {
                refill: quota.rate.map(|rate| TokenBucket::new(rate, self.since.elapsed())),
                quota,
                today: CallsToday::default(),
                streams: 0,
            }),
        });
        tallies.insert(holder, tally.clone());
        Some(tally)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<QuotaHolder, Arc<QuotaTally>>> {
        self.tallies.lock()
    }
}

fn quota_of(rules: &[QuotaRule], holder: &QuotaHolder) -> Option<Quota> {
    match holder {
        QuotaHolder::Principal(principal) => Some(rule::of_principal(rules, principal)),
        QuotaHolder::Agent(agent) => rule::of_agent(rules, agent),
    }
}

impl QuotaTally {
    /// True if the calls of a day are limited and not known yet.
    fn must_ask(&self, day: i64) -> bool {
        let mut state = self.lock();
        if state.quota.calls_per_day.is_none() {
            return false;
        }
        if state.today.day != day {
            state.today = CallsToday { day, ..CallsToday::default() };
        }
        state.today.stored.is_none()
    }

    fn count(&self, now: Duration, day: i64) -> Result<(), Refusal> {
        let mut state = self.lock();
        let QuotaState { quota, refill, today, .. } = &mut *state;
        if let Some(max) = quota.calls_per_day
            && today.day == day
            && today.made() >= max
        {
            let message =
                format!("{} has made the {max} calls that it may make in a day", self.holder.name());
            return Err(Refusal::new(&codes::CALL_BUDGET_SPENT, message));
        }
        if let (Some(refill), Some(rate)) = (refill, quota.rate) {
            refill.take(now).map_err(|wait| {
                let message = format!("{} makes more calls than {rate}", self.holder.name());
                Refusal::new(&codes::RATE_LIMITED, message)
                    .hint(format!("repeat the call in {:.1} seconds", wait.as_secs_f64()))
            })?;
        }
        if quota.calls_per_day.is_some() {
            today.untold += 1;
        }
        Ok(())
    }

    fn is_idle(&self, now: Duration) -> bool {
        let state = self.lock();
        let is_told = state.today.telling + state.today.untold == 0;
        let is_full = state.refill.as_ref().is_none_or(|refill| refill.is_full(now));
        self.line.is_idle() && state.streams == 0 && is_told && is_full
    }

    fn lock(&self) -> MutexGuard<'_, QuotaState> {
        self.state.lock()
    }
}

/// A call on its way to its places.
pub(crate) struct SlotRequest {
    had: CallSlots,
    wanted: Vec<WantedSlot>,
}

struct WantedSlot {
    line: Arc<SlotQueue>,
    who: String,
    wait: Duration,
}

impl SlotRequest {
    /// All places, if the call need not wait.
    pub(crate) fn at_once(self) -> Result<CallSlots, Self> {
        if self.wanted.is_empty() { Ok(self.had) } else { Err(self) }
    }

    /// Waits for the call's turn, as long as it may.
    pub(crate) async fn wait(mut self) -> Result<CallSlots, Refusal> {
        for WantedSlot { line, who, wait } in self.wanted {
            let refused = |message: String| Refusal::new(&codes::TOO_MANY_CALLS, message);
            let place = match line.join() {
                QueueOutcome::Placed(place) => place,
                QueueOutcome::Full => {
                    return Err(refused(format!(
                        "{who} has reached its limit of calls in progress and waiting"
                    )));
                }
                QueueOutcome::Waiting(turn) => match tokio::time::timeout(wait, turn).await {
                    Ok(Ok(place)) => place,
                    _ => {
                        let seconds = wait.as_secs();
                        return Err(refused(format!(
                            "the call waited {seconds} s while {who} had others under way"
                        )));
                    }
                },
            };
            self.had.0.push(place);
        }
        Ok(self.had)
    }
}

#[cfg(test)]
mod tests;
