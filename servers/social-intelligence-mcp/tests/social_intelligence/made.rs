//! Pictures, drawn here.

use std::io::Cursor;

use ab_glyph::{Font, FontRef, PxScale, ScaleFont, point};
use image::{DynamicImage, ImageFormat, Rgb, RgbImage};

/// An advertisement: a strong line, a weak one, and the brand at the bottom.
pub(crate) fn advertisement() -> RgbImage {
    let mut picture = RgbImage::from_pixel(1080, 1080, Rgb([255; 3]));
    write(&mut picture, 80.0, 200.0, 72.0, 0, "Fresh bread every day");
    write(&mut picture, 80.0, 420.0, 60.0, 190, "The best in town");
    write(&mut picture, 80.0, 900.0, 64.0, 0, "Millers  Shop now");
    picture
}

fn write(picture: &mut RgbImage, left: f32, top: f32, size: f32, grey: u8, text: &str) {
    let font = typst_assets::fonts().find_map(|bytes| FontRef::try_from_slice(bytes).ok()).unwrap();
    let font = font.as_scaled(PxScale::from(size));
    let mut x = left;
    for letter in text.chars() {
        let id = font.glyph_id(letter);
        let glyph = id.with_scale_and_position(font.scale(), point(x, top + font.ascent()));
        x += font.h_advance(id);
        let Some(outline) = font.outline_glyph(glyph) else { continue };
        let corner = outline.px_bounds().min;
        outline.draw(|dx, dy, cover| {
            if let Some(pixel) = picture.get_pixel_mut_checked(corner.x as u32 + dx, corner.y as u32 + dy) {
                let ink = f32::from(grey) * cover.min(1.0);
                pixel.0 = pixel.0.map(|channel| (f32::from(channel) * (1.0 - cover.min(1.0)) + ink) as u8);
            }
        });
    }
}

pub(crate) fn png(picture: RgbImage) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    DynamicImage::ImageRgb8(picture).write_to(&mut bytes, ImageFormat::Png).unwrap();
    bytes.into_inner()
}
