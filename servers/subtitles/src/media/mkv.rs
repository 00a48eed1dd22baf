//! Matroska and WebM: tracks, then clusters of blocks. Blocks of other tracks are skipped where they lie.

mod ebml;

use std::io::{Read, Seek, SeekFrom};

use flate2::read::ZlibDecoder;

use crate::ass;
use crate::cue::{Cue, Subtitles};
use crate::error::SubtitleError;
use crate::kind::SubtitleFormat;
use crate::limits::{CUES_MAX, OPEN_CUE_MS, SAMPLE_BYTES_MAX, TRACK_BYTES_MAX, TRACKS_MAX};
use crate::markup::{self, TagDialect};
use crate::timecode::rounded;

use super::track::{MediaTrack, TrackCodec, read_at};
use ebml::{EbmlElement, children, element, number, text};

const SEGMENT: u32 = 0x1853_8067;
const INFO: u32 = 0x1549_a966;
const TRACKS: u32 = 0x1654_ae6b;
const CLUSTER: u32 = 0x1f43_b675;
/// Elements that are visited in one file: blocks of a long film.
const VISITS_MAX: u64 = 50_000_000;

pub(super) struct MkvFile {
    tracks: Vec<MkvTrack>,
    /// Nanoseconds of a unit of time.
    scale: u64,
    clusters_at: u64,
    end: u64,
}

struct MkvTrack {
    about: MediaTrack,
    private: Vec<u8>,
    packing: BlockPacking,
}

/// What has to be undone before a block can be read.
#[derive(Clone, PartialEq, Eq, Debug)]
enum BlockPacking {
    Plain,
    Zlib,
    /// These bytes are missing at the beginning.
    Stripped(Vec<u8>),
    /// Encrypted, or packed by an old method.
    Unknown,
}

/// A block of the wanted track.
struct TextBlock {
    start: i64,
    /// In units of the file.
    duration: Option<u64>,
    bytes: Vec<u8>,
}

impl MkvFile {
    pub(super) fn open(file: &mut (impl Read + Seek)) -> Result<Self, SubtitleError> {
        let end = file.seek(SeekFrom::End(0))?;
        let damaged = || SubtitleError::Container("it has no segment".into());
        let head = element(file, 0, end)?.ok_or_else(damaged)?;
        let segment =
            element(file, head.end(), end)?.filter(|found| found.id == SEGMENT).ok_or_else(damaged)?;
        let mut found = Self {
            tracks: Vec::new(),
            scale: 1_000_000,
            clusters_at: segment.content,
            end: segment.end().min(end),
        };
        let mut at = segment.content;
        while let Some(part) = element(file, at, found.end)? {
            match part.id {
                INFO => {
                    let info = read_at(file, part.content, part.length)?;
                    let scale =
                        children(&info).find(|(id, _)| *id == 0x2a_d7b1).map(|(_, value)| number(value));
                    found.scale = scale.filter(|scale| *scale > 0).unwrap_or(found.scale);
                }
                TRACKS => {
                    let entries = read_at(file, part.content, part.length)?;
                    let entries = children(&entries).filter(|(id, _)| *id == 0xae).take(TRACKS_MAX);
                    found.tracks = entries.filter_map(|(_, entry)| track(entry)).collect();
                }
                CLUSTER => {
                    found.clusters_at = at;
                    return Ok(found);
                }
                _ => {}
            }
            at = part.end();
        }
        found.clusters_at = found.end;
        Ok(found)
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
        let not_text = || SubtitleError::NotText { track: number, codec: track.about.codec_name.clone() };
        let codec = track.about.codec.ok_or_else(not_text)?;
        if track.packing == BlockPacking::Unknown {
            return Err(SubtitleError::NotText {
                track: number,
                codec: format!("{}, encrypted or packed", track.about.codec_name),
            });
        }
        let mut subtitles = Subtitles { language: track.about.language.clone(), ..Subtitles::default() };
        if codec == TrackCodec::Ass {
            let head = String::from_utf8_lossy(&track.private);
            let head = head.split("[Events]").next().unwrap_or_default().trim().replace('\r', "");
            subtitles.head = Some((SubtitleFormat::Ass, head));
        }
        let mut open: Vec<usize> = Vec::new();
        let ended = self.blocks(file, number, |block| {
            if subtitles.cues.len() == CUES_MAX {
                return Err(SubtitleError::TooMany { what: "cues", limit: CUES_MAX });
            }
            let bytes = track.unpacked(block.bytes)?;
            let start = self.ms(block.start);
            let end = block.duration.map(|duration| self.ms(block.start.saturating_add_unsigned(duration)));
            if let Some(cue) = cue(codec, &bytes, start, end.unwrap_or(start)) {
                if end.is_none() {
                    open.push(subtitles.cues.len());
                }
                subtitles.cues.push(cue);
            }
            Ok(())
        });
        match ended {
            Ok(true) => {}
            Ok(false) => {
                subtitles.remarks.push("the file is cut off; the end of the track is missing".into())
            }
            Err(error) => return Err(error),
        }
        close(&mut subtitles.cues, &open);
        subtitles.cues.sort_by_key(|cue| cue.start);
        Ok(subtitles)
    }

