//! The choice of an instance for a request: its home, or the less loaded of two, among those that can take
//! it.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use toolgate_core::FaultKind;
use toolgate_core::port::{Caller, ServerRequest};
use toolgate_core::server::InstanceId;

use super::affinity::AffinityBond;
use super::merge::NO_INSTANCE;
use super::size::FleetSize;
use super::tools::resting;
use super::{Fleet, FleetMembers};
use crate::breaker::BreakerPaused;
use crate::member::{ConnectionNumber, FleetMember, MemberReadiness};

const OTHER_VERSIONS: &str = "no instance offers the version that was reviewed";
const OVER: &str = "it has been removed";

pub(super) enum MemberChoice<'a> {
    Member(ReadyMember<'a>),
    /// A member may be able to take it soon.
    Wait,
    /// No member can, and why.
    Unavailable(FaultKind),
}

/// A member that can take the request, over the connection that was checked.
#[derive(Clone, Copy)]
pub(super) struct ReadyMember<'a> {
    pub(super) member: &'a Arc<FleetMember>,
    pub(super) connection: ConnectionNumber,
}

/// The home of a request.
enum RequestHome {
    Anywhere,
    /// That instance if possible, otherwise another.
    Session(InstanceId),
    /// The instance that has the state of the caller, if there is one. Otherwise the one that every gateway would choose.
    Caller(AffinityBond, Option<InstanceId>),
    /// No other instance knows the task while that one is on the roll.
    Task(InstanceId),
}

/// The obstacles of members that cannot take a request.
#[derive(Default)]
struct MemberObstacles {
    soon: bool,
    offers_other: bool,
    resting: Option<BreakerPaused>,
    down: Option<String>,
}

impl MemberObstacles {
    fn note(&mut self, standing: MemberReadiness) {
        match standing {
            MemberReadiness::Ready(_) => {}
            MemberReadiness::Soon => self.soon = true,
            MemberReadiness::OffersOther => self.offers_other = true,
            MemberReadiness::Down { reason } => drop(self.down.get_or_insert(reason)),
            MemberReadiness::Resting(rest) => {
                let sooner = self.resting.as_ref().is_none_or(|known| rest.retry_after < known.retry_after);
                if sooner {
                    self.resting = Some(rest);
                }
            }
        }
    }

    fn verdict<'a>(self, roll: &FleetMembers) -> MemberChoice<'a> {
        let down = |reason: &str| MemberChoice::Unavailable(FaultKind::Down { reason: reason.to_owned() });
        match self {
            MemberObstacles { resting: Some(rest), .. } => MemberChoice::Unavailable(resting(rest)),
            MemberObstacles { soon: true, .. } => MemberChoice::Wait,
            MemberObstacles { offers_other: true, .. } => down(OTHER_VERSIONS),
            MemberObstacles { down: Some(reason), .. } => down(&reason),
            _ if roll.is_over => down(OVER),
            _ => down(NO_INSTANCE),
        }
    }
}

