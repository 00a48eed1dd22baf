//! Notifications of servers, fanned out to every client that subscribed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwapOption;
use parking_lot::Mutex;
use tokio::sync::{oneshot, watch};
use toolgate_catalog::{Catalog, CatalogEntry, CatalogUpdate, Snapshot};
use toolgate_core::id::SessionId;
use toolgate_core::port::{AskKind, BoxFuture, Servers};
use toolgate_core::registry::WireName;
use toolgate_core::scope::Seat;
use toolgate_core::server::{ServerHealth, ServerState};
use toolgate_core::{PrincipalId, RawJson, RpcError, ServerName};
use toolgate_discovery::{Discovery, View};
use toolgate_pipeline::Pipeline;
use toolgate_wire::compose;
use toolgate_wire::object::with_member;

use crate::clients::caller::cannot_answer;
use crate::clients::listener::SubscriptionListener;
use crate::clients::log_level::{level_passes, level_rank};
use crate::clients::questions::{QuestionSource, ServerQuestions};
use crate::clients::session::ClientSession;
use crate::messages::text::quoted;
use crate::metrics::Metrics;

/// The time that a server waits for an answer to a question that belongs to no call.
const ASK_WAIT: Duration = Duration::from_secs(60);

const TOOLS_CHANGED: &str = "notifications/tools/list_changed";

pub struct Hub {
    catalog: Arc<Catalog>,
    discovery: Arc<Discovery>,
    pub(crate) questions: Arc<ServerQuestions>,
    pub(crate) metrics: Metrics,
    state: Mutex<HubState>,
    settled: watch::Sender<bool>,
}

struct HubState {
    sessions: BTreeMap<String, Arc<ClientSession>>,
    listeners: BTreeMap<u64, Arc<SubscriptionListener>>,
    next: u64,
    unsettled: BTreeSet<ServerName>,
}

impl Hub {
    pub fn new(catalog: Arc<Catalog>, discovery: Arc<Discovery>, pipeline: Arc<Pipeline>) -> Arc<Self> {
        let questions = Arc::new(ServerQuestions::new(catalog.clone(), pipeline));
        let settled = watch::Sender::new(true);
        let unsettled = BTreeSet::new();
        let state = HubState { sessions: BTreeMap::new(), listeners: BTreeMap::new(), next: 1, unsettled };
        let (metrics, state) = (Metrics::new(), Mutex::new(state));
        Arc::new(Self { catalog, discovery, questions, metrics, state, settled })
    }

    pub(crate) fn settled(&self) -> watch::Receiver<bool> {
        self.settled.subscribe()
    }

    /// The first list waits for these servers too.
    pub fn expect(&self, servers: impl IntoIterator<Item = ServerName>) {
        let mut state = self.state.lock();
        state.unsettled.extend(servers);
        self.settled.send_replace(state.unsettled.is_empty());
    }

    /// The catalogue is another one now; those who listen are told. What has a name that it returns is not shown before an
    /// update says that the name is recorded.
    pub fn arrange(&self, update: CatalogUpdate) -> Vec<WireName> {
        let servers: Vec<ServerName> = update.listings.keys().cloned().collect();
        let before = self.catalog.snapshot();
        let changes = self.catalog.update(update);
        self.say_what_is_missing(&servers);
        let snapshot = self.catalog.snapshot();
        for (alias, why) in
            snapshot.refused_aliases.iter().filter(|one| !before.refused_aliases.contains(one))
        {
            tracing::warn!(alias = alias.name, owner = alias.owner, "an alias is not used: {why}");
        }
        for (name, why) in snapshot.misfits.iter().filter(|one| !before.misfits.contains(one)) {
            tracing::warn!(%name, why, "a tool takes no files though it should: agents see it as its server offers it");
        }
        for (name, what) in snapshot.completed.iter().filter(|one| !before.completed.contains(one)) {
            tracing::warn!(%name, what, "the definition of a tool was completed");
        }
        for (name, why) in snapshot.renamed.iter().filter(|one| !before.renamed.contains(one)) {
            tracing::warn!(%name, why, "a name is taken");
        }
        self.settle_named(&servers, &before, &snapshot);
        if changes.any() {
            self.look_again();
        }
        snapshot.unrecorded.clone()
    }

    /// A server that listed has settled once everything of it is shown that has to be named first.
    fn settle_named(&self, listed: &[ServerName], before: &Snapshot, now: &Snapshot) {
        let unnamed = |of: &Snapshot| -> BTreeSet<ServerName> {
            of.unrecorded.iter().map(|one| one.server.clone()).collect()
        };
        let (waited, waiting) = (unnamed(before), unnamed(now));
        for server in listed.iter().chain(&waited).filter(|server| !waiting.contains(*server)) {
            self.settle(server);
        }
    }

    fn say_what_is_missing(&self, servers: &[ServerName]) {
        for (name, why) in &self.catalog.snapshot().left_out {
            let is_of = |server: &ServerName| {
                name.as_str().strip_prefix(server.as_str()).is_some_and(|rest| rest.starts_with(':'))
            };
            if servers.iter().any(is_of) {
                tracing::warn!(%name, why, "an entry that agents could not read is left out of the list");
            }
        }
    }

