//! Archives are opened, one text inside is damaged, and they are packed again: otherwise only the archive
//! check would be exercised.

use std::io::{Cursor, Read, Write};

use damage::Random;
use damage::mutate::damage;
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

/// Words that parsers stumble over.
pub(crate) const WORDS: [&[u8]; 24] = [
    b"0",
    b"-1",
    b"65536",
    b"2147483647",
    b"4294967296",
    b"99999999999999999999",
    b"1e308",
    b"NaN",
    b"<",
    b"</",
    b"]]>",
    b"&a;",
    b"<!DOCTYPE a [<!ENTITY a \"&a;&a;\">]>",
    b"obj",
    b"endobj",
    b"stream",
    b"<<",
    b">>",
    b"/Kids [1 0 R]",
    b"1 0 R",
    b"\0\0\0\0",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\xf0\x9f\x98\x80",
];

/// The archive with one damaged text inside.
pub(crate) fn repacked(archive: &[u8], random: &mut Random) -> Option<Vec<u8>> {
    let mut archive = ZipArchive::new(Cursor::new(archive)).ok()?;
    let chosen = random.below(archive.len().max(1));
    let mut packed = ZipWriter::new(Cursor::new(Vec::new()));
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).ok()?;
        let name = entry.name().ok()?.into_owned();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).ok()?;
        if index == chosen {
            let copy = bytes.clone();
            bytes = damage(bytes, &copy, &WORDS, random);
        }
        packed.start_file(name, SimpleFileOptions::default()).ok()?;
        packed.write_all(&bytes).ok()?;
    }
    Some(packed.finish().ok()?.into_inner())
}
