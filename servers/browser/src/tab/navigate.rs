//! Going to another page.

use std::time::Duration;

use capability_kit::{Trouble, TroubleCode};
use serde_json::{Value, json};
use tokio::time::{Instant, timeout_at};
use url::Url;

use super::{BLANK, Navigated, Tab, trouble_of};
use crate::cdp::CdpError;
use crate::hosts::parse_host;
use crate::journal::FailureKind;

/// After the content of a document: time for its first scripts.
const QUIET: Duration = Duration::from_millis(40);
const QUIET_MAX: Duration = Duration::from_millis(600);
/// A page that is another step in the history begins to load within this time.
const BEGIN_LIMIT: Duration = Duration::from_millis(1500);

impl Tab {
    /// Waits for the document, not for all that it loads. Refuses schemes and hosts that may not be seen.
    pub async fn navigate(&self, url: &Url) -> Result<Navigated, Trouble> {
        self.check(url)?;
        self.prepared().await?;
        let deadline = Instant::now() + self.shared.limits.page_time;
        let before = self.shared.journal.failed();
        let old = self.document();
        self.state.lock().is_stopped = false;
        let answer = self.try_call(
            &self.session,
            "Page.navigate",
            json!({ "url": url.as_str() }),
            self.shared.limits.page_time,
        );
        let answer = match answer.await? {
            Ok(answer) => answer,
            Err(CdpError::TimedOut) => return Err(self.give_up(url.as_str())),
            Err(error) => return Err(trouble_of(&error, "navigating")),
        };
        match answer["errorText"].as_str() {
            // A download, an answer without content, or another navigation: the page that is there stays.
            Some("net::ERR_ABORTED") => Ok(self.arrived(None, true)),
            Some(error) => Err(self.explain(before, url.as_str(), error)),
            // Without a document of its own it is a place in the one that is there.
            None => self.finish(answer["loaderId"].as_str().map(|_| old.0.as_str()), before, deadline).await,
        }
    }

    /// Back for -1, forward for 1; 0 loads the page again.
    pub async fn history(&self, delta: i32) -> Result<Navigated, Trouble> {
        self.prepared().await?;
        let deadline = Instant::now() + self.shared.limits.page_time;
        let before = self.shared.journal.failed();
        let old = self.document();
        if delta == 0 {
            self.call("Page.reload", json!({})).await?;
        } else {
            let entry = self.entry(delta).await?;
            self.call("Page.navigateToHistoryEntry", json!({ "entryId": entry })).await?;
        }
        let moved = self.until(Instant::now() + BEGIN_LIMIT, || self.document() != old).await;
        if !moved && !self.until(deadline, || !self.state.lock().is_leaving).await {
            return Err(self.give_up(&self.url().await));
        }
        self.finish(None, before, deadline).await
    }

    async fn entry(&self, delta: i32) -> Result<Value, Trouble> {
        let history = self.call("Page.getNavigationHistory", json!({})).await?;
        let current = history["currentIndex"].as_i64().unwrap_or_default();
        let wanted = usize::try_from(current + i64::from(delta)).ok();
        let entry = wanted.and_then(|at| history["entries"].get(at));
        let side = if delta < 0 { "before" } else { "after" };
        entry.map(|entry| entry["id"].clone()).ok_or_else(|| {
            Trouble::bad_arguments(format!("there is no page {side} this one in the tab's history"))
                .hint("navigate to an address instead")
        })
    }

    /// Which document is there, and where in it.
    fn document(&self) -> (String, String) {
        let state = self.state.lock();
        let main = state.frames.main();
        main.map(|(_, node)| (node.loader.clone(), node.url.clone())).unwrap_or_default()
    }

    /// Waits for the content of a document other than `old`.
    async fn finish(&self, old: Option<&str>, before: u64, deadline: Instant) -> Result<Navigated, Trouble> {
        let is_there = || {
            let state = self.state.lock();
            let main = state.frames.main().map(|(_, node)| node.loader.as_str());
            (old.is_none() || main != old) && state.has_content()
        };
        let loaded = self.until(deadline, is_there).await;
        if self.is_ended() {
            return Err(self.gone());
        }
        if !loaded && old.is_some_and(|old| self.document().0 == old) {
            return Err(self.give_up("the page"));
        }
        if loaded {
            self.settle(QUIET, QUIET_MAX).await;
        }
        let status = self.status();
        self.refusal(before, status)?;
        Ok(self.arrived(status, loaded))
    }

