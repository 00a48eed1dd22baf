//! One stream of changes for one client of the newer era: what it wants to hear of, and the way to tell it.

use std::collections::BTreeMap;

use arc_swap::{ArcSwap, ArcSwapOption};
use serde::Deserialize;
use serde_json::{Map, json};
use toolgate_core::scope::Seat;
use toolgate_core::{RawJson, ServerName};
use toolgate_discovery::View;
use toolgate_wire::object::{insert_first, with_member};
use toolgate_wire::{compose, meta};

use crate::clients::stream::EventLog;

/// The subscriptions of a client, and the way to reach it.
pub(crate) struct SubscriptionListener {
    pub(crate) subscription_id: RawJson,
    pub(crate) filter: SubscriptionFilter,
    pub(crate) watched: BTreeMap<(ServerName, String), String>,
    pub(crate) seat: ArcSwap<Seat>,
    /// The lists as it was last told.
    pub(crate) seen: ArcSwapOption<View>,
    pub(crate) log: EventLog,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct SubscriptionFilter {
    pub(crate) tools_list_changed: bool,
    pub(crate) prompts_list_changed: bool,
    pub(crate) resources_list_changed: bool,
    pub(crate) resource_subscriptions: Vec<String>,
    pub(crate) task_ids: Vec<String>,
}

impl SubscriptionFilter {
    /// The subscriptions that the client is promised.
    pub(crate) fn acknowledged(&self) -> RawJson {
        let mut notifications = Map::new();
        let flags = [
            ("toolsListChanged", self.tools_list_changed),
            ("promptsListChanged", self.prompts_list_changed),
            ("resourcesListChanged", self.resources_list_changed),
        ];
        for (name, _) in flags.into_iter().filter(|(_, on)| *on) {
            notifications.insert(name.into(), true.into());
        }
        let lists = [("resourceSubscriptions", &self.resource_subscriptions), ("taskIds", &self.task_ids)];
        for (name, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
            notifications.insert(name.into(), list.clone().into());
        }
        json!({ "notifications": notifications }).into()
    }
}

impl SubscriptionListener {
    pub(crate) fn wants(&self, method: &str) -> bool {
        match method {
            "notifications/tools/list_changed" => self.filter.tools_list_changed,
            "notifications/prompts/list_changed" => self.filter.prompts_list_changed,
            "notifications/resources/list_changed" => self.filter.resources_list_changed,
            _ => false,
        }
    }

    pub(crate) fn watched_as(&self, server: &ServerName, own: &str) -> Option<String> {
        self.watched.get(&(server.clone(), own.to_owned())).cloned()
    }

    /// Sends a notification tagged with this subscription.
    pub(crate) fn notify(&self, method: &str, params: Option<&RawJson>) {
        let params = params.map_or("{}", RawJson::as_str);
        self.log.push(compose::notification(method, Some(&self.tagged(params))));
    }

    fn tagged(&self, params: &str) -> RawJson {
        let own = format!("{{\"{}\":{}}}", meta::SUBSCRIPTION_ID, self.subscription_id.as_str());
        let mut text = String::new();
        match with_member(params, "_meta", &own) {
            Ok(tagged) => text = tagged,
            Err(_) => insert_first(&mut text, "{}", "_meta", &own),
        }
        RawJson::from_composed(text)
    }

    /// The answer that ends the stream in good order.
    pub(crate) fn farewell(&self) -> bytes::Bytes {
        let result = format!(
            "{{\"resultType\":\"complete\",\"_meta\":{{\"{}\":{}}}}}",
            meta::SUBSCRIPTION_ID,
            self.subscription_id.as_str()
        );
        compose::response(self.subscription_id.as_str(), &result)
    }
}
