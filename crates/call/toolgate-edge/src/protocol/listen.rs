//! `subscriptions/listen`: one stream of changes for one client of the newer era.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use arc_swap::{ArcSwap, ArcSwapOption};
use parking_lot::Mutex;
use serde::Deserialize;
use toolgate_core::{RawJson, RpcError, ServerName};

use crate::clients::client::Client;
use crate::clients::listener::{SubscriptionFilter, SubscriptionListener};
use crate::clients::stream::EventLog;
use crate::gateway::Gateway;
use crate::messages::parts::RequestHead;
use crate::messages::task_id;
use crate::quotas::{self, StreamPlace};

#[derive(Deserialize)]
struct ListenParams {
    #[serde(default)]
    notifications: SubscriptionFilter,
}

/// A subscription that lasts as long as this does.
pub(crate) struct Subscription {
    gateway: Arc<Gateway>,
    /// Under which the hub knows it, once it hears anything.
    key: Option<u64>,
    pub(crate) listener: Arc<SubscriptionListener>,
    task_watches: Mutex<Vec<Box<dyn Send + Sync>>>,
    /// Its share of the quotas, while it lasts.
    _place: StreamPlace,
}

impl Subscription {
    pub(crate) async fn open(
        gateway: &Arc<Gateway>,
        client: &Client,
        request: &RequestHead,
    ) -> Result<Self, RpcError> {
        let ListenParams { mut notifications } = request
            .params
            .decode()
            .map_err(|error| RpcError::invalid_params(format!("params.notifications: {error}")))?;
        let seat = client.seat();
        let place = gateway.quotas.open_stream(&seat.principal.id);
        let place = place.map_err(|refusal| quotas::rpc_error(&refusal))?;
        let view = gateway.discovery.view(&seat);
        let mut watched = BTreeMap::new();
        let target =
            |uri: &str| view.snapshot().resource(uri).filter(|target| view.shows_resources(&target.server));
        notifications.resource_subscriptions.retain(|uri| match target(uri) {
            None => false,
            Some(target) => {
                watched.insert((target.server, target.uri), uri.clone());
                true
            }
        });
        let owner = client.owner();
        let owned = |id: &String| {
            let found = task_id::resolve(&gateway.sealer, &owner, id);
            found.is_some_and(|(server, _)| view.reaches(&server))
        };
        notifications.task_ids.retain(owned);
        let watching: Vec<_> =
            watched.keys().map(|(server, uri)| gateway.servers.watch_resource(server, uri)).collect();
        let listener = Arc::new(SubscriptionListener {
            subscription_id: request.id.clone(),
            filter: notifications,
            watched,
            seen: ArcSwapOption::new(Some(view.clone())),
            seat: ArcSwap::new(seat),
            log: EventLog::new(gateway.limits.backlog_max),
        });
        let mut subscription = Self {
            gateway: gateway.clone(),
            key: None,
            listener,
            task_watches: Mutex::default(),
            _place: place,
        };
        // The acknowledgement comes first on the stream, and nothing after it is missed: so everything is watched
        // before, and heard after.
        let taken = futures_util::future::join_all(watching).await;
        subscription.give_back_refused(&taken);
        let listener = &subscription.listener;
        listener.notify("notifications/subscriptions/acknowledged", Some(&listener.filter.acknowledged()));
        subscription.key = Some(gateway.hub.add_listener(listener));
        subscription.watch_tasks(client);
        Ok(subscription)
    }

    /// Forgets the resources that their servers refused to watch. `taken` is in the order of `watched`.
    fn give_back_refused(&mut self, taken: &[bool]) {
        let SubscriptionListener { watched, filter, .. } =
            Arc::get_mut(&mut self.listener).expect("the hub does not know the listener yet");
        let mut taken = taken.iter();
        watched.retain(|(server, uri), _| {
            let stays = taken.next().copied().unwrap_or(true);
            if !stays {
                self.gateway.servers.unwatch_resource(server, uri);
            }
            stays
        });
        let kept: BTreeSet<&String> = watched.values().collect();
        filter.resource_subscriptions.retain(|uri| kept.contains(uri));
    }

    fn watch_tasks(&self, client: &Client) {
        let mut by_server: BTreeMap<ServerName, Vec<String>> = BTreeMap::new();
        for exposed in &self.listener.filter.task_ids {
            if let Some((server, own)) = task_id::resolve(&self.gateway.sealer, &client.owner(), exposed) {
                by_server.entry(server).or_default().push(own);
            }
        }
        for (server, ids) in by_server {
            let listener = self.listener.clone();
            let sealer = self.gateway.sealer.clone();
            let owner = client.owner();
            let of = server.clone();
            let questions = self.gateway.hub.questions.clone();
            let on_change = Box::new(move |params: RawJson| {
                // A client that asks for the task is told what is wrong with its questions.
                let Ok(params) = questions.screened_all(&of, &params) else { return };
                if let Some(params) = task_id::expose_in(&sealer, &of, &owner, &params) {
                    listener.notify("notifications/tasks", Some(&params));
                }
            });
            let watch = self.gateway.servers.watch_tasks(&server, ids, on_change);
            self.task_watches.lock().push(watch);
        }
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        if let Some(key) = self.key {
            self.gateway.hub.remove_listener(key);
        }
        for (server, uri) in self.listener.watched.keys() {
            self.gateway.servers.unwatch_resource(server, uri);
        }
    }
}
