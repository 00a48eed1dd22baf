//! Hearing of changes: the newer era's subscriptions and the older era's `resources/subscribe`.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, watch};
use tokio::time::Instant;
use toolgate_core::port::{ServerError, ServerRequest};
use toolgate_core::server::Era;
use toolgate_wire::object::{push_member, push_string};

use crate::backoff::Backoff;
use crate::context::Context;
use crate::deadline::Deadline;
use crate::link::{Link, Live};
use crate::pending::{Answer, Listener};
use crate::routing::on_subscribed;

/// Resources of one server that may be watched.
const WATCHED_MAX: usize = 10_000;
/// How long a server may take to acknowledge a subscription before it is taken for granted.
const ACKNOWLEDGE_PATIENCE: Duration = Duration::from_secs(3);
/// How long to leave a server alone that refused a subscription.
const REFUSED_PAUSE: Duration = Duration::from_secs(60);

type Uris = Arc<BTreeSet<String>>;

/// The resources that somebody wants to hear of, counted.
#[derive(Default)]
pub(crate) struct Wanted {
    counts: Mutex<BTreeMap<String, usize>>,
    uris: watch::Sender<Uris>,
    /// What the server has confirmed, or will never confirm.
    heard: watch::Sender<Uris>,
}

impl Wanted {
    pub(crate) fn add(&self, uri: &str) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = counts.get_mut(uri) {
            *count += 1;
        } else if counts.len() < WATCHED_MAX {
            counts.insert(uri.to_owned(), 1);
            self.publish(&counts);
        }
    }

    pub(crate) fn remove(&self, uri: &str) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(count) = counts.get_mut(uri) else { return };
        *count -= 1;
        if *count == 0 {
            counts.remove(uri);
            self.publish(&counts);
        }
    }

    fn publish(&self, counts: &BTreeMap<String, usize>) {
        self.uris.send_replace(Arc::new(counts.keys().cloned().collect()));
    }

    /// Waits until the server watches this resource, so that no change after that is missed; not for ever.
    pub(crate) async fn confirmed(&self, uri: &str) {
        let mut heard = self.heard.subscribe();
        drop(tokio::time::timeout(ACKNOWLEDGE_PATIENCE, heard.wait_for(|heard| heard.contains(uri))).await);
    }

    fn confirm(&self, uris: &Uris) {
        self.heard.send_replace(uris.clone());
    }

    pub(crate) fn uris(&self) -> watch::Receiver<Uris> {
        self.uris.subscribe()
    }
}

/// Keeps what is heard in step with what is wanted, for as long as the connection lives. `listening` says whether
/// changes of lists are heard of; where they are not, lists have to be read again now and then.
pub(crate) async fn keep(
    ctx: &Arc<Context>,
    live: &Live,
    wanted: &Wanted,
    listening: &AtomicBool,
) -> Infallible {
    match live.era() {
        _ if !live.opening.declares(&["resources", "subscribe"]) && live.era() == Era::Legacy => {
            never_confirmed(wanted).await
        }
        Era::Modern => keep_subscription(ctx, live, wanted, listening).await,
        Era::Legacy => keep_resources(ctx, live, wanted).await,
    }
}

/// A server that takes no subscriptions is not waited for.
async fn never_confirmed(wanted: &Wanted) -> Infallible {
    let mut uris = wanted.uris();
    loop {
        let want = uris.borrow_and_update().clone();
        wanted.confirm(&want);
        if uris.changed().await.is_err() {
            return std::future::pending().await;
        }
    }
}

