//! Where the samples of a track lie and when they are shown. Tables that lie are cut to what they prove.

use super::boxes::{ByteCursor, boxes, find};
use crate::error::SubtitleError;
use crate::limits::SAMPLES_MAX;

/// A piece of text in the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct TextSample {
    pub(super) at: u64,
    pub(super) bytes: u64,
    /// In units of the track.
    pub(super) time: u64,
    pub(super) duration: u64,
}

/// The tables of `stbl`.
pub(super) struct SampleTable<'a> {
    bytes: &'a [u8],
}

impl<'a> SampleTable<'a> {
    pub(super) fn of(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    fn table(&self, kind: &[u8; 4]) -> ByteCursor<'a> {
        let content = find(self.bytes, &[kind]).map_or(&[][..], |found| found.content);
        ByteCursor(content.get(4..).unwrap_or_default())
    }

    pub(super) fn samples(&self) -> Result<Vec<TextSample>, SubtitleError> {
        let sizes = self.sizes()?;
        let times = self.times(sizes.len());
        let places = self.places(&sizes);
        let samples = sizes.iter().zip(times).zip(places);
        Ok(samples
            .map(|((bytes, (time, duration)), at)| TextSample { at, bytes: *bytes, time, duration })
            .collect())
    }

    fn sizes(&self) -> Result<Vec<u64>, SubtitleError> {
        let mut table = self.table(b"stsz");
        let (Some(same), Some(count)) = (table.u32(), table.u32()) else { return Ok(Vec::new()) };
        let count = count as usize;
        if count > SAMPLES_MAX {
            return Err(SubtitleError::TooMany { what: "samples", limit: SAMPLES_MAX });
        }
        if same > 0 {
            return Ok(vec![u64::from(same); count]);
        }
        Ok(std::iter::from_fn(|| table.u32()).take(count).map(u64::from).collect())
    }

    fn times(&self, count: usize) -> Vec<(u64, u64)> {
        let mut table = self.table(b"stts");
        let entries = table.u32().unwrap_or(0);
        let (mut times, mut now) = (Vec::new(), 0u64);
        for _ in 0..entries {
            let (Some(run), Some(delta)) = (table.u32(), table.u32()) else { break };
            for _ in 0..run {
                if times.len() == count {
                    return times;
                }
                times.push((now, u64::from(delta)));
                now = now.saturating_add(u64::from(delta));
            }
        }
        times
    }

    fn places(&self, sizes: &[u64]) -> Vec<u64> {
        let chunks = self.chunks();
        let mut map = self.table(b"stsc");
        let entries = map.u32().unwrap_or(0);
        let runs: Vec<(u64, u64)> = std::iter::from_fn(|| {
            let run = (u64::from(map.u32()?), u64::from(map.u32()?));
            map.u32()?;
            Some(run)
        })
        .take(entries as usize)
        .collect();
        let (mut places, mut run) = (Vec::new(), 0);
        for (index, chunk) in chunks.iter().enumerate() {
            while runs.get(run + 1).is_some_and(|(first, _)| *first <= index as u64 + 1) {
                run += 1;
            }
            let mut at = *chunk;
            for _ in 0..runs.get(run).map_or(0, |(_, samples)| *samples) {
                let Some(size) = sizes.get(places.len()) else { return places };
                places.push(at);
                at = at.saturating_add(*size);
            }
        }
        places
    }

    fn chunks(&self) -> Vec<u64> {
        let mut table = self.table(b"stco");
        if let Some(count) = table.u32() {
            return std::iter::from_fn(|| table.u32()).take(count as usize).map(u64::from).collect();
        }
        let mut table = self.table(b"co64");
        let count = table.u32().unwrap_or(0);
        std::iter::from_fn(|| table.u64()).take(count as usize).collect()
    }
}

/// The defaults of a track for fragments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct FragmentDefaults {
    track: u64,
    duration: u64,
    bytes: u64,
}

