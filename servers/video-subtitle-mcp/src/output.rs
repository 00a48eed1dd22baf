//! Subtitles in answers: short ones as text, long ones by ref.

use capability_kit::{TextOut, Trouble, Work};
use capability_subtitles::{SubtitleFormat, Subtitles, write};
use schemars::JsonSchema;
use serde::Serialize;

/// Remarks of one answer; more say nothing new.
const REMARKS_MAX: usize = 10;

#[derive(Serialize, JsonSchema)]
pub(crate) struct SubtitleOutput {
    /// srt, vtt, ass, ttml or sbv.
    format: &'static str,
    /// The number of cues.
    cues: usize,
    subtitles: TextOut,
    /// What this format cannot say.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lost: Vec<String>,
    /// What was repaired or ignored.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    remarks: Vec<String>,
}

pub(crate) fn output(
    subtitles: &Subtitles,
    format: SubtitleFormat,
    work: &Work,
) -> Result<SubtitleOutput, Trouble> {
    let written = write(subtitles, format);
    let name = format!("subtitles.{format}");
    Ok(SubtitleOutput {
        format: format.as_str(),
        cues: subtitles.cues.len(),
        subtitles: work.text(written.text, format.media_type(), &name)?,
        lost: written.lost,
        remarks: subtitles.remarks.iter().take(REMARKS_MAX).cloned().collect(),
    })
}
