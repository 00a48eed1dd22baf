//! One live connection to a server over any transport, and the server's introduction on it.

use std::sync::Arc;

use toolgate_core::port::{Caller, ServerError, ServerReply, ServerRequest};
use toolgate_core::server::Era;

use crate::answer;
use crate::api::link::ApiLink;
use crate::callers::{CallerNaming, ENDED, EndedCaller};
use crate::context::ServerContext;
use crate::deadline::Deadline;
use crate::envelope::{self, level_request};
use crate::http::pair::SsePair;
use crate::http::sessions::HttpSessions;
use crate::http::stateless::StatelessLink;
use crate::pending::{NotificationListener, ServerAnswer};
use crate::pipe::{CancelNotice, Pipe, PipeExchange};
use crate::probe::ServerIntroduction;
use crate::stdio::ServerProcess;

pub(crate) enum ServerLink {
    Process(ServerProcess),
    Pair(SsePair),
    Sessions(HttpSessions),
    Stateless(StatelessLink),
    Api(Box<ApiLink>),
}

pub(crate) struct LiveLink {
    ctx: Arc<ServerContext>,
    pub(crate) link: ServerLink,
    pub(crate) opening: ServerIntroduction,
    pub(crate) naming: CallerNaming,
}

impl LiveLink {
    pub(crate) fn new(ctx: Arc<ServerContext>, link: ServerLink, opening: ServerIntroduction) -> Arc<Self> {
        let naming = opening.caller_naming();
        Arc::new(Self { ctx, link, opening, naming })
    }

    pub(crate) fn era(&self) -> Era {
        self.opening.era()
    }

    /// The transport's name for people.
    pub(crate) fn transport(&self) -> &'static str {
        match self.link {
            ServerLink::Process(_) => "stdio",
            ServerLink::Pair(_) => "http+sse",
            ServerLink::Sessions(_) | ServerLink::Stateless(_) => "streamable-http",
            ServerLink::Api(_) => "api",
        }
    }

    pub(crate) fn pid(&self) -> Option<u32> {
        match &self.link {
            ServerLink::Process(process) => Some(process.pid),
            _ => None,
        }
    }

    /// The connection that all requests share, if there is one.
    pub(crate) fn pipe(&self) -> Option<&Arc<Pipe>> {
        match &self.link {
            ServerLink::Process(process) => Some(&process.pipe),
            ServerLink::Pair(pair) => Some(&pair.pipe),
            ServerLink::Sessions(_) | ServerLink::Stateless(_) | ServerLink::Api(_) => None,
        }
    }

    pub(crate) async fn request(
        &self,
        request: &ServerRequest,
        caller: Option<Arc<dyn Caller>>,
        deadline: &Arc<Deadline>,
    ) -> Result<ServerReply, ServerError> {
        match &self.link {
            ServerLink::Stateless(stateless) => stateless.request(request, caller, deadline).await,
            ServerLink::Sessions(sessions) => sessions.request(request, caller, deadline).await,
            ServerLink::Api(api) => api.request(request, caller, deadline).await,
            ServerLink::Process(ServerProcess { pipe, .. }) | ServerLink::Pair(SsePair { pipe, .. }) => {
                self.over_pipe(pipe, request, caller, deadline).await
            }
        }
    }

    async fn over_pipe(
        &self,
        pipe: &Pipe,
        request: &ServerRequest,
        caller: Option<Arc<dyn Caller>>,
        deadline: &Arc<Deadline>,
    ) -> Result<ServerReply, ServerError> {
        let id = pipe.pending.next_id();
        let origin = self.naming.told(request);
        let message = match self.era() {
            Era::Modern => envelope::modern(id, self.opening.version, request, caller.as_deref(), origin),
            Era::Legacy => envelope::legacy(id, request, caller.as_deref(), origin),
        };
        let exchange = PipeExchange { id, message, caller, deadline, given_up: CancelNotice::SayCancelled };
        answer::reply(&self.ctx, self.era(), pipe.exchange(exchange).await?)
    }

    /// Opens a subscription of the newer era and receives it until it ends. Dropping the future closes it.
    pub(crate) async fn subscribe(
        &self,
        request: &ServerRequest,
        listener: NotificationListener,
    ) -> ServerAnswer {
        match (&self.link, self.pipe()) {
            (ServerLink::Stateless(stateless), _) => stateless.subscribe(request, listener).await,
            (_, Some(pipe)) => {
                let id = pipe.pending.next_id();
                let message = envelope::modern(id, self.opening.version, request, None, None);
                pipe.subscribe(id, message, listener).await
            }
            _ => Err(self.ctx.down("it has no subscriptions")),
        }
    }

    /// Returns when the connection has ended, with the reason. Connections that are made per request do not end.
    pub(crate) async fn closed(&self) -> String {
        match self.pipe() {
            Some(pipe) => pipe.closed().await,
            None => std::future::pending().await,
        }
    }

    /// Ends the connection in good order.
    pub(crate) async fn end(&self) {
        match &self.link {
            ServerLink::Process(process) => process.end().await,
            ServerLink::Pair(pair) => pair.end(),
            ServerLink::Sessions(sessions) => sessions.close().await,
            ServerLink::Stateless(stateless) => stateless.close(),
            ServerLink::Api(api) => api.close(),
        }
    }

    /// Closes sessions that have been idle for a while.
    pub(crate) async fn sweep(&self, sessions_idle: std::time::Duration) {
        match &self.link {
            ServerLink::Process(_) => {}
            ServerLink::Pair(pair) => pair.sweep(),
            ServerLink::Sessions(sessions) => sessions.close_idle(sessions_idle).await,
            ServerLink::Stateless(stateless) => stateless.sweep(),
            ServerLink::Api(api) => api.sweep(),
        }
    }

    /// Asks for log messages of a level, where the older era lets one ask.
    pub(crate) async fn set_level(&self, level: &str) {
        if self.era() == Era::Modern || !self.opening.declares(&["logging"]) {
            return;
        }
        if let ServerLink::Sessions(sessions) = &self.link {
            let all = sessions.all();
            futures_util::future::join_all(all.iter().map(|session| session.set_level(level))).await;
            return;
        }
        let deadline = Deadline::after(self.ctx.spec.connect_timeout);
        if let Err(error) = self.request(&level_request(level), None, &deadline).await {
            tracing::debug!(server = %self.ctx.name(), %error, "the log level was not taken");
        }
    }

    /// Tells a server of the older era that roots changed.
    pub(crate) async fn roots_changed(&self) {
        match (&self.link, self.pipe()) {
            (ServerLink::Sessions(sessions), _) => {
                let all = sessions.all();
                futures_util::future::join_all(all.iter().map(|session| session.roots_changed())).await;
            }
            (_, Some(pipe)) if self.era() == Era::Legacy => pipe.notify(envelope::roots_changed()).await,
            _ => {}
        }
    }

    /// Tells a server that wants to know its callers that one has ended.
    pub(crate) async fn caller_ended(&self, ended: &EndedCaller) {
        if self.naming == CallerNaming::Unnamed {
            return;
        }
        match &self.link {
            ServerLink::Stateless(stateless) => stateless.notify(ENDED, ended.message()).await,
            ServerLink::Sessions(sessions) => sessions.notify(ended.message()).await,
            ServerLink::Api(_) => {}
            ServerLink::Process(ServerProcess { pipe, .. }) | ServerLink::Pair(SsePair { pipe, .. }) => {
                pipe.notify(ended.message()).await;
            }
        }
    }
}
