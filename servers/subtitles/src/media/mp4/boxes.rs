//! Boxes: a size, a kind of four letters, and content.

use std::io::{Read, Seek, SeekFrom};

use crate::error::SubtitleError;

/// A box in memory.
pub(super) struct Mp4Box<'a> {
    pub(super) kind: [u8; 4],
    pub(super) content: &'a [u8],
}

/// A box in a file.
pub(super) struct TopBox {
    pub(super) kind: [u8; 4],
    /// Bytes before its content.
    pub(super) head: u64,
    /// All of its bytes.
    pub(super) size: u64,
    /// It claims more than there is.
    pub(super) is_cut: bool,
}

/// The box at a place of a file that ends at `end`; `None` at the end. A box that claims more than there is ends there.
pub(super) fn header(
    file: &mut (impl Read + Seek),
    at: u64,
    end: u64,
) -> Result<Option<TopBox>, SubtitleError> {
    if end.saturating_sub(at) < 8 {
        return Ok(None);
    }
    file.seek(SeekFrom::Start(at))?;
    let mut bytes = Vec::new();
    file.by_ref().take(16).read_to_end(&mut bytes)?;
    let Some((kind, head, claimed)) = sizes(&bytes, end - at) else { return Ok(None) };
    let size = claimed.min(end - at);
    Ok(Some(TopBox { kind, head, size, is_cut: claimed > size }))
}

/// Kind, bytes of the header, and bytes in all as the box claims, which may be more than `room`.
fn sizes(bytes: &[u8], room: u64) -> Option<([u8; 4], u64, u64)> {
    let small = u64::from(u32::from_be_bytes(bytes.get(..4)?.try_into().ok()?));
    let kind: [u8; 4] = bytes.get(4..8)?.try_into().ok()?;
    let (head, size) = match small {
        0 => (8, room),
        1 => (16, u64::from_be_bytes(bytes.get(8..16)?.try_into().ok()?)),
        size => (8, size),
    };
    (size >= head && room >= head).then_some((kind, head, size))
}

/// The boxes in a row of bytes.
pub(super) fn boxes(bytes: &[u8]) -> impl Iterator<Item = Mp4Box<'_>> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let (kind, head, claimed) = sizes(rest, rest.len() as u64)?;
        let size = claimed.min(rest.len() as u64);
        let (head, size) = (usize::try_from(head).ok()?, usize::try_from(size).ok()?);
        let content = &rest[head..size];
        rest = &rest[size..];
        Some(Mp4Box { kind, content })
    })
}

/// The first box at the end of a path.
pub(super) fn find<'a>(bytes: &'a [u8], path: &[&[u8; 4]]) -> Option<Mp4Box<'a>> {
    let (first, rest) = path.split_first()?;
    let found = boxes(bytes).find(|part| &part.kind == *first)?;
    if rest.is_empty() { Some(found) } else { find(found.content, rest) }
}

/// A reader of numbers that never reads past the end.
pub(super) struct ByteCursor<'a>(pub(super) &'a [u8]);

impl<'a> ByteCursor<'a> {
    pub(super) fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    pub(super) fn u16(&mut self) -> Option<u16> {
        self.take(2)?.try_into().ok().map(u16::from_be_bytes)
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        self.take(4)?.try_into().ok().map(u32::from_be_bytes)
    }

    pub(super) fn u64(&mut self) -> Option<u64> {
        self.take(8)?.try_into().ok().map(u64::from_be_bytes)
    }
}
