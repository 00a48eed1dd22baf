//! Files in two steps: their bytes first, then what they are called and whose they are. Who sends a form may say it after
//! the bytes.

use std::fmt::Display;
use std::time::Duration;

use bytes::Bytes;
use futures_util::Stream;
use toolgate_core::file::{File, FileName};
use toolgate_core::{PrincipalId, Refusal};
use toolgate_store::is_reserved_principal;

use super::Files;
use crate::access::Access;
use crate::blobs::Put;
use crate::refusal;

/// What a principal may be called at most.
const OWNER_CHARS_MAX: usize = 200;

/// What is said of bytes that become a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewFile {
    pub name: FileName,
    /// Whoever sends it, if not said.
    pub owner: Option<PrincipalId>,
    /// As long as files are kept here, if not said.
    pub keep: Option<Duration>,
}

impl Files {
    /// Takes bytes in. They are nobody's, and gone in an hour, unless they are kept as a file.
    pub async fn receive<S, E>(&self, stream: S) -> Result<Put, Refusal>
    where
        S: Stream<Item = Result<Bytes, E>> + Send,
        E: Display,
    {
        self.blobs.put_stream(stream, self.settings.upload_bytes_max).await
    }

    /// Makes a file of bytes that were taken in.
    pub async fn keep(&self, access: &Access<'_>, put: Put, new: NewFile) -> Result<File, Refusal> {
        let keep = self.keep_time(new.keep)?.or(self.settings.keep);
        let owner = self.owner(access, new.owner)?;
        self.keep_file_for(put, new.name, owner, &access.doer(), keep).await
    }

    /// Whose a file will be. Only those who look after everybody's files may say somebody else.
    pub fn owner(&self, access: &Access<'_>, wanted: Option<PrincipalId>) -> Result<PrincipalId, Refusal> {
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

    /// A time that somebody wants a file to be kept for, unless it is none, or longer than files are kept here.
    pub fn keep_time(&self, wanted: Option<Duration>) -> Result<Option<Duration>, Refusal> {
        let is_fine =
            |wanted: Duration| !wanted.is_zero() && self.settings.keep.is_none_or(|keep| wanted <= keep);
        match wanted {
            Some(wanted) if !is_fine(wanted) => Err(refusal::bad_keep(self.settings.keep)),
            wanted => Ok(wanted),
        }
    }
}