    fn ms(&self, units: i64) -> i64 {
        rounded(i128::from(units) * i128::from(self.scale), 1_000_000)
    }

    /// Calls `take` for every block of the track. False if the file ends too early.
    fn blocks(
        &self,
        file: &mut (impl Read + Seek),
        track: u64,
        mut take: impl FnMut(TextBlock) -> Result<(), SubtitleError>,
    ) -> Result<bool, SubtitleError> {
        let (mut at, mut cluster_time, mut visits, mut total) = (self.clusters_at, 0i64, 0u64, 0u64);
        while let Some(part) = element(file, at, self.end)? {
            visits += 1;
            if visits > VISITS_MAX {
                return Err(SubtitleError::Container("it has too many blocks".into()));
            }
            // Of a cluster, and of a group of blocks, the parts come next.
            let is_open = part.id == CLUSTER;
            if part.is_cut && !is_open {
                return Ok(false);
            }
            match part.id {
                0xe7 => {
                    cluster_time =
                        i64::try_from(number(&read_at(file, part.content, part.length.min(8))?)).unwrap_or(0)
                }
                0xa3 => {
                    if let Some(block) = block(file, &part, track, cluster_time)? {
                        total += block.bytes.len() as u64;
                        take(block)?;
                    }
                }
                0xa0 => {
                    if let Some(block) = group(file, &part, track, cluster_time)? {
                        total += block.bytes.len() as u64;
                        take(block)?;
                    }
                }
                _ => {}
            }
            if total > TRACK_BYTES_MAX {
                return Err(SubtitleError::Container("the blocks of the track are too large".into()));
            }
            at = if is_open { part.content } else { part.end() };
        }
        Ok(at >= self.end)
    }
}

impl MkvTrack {
    fn unpacked(&self, bytes: Vec<u8>) -> Result<Vec<u8>, SubtitleError> {
        match &self.packing {
            BlockPacking::Zlib => {
                let mut plain = Vec::new();
                ZlibDecoder::new(bytes.as_slice()).take(SAMPLE_BYTES_MAX).read_to_end(&mut plain)?;
                Ok(plain)
            }
            BlockPacking::Stripped(head) => Ok([head.as_slice(), &bytes].concat()),
            BlockPacking::Plain | BlockPacking::Unknown => Ok(bytes),
        }
    }
}

/// A simple block, if it is of this track.
fn block(
    file: &mut (impl Read + Seek),
    part: &EbmlElement,
    track: u64,
    cluster: i64,
) -> Result<Option<TextBlock>, SubtitleError> {
    let head = read_at(file, part.content, part.length.min(12))?;
    let Some((number, used)) = ebml::vint(&head) else { return Ok(None) };
    if number != track {
        return Ok(None);
    }
    let bytes = read_at(file, part.content, part.length)?;
    let (Some(time), Some(flags)) = (bytes.get(used..used + 2), bytes.get(used + 2)) else { return Ok(None) };
    // Text is never laced.
    if flags & 0x06 != 0 {
        return Ok(None);
    }
    let relative = i64::from(i16::from_be_bytes([time[0], time[1]]));
    Ok(Some(TextBlock {
        start: cluster.saturating_add(relative),
        duration: None,
        bytes: bytes[used + 3..].to_vec(),
    }))
}

