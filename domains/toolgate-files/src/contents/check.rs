//! A check whether a file fits a tool's requirements, as far as possible without its bytes.

use toolgate_core::codes;
use toolgate_core::tool::{FileSlot, FileStrategy};
use toolgate_core::{Refusal, Tool};

use super::kind::is_text;
use crate::files::{Files, FoundContent};

impl Files {
    /// `id` is the caller's name for it.
    pub(super) fn check(
        &self,
        tool: &Tool,
        slot: &FileSlot,
        id: &str,
        found: &FoundContent,
    ) -> Result<(), Refusal> {
        let settings = self.settings();
        match slot.strategy {
            FileStrategy::BinaryBase64 => fits(slot, id, found, settings.base64_bytes_max),
            FileStrategy::ImageBase64 if !found.media_type.starts_with("image/") => {
                Err(not_an_image(id, &found.media_type))
            }
            FileStrategy::ImageBase64 => fits(slot, id, found, settings.base64_bytes_max),
            FileStrategy::PlainTextContent | FileStrategy::PlainTextText if is_text(&found.media_type) => {
                fits(slot, id, found, settings.text_bytes_max)
            }
            FileStrategy::PlainTextContent | FileStrategy::PlainTextText => {
                self.extractor(Some(tool), id, found)?;
                // The extractor gets all of it; the length of its text shows later.
                fits(slot, id, found, settings.base64_bytes_max)
            }
            FileStrategy::VideoS3PresignedUrl if !is_recording(&found.media_type) => {
                Err(not_a_video(id, &found.media_type))
            }
            FileStrategy::VideoS3PresignedUrl | FileStrategy::Passthrough => Ok(()),
        }
    }
}

fn fits(slot: &FileSlot, id: &str, found: &FoundContent, bytes_max: u64) -> Result<(), Refusal> {
    if found.bytes <= bytes_max { Ok(()) } else { Err(too_large(slot.strategy, id, found.bytes, bytes_max)) }
}

pub(super) fn too_large(strategy: FileStrategy, id: &str, bytes: u64, bytes_max: u64) -> Refusal {
    let message =
        format!("{id} has {bytes} bytes; as `{}` at most {bytes_max} can be given", strategy.as_str());
    Refusal::new(&codes::FILE_TOO_LARGE, message)
}

fn not_an_image(id: &str, media_type: &str) -> Refusal {
    let message = format!("{id} is no image but {media_type}, as its bytes say");
    Refusal::new(&codes::NOT_AN_IMAGE, message)
}

/// Video or audio: their containers look alike, and tools that take one take the other.
fn is_recording(media_type: &str) -> bool {
    media_type.starts_with("video/") || media_type.starts_with("audio/")
}

fn not_a_video(id: &str, media_type: &str) -> Refusal {
    let message = format!("{id} is no video but {media_type}, as its bytes say");
    Refusal::new(&codes::NOT_A_VIDEO, message)
}

/// `why` tells why it cannot be converted to text.
pub(crate) fn not_text(id: &str, media_type: &str, why: &str) -> Refusal {
    Refusal::new(&codes::NOT_TEXT, format!("{id} is {media_type}, which is not text{why}"))
}
