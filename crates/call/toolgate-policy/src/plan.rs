//! The common part of all calls of one tool by one principal and agent, computed once: the entities, the
//! policies whose scope fits, and the results of those that do not depend on the call itself.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use cedar_policy::{Entities, Entity};
use parking_lot::RwLock;
use toolgate_core::scope::AgentName;
use toolgate_core::{CanonicalName, Digest, Effects, Principal, Tool};

use crate::entity::{self, CallUids};
use crate::shape::SchemaShape;
use crate::usage::UsedArguments;

/// A tool as policy sees it, independent of the caller.
#[derive(Debug)]
pub(crate) struct ToolFacts {
    pub(crate) shape: SchemaShape,
    pub(crate) entity: Entity,
}

impl ToolFacts {
    pub(crate) fn of(tool: &Tool) -> Self {
        let schema = tool.input_schema.as_ref().and_then(|schema| schema.decode::<serde_json::Value>().ok());
        let shape = schema.as_ref().map_or(SchemaShape::Any, SchemaShape::of_schema);
        Self { shape, entity: entity::tool_entity(tool) }
    }
}

/// The identity of a tool: a version fixes its definition, while the operator may set effects.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct ToolKey {
    name: CanonicalName,
    version: Digest,
    effects: Effects,
}

impl ToolKey {
    pub(crate) fn of(tool: &Tool) -> Self {
        Self { name: tool.name.clone(), version: tool.version, effects: tool.effects }
    }

    pub(crate) fn is(&self, tool: &Tool) -> bool {
        self.version == tool.version && self.effects == tool.effects && self.name == tool.name
    }
}

/// Everything about a principal and a tool that no argument changes. Rules are named by their places in the list.
#[derive(Debug)]
pub(crate) struct DecisionPlan {
    pub(crate) principal: Principal,
    pub(crate) tool: ToolKey,
    /// `None` if no policy depends on it.
    pub(crate) agent: Option<AgentName>,
    pub(crate) facts: Arc<ToolFacts>,
    pub(crate) entities: Entities,
    pub(crate) uids: CallUids,
    /// Rules that match for any arguments.
    pub(crate) matched: Vec<usize>,
    /// Rules that fail for any arguments.
    pub(crate) failed: Vec<(usize, String)>,
    /// Rules that look at the call.
    pub(crate) open: Vec<usize>,
    /// The arguments they look at.
    pub(crate) fields: UsedArguments,
}

impl DecisionPlan {
    /// A plan without any evaluation.
    pub(crate) fn blank(
        principal: &Principal,
        tool: &Tool,
        agent: Option<&AgentName>,
        facts: Arc<ToolFacts>,
    ) -> Self {
        Self {
            entities: entity::entities(entity::principal_entity(principal), facts.entity.clone()),
            uids: CallUids::of(principal, tool),
            principal: principal.clone(),
            tool: ToolKey::of(tool),
            agent: agent.cloned(),
            facts,
            matched: Vec::new(),
            failed: Vec::new(),
            open: Vec::new(),
            fields: UsedArguments::none(),
        }
    }

    pub(crate) fn is_for(&self, principal: &Principal, tool: &Tool, agent: Option<&AgentName>) -> bool {
        self.tool.is(tool) && self.principal == *principal && self.agent.as_ref() == agent
    }
}

/// Values found by a hash of their key. A collision is detected by the value itself, so a lookup needs no key
/// of its own; a full shelf is emptied.
#[derive(Debug)]
pub(crate) struct HashCache<T> {
    shelves: [RwLock<HashMap<u64, Arc<T>>>; SHELVES],
    hasher: RandomState,
    /// The maximum number of values on a shelf.
    shelf_max: usize,
}

const SHELVES: usize = 16;

impl<T> HashCache<T> {
    /// A cache for at most this many values.
    pub(crate) fn holding(values_max: usize) -> Self {
        Self {
            shelves: std::array::from_fn(|_| RwLock::default()),
            hasher: RandomState::new(),
            shelf_max: values_max.div_ceil(SHELVES),
        }
    }

    pub(crate) fn hash(&self, of: impl std::hash::Hash) -> u64 {
        self.hasher.hash_one(of)
    }

    pub(crate) fn get(&self, hash: u64, fits: impl FnOnce(&T) -> bool) -> Option<Arc<T>> {
        let shelf = self.shelf(hash).read();
        shelf.get(&hash).filter(|value| fits(value)).cloned()
    }

    pub(crate) fn put(&self, hash: u64, value: T) -> Arc<T> {
        let value = Arc::new(value);
        let mut shelf = self.shelf(hash).write();
        if shelf.len() >= self.shelf_max {
            shelf.clear();
        }
        shelf.insert(hash, Arc::clone(&value));
        value
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.shelves.iter().map(|shelf| shelf.read().len()).sum()
    }

    fn shelf(&self, hash: u64) -> &RwLock<HashMap<u64, Arc<T>>> {
        let place = usize::try_from(hash % SHELVES as u64).expect("there are few shelves");
        &self.shelves[place]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cache_tells_collisions_apart_and_stays_small() {
        let cache: HashCache<u64> = HashCache::holding(4096);
        cache.put(7, 1);
        assert_eq!(cache.get(7, |value| *value == 1).as_deref(), Some(&1));
        assert_eq!(cache.get(7, |value| *value == 2), None);
        for number in 0..100_000 {
            cache.put(cache.hash(number), number);
        }
        assert!((1..=4096).contains(&cache.len()), "{}", cache.len());
    }
}
