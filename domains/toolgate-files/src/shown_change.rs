//! Texts that people read before they agree to a change. Such a text is a file of the caller, and the approval is bound to its digest:
//! the same change must have the same text.

use std::convert::Infallible;

use bytes::Bytes;
use futures_util::stream;
use toolgate_core::content::{AttachedContents, Attachment, ContentHolder};
use toolgate_core::file::{File, FileName};
use toolgate_core::platform::UsedApproval;
use toolgate_core::{Digest, Refusal};

use crate::access::ContentAccess;
use crate::files::{FileQuery, Files};

/// Bytes of the digest in the name of a text.
const NAME_BYTES: usize = 6;

/// A kind of change that people are shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ShownChange {
    /// Small letters and spaces. It is the same for every change of the kind: whatever an approver edits, the change stays the one that
    /// was shown.
    pub kind: &'static str,
    /// The argument that the text stands at.
    pub place: &'static str,
}

impl ShownChange {
    /// True if this very text is what people agreed to.
    pub fn is_agreed(&self, approval: &UsedApproval, text: &str) -> bool {
        let digest = Digest::of(text);
        approval.contents.iter().any(|one| one.id == self.kind && one.digest == digest)
    }

    /// `pointer-change-9f86d081884c.txt`
    fn file_name(&self, digest: Digest) -> FileName {
        let hex: String =
            digest.as_bytes().iter().take(NAME_BYTES).map(|byte| format!("{byte:02x}")).collect();
        let name = format!("{}-{hex}.txt", self.kind.replace(' ', "-"));
        FileName::new(&name).expect("letters, digits, hyphens and a dot")
    }
}

impl Files {
    /// Keeps the text of a change as a file of the caller, for as long as files are kept: it is what people saw.
    pub async fn attach_change(
        &self,
        holder: &ContentHolder,
        change: ShownChange,
        text: String,
    ) -> Result<AttachedContents, Refusal> {
        let File { digest, bytes, media_type, name, .. } = self.keep_once(holder, change, text).await?;
        let (place, id) = (change.place.to_owned(), change.kind.to_owned());
        let attachment = Attachment { place, id, digest, bytes, media_type, name: Some(name) };
        Ok(AttachedContents { attachments: vec![attachment], ..AttachedContents::default() })
    }

    /// A text is looked up again before the call runs, and kept once.
    async fn keep_once(
        &self,
        holder: &ContentHolder,
        change: ShownChange,
        text: String,
    ) -> Result<File, Refusal> {
        let digest = Digest::of(&text);
        let name = change.file_name(digest);
        let access = ContentAccess::Session(holder);
        let query = FileQuery { name: Some(name.clone()), ..FileQuery::default() };
        let before = self.list(&access, query, 1).await?.files;
        match before.into_iter().find(|file| file.digest == digest) {
            Some(file) => Ok(file),
            None => self.put(&access, name, stream::iter([Ok::<_, Infallible>(Bytes::from(text))])).await,
        }
    }
}

#[cfg(test)]
mod tests;
