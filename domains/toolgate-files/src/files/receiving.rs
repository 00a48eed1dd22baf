//! Files in two steps: their bytes first, then their name and owner. A form may have these after the bytes.

use std::fmt::Display;
use std::time::Duration;

use bytes::Bytes;
use futures_util::Stream;
use toolgate_core::file::{File, FileName};
use toolgate_core::{PrincipalId, Refusal};
use toolgate_store::is_reserved_principal;

use super::state::Files;
use crate::access::ContentAccess;
use crate::blobs::StoredBlob;
use crate::refusal;

/// The maximum length of a principal's name.
const OWNER_CHARS_MAX: usize = 200;

/// The properties of bytes that become a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewFile {
    pub name: FileName,
    /// The sender, if missing.
    pub owner: Option<PrincipalId>,
    /// The default retention, if missing.
    pub keep: Option<Duration>,
}

impl Files {
    /// Receives bytes. They have no owner, and are gone in an hour, unless they are stored as a file.
    pub async fn receive<S, E>(&self, stream: S) -> Result<StoredBlob, Refusal>
    where
        S: Stream<Item = Result<Bytes, E>> + Send,
        E: Display,
    {
        self.blobs.put_stream(stream, self.settings.upload_bytes_max).await
    }

    /// Makes a file of bytes that were taken in.
    pub async fn keep(
        &self,
        access: &ContentAccess<'_>,
        put: StoredBlob,
        new: NewFile,
    ) -> Result<File, Refusal> {
        let keep = self.keep_time(new.keep)?.or(self.settings.keep);
        let owner = self.owner(access, new.owner)?;
        self.keep_file_for(put, new.name, owner, &access.doer(), keep).await
    }

    /// The owner of a future file. Only managers of everyone's files may name another one.
    pub fn owner(
        &self,
        access: &ContentAccess<'_>,
        wanted: Option<PrincipalId>,
    ) -> Result<PrincipalId, Refusal> {
        let own = &access.principal().id;
        let Some(wanted) = wanted.filter(|wanted| wanted != own) else { return Ok(own.clone()) };
        if !access.is_keeper() {
            return Err(refusal::not_for_others());
        }
        let name = wanted.as_str();
        let fits = (1..=OWNER_CHARS_MAX).contains(&name.chars().count()) && !name.contains(char::is_control);
        match fits && !is_reserved_principal(name) {
            true => Ok(wanted),
            false => Err(refusal::bad_owner(name)),
        }
    }

    /// The requested retention, unless it is invalid or longer than the maximum.
    pub fn keep_time(&self, wanted: Option<Duration>) -> Result<Option<Duration>, Refusal> {
        let is_fine =
            |wanted: Duration| !wanted.is_zero() && self.settings.keep.is_none_or(|keep| wanted <= keep);
        match wanted {
            Some(wanted) if !is_fine(wanted) => Err(refusal::bad_keep(self.settings.keep)),
            wanted => Ok(wanted),
        }
    }
}
