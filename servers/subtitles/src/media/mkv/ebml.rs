//! EBML: elements with an id, a length, and content.

use std::io::{Read, Seek, SeekFrom};

use crate::error::SubtitleError;

/// An element in a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct EbmlElement {
    pub(super) id: u32,
    /// Where its content begins.
    pub(super) content: u64,
    pub(super) length: u64,
    /// It claims to reach beyond its parent.
    pub(super) is_cut: bool,
}

impl EbmlElement {
    pub(super) fn end(&self) -> u64 {
        self.content.saturating_add(self.length)
    }
}

/// The element at a place before `end`; `None` at the end. One of unknown length, as live streams have them, reaches to the end.
pub(super) fn element(
    file: &mut (impl Read + Seek),
    at: u64,
    end: u64,
) -> Result<Option<EbmlElement>, SubtitleError> {
    if at >= end {
        return Ok(None);
    }
    file.seek(SeekFrom::Start(at))?;
    let mut head = Vec::new();
    file.by_ref().take((end - at).min(12)).read_to_end(&mut head)?;
    let Some((id, id_bytes)) = id_of(&head) else { return Ok(None) };
    let Some((length, length_bytes)) = vint(&head[id_bytes..]) else { return Ok(None) };
    let content = at + (id_bytes + length_bytes) as u64;
    let is_unknown = length == (1u64 << (7 * length_bytes)) - 1;
    let room = end.saturating_sub(content);
    let is_cut = !is_unknown && length > room;
    Ok(Some(EbmlElement { id, content, length: if is_unknown { room } else { length.min(room) }, is_cut }))
}

/// An id with its marker, and how many bytes it has.
fn id_of(bytes: &[u8]) -> Option<(u32, usize)> {
    let count = bytes.first()?.leading_zeros() as usize + 1;
    let id = bytes.get(..count).filter(|_| count <= 4)?;
    Some((id.iter().fold(0, |id, byte| id << 8 | u32::from(*byte)), count))
}

/// A number of variable length without its marker, and how many bytes it has.
pub(super) fn vint(bytes: &[u8]) -> Option<(u64, usize)> {
    let first = *bytes.first()?;
    let count = first.leading_zeros() as usize + 1;
    let all = bytes.get(..count).filter(|_| count <= 8)?;
    let marker = 1u64 << (7 * count);
    let number = all.iter().fold(0u64, |number, byte| number << 8 | u64::from(*byte));
    Some((number & (marker - 1), count))
}

/// The elements in memory: ids and contents.
pub(super) fn children(bytes: &[u8]) -> impl Iterator<Item = (u32, &[u8])> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let (id, id_bytes) = id_of(rest)?;
        let (length, length_bytes) = vint(&rest[id_bytes..])?;
        let content = &rest[id_bytes + length_bytes..];
        let length = usize::try_from(length).unwrap_or(usize::MAX).min(content.len());
        rest = &content[length..];
        Some((id, &content[..length]))
    })
}

pub(super) fn number(bytes: &[u8]) -> u64 {
    bytes.iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte))
}

pub(super) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim_end_matches('\0').to_owned()
}
