//! Shared by every part of this folder: the actor, the end of a file, values of columns.

use toolgate_core::content::ContentHolder;
use toolgate_core::file::FileName;
use toolgate_core::id::{CallId, RunId, SessionId};
use toolgate_core::{Digest, PrincipalId};

use crate::StoreError;
use crate::registry::unreadable;

pub(super) const READ: &str = "WHERE tenant = $1 AND id = $2";

/// The principal and the session of an action.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Actor {
    pub principal: PrincipalId,
    pub session: Option<SessionId>,
    pub run: Option<RunId>,
    pub call: Option<CallId>,
}

impl Actor {
    /// An action outside a session.
    pub fn person(principal: &PrincipalId) -> Self {
        Self { principal: principal.clone(), session: None, run: None, call: None }
    }

    pub fn of(holder: &ContentHolder) -> Self {
        Self {
            principal: holder.principal.id.clone(),
            session: Some(holder.session.clone()),
            run: holder.run.clone(),
            call: holder.call.clone(),
        }
    }
}

/// The reason why a file was removed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileEnd {
    Deleted,
    Expired,
}

impl FileEnd {
    pub fn as_str(self) -> &'static str {
        match self {
            FileEnd::Deleted => "deleted",
            FileEnd::Expired => "expired",
        }
    }
}

pub(super) fn read_digest(bytes: &[u8], doing: &'static str) -> Result<Digest, StoreError> {
    bytes.try_into().map(Digest::from_bytes).map_err(|_| unreadable(doing, "digest"))
}

pub(super) fn read_name(name: &str, doing: &'static str) -> Result<FileName, StoreError> {
    FileName::new(name).map_err(|_| unreadable(doing, "name of a file"))
}

pub(super) fn stored_limit(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}
