//! A picture that a person looks at before answering a question.

use super::input::BadSlot;
use crate::Digest;

/// The very bytes that were there when the question was asked.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct SlotPicture {
    /// The id under which the agent named it: `ref_…` or `file_…`.
    pub id: String,
    pub digest: Digest,
    pub bytes: u64,
    pub media_type: String,
}

impl SlotPicture {
    /// Types without active content, which a browser may show. SVG is a document with scripts.
    pub const MEDIA_TYPES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];
    /// The maximum size of a picture that is shown to a person.
    pub const BYTES_MAX: u64 = 4 << 20;

    pub(super) fn check(&self) -> Result<(), BadSlot> {
        if !Self::MEDIA_TYPES.contains(&self.media_type.as_str()) {
            return Err(BadSlot::NoPicture(self.media_type.clone()));
        }
        if self.bytes > Self::BYTES_MAX { Err(BadSlot::LargePicture) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(media_type: &str, bytes: u64) -> SlotPicture {
        SlotPicture {
            id: "ref_1".to_owned(),
            digest: Digest::of(""),
            bytes,
            media_type: media_type.to_owned(),
        }
    }

    #[test]
    fn only_pictures_that_cannot_act_are_shown_and_no_large_ones() {
        assert_eq!(picture("image/png", 10).check(), Ok(()));
        for other in ["image/svg+xml", "text/html", "application/pdf", ""] {
            assert_eq!(picture(other, 10).check(), Err(BadSlot::NoPicture(other.to_owned())));
        }
        assert_eq!(picture("image/jpeg", SlotPicture::BYTES_MAX + 1).check(), Err(BadSlot::LargePicture));
    }
}
