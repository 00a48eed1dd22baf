//! Hearing of changes: the newer era's subscriptions and the older era's `resources/subscribe`.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{oneshot, watch};
use tokio::time::Instant;
use toolgate_core::RawJson;
use toolgate_core::port::{ServerError, ServerRequest};
use toolgate_core::server::Era;
use toolgate_wire::ObjectMembers;
use toolgate_wire::object::{push_member, push_string};

use crate::backoff::Backoff;
use crate::context::ServerContext;
use crate::deadline::Deadline;
use crate::link::{LiveLink, ServerLink};
use crate::pending::{NotificationListener, ServerAnswer};
use crate::routing::on_subscribed;

/// Resources of one server that may be watched.
const WATCHED_MAX: usize = 2_000;
/// The time that a server may take to acknowledge a subscription before it is assumed.
const ACKNOWLEDGE_PATIENCE: Duration = Duration::from_secs(3);
/// The pause after a server refused a subscription.
const REFUSED_PAUSE: Duration = Duration::from_secs(60);

type WatchedUris = Arc<BTreeSet<String>>;

/// The watched resources, counted.
#[derive(Default)]
pub(crate) struct WatchedResources {
    wishes: Mutex<BTreeMap<String, WatchCount>>,
    uris: watch::Sender<WatchedUris>,
    verdict: watch::Sender<WatchVerdict>,
}

struct WatchCount {
    count: usize,
    /// True if the server is asked at all. Wishes beyond the limit are only counted until they are withdrawn.
    passed_on: bool,
}

/// The server's answer to the last wishes.
#[derive(Clone, Default)]
struct WatchVerdict {
    taken: WatchedUris,
    refused: WatchedUris,
}

impl WatchVerdict {
    fn on(&self, uri: &str) -> Option<bool> {
        if self.taken.contains(uri) { Some(true) } else { self.refused.contains(uri).then_some(false) }
    }
}

impl WatchedResources {
    /// Counts a wish. `false` if there are too many already for the server to be asked.
    pub(crate) fn add(&self, uri: &str) -> bool {
        let mut wishes = self.wishes.lock();
        let has_room = self.uris.borrow().len() < WATCHED_MAX;
        let wish = wishes.entry(uri.to_owned()).or_insert(WatchCount { count: 0, passed_on: false });
        wish.count += 1;
        let is_new = !wish.passed_on && has_room;
        wish.passed_on |= has_room;
        let passed_on = wish.passed_on;
        if is_new {
            self.publish(&wishes);
        }
        passed_on
    }

    /// Gives a wish back.
    pub(crate) fn remove(&self, uri: &str) {
        let mut wishes = self.wishes.lock();
        let Some(wish) = wishes.get_mut(uri) else { return };
        wish.count -= 1;
        if wish.count == 0 {
            let passed_on = wish.passed_on;
            wishes.remove(uri);
            if passed_on {
                self.publish(&wishes);
            }
        }
    }

    fn publish(&self, wishes: &BTreeMap<String, WatchCount>) {
        let passed_on = wishes.iter().filter(|(_, wish)| wish.passed_on);
        self.uris.send_replace(Arc::new(passed_on.map(|(uri, _)| uri.clone()).collect()));
    }

    /// Waits, for a limited time, until the server watches this resource, so that no later change is missed,
    /// or refuses to. A wish that a server had no chance to refuse stands until it has.
    pub(crate) async fn taken(&self, uri: &str) -> bool {
        let mut verdict = self.verdict.subscribe();
        let spoken = verdict.wait_for(|verdict| verdict.on(uri).is_some());
        match tokio::time::timeout(ACKNOWLEDGE_PATIENCE, spoken).await {
            Ok(Ok(verdict)) => verdict.on(uri).unwrap_or(true),
            _ => true,
        }
    }

    fn decide(&self, taken: WatchedUris, refused: WatchedUris) {
        self.verdict.send_replace(WatchVerdict { taken, refused });
    }

    pub(crate) fn uris(&self) -> watch::Receiver<WatchedUris> {
        self.uris.subscribe()
    }
}

/// Keeps the subscriptions in step with the wishes, for as long as the connection lives. `listening` tells
/// whether changes of lists are reported; otherwise lists have to be read again now and then.
pub(crate) async fn keep(
    ctx: &Arc<ServerContext>,
    live: &LiveLink,
    wanted: &WatchedResources,
    listening: &AtomicBool,
) -> Infallible {
    match live.era() {
        _ if matches!(live.link, ServerLink::Api(_)) => refuse_all(wanted).await,
        _ if !live.opening.declares(&["resources", "subscribe"]) && live.era() == Era::Legacy => {
            refuse_all(wanted).await
        }
        Era::Modern => keep_subscription(ctx, live, wanted, listening).await,
        Era::Legacy => keep_resources(ctx, live, wanted).await,
    }
}

