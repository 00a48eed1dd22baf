//! Pictures: their dictionaries, and what JPEG 2000 says of itself.

use crate::cos::{Dict, PdfValue, Stream, decoded};

use super::checker::Checker;
use super::color;

/// Boxes of a JPEG 2000 file that are looked at.
const BOXES_MAX: usize = 256;

/// Checks an image. True if it is transparent.
pub(super) fn check<'a>(c: &mut Checker<'a>, stream: &'a Stream, resources: Option<&'a Dict>) -> bool {
    let dict = &stream.dict;
    if dict.has("Alternates") {
        c.a("6.2.8.1-1", "Alternates");
    }
    if dict.has("OPI") {
        c.a("6.2.8.1-2", "OPI");
    }
    if c.at(dict, "Interpolate") == &PdfValue::Bool(true) {
        c.a("6.2.8.1-3", "Interpolate is true");
    }
    if dict.has("Intent") {
        let value = c.at(dict, "Intent");
        intent(c, value);
    }
    let is_mask = c.at(dict, "ImageMask") == &PdfValue::Bool(true);
    let is_jpx = has_filter(c, dict, "JPXDecode");
    let bits = c.at(dict, "BitsPerComponent").int();
    if is_mask && bits.is_some_and(|it| it != 1) {
        c.a("6.2.8.1-5", format!("{} bits", bits.unwrap_or(0)));
    } else if !is_jpx && bits.is_some_and(|it| ![1, 2, 4, 8, 16].contains(&it)) {
        c.a("6.2.8.1-4", format!("{} bits", bits.unwrap_or(0)));
    }
    if is_jpx {
        jpeg2000(c, &decoded(c.file, stream), dict.has("ColorSpace"));
    }
    if !is_mask && dict.has("ColorSpace") {
        let space = c.at(dict, "ColorSpace");
        color::used_value(c, space, resources);
    }
    if let Some(mask) = c.at(dict, "SMask").stream() {
        check(c, mask, resources);
        return true;
    }
    c.at(dict, "SMaskInData").int().is_some_and(|it| it > 0)
}

fn has_filter(c: &Checker<'_>, dict: &Dict, name: &str) -> bool {
    let filter = c.file.at(dict, "Filter");
    filter.is_name(name) || filter.list().iter().any(|it| c.file.get(it).is_name(name))
}

fn intent(c: &mut Checker<'_>, value: &PdfValue) {
    let name = value.name().unwrap_or_default();
    if !["RelativeColorimetric", "AbsoluteColorimetric", "Perceptual", "Saturation"].contains(&name) {
        c.a("6.2.6-1", name);
    }
}

/// An image inside content, whose names may be abbreviated.
pub(super) fn inline<'a>(c: &mut Checker<'a>, dict: &Dict, resources: Option<&'a Dict>) {
    const FILTERS: [&str; 14] = [
        "ASCIIHexDecode",
        "AHx",
        "ASCII85Decode",
        "A85",
        "FlateDecode",
        "Fl",
        "RunLengthDecode",
        "RL",
        "CCITTFaxDecode",
        "CCF",
        "DCTDecode",
        "DCT",
        "JBIG2Decode",
        "JPXDecode",
    ];
    let either = |long: &str, short: &str| if dict.has(long) { dict.get(long) } else { dict.get(short) };
    let filter = either("Filter", "F");
    for name in filter.list().iter().chain(std::iter::once(filter)).filter_map(PdfValue::name) {
        if !FILTERS.contains(&name) {
            c.a("6.1.10-1", name);
        }
    }
    if either("Interpolate", "I") == &PdfValue::Bool(true) {
        c.a("6.2.8.1-3", "I of an inline image is true");
    }
    if dict.has("Intent") {
        intent(c, dict.get("Intent"));
    }
    let space = either("ColorSpace", "CS");
    if either("ImageMask", "IM") == &PdfValue::Bool(true) {
        return;
    }
    // An Indexed space of an inline image is written in place.
    let base = match space.list() {
        [kind, base, ..] if kind.is_name("I") || kind.is_name("Indexed") => base,
        _ => space,
    };
    if let Some(space) = color::resolve(c, base, resources) {
        color::used(c, space, resources);
    }
}

/// The colour boxes of a JPEG 2000 file.
fn jpeg2000(c: &mut Checker<'_>, bytes: &[u8], has_space: bool) {
    let mut specifications = Vec::new();
    for (kind, body) in
        boxes(bytes).into_iter().filter(|(kind, _)| kind == b"jp2h").flat_map(|(_, it)| boxes(it))
    {
        match (&kind, body) {
            (b"ihdr", [_, _, _, _, _, _, _, _, high, low, depth, ..]) => {
                let channels = u16::from_be_bytes([*high, *low]);
                if ![1, 3, 4].contains(&channels) {
                    c.a("6.2.8.3-1", format!("{channels} channels"));
                }
                if *depth == 255 || !(1..=38).contains(&((depth & 127) + 1)) {
                    c.a("6.2.8.3-5", "channels of different or odd depth");
                }
            }
            (b"bpcc", depths) if depths.windows(2).any(|pair| pair[0] != pair[1]) => {
                c.a("6.2.8.3-5", "channels of different depth");
            }
            (b"colr", [method, _, best, rest @ ..]) => specifications.push((*method, *best, rest)),
            _ => {}
        }
    }
    if specifications.len() > 1 && specifications.iter().filter(|(_, best, _)| *best == 1).count() != 1 {
        c.a("6.2.8.3-2", format!("{} colour specifications", specifications.len()));
    }
    for (method, _, rest) in specifications {
        if !(1..=3).contains(&method) {
            c.a("6.2.8.3-3", format!("method {method}"));
        }
        if method == 1 && rest.starts_with(&[0, 0, 0, 19]) && !has_space {
            c.a("6.2.8.3-4", "CIEJab");
        }
    }
}

fn boxes(bytes: &[u8]) -> Vec<([u8; 4], &[u8])> {
    let (mut found, mut rest) = (Vec::new(), bytes);
    while let [a, b, c, d, e, f, g, h, ..] = rest {
        let length = u32::from_be_bytes([*a, *b, *c, *d]) as usize;
        let end = if length == 0 { rest.len() } else { length.min(rest.len()) };
        if end < 8 || found.len() >= BOXES_MAX {
            break;
        }
        found.push(([*e, *f, *g, *h], &rest[8..end]));
        rest = &rest[end..];
    }
    found
}
