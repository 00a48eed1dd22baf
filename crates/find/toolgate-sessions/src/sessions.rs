//! The sessions of one gateway process: its inputs and answers. `follow`, `keeper` and `upkeep` do the work
//! behind it.

mod opening;
mod reading;

use std::borrow::Cow;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use toolgate_core::Refusal;
use toolgate_core::codes;
use toolgate_core::id::SessionId;
use toolgate_core::scope::{AgentName, Credential, Mounts, Scope, Seat, SessionRoute};
use toolgate_store::{AgentVersion, ChangeSessionError, SessionEnd, SessionKind, StoredSession};

use crate::choice;
use crate::desk::SessionDesk;
use crate::events::SessionEvent;
use crate::live::LiveSession;
use crate::mounts::{self, KnownMounts, MountDisclosure};
use crate::port::SessionsSetup;
use crate::refusal::{closed, down, unknown_session};
use crate::rules::{self, SessionTarget};
use crate::view::SessionView;
use crate::{follow, keeper, upkeep};

/// The reason of an explicitly closed session.
const CLOSED: &str = "closed";

/// Live; one per gateway process.
pub struct Sessions {
    desk: Arc<SessionDesk>,
    tasks: TaskTracker,
    shutdown: CancellationToken,
}

impl Sessions {
    pub async fn start(setup: SessionsSetup) -> Result<Arc<Sessions>, Refusal> {
        let shutdown = setup.shutdown.child_token();
        let (desk, unkept) = SessionDesk::open(setup).await.map_err(down)?;
        let tasks = TaskTracker::new();
        tasks.spawn(follow::run(Arc::clone(&desk), shutdown.clone()));
        tasks.spawn(keeper::run(Arc::clone(&desk), unkept, shutdown.clone()));
        tasks.spawn(upkeep::run(Arc::clone(&desk), shutdown.clone()));
        tasks.close();
        Ok(Arc::new(Sessions { desk, tasks, shutdown }))
    }

    /// Stops the tasks; data that is not written yet is written, if the store is up.
    pub async fn stop(&self) {
        self.shutdown.cancel();
        self.tasks.wait().await;
    }

    /// The seat of a request, if it is known without the store: `None` means "ask". Counts as use.
    pub fn seat_known(
        &self,
        credential: &Credential,
        route: &SessionRoute,
    ) -> Option<Result<Arc<Seat>, Refusal>> {
        match rules::target(credential, route) {
            Ok(SessionTarget::Default(wanted)) => Some(self.default_seat(credential, wanted)),
            Ok(SessionTarget::Session(id)) => match self.desk.live.get(id) {
                Some(live) => Some(self.sit(&live, credential, id)),
                None => self.default_named(credential, None, id).map(Ok),
            },
            Err(refusal) => Some(Err(refusal)),
        }
    }

    /// The seat of a request. Counts as use.
    pub async fn seat(&self, credential: &Credential, route: &SessionRoute) -> Result<Arc<Seat>, Refusal> {
        if let Some(known) = self.seat_known(credential, route) {
            return known;
        }
        let SessionTarget::Session(id) = rules::target(credential, route)? else {
            return self.default_seat(credential, None);
        };
        let found = self.desk.load(id).await.map_err(down)?.ok_or_else(|| unknown_session(id))?;
        if !rules::may_sit(&self.held(credential), &found.principal, &found.scope) {
            return Err(unknown_session(id));
        }
        match found.kind {
            SessionKind::Explicit => match self.desk.live.get(id) {
                Some(live) => self.sit(&live, credential, id),
                None => Err(closed(id)),
            },
            // Its scope follows the current definitions, and it is another session if they name other agents.
            SessionKind::Default => {
                self.default_named(credential, Some(&found.agent), id).ok_or_else(|| unknown_session(id))
            }
        }
    }

    /// The current seat of a session, if this process knows it. Does not count as use.
    pub fn seat_of(&self, id: &SessionId) -> Option<Arc<Seat>> {
        if let Some(live) = self.desk.live.get(id) {
            return Some(Arc::clone(&live.seat));
        }
        let definitions = self.desk.surroundings.definitions();
        self.desk.defaults.renewed(&definitions, id)
    }

    /// True if a session that was used here has ended.
    pub fn has_ended(&self, id: &SessionId) -> bool {
        self.desk.live.has_ended(id)
    }

    /// Incremented when a session that is known here gets other mounts, or has ended.
    pub fn changes(&self) -> u64 {
        self.desk.live.changes()
    }

    fn default_seat(
        &self,
        credential: &Credential,
        wanted: Option<&AgentName>,
    ) -> Result<Arc<Seat>, Refusal> {
        let (definitions, now_ms) = (self.desk.surroundings.definitions(), self.desk.clock.now_ms());
        let found = self.desk.defaults.find(definitions, credential, wanted, now_ms)?;
        Ok(self.desk.defaults.sit(&found, now_ms))
    }

    /// The default session of a credential and an agent, if its id was the one named.
    fn default_named(
        &self,
        credential: &Credential,
        wanted: Option<&AgentName>,
        id: &SessionId,
    ) -> Option<Arc<Seat>> {
        if credential.session.is_some() {
            return None;
        }
        let (definitions, now_ms) = (self.desk.surroundings.definitions(), self.desk.clock.now_ms());
        let found = self.desk.defaults.find(definitions, credential, wanted, now_ms).ok()?;
        (found.seat.session == *id).then(|| self.desk.defaults.sit(&found, now_ms))
    }

