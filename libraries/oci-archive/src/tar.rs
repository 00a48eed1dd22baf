//! Members of a tar, as POSIX has them: a header of 512 bytes, then the content, filled up to whole blocks. Only plain files with short
//! names are written. Folders are read as well, and the notes of other writers where they say nothing about names and sizes.

use crate::error::ArchiveError;

pub(crate) const BLOCK_BYTES: usize = 512;
/// Two blocks of zeros end a tar.
pub(crate) static END: [u8; 2 * BLOCK_BYTES] = [0; 2 * BLOCK_BYTES];

const NAME: std::ops::Range<usize> = 0..100;
const SIZE: std::ops::Range<usize> = 124..136;
const CHECKSUM: std::ops::Range<usize> = 148..156;
const KIND: usize = 156;
const MAGIC: std::ops::Range<usize> = 257..263;
const PREFIX: std::ops::Range<usize> = 345..500;
/// A size that has more than eleven octal digits is written in base 256, with this bit set.
const BINARY_SIZE: u8 = 0x80;
const OCTAL_SIZE_MAX: u64 = (1 << 33) - 1;

/// The header of a member.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct TarHeader {
    pub(crate) name: String,
    pub(crate) bytes: u64,
    pub(crate) kind: TarMemberKind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TarMemberKind {
    File,
    Folder,
    /// Notes about the next member, or about all.
    Notes,
}

/// The header of a plain file. `name` has at most 100 bytes.
pub(crate) fn header(name: &str, bytes: u64) -> [u8; BLOCK_BYTES] {
    let mut block = [0; BLOCK_BYTES];
    block[..name.len()].copy_from_slice(name.as_bytes());
    block[100..107].copy_from_slice(b"0000644");
    block[108..115].copy_from_slice(b"0000000");
    block[116..123].copy_from_slice(b"0000000");
    write_size(&mut block[SIZE], bytes);
    // Without a time, the same content is the same archive.
    block[136..147].copy_from_slice(b"00000000000");
    block[KIND] = b'0';
    block[MAGIC].copy_from_slice(b"ustar\0");
    block[263..265].copy_from_slice(b"00");
    let sum = checksum(&block);
    block[148..154].copy_from_slice(format!("{sum:06o}").as_bytes());
    block[155] = b' ';
    block
}

/// The zeros that fill the last block of a member.
pub(crate) fn padding(bytes: u64) -> &'static [u8] {
    let over = (bytes % BLOCK_BYTES as u64) as usize;
    if over == 0 { &[] } else { &END[..BLOCK_BYTES - over] }
}

/// Reads a header; `None` for the block of zeros that ends a tar.
pub(crate) fn read_header(block: &[u8; BLOCK_BYTES]) -> Result<Option<TarHeader>, ArchiveError> {
    if block.iter().all(|byte| *byte == 0) {
        return Ok(None);
    }
    if octal(&block[CHECKSUM]) != Some(checksum(block)) || &block[MAGIC][..5] != b"ustar" {
        return Err(ArchiveError::NotTar);
    }
    let name = name_of(block)?;
    let kind = match block[KIND] {
        b'0' | 0 => TarMemberKind::File,
        b'5' => TarMemberKind::Folder,
        b'x' | b'g' => TarMemberKind::Notes,
        _ => return Err(ArchiveError::MemberKind { name }),
    };
    let bytes = size_of(&block[SIZE]).ok_or(ArchiveError::NotTar)?;
    Ok(Some(TarHeader { name, bytes, kind }))
}

fn name_of(block: &[u8; BLOCK_BYTES]) -> Result<String, ArchiveError> {
    let text = |range: std::ops::Range<usize>| {
        let field = &block[range];
        let end = field.iter().position(|byte| *byte == 0).unwrap_or(field.len());
        std::str::from_utf8(&field[..end]).map(str::to_owned).map_err(|_| ArchiveError::MemberName {
            name: String::from_utf8_lossy(&field[..end]).into_owned(),
        })
    };
    let (name, prefix) = (text(NAME)?, text(PREFIX)?);
    Ok(if prefix.is_empty() { name } else { format!("{prefix}/{name}") })
}

fn write_size(field: &mut [u8], bytes: u64) {
    if bytes <= OCTAL_SIZE_MAX {
        field[..11].copy_from_slice(format!("{bytes:011o}").as_bytes());
    } else {
        field[0] = BINARY_SIZE;
        field[4..12].copy_from_slice(&bytes.to_be_bytes());
    }
}

fn size_of(field: &[u8]) -> Option<u64> {
    if field[0] & BINARY_SIZE == 0 {
        return octal(field);
    }
    let is_small = field[0] == BINARY_SIZE && field[1..4].iter().all(|byte| *byte == 0);
    is_small.then(|| u64::from_be_bytes(field[4..12].try_into().expect("it has eight bytes")))
}

/// A number in octal digits, with spaces before and spaces or zeros after it.
fn octal(field: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(field).ok()?.trim_matches(|character| matches!(character, ' ' | '\0'));
    let is_octal = text.bytes().all(|byte| (b'0'..=b'7').contains(&byte));
    if text.is_empty() { Some(0) } else { u64::from_str_radix(text, 8).ok().filter(|_| is_octal) }
}

/// The sum of all bytes, with spaces in place of the sum itself.
fn checksum(block: &[u8; BLOCK_BYTES]) -> u64 {
    let bytes = block.iter().enumerate();
    bytes.map(|(place, byte)| u64::from(if CHECKSUM.contains(&place) { b' ' } else { *byte })).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_read_as_it_was_written() {
        for (name, bytes) in [("index.json", 0), ("blobs/sha256/0", 511), ("x", OCTAL_SIZE_MAX + 1)] {
            let read = read_header(&header(name, bytes)).expect("a header").expect("a member");
            assert_eq!(read, TarHeader { name: name.to_owned(), bytes, kind: TarMemberKind::File });
        }
        assert_eq!(read_header(&[0; BLOCK_BYTES]).expect("the end"), None);
    }

    #[test]
    fn a_header_that_was_changed_is_refused() {
        let good = header("index.json", 7);
        for place in [0, 99, 124, 156, 257, 400] {
            let mut bad = good;
            bad[place] ^= 1;
            assert!(matches!(read_header(&bad), Err(ArchiveError::NotTar)), "{place}");
        }
    }

    #[test]
    fn links_and_devices_are_refused() {
        for kind in [b'1', b'2', b'3', b'4', b'6', b'7', b'L', b'S'] {
            let mut block = header("index.json", 0);
            block[KIND] = kind;
            let sum = checksum(&block);
            block[148..154].copy_from_slice(format!("{sum:06o}").as_bytes());
            assert!(matches!(read_header(&block), Err(ArchiveError::MemberKind { .. })), "{kind}");
        }
    }
}
