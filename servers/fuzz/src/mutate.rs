//! Ways to damage bytes. Archives are also opened, one text inside is damaged, and they are packed again: otherwise nothing
//! but the check of the archive would ever be tried.

use std::io::{Cursor, Read, Write};

use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

use crate::random::Random;

/// What an input may grow to.
const BYTES_MAX: usize = 256 << 10;
const DAMAGES_MAX: usize = 8;
/// What parsers stumble over.
const WORDS: [&[u8]; 24] = [
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

/// A damaged copy of one of the seeds.
pub(crate) fn damaged(seeds: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let seed = random.pick(seeds).clone();
    if seed.starts_with(b"PK") && random.below(4) > 0 {
        return repacked(&seed, random).unwrap_or(seed);
    }
    let other = random.pick(seeds).clone();
    damage(seed, &other, random)
}

fn damage(mut bytes: Vec<u8>, other: &[u8], random: &mut Random) -> Vec<u8> {
    for _ in 0..=random.below(DAMAGES_MAX) {
        one_damage(&mut bytes, other, random);
    }
    bytes.truncate(BYTES_MAX);
    bytes
}

fn one_damage(bytes: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    if bytes.is_empty() {
        let word: &&[u8] = random.pick(&WORDS);
        bytes.extend_from_slice(word);
        return;
    }
    let at = random.below(bytes.len());
    let end = (at + 1 + random.below(64)).min(bytes.len());
    match random.below(9) {
        0 => bytes[at] ^= 1 << random.below(8),
        1 => bytes[at] = u8::try_from(random.below(256)).expect("below 256"),
        2 => bytes.truncate(at),
        3 => drop(bytes.drain(at..end)),
        4 => drop(bytes.splice(at..at, random.pick(&WORDS).iter().copied())),
        5 => drop(bytes.splice(at..end, random.pick(&WORDS).iter().copied())),
        6 => {
            let part = bytes[at..end].repeat(1 + random.below(32));
            drop(bytes.splice(at..at, part));
        }
        7 if !other.is_empty() => {
            let from = random.below(other.len());
            let to = (from + 1 + random.below(512)).min(other.len());
            drop(bytes.splice(at..end, other[from..to].iter().copied()));
        }
        _ => change_number(bytes, at, random),
    }
}

/// The next number in the text becomes another one: lengths and offsets are what readers believe.
fn change_number(bytes: &mut Vec<u8>, from: usize, random: &mut Random) {
    let Some(start) = bytes[from..].iter().position(u8::is_ascii_digit).map(|offset| from + offset) else {
        return;
    };
    let digits = bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    drop(bytes.splice(start..start + digits, random.pick(&WORDS[..7]).iter().copied()));
}

fn repacked(archive: &[u8], random: &mut Random) -> Option<Vec<u8>> {
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
            bytes = damage(bytes, &copy, random);
        }
        packed.start_file(name, SimpleFileOptions::default()).ok()?;
        packed.write_all(&bytes).ok()?;
    }
    Some(packed.finish().ok()?.into_inner())
}
