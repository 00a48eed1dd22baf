//! The files in the arguments of a call, as they are before the decision on the call.

use serde_json::Value;
use toolgate_core::content::{AttachedContents, Attachment, ContentHolder};
use toolgate_core::tool::FileStrategy;
use toolgate_core::{Refusal, Tool};

use super::plan::PlannedItem;
use crate::files::{Files, FoundContent};

impl Files {
    pub(super) async fn attached(
        &self,
        holder: &ContentHolder,
        tool: &Tool,
        arguments: &Value,
    ) -> Result<AttachedContents, Refusal> {
        let plan = self.planned(holder, tool, arguments).await?;
        let mut attachments = Vec::new();
        for fill in &plan.fills {
            let slot = &tool.handling.files[fill.slot];
            for item in &fill.items {
                let found = self.fetched_item(holder, item).await.map_err(|refusal| at(refusal, item))?;
                self.check(tool, slot, &item.id, &found).map_err(|refusal| at(refusal, item))?;
                if slot.strategy == FileStrategy::VideoS3PresignedUrl {
                    // People should not be asked to approve a call for which no address can be made.
                    drop(self.address(&found, self.settings().url_keep).await?);
                }
                attachments.push((item.order, attachment(item, found)));
            }
        }
        for item in &plan.passed {
            let found = self.fetched_item(holder, item).await?;
            attachments.push((item.order, attachment(item, found)));
        }
        attachments.sort_by_key(|(order, _)| *order);
        let attachments = attachments.into_iter().map(|(_, attachment)| attachment).collect();
        Ok(AttachedContents { attachments, notices: plan.notices, ..AttachedContents::default() })
    }
}

fn attachment(item: &PlannedItem, found: FoundContent) -> Attachment {
    Attachment {
        place: item.place.clone(),
        id: item.id.clone(),
        digest: found.digest,
        bytes: found.bytes,
        media_type: found.media_type,
        name: found.name,
    }
}

/// Says which argument it is about, unless that was said.
fn at(refusal: Refusal, item: &PlannedItem) -> Refusal {
    let field = refusal.field.clone().or_else(|| Some(item.place.clone()));
    Refusal { field, ..refusal }
}
