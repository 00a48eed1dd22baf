//! Filters: the passages that pass.

mod rules;

use std::sync::Arc;

use engine_protocol::{EngineFault, SearchFilter};

use super::bits::PassageBits;
use super::version::OpenVersion;

pub(super) use rules::rules;

/// The passages of a version that were not removed and pass all rules.
pub(super) fn allowed(version: &OpenVersion, filter: &SearchFilter) -> Result<Arc<PassageBits>, EngineFault> {
    let rules = rules(filter);
    if rules.is_empty() {
        return Ok(Arc::clone(&version.alive));
    }
    let key = serde_json::to_string(filter).expect("a filter is plain values");
    if let Some(bits) = version.filters.get(&key) {
        return Ok(bits);
    }
    let mut bits = PassageBits::clone(&version.alive);
    for rule in rules {
        bits.keep(&rule.passages(version)?);
    }
    let bits = Arc::new(bits);
    version.filters.put(key, &bits);
    Ok(bits)
}
