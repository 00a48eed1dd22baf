//! Tracks of containers, and parts of files.

use std::io::{Read, Seek, SeekFrom};

use crate::error::SubtitleError;
use crate::limits::SAMPLE_BYTES_MAX;

/// The form of the text in a track.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TrackCodec {
    /// 3GPP timed text (`tx3g`).
    TimedText,
    /// WebVTT in MP4 (`wvtt`) or Matroska.
    WebVtt,
    /// TTML documents as samples (`stpp`).
    Ttml,
    SubRip,
    Ass,
}

impl TrackCodec {
    pub fn as_str(self) -> &'static str {
        match self {
            TrackCodec::TimedText => "tx3g",
            TrackCodec::WebVtt => "webvtt",
            TrackCodec::Ttml => "ttml",
            TrackCodec::SubRip => "subrip",
            TrackCodec::Ass => "ass",
        }
    }
}

/// A track of subtitles or captions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MediaTrack {
    /// The number of the track in its container.
    pub number: u64,
    /// `None` if it is no text: pictures (PGS, VobSub) or line-21 data.
    pub codec: Option<TrackCodec>,
    /// The name of the codec in the container.
    pub codec_name: String,
    pub language: Option<String>,
    pub name: Option<String>,
}

/// Bytes of a part of a file, within limits.
pub(super) fn read_at(file: &mut (impl Read + Seek), at: u64, length: u64) -> Result<Vec<u8>, SubtitleError> {
    if length > SAMPLE_BYTES_MAX {
        return Err(SubtitleError::Container(format!("a part claims to have {} MiB", length >> 20)));
    }
    file.seek(SeekFrom::Start(at))?;
    let mut bytes = Vec::new();
    file.by_ref().take(length).read_to_end(&mut bytes)?;
    match bytes.len() as u64 == length {
        true => Ok(bytes),
        false => Err(SubtitleError::Container("its end is missing".into())),
    }
}
