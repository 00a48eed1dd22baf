//! The source of an advertisement: a text, a file, or the ref of one that was parsed.

use capability_kit::{FileInput, Trouble, Work};

use crate::reading::JobSource;

/// Exactly one of these is given.
pub(super) struct GivenJob {
    pub(super) text: Option<String>,
    pub(super) file: FileInput,
}

impl GivenJob {
    pub(super) fn load(self, work: &Work) -> Result<JobSource, Trouble> {
        let has_file = self.file.file_data.is_some() || self.file.source_ref_id.is_some();
        match self.text {
            Some(_) if has_file => Err(Trouble::bad_arguments("both text and a file were passed")
                .hint("pass only one of text, file_data and source_ref_id")),
            Some(text) if text.trim().is_empty() => {
                Err(Trouble::bad_arguments("text is empty").hint("pass the text of the advertisement"))
            }
            Some(text) => JobSource::of_text(&text),
            None if !has_file => Err(Trouble::bad_arguments("no advertisement was passed")
                .hint("pass text, or file_data (Base64), or source_ref_id; behind a gateway, file_id")),
            None => {
                let loaded = self.file.load(work)?;
                JobSource::of_file(&loaded.bytes, loaded.media_type.as_deref())
            }
        }
    }
}
