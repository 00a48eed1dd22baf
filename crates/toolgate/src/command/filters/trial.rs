//! Filters over calls that have been.

use std::collections::HashMap;

use serde::Serialize;
use toolgate_core::event::{EventKind, Filter as Wanted, Recorded};
use toolgate_core::{Digest, RawJson};
use toolgate_pipeline::filter::{Action, FilterRule, Filters, Side};
use toolgate_pipeline::redact::MARKER;
use toolgate_store::{LEDGER_PAGE_MAX, Order, Store};

/// How many calls are named for each filter.
const EXAMPLES_MAX: usize = 5;
/// Texts that are remembered while the calls are gone through; many calls say the same.
const REMEMBERED_MAX: usize = 10_000;

/// What filters would have done.
#[derive(Debug, Serialize)]
pub(super) struct Tried {
    pub(super) calls: u64,
    /// Arguments and results that are kept of them.
    pub(super) bodies: u64,
    pub(super) filters: Vec<TriedFilter>,
}

#[derive(Debug, Serialize)]
pub(super) struct TriedFilter {
    pub(super) name: String,
    pub(super) action: Action,
    /// Calls that it would have concerned.
    pub(super) calls: u64,
    pub(super) arguments: u64,
    pub(super) results: u64,
    /// Calls in which it found nothing, and in which something is redacted that it may look for.
    pub(super) cannot_tell: u64,
    pub(super) examples: Vec<Example>,
}

#[derive(Debug, Serialize)]
pub(super) struct Example {
    pub(super) call: String,
    pub(super) tool: String,
    pub(super) on: Side,
    pub(super) kind: &'static str,
    pub(super) count: usize,
    pub(super) paths: Vec<String>,
}

impl TriedFilter {
    fn new(rule: &FilterRule) -> Self {
        Self {
            name: rule.name.clone(),
            action: rule.action,
            calls: 0,
            arguments: 0,
            results: 0,
            cannot_tell: 0,
            examples: Vec::new(),
        }
    }
}

/// Goes through the last calls, the newest first.
pub(super) async fn try_filters(store: &Store, rules: &[FilterRule], last: usize) -> anyhow::Result<Tried> {
    // Each by itself: where several find the same, each is told.
    let filters: Vec<Filters> =
        rules.iter().map(|rule| Filters::new(std::slice::from_ref(rule))).collect::<Result<_, _>>()?;
    let mut tried = Tried { calls: 0, bodies: 0, filters: rules.iter().map(TriedFilter::new).collect() };
    let ends = Wanted { kind: Some(EventKind::CallCompleted), ..Wanted::default() };
    let (mut after, mut left) = (None, last);
    let mut bodies = Bodies { store, known: HashMap::new() };
    while left > 0 {
        let page = store.ledger_page(&ends, after, left.min(LEDGER_PAGE_MAX), Order::NewestFirst).await?;
        let Some(oldest) = page.last() else { break };
        after = Some(oldest.seq);
        left = left.saturating_sub(page.len());
        for end in &page {
            let kept = [
                (Side::Arguments, bodies.find(end.event.input).await?),
                (Side::Results, bodies.find(end.event.output).await?),
            ];
            tried.calls += 1;
            tried.bodies += kept.iter().filter(|(_, body)| body.is_some()).count() as u64;
            for (filters, told) in filters.iter().zip(&mut tried.filters) {
                look(filters, told, end, &kept);
            }
        }
    }
    Ok(tried)
}

fn look(filters: &Filters, told: &mut TriedFilter, end: &Recorded, kept: &[(Side, Option<RawJson>)]) {
    let tool = end.event.about.tool.as_ref().map(|tool| tool.as_str()).unwrap_or_default();
    let call = end.event.about.call.as_ref().map(|call| call.as_str()).unwrap_or_default();
    let (mut found, mut hidden) = (false, false);
    for (side, body) in kept {
        let (Some(watch), Some(body)) = (filters.on(*side, tool), body) else { continue };
        let sifted = watch.sift(body.as_str());
        hidden |= watch.seeks_redacted(&told.name) && body.as_str().contains(MARKER);
        let Some(first) = sifted.fired.first() else { continue };
        found = true;
        match side {
            Side::Arguments => told.arguments += 1,
            Side::Results => told.results += 1,
        }
        if told.examples.len() < EXAMPLES_MAX {
            told.examples.push(Example {
                call: call.to_owned(),
                tool: tool.to_owned(),
                on: *side,
                kind: first.kind,
                count: first.count,
                paths: first.paths.clone(),
            });
        }
    }
    told.calls += u64::from(found);
    told.cannot_tell += u64::from(hidden && !found);
}

/// Bodies that the ledger keeps, each read once.
struct Bodies<'a> {
    store: &'a Store,
    known: HashMap<Digest, Option<RawJson>>,
}

impl Bodies<'_> {
    async fn find(&mut self, digest: Option<Digest>) -> anyhow::Result<Option<RawJson>> {
        let Some(digest) = digest else { return Ok(None) };
        if let Some(known) = self.known.get(&digest) {
            return Ok(known.clone());
        }
        let body = self.store.ledger_body(&digest).await?;
        if self.known.len() < REMEMBERED_MAX {
            self.known.insert(digest, body.clone());
        }
        Ok(body)
    }
}
