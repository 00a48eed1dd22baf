//! Text tracks of MP4 and Matroska files, read without other programs. Files are read where they lie: only headers and the
//! track's own samples are loaded.

mod mkv;
mod mp4;

use std::io::{Read, Seek, SeekFrom};

use crate::cue::Subtitles;
use crate::error::SubtitleError;

/// A container.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MediaKind {
    Mp4,
    Matroska,
}

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

/// The kind of container by its first bytes.
pub fn media_kind(head: &[u8]) -> Option<MediaKind> {
    if head.starts_with(&[0x1a, 0x45, 0xdf, 0xa3]) {
        return Some(MediaKind::Matroska);
    }
    let is_mp4 =
        matches!(head.get(4..8), Some(b"ftyp" | b"moov" | b"styp" | b"free" | b"mdat" | b"skip" | b"wide"));
    is_mp4.then_some(MediaKind::Mp4)
}

fn kind_of(file: &mut (impl Read + Seek)) -> Result<MediaKind, SubtitleError> {
    let mut head = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.by_ref().take(16).read_to_end(&mut head)?;
    file.seek(SeekFrom::Start(0))?;
    if head.is_empty() {
        return Err(SubtitleError::Empty);
    }
    media_kind(&head).ok_or(SubtitleError::NotMedia)
}

/// All tracks of subtitles.
pub fn tracks(file: &mut (impl Read + Seek)) -> Result<Vec<MediaTrack>, SubtitleError> {
    match kind_of(file)? {
        MediaKind::Mp4 => Ok(mp4::Mp4File::open(file)?.tracks()),
        MediaKind::Matroska => Ok(mkv::MkvFile::open(file)?.tracks()),
    }
}

/// The text of one track.
pub fn read_track(file: &mut (impl Read + Seek), number: u64) -> Result<Subtitles, SubtitleError> {
    match kind_of(file)? {
        MediaKind::Mp4 => mp4::Mp4File::open(file)?.read(file, number),
        MediaKind::Matroska => mkv::MkvFile::open(file)?.read(file, number),
    }
}

/// Bytes of a part of a file, within limits.
fn read_at(file: &mut (impl Read + Seek), at: u64, length: u64) -> Result<Vec<u8>, SubtitleError> {
    if length > crate::limits::SAMPLE_BYTES_MAX {
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

#[cfg(test)]
mod tests;
