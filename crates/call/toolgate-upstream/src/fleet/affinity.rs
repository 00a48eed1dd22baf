//! The homes of sessions and tasks: the instance with the session of a run or with a task, and the bond that
//! keeps requests there. Bounded; the least recently used are forgotten first.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use parking_lot::Mutex;
use toolgate_core::PrincipalId;
use toolgate_core::id::SessionId;
use toolgate_core::port::{AffinityKey, CallOrigin, Caller, ServerRequest};
use toolgate_core::server::{Affinity, InstanceId};

/// The size of one generation. There are two: a used entry moves to the younger one, and when that is full it
/// becomes the older one and the rest of that is forgotten.
const GENERATION_MAX: usize = 8192;

pub(super) struct HomeTable<K>(Mutex<HomeGenerations<K>>);

struct HomeGenerations<K> {
    young: HashMap<K, InstanceId>,
    old: HashMap<K, InstanceId>,
}

impl<K> Default for HomeTable<K> {
    fn default() -> Self {
        Self(Mutex::new(HomeGenerations { young: HashMap::new(), old: HashMap::new() }))
    }
}

impl<K: Eq + Hash> HomeTable<K> {
    pub(super) fn get<Q>(&self, key: &Q) -> Option<InstanceId>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        let mut generations = self.0.lock();
        if let Some(home) = generations.young.get(key) {
            return Some(home.clone());
        }
        let (key, home) = generations.old.remove_entry(key)?;
        generations.insert(key, home.clone());
        Some(home)
    }

    pub(super) fn put(&self, key: K, home: InstanceId) {
        self.0.lock().insert(key, home);
    }
}

impl<K: Eq + Hash> HomeGenerations<K> {
    fn insert(&mut self, key: K, home: InstanceId) {
        if self.young.len() >= GENERATION_MAX {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(key, home);
    }
}

/// The bond that stays at one instance.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) enum AffinityBond {
    Principal(PrincipalId),
    Together(AffinityKey),
    /// The calls of a session outside of runs, at a server that keeps a state for its callers.
    Session(SessionId),
}

impl AffinityBond {
    /// `None` if the request may go anywhere.
    pub(super) fn of(affinity: Affinity, request: &ServerRequest, caller: &dyn Caller) -> Option<Self> {
        match affinity {
            Affinity::None => None,
            Affinity::Run => request.belongs_to.clone().map(AffinityBond::Together),
            Affinity::Principal => Some(AffinityBond::Principal(caller.principal().clone())),
        }
    }

    /// The same at a server that keeps a state for its callers: it has one for each run, and one for each session.
    pub(super) fn of_caller(
        affinity: Affinity,
        request: &ServerRequest,
        caller: &dyn Caller,
    ) -> Option<Self> {
        match (affinity, &request.origin) {
            (Affinity::Run, Some(CallOrigin { run: Some(run), .. })) => {
                Some(AffinityBond::Together(AffinityKey::Run(run.clone())))
            }
            (Affinity::Run, Some(CallOrigin { session, .. })) => Some(AffinityBond::Session(session.clone())),
            _ => Self::of(affinity, request, caller),
        }
    }

    /// A number for each instance that is the same at every gateway. The instance with the largest is the bond's first home, so that
    /// gateways that share nothing choose the same one.
    pub(super) fn attraction(&self, instance: &InstanceId) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self, instance).hash(&mut hasher);
        hasher.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_stays_and_what_is_not_goes() {
        let homes = HomeTable::<String>::default();
        let home = InstanceId::only();
        homes.put("used".into(), home.clone());
        homes.put("unused".into(), home.clone());
        for number in 0..3 * GENERATION_MAX {
            homes.put(number.to_string(), home.clone());
            assert_eq!(homes.get("used"), Some(home.clone()));
        }
        assert_eq!(homes.get("unused"), None);
        let generations = homes.0.lock();
        assert!(generations.young.len() + generations.old.len() <= 2 * GENERATION_MAX);
    }
}
