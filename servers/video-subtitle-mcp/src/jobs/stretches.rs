//! Stretches of a text with their words: kept on the disk while a job works, and written as JSON where that is asked for.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use capability_speech::{SpokenSegment, SpokenWord};
use capability_subtitles::Subtitles;
use serde::{Deserialize, Serialize};

use crate::transcript::hundredths;

/// The name of the format, and its media type.
pub(super) const FORMAT: &str = "json";
pub(super) const MEDIA_TYPE: &str = "application/json";

/// A stretch of speech on the disk.
#[derive(Serialize, Deserialize)]
struct StoredSegment {
    start_ms: i64,
    end_ms: i64,
    /// Word, start, end, confidence.
    words: Vec<(String, i64, i64, f32)>,
}

/// A result as JSON.
#[derive(Serialize)]
struct StretchFile<'a> {
    /// track or speech.
    source: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<&'a str>,
    segments: Vec<StretchItem>,
}

#[derive(Serialize)]
struct StretchItem {
    start_ms: i64,
    end_ms: i64,
    text: String,
    /// Word, start, end, confidence. Text tracks have none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    words: Vec<(String, i64, i64, f64)>,
}

/// Appends a stretch to the log of a job.
pub(super) fn store(log: &mut File, segment: &SpokenSegment) -> io::Result<()> {
    let words = segment
        .words
        .iter()
        .map(|word| (word.text.clone(), word.start_ms, word.end_ms, word.confidence))
        .collect();
    let stored = StoredSegment { start_ms: segment.start_ms, end_ms: segment.end_ms, words };
    let mut line = serde_json::to_vec(&stored)?;
    line.push(b'\n');
    log.write_all(&line)
}

/// What was heard before. A line that was cut off is heard again.
pub(super) fn stored(path: &Path) -> Vec<SpokenSegment> {
    let Ok(text) = fs::read_to_string(path) else { return Vec::new() };
    let segments = text.lines().map_while(|line| serde_json::from_str::<StoredSegment>(line).ok());
    let word = |(text, start_ms, end_ms, confidence)| SpokenWord { text, start_ms, end_ms, confidence };
    segments
        .map(|stored| SpokenSegment {
            start_ms: stored.start_ms,
            end_ms: stored.end_ms,
            words: stored.words.into_iter().map(word).collect(),
        })
        .collect()
}

/// A result as JSON: stretches of speech with their words, or the cues of a text track.
pub(super) fn json_of(subtitles: &Subtitles, source: &str, heard: &[SpokenSegment]) -> io::Result<String> {
    let segments = match heard {
        [] => subtitles
            .cues
            .iter()
            .map(|cue| StretchItem {
                start_ms: cue.start,
                end_ms: cue.end,
                text: cue.text(),
                words: Vec::new(),
            })
            .collect(),
        heard => heard.iter().map(spoken).collect(),
    };
    let file = StretchFile { source, language: subtitles.language.as_deref(), segments };
    Ok(serde_json::to_string(&file)?)
}

fn spoken(segment: &SpokenSegment) -> StretchItem {
    let words = segment.words.iter();
    StretchItem {
        start_ms: segment.start_ms,
        end_ms: segment.end_ms,
        text: words.clone().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" "),
        words: words
            .map(|it| (it.text.clone(), it.start_ms, it.end_ms, hundredths(f64::from(it.confidence))))
            .collect(),
    }
}
