//! Files as answers to questions: the person who answers must be able to use the file, and gives it to the
//! run.

use serde_json::Value;
use toolgate_core::id::FileId;
use toolgate_core::run::{InputFile, InputSlot, SlotType};
use toolgate_core::{Principal, Refusal};

use super::state::Files;
use crate::access::ContentAccess;

impl Files {
    /// The file of an answer to a question; `None` if the question is not about a file.
    pub async fn answering(
        &self,
        by: &Principal,
        slot: &InputSlot,
        answer: &Value,
    ) -> Result<Option<InputFile>, Refusal> {
        let (SlotType::File, Some(id)) = (slot.slot_type, answer.as_str()) else { return Ok(None) };
        let file = self.get(&ContentAccess::Person(by), &FileId::new(id)).await?;
        Ok(Some(InputFile { path: slot.slot_id.clone(), file: file.id, digest: file.digest }))
    }
}
