//! Bytes of streams, unpacked within a limit. Pictures stay as they are.

use std::io::Read;

use flate2::read::ZlibDecoder;

use super::file::PdfFile;
use super::value::{Dict, PdfValue, Stream};

/// The limit of what one stream unpacks to.
pub(crate) const DECODED_BYTES_MAX: usize = 64 << 20;
/// Filters one after the other.
const FILTERS_MAX: usize = 8;

/// The bytes of a stream behind all filters but those of pictures.
pub(crate) fn decoded(file: &PdfFile, stream: &Stream) -> Vec<u8> {
    let filters = as_list(file, stream.dict.get("Filter"));
    let parameters = as_list(file, stream.dict.get("DecodeParms"));
    let mut bytes = stream.body.to_vec();
    for (index, filter) in filters.iter().take(FILTERS_MAX).enumerate() {
        let own = parameters.get(index).and_then(|it| file.get(it).dict());
        match one(file, filter.name().unwrap_or_default(), &bytes, own) {
            Some(next) => bytes = next,
            None => break,
        }
    }
    bytes
}

fn as_list<'a>(file: &'a PdfFile, value: &'a PdfValue) -> Vec<&'a PdfValue> {
    match file.get(value) {
        PdfValue::Null => Vec::new(),
        PdfValue::List(list) => list.iter().map(|one| file.get(one)).collect(),
        one => vec![one],
    }
}

fn one(file: &PdfFile, filter: &str, bytes: &[u8], parameters: Option<&Dict>) -> Option<Vec<u8>> {
    let unpacked = match filter {
        "FlateDecode" | "Fl" => inflate(bytes),
        "LZWDecode" | "LZW" => {
            let early = parameters.and_then(|it| file.get(it.get("EarlyChange")).int()) != Some(0);
            lzw(bytes, early)
        }
        "ASCIIHexDecode" | "AHx" => ascii_hex(bytes),
        "ASCII85Decode" | "A85" => ascii85(bytes),
        "RunLengthDecode" | "RL" => run_length(bytes),
        _ => return None,
    };
    match parameters {
        Some(parameters) if filter.starts_with("Fl") || filter.starts_with("LZW") => {
            Some(predicted(file, unpacked, parameters))
        }
        _ => Some(unpacked),
    }
}

/// As far as it goes: a damaged end leaves the beginning.
fn inflate(bytes: &[u8]) -> Vec<u8> {
    let mut unpacked = Vec::new();
    let mut reader = ZlibDecoder::new(bytes).take(DECODED_BYTES_MAX as u64);
    // What was read before the damage is there.
    drop(reader.read_to_end(&mut unpacked));
    unpacked
}

fn lzw(bytes: &[u8], early: bool) -> Vec<u8> {
    let mut table: Vec<Vec<u8>> = Vec::new();
    let reset = |table: &mut Vec<Vec<u8>>| {
        table.clear();
        table.extend((0..=255u8).map(|byte| vec![byte]));
        table.extend([Vec::new(), Vec::new()]);
    };
    reset(&mut table);
    let (mut unpacked, mut previous) = (Vec::new(), Vec::<u8>::new());
    let (mut bits, mut count, mut width) = (0u32, 0u32, 9u32);
    for byte in bytes {
        bits = (bits << 8) | u32::from(*byte);
        count += 8;
        if count < width {
            continue;
        }
        count -= width;
        let code = ((bits >> count) & ((1 << width) - 1)) as usize;
        bits &= (1 << count) - 1;
        match code {
            256 => {
                reset(&mut table);
                previous.clear();
            }
            257 => break,
            _ => {
                let entry = match table.get(code) {
                    Some(entry) => entry.clone(),
                    None if !previous.is_empty() => [previous.as_slice(), &previous[..1]].concat(),
                    None => break,
                };
                if !previous.is_empty() && table.len() < 4096 {
                    table.push([previous.as_slice(), &entry[..1]].concat());
                }
                unpacked.extend_from_slice(&entry);
                previous = entry;
            }
        }
        width = match table.len() + usize::from(early) {
            0..512 => 9,
            512..1024 => 10,
            1024..2048 => 11,
            _ => 12,
        };
        if unpacked.len() > DECODED_BYTES_MAX {
            break;
        }
    }
    unpacked
}

