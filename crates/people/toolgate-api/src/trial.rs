//! A trial of filters on past calls. The ledger is read; nothing is changed, and matches are not revealed.

use std::collections::HashMap;

use serde::Serialize;
use toolgate_core::event::{EventFilter, EventKind, Position, RecordedEvent};
use toolgate_core::{Digest, RawJson};
use toolgate_pipeline::filter::{BadFilter, FilterAction, FilterRule, FilterSide, Filters};
use toolgate_pipeline::redact::MARKER;
use toolgate_store::{LedgerOrder, Store, StoreError};
use utoipa::ToSchema;

use crate::blocking::run_blocking;

/// The number of example calls for each filter.
const EXAMPLES_MAX: usize = 5;
/// Calls that are read before they are looked through.
const CALLS_AT_ONCE: usize = 50;
/// Bytes of texts that are remembered while the calls are gone through; many calls say the same.
const REMEMBERED_BYTES_MAX: usize = 32 << 20;

/// The effect of filters on the last calls
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FiltersTried)]
pub struct FilterTrialResult {
    /// The number of calls that were looked through.
    pub calls: u64,
    /// Arguments and results that are kept of them.
    pub bodies: u64,
    /// In the order of the configuration.
    pub filters: Vec<TriedFilter>,
}

/// The effect of one filter
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FilterTried)]
pub struct TriedFilter {
    pub name: String,
    /// mask, block or ask.
    #[schema(value_type = String, example = "mask")]
    pub action: FilterAction,
    /// Calls that it would have concerned.
    pub calls: u64,
    /// Those in whose arguments it found something.
    pub arguments: u64,
    /// Those in whose results it found something.
    pub results: u64,
    /// Calls in which it found nothing, and in which something is redacted that it may look for.
    pub cannot_tell: u64,
    pub examples: Vec<TriedExample>,
}

/// A call that a filter would have concerned
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FilterExample)]
pub struct TriedExample {
    #[schema(example = "tc_019a6f…")]
    pub call: String,
    #[schema(example = "mail:send")]
    pub tool: String,
    /// arguments or results.
    #[schema(value_type = String, example = "arguments")]
    pub on: FilterSide,
    /// The kind of what was found, or `match`.
    #[schema(value_type = String, example = "email")]
    pub kind: &'static str,
    pub count: usize,
    /// JSON pointers to the first few.
    pub paths: Vec<String>,
}

/// Filters that are tried.
pub struct FilterTrial {
    /// Each by itself: if several match, each is reported.
    filters: Vec<Filters>,
    tried: FilterTrialResult,
}

/// A past call, and the stored data about it.
struct PastCall {
    end: RecordedEvent,
    kept: [(FilterSide, Option<RawJson>); 2],
}

impl FilterTrial {
    pub fn new(rules: &[FilterRule]) -> Result<Self, BadFilter> {
        let filters = rules.iter().map(|rule| Filters::new(std::slice::from_ref(rule)));
        let told = rules.iter().map(TriedFilter::new).collect();
        Ok(Self {
            filters: filters.collect::<Result<_, _>>()?,
            tried: FilterTrialResult { calls: 0, bodies: 0, filters: told },
        })
    }

    /// Goes through the last calls, the newest first.
    pub async fn run(mut self, store: &Store, last: usize) -> Result<FilterTrialResult, StoreError> {
        let ends = EventFilter { kind: Some(EventKind::CallCompleted), ..EventFilter::default() };
        let (mut after, mut left): (Option<Position>, usize) = (None, last);
        let mut bodies = BodyCache { store, known: HashMap::new(), bytes: 0 };
        while left > 0 {
            let page = store
                .ledger_page(&ends, after.as_ref(), left.min(CALLS_AT_ONCE), LedgerOrder::NewestFirst)
                .await?;
            let Some(oldest) = page.last() else { break };
            after = Some(oldest.position.clone());
            left = left.saturating_sub(page.len());
            let mut calls = Vec::with_capacity(page.len());
            for end in page {
                let kept = [
                    (FilterSide::Arguments, bodies.find(end.event.input).await?),
                    (FilterSide::Results, bodies.find(end.event.output).await?),
                ];
                calls.push(PastCall { end, kept });
            }
            self = run_blocking(move || self.looked_through(&calls)).await;
        }
        Ok(self.tried)
    }

    fn looked_through(mut self, calls: &[PastCall]) -> Self {
        for past in calls {
            self.tried.calls += 1;
            self.tried.bodies += past.kept.iter().filter(|(_, body)| body.is_some()).count() as u64;
            for (filters, told) in self.filters.iter().zip(&mut self.tried.filters) {
                told.look(filters, past);
            }
        }
        self
    }
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

    fn look(&mut self, filters: &Filters, PastCall { end, kept }: &PastCall) {
        let tool = end.event.about.tool.as_ref().map(|tool| tool.as_str()).unwrap_or_default();
        let call = end.event.about.call.as_ref().map(|call| call.as_str()).unwrap_or_default();
        let (mut found, mut hidden) = (false, false);
        for (side, body) in kept {
            let (Some(watch), Some(body)) = (filters.on(*side, tool), body) else { continue };
            let sifted = watch.sift(body.as_str());
            hidden |= watch.seeks_redacted(&self.name) && body.as_str().contains(MARKER);
            let Some(first) = sifted.fired.first() else { continue };
            found = true;
            match side {
                FilterSide::Arguments => self.arguments += 1,
                FilterSide::Results => self.results += 1,
            }
            if self.examples.len() < EXAMPLES_MAX {
                self.examples.push(TriedExample {
                    call: call.to_owned(),
                    tool: tool.to_owned(),
                    on: *side,
                    kind: first.kind,
                    count: first.count,
                    paths: first.paths.clone(),
                });
            }
        }
        self.calls += u64::from(found);
        self.cannot_tell += u64::from(hidden && !found);
    }
}

/// Bodies that the ledger keeps, most of them read once.
struct BodyCache<'a> {
    store: &'a Store,
    known: HashMap<Digest, Option<RawJson>>,
    bytes: usize,
}

impl BodyCache<'_> {
    async fn find(&mut self, digest: Option<Digest>) -> Result<Option<RawJson>, StoreError> {
        let Some(digest) = digest else { return Ok(None) };
        if let Some(known) = self.known.get(&digest) {
            return Ok(known.clone());
        }
        let body = match self.store.ledger_body(&digest).await {
            // It is not what the call had.
            Err(StoreError::BodyChanged { .. }) => None,
            read => read?,
        };
        // An entry takes some bytes itself.
        let bytes = size_of::<Digest>() + body.as_ref().map_or(0, |body| body.as_bytes().len());
        if self.bytes + bytes <= REMEMBERED_BYTES_MAX {
            self.bytes += bytes;
            self.known.insert(digest, body.clone());
        }
        Ok(body)
    }
}
