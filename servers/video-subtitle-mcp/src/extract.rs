//! `extract_subtitles`: text tracks of a video, or a file of subtitles.

use std::io::Cursor;

use capability_kit::{FileInput, Trouble, Work};
use capability_subtitles::{MediaTrack, SubtitleFormat, Subtitles, media_kind, parse, read_track, tracks};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::input::format;
use crate::output::{SubtitleOutput, output};
use crate::trouble::of_subtitles;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExtractSubtitlesArguments {
    /// A video (MP4, MOV, MKV, WebM) or a file of subtitles, in Base64. For large videos use create_job.
    #[serde(default)]
    file_data: Option<String>,
    /// Its media type or extension.
    #[serde(default)]
    file_type: Option<String>,
    /// Or the ref_id that a tool of this server returned.
    #[serde(default)]
    source_ref_id: Option<String>,
    /// The number of the track; the first text track if omitted.
    #[serde(default)]
    track: Option<u64>,
    /// The language of the track, such as en or eng, if track is omitted.
    #[serde(default)]
    language: Option<String>,
    /// srt (default), vtt, ass, ttml or sbv.
    #[serde(default)]
    to: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct ExtractSubtitlesOutput {
    /// All tracks of subtitles; empty if the file itself is one.
    tracks: Vec<TrackSummary>,
    /// The number of the track that was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    track: Option<u64>,
    /// Absent if there is no text track.
    #[serde(flatten)]
    subtitles: Option<SubtitleOutput>,
}

#[derive(Serialize, JsonSchema)]
struct TrackSummary {
    number: u64,
    /// The form of its text, or the name of a codec that is no text.
    codec: String,
    is_text: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
}

impl From<MediaTrack> for TrackSummary {
    fn from(track: MediaTrack) -> Self {
        let codec = track.codec.map_or(track.codec_name, |codec| codec.as_str().to_owned());
        Self {
            number: track.number,
            codec,
            is_text: track.codec.is_some(),
            language: track.language,
            name: track.name,
        }
    }
}

pub(crate) fn extract(
    arguments: ExtractSubtitlesArguments,
    work: &Work,
) -> Result<ExtractSubtitlesOutput, Trouble> {
    let ExtractSubtitlesArguments { file_data, file_type, source_ref_id, track, language, to } = arguments;
    let file = FileInput { file_data, file_type, source_ref_id }.load(work)?;
    if media_kind(&file.bytes).is_none() {
        let hint = file.media_type.as_deref().and_then(|hint| hint.parse().ok());
        let (from, subtitles) = parse(&file.bytes, hint).map_err(|error| of_subtitles(&error))?;
        let subtitles = output(&subtitles, format(to.as_deref(), from)?, work)?;
        return Ok(ExtractSubtitlesOutput { tracks: Vec::new(), track: None, subtitles: Some(subtitles) });
    }
    let mut file = Cursor::new(file.bytes);
    let found = tracks(&mut file).map_err(|error| of_subtitles(&error))?;
    let wanted = track.or_else(|| choose(&found, language.as_deref()));
    let subtitles = match wanted {
        Some(number) => {
            let read: Subtitles = read_track(&mut file, number).map_err(|error| of_subtitles(&error))?;
            Some(output(&read, format(to.as_deref(), SubtitleFormat::Srt)?, work)?)
        }
        None => None,
    };
    Ok(ExtractSubtitlesOutput {
        tracks: found.into_iter().map(TrackSummary::from).collect(),
        track: wanted,
        subtitles,
    })
}

/// The first text track of the language, or the first of all.
pub(crate) fn choose(tracks: &[MediaTrack], language: Option<&str>) -> Option<u64> {
    let is_of = |track: &&MediaTrack| match (language, &track.language) {
        (None, _) => true,
        // Two and three letters: en is eng, de is deu or ger.
        (Some(wanted), Some(own)) => {
            let (wanted, own) = (wanted.to_ascii_lowercase(), own.to_ascii_lowercase());
            let base = |code: &str| code.split('-').next().unwrap_or_default().to_owned();
            base(&own) == base(&wanted)
                || own.starts_with(&base(&wanted))
                || (base(&wanted) == "de" && own == "ger")
        }
        (Some(_), None) => false,
    };
    tracks.iter().filter(|track| track.codec.is_some()).find(is_of).map(|track| track.number)
}