    fn held<'a>(&self, credential: &'a Credential) -> Cow<'a, Credential> {
        choice::held(&self.desk.surroundings.definitions(), credential)
    }

    fn sit(&self, live: &LiveSession, credential: &Credential, id: &SessionId) -> Result<Arc<Seat>, Refusal> {
        if !rules::may_sit(&self.held(credential), &live.seat.principal, &live.seat.scope) {
            return Err(unknown_session(id));
        }
        live.usage.note(self.desk.clock.now_ms());
        Ok(Arc::clone(&live.seat))
    }

    /// Replaces the additional mounts of a session from now on. `expected` is the version that the caller
    /// saw.
    pub async fn change_mounts(
        &self,
        id: &SessionId,
        by: &Credential,
        mounts: Mounts,
        expected: Option<u64>,
    ) -> Result<SessionView, Refusal> {
        let session = self.visible(id, by).await?;
        rules::may_change(by, &session)?;
        if session.kind == SessionKind::Default {
            return Err(is_default(id));
        }
        let base = Scope { mounts: session.base_mounts.clone(), ..Scope::clone(&session.scope) };
        self.check_mounts(by, &mounts, &session.mounts, &base)?;
        let scope = mounts::mounted(&base, &mounts);
        self.write_mounts(session, by, mounts, scope, expected).await
    }

    async fn write_mounts(
        &self,
        session: StoredSession,
        by: &Credential,
        mounts: Mounts,
        scope: Scope,
        expected: Option<u64>,
    ) -> Result<SessionView, Refusal> {
        let telling = SessionEvent { at_ms: self.desk.clock.now_ms(), by: &by.principal.id };
        let id = session.id.clone();
        let changed = StoredSession { mounts, scope: Arc::new(scope), ..session.clone() };
        let tell = |row_version| {
            vec![telling.changed(&StoredSession { row_version, ..changed.clone() }, &session.mounts)]
        };
        let written =
            self.desk.books.change_session(&id, expected, &changed.mounts, &changed.scope, tell).await;
        match written {
            Ok(row_version) => {
                // Through the store, so that a later write of another gateway is not undone here.
                let stored = self.desk.load(&id).await.map_err(down)?;
                Ok(self.view(stored.unwrap_or(StoredSession { row_version, ..changed })))
            }
            Err(ChangeSessionError::Unknown) => Err(unknown_session(&id)),
            Err(ChangeSessionError::Closed) => Err(closed(&id)),
            Err(ChangeSessionError::Stale { current }) => {
                let message = format!("the session {id} is at version {current}");
                Err(Refusal::new(&codes::STALE, message))
            }
            Err(ChangeSessionError::Store(error)) => Err(down(error)),
        }
    }

    fn check_mounts(
        &self,
        by: &Credential,
        mounts: &Mounts,
        before: &Mounts,
        base: &Scope,
    ) -> Result<(), Refusal> {
        let (mut servers, providers) = (self.desk.surroundings.servers(), self.desk.surroundings.providers());
        let tells = if rules::is_operator(by) { MountDisclosure::Names } else { MountDisclosure::Nothing };
        if tells == MountDisclosure::Nothing {
            // A server that an agent's scope excludes does not exist for it, not even in a hint.
            servers.retain(|server| base.could_hold(server));
        }
        mounts::check(mounts, before, base, &KnownMounts { servers: &servers, providers: &providers, tells })
    }

    /// Ends a session and its token. Closing twice changes nothing.
    pub async fn close(&self, id: &SessionId, by: &Credential) -> Result<SessionView, Refusal> {
        let session = self.visible(id, by).await?;
        rules::may_close(by)?;
        if session.kind == SessionKind::Default {
            return Err(is_default(id));
        }
        let closing = SessionEnd { at_ms: self.desk.clock.now_ms(), reason: CLOSED.into() };
        let told = SessionEvent { at_ms: closing.at_ms, by: &by.principal.id }.closed(&session, CLOSED);
        self.desk.books.close_session(id, &closing, vec![told]).await.map_err(down)?;
        self.desk.live.end(id);
        let stored = self.desk.store.get_session(id).await.map_err(down)?;
        stored.map(|stored| self.view(stored)).ok_or_else(|| unknown_session(id))
    }

    /// All versions of an agent definition that were ever in effect, the first one first.
    pub async fn versions(&self, agent: &AgentName) -> Result<Vec<AgentVersion>, Refusal> {
        self.desk.store.read_agent_versions(agent).await.map_err(down)
    }

    /// A session as a caller may see it; hidden sessions do not exist.
    async fn visible(&self, id: &SessionId, by: &Credential) -> Result<StoredSession, Refusal> {
        let stored = self.desk.store.get_session(id).await.map_err(down)?;
        // The row of a default session is written behind the request that used it first.
        let row = || Some(self.desk.defaults.used(id)?.row(self.desk.clock.now_ms()));
        let (found, by) = (stored.or_else(row), self.held(by));
        found.filter(|session| rules::may_see(&by, session)).ok_or_else(|| unknown_session(id))
    }
}

fn is_default(id: &SessionId) -> Refusal {
    let message =
        format!("{id} is what a credential has that brings no session; it follows its agent's definition");
    Refusal::new(&codes::DEFAULT_SESSION, message)
}
