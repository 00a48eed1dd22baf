//! MP4 and QuickTime: the table of samples of each track, plain or in fragments.

mod boxes;
mod samples;
mod text;

use std::io::{Read, Seek, SeekFrom};

use crate::cue::{Cue, Subtitles};
use crate::error::SubtitleError;
use crate::limits::{CUES_MAX, TRACK_BYTES_MAX, TRACKS_MAX};

use super::track::{MediaTrack, TrackCodec, read_at};
use boxes::{Mp4Box, boxes, find, header};
use samples::{SampleTable, TextSample, fragment_samples};

/// The `moov` box may be larger than a sample: an hour of video has a table of some megabytes.
const MOOV_BYTES_MAX: u64 = 256 << 20;
/// Boxes at the top of a file: fragments of a day of video.
const TOP_BOXES_MAX: usize = 200_000;
const MOOF_BYTES_MAX: u64 = 8 << 20;

pub(super) struct Mp4File {
    tracks: Vec<Mp4Track>,
}

struct Mp4Track {
    about: MediaTrack,
    timescale: u64,
    samples: Vec<TextSample>,
    /// Added to the times of samples, in milliseconds, by the edit list.
    offset_ms: i64,
}

impl Mp4File {
    pub(super) fn open(file: &mut (impl Read + Seek)) -> Result<Self, SubtitleError> {
        let mut tracks: Vec<Mp4Track> = Vec::new();
        let mut defaults = Vec::new();
        let mut has_moov = false;
        let end = file.seek(SeekFrom::End(0))?;
        let mut at = 0;
        for _ in 0..TOP_BOXES_MAX {
            let Some(top) = header(file, at, end)? else { break };
            let content = top.size - top.head;
            match &top.kind {
                b"moov" if top.is_cut => {
                    return Err(SubtitleError::Container("its index (moov) is cut off".into()));
                }
                b"moov" if content <= MOOV_BYTES_MAX => {
                    let moov = large(file, at + top.head, content)?;
                    tracks = moov_tracks(&moov)?;
                    defaults = samples::defaults(&moov);
                    has_moov = true;
                }
                b"moof" if content <= MOOF_BYTES_MAX => {
                    let moof = large(file, at + top.head, content)?;
                    for track in &mut tracks {
                        let found =
                            fragment_samples(&moof, at, track.about.number, &defaults, track.samples.last());
                        track.samples.extend(found?);
                    }
                }
                b"moov" | b"moof" => return Err(SubtitleError::Container("its index is too large".into())),
                _ => {}
            }
            at += top.size;
        }
        match has_moov {
            true => Ok(Self { tracks }),
            false => Err(SubtitleError::Container("it has no index (moov); it may be cut off".into())),
        }
    }

    pub(super) fn tracks(&self) -> Vec<MediaTrack> {
        self.tracks.iter().map(|track| track.about.clone()).collect()
    }

    pub(super) fn read(
        &self,
        file: &mut (impl Read + Seek),
        number: u64,
    ) -> Result<Subtitles, SubtitleError> {
        let track = self.tracks.iter().find(|track| track.about.number == number);
        let track = track.ok_or(SubtitleError::NoTrack(number))?;
        let codec = track
            .about
            .codec
            .ok_or_else(|| SubtitleError::NotText { track: number, codec: track.about.codec_name.clone() })?;
        let mut subtitles = Subtitles { language: track.about.language.clone(), ..Subtitles::default() };
        let mut total = 0;
        for sample in &track.samples {
            total += sample.bytes;
            if total > TRACK_BYTES_MAX {
                return Err(SubtitleError::Container("the samples of the track are too large".into()));
            }
            let bytes = match read_at(file, sample.at, sample.bytes) {
                Ok(bytes) => bytes,
                // A file that is cut off still has its beginning.
                Err(_) if !subtitles.cues.is_empty() => {
                    subtitles.remarks.push("the file is cut off; the end of the track is missing".into());
                    break;
                }
                Err(error) => return Err(error),
            };
            let (start, end) = track.times(sample);
            let found = match codec {
                TrackCodec::TimedText => text::timed_text(&bytes, start, end).into_iter().collect(),
                TrackCodec::WebVtt => text::web_vtt(&bytes, start, end),
                _ => text::ttml(&bytes, start, end)?,
            };
            add(&mut subtitles.cues, found)?;
        }
        Ok(subtitles)
    }
}

impl Mp4Track {
    fn times(&self, sample: &TextSample) -> (i64, i64) {
        let ms = |time: u64| {
            crate::timecode::rounded(i128::from(time) * 1000, i128::from(self.timescale))
                .saturating_add(self.offset_ms)
        };
        (ms(sample.time), ms(sample.time.saturating_add(sample.duration)))
    }
}

/// A cue that goes on through several samples is one.
fn add(cues: &mut Vec<Cue>, found: Vec<Cue>) -> Result<(), SubtitleError> {
    for cue in found {
        let same = cues.iter().rev().take(8).position(|before| {
            before.end == cue.start
                && before.runs == cue.runs
                && before.id == cue.id
                && before.place == cue.place
                && cue.id.is_some()
        });
        let count = cues.len();
        match same {
            Some(back) => cues[count - 1 - back].end = cue.end,
            None if count == CUES_MAX => {
                return Err(SubtitleError::TooMany { what: "cues", limit: CUES_MAX });
            }
            None => cues.push(cue),
        }
    }
    Ok(())
}

