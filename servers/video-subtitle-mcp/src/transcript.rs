//! `generate_transcript`: speech to text.

use std::io::Write;
use std::sync::Arc;

use capability_kit::{FileInput, TextOut, Trouble, Work};
use capability_speech::SpokenSegment;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use crate::input::format;
use crate::output::{SubtitleOutput, output};
use crate::speech::{HeardSpeech, SpeechEngine, cues_of};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TranscriptArguments {
    /// Sound or video, in Base64. For large videos use create_job.
    #[serde(default)]
    file_data: Option<String>,
    /// Its media type or extension.
    #[serde(default)]
    file_type: Option<String>,
    /// Or the ref_id that a tool of this server returned.
    #[serde(default)]
    source_ref_id: Option<String>,
    /// Also as subtitles: srt, vtt, ass, ttml or sbv.
    #[serde(default)]
    to: Option<String>,
    /// Also each word with its time and confidence.
    #[serde(default)]
    words: bool,
    /// The spoken language. Only English (en) is known.
    #[serde(default)]
    language: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct TranscriptOutput {
    /// The language that the model writes; speech in others comes out wrong, with low confidence.
    language: &'static str,
    duration_s: f64,
    /// Of it, speech.
    speech_s: f64,
    /// The mean belief of the model in its words, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<f64>,
    transcript: TextOut,
    #[serde(skip_serializing_if = "Option::is_none")]
    subtitles: Option<SubtitleOutput>,
    /// Word, start and end in milliseconds, confidence. Times within a stretch of speech are estimates.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    words: Vec<(String, i64, i64, f64)>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

/// Below this the words are probably wrong.
const CONFIDENCE_LOW: f64 = 0.6;
/// Words that an answer lists.
const WORDS_MAX: usize = 20_000;

pub(crate) fn transcript(
    arguments: TranscriptArguments,
    work: &Work,
    engine: &Arc<SpeechEngine>,
) -> Result<TranscriptOutput, Trouble> {
    let TranscriptArguments { file_data, file_type, source_ref_id, to, words, language } = arguments;
    english(language.as_deref())?;
    let to = to.map(|to| format(Some(&to), capability_subtitles::SubtitleFormat::Srt)).transpose()?;
    let heard = heard(FileInput { file_data, file_type, source_ref_id }, work, engine)?;
    let subtitles = to.map(|to| output(&cues_of(&heard.segments), to, work)).transpose()?;
    let confidence = confidence(&heard.segments);
    let listed =
        heard.segments.iter().flat_map(|segment| &segment.words).take(if words { WORDS_MAX } else { 0 });
    let listed = listed
        .map(|word| (word.text.clone(), word.start_ms, word.end_ms, hundredths(f64::from(word.confidence))));
    Ok(TranscriptOutput {
        language: "en",
        duration_s: hundredths(heard.ended.end.heard_ms as f64 / 1000.0),
        speech_s: hundredths(heard.ended.end.spoken_ms as f64 / 1000.0),
        confidence,
        transcript: work.text(text_of(&heard.segments), "text/plain", "transcript.txt")?,
        subtitles,
        words: listed.collect(),
        warnings: warnings(&heard, confidence),
    })
}

/// Hears the file of a call.
pub(crate) fn heard(input: FileInput, work: &Work, engine: &SpeechEngine) -> Result<HeardSpeech, Trouble> {
    let file = input.load(work)?;
    if file.bytes.is_empty() {
        return Err(Trouble::unreadable("the file is empty").hint("pass a file with sound"));
    }
    // ffmpeg reads files, and decoders seek in them.
    let broken =
        |error: std::io::Error| Trouble::internal(format!("a temporary file cannot be written: {error}"));
    let mut copy = NamedTempFile::new().map_err(broken)?;
    copy.write_all(&file.bytes).map_err(broken)?;
    drop(file);
    engine.hear_all(copy.path(), |heard_ms, duration| {
        let total = duration.unwrap_or(0.0);
        work.progress(heard_ms as f64 / 1000.0, total, format!("{} s heard", heard_ms / 1000));
        true
    })
}

pub(crate) fn english(language: Option<&str>) -> Result<(), Trouble> {
    match language {
        Some(said) if !said.to_ascii_lowercase().starts_with("en") => Err(Trouble::unsupported(format!(
            "speech in {said:?} cannot be transcribed; the model knows English alone"
        ))
        .hint("omit language if the speech is English")),
        _ => Ok(()),
    }
}

pub(crate) fn text_of(segments: &[SpokenSegment]) -> String {
    let line = |segment: &SpokenSegment| {
        segment.words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")
    };
    segments.iter().map(line).collect::<Vec<_>>().join("\n")
}

pub(crate) fn confidence(segments: &[SpokenSegment]) -> Option<f64> {
    let words: Vec<f64> =
        segments.iter().flat_map(|segment| &segment.words).map(|word| f64::from(word.confidence)).collect();
    (!words.is_empty()).then(|| hundredths(words.iter().sum::<f64>() / words.len() as f64))
}

pub(crate) fn hundredths(number: f64) -> f64 {
    (number * 100.0).round() / 100.0
}

fn warnings(heard: &HeardSpeech, confidence: Option<f64>) -> Vec<String> {
    let mut warnings = Vec::new();
    if heard.segments.is_empty() {
        warnings.push("no speech was found".to_owned());
    }
    if confidence.is_some_and(|confidence| confidence < CONFIDENCE_LOW) {
        warnings.push(
            "the confidence is low: it may be music, noise, or another language than English".to_owned(),
        );
    }
    warnings.extend(heard.ended.cut_off.clone());
    if heard.ended.decoder == "ffmpeg" {
        warnings.push("the sound was decoded by ffmpeg".to_owned());
    }
    warnings
}
