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
    /// The version that was active last, which is `active` if there is one.
    pub(crate) last: Option<u64>,
    /// The versions towards which the promise is proved, the last first.
    pub(crate) compared: Vec<u64>,
    /// From this version, the last one.
    pub(crate) difference: Option<(u64, SchemaDifference)>,
}

/// The promotion that a draft could have.
pub(crate) struct FutureChange {
    /// From this version, which it would replace.
    pub(crate) difference: Option<(u64, SchemaDifference)>,
    /// Set if it could not be promoted.
    pub(crate) problem: Option<String>,
}

/// The meaning of a version for an earlier one.
struct ComparedVersion {
    version: u64,
    difference: SchemaDifference,
    /// Nothing if nothing is promised.
    finding: Option<CompatibilityFinding>,
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
        let earlier = self.earlier(&draft).await?;
        let active = earlier.first().filter(|one| one.state == SchemaState::Active).cloned();
        let last = earlier.first().map(|one| one.version);
        check_expected(&draft, active.as_ref(), expected)?;
        let compared = compare_all(&draft, earlier).await;
        for one in &compared {
            let refused =
                one.finding.as_ref().and_then(|finding| broken(&draft, one.version, draft.mode, finding));
            if let Some(refused) = refused {
                return Err(refused);
            }
        }
        let proved = compared.iter().filter(|one| one.finding.is_some()).map(|one| one.version).collect();
        Ok(PromotionReview { draft, active, last, compared: proved, difference: first_difference(compared) })
    }

    /// Looks what the promotion of a draft would change, and whether it could be promoted.
    pub(crate) async fn look_ahead(&self, draft: &SchemaRecord) -> Result<FutureChange, Refusal> {
        let compared = compare_all(draft, self.earlier(draft).await?).await;
        let problem = compared.iter().find_map(|one| {
            let finding = one.finding.as_ref().filter(|found| **found != CompatibilityFinding::Compatible)?;
            Some(format!("towards version {}: {}", one.version, finding.words()))
        });
        Ok(FutureChange { difference: first_difference(compared), problem })
    }

    /// The versions that the promise is about: the active one or the last that was, or all that ever were. That one is the first.
    async fn earlier(&self, draft: &SchemaRecord) -> Result<Vec<SchemaRecord>, Refusal> {
        let count = if draft.mode.is_transitive() { SCHEMAS_COMPARED_MAX } else { 1 };
        let read = self.store.promoted_schemas(&draft.namespace, &draft.name, count).await;
        let promoted = read.map_err(|error| down(&error))?;
        match promoted.len() >= SCHEMAS_COMPARED_MAX {
            true => Err(too_many_to_compare(draft, SCHEMAS_COMPARED_MAX)),
            false => Ok(promoted),
        }
    }
}

fn first_difference(compared: Vec<ComparedVersion>) -> Option<(u64, SchemaDifference)> {
    compared.into_iter().next().map(|one| (one.version, one.difference))
}

fn check_expected(
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
pub async fn difference(old: &SchemaRecord, new: &SchemaRecord) -> SchemaDifference {
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
