//! The measurements of a gateway with a large catalogue, one function for each question.
//!
//! Lives here: waiting for events, and times. Does not live here: targets and layout (`catalogue`).

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use http::{Method, StatusCode};
use memchr::memmem;

use super::site::{Crowd, Site, wire_name};
use crate::client::{BenchClient, BenchTarget, CallFault, Caller};
use crate::crowd::tools::{self, TOOLS_PER_SERVER};
use crate::wire::{BenchEra, ReplyFault, Work};

/// The time limit of any step before the run is given up.
const PATIENCE: Duration = Duration::from_secs(120);
/// The polling interval for events that take less than a second.
const LOOK_EVERY: Duration = Duration::from_millis(2);
/// The position of a tool that nothing has used before.
const SOME_SERVER_FROM_THE_END: usize = 77;

pub(super) fn ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

/// Waits until all tools of the crowd are listed.
pub(super) async fn all_listed(crowd: &Crowd, agent: &BenchTarget, begun: Instant) -> anyhow::Result<f64> {
    let wanted = crowd.servers * TOOLS_PER_SERVER;
    let mut client = BenchClient::open(agent, BenchEra::Modern).await?;
    loop {
        let listed = client.all_tools().await?.names.len();
        if listed == wanted {
            return Ok(ms(begun.elapsed()));
        }
        ensure!(begun.elapsed() < PATIENCE, "{listed} of {wanted} tools are listed after {PATIENCE:?}");
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

pub(super) struct Restart {
    pub(super) ready_ms: f64,
    pub(super) first_call_ms: f64,
    pub(super) all_listed_ms: f64,
    pub(super) all_callable_ms: f64,
}

/// The time from the start of the process until everything is as before.
pub(super) async fn restart(site: Site) -> anyhow::Result<(Site, Restart)> {
    let (site, begun) = site.restart().await?;
    let ready_ms = ms(begun.elapsed());
    let some = site.crowd.servers - SOME_SERVER_FROM_THE_END.min(site.crowd.servers);
    let (first_call, all_listed, all_callable) = tokio::join!(
        all_callable(&site.agent, [some], begun),
        all_listed(&site.crowd, &site.agent, begun),
        all_callable(&site.agent, 0..site.crowd.servers, begun),
    );
    let words = || site.gateway.last_words();
    let restart = Restart {
        ready_ms,
        first_call_ms: first_call.with_context(words)?,
        all_listed_ms: all_listed.with_context(words)?,
        all_callable_ms: all_callable.with_context(words)?,
    };
    Ok((site, restart))
}

/// Calls the last tool of each of these servers until all of them have answered.
pub(super) async fn all_callable(
    agent: &BenchTarget,
    servers: impl IntoIterator<Item = usize>,
    begun: Instant,
) -> anyhow::Result<f64> {
    let mut left: VecDeque<usize> = servers.into_iter().collect();
    let mut in_a_row = 0;
    while let Some(server) = left.pop_front() {
        let caller = BenchClient::open(agent, BenchEra::Modern).await?;
        let mut caller = caller.into_caller(Work::Echo, &wire_name(server, TOOLS_PER_SERVER - 1));
        let Err(fault) = caller.call(1).await else {
            in_a_row = 0;
            continue;
        };
        ensure!(begun.elapsed() < PATIENCE, "server {server} cannot be called after {PATIENCE:?}: {fault}");
        left.push_back(server);
        in_a_row += 1;
        if in_a_row >= left.len() {
            in_a_row = 0;
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }
    Ok(ms(begun.elapsed()))
}

/// Times of one request that was made many times, and the length of the reply.
pub(super) struct Repeated {
    pub(super) took_ms: Vec<f64>,
    pub(super) bytes: usize,
    /// The number of requests for the whole list.
    pub(super) requests: usize,
}

pub(super) async fn first_page(agent: &BenchTarget, times: usize) -> anyhow::Result<Repeated> {
    let mut client = BenchClient::open(agent, BenchEra::Modern).await?;
    let mut found = Repeated { took_ms: Vec::new(), bytes: 0, requests: 1 };
    for _ in 0..times {
        let (page, took) = client.ask("tools/list", "").await?;
        found.bytes = page.len();
        found.took_ms.push(ms(took));
    }
    Ok(found)
}

pub(super) async fn all_pages(agent: &BenchTarget, times: usize) -> anyhow::Result<Repeated> {
    let mut client = BenchClient::open(agent, BenchEra::Modern).await?;
    let mut found = Repeated { took_ms: Vec::new(), bytes: 0, requests: 0 };
    for _ in 0..times {
        let all = client.all_tools().await?;
        (found.bytes, found.requests) = (all.bytes, all.pages);
        found.took_ms.push(ms(all.took));
    }
    Ok(found)
}

pub(super) async fn rest(target: &BenchTarget, path: &str, times: usize) -> anyhow::Result<Repeated> {
    let mut client = BenchClient::connect(target, BenchEra::Modern).await?;
    let mut found = Repeated { took_ms: Vec::new(), bytes: 0, requests: 1 };
    for _ in 0..times {
        let begun = Instant::now();
        let (status, body) = client.rest(Method::GET, path, "").await?;
        found.took_ms.push(ms(begun.elapsed()));
        ensure!(status == StatusCode::OK, "GET {path} was answered {status}");
        found.bytes = body.len();
    }
    Ok(found)
}

pub(super) struct Change {
    pub(super) listed_ms: f64,
    pub(super) heard_ms: f64,
}

/// The time from a server's change of its list until agents see it, and until a listener is notified.
pub(super) async fn change(site: &Site, server: usize) -> anyhow::Result<Change> {
    let mut ear = BenchClient::open(&site.agent, BenchEra::Modern).await?.subscribe().await?;
    let mut client = BenchClient::open(&site.agent, BenchEra::Modern).await?;
    let begun = Instant::now();
    site.crowd.change(server).await?;
    let heard = async {
        ear.hear("notifications/tools/list_changed").await?;
        anyhow::Ok(ms(begun.elapsed()))
    };
    let text = tools::revision(server, 1);
    let (listed_ms, heard_ms) = tokio::try_join!(listed(&mut client, &text, begun), heard)?;
    Ok(Change { listed_ms, heard_ms })
}

/// The servers with changes are among the first, so the first page has them.
async fn listed(client: &mut BenchClient, text: &str, begun: Instant) -> anyhow::Result<f64> {
    loop {
        let (page, _) = client.ask("tools/list", "").await?;
        if memmem::find(&page, text.as_bytes()).is_some() {
            return Ok(ms(begun.elapsed()));
        }
        ensure!(begun.elapsed() < PATIENCE, "{text:?} is not listed after {PATIENCE:?}");
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// The time from a server's change of a tool until a call of it is refused because the change was not
/// reviewed.
pub(super) async fn quarantine(site: &Site, server: usize) -> anyhow::Result<f64> {
    let caller = BenchClient::open(&site.agent, BenchEra::Modern).await?;
    let mut caller = caller.into_caller(Work::Echo, &wire_name(server, 0));
    caller.call(1).await.context("call the tool before it changes")?;
    let begun = Instant::now();
    site.crowd.change(server).await?;
    refused(&mut caller, begun).await
}

async fn refused(caller: &mut Caller, begun: Instant) -> anyhow::Result<f64> {
    for id in 2.. {
        match caller.call(id).await {
            Ok(()) => {}
            Err(CallFault::Reply(ReplyFault::RpcError { .. } | ReplyFault::ToolError { .. })) => break,
            Err(fault) => bail!("the call was neither answered nor refused: {fault}"),
        }
        ensure!(begun.elapsed() < PATIENCE, "the changed tool can still be called after {PATIENCE:?}");
        tokio::time::sleep(LOOK_EVERY).await;
    }
    Ok(ms(begun.elapsed()))
}