fn ascii_hex(bytes: &[u8]) -> Vec<u8> {
    let digits =
        bytes.iter().take_while(|byte| **byte != b'>').filter_map(|byte| char::from(*byte).to_digit(16));
    let mut digits: Vec<u32> = digits.collect();
    if digits.len() % 2 == 1 {
        digits.push(0);
    }
    digits.chunks_exact(2).map(|pair| (pair[0] * 16 + pair[1]) as u8).collect()
}

fn ascii85(bytes: &[u8]) -> Vec<u8> {
    let mut unpacked = Vec::new();
    let mut group: Vec<u8> = Vec::with_capacity(5);
    for byte in bytes {
        match byte {
            b'~' => break,
            b'z' if group.is_empty() => unpacked.extend([0; 4]),
            b'!'..=b'u' => {
                group.push(byte - b'!');
                if group.len() == 5 {
                    unpacked.extend(word85(&group));
                    group.clear();
                }
            }
            _ => {}
        }
    }
    if group.len() > 1 {
        let wanted = group.len() - 1;
        group.resize(5, 84);
        unpacked.extend(&word85(&group)[..wanted]);
    }
    unpacked
}

fn word85(group: &[u8]) -> [u8; 4] {
    let sum = group.iter().fold(0u64, |sum, digit| sum * 85 + u64::from(*digit));
    (sum as u32).to_be_bytes()
}

fn run_length(bytes: &[u8]) -> Vec<u8> {
    let (mut unpacked, mut at) = (Vec::new(), 0);
    while let Some(length) = bytes.get(at).copied() {
        if length == 128 || unpacked.len() > DECODED_BYTES_MAX {
            break;
        }
        if length < 128 {
            let end = (at + 2 + usize::from(length)).min(bytes.len());
            unpacked.extend_from_slice(bytes.get(at + 1..end).unwrap_or_default());
            at += 2 + usize::from(length);
        } else {
            let Some(byte) = bytes.get(at + 1) else { break };
            unpacked.extend(std::iter::repeat_n(*byte, 257 - usize::from(length)));
            at += 2;
        }
    }
    unpacked
}

/// Undoes the predictor of PNG; that of TIFF is for pictures, which are not looked into.
fn predicted(file: &PdfFile, bytes: Vec<u8>, parameters: &Dict) -> Vec<u8> {
    let number = |key: &str, otherwise: i64| file.get(parameters.get(key)).int().unwrap_or(otherwise);
    if number("Predictor", 1) < 10 {
        return bytes;
    }
    let bits = number("Colors", 1).clamp(1, 64) * number("BitsPerComponent", 8).clamp(1, 32);
    let row = usize::try_from(bits * number("Columns", 1).clamp(1, 1 << 20)).unwrap_or_default().div_ceil(8);
    let pixel = (bits as usize).div_ceil(8);
    let (mut unpacked, mut above) = (Vec::with_capacity(bytes.len()), vec![0u8; row]);
    for line in bytes.chunks(row + 1) {
        let mut current = line[1..].to_vec();
        current.resize(row, 0);
        for index in 0..row {
            let left = if index >= pixel { current[index - pixel] } else { 0 };
            let corner = if index >= pixel { above[index - pixel] } else { 0 };
            let guess = match line[0] {
                1 => left,
                2 => above[index],
                3 => ((u16::from(left) + u16::from(above[index])) / 2) as u8,
                4 => paeth(left, above[index], corner),
                _ => 0,
            };
            current[index] = current[index].wrapping_add(guess);
        }
        unpacked.extend_from_slice(&current);
        above = current;
    }
    unpacked
}

fn paeth(left: u8, above: u8, corner: u8) -> u8 {
    let (a, b, c) = (i16::from(left), i16::from(above), i16::from(corner));
    let sum = a + b - c;
    let (by_left, by_above, by_corner) = ((sum - a).abs(), (sum - b).abs(), (sum - c).abs());
    if by_left <= by_above && by_left <= by_corner {
        left
    } else if by_above <= by_corner {
        above
    } else {
        corner
    }
}