fn large(file: &mut (impl Read + Seek), at: u64, length: u64) -> Result<Vec<u8>, SubtitleError> {
    file.seek(SeekFrom::Start(at))?;
    let mut bytes = Vec::new();
    file.by_ref().take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn moov_tracks(moov: &[u8]) -> Result<Vec<Mp4Track>, SubtitleError> {
    let movie_scale =
        find(moov, &[b"mvhd"]).and_then(|mvhd| clock(mvhd.content)).map_or(1000, |(scale, _)| scale);
    let traks = boxes(moov).filter(|part| &part.kind == b"trak").take(TRACKS_MAX);
    let tracks: Result<Vec<Option<Mp4Track>>, SubtitleError> =
        traks.map(|trak| text_track(&trak, movie_scale)).collect();
    Ok(tracks?.into_iter().flatten().collect())
}

/// Timescale and language of `mdhd` and `mvhd`.
fn clock(content: &[u8]) -> Option<(u64, [u8; 2])> {
    let (scale, rest) = match content.first()? {
        1 => (content.get(20..24)?, content.get(32..34)),
        _ => (content.get(12..16)?, content.get(20..22)),
    };
    let scale = u64::from(u32::from_be_bytes(scale.try_into().ok()?)).max(1);
    Some((scale, rest.and_then(|rest| rest.try_into().ok()).unwrap_or_default()))
}

/// `None` if it is no track of subtitles.
fn text_track(trak: &Mp4Box<'_>, movie_scale: u64) -> Result<Option<Mp4Track>, SubtitleError> {
    let handler = find(trak.content, &[b"mdia", b"hdlr"]).and_then(|hdlr| hdlr.content.get(8..12));
    if !matches!(handler, Some(b"text" | b"sbtl" | b"subt" | b"clcp" | b"subp")) {
        return Ok(None);
    }
    let number = find(trak.content, &[b"tkhd"]).and_then(|tkhd| {
        let at = if tkhd.content.first() == Some(&1) { 20 } else { 12 };
        Some(u64::from(u32::from_be_bytes(tkhd.content.get(at..at + 4)?.try_into().ok()?)))
    });
    let Some(number) = number else { return Ok(None) };
    let mdhd = find(trak.content, &[b"mdia", b"mdhd"]).and_then(|mdhd| clock(mdhd.content));
    let (timescale, language) = mdhd.unwrap_or((1000, [0, 0]));
    let Some(table) = find(trak.content, &[b"mdia", b"minf", b"stbl"]) else { return Ok(None) };
    let codec_name = find(table.content, &[b"stsd"]).and_then(|stsd| stsd.content.get(12..16));
    let codec_name = String::from_utf8_lossy(codec_name.unwrap_or(b"????")).into_owned();
    let codec = match codec_name.as_str() {
        "tx3g" | "text" => Some(TrackCodec::TimedText),
        "wvtt" => Some(TrackCodec::WebVtt),
        "stpp" => Some(TrackCodec::Ttml),
        _ => None,
    };
    let about = MediaTrack { number, codec, codec_name, language: packed_language(language), name: None };
    let samples = SampleTable::of(table.content).samples()?;
    Ok(Some(Mp4Track { about, timescale, samples, offset_ms: edit_offset(trak, movie_scale, timescale) }))
}

/// Three letters of five bits each.
fn packed_language(packed: [u8; 2]) -> Option<String> {
    let packed = u16::from_be_bytes(packed);
    let letters = [packed >> 10 & 31, packed >> 5 & 31, packed & 31];
    let is_code = letters.iter().all(|letter| (1..=26).contains(letter));
    let code: String = letters.iter().map(|letter| char::from(b'`' + *letter as u8)).collect();
    (is_code && code != "und").then_some(code)
}

/// An empty edit delays the track; a media time skips its beginning.
fn edit_offset(trak: &Mp4Box<'_>, movie_scale: u64, timescale: u64) -> i64 {
    let Some(list) = find(trak.content, &[b"edts", b"elst"]) else { return 0 };
    let is_long = list.content.first() == Some(&1);
    let (size, half) = if is_long { (20, 8) } else { (12, 4) };
    let number = |bytes: &[u8]| -> i64 {
        match <[u8; 8]>::try_from(bytes) {
            Ok(bytes) => i64::from_be_bytes(bytes),
            Err(_) => bytes.try_into().map_or(0, |bytes| i64::from(i32::from_be_bytes(bytes))),
        }
    };
    let mut offset = 0i64;
    for entry in list.content.get(8..).unwrap_or_default().chunks_exact(size) {
        let (duration, media_time) = (number(&entry[..half]), number(&entry[half..2 * half]));
        if media_time >= 0 {
            return offset.saturating_sub(crate::timecode::rounded(
                i128::from(media_time) * 1000,
                i128::from(timescale),
            ));
        }
        offset = offset.saturating_add(crate::timecode::rounded(
            i128::from(duration.max(0)) * 1000,
            i128::from(movie_scale),
        ));
    }
    offset
}
