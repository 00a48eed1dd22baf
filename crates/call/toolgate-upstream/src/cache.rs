//! Results of tools that change nothing, cached for a short time for the same call.
//!
//! Written by hand instead of a crate: the three bounds (entries, total bytes, bytes of one), the expiry of
//! each entry by its own time and the removal of a server's entries are most of the work, and no cache crate
//! does all of them; a lock and two maps do. Only calls of tools marked as cacheable ever come here.
//!
//! The operator's rule is the bound: a result's `ttlMs` can shorten the time it is kept, never lengthen it. A
//! result with `cacheScope: private` is for its caller alone regardless of the rule; it is for all if it is
//! `public`, or if it says nothing and the rule is.

mod observed;

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use tokio::time::Instant;
use toolgate_core::port::{ServerReply, ServerRequest};
use toolgate_core::tool::{CacheRule, CacheScope};
use toolgate_core::{Digest, PrincipalId, RawJson, ServerName};
use toolgate_wire::ObjectMembers;

pub(crate) use observed::ObservedCaller;

const ENTRIES_MAX: usize = 10_000;
const BYTES_MAX: usize = 64 << 20;
const RESULT_BYTES_MAX: usize = 1 << 20;
/// The approximate size of an entry besides its result.
const ENTRY_BYTES: usize = 256;
const FRESH_MAX: Duration = Duration::from_secs(24 * 60 * 60);
/// Members of a caller's `_meta` that differ with each call and change no result.
const TRACING: [&str; 3] = ["traceparent", "tracestate", "baggage"];

#[derive(Default)]
pub(crate) struct ResultCache(Mutex<CacheEntries>);

#[derive(Default)]
struct CacheEntries {
    entries: HashMap<CacheKey, CacheEntry>,
    /// The keys in the order of storing.
    order: BTreeMap<u64, CacheKey>,
    next: u64,
    bytes: usize,
}

/// The call, and its principal; `None` is shared by all.
type CacheKey = (Digest, Option<PrincipalId>);

struct CacheEntry {
    result: RawJson,
    server: ServerName,
    until: Instant,
    place: u64,
}

/// The place for the result of one call.
pub(crate) struct CacheSlot {
    server: ServerName,
    call: Digest,
    principal: PrincipalId,
    rule: CacheRule,
}

/// The permission to show one principal's result to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CacheSharing {
    /// As rule and result decide.
    Allowed,
    /// The server is shown credentials that may be the principal's own, so its answers may be too.
    Never,
}

impl CacheSlot {
    /// `None` if results of this request are not cached: the tool is not marked for it, or it is part of a
    /// conversation, or it includes content that was not read and cannot be compared.
    pub(crate) fn of(request: &ServerRequest, principal: &PrincipalId) -> Option<Self> {
        let tool = request.tool.as_deref()?;
        let rule = tool.handling.cache?;
        if request.method != "tools/call" || request.input.is_some() || !request.inserts.is_empty() {
            return None;
        }
        let mut text = format!("{}\n{}\n{}\n", tool.server, tool.version, request.params.len());
        text.push_str(&request.params);
        push_meaning(&mut text, &request.meta)?;
        let (server, principal) = (tool.server.clone(), principal.clone());
        Some(Self { server, call: Digest::of(text), principal, rule })
    }

    fn private(&self) -> CacheKey {
        (self.call, Some(self.principal.clone()))
    }

    fn public(&self) -> CacheKey {
        (self.call, None)
    }
}

/// The part of a caller's `_meta` that a server may act on.
fn push_meaning(text: &mut String, meta: &str) -> Option<()> {
    if !meta.is_empty() {
        let object = format!("{{{meta}}}");
        ObjectMembers::of_str(&object).ok()?.write_without(text, |name| TRACING.contains(&name));
    }
    Some(())
}

impl ResultCache {
    pub(crate) fn lookup(&self, slot: &CacheSlot) -> Option<RawJson> {
        let mut kept = self.kept();
        kept.fresh(&slot.private()).or_else(|| kept.fresh(&slot.public()))
    }

