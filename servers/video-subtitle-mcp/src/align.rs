//! `align_text`: a known text gets the times of its speech.

use std::sync::Arc;

use capability_kit::{FileInput, Trouble, Work};
use capability_speech::{AlignedWord, SpokenSegment, SpokenWord, align};
use capability_subtitles::SubtitleFormat;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::input::format;
use crate::output::{SubtitleOutput, output};
use crate::speech::{SpeechEngine, cues_of};
use crate::transcript::{heard, hundredths};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AlignArguments {
    /// The text that is spoken.
    text: String,
    /// Sound or video, in Base64.
    #[serde(default)]
    file_data: Option<String>,
    /// Its media type or extension.
    #[serde(default)]
    file_type: Option<String>,
    /// Or the ref_id that a tool of this server returned.
    #[serde(default)]
    source_ref_id: Option<String>,
    /// srt (default), vtt, ass, ttml or sbv.
    #[serde(default)]
    to: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct AlignOutput {
    /// The share of the words that were heard as they are written, from 0 to 1.
    heard: f64,
    #[serde(flatten)]
    subtitles: SubtitleOutput,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

/// With fewer words heard, the text is probably another one.
const HEARD_LOW: f64 = 0.5;
/// A pause between words that ends a stretch.
const PAUSE_MS: i64 = 600;
const TEXT_BYTES_MAX: usize = 1 << 20;

pub(crate) fn align_text(
    arguments: AlignArguments,
    work: &Work,
    engine: &Arc<SpeechEngine>,
) -> Result<AlignOutput, Trouble> {
    let AlignArguments { text, file_data, file_type, source_ref_id, to } = arguments;
    if text.trim().is_empty() || text.len() > TEXT_BYTES_MAX {
        return Err(Trouble::bad_arguments("the text is empty or has more than a megabyte")
            .hint("pass the text that is spoken"));
    }
    let to = format(to.as_deref(), SubtitleFormat::Srt)?;
    let speech = heard(FileInput { file_data, file_type, source_ref_id }, work, engine)?;
    let spoken: Vec<SpokenWord> = speech.segments.into_iter().flat_map(|segment| segment.words).collect();
    if spoken.is_empty() {
        return Err(
            Trouble::unreadable("no speech was found").hint("pass a recording in which the text is spoken")
        );
    }
    let words = align(&text, &spoken);
    let share = words.iter().filter(|word| word.is_heard).count() as f64 / words.len().max(1) as f64;
    let mut warnings: Vec<String> = speech.ended.cut_off.into_iter().collect();
    if share < HEARD_LOW {
        warnings.push(
            "less than half of the words were heard: the text may be another one, or the times wrong"
                .to_owned(),
        );
    }
    let subtitles = output(&cues_of(&segments(words)), to, work)?;
    Ok(AlignOutput { heard: hundredths(share), subtitles, warnings })
}

/// Stretches between pauses.
fn segments(words: Vec<AlignedWord>) -> Vec<SpokenSegment> {
    let mut segments: Vec<SpokenSegment> = Vec::new();
    for word in words {
        let spoken =
            SpokenWord { text: word.text, start_ms: word.start_ms, end_ms: word.end_ms, confidence: 1.0 };
        match segments.last_mut().filter(|last| spoken.start_ms - last.end_ms < PAUSE_MS) {
            Some(last) => {
                last.end_ms = spoken.end_ms;
                last.words.push(spoken);
            }
            None => segments.push(SpokenSegment {
                start_ms: spoken.start_ms,
                end_ms: spoken.end_ms,
                words: vec![spoken],
            }),
        }
    }
    segments
}