    pub fn state_changed(&self, server: &ServerName, state: &ServerState) {
        self.metrics.server(server, state);
        if state.health == ServerHealth::Degraded {
            self.settle(server);
        }
    }

    /// The gateway does not reach the server any more: it was disabled or removed.
    pub fn server_left(&self, server: &ServerName) {
        self.metrics.forget_server(server);
        self.settle(server);
    }

    pub fn resource_updated(&self, server: &ServerName, own: &str, params: &RawJson) {
        let (sessions, listeners) = self.all();
        let renamed =
            |uri: &str| with_member(params.as_str(), "uri", &quoted(uri)).map(RawJson::from_composed).ok();
        let sees = |seat: &Seat| self.discovery.view(seat).shows_resources(server);
        for session in sessions {
            if let Some(params) = session.watched_as(server, own).and_then(|uri| renamed(&uri))
                && sees(&session.client.seat())
            {
                session.push.push(compose::notification("notifications/resources/updated", Some(&params)));
            }
        }
        for listener in listeners {
            if let Some(params) = listener.watched_as(server, own).and_then(|uri| renamed(&uri))
                && sees(&listener.seat.load())
            {
                listener.notify("notifications/resources/updated", Some(&params));
            }
        }
    }

    /// A log message outside any call goes to the sessions that asked for its level and see the server: those of the
    /// principal whose connection it came on, or of all if that is shared.
    pub fn logged(&self, server: &ServerName, owner: Option<&PrincipalId>, params: &RawJson) {
        let sees = |session: &&Arc<ClientSession>| {
            is_of(session, owner) && self.discovery.view(&session.client.seat()).reaches(server)
        };
        let (sessions, _) = self.all();
        for session in sessions.iter().filter(sees) {
            if session.log_level().is_some_and(|wanted| level_passes(&wanted, params)) {
                session.push.push(compose::notification("notifications/message", Some(params)));
            }
        }
    }

