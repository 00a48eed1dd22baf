//! `convert_subtitles`: one format to another.

use capability_kit::{Trouble, Work};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::input::{SubtitleInput, format};
use crate::output::{SubtitleOutput, output};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ConvertSubtitlesArguments {
    /// The subtitles themselves.
    #[serde(default)]
    text: Option<String>,
    /// Or a file with them, in Base64.
    #[serde(default)]
    file_data: Option<String>,
    /// Its type, such as srt. Detected from the content if omitted.
    #[serde(default)]
    file_type: Option<String>,
    /// Or the ref_id that a tool of this server returned.
    #[serde(default)]
    source_ref_id: Option<String>,
    /// srt, vtt, ass, ttml or sbv.
    to: String,
}

pub(crate) fn convert(arguments: ConvertSubtitlesArguments, work: &Work) -> Result<SubtitleOutput, Trouble> {
    let ConvertSubtitlesArguments { text, file_data, file_type, source_ref_id, to } = arguments;
    let (from, subtitles) = SubtitleInput { text, file_data, file_type, source_ref_id }.load(work)?;
    output(&subtitles, format(Some(&to), from)?, work)
}
