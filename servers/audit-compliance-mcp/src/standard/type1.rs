//! Type 1 font programs: names of glyphs, their widths, and the encoding inside.

use std::collections::BTreeMap;

/// Glyphs of a font.
const GLYPHS_MAX: usize = 65_536;
/// Numbers before an operator of a glyph.
const STACK_MAX: usize = 64;

/// The parts of a program that were read.
#[derive(Clone, Debug, Default)]
pub(super) struct Type1Program {
    pub(super) widths: BTreeMap<String, f64>,
    pub(super) encoding: BTreeMap<u8, String>,
    /// The program uses the encoding that the standard names.
    pub(super) standard: bool,
}

impl Type1Program {
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let bytes = unwrapped(bytes);
        let at = memchr::memmem::find(&bytes, b"eexec")?;
        let clear = &bytes[..at];
        let private = private_part(&bytes[at + 5..]);
        let (encoding, standard) = encoding(clear);
        let widths = glyphs(&private);
        (!widths.is_empty()).then_some(Self { widths, encoding, standard })
    }
}

/// Without the segment heads of PFB files.
fn unwrapped(bytes: &[u8]) -> Vec<u8> {
    let (mut plain, mut rest) = (Vec::new(), bytes);
    while let [0x80, 1 | 2, a, b, c, d, ..] = rest {
        let length = u32::from_le_bytes([*a, *b, *c, *d]) as usize;
        let end = length.saturating_add(6).min(rest.len());
        plain.extend_from_slice(&rest[6..end]);
        rest = &rest[end..];
    }
    if plain.is_empty() { bytes.to_vec() } else { plain }
}

fn decrypted(bytes: &[u8], key: u16, skip: usize) -> Vec<u8> {
    let mut key = key;
    let plain = bytes.iter().map(|byte| {
        let clear = byte ^ (key >> 8) as u8;
        key = (u16::from(*byte).wrapping_add(key)).wrapping_mul(52_845).wrapping_add(22_719);
        clear
    });
    plain.skip(skip).collect()
}

fn private_part(bytes: &[u8]) -> Vec<u8> {
    let start = bytes.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(0);
    let bytes = &bytes[start..];
    let is_hex = bytes.len() >= 4 && bytes[..4].iter().all(u8::is_ascii_hexdigit);
    if !is_hex {
        return decrypted(bytes, 55_665, 4);
    }
    let digits: Vec<u32> = bytes.iter().filter_map(|byte| char::from(*byte).to_digit(16)).collect();
    let packed: Vec<u8> = digits.chunks_exact(2).map(|pair| (pair[0] * 16 + pair[1]) as u8).collect();
    decrypted(&packed, 55_665, 4)
}

/// `dup 65 /A put`, or the name of the standard one.
fn encoding(clear: &[u8]) -> (BTreeMap<u8, String>, bool) {
    let text = String::from_utf8_lossy(clear);
    let Some((_, rest)) = text.split_once("/Encoding") else { return (BTreeMap::new(), true) };
    if rest.trim_start().starts_with("StandardEncoding") {
        return (BTreeMap::new(), true);
    }
    let end = rest.find("readonly").or_else(|| rest.find(" def")).unwrap_or(rest.len());
    let words: Vec<&str> = rest[..end].split_whitespace().collect();
    let mut found = BTreeMap::new();
    for three in words.windows(4) {
        if let ["dup", code, name, "put"] = three
            && let (Ok(code), Some(name)) = (code.parse(), name.strip_prefix('/'))
        {
            found.insert(code, name.to_owned());
        }
    }
    (found, false)
}

/// `/A 120 RD …bytes… ND`, each glyph encrypted on its own.
fn glyphs(private: &[u8]) -> BTreeMap<String, f64> {
    let skip =
        after(private, b"/lenIV").and_then(|at| integer(&private[at..])).map_or(4, |(it, _)| it.min(16));
    let mut found = BTreeMap::new();
    let Some(mut at) = after(private, b"/CharStrings") else { return found };
    while let Some(slash) = private[at..].iter().position(|byte| *byte == b'/') {
        at += slash + 1;
        let name_end = at + private[at..].iter().take_while(|byte| !byte.is_ascii_whitespace()).count();
        let Some((length, used)) = integer(&private[name_end..]) else { continue };
        let mut start = name_end + used;
        // The word that reads bytes, and one space.
        start += private[start..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        start += private[start..].iter().take_while(|byte| !byte.is_ascii_whitespace()).count() + 1;
        let Some(program) = private.get(start..start + length) else { break };
        if let Some(width) = width(&decrypted(program, 4_330, skip)) {
            found.insert(String::from_utf8_lossy(&private[at..name_end]).into_owned(), width);
        }
        at = start + length;
        if found.len() >= GLYPHS_MAX {
            break;
        }
    }
    found
}

fn after(bytes: &[u8], word: &[u8]) -> Option<usize> {
    memchr::memmem::find(bytes, word).map(|at| at + word.len())
}

/// A number and how many bytes it took with the space before it.
fn integer(bytes: &[u8]) -> Option<(usize, usize)> {
    let space = bytes.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let digits = bytes[space..].iter().take(6).take_while(|byte| byte.is_ascii_digit()).count();
    let number = std::str::from_utf8(&bytes[space..space + digits]).ok()?.parse().ok()?;
    Some((number, space + digits))
}

/// The width is set by the first operator, `hsbw` or `sbw`.
fn width(program: &[u8]) -> Option<f64> {
    let mut stack: Vec<f64> = Vec::new();
    let mut at = 0;
    while let Some(byte) = program.get(at).copied() {
        at += 1;
        match byte {
            32..=246 => stack.push(f64::from(byte) - 139.0),
            247..=250 => {
                let low = f64::from(*program.get(at)?);
                stack.push((f64::from(byte) - 247.0) * 256.0 + low + 108.0);
                at += 1;
            }
            251..=254 => {
                let low = f64::from(*program.get(at)?);
                stack.push(-(f64::from(byte) - 251.0) * 256.0 - low - 108.0);
                at += 1;
            }
            255 => {
                let four = <[u8; 4]>::try_from(program.get(at..at + 4)?).ok()?;
                stack.push(f64::from(i32::from_be_bytes(four)));
                at += 4;
            }
            13 => return stack.get(1).copied(),
            12 => match program.get(at)? {
                7 => return stack.get(2).copied(),
                12 => {
                    let (down, up) = (stack.pop()?, stack.pop()?);
                    stack.push(up / down);
                    at += 1;
                }
                _ => return None,
            },
            _ => return None,
        }
        if stack.len() > STACK_MAX {
            return None;
        }
    }
    None
}
