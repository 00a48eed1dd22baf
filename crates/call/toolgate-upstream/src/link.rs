//! One live connection to a server over any transport, and the server's introduction on it.

use std::sync::Arc;

use toolgate_core::port::{Caller, Reply, ServerError, ServerRequest};
use toolgate_core::server::Era;

use crate::answer;
use crate::context::Context;
use crate::deadline::Deadline;
use crate::envelope::{self, level_request};
use crate::http::pair::Pair;
use crate::http::sessions::Sessions;
use crate::http::stateless::Stateless;
use crate::pending::{Answer, Listener};
use crate::pipe::{Exchange, GivenUp, Pipe};
use crate::probe::Opening;
use crate::stdio::Process;

pub(crate) enum Link {
    Process(Process),
    Pair(Pair),
    Sessions(Sessions),
    Stateless(Stateless),
}

pub(crate) struct Live {
    ctx: Arc<Context>,
    pub(crate) link: Link,
    pub(crate) opening: Opening,
}

impl Live {
    pub(crate) fn new(ctx: Arc<Context>, link: Link, opening: Opening) -> Arc<Self> {
        Arc::new(Self { ctx, link, opening })
    }

    pub(crate) fn era(&self) -> Era {
        self.opening.era()
    }

    /// The transport's name for people.
    pub(crate) fn transport(&self) -> &'static str {
        match self.link {
            Link::Process(_) => "stdio",
            Link::Pair(_) => "http+sse",
            Link::Sessions(_) | Link::Stateless(_) => "streamable-http",
        }
    }

    pub(crate) fn pid(&self) -> Option<u32> {
        match &self.link {
            Link::Process(process) => Some(process.pid),
            _ => None,
        }
    }

    /// The connection that all requests share, if there is one.
    pub(crate) fn pipe(&self) -> Option<&Arc<Pipe>> {
        match &self.link {
            Link::Process(process) => Some(&process.pipe),
            Link::Pair(pair) => Some(&pair.pipe),
            Link::Sessions(_) | Link::Stateless(_) => None,
        }
    }

    pub(crate) async fn request(
        &self,
        request: &ServerRequest,
        caller: Option<Arc<dyn Caller>>,
        deadline: &Arc<Deadline>,
    ) -> Result<Reply, ServerError> {
        match &self.link {
            Link::Stateless(stateless) => stateless.request(request, caller, deadline).await,
            Link::Sessions(sessions) => sessions.request(request, caller, deadline).await,
            Link::Process(Process { pipe, .. }) | Link::Pair(Pair { pipe, .. }) => {
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
    ) -> Result<Reply, ServerError> {
        let id = pipe.pending.next_id();
        let message = match self.era() {
            Era::Modern => envelope::modern(id, self.opening.version, request, caller.as_deref()),
            Era::Legacy => envelope::legacy(id, request, caller.as_deref()),
        };
        let exchange = Exchange { id, message, caller, deadline, given_up: GivenUp::SayCancelled };
        answer::reply(&self.ctx, self.era(), pipe.exchange(exchange).await?)
    }

    /// Opens a subscription of the newer era and receives it until it ends. Dropping the future closes it.
    pub(crate) async fn subscribe(&self, request: &ServerRequest, listener: Listener) -> Answer {
        match (&self.link, self.pipe()) {
            (Link::Stateless(stateless), _) => stateless.subscribe(request, listener).await,
            (_, Some(pipe)) => {
                let id = pipe.pending.next_id();
                let message = envelope::modern(id, self.opening.version, request, None);
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
            Link::Process(process) => process.end().await,
            Link::Pair(pair) => pair.end(),
            Link::Sessions(sessions) => sessions.close().await,
            Link::Stateless(stateless) => stateless.close(),
        }
    }

    /// Closes sessions that have been idle for a while.
    pub(crate) async fn sweep(&self, sessions_idle: std::time::Duration) {
        match &self.link {
            Link::Process(_) => {}
            Link::Pair(pair) => pair.sweep(),
            Link::Sessions(sessions) => sessions.close_idle(sessions_idle).await,
            Link::Stateless(stateless) => stateless.sweep(),
        }
    }

    /// Asks for log messages of a level, where the older era lets one ask.
    pub(crate) async fn set_level(&self, level: &str) {
        if self.era() == Era::Modern || !self.opening.declares(&["logging"]) {
            return;
        }
        if let Link::Sessions(sessions) = &self.link {
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
            (Link::Sessions(sessions), _) => {
                let all = sessions.all();
                futures_util::future::join_all(all.iter().map(|session| session.roots_changed())).await;
            }
            (_, Some(pipe)) if self.era() == Era::Legacy => pipe.notify(envelope::roots_changed()).await,
            _ => {}
        }
    }
}
