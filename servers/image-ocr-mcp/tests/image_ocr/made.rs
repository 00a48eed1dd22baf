//! Pictures, drawn here.

use std::io::Cursor;

use ab_glyph::{Font, FontRef, PxScale, ScaleFont, point};
use image::{DynamicImage, Frame, ImageFormat, Rgb, RgbImage};

pub(crate) const LINES: [&str; 2] = ["Delivery note 4711 for Grace Hopper", "Twelve relays and one moth"];

/// Two lines, black on white.
pub(crate) fn note() -> RgbImage {
    let mut picture = RgbImage::from_pixel(800, 260, Rgb([255; 3]));
    for (line, top) in LINES.iter().zip([50.0, 140.0]) {
        write(&mut picture, 50.0, top, line);
    }
    picture
}

fn write(picture: &mut RgbImage, left: f32, top: f32, text: &str) {
    let font = typst_assets::fonts().find_map(|bytes| FontRef::try_from_slice(bytes).ok()).unwrap();
    let font = font.as_scaled(PxScale::from(40.0));
    let mut x = left;
    for letter in text.chars() {
        let id = font.glyph_id(letter);
        let glyph = id.with_scale_and_position(font.scale(), point(x, top + font.ascent()));
        x += font.h_advance(id);
        let Some(outline) = font.outline_glyph(glyph) else { continue };
        let corner = outline.px_bounds().min;
        outline.draw(|dx, dy, cover| {
            if let Some(pixel) = picture.get_pixel_mut_checked(corner.x as u32 + dx, corner.y as u32 + dy) {
                pixel.0 = pixel.0.map(|channel| (f32::from(channel) * (1.0 - cover.min(1.0))) as u8);
            }
        });
    }
}

pub(crate) fn encoded(picture: RgbImage, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    DynamicImage::ImageRgb8(picture).write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

/// A GIF of this many frames.
pub(crate) fn animation(frames: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    let frame = || Frame::new(DynamicImage::ImageRgb8(RgbImage::new(40, 30)).into_rgba8());
    let mut encoder = image::codecs::gif::GifEncoder::new(&mut bytes);
    encoder.encode_frames((0..frames).map(|_| frame())).unwrap();
    drop(encoder);
    bytes
}
