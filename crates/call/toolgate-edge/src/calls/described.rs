//! The tools whose schemas a session has seen. It is kept here alone: a gateway that does not know shows the
//! schema once more, and nothing else comes of it.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use parking_lot::Mutex;
use toolgate_catalog::CatalogEntry;
use toolgate_core::id::SessionId;
use toolgate_core::{CanonicalName, Digest};

/// Sessions that are remembered; beyond them the oldest are forgotten.
const SESSIONS_MAX: usize = 10_000;
/// Tools that are remembered for one session; beyond them all of its are forgotten.
const TOOLS_MAX: usize = 1_000;

#[derive(Default)]
pub(crate) struct DescribedTools(Mutex<DescribedTable>);

#[derive(Default)]
struct DescribedTable {
    sessions: HashMap<SessionId, HashSet<(CanonicalName, Option<Digest>)>>,
    order: VecDeque<SessionId>,
}

impl DescribedTools {
    pub(crate) fn note<'a>(
        &self,
        session: &SessionId,
        entries: impl IntoIterator<Item = &'a Arc<CatalogEntry>>,
    ) {
        let mut table = self.0.lock();
        if !table.sessions.contains_key(session) {
            table.order.push_back(session.clone());
            if table.order.len() > SESSIONS_MAX
                && let Some(oldest) = table.order.pop_front()
            {
                table.sessions.remove(&oldest);
            }
        }
        let tools = table.sessions.entry(session.clone()).or_default();
        for entry in entries {
            if tools.len() >= TOOLS_MAX {
                tools.clear();
            }
            tools.insert(key(entry));
        }
    }

    pub(crate) fn knows(&self, session: &SessionId, entry: &CatalogEntry) -> bool {
        let table = self.0.lock();
        table.sessions.get(session).is_some_and(|tools| tools.contains(&key(entry)))
    }
}

/// Another definition has another schema.
fn key(entry: &CatalogEntry) -> (CanonicalName, Option<Digest>) {
    (entry.canonical.clone(), entry.tool.as_ref().map(|tool| tool.version))
}