impl Fleet {
    /// Chooses among the members that were not tried yet.
    pub(super) fn choose<'a>(
        &self,
        roll: &'a FleetMembers,
        request: &ServerRequest,
        caller: &dyn Caller,
        tried: &[u64],
    ) -> MemberChoice<'a> {
        let company = roll.company();
        let home = match company {
            FleetSize::Alone => RequestHome::Anywhere,
            FleetSize::Others => self.home(roll, request, caller),
        };
        let mut ready = Vec::new();
        let mut obstacles = MemberObstacles::default();
        for member in &roll.members {
            let elsewhere = matches!(&home, RequestHome::Task(id) if *id != member.id);
            if elsewhere || tried.contains(&member.number) {
                continue;
            }
            match member.standing(request.tool.as_deref()) {
                MemberReadiness::Ready(connection) if company == FleetSize::Alone => {
                    return MemberChoice::Member(ReadyMember { member, connection });
                }
                MemberReadiness::Ready(connection) => ready.push(ReadyMember { member, connection }),
                obstacle => obstacles.note(obstacle),
            }
        }
        if let RequestHome::Caller(_, Some(id)) = &home
            && let Some(at_home) = ready.iter().find(|one| one.member.id == *id)
        {
            return MemberChoice::Member(*at_home);
        }
        avoid_recent_losses(&mut ready);
        let at_home =
            ready.iter().find(|one| matches!(&home, RequestHome::Session(id) if *id == one.member.id));
        let settling = || match &home {
            RequestHome::Caller(bond, _) => most_attractive(bond, &ready),
            _ => self.less_loaded(&ready),
        };
        match at_home.copied().or_else(settling) {
            Some(ready) => MemberChoice::Member(ready),
            None => obstacles.verdict(roll),
        }
    }

    fn home(&self, roll: &FleetMembers, request: &ServerRequest, caller: &dyn Caller) -> RequestHome {
        if let Some(task) = request.name.as_deref().filter(|_| request.method.starts_with("tasks/"))
            && let Some(id) = self.task_homes.get(task)
            && roll.members.iter().any(|member| member.id == id)
        {
            return RequestHome::Task(id);
        }
        let Some(bond) = roll.bond(request, caller) else { return RequestHome::Anywhere };
        let home = self.sessions.get(&bond);
        match roll.know_callers() {
            true => RequestHome::Caller(bond, home),
            false => home.map_or(RequestHome::Anywhere, RequestHome::Session),
        }
    }

    /// Two at random, and of those the less busy one: nearly as good as the best of all, and concurrent
    /// choices do not all hit the same. If both are equally busy, the slower one is less likely in
    /// proportion: it is tried now and then, and may have become fast.
    fn less_loaded<'a>(&self, ready: &[ReadyMember<'a>]) -> Option<ReadyMember<'a>> {
        let has_place = |one: &&ReadyMember<'_>| one.member.gate.as_ref().is_none_or(|gate| gate.has_place());
        let free: Vec<ReadyMember<'_>> = ready.iter().filter(has_place).copied().collect();
        match free.len() {
            // All are full: wait where the fewest are.
            0 => ready.iter().copied().min_by_key(|one| one.member.under_way()),
            1 => free.first().copied(),
            count => {
                let first = self.throw(count);
                let second = (first + 1 + self.throw(count - 1)) % count;
                Some(self.better(free[first], free[second]))
            }
        }
    }

    fn better<'a>(&self, one: ReadyMember<'a>, other: ReadyMember<'a>) -> ReadyMember<'a> {
        match one.member.under_way().cmp(&other.member.under_way()) {
            std::cmp::Ordering::Less => one,
            std::cmp::Ordering::Greater => other,
            std::cmp::Ordering::Equal => {
                let (slow, other_slow) = (one.member.pace.usual_us(), other.member.pace.usual_us());
                if self.throw(slow.saturating_add(other_slow)) < other_slow { one } else { other }
            }
        }
    }

    /// A number below `sides`. Randomness needs no secrecy here, only to be cheap.
    fn throw(&self, sides: usize) -> usize {
        const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
        let mut mixed = self.dice.fetch_add(GOLDEN, Ordering::Relaxed);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % sides.max(1) as u64) as usize
    }
}

impl FleetMembers {
    /// The bond that keeps a request at one instance, if that has a state for it.
    pub(super) fn bond(&self, request: &ServerRequest, caller: &dyn Caller) -> Option<AffinityBond> {
        let affinity = self.spec.affinity;
        match self.know_callers() {
            true => AffinityBond::of_caller(affinity, request, caller),
            false => AffinityBond::of(affinity, request, caller),
        }
    }
}

fn most_attractive<'a>(bond: &AffinityBond, ready: &[ReadyMember<'a>]) -> Option<ReadyMember<'a>> {
    ready.iter().copied().max_by_key(|one| bond.attraction(&one.member.id))
}

/// Members that lost calls a moment ago get none while there are others.
fn avoid_recent_losses(ready: &mut Vec<ReadyMember<'_>>) {
    if ready.len() > 1 && ready.iter().any(|one| !one.member.incidents.is_recent()) {
        ready.retain(|one| !one.member.incidents.is_recent());
    }
}