    fn status(&self) -> Option<u16> {
        let state = self.state.lock();
        let (_, main) = state.frames.main()?;
        state.status.as_ref().filter(|(loader, _)| *loader == main.loader).map(|(_, status)| *status)
    }

    fn arrived(&self, status: Option<u16>, loaded: bool) -> Navigated {
        Navigated { url: self.state.lock().main_url(), status, loaded }
    }

    /// True if it came about before the deadline. Events wake it, and nothing else.
    pub(super) async fn until(&self, deadline: Instant, condition: impl Fn() -> bool) -> bool {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            // From here on no event is missed.
            changed.as_mut().enable();
            if condition() {
                return true;
            }
            if self.is_ended() || self.shared.cdp.is_gone() || timeout_at(deadline, changed).await.is_err() {
                return condition();
            }
        }
    }

    fn check(&self, url: &Url) -> Result<(), Trouble> {
        if url.as_str() == BLANK {
            return Ok(());
        }
        if !matches!(url.scheme(), "http" | "https") {
            let message = format!("addresses with {}: are not visited", url.scheme());
            return Err(
                Trouble::bad_arguments(message).hint("give an address that begins with https:// or http://")
            );
        }
        let host = url.host_str().and_then(parse_host);
        let host = host.ok_or_else(|| Trouble::bad_arguments(format!("{url} has no host")))?;
        let port = url.port_or_known_default().unwrap_or_default();
        let address = match &host {
            url::Host::Ipv4(address) => Some((*address).into()),
            url::Host::Ipv6(address) => Some((*address).into()),
            url::Host::Domain(_) => None,
        };
        let checked = self.shared.hosts.check_name(&host, port);
        let checked =
            checked.and_then(|()| address.map_or(Ok(()), |one| self.shared.hosts.check_address(one)));
        checked.map_err(|why| {
            self.shared.journal.blocked(url.as_str(), &why);
            not_visited(url.as_str(), &why)
        })
    }

    fn give_up(&self, url: &str) -> Trouble {
        self.shared.cdp.post(&self.session, "Page.stopLoading", json!({}));
        let seconds = self.shared.limits.page_time.as_secs_f64();
        Trouble::new(TroubleCode::TimedOut, format!("{url} did not answer within {seconds} s"))
            .hint("try again later, or another address; the tab still has the page from before")
    }

    /// Our proxy's page instead of the wanted one is a refusal, not an arrival.
    fn refusal(&self, before: u64, status: Option<u16>) -> Result<(), Trouble> {
        if !matches!(status, Some(403 | 502)) {
            return Ok(());
        }
        let url = self.state.lock().main_url();
        let failures = self.shared.journal.failures_after(before);
        match failures.into_iter().find(|failure| without_fragment(&failure.url) == without_fragment(&url)) {
            Some(failure) if failure.kind == FailureKind::Refused => Err(not_visited(&url, &failure.why)),
            Some(failure) => Err(unreachable(&url, &failure.why)),
            None => Ok(()),
        }
    }

    /// Chromium knows only that the proxy did not connect; the proxy knows why.
    fn explain(&self, before: u64, url: &str, error: &str) -> Trouble {
        match self.shared.journal.failures_after(before).into_iter().next() {
            Some(failure) if failure.kind == FailureKind::Refused => not_visited(&failure.url, &failure.why),
            Some(failure) => unreachable(&failure.url, &failure.why),
            None => unreachable(url, error),
        }
    }
}

fn not_visited(url: &str, why: &str) -> Trouble {
    Trouble::bad_arguments(format!("{url} is not visited: {why}"))
        .hint("visit another site; the operator decides which hosts this browser may see")
}

fn unreachable(url: &str, why: &str) -> Trouble {
    Trouble::unavailable(format!("{url} could not be loaded: {why}"))
        .hint("check the address, or try again later")
}

fn without_fragment(url: &str) -> &str {
    url.split_once('#').map_or(url, |(before, _)| before)
}
