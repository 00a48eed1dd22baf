//! Text tracks of MP4 and Matroska files, read without other programs. Files are read where they lie: only headers and the
//! track's own samples are loaded.

mod mkv;
mod mp4;
mod track;

use std::io::{Read, Seek, SeekFrom};

use crate::cue::Subtitles;
use crate::error::SubtitleError;

pub use track::{MediaTrack, TrackCodec};

/// A container.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MediaKind {
    Mp4,
    Matroska,
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

#[cfg(test)]
mod tests;