/// A block with its duration.
fn group(
    file: &mut (impl Read + Seek),
    part: &EbmlElement,
    track: u64,
    cluster: i64,
) -> Result<Option<TextBlock>, SubtitleError> {
    let (mut found, mut duration) = (None, None);
    let mut at = part.content;
    while let Some(inner) = element(file, at, part.end())? {
        match inner.id {
            0xa1 => found = block(file, &inner, track, cluster)?,
            0x9b => duration = Some(number(&read_at(file, inner.content, inner.length.min(8))?)),
            _ => {}
        }
        at = inner.end();
    }
    Ok(found.map(|block| TextBlock { duration, ..block }))
}

fn cue(codec: TrackCodec, bytes: &[u8], start: i64, end: i64) -> Option<Cue> {
    let text = String::from_utf8_lossy(bytes).replace("\r\n", "\n").replace('\0', "");
    match codec {
        TrackCodec::Ass => {
            // ReadOrder, Layer, Style, Name, MarginL, MarginR, MarginV, Effect, Text
            let fields: Vec<&str> = text.splitn(9, ',').collect();
            let [_, settings @ .., body] = fields.as_slice() else { return None };
            let settings: Vec<String> = settings.iter().map(|&field| field.to_owned()).collect();
            ass::event_of(start, end, settings.as_slice().try_into().ok()?, body)
        }
        _ => {
            let dialect = if codec == TrackCodec::WebVtt { TagDialect::WebVtt } else { TagDialect::SubRip };
            let marked = markup::parse(&text, dialect);
            let cue = Cue {
                start,
                end,
                runs: marked.runs,
                speaker: marked.speaker,
                place: marked.place,
                ..Cue::default()
            };
            (!cue.is_blank()).then_some(cue)
        }
    }
}

/// Cues without a duration end with the next one.
fn close(cues: &mut [Cue], open: &[usize]) {
    for &index in open {
        let start = cues[index].start;
        let next = cues.get(index + 1).map_or(start + OPEN_CUE_MS, |next| next.start);
        cues[index].end = next.clamp(start, start.saturating_add(OPEN_CUE_MS));
    }
}

/// `None` if it is no track of subtitles.
fn track(entry: &[u8]) -> Option<MkvTrack> {
    let find = |wanted: u32| children(entry).find(|(id, _)| *id == wanted).map(|(_, value)| value);
    if number(find(0x83)?) != 0x11 {
        return None;
    }
    let codec_name = text(find(0x86)?);
    let codec = match codec_name.as_str() {
        "S_TEXT/UTF8" | "S_TEXT/ASCII" => Some(TrackCodec::SubRip),
        "S_TEXT/ASS" | "S_TEXT/SSA" | "S_ASS" | "S_SSA" => Some(TrackCodec::Ass),
        "S_TEXT/WEBVTT" | "D_WEBVTT/SUBTITLES" | "D_WEBVTT/CAPTIONS" => Some(TrackCodec::WebVtt),
        _ => None,
    };
    let language = find(0x22_b59d)
        .or_else(|| find(0x22_b59c))
        .map(text)
        .filter(|code| !code.is_empty() && code != "und");
    let about = MediaTrack {
        number: number(find(0xd7)?),
        codec,
        codec_name,
        // The format's default where a file says nothing.
        language: language.or_else(|| find(0x22_b59c).is_none().then(|| "eng".to_owned())),
        name: find(0x536e).map(text).filter(|name| !name.is_empty()),
    };
    let packing = find(0x6d80).map_or(BlockPacking::Plain, packing);
    Some(MkvTrack { about, private: find(0x63a2).unwrap_or_default().to_vec(), packing })
}

fn packing(encodings: &[u8]) -> BlockPacking {
    let mut list = children(encodings).filter(|(id, _)| *id == 0x6240);
    let (Some((_, encoding)), None) = (list.next(), list.next()) else { return BlockPacking::Unknown };
    let find = |from: &'_ [u8], wanted: u32| {
        children(from).find(|(id, _)| *id == wanted).map(|(_, value)| value.to_vec())
    };
    if find(encoding, 0x5035).is_some() {
        return BlockPacking::Unknown;
    }
    let Some(compression) = find(encoding, 0x5034) else { return BlockPacking::Unknown };
    match find(&compression, 0x4254).map_or(0, |value| number(&value)) {
        0 => BlockPacking::Zlib,
        3 => BlockPacking::Stripped(find(&compression, 0x4255).unwrap_or_default()),
        _ => BlockPacking::Unknown,
    }
}
