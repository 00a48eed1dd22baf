//! The arguments for the tool's server, once a call may be sent.

use std::sync::Arc;

use serde_json::Value;
use toolgate_core::codes;
use toolgate_core::content::{Attachment, ContentHolder, ExpandedArguments, SentContent};
use toolgate_core::tool::{FileSlot, FileStrategy};
use toolgate_core::{Refusal, RefusalKind, Tool};

use super::base64_run::RUN_BYTES_MIN;
use super::base64_source::Base64Source;
use super::compose::{FileFilling, FillContent, FilledSlot, compose};
use super::finding::found;
use super::plan::{ContentSource, ExpansionPlan, PlannedItem};
use crate::files::{Files, FoundContent};

/// Shorter ones would be found everywhere: 16 letters of Base64.
const SHORT_BYTES_MIN: u64 = 12;
/// From this size on, Base64 is taken out of every result.
const SHORT_BYTES_END: u64 = RUN_BYTES_MIN as u64 / 4 * 3;

impl Files {
    pub(super) async fn expanded(
        &self,
        holder: &ContentHolder,
        tool: &Tool,
        arguments: &Value,
        attachments: &[Attachment],
    ) -> Result<ExpandedArguments, Refusal> {
        let plan = self.planned(holder, tool, arguments).await.map_err(gone)?;
        let known = KnownAttachments::of(&plan, attachments)?;
        let mut secrets = Vec::new();
        let mut filled = Vec::with_capacity(plan.fills.len());
        for fill in &plan.fills {
            let slot = &tool.handling.files[fill.slot];
            let mut items = Vec::with_capacity(fill.items.len());
            for item in &fill.items {
                let found = known.found(item)?;
                let content = self.filling(holder, tool, slot, &item.id, &found, &mut secrets).await?;
                let name = found.name.map(|name| name.to_string());
                items.push(FileFilling { content, media_type: found.media_type, name });
            }
            filled.push(FilledSlot { slot, argument: &fill.argument, items });
        }
        let arguments = rewritten(arguments, &plan);
        let (arguments, inserts) = compose(&arguments, &tool.handling.files, filled);
        Ok(ExpandedArguments { arguments, inserts, secrets })
    }

    async fn filling(
        &self,
        holder: &ContentHolder,
        tool: &Tool,
        slot: &FileSlot,
        id: &str,
        found: &FoundContent,
        secrets: &mut Vec<SentContent>,
    ) -> Result<FillContent, Refusal> {
        match slot.strategy {
            FileStrategy::BinaryBase64 | FileStrategy::ImageBase64 => {
                secrets.extend(self.short_content(id, found).await?);
                Ok(self.encoded(found))
            }
            FileStrategy::PlainTextContent | FileStrategy::PlainTextText => {
                self.text_for(holder, tool, slot.strategy, id, found).await.map(FillContent::Text)
            }
            FileStrategy::VideoS3PresignedUrl => {
                let address = self.address(found, self.settings().url_keep).await?;
                secrets.push(SentContent::Address(address.url.clone()));
                Ok(FillContent::Text(address.url))
            }
            FileStrategy::Passthrough => Ok(FillContent::Text(id.to_owned())),
        }
    }

    /// A file whose Base64 would not be recognised when it comes back.
    async fn short_content(&self, id: &str, found: &FoundContent) -> Result<Option<SentContent>, Refusal> {
        if !(SHORT_BYTES_MIN..SHORT_BYTES_END).contains(&found.bytes) {
            return Ok(None);
        }
        let bytes = self.blobs().read_whole(found.digest, SHORT_BYTES_END).await?;
        let encoded = base64_simd::STANDARD.encode_to_string(&bytes);
        Ok(Some(SentContent::Content { id: id.to_owned(), encoded }))
    }

    fn encoded(&self, found: &FoundContent) -> FillContent {
        let (blobs, digest, bytes) = (self.blobs().clone(), found.digest, found.bytes);
        let open = move || blobs.read(digest, bytes);
        FillContent::Streamed(Arc::new(Base64Source::new(bytes, Arc::new(open))))
    }
}

/// The attachments of the decision, by the positions of the ids.
struct KnownAttachments<'a>(&'a [Attachment]);

impl<'a> KnownAttachments<'a> {
    /// Fails unless exactly the attached content is there, unchanged.
    fn of(plan: &ExpansionPlan, attachments: &'a [Attachment]) -> Result<Self, Refusal> {
        let known = Self(attachments);
        let items: Vec<&PlannedItem> =
            plan.fills.iter().flat_map(|fill| &fill.items).chain(&plan.passed).collect();
        for item in &items {
            known.found(item)?;
        }
        match attachments.iter().find(|one| !items.iter().any(|item| item.place == one.place)) {
            Some(missing) => Err(changed(&missing.id, &missing.place)),
            None => Ok(known),
        }
    }

    fn found(&self, item: &PlannedItem) -> Result<FoundContent, Refusal> {
        let attached = self.0.iter().find(|one| one.place == item.place && one.id == item.id);
        let fits = |found: &FoundContent| attached.is_some_and(|one| one.digest == found.digest);
        let found = match &item.source {
            ContentSource::Here(found) => Some(found.clone()).filter(fits),
            // A server may have named it again meanwhile; the fetched content is still here.
            ContentSource::Server(refs) => refs.iter().filter_map(found).find(fits),
        };
        found.ok_or_else(|| changed(&item.id, &item.place))
    }
}

fn changed(id: &str, place: &str) -> Refusal {
    let message = format!("{id} is not what it was when the call was decided on");
    Refusal::new(&codes::FILE_CHANGED, message).field(place)
}

/// The refusal of content that existed at the decision and is gone.
fn gone(refusal: Refusal) -> Refusal {
    if refusal.kind != RefusalKind::NotFound {
        return refusal;
    }
    let message = format!("{} any more; there was when the call was decided on", refusal.message);
    Refusal { field: refusal.field, ..Refusal::new(&codes::FILE_CHANGED, message) }
}

fn rewritten<'a>(arguments: &'a Value, plan: &ExpansionPlan) -> std::borrow::Cow<'a, Value> {
    let mut arguments = std::borrow::Cow::Borrowed(arguments);
    for (place, own) in &plan.rewritten {
        if let Some(id) = arguments.to_mut().pointer_mut(place) {
            *id = Value::String(own.clone());
        }
    }
    arguments
}