async fn keep_resources(ctx: &Arc<Context>, live: &Live, wishes: &Wanted) -> Infallible {
    let mut wanted = wishes.uris();
    let mut generation = match &live.link {
        Link::Sessions(sessions) => Some(sessions.generation()),
        _ => None,
    };
    let mut subscribed = Uris::default();
    loop {
        let want = wanted.borrow_and_update().clone();
        for uri in want.difference(&subscribed) {
            tell(ctx, live, "resources/subscribe", uri).await;
        }
        for uri in subscribed.difference(&want) {
            tell(ctx, live, "resources/unsubscribe", uri).await;
        }
        subscribed = want;
        wishes.confirm(&subscribed);
        tokio::select! {
            changed = wanted.changed() => {
                if changed.is_err() {
                    return std::future::pending().await;
                }
            }
            () = renewed(&mut generation) => subscribed = Uris::default(),
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

async fn tell(ctx: &Arc<Context>, live: &Live, method: &'static str, uri: &str) {
    let mut params = String::new();
    push_member(&mut params, "uri", &json_string(uri));
    let deadline = Deadline::after(ctx.spec.connect_timeout);
    if let Err(error) = live.request(&ServerRequest::new(method, params), None, &deadline).await {
        tracing::warn!(server = %ctx.name(), method, uri, %error, "a resource cannot be watched");
    }
}

/// What one subscription asks for.
#[derive(Default, PartialEq, Eq)]
struct Filter {
    tools: bool,
    prompts: bool,
    resources: bool,
    uris: Uris,
}

impl Filter {
    fn of(live: &Live, uris: Uris) -> Self {
        let changes = |kind| live.opening.declares(&[kind, "listChanged"]);
        let uris = if live.opening.declares(&["resources", "subscribe"]) { uris } else { Uris::default() };
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

/// Why a subscription is replaced.
enum Turn {
    Ended(Answer),
    Wanted,
}

async fn keep_subscription(
    ctx: &Arc<Context>,
    live: &Live,
    wishes: &Wanted,
    listening: &AtomicBool,
) -> Infallible {
    let mut wanted = wishes.uris();
    let mut backoff = Backoff::default();
    let mut missed = false;
    loop {
        listening.store(false, Ordering::Release);
        let filter = Filter::of(live, wanted.borrow_and_update().clone());
        if !live.opening.declares(&["resources", "subscribe"]) {
            let want = wanted.borrow().clone();
            wishes.confirm(&want);
        }
        if filter.is_empty() {
            if wanted.changed().await.is_err() {
                return std::future::pending().await;
            }
            continue;
        }
        let began = Instant::now();
        let ended = hold(ctx, live, filter, wishes, &mut wanted, listening, missed).await;
        backoff.lasted(began.elapsed());
        missed = true;
        let pause = match ended {
            Err(ServerError::Rpc(error)) => {
                tracing::debug!(server = %ctx.name(), %error, "the server takes no subscriptions");
                REFUSED_PAUSE
            }
            Err(ServerError::Fault(_)) => {
                ctx.signals.suspect();
                backoff.next()
            }
            Ok(_) => backoff.next(),
        };
        listening.store(false, Ordering::Release);
        tokio::time::sleep(pause).await;
    }
}

/// Holds a subscription until it ends by itself. When the wish changes, the new one is opened and acknowledged
/// before the old one is closed, so that nothing falls between them.
async fn hold(
    ctx: &Arc<Context>,
    live: &Live,
    filter: Filter,
    wishes: &Wanted,
    wanted: &mut watch::Receiver<Uris>,
    listening: &AtomicBool,
    missed: bool,
) -> Answer {
    let acknowledged = Arc::new(Notify::new());
    let mut filter = filter;
    let mut current = Box::pin(subscribe(ctx, live, &filter, &acknowledged));
    tokio::select! {
        ended = &mut current => return ended,
        () = patiently(&acknowledged) => {}
    }
    listening.store(filter.hears_lists(), Ordering::Release);
    wishes.confirm(&filter.uris);
    if missed {
        ctx.signals.look();
    }
    loop {
        let turn = tokio::select! {
            ended = &mut current => Turn::Ended(ended),
            changed = wanted.changed() => match changed {
                Ok(()) => Turn::Wanted,
                Err(_) => return current.await,
            },
        };
        if let Turn::Ended(ended) = turn {
            return ended;
        }
        let want = wanted.borrow_and_update().clone();
        let next_filter = Filter::of(live, want.clone());
        if next_filter == filter {
            // A wish that the server cannot grant is not waited for.
            wishes.confirm(&want);
            continue;
        }
        if next_filter.is_empty() {
            return Ok(toolgate_core::RawJson::EMPTY);
        }
        let acknowledged = Arc::new(Notify::new());
        let mut next = Box::pin(subscribe(ctx, live, &next_filter, &acknowledged));
        tokio::select! {
            ended = &mut next => return ended,
            () = patiently(&acknowledged) => {}
        }
        // Assigning drops the old subscription, which closes it.
        current = next;
        filter = next_filter;
        wishes.confirm(&filter.uris);
    }
}

async fn patiently(acknowledged: &Notify) {
    drop(tokio::time::timeout(ACKNOWLEDGE_PATIENCE, acknowledged.notified()).await);
}

fn subscribe<'a>(
    ctx: &Arc<Context>,
    live: &'a Live,
    filter: &Filter,
    acknowledged: &Arc<Notify>,
) -> impl Future<Output = Answer> + Send + use<'a> {
    let (ctx, acknowledged) = (ctx.clone(), acknowledged.clone());
    let request = filter.request();
    let listener: Listener = Arc::new(move |method, params| match method {
        "notifications/subscriptions/acknowledged" => acknowledged.notify_one(),
        method => on_subscribed(&ctx, method, params),
    });
    async move { live.subscribe(&request, listener).await }
}

/// Hears of tasks until the subscription ends.
pub(crate) async fn hear_tasks(live: &Live, task_ids: &[String], on_change: Listener) -> Answer {
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
        let wanted = Wanted::default();
        wanted.add("a");
        wanted.add("a");
        wanted.remove("a");
        assert_eq!(wanted.uris().borrow().len(), 1);
        wanted.remove("a");
        wanted.remove("a");
        assert!(wanted.uris().borrow().is_empty());
    }

    #[test]
    fn a_subscription_names_only_what_is_wanted() {
        let uris = Arc::new(BTreeSet::from(["a\"b".to_owned()]));
        let filter = Filter { tools: true, uris, ..Filter::default() };
        assert_eq!(
            filter.request().params,
            r#""notifications":{"toolsListChanged":true,"resourceSubscriptions":["a\"b"]}"#
        );
    }
}
