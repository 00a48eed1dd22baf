//! The choice of an instance for a request: its home, or the less loaded of two, among those that can take
//! it.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use toolgate_core::FaultKind;
use toolgate_core::port::{Caller, ServerRequest};
use toolgate_core::server::InstanceId;

use super::affinity::Bond;
use super::company::Company;
use super::merge::NO_INSTANCE;
use super::tools::resting;
use super::{Fleet, Roll};
use crate::breaker::Resting;
use crate::member::{Connection, Member, Standing};

const OTHER_VERSIONS: &str = "no instance offers the version that was reviewed";
const OVER: &str = "it has been removed";

pub(super) enum Choice<'a> {
    Member(Ready<'a>),
    /// A member may be able to take it soon.
    Wait,
    /// No member can, and why.
    Nobody(FaultKind),
}

/// A member that can take the request, over the connection that was checked.
#[derive(Clone, Copy)]
pub(super) struct Ready<'a> {
    pub(super) member: &'a Arc<Member>,
    pub(super) connection: Connection,
}

/// The home of a request.
enum Home {
    Anywhere,
    /// That instance if possible, otherwise another.
    Session(InstanceId),
    /// No other instance knows the task while that one is on the roll.
    Task(InstanceId),
}

/// The obstacles of members that cannot take a request.
#[derive(Default)]
struct Obstacles {
    soon: bool,
    offers_other: bool,
    resting: Option<Resting>,
    down: Option<String>,
}

impl Obstacles {
    fn note(&mut self, standing: Standing) {
        match standing {
            Standing::Ready(_) => {}
            Standing::Soon => self.soon = true,
            Standing::OffersOther => self.offers_other = true,
            Standing::Down { reason } => drop(self.down.get_or_insert(reason)),
            Standing::Resting(rest) => {
                let sooner = self.resting.as_ref().is_none_or(|known| rest.retry_after < known.retry_after);
                if sooner {
                    self.resting = Some(rest);
                }
            }
        }
    }

    fn verdict<'a>(self, roll: &Roll) -> Choice<'a> {
        let down = |reason: &str| Choice::Nobody(FaultKind::Down { reason: reason.to_owned() });
        match self {
            Obstacles { resting: Some(rest), .. } => Choice::Nobody(resting(rest)),
            Obstacles { soon: true, .. } => Choice::Wait,
            Obstacles { offers_other: true, .. } => down(OTHER_VERSIONS),
            Obstacles { down: Some(reason), .. } => down(&reason),
            _ if roll.is_over => down(OVER),
            _ => down(NO_INSTANCE),
        }
    }
}

impl Fleet {
    /// Chooses among the members that were not tried yet.
    pub(super) fn choose<'a>(
        &self,
        roll: &'a Roll,
        request: &ServerRequest,
        caller: &dyn Caller,
        tried: &[u64],
    ) -> Choice<'a> {
        let company = roll.company();
        let home = match company {
            Company::Alone => Home::Anywhere,
            Company::Others => self.home(roll, request, caller),
        };
        let mut ready = Vec::new();
        let mut obstacles = Obstacles::default();
        for member in &roll.members {
            let elsewhere = matches!(&home, Home::Task(id) if *id != member.id);
            if elsewhere || tried.contains(&member.number) {
                continue;
            }
            match member.standing(request.tool.as_deref()) {
                Standing::Ready(connection) if company == Company::Alone => {
                    return Choice::Member(Ready { member, connection });
                }
                Standing::Ready(connection) => ready.push(Ready { member, connection }),
                obstacle => obstacles.note(obstacle),
            }
        }
        avoid_recent_losses(&mut ready);
        let at_home = ready.iter().find(|one| matches!(&home, Home::Session(id) if *id == one.member.id));
        match at_home.copied().or_else(|| self.less_loaded(&ready)) {
            Some(ready) => Choice::Member(ready),
            None => obstacles.verdict(roll),
        }
    }

    fn home(&self, roll: &Roll, request: &ServerRequest, caller: &dyn Caller) -> Home {
        if let Some(task) = request.name.as_deref().filter(|_| request.method.starts_with("tasks/"))
            && let Some(id) = self.task_homes.get(task)
            && roll.members.iter().any(|member| member.id == id)
        {
            return Home::Task(id);
        }
        let bond = Bond::of(roll.spec.affinity, request, caller);
        bond.and_then(|bond| self.sessions.get(&bond)).map_or(Home::Anywhere, Home::Session)
    }

    /// Two at random, and of those the less busy one: nearly as good as the best of all, and concurrent
    /// choices do not all hit the same. If both are equally busy, the slower one is less likely in
    /// proportion: it is tried now and then, and may have become fast.
    fn less_loaded<'a>(&self, ready: &[Ready<'a>]) -> Option<Ready<'a>> {
        let has_place = |one: &&Ready<'_>| one.member.gate.as_ref().is_none_or(|gate| gate.has_place());
        let free: Vec<Ready<'_>> = ready.iter().filter(has_place).copied().collect();
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

    fn better<'a>(&self, one: Ready<'a>, other: Ready<'a>) -> Ready<'a> {
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

/// Members that lost calls a moment ago get none while there are others.
fn avoid_recent_losses(ready: &mut Vec<Ready<'_>>) {
    if ready.len() > 1 && ready.iter().any(|one| !one.member.incidents.is_recent()) {
        ready.retain(|one| !one.member.incidents.is_recent());
    }
}