pub(super) fn defaults(moov: &[u8]) -> Vec<FragmentDefaults> {
    let Some(mvex) = find(moov, &[b"mvex"]) else { return Vec::new() };
    let trex = boxes(mvex.content).filter(|part| &part.kind == b"trex");
    trex.filter_map(|trex| {
        let mut cursor = ByteCursor(trex.content.get(4..)?);
        let track = u64::from(cursor.u32()?);
        cursor.u32()?;
        Some(FragmentDefaults { track, duration: cursor.u32()?.into(), bytes: cursor.u32()?.into() })
    })
    .collect()
}

/// The samples of one track in a fragment, whose `moof` lies at `base`.
pub(super) fn fragment_samples(
    moof: &[u8],
    base: u64,
    track: u64,
    defaults: &[FragmentDefaults],
    last: Option<&TextSample>,
) -> Result<Vec<TextSample>, SubtitleError> {
    let mut found = Vec::new();
    let mut time = last.map_or(0, |last| last.time.saturating_add(last.duration));
    for traf in boxes(moof).filter(|part| &part.kind == b"traf") {
        let Some(head) =
            find(traf.content, &[b"tfhd"]).and_then(|tfhd| fragment_head(tfhd.content, base, defaults))
        else {
            continue;
        };
        if head.track != track {
            continue;
        }
        if let Some(start) = find(traf.content, &[b"tfdt"]).and_then(|tfdt| decode_time(tfdt.content)) {
            time = start;
        }
        let mut at = head.at;
        for run in boxes(traf.content).filter(|part| &part.kind == b"trun") {
            run_samples(run.content, &head, &mut at, &mut time, &mut found);
        }
        if found.len() > SAMPLES_MAX {
            return Err(SubtitleError::TooMany { what: "samples", limit: SAMPLES_MAX });
        }
    }
    Ok(found)
}

struct FragmentHead {
    track: u64,
    at: u64,
    duration: u64,
    bytes: u64,
}

fn flags_of(content: &[u8]) -> Option<u32> {
    Some(u32::from_be_bytes(content.get(..4)?.try_into().ok()?) & 0xff_ffff)
}

fn fragment_head(content: &[u8], base: u64, defaults: &[FragmentDefaults]) -> Option<FragmentHead> {
    let flags = flags_of(content)?;
    let mut cursor = ByteCursor(content.get(4..)?);
    let track = u64::from(cursor.u32()?);
    let own = defaults.iter().find(|one| one.track == track);
    let mut head = FragmentHead {
        track,
        at: base,
        duration: own.map_or(0, |own| own.duration),
        bytes: own.map_or(0, |own| own.bytes),
    };
    if flags & 1 != 0 {
        head.at = cursor.u64()?;
    }
    if flags & 2 != 0 {
        cursor.u32()?;
    }
    if flags & 8 != 0 {
        head.duration = cursor.u32()?.into();
    }
    if flags & 16 != 0 {
        head.bytes = cursor.u32()?.into();
    }
    Some(head)
}

fn decode_time(content: &[u8]) -> Option<u64> {
    let mut cursor = ByteCursor(content.get(4..)?);
    if content.first() == Some(&1) { cursor.u64() } else { cursor.u32().map(u64::from) }
}

fn run_samples(
    content: &[u8],
    head: &FragmentHead,
    at: &mut u64,
    time: &mut u64,
    found: &mut Vec<TextSample>,
) -> Option<()> {
    let flags = flags_of(content)?;
    let mut cursor = ByteCursor(content.get(4..)?);
    let count = cursor.u32()?;
    if flags & 1 != 0 {
        *at = head.at.saturating_add_signed(i64::from(cursor.u32()?.cast_signed()));
    }
    if flags & 4 != 0 {
        cursor.u32()?;
    }
    let has_none = flags & 0x300 == 0;
    for _ in 0..count {
        if found.len() > SAMPLES_MAX || (has_none && head.bytes == 0 && head.duration == 0) {
            return None;
        }
        let duration = if flags & 0x100 != 0 { cursor.u32()?.into() } else { head.duration };
        let bytes = if flags & 0x200 != 0 { cursor.u32()?.into() } else { head.bytes };
        if flags & 0x400 != 0 {
            cursor.u32()?;
        }
        if flags & 0x800 != 0 {
            cursor.u32()?;
        }
        found.push(TextSample { at: *at, bytes, time: *time, duration });
        *at = at.saturating_add(bytes);
        *time = time.saturating_add(duration);
    }
    Some(())
}
