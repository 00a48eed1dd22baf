//! All versions of agent definitions that were ever in effect: a session names its own.

use std::collections::HashSet;
use std::sync::Arc;

use toolgate_core::scope::{AgentDefinition, AgentName, Definitions};
use toolgate_core::{Digest, PrincipalId, RawJson};
use toolgate_store::{NewAgentVersion, StoreError};

use crate::desk::SessionDesk;
use crate::events::SessionEvent;

/// The versions that are known to be in the store.
pub(crate) struct KnownVersions {
    seen: HashSet<(AgentName, Digest)>,
    /// The definitions of the last check.
    last: Option<Arc<Definitions>>,
}

impl KnownVersions {
    pub(crate) fn seen(all: Vec<(AgentName, Digest)>) -> Self {
        Self { seen: all.into_iter().collect(), last: None }
    }

    fn unseen(&self, definitions: &Definitions, now_ms: i64) -> Vec<NewAgentVersion> {
        let default = AgentName::default_agent();
        let built_in = definitions.agent(&default).filter(|_| !definitions.agents.contains_key(&default));
        let all = definitions.agents.values().cloned().chain(built_in);
        let version = |definition: Arc<AgentDefinition>| NewAgentVersion {
            agent: definition.name.clone(),
            digest: definition.version(),
            definition: RawJson::from_serialize(&*definition),
            seen_at_ms: now_ms,
        };
        all.map(version).filter(|one| !self.seen.contains(&(one.agent.clone(), one.digest))).collect()
    }
}

impl SessionDesk {
    /// Numbers new versions. Does nothing if these definitions were checked last.
    pub(crate) async fn note_versions(&self, definitions: &Arc<Definitions>) -> Result<(), StoreError> {
        let mut versions = self.versions.lock().await;
        if versions.last.as_ref().is_some_and(|last| Arc::ptr_eq(last, definitions)) {
            return Ok(());
        }
        let now_ms = self.clock.now_ms();
        let unseen = versions.unseen(definitions, now_ms);
        if !unseen.is_empty() {
            let gateway = PrincipalId::gateway();
            let telling = SessionEvent { at_ms: now_ms, by: &gateway };
            self.books.keep_agent_versions(&unseen, |one, number| telling.agent_defined(one, number)).await?;
        }
        versions.seen.extend(unseen.into_iter().map(|one| (one.agent, one.digest)));
        versions.last = Some(Arc::clone(definitions));
        Ok(())
    }
}
