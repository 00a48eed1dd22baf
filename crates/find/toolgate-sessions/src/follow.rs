//! Detects changes by other gateways on the same database to sessions that are known here, and changed
//! definitions.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use toolgate_core::id::SessionId;
use toolgate_store::{Outage, SessionKind, SessionMark, StoreError, StoredSession};

use crate::desk::SessionDesk;

/// The number of changes read at once. More than one change of the store can close, so that each page makes
/// progress.
const MARKS_MAX: usize = 500;

pub(crate) async fn run(desk: Arc<SessionDesk>, shutdown: CancellationToken) {
    let (mut following, mut noting) = (Outage::default(), Outage::default());
    loop {
        noting.note("versions of agents are not recorded", &desk.look_at_definitions().await);
        if !desk.rest(desk.store.until_next_look(), &shutdown).await {
            return;
        }
        following.note("sessions that other processes close are not noticed", &desk.follow().await);
    }
}

impl SessionDesk {
    async fn look_at_definitions(&self) -> Result<(), StoreError> {
        let definitions = self.surroundings.definitions();
        self.note_versions(&definitions).await
    }

    async fn follow(&self) -> Result<(), StoreError> {
        let mut followed = self.followed.lock().await;
        let now = self.store.look_at_revisions().await?.sessions;
        while *followed < now {
            let marks = self.store.sessions_changed(*followed, MARKS_MAX).await?;
            for mark in &marks {
                self.take_mark(mark).await?;
            }
            // The last revision of a full page may continue in the next one.
            *followed = match marks.last() {
                Some(last) if marks.len() == MARKS_MAX => last.revision - 1,
                Some(last) => last.revision.max(now),
                None => now,
            };
        }
        Ok(())
    }

    async fn take_mark(&self, mark: &SessionMark) -> Result<(), StoreError> {
        let Some(live) = self.live.get(&mark.id) else { return Ok(()) };
        if !mark.is_open {
            self.live.end(&mark.id);
        } else if mark.row_version != live.row_version {
            self.read_anew(&mark.id).await?;
        }
        Ok(())
    }

    /// Asks the store for a session that is not known here; another gateway may have opened it.
    pub(crate) async fn load(&self, id: &SessionId) -> Result<Option<StoredSession>, StoreError> {
        let _held = self.followed.lock().await;
        self.read_anew(id).await
    }

    /// Only while `followed` is held.
    async fn read_anew(&self, id: &SessionId) -> Result<Option<StoredSession>, StoreError> {
        let found = self.store.get_session(id).await?;
        match &found {
            Some(session) if session.closing.is_some() => self.live.end(id),
            Some(session) if session.kind == SessionKind::Explicit => drop(self.live.take(session)),
            _ => {}
        }
        Ok(found)
    }
}