/// A server without subscriptions refuses them all.
async fn refuse_all(wishes: &WatchedResources) -> Infallible {
    let mut wanted = wishes.uris();
    loop {
        wishes.decide(WatchedUris::default(), wanted.borrow_and_update().clone());
        if wanted.changed().await.is_err() {
            return std::future::pending().await;
        }
    }
}

async fn keep_resources(ctx: &Arc<ServerContext>, live: &LiveLink, wishes: &WatchedResources) -> Infallible {
    let mut wanted = wishes.uris();
    let mut generation = match &live.link {
        ServerLink::Sessions(sessions) => Some(sessions.generation()),
        _ => None,
    };
    let mut taken = BTreeSet::new();
    let mut refused = BTreeSet::new();
    loop {
        let want = wanted.borrow_and_update().clone();
        for uri in want.iter() {
            if taken.contains(uri) || refused.contains(uri) {
                continue;
            }
            let is_taken = tell(ctx, live, "resources/subscribe", uri).await;
            if is_taken { &mut taken } else { &mut refused }.insert(uri.clone());
        }
        for uri in taken.difference(&want) {
            tell(ctx, live, "resources/unsubscribe", uri).await;
        }
        taken.retain(|uri| want.contains(uri));
        refused.retain(|uri| want.contains(uri));
        wishes.decide(Arc::new(taken.clone()), Arc::new(refused.clone()));
        tokio::select! {
            changed = wanted.changed() => {
                if changed.is_err() {
                    return std::future::pending().await;
                }
            }
            () = renewed(&mut generation) => (taken, refused) = Default::default(),
        }
    }
}

async fn renewed(generation: &mut Option<watch::Receiver<u64>>) {
    if let Some(generation) = generation
        && generation.changed().await.is_ok()
    {
        return;
    }
    std::future::pending().await
}

/// True if the server accepted.
async fn tell(ctx: &Arc<ServerContext>, live: &LiveLink, method: &'static str, uri: &str) -> bool {
    let mut params = String::new();
    push_member(&mut params, "uri", &json_string(uri));
    let deadline = Deadline::after(ctx.spec.connect_timeout);
    let told = live.request(&ServerRequest::new(method, params), None, &deadline).await;
    if let Err(error) = &told {
        tracing::warn!(server = %ctx.name(), method, uri, %error, "a resource cannot be watched");
    }
    told.is_ok()
}

/// The content of one subscription.
#[derive(Default, PartialEq, Eq)]
struct WatchFilter {
    tools: bool,
    prompts: bool,
    resources: bool,
    uris: WatchedUris,
}

impl WatchFilter {
    fn of(live: &LiveLink, uris: WatchedUris) -> Self {
        let changes = |kind| live.opening.declares(&[kind, "listChanged"]);
        let uris =
            if live.opening.declares(&["resources", "subscribe"]) { uris } else { WatchedUris::default() };
        Self { tools: changes("tools"), prompts: changes("prompts"), resources: changes("resources"), uris }
    }

    fn is_empty(&self) -> bool {
        !self.hears_lists() && self.uris.is_empty()
    }

    fn hears_lists(&self) -> bool {
        self.tools || self.prompts || self.resources
    }

    fn request(&self) -> ServerRequest {
        let mut filter = "{".to_owned();
        let flags = [
            ("toolsListChanged", self.tools),
            ("promptsListChanged", self.prompts),
            ("resourcesListChanged", self.resources),
        ];
        for (name, _) in flags.iter().filter(|(_, wanted)| *wanted) {
            push_member(&mut filter, name, "true");
        }
        if !self.uris.is_empty() {
            push_member(
                &mut filter,
                "resourceSubscriptions",
                &string_list(self.uris.iter().map(String::as_str)),
            );
        }
        filter.push('}');
        listen(&filter)
    }
}

fn listen(filter: &str) -> ServerRequest {
    let mut params = String::new();
    push_member(&mut params, "notifications", filter);
    ServerRequest::new("subscriptions/listen", params)
}

fn json_string(text: &str) -> String {
    let mut json = String::with_capacity(text.len() + 2);
    push_string(&mut json, text);
    json
}

fn string_list<'a>(items: impl Iterator<Item = &'a str>) -> String {
    let items: Vec<String> = items.map(json_string).collect();
    format!("[{}]", items.join(","))
}

