//! Subtitles as arguments: the text itself, a file, or a ref.

use capability_kit::{FileInput, LoadedFile, Trouble, Work};
use capability_subtitles::{SubtitleFormat, Subtitles, parse};

use crate::trouble::of_subtitles;

/// The four arguments that a document may come in.
pub(crate) struct SubtitleInput {
    pub(crate) text: Option<String>,
    pub(crate) file_data: Option<String>,
    pub(crate) file_type: Option<String>,
    pub(crate) source_ref_id: Option<String>,
}

impl SubtitleInput {
    /// The document and the format it was in.
    pub(crate) fn load(self, work: &Work) -> Result<(SubtitleFormat, Subtitles), Trouble> {
        let file = match self.text {
            Some(_) if self.file_data.is_some() || self.source_ref_id.is_some() => {
                return Err(
                    Trouble::bad_arguments("both text and a file were passed").hint("pass only one of them")
                );
            }
            Some(text) => LoadedFile { bytes: text.into_bytes(), media_type: self.file_type, name: None },
            None if self.file_data.is_none() && self.source_ref_id.is_none() => {
                return Err(Trouble::bad_arguments("no subtitles were passed")
                    .hint("pass text, file_data (Base64) or source_ref_id"));
            }
            None => FileInput {
                file_data: self.file_data,
                file_type: self.file_type,
                source_ref_id: self.source_ref_id,
            }
            .load(work)?,
        };
        let hint = file.media_type.as_deref().and_then(|hint| hint.parse().ok());
        let by_name = file.name.as_deref().and_then(|name| name.rsplit('.').next()?.parse().ok());
        parse(&file.bytes, hint.or(by_name)).map_err(|error| of_subtitles(&error))
    }
}

/// A format by its name, or the one that a document came in.
pub(crate) fn format(said: Option<&str>, otherwise: SubtitleFormat) -> Result<SubtitleFormat, Trouble> {
    let Some(said) = said else { return Ok(otherwise) };
    said.parse().map_err(|()| {
        Trouble::bad_arguments(format!("{said:?} is no format of subtitles"))
            .hint("pass srt, vtt, ass, ttml or sbv")
    })
}
