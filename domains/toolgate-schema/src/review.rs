//! The review of a promotion: what is active, what changes, and whether the promise of the name is kept.

use schema_words::{CompatibilityFinding, CompatibilityRule, SchemaDifference, SchemaNoun};
use serde_json::Value;
use toolgate_core::Refusal;
use toolgate_core::schema::{CompatibilityMode, SchemaRecord, SchemaState};
use toolgate_store::SCHEMAS_COMPARED_MAX;

use crate::refusal::{broken, down, stale, too_many_to_compare, wrong_state};
use crate::schemas::SchemaVersions;

/// A draft that may be promoted.
pub(crate) struct PromotionReview {
    pub(crate) draft: SchemaRecord,
    pub(crate) active: Option<SchemaRecord>,
    /// The versions that it was compared with, the newest first.
    pub(crate) compared: Vec<u64>,
    /// From the active version, or from the last one that was.
    pub(crate) difference: Option<SchemaDifference>,
}

/// The meaning of a version for an earlier one.
pub(crate) struct ComparedVersion {
    pub(crate) version: u64,
    pub(crate) difference: SchemaDifference,
    /// Nothing if nothing is promised.
    pub(crate) finding: Option<CompatibilityFinding>,
}

impl SchemaVersions {
    /// Reviews the promotion of a draft. `expected` is the active version that the caller knows of, 0 for none.
    pub(crate) async fn review(
        &self,
        draft: SchemaRecord,
        expected: Option<u64>,
    ) -> Result<PromotionReview, Refusal> {
        if draft.state != SchemaState::Draft {
            return Err(wrong_state(&draft.namespace, &draft.name, draft.version, draft.state));
        }
        let (active, earlier) = self.earlier(&draft).await?;
        check_expected(&draft, active.as_ref(), expected)?;
        let compared = compare_all(&draft, earlier).await;
        for one in &compared {
            let refused =
                one.finding.as_ref().and_then(|finding| broken(&draft, one.version, draft.mode, finding));
            if let Some(refused) = refused {
                return Err(refused);
            }
        }
        let versions = compared.iter().map(|one| one.version).collect();
        let difference = compared.into_iter().next().map(|one| one.difference);
        Ok(PromotionReview { draft, active, compared: versions, difference })
    }

    /// Compares a version with the one that its promotion would replace, if there is one.
    pub(crate) async fn look_ahead(&self, draft: &SchemaRecord) -> Result<Option<ComparedVersion>, Refusal> {
        let (_, earlier) = self.earlier(draft).await?;
        Ok(compare_all(draft, earlier.into_iter().take(1).collect()).await.into_iter().next())
    }

    /// The active version, and those that a promise is about: the active one first, or all that ever were.
    async fn earlier(
        &self,
        draft: &SchemaRecord,
    ) -> Result<(Option<SchemaRecord>, Vec<SchemaRecord>), Refusal> {
        let (namespace, name) = (draft.namespace.as_str(), draft.name.as_str());
        let read = self.store.promoted_schemas(namespace, name, SCHEMAS_COMPARED_MAX).await;
        let mut promoted = read.map_err(|error| down(&error))?;
        promoted.retain(|one| one.version != draft.version);
        if draft.mode.is_transitive() && promoted.len() >= SCHEMAS_COMPARED_MAX {
            return Err(too_many_to_compare(draft, SCHEMAS_COMPARED_MAX));
        }
        let active = self.store.active_schema(namespace, name).await.map_err(|error| down(&error))?;
        let earlier = match (draft.mode.is_transitive(), &active) {
            (true, _) => {
                // The active one comes first, then the newest.
                promoted.sort_by_key(|one| one.state != SchemaState::Active);
                promoted
            }
            (false, Some(active)) => vec![active.clone()],
            (false, None) => promoted.into_iter().take(1).collect(),
        };
        Ok((active, earlier))
    }
}

pub(crate) fn check_expected(
    schema: &SchemaRecord,
    active: Option<&SchemaRecord>,
    expected: Option<u64>,
) -> Result<(), Refusal> {
    let active = active.map(|active| active.version);
    match expected {
        Some(expected) if active.unwrap_or(0) != expected => {
            Err(stale(&schema.namespace, &schema.name, active, Some(expected)))
        }
        _ => Ok(()),
    }
}

/// Proofs take processor time, so they do not hold up other calls.
async fn compare_all(new: &SchemaRecord, earlier: Vec<SchemaRecord>) -> Vec<ComparedVersion> {
    let (definition, rule) = (decoded(new), rule(new.mode));
    let compare =
        move || earlier.iter().map(|one| compare(one, &definition, rule)).collect::<Vec<ComparedVersion>>();
    tokio::task::spawn_blocking(compare).await.expect("comparing schemas does not panic")
}

fn compare(earlier: &SchemaRecord, new: &Value, rule: Option<CompatibilityRule>) -> ComparedVersion {
    let before = decoded(earlier);
    ComparedVersion {
        version: earlier.version,
        difference: schema_words::schema_difference(&before, new, SchemaNoun::Member),
        finding: rule.map(|rule| schema_words::compatibility(rule, &before, new)),
    }
}

/// The difference between any two versions.
pub(crate) async fn difference(old: &SchemaRecord, new: &SchemaRecord) -> SchemaDifference {
    let (before, after) = (decoded(old), decoded(new));
    let compare = move || schema_words::schema_difference(&before, &after, SchemaNoun::Member);
    tokio::task::spawn_blocking(compare).await.expect("comparing schemas does not panic")
}

fn decoded(schema: &SchemaRecord) -> Value {
    schema.definition.decode().unwrap_or_default()
}

fn rule(mode: CompatibilityMode) -> Option<CompatibilityRule> {
    match mode {
        CompatibilityMode::None => None,
        CompatibilityMode::Backward | CompatibilityMode::BackwardTransitive => {
            Some(CompatibilityRule::Backward)
        }
        CompatibilityMode::Forward | CompatibilityMode::ForwardTransitive => Some(CompatibilityRule::Forward),
        CompatibilityMode::Full | CompatibilityMode::FullTransitive => Some(CompatibilityRule::Full),
    }
}
