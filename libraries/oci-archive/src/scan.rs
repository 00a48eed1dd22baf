//! Goes through the headers of a tar and notes where its blobs lie. Contents are passed over.

use std::collections::HashMap;
use std::io::{Read, Seek, SeekFrom};

use manifest_tree::{BlobDigest, EntryPath};

use crate::error::ArchiveError;
use crate::layout::{BLOBS_FOLDER, INDEX_NAME, LAYOUT_NAME};
use crate::tar::{BLOCK_BYTES, TarHeader, TarMemberKind, read_header};

/// The most members of an archive, those of its packs among them.
const MEMBERS_MAX: usize = 4_000_000;
/// The longest note of another writer.
const NOTES_BYTES_MAX: u64 = 64 << 10;

/// The place of bytes in the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BlobPlace {
    pub offset: u64,
    pub bytes: u64,
}

/// The members that were found.
#[derive(Default)]
pub(crate) struct TarContents {
    pub(crate) layout: Option<BlobPlace>,
    pub(crate) index: Option<BlobPlace>,
    pub(crate) blobs: HashMap<BlobDigest, BlobPlace>,
    members: usize,
}

impl TarContents {
    /// Adds the members of the tar at this place.
    pub(crate) fn scan<R: Read + Seek>(
        &mut self,
        source: &mut R,
        tar: BlobPlace,
    ) -> Result<(), ArchiveError> {
        let end = tar.offset + tar.bytes;
        let mut at = tar.offset;
        source.seek(SeekFrom::Start(at))?;
        loop {
            let mut block = [0; BLOCK_BYTES];
            if end - at < BLOCK_BYTES as u64 {
                return Err(ArchiveError::CutShort);
            }
            source.read_exact(&mut block).map_err(cut_short)?;
            at += BLOCK_BYTES as u64;
            let Some(header) = read_header(&block)? else { return Ok(()) };
            let place = BlobPlace { offset: at, bytes: header.bytes };
            let blocks = header.bytes.div_ceil(BLOCK_BYTES as u64).checked_mul(BLOCK_BYTES as u64);
            let next = blocks.and_then(|bytes| at.checked_add(bytes)).filter(|next| *next <= end);
            at = next.ok_or(ArchiveError::CutShort)?;
            self.note(source, &header, place)?;
            source.seek(SeekFrom::Start(at))?;
        }
    }

    fn note<R: Read>(
        &mut self,
        source: &mut R,
        header: &TarHeader,
        place: BlobPlace,
    ) -> Result<(), ArchiveError> {
        self.members += 1;
        if self.members > MEMBERS_MAX {
            return Err(ArchiveError::TooMany { what: "members", max: MEMBERS_MAX });
        }
        match header.kind {
            TarMemberKind::Notes => check_notes(source, place.bytes),
            TarMemberKind::Folder => checked_name(&header.name).map(drop),
            TarMemberKind::File => self.file(checked_name(&header.name)?, place),
        }
    }

    /// A blob that is there twice is taken from its first place: its bytes are compared with its name anyway.
    fn file(&mut self, name: &str, place: BlobPlace) -> Result<(), ArchiveError> {
        match name {
            LAYOUT_NAME => once(&mut self.layout, place, LAYOUT_NAME),
            INDEX_NAME => once(&mut self.index, place, INDEX_NAME),
            _ => {
                let digits = name.strip_prefix(BLOBS_FOLDER);
                if let Some(digest) = digits.and_then(|digits| digits.parse().ok()) {
                    self.blobs.entry(digest).or_insert(place);
                }
                Ok(())
            }
        }
    }
}

fn once(slot: &mut Option<BlobPlace>, place: BlobPlace, name: &'static str) -> Result<(), ArchiveError> {
    match slot.replace(place) {
        Some(_) => Err(ArchiveError::Twice { name }),
        None => Ok(()),
    }
}

/// The name without `./` before it and `/` behind it. One that leads out of the folder is refused, although nothing is unpacked.
fn checked_name(name: &str) -> Result<&str, ArchiveError> {
    let plain = name.strip_prefix("./").unwrap_or(name);
    let plain = plain.strip_suffix('/').unwrap_or(plain);
    if plain.is_empty() || plain == "." {
        return Ok(plain);
    }
    EntryPath::new(plain).map_err(|_| ArchiveError::MemberName { name: name.to_owned() })?;
    Ok(plain)
}

/// Notes may say when something was written, and not that the next member has another name or size.
fn check_notes<R: Read>(source: &mut R, bytes: u64) -> Result<(), ArchiveError> {
    if bytes > NOTES_BYTES_MAX {
        return Err(ArchiveError::TooLong { name: "a note".to_owned(), max: NOTES_BYTES_MAX });
    }
    let mut notes = vec![0; bytes as usize];
    source.read_exact(&mut notes).map_err(cut_short)?;
    let text = String::from_utf8_lossy(&notes);
    let is_about = |key: &str| text.contains(&format!(" {key}="));
    match ["path", "linkpath", "size"].into_iter().any(is_about) {
        true => Err(ArchiveError::MemberName { name: "a note about the next member".to_owned() }),
        false => Ok(()),
    }
}

pub(crate) fn cut_short(error: std::io::Error) -> ArchiveError {
    match error.kind() {
        std::io::ErrorKind::UnexpectedEof => ArchiveError::CutShort,
        _ => ArchiveError::Io(error),
    }
}
