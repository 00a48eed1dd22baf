//! The text of contents: decoded if they are text, otherwise made by the operator's extractor, once for each
//! content.

use std::sync::Arc;

use toolgate_core::codes;
use toolgate_core::content::{Attachment, ContentHolder, Suppliers};
use toolgate_core::tool::FileStrategy;
use toolgate_core::{Digest, Refusal, RefusalKind, Tool};

use super::check::{not_text, too_large};
use super::kind::is_text;
use crate::files::{Files, FoundContent};
use crate::refusal;
use crate::text;

/// The extractor of text from other formats.
pub(crate) struct Extractor<'a> {
    suppliers: &'a Arc<dyn Suppliers>,
    name: &'a str,
    /// The key of its texts: another version may read better.
    key: String,
}

/// Bytes that are text in UTF-8.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TextBytes {
    pub(crate) digest: Digest,
    pub(crate) bytes: u64,
}

impl Files {
    /// The extractor, if it can read something for a tool: that must not be the extractor itself.
    pub(crate) fn extractor(
        &self,
        tool: Option<&Tool>,
        id: &str,
        found: &FoundContent,
    ) -> Result<Extractor<'_>, Refusal> {
        let refuse = |why: &str| not_text(id, &found.media_type, why);
        let Some(name) = self.settings().extractor.as_deref() else { return Err(refuse("")) };
        if tool.is_some_and(|tool| tool.name.as_str() == name) {
            return Err(refuse(", and this tool is the one that makes text of documents"));
        }
        let missing = || refuse(&format!(", and there is no tool {name} here that makes text of it"));
        let suppliers = self.suppliers().ok_or_else(missing)?;
        let version = suppliers.extractor_version(name).ok_or_else(missing)?;
        Ok(Extractor { suppliers, name, key: format!("{name} {version}") })
    }

    /// The text for a text strategy.
    pub(super) async fn text_for(
        &self,
        holder: &ContentHolder,
        tool: &Tool,
        strategy: FileStrategy,
        id: &str,
        found: &FoundContent,
    ) -> Result<String, Refusal> {
        let bytes_max = self.settings().text_bytes_max;
        if is_text(&found.media_type) {
            return self.decoded(id, found, bytes_max).await;
        }
        let extractor = self.extractor(Some(tool), id, found)?;
        let text = self.extracted(holder, &extractor, id, found).await?;
        if text.bytes > bytes_max {
            return Err(too_large(strategy, &format!("the text of {id}"), text.bytes, bytes_max));
        }
        let bytes = self.blobs().read_whole(text.digest, bytes_max).await?;
        // It was text when it was kept, and is not judged again.
        String::from_utf8(bytes.into()).map_err(|_| not_text(id, &found.media_type, ""))
    }

    /// The whole of a text, in any encoding.
    pub(crate) async fn decoded(
        &self,
        id: &str,
        found: &FoundContent,
        bytes_max: u64,
    ) -> Result<String, Refusal> {
        let bytes = self.blobs().read_whole(found.digest, bytes_max).await?;
        text::decode(&bytes).map_err(|_| not_text(id, &found.media_type, ""))
    }

    /// The extracted text of other formats.
    pub(crate) async fn extracted(
        &self,
        holder: &ContentHolder,
        extractor: &Extractor<'_>,
        id: &str,
        found: &FoundContent,
    ) -> Result<TextBytes, Refusal> {
        if let Some(text) = self.kept_text(extractor, found).await? {
            return Ok(text);
        }
        let turn = self.extractions().turn(found.digest, &extractor.key);
        let _turn = turn.lock().await;
        if let Some(text) = self.kept_text(extractor, found).await? {
            return Ok(text);
        }
        let file = attachment(id, found);
        let text = extractor.suppliers.extract(holder, extractor.name, &file).await;
        let text = text.map_err(|refusal| failed(extractor, id, refusal))?;
        let put = self.blobs().put_bytes(text.into()).await?;
        let kept = self.store().put_extraction(&found.digest, &extractor.key, &put.digest).await;
        kept.map_err(refusal::down)?;
        Ok(TextBytes { digest: put.digest, bytes: put.bytes })
    }

    async fn kept_text(
        &self,
        extractor: &Extractor<'_>,
        found: &FoundContent,
    ) -> Result<Option<TextBytes>, Refusal> {
        let kept = self.store().extraction(&found.digest, &extractor.key).await.map_err(refusal::down)?;
        let Some(digest) = kept else { return Ok(None) };
        let bytes = self.store().blob_bytes(&digest).await.map_err(refusal::down)?;
        Ok(bytes.map(|bytes| TextBytes { digest, bytes }))
    }
}

fn attachment(id: &str, found: &FoundContent) -> Attachment {
    Attachment {
        place: String::new(),
        id: id.to_owned(),
        digest: found.digest,
        bytes: found.bytes,
        media_type: found.media_type.clone(),
        name: found.name.clone(),
    }
}

fn failed(extractor: &Extractor<'_>, id: &str, refusal: Refusal) -> Refusal {
    let message = format!("{} made no text of {id}: {}", extractor.name, refusal.message);
    let failed = Refusal::new(&codes::EXTRACTOR_FAILED, message).hint(refusal.hint);
    if refusal.kind == RefusalKind::Down { failed.kind(RefusalKind::Down) } else { failed }
}
