//! Filters: what of a document they compare, and if a document passes.

use engine_protocol::{FilterRule, SearchFilter};
use serde_json::{Map, Value};

/// A longer value of the metadata is not compared.
const METADATA_BYTES_MAX: usize = 16 << 10;

/// The facts of a document that filters compare.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct FilteredFacts<'a> {
    pub(crate) path: &'a str,
    pub(crate) media_type: Option<&'a str>,
    /// Of [`metadata_terms`].
    pub(crate) metadata: &'a [String],
}

/// True if nothing is filtered.
pub(crate) fn is_open(filter: &SearchFilter) -> bool {
    filter.path_prefix.as_deref().unwrap_or_default().is_empty()
        && filter.media_types.is_empty()
        && filter.metadata.is_empty()
}

/// Each rule of a filter as a sentence, and if these facts pass it.
pub(crate) fn judged(filter: &SearchFilter, facts: FilteredFacts<'_>) -> Vec<(String, bool)> {
    let mut rules = Vec::new();
    if let Some(prefix) = filter.path_prefix.as_deref().filter(|prefix| !prefix.is_empty()) {
        rules.push((format!("the path begins with {prefix:?}"), facts.path.starts_with(prefix)));
    }
    if !filter.media_types.is_empty() {
        let media_type = facts.media_type.map(plain_media_type);
        let passes = filter.media_types.iter().any(|wanted| Some(plain_media_type(wanted)) == media_type);
        rules.push((format!("the media type is one of {}", filter.media_types.join(", ")), passes));
    }
    for rule in &filter.metadata {
        let wanted = rule_terms(rule);
        let passes = facts.metadata.iter().any(|term| wanted.contains(term));
        let values: Vec<String> = rule.any_of.iter().map(Value::to_string).collect();
        rules.push((format!("the metadata {:?} is one of {}", rule.key, values.join(", ")), passes));
    }
    rules
}

/// The terms of which a document has at least one if it passes the rule.
pub(crate) fn rule_terms(rule: &FilterRule) -> Vec<String> {
    rule.any_of.iter().map(|value| metadata_term(&rule.key, value)).collect()
}

/// A media type without its parameters.
pub(crate) fn plain_media_type(media_type: &str) -> String {
    media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// The terms of a document's metadata. Each part of a list counts as a value, too.
pub(crate) fn metadata_terms(metadata: &Map<String, Value>) -> Vec<String> {
    let mut terms = Vec::new();
    for (key, value) in metadata {
        terms.push(metadata_term(key, value));
        if let Value::Array(parts) = value {
            terms.extend(parts.iter().map(|part| metadata_term(key, part)));
        }
    }
    terms.retain(|term| term.len() <= METADATA_BYTES_MAX);
    terms.sort_unstable();
    terms.dedup();
    terms
}

/// Equal values have equal terms, however their numbers and keys are written.
fn metadata_term(key: &str, value: &Value) -> String {
    format!("{}={}", Value::from(key), canonical(value))
}

fn canonical(value: &Value) -> Value {
    match value {
        Value::Array(parts) => parts.iter().map(canonical).collect(),
        Value::Object(parts) => {
            let mut parts: Vec<(&String, &Value)> = parts.iter().collect();
            parts.sort_unstable_by_key(|(key, _)| *key);
            parts.into_iter().map(|(key, value)| (key.clone(), canonical(value))).collect()
        }
        Value::Number(number) => match number.as_f64() {
            Some(float) if float.fract() == 0.0 && float.abs() < 9e15 => Value::from(float as i64),
            _ => value.clone(),
        },
        plain => plain.clone(),
    }
}