/// The reason why a subscription is replaced.
enum SubscriptionEnd {
    Ended(ServerAnswer),
    Wanted,
}

async fn keep_subscription(
    ctx: &Arc<ServerContext>,
    live: &LiveLink,
    wishes: &WatchedResources,
    listening: &AtomicBool,
) -> Infallible {
    let mut wanted = wishes.uris();
    let mut backoff = Backoff::default();
    let mut missed = false;
    loop {
        listening.store(false, Ordering::Release);
        let want = wanted.borrow_and_update().clone();
        let filter = WatchFilter::of(live, want.clone());
        if filter.is_empty() {
            wishes.decide(WatchedUris::default(), want);
            if wanted.changed().await.is_err() {
                return std::future::pending().await;
            }
            continue;
        }
        let began = Instant::now();
        let ended = hold(ctx, live, filter, wishes, &mut wanted, listening, missed).await;
        backoff.lasted(began.elapsed());
        missed = true;
        listening.store(false, Ordering::Release);
        match ended {
            Err(ServerError::Rpc(error)) => {
                tracing::debug!(server = %ctx.name(), %error, "the server takes no subscriptions");
                drop(tokio::time::timeout(REFUSED_PAUSE, refuse_what_comes(wishes, &mut wanted)).await);
            }
            Err(ServerError::Fault(_)) => ctx.signals.suspect(),
            Ok(_) => {}
        }
        tokio::time::sleep(backoff.next()).await;
    }
}

/// After a refusal. Returns when a wish has been withdrawn, because that may have been the one too many.
async fn refuse_what_comes(wishes: &WatchedResources, wanted: &mut watch::Receiver<WatchedUris>) {
    let mut refused = wanted.borrow_and_update().clone();
    loop {
        wishes.decide(WatchedUris::default(), refused.clone());
        if wanted.changed().await.is_err() {
            return std::future::pending().await;
        }
        let want = wanted.borrow_and_update().clone();
        if !want.is_superset(&refused) {
            return;
        }
        refused = want;
    }
}

/// Holds a subscription until it ends by itself. When the wish changes, the new one is opened and
/// acknowledged before the old one is closed, so that nothing is lost between them; a refused one changes
/// nothing.
async fn hold(
    ctx: &Arc<ServerContext>,
    live: &LiveLink,
    mut filter: WatchFilter,
    wishes: &WatchedResources,
    wanted: &mut watch::Receiver<WatchedUris>,
    listening: &AtomicBool,
    missed: bool,
) -> ServerAnswer {
    let mut want = wanted.borrow().clone();
    let (mut current, acknowledged) = subscribe(ctx, live, &filter);
    let mut taken = tokio::select! {
        ended = &mut current => return ended,
        taken = acknowledged.of(&filter.uris) => taken,
    };
    listening.store(filter.hears_lists(), Ordering::Release);
    if missed {
        ctx.signals.look();
    }
    loop {
        wishes.decide(taken.clone(), Arc::new(want.difference(&taken).cloned().collect()));
        let turn = tokio::select! {
            ended = &mut current => SubscriptionEnd::Ended(ended),
            changed = wanted.changed() => match changed {
                Ok(()) => SubscriptionEnd::Wanted,
                Err(_) => return current.await,
            },
        };
        if let SubscriptionEnd::Ended(ended) = turn {
            return ended;
        }
        want = wanted.borrow_and_update().clone();
        let next_filter = WatchFilter::of(live, want.clone());
        if next_filter == filter {
            continue;
        }
        if next_filter.is_empty() {
            return Ok(RawJson::EMPTY);
        }
        let (mut next, acknowledged) = subscribe(ctx, live, &next_filter);
        taken = tokio::select! {
            ended = &mut next => match ended {
                Err(ServerError::Rpc(error)) => {
                    tracing::debug!(server = %ctx.name(), %error, "the server refused to hear more");
                    continue;
                }
                ended => return ended,
            },
            taken = acknowledged.of(&next_filter.uris) => taken,
        };
        // Assigning drops the old subscription, which closes it.
        current = next;
        filter = next_filter;
    }
}

/// Waits for the acknowledgement of a subscription.
struct Acknowledgement(oneshot::Receiver<RawJson>);

impl Acknowledgement {
    /// The part of `asked` that the server accepted. Without an acknowledgement everything is assumed.
    async fn of(self, asked: &WatchedUris) -> WatchedUris {
        match tokio::time::timeout(ACKNOWLEDGE_PATIENCE, self.0).await {
            Ok(Ok(params)) => taken_of(&params, asked),
            // The other end is gone; the subscription says why.
            Ok(Err(_)) => std::future::pending().await,
            Err(_) => asked.clone(),
        }
    }
}

