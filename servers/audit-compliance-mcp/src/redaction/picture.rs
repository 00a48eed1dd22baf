//! A page as a picture with black boxes, and its other words as invisible text.

use std::io::Write;

use capability_documents::pdf::{PlacedPage, RenderedPage};
use flate2::Compression;
use flate2::write::ZlibEncoder;

use crate::cos::{Dict, PdfValue, Stream};

/// Points around a word: letters reach over their box.
const PADDING: f32 = 1.5;

/// Paints boxes, given in points, black.
pub(super) fn paint(picture: &mut RenderedPage, page: &PlacedPage, boxes: &[[f32; 4]]) {
    let (across, down) =
        (picture.width as f32 / page.width.max(1.0), picture.height as f32 / page.height.max(1.0));
    for [left, top, right, bottom] in boxes {
        let clamp = |value: f32, limit: u32| value.clamp(0.0, limit as f32) as usize;
        let columns = clamp((left - PADDING) * across, picture.width)
            ..clamp(((right + PADDING) * across).ceil(), picture.width);
        for row in clamp((top - PADDING) * down, picture.height)
            ..clamp(((bottom + PADDING) * down).ceil(), picture.height)
        {
            let from = (row * picture.width as usize + columns.start) * 3;
            let to = (row * picture.width as usize + columns.end) * 3;
            if let Some(pixels) = picture.rgb.get_mut(from..to.max(from)) {
                pixels.fill(0);
            }
        }
    }
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).expect("writing to memory cannot fail");
    encoder.finish().expect("writing to memory cannot fail")
}

fn name(text: &str) -> PdfValue {
    PdfValue::Name(text.into())
}

fn dict(entries: Vec<(&str, PdfValue)>) -> Dict {
    Dict(entries.into_iter().map(|(key, value)| (key.as_bytes().to_vec(), value)).collect())
}

fn stream(entries: Vec<(&str, PdfValue)>, bytes: &[u8]) -> PdfValue {
    let mut dict = dict(entries);
    dict.set("Filter", name("FlateDecode"));
    PdfValue::Stream(Stream { dict, body: packed(bytes).into() })
}

/// The image of a page: grey if it has no colour.
pub(super) fn image(picture: &RenderedPage) -> PdfValue {
    let is_grey = picture.rgb.chunks_exact(3).all(|it| it[0] == it[1] && it[1] == it[2]);
    let grey: Vec<u8> = if is_grey { picture.rgb.iter().step_by(3).copied().collect() } else { Vec::new() };
    let (space, bytes) = if is_grey { ("DeviceGray", &grey) } else { ("DeviceRGB", &picture.rgb) };
    stream(
        vec![
            ("Type", name("XObject")),
            ("Subtype", name("Image")),
            ("Width", PdfValue::Int(i64::from(picture.width))),
            ("Height", PdfValue::Int(i64::from(picture.height))),
            ("BitsPerComponent", PdfValue::Int(8)),
            ("ColorSpace", name(space)),
        ],
        bytes,
    )
}

/// The content of such a page. `hidden` tells which words are left out.
pub(super) fn content(page: &PlacedPage, hidden: &[bool]) -> PdfValue {
    let mut text = format!("q {} 0 0 {} 0 0 cm /Page Do Q\nBT 3 Tr\n", page.width, page.height);
    for (word, _) in page.words.iter().zip(hidden).filter(|(_, hidden)| !**hidden) {
        let Some(shown) = written(&word.text) else { continue };
        let size = (word.bounds.bottom - word.bounds.top).clamp(1.0, 200.0);
        let (left, base) = (word.bounds.left, page.height - word.bounds.bottom + size * 0.2);
        text.push_str(&format!("/F {size:.1} Tf 1 0 0 1 {left:.1} {base:.1} Tm <{shown}> Tj\n"));
    }
    text.push_str("ET\n");
    stream(Vec::new(), text.as_bytes())
}

/// Windows-1252 in hexadecimal digits; words that it cannot write are left out.
fn written(word: &str) -> Option<String> {
    let (bytes, _, unmapped) = encoding_rs::WINDOWS_1252.encode(word);
    (!unmapped).then(|| bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The font of the invisible text.
pub(super) fn font() -> PdfValue {
    PdfValue::Dict(dict(vec![
        ("Type", name("Font")),
        ("Subtype", name("Type1")),
        ("BaseFont", name("Helvetica")),
        ("Encoding", name("WinAnsiEncoding")),
    ]))
}

/// The page itself, by the numbers of its parts.
pub(super) fn page(placed: &PlacedPage, parent: u32, image: u32, content: u32, font: u32) -> PdfValue {
    let side = |length: f32| PdfValue::Real((f64::from(length) * 100.0).round() / 100.0);
    let resources = dict(vec![
        ("XObject", PdfValue::Dict(dict(vec![("Page", PdfValue::Ref(image))]))),
        ("Font", PdfValue::Dict(dict(vec![("F", PdfValue::Ref(font))]))),
    ]);
    PdfValue::Dict(dict(vec![
        ("Type", name("Page")),
        ("Parent", PdfValue::Ref(parent)),
        (
            "MediaBox",
            PdfValue::List(vec![PdfValue::Int(0), PdfValue::Int(0), side(placed.width), side(placed.height)]),
        ),
        ("Resources", PdfValue::Dict(resources)),
        ("Contents", PdfValue::Ref(content)),
    ]))
}

/// The root of the pages and the catalogue.
pub(super) fn frame(pages: &[u32], tree: u32) -> (PdfValue, PdfValue) {
    let kids = PdfValue::List(pages.iter().map(|it| PdfValue::Ref(*it)).collect());
    let count = PdfValue::Int(pages.len() as i64);
    let tree_node = dict(vec![("Type", name("Pages")), ("Kids", kids), ("Count", count)]);
    let catalogue = dict(vec![("Type", name("Catalog")), ("Pages", PdfValue::Ref(tree))]);
    (PdfValue::Dict(tree_node), PdfValue::Dict(catalogue))
}
