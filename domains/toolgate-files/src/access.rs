//! The permissions to use bytes. A caller without permission gets the same answer as if there were none.

use toolgate_core::content::ContentHolder;
use toolgate_core::file::{Artifact, File, Ref};
use toolgate_core::id::FileId;
use toolgate_core::{Principal, Refusal, Role};
use toolgate_store::{Actor, Store};

use crate::refusal;

/// The principal behind an access to bytes.
#[derive(Clone, Copy, Debug)]
pub enum ContentAccess<'a> {
    /// In a call.
    Session(&'a ContentHolder),
    /// Outside of any session.
    Person(&'a Principal),
}

impl ContentAccess<'_> {
    pub fn principal(&self) -> &Principal {
        match self {
            ContentAccess::Session(holder) => &holder.principal,
            ContentAccess::Person(principal) => principal,
        }
    }

    pub(crate) fn doer(&self) -> Actor {
        match self {
            ContentAccess::Session(holder) => Actor::of(holder),
            ContentAccess::Person(principal) => Actor::person(&principal.id),
        }
    }

    /// True if the caller manages everyone's bytes. In a call, a principal has only its own rights.
    pub(crate) fn is_keeper(&self) -> bool {
        matches!(self, ContentAccess::Person(principal) if matches!(principal.role, Role::Admin | Role::Operator))
    }

    pub(crate) fn may_delete_file(&self, file: &File) -> bool {
        file.owner == self.principal().id || self.is_keeper()
    }

    pub(crate) async fn may_use_file(&self, file: &File, store: &Store) -> Result<bool, Refusal> {
        if self.may_delete_file(file) {
            return Ok(true);
        }
        let ContentAccess::Session(holder) = self else { return Ok(false) };
        if holder.opened_by.as_ref() == Some(&file.owner) {
            return Ok(true);
        }
        was_given(holder, &file.id, store).await
    }

    pub(crate) fn may_use_ref(&self, one: &Ref) -> bool {
        match self {
            ContentAccess::Session(holder) => {
                one.session == holder.session || (one.run.is_some() && one.run == holder.run)
            }
            ContentAccess::Person(principal) => one.principal == principal.id || self.is_keeper(),
        }
    }

    /// An artifact that belongs to no run is the tenant's: whoever has its digest may use it.
    pub fn may_use_artifact(&self, artifact: &Artifact) -> bool {
        if artifact.run.is_none() && self.principal().role != Role::Auditor {
            return true;
        }
        let is_own = artifact.owner == self.principal().id;
        match self {
            ContentAccess::Session(holder) => {
                is_own || (artifact.run.is_some() && artifact.run == holder.run)
            }
            ContentAccess::Person(_) => is_own || self.is_keeper(),
        }
    }

    /// Seeing an artifact needs less than reading it.
    pub(crate) fn may_see_artifact(&self, artifact: &Artifact) -> bool {
        let is_auditor = matches!(self, ContentAccess::Person(principal) if principal.role == Role::Auditor);
        is_auditor || self.may_use_artifact(artifact)
    }
}

/// True if a file was given to the caller's run.
async fn was_given(holder: &ContentHolder, file: &FileId, store: &Store) -> Result<bool, Refusal> {
    let Some(run) = &holder.run else { return Ok(false) };
    let run = store.run(run).await.map_err(refusal::down)?;
    Ok(run.is_some_and(|run| run.input.iter().any(|given| given.file == *file)))
}