/// A server that does not list what it accepted has accepted everything, and so has one that lists as many
/// resources as it was asked for: some write addresses differently.
fn taken_of(params: &RawJson, asked: &WatchedUris) -> WatchedUris {
    let filter = ObjectMembers::of_str(params.as_str()).ok().and_then(|members| members.get("notifications"));
    let said = filter.and_then(|filter| ObjectMembers::parse(filter).ok()).map(|filter| {
        let uris = filter.get("resourceSubscriptions");
        uris.and_then(|uris| serde_json::from_str::<BTreeSet<String>>(uris.get()).ok()).unwrap_or_default()
    });
    match said {
        Some(taken) if taken.len() < asked.len() => Arc::new(&taken & &**asked),
        _ => asked.clone(),
    }
}

type SubscriptionFuture<'a> = Pin<Box<dyn Future<Output = ServerAnswer> + Send + 'a>>;

fn subscribe<'a>(
    ctx: &Arc<ServerContext>,
    live: &'a LiveLink,
    filter: &WatchFilter,
) -> (SubscriptionFuture<'a>, Acknowledgement) {
    let (sender, acknowledged) = oneshot::channel();
    let (ctx, sender) = (ctx.clone(), Mutex::new(Some(sender)));
    let request = filter.request();
    let listener: NotificationListener = Arc::new(move |method, params| match method {
        "notifications/subscriptions/acknowledged" => {
            if let Some(sender) = sender.lock().take() {
                // An acknowledgement that took too long has no waiter.
                drop(sender.send(params));
            }
        }
        method => on_subscribed(&ctx, method, params),
    });
    let hearing = Box::pin(async move { live.subscribe(&request, listener).await });
    (hearing, Acknowledgement(acknowledged))
}

/// Hears of tasks until the subscription ends.
pub(crate) async fn hear_tasks(
    live: &LiveLink,
    task_ids: &[String],
    on_change: NotificationListener,
) -> ServerAnswer {
    let mut filter = "{".to_owned();
    push_member(&mut filter, "taskIds", &string_list(task_ids.iter().map(String::as_str)));
    filter.push('}');
    live.subscribe(&listen(&filter), on_change).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_resource_is_wanted_until_the_last_has_lost_interest() {
        let wanted = WatchedResources::default();
        assert!(wanted.add("a") && wanted.add("a"));
        wanted.remove("a");
        assert_eq!(wanted.uris().borrow().len(), 1);
        wanted.remove("a");
        wanted.remove("a");
        assert!(wanted.uris().borrow().is_empty());
    }

    #[test]
    fn what_is_too_much_is_refused_and_takes_nothing_from_others() {
        let wanted = WatchedResources::default();
        assert!((0..WATCHED_MAX).all(|at| wanted.add(&at.to_string())));
        assert!(!wanted.add("more") && wanted.uris().borrow().len() == WATCHED_MAX);
        wanted.remove("0");
        assert!(wanted.add("more"), "there is room now");
        wanted.remove("more");
        assert!(wanted.uris().borrow().contains("more"), "the second still wants it");
        wanted.remove("more");
        assert!(!wanted.uris().borrow().contains("more"));
    }

    #[test]
    fn an_acknowledgement_says_what_was_taken() {
        let asked: WatchedUris = Arc::new(["a", "b"].map(String::from).into());
        let check = |params: &str, expected: &[&str]| {
            let taken = taken_of(&RawJson::from_composed(params.to_owned()), &asked);
            assert_eq!(taken.iter().collect::<Vec<_>>(), expected, "{params}");
        };
        check("{}", &["a", "b"]);
        check(r#"{"notifications":{"toolsListChanged":true}}"#, &[]);
        check(r#"{"notifications":{"resourceSubscriptions":["b"]}}"#, &["b"]);
        check(r#"{"notifications":{"resourceSubscriptions":["a/","b/"]}}"#, &["a", "b"]);
    }

    #[test]
    fn a_subscription_names_only_what_is_wanted() {
        let uris = Arc::new(BTreeSet::from(["a\"b".to_owned()]));
        let filter = WatchFilter { tools: true, uris, ..WatchFilter::default() };
        assert_eq!(
            filter.request().params,
            r#""notifications":{"toolsListChanged":true,"resourceSubscriptions":["a\"b"]}"#
        );
    }
}
