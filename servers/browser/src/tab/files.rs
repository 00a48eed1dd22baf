//! Files for a page.

use std::path::PathBuf;

use capability_kit::{Trouble, TroubleCode};
use serde_json::json;

use super::Tab;
use crate::frame::FrameId;

impl Tab {
    /// Gives files to a file input, named by a ref of the page script (without the frame's label): `toolgate.element(reference)`
    /// is the node.
    pub async fn set_files(
        &self,
        frame: &FrameId,
        reference: &str,
        files: &[PathBuf],
    ) -> Result<(), Trouble> {
        let expression = format!("toolgate.element({})", json!(reference));
        let gone = || {
            let message = format!("{reference} is no longer on the page");
            Trouble::bad_arguments(message).hint("take a new snapshot")
        };
        let node = self.in_our_world(frame, &expression, json!({ "returnByValue": false })).await;
        let node = node.map_err(|trouble| match trouble.code {
            TroubleCode::Unreadable => gone(),
            _ => trouble,
        })?;
        let object = node["objectId"].as_str().ok_or_else(gone)?;
        let session =
            self.state.lock().frames.get(frame).map(|node| node.session.clone()).unwrap_or_default();
        let params = json!({ "files": files, "objectId": object });
        self.call_on(&session, "DOM.setFileInputFiles", params).await.map(drop).map_err(|trouble| {
            if trouble.message.contains("not a file input") {
                return Trouble::bad_arguments(format!("{reference} takes no files"))
                    .hint("choose the element that a person would choose a file with");
            }
            trouble
        })
    }
}