    /// Keeps a reply if it may be kept.
    pub(crate) fn store(&self, slot: &CacheSlot, reply: &ServerReply, sharing: CacheSharing) {
        let ServerReply::Complete(result) = reply else { return };
        if result.as_bytes().len() > RESULT_BYTES_MAX {
            return;
        }
        let Some((fresh, scope)) = terms(result, slot.rule) else { return };
        let key = match (scope, sharing) {
            (CacheScope::Public, CacheSharing::Allowed) => slot.public(),
            _ => slot.private(),
        };
        // A copy: the result may be a small part of a large buffer.
        let result = RawJson::from_composed(result.as_str().to_owned());
        self.kept().insert(key, result, slot.server.clone(), Instant::now() + fresh);
    }

    /// Drops the results of a server that has changed.
    pub(crate) fn forget(&self, server: &ServerName) {
        let mut kept = self.kept();
        let places: Vec<u64> =
            kept.order.iter().filter(|(_, key)| kept.is_of(key, server)).map(|(place, _)| *place).collect();
        for place in places {
            kept.remove_at(place);
        }
    }

    fn kept(&self) -> MutexGuard<'_, CacheEntries> {
        self.0.lock()
    }
}

impl CacheEntries {
    fn fresh(&mut self, key: &CacheKey) -> Option<RawJson> {
        let entry = self.entries.get(key)?;
        if Instant::now() < entry.until {
            return Some(entry.result.clone());
        }
        let place = entry.place;
        self.remove_at(place);
        None
    }

    fn insert(&mut self, key: CacheKey, result: RawJson, server: ServerName, until: Instant) {
        if let Some(old) = self.entries.get(&key) {
            let place = old.place;
            self.remove_at(place);
        }
        let bytes = size_of_entry(&result);
        while self.entries.len() >= ENTRIES_MAX || self.bytes + bytes > BYTES_MAX {
            let Some(oldest) = self.order.keys().next().copied() else { break };
            self.remove_at(oldest);
        }
        let place = self.next;
        self.next += 1;
        self.bytes += bytes;
        self.order.insert(place, key.clone());
        self.entries.insert(key, CacheEntry { result, server, until, place });
    }

    fn remove_at(&mut self, place: u64) {
        if let Some(key) = self.order.remove(&place)
            && let Some(entry) = self.entries.remove(&key)
        {
            self.bytes -= size_of_entry(&entry.result);
        }
    }

    fn is_of(&self, key: &CacheKey, server: &ServerName) -> bool {
        self.entries.get(key).is_some_and(|entry| entry.server == *server)
    }
}

fn size_of_entry(result: &RawJson) -> usize {
    result.as_bytes().len() + ENTRY_BYTES
}

/// The lifetime of a result and its audience; `None` if it is not cached. An unreadable value is not cached.
fn terms(result: &RawJson, rule: CacheRule) -> Option<(Duration, CacheScope)> {
    let members = ObjectMembers::of(result).ok()?;
    if members.has_duplicates() || members.get("isError").is_some_and(|value| value.get() != "false") {
        return None;
    }
    let fresh = match members.get("ttlMs") {
        Some(ttl) => Duration::from_millis(ttl.get().parse::<f64>().ok()?.clamp(0.0, MILLIS_MAX) as u64),
        None => rule.fresh,
    }
    .min(rule.fresh);
    let scope = match members.get_str("cacheScope").as_deref() {
        Some("public") => CacheScope::Public,
        Some(_) => CacheScope::Private,
        None if members.get("cacheScope").is_some() => CacheScope::Private,
        None => rule.scope,
    };
    (!fresh.is_zero()).then_some((fresh.min(FRESH_MAX), scope))
}

const MILLIS_MAX: f64 = FRESH_MAX.as_secs() as f64 * 1000.0;

#[cfg(test)]
mod tests;
