//! The number of pages or frames of a file, by walking over its blocks without decoding them.

use image::ImageFormat;

/// More than one picture in a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Animation {
    /// Still pages, as in a fax; most files have one.
    Still { pages: u32 },
    /// Frames that follow each other.
    Moving { frames: u32 },
}

/// A file that claims more is not walked to its end.
const COUNT_MAX: u32 = 10_000;

pub(super) fn count(format: ImageFormat, bytes: &[u8]) -> Animation {
    let frames = match format {
        ImageFormat::Gif => gif_frames(bytes),
        ImageFormat::Png => png_frames(bytes),
        ImageFormat::WebP => webp_frames(bytes),
        ImageFormat::Tiff => return Animation::Still { pages: tiff_pages(bytes).unwrap_or(1).max(1) },
        _ => None,
    };
    match frames {
        Some(frames) if frames > 1 => Animation::Moving { frames },
        _ => Animation::Still { pages: 1 },
    }
}

/// Decoders of JPEG continue after the end of a file, so it has to be checked here: whole files end with
/// their end marker, perhaps with a few bytes of padding after it.
pub(super) fn is_cut_off(format: ImageFormat, bytes: &[u8]) -> bool {
    const END: [u8; 2] = [0xff, 0xd9];
    const PADDING_MAX: usize = 4_096;
    let tail = &bytes[bytes.len().saturating_sub(PADDING_MAX)..];
    format == ImageFormat::Jpeg && !tail.windows(END.len()).any(|window| window == END)
}

/// Image descriptors; between them are extensions, and both end in chains of short blocks.
fn gif_frames(bytes: &[u8]) -> Option<u32> {
    const HEADER: usize = 13;
    let mut at = HEADER + palette_bytes(*bytes.get(10)?);
    let mut frames = 0;
    while frames < COUNT_MAX {
        match bytes.get(at) {
            Some(0x21) => at = after_blocks(bytes, at + 2)?,
            Some(0x2c) => {
                frames += 1;
                let Some(flags) = bytes.get(at + 9) else { break };
                let Some(next) = after_blocks(bytes, at + 11 + palette_bytes(*flags)) else { break };
                at = next;
            }
            _ => break,
        }
    }
    Some(frames)
}

fn palette_bytes(flags: u8) -> usize {
    if flags & 0x80 == 0 { 0 } else { 3 << ((flags & 7) + 1) }
}

fn after_blocks(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        match *bytes.get(at)? {
            0 => return Some(at + 1),
            length => at += usize::from(length) + 1,
        }
    }
}

/// The chunk of animated PNG comes before the pixels.
fn png_frames(bytes: &[u8]) -> Option<u32> {
    let mut at = 8;
    loop {
        let length = big(bytes, at)?;
        match bytes.get(at + 4..at + 8)? {
            b"acTL" => return big(bytes, at + 8),
            b"IDAT" | b"IEND" => return None,
            _ => at = at.checked_add(12)?.checked_add(usize::try_from(length).ok()?)?,
        }
    }
}

fn webp_frames(bytes: &[u8]) -> Option<u32> {
    let (mut at, mut frames) = (12, 0);
    while let Some(name) = bytes.get(at..at + 4) {
        frames += u32::from(name == b"ANMF");
        let length = usize::try_from(little(bytes, at + 4)?).ok()?;
        at = at.checked_add(8)?.checked_add(length)?.checked_add(length % 2)?;
        if frames >= COUNT_MAX {
            break;
        }
    }
    Some(frames)
}

/// TIFF directories form a chain; if it loops, counting stops at the limit.
fn tiff_pages(bytes: &[u8]) -> Option<u32> {
    let read = if bytes.starts_with(b"II") { little } else { big };
    let short = |at: usize| {
        let pair = [*bytes.get(at)?, *bytes.get(at + 1)?];
        Some(if bytes.starts_with(b"II") { u16::from_le_bytes(pair) } else { u16::from_be_bytes(pair) })
    };
    let mut at = usize::try_from(read(bytes, 4)?).ok()?;
    let mut pages = 0;
    while at != 0 && pages < COUNT_MAX {
        let Some(entries) = short(at) else { break };
        pages += 1;
        let Some(next) = read(bytes, at + 2 + usize::from(entries) * 12) else { break };
        at = usize::try_from(next).ok()?;
    }
    Some(pages)
}

fn big(bytes: &[u8], at: usize) -> Option<u32> {
    four(bytes, at).map(u32::from_be_bytes)
}

fn little(bytes: &[u8], at: usize) -> Option<u32> {
    four(bytes, at).map(u32::from_le_bytes)
}

fn four(bytes: &[u8], at: usize) -> Option<[u8; 4]> {
    bytes.get(at..at.checked_add(4)?)?.try_into().ok()
}