    /// A question outside any call is put to a client only if there is exactly one who could be meant.
    pub fn asked(
        &self,
        server: &ServerName,
        owner: Option<&PrincipalId>,
        kind: AskKind,
        params: RawJson,
    ) -> BoxFuture<'static, Result<RawJson, RpcError>> {
        let may = |session: &Arc<ClientSession>| {
            is_of(session, owner)
                && can_be_asked(session, kind)
                && self.discovery.view(&session.client.seat()).reaches(server)
        };
        let (sessions, _) = self.all();
        let able: Vec<Arc<ClientSession>> = sessions.into_iter().filter(may).collect();
        let [session] = able.as_slice() else {
            let answer = match kind {
                AskKind::Roots => Ok(RawJson::from_composed(r#"{"roots":[]}"#.into())),
                _ => Err(cannot_answer(kind)),
            };
            return Box::pin(async move { answer });
        };
        let session = session.clone();
        let Some(open) = self.questions.hold_open(server) else {
            let message = "another question of this server that belongs to no call waits for its answer";
            let error = RpcError::new(RpcError::INTERNAL, message);
            return Box::pin(async move { Err(error) });
        };
        let (questions, asker) = (self.questions.clone(), QuestionSource::of(&session.client, server, None));
        Box::pin(async move {
            let _open = open;
            let params = questions.screen(&asker, kind, params).await?;
            let (answer, answered) = oneshot::channel();
            session.push.push(session.ask(kind, &params, answer));
            let gone = || RpcError::new(RpcError::INTERNAL, "the client did not answer");
            let outcome = tokio::time::timeout(ASK_WAIT, answered).await.map_err(|_| gone())?;
            outcome.unwrap_or_else(|_| Err(gone()))
        })
    }

    /// Registers a session; `false` if there are too many. One principal has `own_max`, and leaves a quarter of all to others.
    pub(crate) fn add_session(
        &self,
        session: &Arc<ClientSession>,
        sessions_max: usize,
        own_max: Option<usize>,
    ) -> bool {
        let own_max = own_max.unwrap_or(usize::MAX).min(sessions_max - sessions_max / 4);
        session.seen.store(Some(self.discovery.view(&session.client.seat())));
        let mut state = self.state.lock();
        let is_theirs = |one: &&Arc<ClientSession>| one.client.principal.id == session.client.principal.id;
        let theirs = state.sessions.values().filter(is_theirs).count();
        if state.sessions.len() >= sessions_max || theirs >= own_max {
            return false;
        }
        state.sessions.insert(session.id.clone(), session.clone());
        true
    }

    pub(crate) fn session(&self, id: &str) -> Option<Arc<ClientSession>> {
        self.state.lock().sessions.get(id).cloned()
    }

    pub(crate) fn session_count(&self) -> usize {
        self.state.lock().sessions.len()
    }

    /// Ends a session: its streams close, its calls are cancelled, its subscriptions are given back.
    pub(crate) fn remove_session(&self, id: &str, servers: &dyn Servers) {
        let Some(session) = self.state.lock().sessions.remove(id) else { return };
        session.closed.cancel();
        session.push.close();
        for (server, uri) in session.take_watched() {
            servers.unwatch_resource(&server, &uri);
        }
    }

    /// Disconnects the clients of a session that has ended: streams close, calls are cancelled.
    pub(crate) fn end_where(&self, has_ended: impl Fn(&SessionId) -> bool, servers: &dyn Servers) {
        let (sessions, listeners) = self.all();
        for session in sessions.iter().filter(|session| has_ended(&session.client.seat().session)) {
            self.remove_session(&session.id, servers);
        }
        for listener in listeners.iter().filter(|listener| has_ended(&listener.seat.load().session)) {
            listener.log.close();
        }
    }

    fn all(&self) -> (Vec<Arc<ClientSession>>, Vec<Arc<SubscriptionListener>>) {
        let state = self.state.lock();
        (state.sessions.values().cloned().collect(), state.listeners.values().cloned().collect())
    }

    pub(crate) fn sweep(&self, idle: Duration, servers: &dyn Servers) {
        self.state.lock().sessions.values().for_each(|session| session.sweep());
        let idle: Vec<String> = self
            .state
            .lock()
            .sessions
            .values()
            .filter(|session| session.is_idle(idle))
            .map(|session| session.id.clone())
            .collect();
        for id in idle {
            self.remove_session(&id, servers);
        }
    }

    pub(crate) fn add_listener(&self, listener: &Arc<SubscriptionListener>) -> u64 {
        let mut state = self.state.lock();
        state.next += 1;
        let key = state.next;
        state.listeners.insert(key, listener.clone());
        key
    }

    pub(crate) fn remove_listener(&self, key: u64) {
        self.state.lock().listeners.remove(&key);
    }

    /// The most talkative level that any session asked for.
    pub(crate) fn lowest_log_level(&self) -> Option<String> {
        let levels =
            self.state.lock().sessions.values().filter_map(|session| session.log_level()).collect::<Vec<_>>();
        levels.into_iter().min_by_key(|level| level_rank(level))
    }

    /// Tells the clients whose view has changed, and no others.
    pub fn look_again(&self) {
        self.look_again_with(|_| None);
    }

    /// The same where sessions may have other scopes now: `renewed` gives the seat of one as it is.
    pub(crate) fn look_again_with(&self, renewed: impl Fn(&Seat) -> Option<Arc<Seat>>) {
        let (sessions, listeners) = self.all();
        for session in sessions {
            let seat = session.client.seat();
            if let Some(seat) = renewed(&seat) {
                session.client.sit(&seat);
            }
            let before = session.seen.load_full();
            let mut news = self.news(&session.seen, &session.client.seat());
            if !news.contains(&TOOLS_CHANGED) && self.revealed_changed(&session, before) {
                news.push(TOOLS_CHANGED);
            }
            for method in news {
                session.push.push(compose::notification(method, None));
            }
        }
        for listener in listeners {
            if let Some(seat) = renewed(&listener.seat.load()) {
                listener.seat.store(seat);
            }
            for method in self.news(&listener.seen, &listener.seat.load()) {
                if listener.wants(method) {
                    listener.notify(method, None);
                }
            }
        }
    }

    /// A tool that was found has joined the list of one session.
    pub(crate) fn tell_tools_changed(&self, session: &ClientSession) {
        session.push.push(compose::notification(TOOLS_CHANGED, None));
    }

    /// True if a tool that joined the list of one session has changed.
    fn revealed_changed(&self, session: &ClientSession, before: Option<Arc<View>>) -> bool {
        let (Some(before), Some(now)) = (before, session.seen.load_full()) else { return false };
        let alike = |entry: &Arc<CatalogEntry>| match (before.shown(entry), now.shown(entry)) {
            (Some(one), Some(other)) => one.reads_like(other),
            (one, other) => one.is_none() && other.is_none(),
        };
        !Arc::ptr_eq(&before, &now) && !session.revealed().iter().all(alike)
    }

    /// The lists that have changed since they were last compared.
    fn news(&self, seen: &ArcSwapOption<View>, seat: &Seat) -> Vec<&'static str> {
        let now = self.discovery.view(seat);
        let Some(before) = seen.swap(Some(now.clone())) else { return Vec::new() };
        if Arc::ptr_eq(&before, &now) {
            return Vec::new();
        }
        let kinds = [
            (self.discovery.lists_alike(&before, &now), TOOLS_CHANGED),
            (before.prompts_like(&now), "notifications/prompts/list_changed"),
            (before.resources_like(&now), "notifications/resources/list_changed"),
        ];
        kinds.into_iter().filter(|(alike, _)| !alike).map(|(_, method)| method).collect()
    }

    fn settle(&self, server: &ServerName) {
        let mut state = self.state.lock();
        state.unsettled.remove(server);
        if state.unsettled.is_empty() {
            self.settled.send_replace(true);
        }
    }
}

fn is_of(session: &ClientSession, owner: Option<&PrincipalId>) -> bool {
    owner.is_none_or(|owner| session.client.principal.id == *owner)
}

fn can_be_asked(session: &ClientSession, kind: AskKind) -> bool {
    session.client.abilities.can_answer(kind) && session.push.is_read()
}
