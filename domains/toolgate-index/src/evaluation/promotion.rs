//! Promotion: a version becomes the one that counts, and every pointer that has an index of the profile gets one of the new version.

use serde_json::json;
use toolgate_core::{Refusal, Role, codes};
use toolgate_domain::ToolContext;
use toolgate_store::{Actor, ProfileChangeError, ProfilePromotion};

use super::asking::MeasuredVersion;
use crate::indexes::Indexes;
use crate::ingest::{IngestMode, IngestOrder};
use crate::refusal::down;
use crate::source::IndexSource;

/// A version that counts from now on.
pub(crate) struct PromotedVersion {
    pub(crate) version: u32,
    /// The one before.
    pub(crate) superseded: u32,
    /// Ingests that were started for it.
    pub(crate) ingests: u64,
}

/// Refuses callers who do not run the gateway: a promotion changes the searches of everybody.
pub(crate) fn check_may_promote(context: &ToolContext) -> Result<(), Refusal> {
    match context.principal().role {
        Role::Admin | Role::Operator => Ok(()),
        Role::Approver | Role::Auditor | Role::Agent | Role::Server => {
            Err(Refusal::new(&codes::NOT_ALLOWED, "a profile counts for everybody, so operators promote it")
                .hint("leave `promote` out, or ask an operator"))
        }
    }
}

impl Indexes {
    /// Promotes a version that was measured, unless it falls below the active one.
    pub(crate) async fn promote(
        &self,
        new: &MeasuredVersion,
        active: &MeasuredVersion,
        by: &Actor,
    ) -> Result<PromotedVersion, Refusal> {
        if let Some(fall) = new.measures.fall(&active.measures) {
            let message = format!("{} is not promoted: {fall}", new.known.full_name());
            let details = json!({ "active": active.measures, "new": new.measures });
            return Err(Refusal::new(&codes::PROFILE_FALLS, message).details(details));
        }
        let name = &new.known.profile.name;
        let row = self.store.active_profile(name).await.map_err(|error| down(&error))?;
        let seen = row.map(|row| row.version);
        if seen.is_some_and(|seen| seen != u64::from(active.known.profile.version)) {
            return Err(stale(name));
        }
        let promotion = ProfilePromotion {
            name,
            version: new.known.profile.version.into(),
            digest: new.known.digest,
            active: seen,
            at_ms: self.clock.now_ms(),
        };
        self.books.promote_profile(&promotion, by).await.map_err(|error| match error {
            ProfileChangeError::Stale { .. } => stale(name),
            ProfileChangeError::Store(error) => down(&error),
        })?;
        Ok(PromotedVersion {
            version: new.known.profile.version,
            superseded: active.known.profile.version,
            ingests: self.ingest_all(new, by).await?,
        })
    }

    /// Starts an ingest of the new version for each pointer that has an index of another one. Until they are done, searches use that one.
    async fn ingest_all(&self, new: &MeasuredVersion, by: &Actor) -> Result<u64, Refusal> {
        let indexed = self.store.indexed_pointers().await.map_err(|error| down(&error))?;
        let of_profile = indexed.into_iter().filter(|(_, _, profile)| *profile == new.known.profile.name);
        let by = Actor::person(&by.principal);
        let mut started = 0;
        for (namespace, name, _) in of_profile {
            // Only what sessions mount: a manifest is indexed again when it is asked for.
            let Ok(source) = IndexSource::pointer(&namespace, &name) else { continue };
            let Some(manifest) = self.head_of(&source).await? else { continue };
            let (known, mode) = (new.known.clone(), IngestMode::Incremental);
            let order = IngestOrder { source, manifest: Some(manifest), known, mode };
            self.start_ingest(&order, &by).await?;
            started += 1;
        }
        Ok(started)
    }
}

fn stale(name: &str) -> Refusal {
    Refusal::new(&codes::PROFILE_STALE, format!("another version of {name} was promoted meanwhile"))
}
