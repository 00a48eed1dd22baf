//! The sessions that a caller may see.

use std::sync::Arc;

use toolgate_core::Refusal;
use toolgate_core::codes;
use toolgate_core::id::SessionId;
use toolgate_core::scope::{Credential, Definitions, Scope};
use toolgate_store::{PageCursor, SessionFilter, SessionKind, SessionStanding, StoredSession};

use super::Sessions;
use crate::refusal::down;
use crate::rules::{self, VisibleSessions};
use crate::view::{SessionPage, SessionQuery, SessionState, SessionView, idle_before};

impl Sessions {
    pub async fn get(&self, id: &SessionId, by: &Credential) -> Result<SessionView, Refusal> {
        self.write_usage().await;
        self.visible(id, by).await.map(|session| self.view(session))
    }

    /// One page of the visible sessions, newest first.
    pub async fn list(&self, by: &Credential, query: &SessionQuery) -> Result<SessionPage, Refusal> {
        let none = SessionPage { sessions: Vec::new(), next: None };
        let Some(filter) = self.filter(by, query) else { return Ok(none) };
        let cursor = query.cursor.as_deref().map(read_cursor).transpose()?;
        self.write_usage().await;
        let listed = self.desk.store.list_sessions(&filter, cursor.as_ref(), query.limit).await;
        let (sessions, next) = listed.map_err(down)?;
        let by = self.held(by);
        let seen = sessions.into_iter().filter(|session| rules::may_see(&by, session));
        let sessions = seen.map(|session| self.view(session)).collect();
        Ok(SessionPage { sessions, next: next.map(|next| next.to_string()) })
    }

    /// `None` if the caller asks for sessions that it may not see.
    fn filter(&self, by: &Credential, query: &SessionQuery) -> Option<SessionFilter> {
        let SessionQuery { agent, principal, state, .. } = query.clone();
        let idle_before = idle_before(self.desk.clock.now_ms());
        let standing = state.map(|state| match state {
            SessionState::Active => SessionStanding::UsedSince(idle_before),
            SessionState::Idle => SessionStanding::UnusedSince(idle_before),
            SessionState::Closed => SessionStanding::Closed,
        });
        let filter = SessionFilter { id: None, agent, principal, standing };
        match rules::sight(by) {
            VisibleSessions::All => Some(filter),
            VisibleSessions::Own => {
                let own = &by.principal.id;
                let is_other = filter.principal.as_ref().is_some_and(|asked| asked != own);
                (!is_other).then(|| SessionFilter { principal: Some(own.clone()), ..filter })
            }
            VisibleSessions::One(own) => Some(SessionFilter { id: Some(own.clone()), ..filter }),
        }
    }

    /// The answer shows what was written, so that a list and its filter never contradict each other. A mere
    /// read does not fail because the store cannot be written.
    async fn write_usage(&self) {
        if let Err(error) = self.desk.write_usage().await {
            tracing::debug!(%error, "the last uses of sessions were not written down");
        }
    }

    pub(super) fn view(&self, mut session: StoredSession) -> SessionView {
        if session.kind == SessionKind::Default {
            let now = scope_now(&self.desk.surroundings.definitions(), &session.scope);
            session.scope = now.map_or(session.scope, Arc::new);
        }
        SessionView::of(session, self.desk.clock.now_ms())
    }
}

/// The view of a default session under the current definitions; `None` if they are gone.
fn scope_now(definitions: &Definitions, before: &Scope) -> Option<Scope> {
    let mut scopes = before.layers.iter().map(|layer| {
        let definition = definitions.agent(&layer.agent)?;
        definitions.scope(&definition).ok()
    });
    let outermost = scopes.next()??;
    scopes.try_fold(outermost, |outer, inner| Some(inner?.within(outer)))
}

fn read_cursor(text: &str) -> Result<PageCursor, Refusal> {
    text.parse().map_err(|_| {
        Refusal::new(&codes::INVALID_CURSOR, format!("{text:?} is not a cursor of an earlier page"))
            .field("cursor")
    })
}
